"""tito demo: its figures against what can be worked out by hand, its story, its files, its refusals."""

import math
import re

import numpy as np
import pytest

from tinytorch.core.embeddings import Embedding
from tinytorch.core.vectors import MAP_WORDS
from tinytorch.tito import bigram, pictures, skipgram, story

PNG = b"\x89PNG\r\n\x1a\n"


# The figures ------------------------------------------------------------------------------------------

def test_pair_counts():
    assert bigram.pair_counts(np.array([2, 0, 2, 0, 0]), 3).tolist() == [[1, 0, 1], [0, 0, 0], [2, 0, 0]]


def test_entropies_of_a_text_worked_by_hand():
    """Pairs 0-1 three times, 0-0 once, 1-0 four times: rows of entropy H(1/4) and 0, equally often."""
    pairs = np.array([[1, 3], [4, 0]])
    quarter = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    assert bigram.entropy(pairs) == pytest.approx(quarter / 2)
    five_eighths = -(5 / 8 * math.log(5 / 8) + 3 / 8 * math.log(3 / 8))
    assert bigram.entropy(pairs.sum(axis=0)) == pytest.approx(five_eighths)


def test_exact_loss_is_the_mean_over_all_pairs():
    rng = np.random.default_rng(5)
    ids, weight = rng.integers(0, 7, 50), rng.normal(size=(7, 7))
    pairs = bigram.pair_counts(ids, 7)
    one_by_one = [math.log(np.exp(weight[ids[i]]).sum()) - weight[ids[i], ids[i + 1]] for i in range(49)]
    assert bigram.exact_loss(weight, pairs) == pytest.approx(np.mean(one_by_one))
    assert bigram.exact_loss(np.log(np.maximum(pairs, 1e-300)), pairs) == pytest.approx(bigram.entropy(pairs))


def test_training_comes_close_to_counting():
    rng = np.random.default_rng(0)
    ids = np.array([0, 1, 2, 0, 1, 1, 2, 2, 0, 2, 1, 0, 0] * 23)
    table = Embedding(3, 3, init_type="gpt2", rng=rng)
    losses = list(bigram.training(table, ids, 150, rng))
    pairs = bigram.pair_counts(ids, 3)
    assert len(losses) == 150 and losses[0] == pytest.approx(math.log(3), abs=0.05)
    assert bigram.exact_loss(table.weight.data, pairs) == pytest.approx(bigram.entropy(pairs), rel=1e-3)


# The story --------------------------------------------------------------------------------------------

@pytest.fixture
def told(tmp_path, capsys, monkeypatch):
    """told(text) -> the parts of the story that depend on the text, after one training step."""
    monkeypatch.setattr(story, "word_vectors", lambda screen: None)
    monkeypatch.setattr(story, "draw", lambda *given: print("told to the end"))

    def tell(text):
        story.tell("some text", text, tmp_path, steps=1)
        return capsys.readouterr().out

    return tell


def test_story_has_six_parts_and_its_pictures(tmp_path, capsys):
    story.tell("some text", "A rose is a rose.\nIs a rose?\n", tmp_path, steps=1)
    out = capsys.readouterr().out
    assert [line[0] for line in out.splitlines() if line[:1].isdigit()] == list("123456")
    assert "3.5 1.5" in out and "nan" not in out.lower()
    assert "8 words of text: with less than 50,000 neighbours are chance." in out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bigram-loss.png", "sinusoid.png"]
    assert all(path.read_bytes().startswith(PNG) for path in tmp_path.iterdir())


ODD_TEXTS = {"ab": "ab", "aa": "aa", "line ends": "\n\n\n", "blanks": "  \n", "controls": "\x00\x07\x1b[2J",
             "markup": "[red]x[/]:smile:", "marks": "a\u0301\u200f b" * 3,
             "400 characters": "".join(map(chr, range(0x4E00, 0x4E00 + 400)))}


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_every_text_of_two_characters_has_a_story(told, text):
    out = told(text)
    assert "told to the end" in out and "nan" not in out.lower() and "\x1b" not in out


def test_rare_characters_are_counted_as_unknown(told):
    text = "ab" * 50 + "".join(map(chr, range(0x4E00, 0x4E00 + story.MOST_CHARACTERS)))
    assert "; 2 rarer characters are read as <UNK>" in told(text)


@pytest.fixture
def with_words(tmp_path, capsys, monkeypatch):
    """with_words(text) -> the story of a text that counts as long enough for word vectors."""
    monkeypatch.setattr(skipgram, "LEAST_WORDS", 0)

    def tell(text):
        story.tell("a $_$ text", text, tmp_path, steps=1)
        return capsys.readouterr().out

    return tell


MAPPED = [word for group in MAP_WORDS.values() for word in group]


@pytest.mark.slow
def test_words_of_the_map_are_drawn_beside_glove(with_words, tmp_path):
    rng = np.random.default_rng(0)
    out = with_words("\n\n".join(" ".join(rng.permutation([*MAPPED, "brutus"])) for _ in range(9)))
    rows = {line.split()[0]: line.rstrip() for line in out.partition("5. Train")[2].splitlines() if line.strip()}
    assert rows["husband"].endswith("wife, mother, daughter") and "not in the table" in rows["brutus"]
    assert "39 words, 50 numbers each" in out
    assert (tmp_path / "words.png").read_bytes().startswith(PNG)


