"""The other end of a Proxy: `python -m tinytorch.checks.server FILE` loads the code and answers."""
from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import sys
import threading
import time
from pathlib import Path

from .host import Host
from .wire import receive, send


def open_streams():
    """Take stdin and stdout for the messages. The code's prints go to stderr, and it finds no input."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    if hasattr(os, "killpg"):
        threading.Thread(target=stay_with, args=(os.getppid(),), daemon=True).start()
    return requests, replies


def stay_with(parent: int, sleep=time.sleep, alive=os.getppid):
    """End this process and all that the code started when `parent` is gone: an endless loop would stay."""
    while alive() == parent:
        sleep(1)
    os.killpg(os.getpid(), signal.SIGKILL)              # the group is ours: Proxy.launch


def load(source: str) -> dict:
    """The globals of a module: a file's, or those of a module that Python finds by its name."""
    if not source.endswith(".py"):
        return vars(importlib.import_module(source))
    path = Path(source).resolve()
    name, folder = path.stem + "_under_test", path.parent
    while (folder / "__init__.py").exists():            # in a package `from .tensor import ...` has to work
        name, folder = f"{folder.name}.{name}", folder.parent
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return vars(module)


def serve(names: dict, requests, replies) -> None:
    """Answer until the other side goes away."""
    host = Host(names)
    send(replies, {"value": None})                      # ready
    while (message := receive(requests)) is not None:
        send(replies, host.answer(message))


if __name__ == "__main__":
    streams = open_streams()
    try:
        names = load(sys.argv[1])
    except BaseException as error:
        send(streams[1], Host({}).failure(error))
        raise
    serve(names, *streams)
