"""tito demo: from a token id to a trained table, on real text."""

from __future__ import annotations

from pathlib import Path

from tinytorch import data
from tinytorch.tito import mine, student
from tinytorch.tito.terminal import Stop, need, reason

LONGEST_TEXT = 10_000_000  # characters; Shakespeare's plays have 5 million


def add(commands) -> None:
    parser = commands.add_parser(
        "demo", help="a token id's way to a trained table, on Shakespeare's plays", allow_abbrev=False,
        description="The worked example, a batch of text as vectors, a bigram table trained beside what "
                    "counting gives, neighbours and analogies of words, word vectors trained on the text, "
                    "and three pictures.")
    parser.add_argument("--text", metavar="FILE", help="a text in UTF-8 (default: Shakespeare's plays)")
    parser.add_argument("--out", metavar="FOLDER", default="tito-demo",
                        help="where the pictures go (default: %(default)s)")
    parser.add_argument("--mine", action="store_true",
                        help="with what you wrote in the lesson's notebook; the rest from the reference")
    parser.set_defaults(run=run)


def run(options) -> None:
    need("rich", "matplotlib")
    from tinytorch.tito import story  # after need(): it imports rich

    name, text = read(options.text)
    folder = make_folder(options.out)
    if options.mine:
        story.embeddings, solved = mine.module(student.find())
        print(mine.whose(solved), end="\n\n", flush=True)
    story.tell(name, text, folder)


def read(file: str | None) -> tuple[str, str]:
    """What to call the text, and the text."""
    if file is None:
        return "Shakespeare's plays", data.shakespeare()
    try:
        with open(file, encoding="utf-8-sig") as opened:
            text = opened.read(LONGEST_TEXT + 1)
    except OSError as error:
        raise Stop(reason(error)) from None
    except UnicodeDecodeError as error:
        raise Stop(f"{file}: not UTF-8 (byte 0x{error.object[error.start]:02x}); save it as UTF-8") from None
    if len(text) < 2:
        raise Stop(f"{file}: {'one character' if text else 'empty'}, and a pair needs two")
    if len(text) > LONGEST_TEXT:
        return f"the first {LONGEST_TEXT:,} characters of {file}", text[:LONGEST_TEXT]
    return file, text


def make_folder(path: str) -> Path:
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Stop(f"no folder for the pictures: {reason(error)}") from None
    return folder
