"""Whether the numbers on a page are those of the result: a reading of the page that shares nothing with its templates.

Every printed value names its place in ``result.json`` (attribute ``data-p``): it must be that value, rounded.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from html.parser import HTMLParser

from frtaudit.core.canonical import Json

SILENT = frozenset({"style", "title", "script", "head", "template"})
VOID = frozenset({"meta", "br", "path", "use", "circle", "rect", "line", "img", "input", "hr", "link", "col"})
WORDY = re.compile(r"/findings/\d+/sentence|/notes/\d+|(/.*)?/note|/digests/.*|/versions/.*")
NUMBER = re.compile(r"([−-]?)(?:10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(\d[\d,]*(?:\.\d+)?)(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?)( %)?")
HEXADECIMAL = re.compile(r"[0-9a-f]{64}")
DIGITS = 16
_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_CLOSE = Decimal("0.500000001")


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """How many values were compared, and what is wrong with some of them, in words."""

    compared: int
    wrong: tuple[str, ...]


@dataclass(slots=True)
class _Open:
    tag: str
    pointer: str | None
    kind: str
    parts: list[str] = field(default_factory=list)


class Page(HTMLParser):
    """Reads a page: ``traced`` holds (pointer, kind, text)."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.traced: list[tuple[str, str, str]] = []
        self._open: list[_Open] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins, perhaps a traced one."""
        named = dict(attrs)
        if tag not in VOID:
            self._open.append(_Open(tag, named.get("data-p"), named.get("class") or ""))

    def handle_endtag(self, tag: str) -> None:
        """The innermost element of that name ends, and what stands open inside it."""
        if not any(item.tag == tag for item in self._open):
            return
        while self._open:
            done = self._open.pop()
            if done.pointer is not None:
                self.traced.append((done.pointer, done.kind, "".join(done.parts)))
            if done.tag == tag:
                break

    def handle_data(self, data: str) -> None:
        """Text belongs to every traced element around it."""
        if any(item.tag in SILENT for item in self._open):
            return
        for item in self._open:
            if item.pointer is not None:
                item.parts.append(data)


def on_page(page: Page, result: Mapping[str, Json]) -> Printed:
    """Compare every traced value of a page with the result."""
    compared, wrong = 0, []
    for pointer, kind, text in page.traced:
        try:
            value = resolve(result, pointer)
        except (KeyError, IndexError, ValueError, TypeError):
            wrong.append(f"{pointer} is no place in the result")
            continue
        same = agrees(value, text, pointer, kind)
        compared += same is not None
        if same is False:
            wrong.append(f"{_short(text)!r} is not {pointer} ({_short(str(value))})")
    return Printed(compared=compared, wrong=tuple(wrong))


def resolve(result: Json, pointer: str) -> Json:
    """The value at a JSON pointer (RFC 6901).

    >>> resolve({"a": [{"b/c": 2}]}, "/a/0/b~1c")
    2
    """
    value = result
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            value = value[name]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            value = value[int(name)]
        else:
            raise KeyError(pointer)
    return value


def agrees(value: Json, text: str, pointer: str = "", kind: str = "") -> bool | None:
    """Whether a printed text is the value, rounded; None where words stand for a code and there is nothing to compare.

    >>> agrees(0.0213, "2.13 %"), agrees(0.0213, "2.23 %"), agrees(4e-5, "4.00 × 10⁻⁵"), agrees("wilson", "Wilson")
    (True, False, True, None)
    """
    shown = " ".join(text.split())
    if isinstance(value, (Mapping, list)):
        return _same_json(value, shown) if shown[:1] in ("{", "[") else None
    if isinstance(value, str) and value not in ("inf", "-inf", "nan"):
        return _same_words(value, shown) if WORDY.fullmatch(pointer) else None
    if value is None or (isinstance(value, (bool, Sequence)) and not isinstance(value, str)):
        return None
    number = float(value)
    if not any(letter.isdigit() for letter in shown):
        return None if math.isfinite(number) else shown in (_special(number), "undefined")
    return any(_close(wanted, shown) for wanted in _wanted(number, kind, shown))


def _wanted(number: float, kind: str, shown: str) -> Iterator[Decimal]:
    """What may stand for a number: itself, its part in [0, 1], its inverse after "one in", counted from one."""
    if not math.isfinite(number):
        return
    exact = Decimal(repr(number))
    yield exact + ("plus-one" in kind.split())
    yield min(max(exact, Decimal(0)), Decimal(1))
    if exact and shown.startswith("one in"):
        yield 1 / exact


def _close(wanted: Decimal, shown: str) -> bool:
    if shown.startswith("< "):
        return any(wanted < (low + high) / 2 for low, high in _ranges(shown))
    return any(low <= wanted <= high for low, high in _ranges(shown))


def _ranges(shown: str) -> Iterator[tuple[Decimal, Decimal]]:
    """What each number in a text may have been before it was rounded."""
    for sign, bare, plain, tens, percent in NUMBER.findall(shown):
        power = int((tens or bare or "0").translate(_DIGITS)) - (2 if percent else 0)
        number = Decimal((plain or "1").replace(",", "")).scaleb(power)
        half = Decimal(1).scaleb(int(number.as_tuple().exponent)) * _CLOSE
        number = -number if sign else number
        yield number - half, number + half


def _same_words(value: str, shown: str) -> bool:
    """The text itself; of a digest its first sixteen digits or more will do."""
    begins = len(shown) >= DIGITS and HEXADECIMAL.fullmatch(value) is not None and value.startswith(shown)
    return begins or _norm(shown) == _norm(value)


def _same_json(value: Json, shown: str) -> bool:
    try:
        return bool(json.loads(shown) == json.loads(json.dumps(value)))
    except ValueError:
        return False


def _special(number: float) -> str:
    return "undefined" if math.isnan(number) else "∞" if number > 0 else "−∞"


def _norm(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
