"""The same numbers every run, no window, and no test file that tests nothing."""
import os

os.environ["MPLBACKEND"] = "Agg"  # before anything imports matplotlib; commands a test starts inherit it

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("house", deadline=None, print_blob=True)  # no deadline: two shared cores
settings.load_profile("house")


def pytest_runtest_setup():
    np.random.seed(0)  # the package draws from numpy's global state unless it is given a generator


def pytest_collectreport(report):
    """A file in which nothing was collected is a mistake, not a pass."""
    if report.passed and report.nodeid.endswith(".py") and not report.result:
        raise pytest.UsageError(f"{report.nodeid} holds no test")
