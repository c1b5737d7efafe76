"""Checks of what a right solution does: the same ones run under an exercise, in pytest and for a grader.

`check("embedding-forward")` under an exercise; `python -m tinytorch.checks embeddings` for the package.
A check is a function in checks/<lesson>/<exercise>.py; its docstring holds the hints. It never imports the
code under test, which may be a notebook's, a file's, or in another process (handles.py).
"""
from .cell import check
from .report import CheckFailed

__all__ = ["CheckFailed", "check"]
