"""tito embed: values first, then ERROR (exit 1), then what is no such JSON (exit 2)."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

TOK = [[1, 0], [0, 2], [3, 1]]
POS = [[0.5, 0.5], [0, -1]]


@pytest.fixture
def embed(here, tmp_path):
    """embed(text or bytes or an object) -> code, out, err of `tito embed FILE`."""

    def run(given):
        text = given if isinstance(given, (str, bytes)) else json.dumps(given)
        file = tmp_path / "input.json"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return here("embed", file)

    return run


def given(tok=TOK, pos=POS, ids=(2, 2)):
    return {"tok": tok, "pos": pos, "ids": list(ids)}


def test_worked_example_from_a_file_and_from_standard_input(tito, tmp_path):
    text = json.dumps(given())
    (tmp_path / "example.json").write_text(text, encoding="utf-8")
    for done in (tito("embed", "example.json"), tito("embed", stdin=text), tito("embed", "-", stdin=text)):
        assert (done.code, done.out, done.err) == (0, "3.5 1.5\n3 0\n", "")


@pytest.mark.parametrize("tok, pos, expected", [
    ([[1, 0]], [[0.5, 0.5]], "1.5 0.5"),
    ([[3.0]], [[0]], "3"),
    ([[0.1]], [[0.2]], "0.30000000000000004"),
    ([[1e22]], [[0.0]], "1e+22"),
    ([[-0.0]], [[-0.0]], "-0"),
    ([[-0.0]], [[0.0]], "0"),
    ([[5e-324]], [[0]], "5e-324"),
    ([[9007199254740993]], [[0]], "9007199254740993"),
    ([[100000]], [[0.5]], "100000.5"),
    ([[-2.5, 1e-7, 123456.0]], [[0, 0, 1]], "-2.5 1e-07 123457"),
])
def test_a_number_is_printed_in_its_shortest_form(embed, tok, pos, expected):
    assert embed(given(tok, pos, [0])).out == expected + "\n"


def test_printed_numbers_read_back_to_the_same_bits(embed):
    rng = np.random.default_rng(3)
    tok = (rng.normal(size=(7, 5)) * 10.0 ** rng.integers(-30, 30, size=(7, 5))).tolist()
    pos = rng.normal(size=(4, 5)).tolist()
    ids = [6, 0, 6, 3]
    lines = embed(given(tok, pos, ids)).out.splitlines()
    assert [[float(word) for word in line.split(" ")] for line in lines] == (
        np.array(tok)[ids] + np.array(pos)).tolist()


@pytest.mark.parametrize("text, out", [
    ({"tok": TOK, "pos": POS, "ids": []}, ""),
    ({"tok": [], "pos": [], "ids": []}, ""),
    ({"tok": [], "pos": POS, "ids": []}, ""),
    ({"tok": [[]], "pos": [[]], "ids": [0]}, "\n"),
    ({"tok": TOK, "pos": POS, "ids": [2.0]}, "3.5 1.5\n"),
    ({"tok": TOK, "pos": POS, "ids": [-0.0]}, "1.5 0.5\n"),
    ({"tok": TOK, "pos": POS, "ids": [2], "note": "more keys do no harm"}, "3.5 1.5\n"),
    (b"\xef\xbb\xbf" + json.dumps(given()).encode() + b"\r\n", "3.5 1.5\n3 0\n"),
], ids=["no ids", "nothing", "no token rows", "width 0", "whole float", "minus zero", "another key", "mark"])
def test_unusual_input_that_is_right(embed, text, out):
    done = embed(text)
    assert (done.code, done.out, done.err) == (0, out, "")


@pytest.mark.parametrize("tok, pos, ids", [
    (TOK, POS, [3]), (TOK, POS, [-1]), (TOK, POS, [2, 3]), (TOK, POS, [0, 0, 0]), (TOK, POS, [10**30]),
    (TOK, POS, [-(10**400)]), (TOK, POS, [1e300]), ([], POS, [0]), (TOK, [], [0]),
])
def test_an_id_outside_or_too_many_ids_is_the_word_error(embed, is_one_line, tok, pos, ids):
    done = embed(given(tok, pos, ids))
    assert (done.code, done.out) == (1, "ERROR\n")
    assert is_one_line(done.err)


def test_an_id_beyond_every_float_is_outside_too(embed):
    for digits in ("1e999", "-1e999", "9" * 5000):
        done = embed('{"tok": [[1]], "pos": [[1]], "ids": [' + digits + ']}')
        assert (done.code, done.out) == (1, "ERROR\n")


@pytest.mark.parametrize("text", [
    "", " ", "tok", "[]", "null", "3", "{", '{"tok": [[1]], "pos": [[1]], "ids": [0]} x',
    "{'tok': [[1]], 'pos': [[1]], 'ids': [0]}", "[" * 100_000,
    '{"pos": [[1]], "ids": [0]}', '{"tok": [[1]], "ids": [0]}', '{"tok": [[1]], "pos": [[1]]}', "{}",
    '{"tok": [[1]], "pos": [[1]], "ids": [0], "ids": [0]}',
    '{"tok": [[NaN]], "pos": [[1]], "ids": [0]}', '{"tok": [[1]], "pos": [[Infinity]], "ids": [0]}',
    '{"tok": [[1]], "pos": [[1]], "ids": [NaN]}', '{"tok": [[1]], "pos": [[-Infinity]], "ids": []}',
    '{"tok": [[1e999]], "pos": [[1]], "ids": []}', '{"tok": [[1]], "pos": [[%s]], "ids": []}' % ("9" * 5000),
    '{"tok": [[1%s]], "pos": [[0.5]], "ids": [0]}' % ("0" * 308 + "9"),
    '{"tok": [[1e308]], "pos": [[1e308]], "ids": [0]}',
    b'{"tok": [[1]], "pos": [[1]], "ids": [0], "caf\xe9": 1}', "\ufeff\ufeff{}", "{}".encode("utf-16"),
])
def test_what_is_no_such_json_leaves_standard_output_empty(embed, is_one_line, text):
    done = embed(text)
    assert (done.code, done.out) == (2, "")
    assert is_one_line(done.err)


@pytest.mark.parametrize("tok, pos, ids", [
    ([[1, 0], [0]], POS, [0]), ([[1, 0], [0, 1, 2]], POS, []), (TOK, [[1, 2], []], [0]), (TOK, [[1]], [0]),
    ([[]], [[1]], []), ([1, 2], POS, [0]), ([[[1, 2]]], [[[1, 2]]], [0]), ({"0": [1]}, POS, [0]),
    ("ab", POS, [0]), (None, POS, []), (TOK, 3, []), ([[True, 0]], POS, [0]), ([["1", 0]], POS, [0]),
    ([[None, 0]], POS, [0]), ([[1, 0], [0]], POS, [7]),
])
def test_ragged_unequal_and_unnumbered_tables(embed, is_one_line, tok, pos, ids):
    done = embed({"tok": tok, "pos": pos, "ids": ids})
    assert (done.code, done.out) == (2, "")
    assert is_one_line(done.err)


@pytest.mark.parametrize("ids", [[True], [False, 0], [0.5], [-1.5], ["0"], [None], [[0]], [[]], [{}], 0, "00",
                                 None, {}])
def test_ids_that_are_no_whole_numbers(embed, is_one_line, ids):
    done = embed({"tok": TOK, "pos": POS, "ids": ids})
    assert (done.code, done.out) == (2, "")
    assert is_one_line(done.err)


def test_files_that_cannot_be_read(here, is_one_line, tmp_path):
    for file in (tmp_path / "missing.json", tmp_path, "name\nwith a line end"):
        done = here("embed", file)
        assert (done.code, done.out) == (2, "")
        assert is_one_line(done.err)


@pytest.mark.slow
def test_exit_codes_of_the_process(tito):
    assert tito("embed", stdin="{").code == 2
    done = tito("embed", stdin=json.dumps(given(ids=[3])))
    assert (done.code, done.out) == (1, "ERROR\n")
    assert tito("embed", "missing.json").code == 2
    assert tito("embed", "a", "b").code == 2


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes close another way on Windows")
def test_a_reader_that_leaves_early_gets_no_traceback(tmp_path):
    big = json.dumps(given(pos=POS * 50_000, ids=[2] * 100_000))
    (tmp_path / "big.json").write_text(big, encoding="utf-8")
    command = f"{sys.executable} -m tinytorch.tito embed big.json | head -n 1"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, timeout=60)
    assert (done.stdout, done.stderr) == (b"3.5 1.5\n", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_no_success(tmp_path, is_one_line):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-m", "tinytorch.tito", "embed"], cwd=tmp_path, timeout=60,
                              input=json.dumps(given()).encode(), stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert is_one_line(done.stderr.decode())


def test_a_students_own_export_is_left_alone(tito, tmp_path):
    """In a student's folder the plain import finds their unfinished file; tito uses its own."""
    core = tmp_path / "tinytorch" / "core"
    core.mkdir(parents=True)
    for folder in (core, core.parent):
        (folder / "__init__.py").write_text(
            "from pkgutil import extend_path; __path__ = extend_path(__path__, __name__)\n", encoding="utf-8")
    (core / "embeddings.py").write_text("raise NotImplementedError()\n", encoding="utf-8")
    assert tito("embed", stdin=json.dumps(given())).out == "3.5 1.5\n3 0\n"
