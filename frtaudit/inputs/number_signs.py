"""Numbers as text: what is one, and what commas and points in those of a spreadsheet may part."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frtaudit.core.arrays import Flags, Texts

_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:\.[0-9]{3})+)")
_POINT = re.compile(r"[0-9]\.|\.[0-9]")
_SMALL = re.compile(r"[+-]?[1-9][0-9]{0,2}")  # has no separator of thousands where other numbers have one
_LARGE = re.compile(r"[+-]?[1-9][0-9]{3,}")  # has none where none has


def is_number(text: str) -> bool:
    """Whether a text is a number, as other programs write it: Python also takes ``1_0`` and digits of other scripts.

    >>> is_number("1e-5"), is_number("1_0"), is_number("\uff11")
    (True, False, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and "_" not in text


def may_be_thousands(text: str) -> bool:
    """Whether all its commas, or all its points, may separate thousands.

    >>> may_be_thousands("57,983"), may_be_thousands("1.234.567"), may_be_thousands("0,983")
    (True, True, False)
    """
    return _THOUSANDS.fullmatch(text) is not None


def unsure_number(texts: "Texts") -> "tuple[Flags, str, str] | None":
    """Rows whose number may be another one, where a comma may part decimals; what is wrong; what is accepted.

    Commas and points in one column, only commas before three digits, or only such points and a number without one.

    >>> import numpy as np
    >>> unsure_number(np.array(["987", "1.234"], dtype=object))[1]
    'a point that may separate thousands'
    >>> unsure_number(np.array(["0.987", "1.234"], dtype=object))
    """
    import numpy as np

    comma = np.array(["," in text for text in texts.tolist()], dtype=np.bool_)
    point = np.array(["." in text for text in texts.tolist()], dtype=np.bool_)
    if comma.any():
        point[point] = [_POINT.search(text) is not None for text in texts[point]]
    marked = comma | point
    if comma.any() and point.any():
        other = point if comma[np.argmax(marked)] else comma
        return other, "numbers with a comma and with a point", "one of them, for decimals only"
    if not marked.any() or not all(map(may_be_thousands, texts[marked])):
        return None
    plain = texts[~marked].tolist()
    if comma.any() or (any(map(_SMALL.fullmatch, plain)) and not any(map(_LARGE.fullmatch, plain))):
        sign = "comma" if comma.any() else "point"
        return marked, f"a {sign} that may separate thousands", "1234 or 1.2340 for such a number"
    return None
