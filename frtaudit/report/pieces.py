"""What templates lay out: pieces of text that know where in ``result.json`` their number stands, tables, figures."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TypeAlias, TypeVar


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpan:
    """A run of text; ``pointer``: JSON pointer into the result when it prints something of it; ``kind``: its look.

    ``kind`` may be ``#name`` of the section that it leads to;
    ``was``: JSON pointer into the result of the last audit, for what the report repeats of it.
    """

    text: str
    pointer: str | None = None
    kind: str = ""
    was: str | None = None


Text: TypeAlias = tuple[TextSpan, ...]
Part: TypeAlias = "str | TextSpan | Iterable[TextSpan]"
# The class that a note begins with.
_NAMED = re.compile(r".+?(?= has (?:\d+ (?:FN?MR |subject)|fewer than )|: FMR \S+ of \d)")


def spans(*parts: Part) -> Text:
    """Join words and pieces.

    >>> [piece.text for piece in spans("FNMR is ", TextSpan(text="2 %", pointer="/estimates/0/value"), ".")]
    ['FNMR is ', '2 %', '.']
    """
    pieces: list[TextSpan] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(TextSpan(text=part))
        elif isinstance(part, TextSpan):
            pieces.append(part)
        else:
            pieces.extend(part)
    return tuple(piece for piece in pieces if piece.text)


def plain_text(text: Iterable[TextSpan]) -> str:
    """The words alone, for captions read aloud."""
    return "".join(piece.text for piece in text)


def listed(parts: Sequence[Part]) -> Text:
    """Join parts as a sentence lists them.

    >>> plain_text(listed(["a", "b", "c"]))
    'a, b and c'
    """
    return spans(commas(parts[:-1]), " and ", parts[-1]) if len(parts) > 1 else spans(*parts)


def commas(parts: Iterable[Part]) -> Text:
    """Join parts with commas alone.

    >>> plain_text(commas(["a", "b", "c"]))
    'a, b, c'
    """
    return spans(*(piece for part in parts for piece in (", ", part)))[1:]


def semicolons(parts: Sequence[Part]) -> Text:
    """Join parts that hold commas themselves.

    >>> plain_text(semicolons(["a, 1", "b, 2"]))
    'a, 1; b, 2'
    """
    return spans(*(piece for part in parts for piece in ("; ", part)))[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table; ``kind``: ``text``, ``num`` or ``wide``."""

    title: str
    kind: str = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Rows that belong together under an optional heading."""

    rows: tuple[tuple[Text, ...], ...]
    head: Text = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with footnotes; ``left_out``: what a reader is told when rows were cut.

    ``alone``: its caption where it stands without the others, if that is another.
    """

    name: str
    caption: Text
    columns: tuple[Column, ...]
    blocks: tuple[Block, ...]
    notes: tuple[tuple[str, Text], ...] = ()
    left_out: str = ""
    kind: str = ""
    alone: Text = ()


# The last: grey.
HUES = ("#0b5e9e", "#c2410c", "#1b7f5c", "#7a3e9d", "#8a6d00", "#2a8fbd", "#b0306a", "#4b4b4b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One drawing: SVG markup and what it shows, in words; ``names``: of the legend, those drawn (None: all)."""

    svg: str
    alt: str
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A legend entry: a swatch (SVG markup), its name, and the pen of the series that it switches on and off."""

    svg: str
    name: str
    index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Panels under one caption; ``keys``: the legend they share; ``gaps``: where and why something is not drawn.

    ``alone``: by a panel's name, its caption and its gaps where it stands without the others. ``of``: the system, or
    the systems of one name, that every panel is of: what the title begins with.
    """

    name: str
    title: str
    caption: Text
    panels: tuple[Panel, ...]
    keys: tuple[Key, ...] = ()
    gaps: tuple[Text, ...] = ()
    alone: Mapping[str, Text] = field(default_factory=dict)
    of: str = ""


T = TypeVar("T")


def pieces_of(view: object, kind: type[T]) -> Iterator[T]:
    """The pieces of one kind anywhere in a section's view, in its order."""
    if isinstance(view, kind):
        yield view
    elif isinstance(view, Mapping):
        for child in view.values():
            yield from pieces_of(child, kind)
    elif isinstance(view, (list, tuple)):
        for child in view:
            yield from pieces_of(child, kind)
    elif is_dataclass(view):
        for part in fields(view):
            yield from pieces_of(getattr(view, part.name), kind)


@dataclass(slots=True)
class Footnotes:
    """Collects notes while a table is built; equal notes share a letter, as do those that ``merged`` gives one text."""

    merged: Mapping[str, str] = field(default_factory=dict)
    _marks: dict[str, tuple[str, Text]] = field(default_factory=dict)

    def mark(self, note: str | None, pointer: str) -> Text:
        """The mark that stands beside a number, empty without a note."""
        if not note:
            return ()
        text = self.merged.get(note, note)
        if text not in self._marks:
            stored = TextSpan(text=sentence(text), pointer=None if note in self.merged else pointer)
            self._marks[text] = (letter(len(self._marks)), (stored,))
        return (TextSpan(text=self._marks[text][0], kind="mark"),)

    def all(self) -> tuple[tuple[str, Text], ...]:
        """Marks and notes in the order of their first use."""
        return tuple(self._marks.values())


def letter(index: int) -> str:
    """Footnote letters: a to z, then aa, ab, ...

    >>> letter(0), letter(25), letter(26)
    ('a', 'z', 'aa')
    """
    first, last = divmod(index, 26)
    return (letter(first - 1) if first else "") + chr(ord("a") + last)


def sentence(note: str) -> str:
    """A note as sentences of its own: each part of it, up to a semicolon, is one; a class is as it is called.

    >>> sentence("no errors seen; not tested"), sentence("vendor_a: folds constructed")
    ('No errors seen. Not tested.', 'vendor_a: folds constructed.')
    >>> sentence("x has 3 FMR errors of 2 subjects")
    'x has 3 FMR errors of 2 subjects.'
    """
    named = _NAMED.match(note)
    name = named[0] if named else ""
    first, *others = note[len(name) :].split("; ")
    text = ". ".join([name + first if name else capital(first), *map(capital, others)]).strip()
    return text if text.endswith((".", "!", "?")) else text + "."


def capital(text: str) -> str:
    """A text with a capital letter where a word begins it.

    >>> capital("ratio of FMR"), capital("d_l2 by group")
    ('Ratio of FMR', 'd_l2 by group')
    """
    return text[:1].upper() + text[1:] if text.split(" ", 1)[0].isalpha() else text


def capped(blocks: Sequence[Block], rows: int) -> tuple[tuple[Block, ...], int]:
    """At most ``rows`` rows of ``blocks``, and how many were cut."""
    shown: list[Block] = []
    room, cut = rows, 0
    for block in blocks:
        take = block.rows[: max(room, 0)]
        room -= len(block.rows)
        cut += len(block.rows) - len(take)
        if take:
            shown.append(Block(rows=take, head=block.head))
    return tuple(shown), cut
