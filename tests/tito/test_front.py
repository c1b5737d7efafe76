"""Bare tito, --help, --version, and mistakes on the command line."""

import importlib.metadata

import pytest

from tinytorch.tito.__main__ import FAMILIES, build_parser


def test_bare_tito_says_where_you_are_and_the_one_next_command(tito, tmp_path):
    done = tito()
    assert (done.code, done.err) == (0, "")
    assert str(tmp_path) in done.out
    *rest, last = done.out.splitlines()
    assert last.startswith("Next: ") and not any(line.startswith("Next: ") for line in rest)


def test_bare_tito_in_a_clone_names_the_lesson(tito, tmp_path):
    lesson = tmp_path / "modules" / "11_embeddings" / "embeddings_dev.ipynb"
    lesson.parent.mkdir(parents=True)
    lesson.touch()
    assert "embeddings_dev.ipynb" in tito().out


def test_version(here):
    number = importlib.metadata.version("tinytorch-embeddings")
    assert here("--version").out == f"tinytorch-embeddings {number}\n"


def test_help_lists_every_command_that_exists_and_no_other(here):
    done = here("--help")
    assert done.code == 0
    listed = done.out.partition("COMMAND\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == [family.__name__.rpartition(".")[2] for family in FAMILIES]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__.rpartition(".")[2])
def test_every_command_has_help(here, family):
    done = here(family.__name__.rpartition(".")[2], "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("usage: tito ")


@pytest.mark.parametrize("arguments", [["emb"], ["nothing"], ["--nothing"], ["embed", "a", "b"],
                                       ["demo", "--tex", "a"], ["demo", "--text"], ["demo", "extra"]])
def test_a_mistake_is_one_line_and_exit_2(here, is_one_line, arguments):
    done = here(*arguments)
    assert (done.code, done.out) == (2, "")
    assert is_one_line(done.err)


def test_the_front_imports_no_library_but_numpy(tito, tmp_path):
    """`tito embed` works where rich and matplotlib are not: parsing must not touch them."""
    for library in ("rich", "matplotlib"):
        (tmp_path / f"{library}.py").write_text("raise ImportError('not here')\n", encoding="utf-8")
    assert tito("embed", stdin='{"tok": [[1]], "pos": [[1]], "ids": [0]}').out == "2\n"
    assert tito("--help").code == 0


def test_parser_knows_the_program_by_its_short_name():
    assert build_parser().prog == "tito"


def test_stopped_by_hand_is_no_success(here, is_one_line, monkeypatch):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr("tinytorch.tito.home.run", interrupted)
    done = here()
    assert (done.code, done.out) == (130, "")
    assert is_one_line(done.err)
