"""The site that `make docs` built."""
from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "build" / "docs"


@pytest.fixture(scope="session")
def site():
    if not (SITE / "index.html").exists():
        pytest.skip("no site in build/docs: make docs")
    return SITE


@pytest.fixture(scope="session")
def pages(site):
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html")
                  if "_static" not in path.parts)
