"""tito bench --quick: that it measures every row and writes both files. No number is judged."""
import re

import pytest

FLOAT = re.compile(r"\d+\.\d+")


@pytest.mark.slow
def test_quick_writes_a_page_and_a_picture(tito, tmp_path):
    done = tito("bench", "--quick", "--out", "new/folder")
    assert (done.code, done.err) == (0, "")
    page = (tmp_path / "new/folder/measured.md").read_text(encoding="utf-8")
    assert (tmp_path / "new/folder/measured.png").read_bytes().startswith(b"\x89PNG")
    assert "--quick" in page.splitlines()[2]
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
    names = " ".join(row[1] for row in rows)
    for call in ("layer(ids)", "out=", "row-sparse", "SGD", "SparseAdam", "EmbeddingLayer", "sinusoid_table",
                 "import", "int8", "over V", "length of the graph"):
        assert call in names
    assert all(FLOAT.search(line) for line in done.out.splitlines()[2:20])
    assert sorted(f.name for f in (tmp_path / "new/folder").iterdir()) == ["measured.md", "measured.png"]


ONE_HOT = """
import numpy as np

def embedding_grad(ids, upstream, vocab_size):
    return np.eye(vocab_size)[ids.ravel()].T @ upstream.reshape(ids.size, -1)
"""


@pytest.mark.slow
def test_mine_measures_what_is_written(here, tmp_path, monkeypatch):
    """Another right solution of one exercise; the rest is not there yet. Nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(ONE_HOT, encoding="utf-8")
    done = here("bench", "--quick", "--mine", "mine.py")
    assert done.code == 0
    assert {f.name for f in tmp_path.iterdir()} - {"__pycache__"} == {"mine.py"}
    assert re.search(r"embedding_grad.*\d\.\d+ .*the package", done.out)
    assert re.search(r"^Embedding\(ids\).*AttributeError, left out$", done.out, re.MULTILINE)


@pytest.mark.parametrize("text", [None, "def broken(:", "1 / 0"])
def test_mine_without_a_module_is_one_line(here, tmp_path, monkeypatch, text, is_one_line):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    done = here("bench", "--quick", "--mine", "mine.py")
    assert done.code == 1
    assert is_one_line(done.err)
