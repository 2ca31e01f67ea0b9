"""Review files: a CSV goes out to a person, and comes back with a verdict for each pair."""

from collections.abc import Collection, Sequence
from pathlib import Path

from frtaudit.core.canonical import sha256
from frtaudit.core.text.columns import csv_bytes
from frtaudit.core.text.formatting import cell
from frtaudit.errors import DataError, excerpt
from frtaudit.inputs.tables import need_table, read_table

PAIR, VERDICT = "pair", "verdict"


def pair_id(*parts: str) -> str:
    """What a pair is called in a review file, the same in every run: 16 hexadecimal digits of its names' SHA-256.

    >>> pair_id("a_1", "b_1")
    'a97b3e7056b0732f'
    """
    return sha256("\n".join(parts).encode())[:16]


def need_review(path: str | None) -> None:
    """Raise :class:`DataError` for a review file that is not there; None: there is none to read."""
    if path is not None:
        need_table(Path(path), Path(path).name)


def read_review(path: str, known: Collection[str], verdicts: Sequence[str]) -> dict[str, str]:
    """Pair id to verdict, without the pairs whose verdict is empty.

    Raises :class:`DataError` naming the line of an unknown or repeated pair, or of another verdict than ``verdicts``.
    """
    table = read_table(Path(path), Path(path).name)
    pairs, texts = table.texts(table.need((PAIR,))), table.texts(table.need((VERDICT,)))
    reviewed: dict[str, str] = {}
    for row, (pair, verdict) in enumerate(zip(pairs, texts, strict=True)):
        if pair not in known:
            problem = f"names a pair that was not selected for review ({pair!r})"
            raise DataError(table.place(row), problem, "pairs of review.csv")
        if pair in reviewed:
            raise DataError(table.place(row), "a pair appears twice", "each pair once")
        if verdict and verdict not in verdicts:
            accepted = f"{', '.join(verdicts)}, or nothing"
            raise DataError(table.place(row), f"found the verdict {excerpt(verdict)}", accepted)
        if verdict:
            reviewed[pair] = verdict
    return reviewed


def as_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    r"""A table as CSV bytes, UTF-8, one header line; no cell is a formula (`frtaudit.core.text.formatting.cell`).

    >>> as_csv(("a", "b"), [(1, "x")])
    b'a,b\n1,x\n'
    """
    return csv_bytes([cell(value) for value in row] for row in (columns, *rows))


def as_lines(names: Sequence[str]) -> bytes:
    r"""Names as lines, sorted.

    >>> as_lines(["b", "a"])
    b'a\nb\n'
    """
    return "".join(f"{name}\n" for name in sorted(names)).encode()
