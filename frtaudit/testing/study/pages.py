"""What studies have in common: their arguments, their lines, and their tables on a page between two marks."""

import argparse
import json
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


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


def write_indented(path: Path | None, rows: Iterable[object]) -> None:
    """A JSON list with a line for each number; nothing without a path."""
    if path is not None:
        path.write_text(json.dumps([*rows], indent=1) + "\n", "utf-8")


def read_rows(path: Path | None, make: Callable[..., T]) -> list[T]:
    """What :func:`write_rows` wrote, each row made anew, lists as tuples; none without a file."""
    rows = json.loads(path.read_text("utf-8")) if path is not None and path.exists() else []
    return [make(**{name: _tuples(value) for name, value in row.items()}) for row in rows]


def _tuples(value: object) -> object:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown.

    >>> print(markdown(["people", ""], [["60", "holds"]]))
    | people | |
    |---|---|
    | 60 | holds |
    """
    first, *others = ("".join(f"| {cell} " if cell else "| " for cell in row) + "|" for row in (head, *rows))
    return "\n".join([first, "|---" * len(head) + "|", *others])


def verdict(broken: Collection[str]) -> str:
    """A cell of a table.

    >>> verdict(()), verdict(["upper 0.05"])
    ('holds', '**claim rejected: upper 0.05**')
    """
    return f"**claim rejected: {', '.join(broken)}**" if broken else "holds"


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
