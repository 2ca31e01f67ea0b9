"""Text of the data where it is printed: one line on a terminal, one cell that no spreadsheet calculates."""

import re
import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_FORMULA = re.compile(r"\s*[=+\-@]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
TEXT = "'"


def printable(text: str) -> str:
    r"""``text`` as one line that a terminal shows and does not obey.

    Control characters, line separators, direction marks, unassigned characters and bytes that were no UTF-8 become
    their escapes, as ``repr`` writes them.

    >>> print(printable("a.csv\nok \x1b[2J\u202e"))
    a.csv\nok \x1b[2J\u202e
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(mark) if unicodedata.category(mark) in _HIDDEN else mark for mark in text)


def _escape(mark: str) -> str:
    return mark.encode("unicode_escape").decode("ascii")


def cell(value: object) -> object:
    r"""A value for a CSV file: text that a spreadsheet would calculate gets an apostrophe before it.

    That is text that begins with ``=``, ``+``, ``-`` or ``@``, also after white space, or with a tab or the end of a
    line. A carriage return, which readers take for the end of a row, is written as an escape. Numbers stay numbers,
    also those written as text.

    >>> cell("=1+1"), cell("-0.25"), cell(-0.25), cell("@a"), cell("a=1")
    ("'=1+1", '-0.25', -0.25, "'@a", 'a=1')
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r", "\\r")
    return TEXT + text if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else text
