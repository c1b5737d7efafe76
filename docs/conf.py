"""The course site. `make docs` builds it."""
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import launch  # noqa: E402
import lessons  # noqa: E402
import mistakes  # noqa: E402

from tinytorch.tito.home import version_line  # noqa: E402

# The one setting, https://github.com/OWNER/NAME: without it no page has an edit, issue, Binder or Colab link.
REPOSITORY = launch.Repository.of(os.environ.get("REPOSITORY", ""), os.environ.get("BRANCH", "main"))

project = "tinytorch-embeddings"
author = "The tinytorch-embeddings authors"
release = version_line().split()[-1]
copyright = f"{author}, MIT license"
language = "en"

# githubpages writes .nojekyll: without it GitHub leaves out _static, and with it the styles.
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.githubpages", "sphinx.ext.mathjax"]
# misconceptions.md is for readers of the code; mistakes.py makes the page from the same bank.
exclude_patterns = ["lessons/files", "lessons/launch.md", "misconceptions.md"]
default_role = "code"  # docstrings write `name`, as Markdown does

nb_execution_mode = "off"  # lessons.py runs the notebooks
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "exclude-members": "extra_repr"}
autodoc_preserve_defaults = True  # as the source writes them
python_maximum_signature_line_length = 100

# MathJax comes as one file from a package, so that a page asks nobody for anything.
MATHJAX = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax" / "tex-svg.js"
mathjax_path = MATHJAX.name
mathjax3_config = {"options": {"enableMenu": False}}

html_theme = "sphinx_book_theme"
html_title = "Embeddings"
html_static_path = ["_static", str(MATHJAX)]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_last_updated_fmt = None
html_show_search_summary = False  # a page opened as a file may not fetch another one
html_context = {"default_mode": "auto"}  # as the system says, until a reader chooses
html_show_sphinx = False
html_theme_options = {
    "home_page_in_toc": True,
    "toc_title": "On this page",
    "show_toc_level": 2,
    "navbar_start": [], "navbar_center": [], "navbar_end": [], "navbar_persistent": [],
    "use_fullscreen_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    **REPOSITORY.theme_options(),
}


def write_lessons(app, config):
    lessons.write_all(HERE / "lessons")
    lessons.write(HERE / "lessons" / "launch.md", REPOSITORY.launch_page())
    lessons.write(HERE / "lessons" / "misconceptions.md", mistakes.page())


def leave_out_unmeasured(app, docname, content):
    """The measured page exists once `tito bench` has run."""
    if docname == "index" and not (HERE / "measured.md").exists():
        content[0] = content[0].replace("\nmeasured\n", "\n")


def rewrite_every_page(app, env):
    """Every page shows the list of all pages; Sphinx alone would write a new lesson into the changed ones only."""
    return env.found_docs


def write_downloads(app, error):
    """The download button of a lesson gives the notebook for students, and not the page with its outputs."""
    files, sources = HERE / "lessons" / "files", Path(app.outdir) / "_sources" / "lessons"
    if error is not None or not sources.is_dir():
        return
    for name in lessons.PAGES:
        shutil.copy(files / f"{name}.ipynb", sources / f"{name}.ipynb")
    if REPOSITORY:
        notebook = REPOSITORY.colab_notebook(lessons.read(files / "embeddings.ipynb"))
        lessons.write(Path(app.outdir) / "colab" / "embeddings.ipynb", lessons.text_of(notebook))


def setup(app):
    app.connect("config-inited", write_lessons)
    app.connect("source-read", leave_out_unmeasured)
    app.connect("env-updated", rewrite_every_page)
    app.connect("html-page-context", REPOSITORY.correct_links, priority=900)
    app.connect("build-finished", write_downloads)
