"""How numbers are printed: enough digits to keep their meaning, never so few that a verdict would change.

A rounded number never reaches a landmark (0, 1, a limit) that the exact one does not reach: 4e-5 is not printed as 0,
0.9996 not as 100 %, 0.0300004 not as 0.03 beside the limit 0.03. What differs from 1 by rounding only is 1.
Text in a CSV file is a cell that no spreadsheet calculates.
"""

import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from enum import Enum
from typing import TypeAlias

DIGITS = 3
MAX_DIGITS = 17
PERCENT_FROM = 1e-4
EXACT_PERCENT_FROM = 1e-4
MIN_PERCENT = 1e-6
NOISE = 1e-12  # rounding of sums: a number as near to 1 is printed as 1, a smaller rate only as that
PLAIN_ZEROS = 3
UNDEFINED = "undefined"
MIN_P = 0.001  # a smaller p value is printed as such
Rounding: TypeAlias = Callable[[float, int], Decimal]
_FORMULA = re.compile(r"[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")  # also of full width
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Style(Enum):
    """The two ways to print a rate."""

    PERCENT = "percent"
    POWER = "power"


def style_of(*values: float | None) -> Style:
    """Percent when the first value that is neither absent nor zero is at least 1e-4, else powers of ten.

    >>> style_of(0.0213), style_of(4e-5), style_of(0.0, 0.01)
    (<Style.PERCENT: 'percent'>, <Style.POWER: 'power'>, <Style.PERCENT: 'percent'>)
    """
    for value in values:
        if value is not None and math.isfinite(value) and value != 0:
            return Style.PERCENT if abs(value) >= PERCENT_FROM else Style.POWER
    return Style.PERCENT


def rate(
    value: float,
    *,
    limit: float | None = None,
    style: Style | None = None,
    digits: int = DIGITS,
    limits: tuple[float, ...] = (),
) -> str:
    """A rate in [0, 1], in percent or in powers of ten, on the same side of 0, 1 and each limit as the exact value.

    A rate below a millionth in percent, or below 10⁻¹² in powers of ten, is only printed as that.

    >>> rate(0.0213), rate(4e-5), rate(0.961), rate(0.99996), rate(0.0300004, limit=0.03)
    ('2.13 %', '4.00 × 10⁻⁵', '96.1 %', '99.9960 %', '3.00004 %')
    >>> rate(4e-5, style=Style.PERCENT), rate(2.84e-11, style=Style.PERCENT), rate(2e-17), rate(1 - 2e-16)
    ('0.00400 %', '< 0.0001 %', '< 10⁻¹²', '100 %')
    """
    if not math.isfinite(value):
        return _special(value)
    landmarks = (0.0, 1.0, *limits) if limit is None else (0.0, 1.0, limit, *limits)
    chosen = style or style_of(value)
    least = MIN_PERCENT if chosen is Style.PERCENT else NOISE
    if 0 < abs(value) < least:
        if value > 0 and not any(0 < mark < least for mark in landmarks):
            return f"< {exact(least, chosen)}"
        chosen = Style.POWER
    rounding = _percent_round if chosen is Style.PERCENT else _significant_round
    shown = _apart(value, landmarks, rounding, digits)
    return _percent(shown) if chosen is Style.PERCENT else power(shown)


def fixed(value: float, places: int) -> str:
    """A share in percent to so many places, or more where fewer would reach 0 or 1: numbers to compare down a column.

    >>> fixed(0.98816, 2), fixed(0.9885, 2), fixed(-0.00007, 3), fixed(0.999996, 2)
    ('98.82 %', '98.85 %', '−0.007 %', '99.9996 %')
    """
    if not math.isfinite(value):
        return _special(value)
    return _percent(_apart(value, (0.0, 1.0), _quantized, places))


def exact(value: float, style: Style | None = None) -> str:
    """A declared rate (a target, a limit, a level) in the digits it was declared with.

    >>> exact(0.001), exact(0.95), exact(1e-5), exact(3e-6), exact(1e-5, Style.PERCENT)
    ('0.1 %', '95 %', '10⁻⁵', '3 × 10⁻⁶', '0.001 %')
    """
    if not math.isfinite(value):
        return _special(value)
    number = _decimal(value)
    if value == 0 or abs(value) >= EXACT_PERCENT_FROM or style is Style.PERCENT:
        return _percent(number.normalize())
    return power(number.normalize())


def power(number: Decimal) -> str:
    """A number as mantissa and power of ten.

    >>> power(Decimal("0.0000400")), power(Decimal("0.00001"))
    ('4.00 × 10⁻⁵', '10⁻⁵')
    """
    if number == 0:
        return "0"
    exponent = number.adjusted()
    mantissa = number.scaleb(-exponent)
    ten = "10" + str(exponent).translate(_SUPERSCRIPT)
    return _signed(ten if mantissa == 1 and len(mantissa.as_tuple().digits) == 1 else f"{mantissa:f} × {ten}")


def plain(
    value: float, *, limit: float | None = None, digits: int = DIGITS, limits: tuple[float, ...] = ()
) -> str:
    """A number that is no rate (an index, a distance), on the same side of 0, 1 and each limit as the exact value.

    >>> plain(3.4219), plain(1.0004), plain(float("inf")), plain(12345.6)
    ('3.42', '1.0004', '∞', '12,346')
    """
    if not math.isfinite(value):
        return _special(value)
    landmarks = (0.0, 1.0, *limits) if limit is None else (0.0, 1.0, limit, *limits)
    return _grouped(_apart(value, landmarks, _plain_round, digits))


