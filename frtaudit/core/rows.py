"""Digests of a file's rows, cut twice, so that one changed row is found again from a short list of digests.

A file of N rows is cut into blocks of L consecutive rows, and once more into strides: rows 0, L, 2L, ... are one, rows
1, L + 1, ... the next. L is the smallest power of two with L^2 >= N, so a block and a stride share at most one row, and
a single changed row changes one block and one stride: it is where they cross. That takes at most 3 sqrt(N) digests.
Past 2^20 rows there are no more strides, blocks grow, and a crossing holds N / 2^20 rows.
"""

from dataclasses import dataclass
from itertools import islice

from frtaudit.core.plain.records import Count

MAX_STRIDES = 1 << 10
SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDigests:
    """The rows of one file.

    ``unit`` and ``first``: how a reader counts them ("line" from 1); ``count``: N rows; ``blocks``, ``strides``:
    digests of both cuts, 16 hexadecimal digits each.
    """

    unit: str
    first: Count
    count: Count
    blocks: tuple[str, ...]
    strides: tuple[str, ...]


def cuts(count: int) -> tuple[int, int]:
    """How long a block is, and how many strides there are.

    >>> cuts(100), cuts(2**20), cuts(2**22)
    ((16, 16), (1024, 1024), (4096, 1024))
    """
    strides = 1
    while strides < MAX_STRIDES and strides * strides < count:
        strides *= 2
    length = strides
    while length * MAX_STRIDES < count:
        length *= 2
    return length, strides


def changed(recorded: RowDigests, digests: RowDigests) -> str:
    """Which rows are not the recorded ones, in words.

    >>> one = RowDigests(unit="line", first=1, count=4, blocks=("a", "b"), strides=("c", "d"))
    >>> changed(one, RowDigests(unit="line", first=1, count=4, blocks=("a", "x"), strides=("y", "d")))
    'line 3 is not the one that the report was made from'
    """
    unit, (length, number) = recorded.unit, cuts(recorded.count)
    blocks = _other(recorded.blocks, digests.blocks)
    strides = _other(recorded.strides, digests.strides)
    other = set(strides)
    if (digests.count, digests.unit) != (recorded.count, unit):
        text = f"holds {digests.count:,} {digests.unit}s, the report was made from {recorded.count:,} {unit}s"
        if not blocks or cuts(digests.count) != cuts(recorded.count):
            return text
        start = blocks[0] * length + recorded.first
        return f"{text}; the first that differs is one of {unit}s {start} to {start + length - 1}"
    if not blocks:
        return f"every {unit} is the one that the report was made from; the bytes between them are not"
    crossings = (
        row + recorded.first
        for block in blocks
        for row in range(block * length, min((block + 1) * length, recorded.count))
        if row % number in other
    )
    rows = list(islice(crossings, SHOWN + 1))
    many = len(rows) > SHOWN
    named = ", ".join(str(row) for row in rows[:SHOWN]) + (", ..." if many else "")
    if len(rows) == 1:
        return f"{unit} {named} is not the one that the report was made from"
    least = max(len(blocks), len(strides))
    if not many and least == len(rows):
        return f"{unit}s {named} are not those that the report was made from"
    return f"at least {least:,} {unit}s are not those that the report was made from, among {unit}s {named}"


def _other(recorded: tuple[str, ...], current: tuple[str, ...]) -> list[int]:
    """Places where two lists of digests differ; one that is longer differs from its first further place on."""
    longest = max(len(recorded), len(current))
    return [place for place in range(longest) if recorded[place : place + 1] != current[place : place + 1]]
