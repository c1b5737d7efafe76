"""Code in another process may print, leave, die or hang: no check mistakes that for a result."""
import os
import socket
import subprocess
import sys
from textwrap import dedent

import numpy as np
import pytest

from tinytorch.checks.compare import refused
from tinytorch.checks.handles import Missing, Raised, Stopped, call, keep, kinds, new, numbers, put
from tinytorch.checks.proxy import Proxy
from tinytorch.checks.registry import Behaviour
from tinytorch.checks.run import run_check

CODE = '''
import os, sys, time

class Box:
    def __init__(self, n):
        self.n = n
        import numpy as np
        self.data = np.zeros(n)
        self.view = self.data[:]

def noisy(n):
    print("x" * 200_000)
    sys.stdout.flush()
    os.write(1, b"from below")
    return [n] * 3

def asks():
    return input("how many? ")

def leaves():
    sys.exit("enough")

def dies():
    os._exit(0)

def hangs():
    while True:
        time.sleep(0.01)

def refuses():
    raise ValueError("no")

class Shy(ValueError):
    def __str__(self):
        return 1 / 0

def refuses_without_words():
    raise Shy("no")

class MyBox(Box):
    pass

OtherBox = Box

def doubles(a):
    a *= 2
    return a
'''

FORGER = '''
import struct, sys

for text in (b'{"value": null}', b'{"value": null}', b'{"value": {"array": ["<f8", [9], ""]}}'):
    sys.stdout.buffer.write(struct.pack(">I", len(text)) + text)
sys.stdout.flush()
sys.stdin.read()
'''


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    path = tmp_path_factory.mktemp("code") / "code_of_a_student.py"
    path.write_text(CODE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def m(code):
    with Proxy(code, time_limit=5) as proxy:
        yield proxy


def result(m, function):
    return run_check(Behaviour("warmup", 1, lambda m, rng: function(m)), m)


def test_prints_do_not_enter_the_protocol(m):
    with m.one_check(1):
        assert numbers(call(m, "noisy", 4)).tolist() == [4, 4, 4]


def test_objects_stay_on_the_other_side(m):
    with m.one_check(1):
        box = new(m, "Box", 3)
        put(box, "data", np.array([1.0, 2.0, 3.0]))
        assert numbers(box, "view").tolist() == [1, 2, 3]       # in place: the view shows it
        put(box, "data", np.ones(4))
        assert numbers(box, "data").tolist() == [1, 1, 1, 1]    # another shape: a new array
        kept = keep(m, np.array([5, 6]))
        assert numbers(call(m, "doubles", kept)).tolist() == [10, 12]
        assert numbers(kept).tolist() == [10, 12]


def test_a_class_is_known_by_all_its_names(m):
    with m.one_check(1):
        assert kinds(new(m, "MyBox", 3)) == ["MyBox", "Box", "object", "OtherBox"]


def test_errors_come_with_their_class_and_line(m):
    with m.one_check(1):
        with pytest.raises(Raised, match="ValueError: no") as caught:
            call(m, "refuses")
        assert caught.value.where == f"line {CODE.splitlines().index('def refuses():') + 2}, in refuses"
        with pytest.raises(Raised, match="^Shy$"):
            call(m, "refuses_without_words")
        with pytest.raises(Missing, match="nowhere"):
            call(m, "nowhere")
        with pytest.raises(Raised, match="EOFError"):
            call(m, "asks")


@pytest.mark.parametrize("name, words", [("leaves", "SystemExit"), ("dies", "ended before it gave a result")])
def test_leaving_is_no_refusal_and_the_next_check_runs(m, name, words):
    ended = result(m, lambda m: refused(m, name))
    assert isinstance(ended.error, Stopped) and words in str(ended.error)
    assert result(m, lambda m: refused(m, "refuses")).passed


def test_hanging_is_no_refusal_and_the_next_check_runs(code):
    with Proxy(code, time_limit=1) as m:
        ended = result(m, lambda m: refused(m, "hangs"))
        assert isinstance(ended.error, Stopped) and ended.error.timed_out
        assert str(ended.error) == "no result after 1 seconds"
        assert result(m, lambda m: refused(m, "refuses")).passed


@pytest.mark.parametrize("text, words", [
    ("x = (1,\n", "SyntaxError"), ("1 / 0\n", "ZeroDivisionError"), ("raise SystemExit\n", "SystemExit"),
    ("import os; os._exit(3)\n", "ended before it gave a result")])
def test_code_that_does_not_load_is_loaded_once(tmp_path, text, words):
    path = tmp_path / "broken.py"
    path.write_text(text, encoding="utf-8")
    with Proxy(path) as m:
        first, second = (result(m, lambda m: refused(m, "refuses")) for _ in range(2))
    assert words in str(first.error) and second.error is first.error


def test_a_process_that_ended_in_the_middle_of_a_message_is_put_away(code):
    with Proxy(code) as m:
        m.start()
        m.process.kill()
        m.process.wait()
        m.process.stdin.write(b"half a message")
        m.kill()                                        # closing sends the rest: a broken pipe
        assert m.process is None


CALLS = "import socket, time; s = socket.create_connection({address}); s.sendall(b'here')"
STARTS = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {calls!r} + '; time.sleep(60)'])\n"


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="this system has no groups of processes")
@pytest.mark.parametrize("tester_is_killed", [False, True])
def test_nothing_stays_behind(tmp_path, tester_is_killed):
    """What the code has started ends with it; and an endless loop ends even if nobody is left to stop it."""
    path = tmp_path / "code.py"
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        calls = CALLS.format(address=server.getsockname())
        path.write_text(calls + "\nwhile True: pass\n" if tester_is_killed else STARTS.format(calls=calls),
                        encoding="utf-8")
        if tester_is_killed:
            tester = subprocess.Popen([sys.executable, "-c", dedent(f"""
                from tinytorch.checks.proxy import Proxy
                Proxy({str(path)!r}).start()
                """)])
        else:
            tester = Proxy(path)
            tester.start()
        line, _ = server.accept()
        with line:
            line.settimeout(30)
            assert line.recv(4) == b"here"
            tester.kill()
            assert line.recv(1) == b""                  # the other end is gone
        if tester_is_killed:
            tester.wait()


def test_replies_that_make_no_sense_are_no_result(tmp_path):
    forger = tmp_path / "forger.py"
    forger.write_text(FORGER, encoding="utf-8")
    with Proxy(None, time_limit=1, command=[sys.executable, str(forger)]) as m:
        assert "made no sense" in str(result(m, lambda m: refused(m, "f")).error)


def test_the_package_needs_no_subprocess_until_a_proxy_starts():
    """As in the browser: importing the checks and running them live works without that module."""
    done = python("""
        import sys
        sys.modules["subprocess"] = None
        import tinytorch.core.embeddings as package
        import tinytorch.checks.proxy
        from tinytorch.checks.modules import Live
        from tinytorch.checks.run import Run
        print(Run(Live(package)).outcome("layer").points)
        """)
    assert done.stdout == "6\n", done.stderr


def test_checks_never_import_the_code_under_test():
    done = python("""
        import sys
        from tinytorch.checks import check
        from tinytorch.checks.registry import load
        load("embeddings")
        print([name for name in sys.modules if name.startswith("tinytorch.core")])
        """)
    assert done.stdout == "[]\n", done.stderr


def python(script):
    """Run a script in a new Python."""
    return subprocess.run([sys.executable, "-c", dedent(script)],
                          capture_output=True, text=True, encoding="utf-8")
