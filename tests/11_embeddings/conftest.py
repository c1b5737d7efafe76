"""The package has a fast and a plain form of its hot steps; a suite that asks for it runs with both."""
from contextlib import nullcontext

import pytest

from tinytorch.core import fast


@pytest.fixture(scope="module", params=["fast", "plain"])
def both_forms(request):
    with fast.plain() if request.param == "plain" else nullcontext():
        yield
