"""The built site as files: links, pictures, downloads, and no solution anywhere."""
import json
import re
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import lessons
import pytest

pytestmark = pytest.mark.slow
LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """What a page links to, what it loads, its ids, its pictures and its text."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.ids, self.pictures, self.words = [], [], set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found["id"]} if "id" in found else set()
        self.pictures += [found] if tag == "img" else []
        for name in ("href", "src"):
            if found.get(name):
                (self.loaded if (tag, name) in LOADED else self.links).append(found[name])

    def handle_data(self, data):
        self.words.append(data)


@cache
def parsed(path):
    return Page(path.read_text(encoding="utf-8"))


def test_every_link_leads_somewhere(site, pages):
    broken = []
    for name in pages:
        for link in parsed(site / name).links + parsed(site / name).loaded:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            if not target.is_file():
                broken.append((name, link))
            elif parts.fragment and target.suffix == ".html":
                if unquote(parts.fragment) not in parsed(target).ids:
                    broken.append((name, link))
    assert not broken


def test_nothing_is_loaded_from_outside(site, pages):
    outside = [(name, link) for name in pages for link in parsed(site / name).loaded
               if urlsplit(link).scheme in ("http", "https") or link.startswith("//")]
    assert not outside


def test_links_to_outside_are_secure_pages(site, pages):
    schemes = {urlsplit(link).scheme for name in pages for link in parsed(site / name).links}
    assert schemes <= {"", "https"}


def test_every_picture_has_words(site, pages):
    silent = [(name, picture.get("src")) for name in pages for picture in parsed(site / name).pictures
              if not (picture.get("alt") or "").strip() or re.match(r"(\.\./)*_images/", picture["alt"])]
    assert not silent


def test_every_lesson_is_a_page_with_pictures(site):
    for name in lessons.PAGES:
        assert parsed(site / "lessons" / f"{name}.html").pictures, name


def test_every_page_lists_every_lesson(site, pages):
    listed = {name: {link.rpartition("/")[2] for link in parsed(site / name).links} for name in pages}
    missing = [(page, name) for page, links in listed.items() for name in lessons.PAGES
               if f"{name}.html" not in links and page != f"lessons/{name}.html"]
    assert not missing


def test_github_serves_the_styles(site):
    assert (site / ".nojekyll").is_file()  # else it leaves out every folder that begins with _


def test_downloads_are_what_students_get(site):
    for name, path in lessons.PAGES.items():
        wanted = lessons.unsolved(lessons.read(path))
        offered = [site / "_sources" / "lessons" / f"{name}.ipynb",
                   *(site / "_downloads").rglob(f"{name}.ipynb")]
        assert len(offered) == 2
        for file in offered:
            assert lessons.read(file) == wanted, "stale: make docs"


def lines_of(notebook):
    return {line.strip() for cell in notebook["cells"] for line in "".join(cell["source"]).splitlines()}


def plain(text):
    """In one line, as a reader sees it: a task may quote a line of its solution."""
    return " ".join(text.replace("`", "").split())


def solution_lines():
    """Lines of the solutions and model answers that stand nowhere in what a student may read."""
    solved = [lessons.read(path) for path in lessons.PAGES.values()]
    given = plain("\n".join("".join(cell["source"]) for notebook in solved
                            for cell in lessons.unsolved(notebook)["cells"]))
    return {line for line in set().union(*map(lines_of, solved))
            if len(line) > 20 and "SOLUTION" not in line and plain(line) not in given}


def test_no_solution_is_on_the_site(site, pages):
    hidden = solution_lines()
    assert len(hidden) > 80
    texts = {name: "".join(parsed(site / name).words) for name in pages}
    for path in [*site.rglob("*.ipynb"), *site.rglob("*.md"), site / "searchindex.js"]:
        texts[path.relative_to(site).as_posix()] = path.read_text(encoding="utf-8")
    for path in site.rglob("*.ipynb"):  # once more as text, without JSON's escapes
        texts[f"{path.name} as text"] = "\n".join(lines_of(json.loads(path.read_text(encoding="utf-8"))))
    leaks = [(name, line) for name, text in texts.items() for line in hidden if line in text]
    assert not leaks


def test_the_misconceptions_are_all_there(site):
    from tinytorch.checks import bank

    text = "".join(parsed(site / "lessons" / "misconceptions.html").words)
    assert str(len(bank.entries())) in text, "stale: make docs"
    assert text.count("somebody believed") > 40
