"""Links to the repository, to Binder and to Colab: all follow from one address; without it there are none."""
from __future__ import annotations

import re
from dataclasses import dataclass

from lessons import PAGES, ROOT

SITE_BRANCH = "gh-pages"  # the branch that the built site is pushed to; Colab opens its notebook from there
SOURCES = {**{f"lessons/{name}": path.relative_to(ROOT).as_posix() for name, path in PAGES.items()},
           "lessons/misconceptions": "docs/mistakes.py", "module": "modules/11_embeddings/README.md"}


@dataclass(frozen=True)
class Repository:
    """A repository on GitHub; false without an address."""

    path: str = ""
    branch: str = "main"

    @classmethod
    def of(cls, address: str, branch: str = "main") -> Repository:
        """From https://github.com/OWNER/NAME, or from nothing."""
        if not address:
            return cls()
        match = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", address)
        if not match:
            raise ValueError(f"REPOSITORY is https://github.com/OWNER/NAME; got {address!r}")
        return cls(match.group(1), branch)

    def __bool__(self) -> bool:
        return bool(self.path)

    @property
    def address(self) -> str:
        return f"https://github.com/{self.path}"

    def edit(self, page: str) -> str:
        """Where the text of a page is edited: a lesson in its notebook, not in what is made from it."""
        return f"{self.address}/edit/{self.branch}/{SOURCES.get(page, f'docs/{page}.md')}"

    def binder(self) -> str:
        """.binder/postBuild has written the lesson for students to this path."""
        notebook = "11_embeddings/embeddings_dev.ipynb"
        return f"https://mybinder.org/v2/gh/{self.path}/{self.branch}?urlpath=lab/tree/{notebook}"

    def colab(self) -> str:
        site = f"https://colab.research.google.com/github/{self.path}/blob/{SITE_BRANCH}"
        return f"{site}/colab/embeddings.ipynb"

    def colab_notebook(self, unsolved: dict) -> dict:
        """The lesson for students, after a cell that installs the package on Colab's machine."""
        source = f'%pip install -q "tinytorch-embeddings[cli] @ git+{self.address}@{self.branch}"'
        install = {"cell_type": "code", "id": "install", "metadata": {}, "source": [source], "outputs": [],
                   "execution_count": None}
        return {**unsolved, "cells": [install, *unsolved["cells"]]}

    def theme_options(self) -> dict:
        if not self:
            return {}
        return {"repository_url": self.address, "repository_branch": self.branch, "path_to_docs": "docs",
                "use_repository_button": True, "use_edit_page_button": True, "use_issues_button": True}

    def correct_links(self, app, pagename, templatename, context, doctree) -> None:
        """The theme looks for a page's text in docs/; and it knows nothing of notebooks for students."""
        for button in buttons(context.get("header_buttons", [])):
            if button.get("label") == "source-edit-button":
                button["url"] = self.edit(pagename)

    def launch_page(self) -> str:
        """A list for the module's page: the plain file, and where to open it without installing anything."""
        lines = ["- {download}`The lesson </lessons/files/embeddings.ipynb>` as a notebook, without solutions"]
        if self:
            lines += [f"- [Open it in Binder]({self.binder()}): a machine for as long as the page is open",
                      f"- [Open it in Colab]({self.colab()}): with a Google account; the first cell "
                      "installs the package"]
        return "\n".join(lines) + "\n"


def buttons(found: list[dict]):
    for button in found:
        yield button
        yield from buttons(button.get("buttons", []))