def declared(value: float) -> str:
    """A declared number that is no rate, in the digits it was declared with.

    >>> declared(0.5), declared(2.0), declared(1e-6)
    ('0.5', '2', '10⁻⁶')
    """
    if not math.isfinite(value):
        return _special(value)
    return _grouped(_decimal(value).normalize())


def p_value(p: float) -> str:
    """A p value; a smaller one than 0.001 only as that, for it is no more certain than its model.

    >>> p_value(0.03456), p_value(1e-12)
    ('0.0346', '< 0.001')
    """
    return f"< {MIN_P}" if p < MIN_P else plain(p)


def score(value: float) -> str:
    """A comparison score or threshold: six significant digits.

    >>> score(0.412345678), score(float("-inf")), score(-3.0)
    ('0.412346', '−∞', '−3')
    """
    if not math.isfinite(value):
        return _special(value)
    number = Decimal(f"{value:.6g}")
    if number != 0 and (number.adjusted() < -4 or number.adjusted() > 5):
        return power(number)
    return _signed(f"{number:f}")


def count(value: float) -> str:
    """A whole number with separators.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{round(value):,}"


def counted(number: int, noun: str) -> str:
    """A count with its noun, in the plural unless it is 1.

    >>> counted(1, "subject"), counted(0, "error")
    ('1 subject', '0 errors')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def effective_size(value: float) -> str:
    """An effective sample size: whole from ten on.

    >>> effective_size(1234.56), effective_size(3.14159)
    ('1,235', '3.1')
    """
    if not math.isfinite(value):
        return _special(value)
    return count(value) if value >= 10 else f"{value:.1f}"


def clipped(low: float, high: float) -> tuple[float, float]:
    """The part of an interval for a rate that lies in [0, 1].

    >>> clipped(-0.01, 0.2)
    (0.0, 0.2)
    """
    return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


def one_in(value: float) -> str | None:
    """``one in n`` where a rate is the inverse of a whole number, else None.

    >>> one_in(0.001), one_in(0.03)
    ('one in 1,000', None)
    """
    if not 0 < value < 1:
        return None
    inverse = 1 / _decimal(value)
    return f"one in {inverse:,.0f}" if inverse == inverse.to_integral_value() else None


def _special(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    return "∞" if value > 0 else "−∞"


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _grouped(number: Decimal) -> str:
    small = number != 0 and number.adjusted() < -PLAIN_ZEROS
    return power(number) if small else _signed(f"{number:,f}")


def _percent(number: Decimal) -> str:
    return _signed(f"{number.scaleb(2):f}") + " %"


def _apart(value: float, landmarks: Iterable[float], rounding: Rounding, digits: int) -> Decimal:
    """Round to ``digits`` or as many more as keep the value on its side of every landmark, rounding of sums aside."""
    apart = (mark for mark in landmarks if not 0 < abs(value - mark) <= NOISE * abs(mark) or mark == 1)
    number, marks = _decimal(value), tuple(map(_decimal, apart))
    if abs(value - 1) <= NOISE and sum(abs(mark - 1) <= NOISE for mark in marks) == 1:  # no limit is as near
        return rounding(1.0, digits)
    for places in range(digits, MAX_DIGITS):
        shown = rounding(value, places)
        if all(number.compare(mark) == shown.compare(mark) for mark in marks):
            return shown
    return number


def _decimal(value: float) -> Decimal:
    return Decimal(repr(float(value)))


def _significant_round(value: float, digits: int) -> Decimal:
    return _at_place(value, _decimal(value).adjusted() - digits + 1)


def _plain_round(value: float, digits: int) -> Decimal:
    """Significant digits, and never less than whole units."""
    return _at_place(value, min(_decimal(value).adjusted() - digits + 1, 0))


def _percent_round(value: float, digits: int) -> Decimal:
    """Significant digits of the value; above a half, one digit fewer of what is missing to 1."""
    number = _decimal(value)
    missing = 1 - number
    if number <= Decimal("0.5") or missing <= 0:
        return _significant_round(value, digits)
    return _at_place(value, min(missing.adjusted() - digits + 2, -3))


def _quantized(value: float, places: int) -> Decimal:
    return _decimal(value).quantize(Decimal(1).scaleb(-places - 2))


def _at_place(value: float, place: int) -> Decimal:
    """The value rounded to a power of ten; where that adds a digit in front (9.996 to 10.00), the last one goes."""
    number = _decimal(value)
    if number == 0:
        return Decimal(0)
    rounded = number.quantize(Decimal(1).scaleb(place))
    grown = rounded.adjusted() > number.adjusted()
    return rounded.quantize(Decimal(1).scaleb(place + 1)) if grown else rounded


def cell(value: object) -> object:
    r"""A value for a CSV file: text that a spreadsheet would calculate gets an apostrophe before it.

    That is text that begins with ``=``, ``+``, ``-`` or ``@``, of any width, also after white space, or with a tab or
    the end of a line. A carriage return, which readers take for the end of a row, is written as an escape. Numbers
    stay numbers, also those written as text.

    >>> cell("=1+1"), cell("-0.25"), cell(-0.25), cell("\uff20a"), cell("a=1")
    ("'=1+1", '-0.25', -0.25, "'\uff20a", 'a=1')
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r", "\\r")
    return "'" + text if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else text
