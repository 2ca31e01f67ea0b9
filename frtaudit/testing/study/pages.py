"""What studies have in common: their arguments, their lines, and their tables on a page between two marks."""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path


def parser_of(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser of a study's arguments, of which each study has ``--docs``."""
    parser = argparse.ArgumentParser(prog=f"python -m frtaudit.testing.study.{name}", description=description)
    parser.add_argument("--docs", type=Path, help="the page that has the table")
    return parser


def write_line(text: str) -> None:
    """Write a line that is seen at once: the next one may take minutes."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def write_rows(path: Path, rows: Iterable[object]) -> None:
    """A JSON list with a line for each row."""
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    path.write_text(f"[\n{lines}\n]\n", "utf-8")


def between(page: str, name: str) -> str:
    """What stands between the marks of ``name``.

    >>> between("a <!-- x: begin --> b <!-- x: end --> c", "x")
    'b'
    """
    return page.split(_mark(name, "begin"))[1].split(_mark(name, "end"), maxsplit=1)[0].strip()


def into(page: Path | None, name: str, text: str) -> None:
    """Put a text between the marks of ``name``; nothing without a page."""
    if page is None:
        return
    before, rest = page.read_text("utf-8").split(_mark(name, "begin"))
    after = rest.split(_mark(name, "end"))[1]
    page.write_text(f"{before}{_mark(name, 'begin')}\n\n{text}\n\n{_mark(name, 'end')}{after}", "utf-8")


def _mark(name: str, side: str) -> str:
    return f"<!-- {name}: {side} -->"
