"""The module under test in a process of its own: what it prints, breaks or never ends stays there."""
from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress

from .handles import Stopped, Trouble
from .modules import Module
from .wire import receive, send


class Proxy(Module):
    """`source` is a Python file or the name of a module. `time_limit`, in seconds, holds for each check,
    `load_limit` for loading the code.

    The process starts when the first check begins, and again after it died. Use it in a `with`.
    """

    def __init__(self, source, time_limit: float = 10.0, load_limit: float = 60.0, command=None,
                 folder=None, environment=None):
        self.command = command or [sys.executable, "-m", f"{__package__}.server", str(source)]
        self.time_limit, self.load_limit = time_limit, load_limit
        self.folder, self.environment = folder, environment or {}
        self.process = self.broken = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    @contextmanager
    def one_check(self, seed):
        self.given = ""
        if self.broken:
            raise self.broken
        if self.process is None:
            self.start()
        self.allow(self.time_limit)
        try:
            with super().one_check(seed):
                yield
        except Stopped:
            self.kill()                                 # the next check gets a new process
            raise

    def launch(self):
        import subprocess  # not at the top: there is none in the browser

        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, cwd=self.folder,
                                        env={**os.environ, **self.environment}, start_new_session=True)
        self.replies = queue.Queue()
        threading.Thread(target=listen, args=(self.process.stdout, self.replies), daemon=True).start()

    def start(self):
        self.launch()
        self.allow(self.load_limit)
        try:
            self.ask("ready")
        except Trouble as error:
            self.kill()
            self.broken = error                         # it will not load better the next time
            raise

    def allow(self, seconds):
        self.seconds, self.deadline = seconds, time.monotonic() + seconds

    def kill(self):
        if self.process is not None:
            process, self.process = self.process, None
            end(process)
            process.wait()
            with suppress(OSError):                     # what it did not read is still in here
                process.stdin.close()

    def deliver(self, message):
        if self.process is None:
            raise Stopped("the process has ended")
        try:
            if message["verb"] != "ready":              # the first reply comes unasked, after loading
                send(self.process.stdin, message)
            reply = self.replies.get(timeout=max(0.0, self.deadline - time.monotonic()))
        except queue.Empty:
            self.kill()
            raise Stopped(f"no result after {self.seconds:g} seconds", timed_out=True) from None
        except OSError:
            reply = None
        if not isinstance(reply, dict):
            self.kill()
            raise Stopped("the process ended before it gave a result")
        return reply


def end(process):
    """Kill it, and what the code started in there: where the system has groups, it leads one."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, OSError):
        process.kill()


def listen(stream, replies):
    """Runs in a thread, so that waiting for a reply can have an end on every system."""
    with stream:
        try:
            while (reply := receive(stream)) is not None:
                replies.put(reply)
        except (OSError, ValueError):
            pass
        replies.put(None)
