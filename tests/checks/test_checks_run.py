"""Points, what is not written yet, what waits for what, seeds, and the shape of the hints."""
import random
import re
from pathlib import Path

import numpy as np
import pytest
import right_module

from tinytorch.checks.compare import Wrong
from tinytorch.checks.handles import Handle, Raised, Stopped, Unwritten, call, error_of, new, numbers
from tinytorch.checks.modules import Live
from tinytorch.checks.registry import Behaviour, find, load
from tinytorch.checks.report import report
from tinytorch.checks.run import Run, run_check
from tinytorch.checks.wire import pack, unpack

RIGHT = Path(right_module.__file__).read_text(encoding="utf-8")
CHECKS = [behaviour for exercise in load("embeddings") for behaviour in exercise.behaviours]


def names_with(*changes):
    """The globals of right_module.py after some changes of its text."""
    text = RIGHT
    for old, new_text in changes:
        assert text.count(old) == 1
        text = text.replace(old, new_text)
    names = {"__name__": "changed"}
    exec(compile(text, "changed", "exec"), names)
    return names


UNSOLVED_FORWARD = ("words = np.asarray(ids.data", "raise NotImplementedError()\n        np.asarray(ids.data")
WRONG_INIT = ("0.02}", "0.2}")


def test_points_are_those_of_the_lesson():
    assert {e.id: e.points for e in load("embeddings")} == {
        "warmup": 6, "embedding-init": 8, "embedding-forward": 12, "embedding-backward": 12, "sinusoid": 10,
        "positions-forward": 6, "learned-positions": 6, "layer": 6, "profiler": 4}
    for exercise in (*load("embeddings"), *load("tensor"), *load("tokenization")):
        assert sum(behaviour.points for behaviour in exercise.behaviours) == exercise.points
        names = [behaviour.name for behaviour in exercise.behaviours]
        assert len(set(names)) == len(names)


def test_an_exercise_needs_only_earlier_ones():
    done = set()
    for exercise in load("embeddings"):
        assert set(exercise.needs) <= done
        done.add(exercise.id)


def test_an_unknown_exercise_is_named():
    with pytest.raises(ValueError, match="no exercise 'embedding-forwards'; there are: warmup, "):
        find("embedding-forwards")
    with pytest.raises(ValueError, match="no checks for 'embedding'"):
        load("embedding")


def test_an_unwritten_exercise_gets_one_line_and_no_points():
    run = Run(Live(names_with(UNSOLVED_FORWARD)))
    outcome = run.outcome("embedding-forward")
    assert outcome.points == 0
    assert report(outcome, run.waits_for("embedding-forward")) == [
        "embedding-forward: write it above, then run this cell again"]


def test_nothing_but_stubs_gets_no_points():
    stubs = re.sub(r"(\n( *)def \w+\(.*\):\n)", r"\1\2    raise NotImplementedError()\n", RIGHT)
    names = {"__name__": "stubs"}
    exec(compile(stubs, "stubs", "exec"), names)
    run = Run(Live(names))
    assert [run.outcome(exercise.id).points for exercise in load("embeddings")] == [0] * 9


def test_a_missing_name_gets_one_line():
    run = Run(Live({}))
    assert report(run.outcome("warmup")) == [
        "warmup: embed is not defined; run the cells above, then this one again"]


def test_a_failing_exercise_waits_for_one_it_needs():
    run = Run(Live(names_with(WRONG_INIT, UNSOLVED_FORWARD)))
    assert run.waits_for("embedding-init") is None
    assert run.waits_for("embedding-forward") == "embedding-init"
    assert run.waits_for("layer") == "embedding-init"
    lines = report(run.outcome("embedding-forward"), run.waits_for("embedding-forward"))
    assert lines == ["embedding-forward: waits for embedding-init"]


def test_points_do_not_wait():
    run = Run(Live(names_with(WRONG_INIT)))
    assert run.outcome("embedding-init").points == 7
    assert run.outcome("embedding-forward").points == 12
    assert run.waits_for("embedding-forward") is None


