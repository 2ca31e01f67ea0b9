"""Tables of a study on a page: each between two marks of its name."""

from pathlib import Path


def between(page: str, name: str) -> str:
    """What stands between the marks of ``name``.

    >>> between("a <!-- x: begin --> b <!-- x: end --> c", "x")
    'b'
    """
    return page.split(_mark(name, "begin"))[1].split(_mark(name, "end"), maxsplit=1)[0].strip()


def into(page: Path, name: str, text: str) -> None:
    """Put a text between the marks of ``name``."""
    before, rest = page.read_text("utf-8").split(_mark(name, "begin"))
    after = rest.split(_mark(name, "end"))[1]
    page.write_text(f"{before}{_mark(name, 'begin')}\n\n{text}\n\n{_mark(name, 'end')}{after}", "utf-8")


def _mark(name: str, side: str) -> str:
    return f"<!-- {name}: {side} -->"