def test_a_text_with_other_words_is_asked_for_its_own(with_words, tmp_path):
    rng = np.random.default_rng(0)
    words = [a + b for a in "bcdfghjklmnp" for b in ("a", "e", "i", "o", "u", "ab", "eb", "ib", "ob", "ub",
                                                     "ac", "ec", "ic", "oc", "uc")]
    out = with_words("\n\n".join(" ".join(rng.permutation(words)) for _ in range(6)))
    rows = out.partition("nearest in GloVe")[2].partition("180 words")[0].splitlines()
    assert [row.split()[0] for row in rows if row.strip()][1:] == sorted(words)[150:154]
    assert "no map of words, for some are not in the text: father, mother, brother ..." in out
    assert not (tmp_path / "words.png").exists()


@pytest.mark.slow
@pytest.mark.parametrize("text", ["\n\n", "12 34 " * 99, "ha " * 999, "once upon a time", "a b " * 3])
def test_a_text_that_gives_no_vectors_says_why(with_words, tmp_path, text):
    assert "This text gives no vectors: " in with_words(text)
    assert not (tmp_path / "words.png").exists()


def test_no_half_picture_stays(tmp_path):
    class Broken:
        def savefig(self, path, **options):
            path.write_bytes(b"half")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError):
        pictures.save(Broken(), tmp_path / "picture.png")
    assert list(tmp_path.iterdir()) == []


# The command ------------------------------------------------------------------------------------------

def test_text_that_is_no_text_is_one_line_and_exit_1(here, is_one_line, tmp_path):
    bad = {"empty": b"", "mark": b"\xef\xbb\xbf", "one": b"x", "wide": "é".encode(), "latin": b"caf\xe9"}
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
    for name in (*bad, "missing", "."):
        done = here("demo", "--text", tmp_path / name, "--out", tmp_path / "out")
        assert (done.code, done.out) == (1, ""), name
        assert is_one_line(done.err), name
    assert not (tmp_path / "out").exists()


def test_folder_that_cannot_be_made(here, is_one_line, tmp_path):
    (tmp_path / "text").write_text("some text", encoding="utf-8")
    done = here("demo", "--text", tmp_path / "text", "--out", tmp_path / "text")
    assert (done.code, done.out) == (1, "")
    assert is_one_line(done.err)


@pytest.mark.parametrize("library", ["rich", "matplotlib"])
def test_missing_library_is_one_line_with_the_remedy(tito, is_one_line, tmp_path, library):
    (tmp_path / f"{library}.py").write_text("raise ImportError('not here')\n", encoding="utf-8")
    done = tito("demo")
    assert (done.code, done.out) == (1, "")
    assert is_one_line(done.err) and library in done.err
    assert "python -m pip install rich matplotlib" in done.err


def test_bare_tito_names_the_libraries_first(here, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert here().out.splitlines()[-1] == "Next: python -m pip install rich matplotlib"


@pytest.mark.parametrize("environment", [
    {"PYTHONIOENCODING": "ascii"}, pytest.param({"LC_ALL": "C", "PYTHONUTF8": "0"}, marks=pytest.mark.slow)],
                         ids=["ascii", "C"])
def test_any_text_on_any_terminal(tito, tmp_path, environment):
    """No process may end in a traceback because the screen lacks a character."""
    (tmp_path / "text").write_text("é \u2192 \U0001f525 ✅\n" * 9, encoding="utf-8")
    done = tito("demo", "--text", "text", quick=True, **environment)
    assert (done.code, done.err) == (0, "")
    assert "6. Pictures" in done.out
    assert (tmp_path / "tito-demo" / "sinusoid.png").exists()


@pytest.mark.slow
def test_whole_demo(whole_demo):
    """The figures of Shakespeare's plays, within 0.1 % of counting and within a minute."""
    done = whole_demo
    assert (done.code, done.err) == (0, "")
    assert done.seconds < 60
    assert max(map(len, done.out.splitlines())) <= 80
    split = [line.strip().rpartition(" ") for line in done.out.splitlines()]
    figures = {label.strip(): number for label, _, number in split}
    counted = float(figures["count all pairs (bigram): no table can do better"])
    assert counted == pytest.approx(2.49055, abs=6e-5)
    assert float(figures["know how frequent each character is (unigram)"]) == pytest.approx(3.3331, abs=1e-4)
    assert float(figures["know nothing: log 85"]) == pytest.approx(math.log(85), abs=1e-4)
    assert counted < float(figures["the table after training"]) < counted * 1.001
    for answer in ("queen", "rome", "swimming"):
        assert answer in done.out
    assert re.search(r"husband +.*wife.* +wife, mother, daughter", done.out)
    for name in ("sinusoid.png", "bigram-loss.png", "words.png"):
        assert (done.folder / "tito-demo" / name).read_bytes().startswith(PNG)