def test_random_numbers_of_the_caller_stay_as_they_are():
    np.random.seed(3)
    random.seed(3)
    expected = np.random.random(), random.random()
    np.random.seed(3)
    random.seed(3)
    Run(Live(right_module)).outcome("embedding-init")
    assert (np.random.random(), random.random()) == expected


def test_data_depend_on_the_secret_and_the_check_alone():
    seen = {behaviour.seed(secret) for behaviour in CHECKS for secret in ("a", "b")}
    assert len(seen) == 2 * len(CHECKS)
    assert CHECKS[0].seed("a") == CHECKS[0].seed("a")


@pytest.mark.parametrize("behaviour", CHECKS, ids=lambda b: f"{b.group}-{b.name}")
def test_hints_end_with_a_worked_example_and_hold_no_solution(behaviour):
    assert len(behaviour.hints) >= 2
    assert re.search(r"\d", behaviour.hints[-1])
    assert all(len(hint) < 260 for hint in behaviour.hints)
    package = (Path(__file__).parents[2] / "tinytorch" / "core" / "embeddings.py").read_text(encoding="utf-8")
    code = re.sub(r'"""(.|\n)*?"""', "", RIGHT + package)
    lines = {line.strip() for line in code.splitlines() if len(line.strip()) > 8}
    assert [line for line in lines for hint in behaviour.hints if line in hint] == []


def one_check(function):
    """A check of its own, outside the registry."""
    return Behaviour("warmup", 1, function)


def test_what_a_check_gets_back():
    """A small tour of handles.py on a module of four functions."""
    def code():
        def leave():
            raise SystemExit("bye")

        def refuse(n):
            raise IndexError(f"no {n}")

        def later():
            raise NotImplementedError

        return {"leave": leave, "refuse": refuse, "later": later, "text": str}

    m = Live(code())
    names, message = error_of(m, "refuse", 3)
    assert names[:2] == ["IndexError", "LookupError"] and message == "no 3"
    assert error_of(m, "text", 3) is None
    for name, kind in (("leave", Stopped), ("later", Unwritten)):
        with pytest.raises(kind):
            error_of(m, name)
    with pytest.raises(Raised, match="IndexError: no 4"):
        call(m, "refuse", 4)
    assert numbers(new(m, "text", 3)).text == "'3'"


def test_arguments_are_copies():
    ids = np.arange(3)
    m = Live({"spoil": lambda a, b: a.fill(0) or b.clear()})
    call(m, "spoil", ids, kept := [1, 2])
    assert ids.tolist() == [0, 1, 2] and kept == [1, 2]


def test_a_check_that_cannot_read_a_result_fails_and_does_not_crash():
    def reads_a_column(m, rng):
        numbers(call(m, "f"))[:, 1]

    result = run_check(one_check(reads_a_column), Live({"f": lambda: 5}))
    assert not result.passed and not isinstance(result.error, Wrong)


@pytest.mark.parametrize("value", [
    None, True, -3, 2**70, 0.1, float("inf"), "a \U0001f600", [1, [2.5, "x"]], (1, (2,)),
    {"a": [1], 2: (3,)}])
def test_values_travel_unchanged(value):
    assert unpack(pack(value), None) == value


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "<f4", ">f4", "f8", "f2"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_arrays_travel_unchanged(dtype, shape):
    array = np.ones(shape, dtype)
    again = unpack(pack(array), None)
    assert again.dtype == array.dtype and again.shape == shape and (again == array).all()
    assert unpack(pack(np.ones((3, 4))[:, ::2].T), None).tolist() == [[1] * 3] * 2


def test_handles_travel_by_their_number():
    assert unpack(pack([Handle(None, 4)]), lambda key: key) == [4]


@pytest.mark.parametrize("value", [object(), {1, 2}, np.array(["a"]), np.array([None]), 1j, np.float32(1)])
def test_other_things_do_not_travel(value):
    with pytest.raises(TypeError, match="cannot travel"):
        pack(value)
