"""The front of `tito`: a command family is a module with `add(commands)`, listed in FAMILIES."""

from __future__ import annotations

import os
import sys

from tinytorch.tito import (
    bench,
    bughunt,
    demo,
    embed,
    hint,
    home,
    lab,
    module,
    release,
    solution,
    test,
    watch,
)
from tinytorch.tito.terminal import Parser, Stop, reason, say_error, use_utf8

FAMILIES = (module, lab, test, hint, solution, watch, bughunt, demo, embed, bench, release)


def build_parser() -> Parser:
    parser = Parser(prog="tito", allow_abbrev=False, description="Learn, teach and measure embeddings.",
                    epilog="tito alone says where you are and what comes next.")
    parser.add_argument("--version", action="version", version=home.version_line())
    parser.set_defaults(run=home.run)
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")
    for family in FAMILIES:
        family.add(commands)
    return parser


def run(argv: list[str] | None) -> int:
    try:
        options = build_parser().parse_args(argv)
    except SystemExit as done:  # --help and --version
        return done.code or 0
    return options.run(options) or 0


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit code is 0 only for success."""
    use_utf8()
    try:
        if sys.stdout is None:
            raise Stop("standard output is closed")
        code = run(argv)
        sys.stdout.flush()  # a full disk or a closed pipe shows here, not after main() has said 0
        return code
    except Stop as stop:
        say_error(stop)
        return stop.code
    except KeyboardInterrupt:
        say_error("stopped")
        return 130
    except BrokenPipeError:  # `tito embed | head -1`: the reader has what it wanted
        forget_output()
        return 1
    except OSError as error:
        say_error(reason(error))
        forget_output()
        return 1


def forget_output() -> None:
    """Point standard output at nothing, or Python would try once more to write while it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
