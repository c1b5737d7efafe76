"""The module under test as a check sees it; here the live one, in this process."""
from __future__ import annotations

from contextlib import contextmanager, suppress

from .handles import Handle, Missing, Raised, Stopped, Unwritten
from .host import Host
from .wire import pack, unpack


class Module:
    """Asks the code's side. Subclasses say how a message gets there and the reply back."""

    given = ""  # in words: what the code was given last

    def deliver(self, message: dict) -> dict:
        raise NotImplementedError

    def ask(self, verb: str, *args):
        """Let the code's side do something: its result, or the exception that says why there is none."""
        reply = self.deliver({"verb": verb, "args": pack(list(args))})
        try:
            if "value" in reply:
                return unpack(reply["value"], lambda key: Handle(self, key))
            if "unwritten" in reply:
                error = Unwritten("NotImplementedError")
            elif "missing" in reply:
                error = Missing(reply["missing"])
            elif "raised" in reply:
                error = Raised(reply["raised"], reply["message"], reply["where"])
            else:
                error = Stopped(reply["stopped"])
        except Exception:                               # only a process that forges replies gets here
            error = Stopped("the reply made no sense")
        raise error

    @contextmanager
    def one_check(self, seed: int):
        """Around each check: fresh objects, seeded random numbers, both put back afterwards."""
        self.given = ""
        self.ask("begin", seed)
        try:
            yield
        finally:
            with suppress(Stopped):                     # a dead process has nothing to give back
                self.ask("end")


class Live(Module):
    """Code in this process. `names`: a module, or the globals of a notebook."""

    def __init__(self, names):
        self.host = Host(names if isinstance(names, dict) else vars(names))

    def deliver(self, message):
        return self.host.answer(message)
