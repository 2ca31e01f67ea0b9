"""Names in scripts from right to left: each is ordered by itself, in text and in drawings alike."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from frtaudit.core import AuditResult, Curve, Estimate
from frtaudit.core.canonical import Json
from frtaudit.core.plain.structure import plain
from frtaudit.core.spec import Report
from frtaudit.errors import legible, printable

_LETTER = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_JOINED = rf"(?:{_LETTER}|[\u0300-\u036f\u200c\u200d])"
_WORD = rf"{_LETTER}{_JOINED}*+"
_WORDS = rf"{_WORD}(?:[ '._/-]{_WORD})*+"
_HAS_LETTER = re.compile(_LETTER)
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
_names: ContextVar[frozenset[str]] = ContextVar("names from right to left", default=frozenset())


@contextmanager
def use_names(names: Iterable[str]) -> Iterator[None]:
    """Within it, :func:`isolated` knows where each of these names begins and ends."""
    before = _names.set(frozenset(name for name in names if _HAS_LETTER.search(name)))
    try:
        yield
    finally:
        _names.reset(before)


def as_shown(text: str) -> str:
    """``text`` as a page shows it: :func:`frtaudit.errors.legible`, names :func:`isolated`."""
    return isolated(legible(text))


def isolated(text: str) -> str:
    r"""``text`` with each name that has letters from right to left between U+2068 and U+2069.

    The Unicode bidirectional algorithm then orders the name as if it stood alone, and no number beside it is taken for
    a part of it. Words from right to left that are no known name are isolated likewise, without numbers beside them.

    >>> with use_names(["\u05d0\u05d1 18"]):
    ...     isolated("\u05d0\u05d1 18 5 %") == "\u2068\u05d0\u05d1 18\u2069 5 %"
    True
    >>> isolated("\u05d0\u05d1 18") == "\u2068\u05d0\u05d1\u2069 18"
    True
    """
    if text.isascii() or not _HAS_LETTER.search(text):
        return text
    pattern = _pattern(_names.get())
    return pattern.sub(rf"{FIRST_STRONG_ISOLATE}\g<0>{POP_ISOLATE}", text)


@cache
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    """The names as they are printed, a longer one before its beginning, then other words."""
    printed = {
        shown(text)
        for name in names  # in a sentence, in a drawing and, of a class, with spaces
        for text in (name, name.replace("_", " "), name.replace("&", " & ").replace("_", " "))
        for shown in (legible, printable)
    }
    known = [re.escape(name) for name in sorted(printed, key=lambda name: (-len(name), name))]
    whole = rf"(?<!\w)(?:{'|'.join(known)})(?!\w|{_JOINED})|" if known else ""
    return re.compile(f"{whole}{_WORDS}")


def names_in(result: AuditResult, settings: Report) -> Iterator[str]:
    """What a result and the settings of its report name: systems, schemas, classes, requirements and the rest."""
    every: tuple[Estimate | Curve, ...] = (*result.estimates, *result.curves)
    for record in every:
        yield from (record.provider, record.schema or "", *record.group.split("|"))
    for value in (result.spec, result.cohort, plain(settings)):
        yield from strings_in(value)


def strings_in(value: Json) -> Iterator[str]:
    """Every key and text of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield key
            yield from strings_in(entry)
    elif isinstance(value, Sequence):
        for entry in value:
            yield from strings_in(entry)
