"""What a check may do with the code under test: every touch goes through these few functions.

Objects on the code's side are known by a `Handle`; arguments arrive there as copies, never by reference."""
from __future__ import annotations


class Trouble(Exception):
    """A call did not end with a result."""


class Raised(Trouble):
    """The code raised an error: the names of its class and base classes, the message, the line."""

    def __init__(self, names, message, where=""):
        super().__init__(f"{names[0]}: {message}" if message else names[0])
        self.names, self.message, self.where = list(names), message, where


class Unwritten(Trouble):
    """NotImplementedError: there is nothing to check yet."""


class Missing(Trouble):
    """The code has no such name."""


class Stopped(Trouble):
    """sys.exit, a dead process or a time-out. Never a refusal."""

    def __init__(self, why, timed_out=False):
        super().__init__(why)
        self.timed_out = timed_out


class Handle:
    """An object on the code's side."""

    def __init__(self, m, key: int):
        self.m, self.key = m, key


class NoNumbers:
    """Stands where numbers should be; its text says what was there."""

    def __init__(self, text: str):
        self.text = text


def new(m, name: str, *args, **options) -> Handle:
    """Build an object: `new(m, "Embedding", 5, 3)`."""
    return m.ask("call", None, name, list(args), options)


def call(owner, name: str, *args, **options) -> Handle:
    """Call a method of an object, or a function of the module: `call(layer, "forward", ids)`."""
    if isinstance(owner, Handle):
        return owner.m.ask("call", owner, name, list(args), options)
    return owner.ask("call", None, name, list(args), options)


def put(handle: Handle, path: str, value) -> None:
    """Write numbers: `put(layer, "weight.data", table)`, in place where the shapes agree.

    In place matters: only then does it show when a result is a view of the table.
    """
    handle.m.ask("put", handle, path, value)


def numbers(handle: Handle, path: str = ""):
    """A copy of the numbers as an ndarray: `numbers(layer, "weight.grad")`; NoNumbers if there are none."""
    found = handle.m.ask("numbers", handle, path)
    return NoNumbers(found) if isinstance(found, str) else found


def kinds(handle: Handle, path: str = "") -> list[str]:
    """The class of an object and its base classes, by name."""
    return handle.m.ask("kinds", handle, path)


def items(handle: Handle, path: str = "") -> list[Handle]:
    """The items of a list, or of the list that a method returns: `items(layer, "parameters")`."""
    return handle.m.ask("items", handle, path)


def keep(m, value) -> Handle:
    """A list or array on the code's side, to read back later: was it edited?"""
    return m.ask("keep", value)


def spy(m, name: str, *args) -> Handle:
    """Build a helper of checks/spies.py on the code's side: `spy(m, "SlowLayer", layer)`."""
    return m.ask("spy", name, list(args))


def reseed(m, seed: int) -> None:
    """Set numpy's and Python's global random state on the code's side."""
    m.ask("reseed", seed)


def error_of(owner, name: str, *args, **options):
    """(class names, message) of the error that a call raises, or None if it raises none."""
    try:
        call(owner, name, *args, **options)
    except Raised as error:
        return error.names, error.message
    return None


def given(m, text: str) -> None:
    """What the next calls get, in words: the report shows it."""
    m.given = text
