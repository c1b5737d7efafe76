"""The code's side: holds the objects under test and does to them what a check asks for."""
from __future__ import annotations

import random
import warnings

import numpy as np

from . import spies
from .handles import Handle, Missing
from .wire import pack, unpack


class Host:
    """`names` are the globals of the code under test: a module's or a notebook's."""

    def __init__(self, names: dict):
        self.names, self.objects, self.saved = names, {}, None

    def answer(self, message: dict) -> dict:
        """Do one thing; the reply holds its value or says how it failed."""
        try:
            args = unpack(message["args"], self.objects.__getitem__)
            with warnings.catch_warnings():             # nbgrader: what writes to stderr fails
                warnings.simplefilter("ignore")
                return {"value": pack(getattr(self, "do_" + message["verb"])(*args))}
        except KeyboardInterrupt:                       # the student's own: let it stop the cell
            raise
        except BaseException as error:
            return self.failure(error)

    def failure(self, error: BaseException) -> dict:
        """The reply that says how it failed."""
        if isinstance(error, Missing):
            return {"missing": str(error)}
        if isinstance(error, NotImplementedError):
            return {"unwritten": True}
        if isinstance(error, Exception):
            names = [cls.__name__ for cls in type(error).__mro__]
            return {"raised": names, "message": message_of(error), "where": self.where(error)}
        return {"stopped": f"{type(error).__name__} stopped the code"}      # sys.exit() above all

    def where(self, error) -> str:
        """The deepest line of the code under test that the error came through."""
        found, trace = "", error.__traceback__
        while trace:
            if trace.tb_frame.f_globals is self.names:
                found = f"line {trace.tb_lineno}, in {trace.tb_frame.f_code.co_name}"
            trace = trace.tb_next
        return found

    def add(self, thing) -> Handle:
        self.objects[len(self.objects)] = thing
        return Handle(None, len(self.objects) - 1)

    def follow(self, owner, path: str):
        """`owner.path`, step by step; without an owner the first step is a name of the code."""
        steps = path.split(".") if path else []
        if owner is None:
            first = steps.pop(0)
            if first not in self.names:
                raise Missing(first)
            owner = self.names[first]
        for step in steps:
            owner = getattr(owner, step)
        return owner

    def do_begin(self, seed):
        """A new check: no objects, and known random numbers."""
        self.objects.clear()
        self.saved = np.random.get_state(), random.getstate()
        self.do_reseed(seed)

    def do_end(self):
        """Give the random numbers back as they were."""
        self.objects.clear()
        np.random.set_state(self.saved[0])
        random.setstate(self.saved[1])

    def do_reseed(self, seed):
        np.random.seed(seed)
        random.seed(seed)

    def do_call(self, owner, path, args, options):
        return self.add(self.follow(owner, path)(*args, **options))

    def do_put(self, owner, path, value):
        *way, last = path.split(".")
        owner = self.follow(owner, ".".join(way))
        old = getattr(owner, last, None)
        if isinstance(old, np.ndarray) and old.shape == np.shape(value) and old.flags.writeable:
            old[...] = value
        else:
            setattr(owner, last, value)

    def do_numbers(self, owner, path):
        found = self.follow(owner, path)
        try:
            array = np.array(found)
        except Exception:                               # rows of different lengths, for one
            return shortened(found)
        return array if array.dtype.kind in "biuf" else shortened(found)

    def do_kinds(self, owner, path):
        classes = type(self.follow(owner, path)).__mro__
        also = [name for name, thing in self.names.items()
                if isinstance(thing, type) and thing in classes]        # Embedding = MyEmbedding
        return list(dict.fromkeys([*(cls.__name__ for cls in classes), *also]))

    def do_items(self, owner, path):
        found = self.follow(owner, path)
        if callable(found) and not isinstance(found, (list, tuple)):
            found = found()
        return [self.add(item) for item in found]

    def do_keep(self, value):
        return self.add(value)

    def do_spy(self, name, args):
        return self.add(getattr(spies, name)(*args))


def message_of(error: BaseException) -> str:
    """What an error says, on one line; nothing where even that fails."""
    try:
        return " ".join(str(error).split())
    except Exception:
        return ""


def borrowed(names: dict, path: str) -> bool:
    """Whether what `path` names is the package's own: `Embedding.forward` after an import, or inherited."""
    first, *rest = path.split(".")
    found = names.get(first)
    for step in rest:
        found = getattr(found, step, None)
    return getattr(found, "__module__", None) == "tinytorch.core.embeddings" != names.get("__name__")


def shortened(thing, width=70) -> str:
    """A thing in few words, the same in every run."""
    text = " ".join(repr(thing).split())
    if " at 0x" in text:
        return f"an object of type {type(thing).__name__}"
    return text if len(text) <= width else text[:width - 3] + "..."
