"""How the values of metrics are printed: rates in percent, scores, numbers; limits and targets as declared."""

from enum import Enum

from frtaudit.core.text import formatting
from frtaudit.core.text.formatting import Style


class Kind(Enum):
    """What a metric is printed as."""

    RATE = "rate"
    SCORE = "score"
    NUMBER = "number"


def printed(
    kind: Kind,
    value: float,
    *,
    style: Style | None = None,
    limit: float | None = None,
    limits: tuple[float, ...] = (),
) -> str:
    """A value as its kind is printed, on its side of ``limit`` and of each of ``limits``.

    >>> printed(Kind.RATE, 0.0213), printed(Kind.NUMBER, 3.4219)
    ('2.13 %', '3.42')
    """
    if kind is Kind.RATE:
        return formatting.rate(value, style=style, limit=limit, limits=limits)
    return (
        formatting.score(value) if kind is Kind.SCORE else formatting.plain(value, limit=limit, limits=limits)
    )


def declared(kind: Kind, value: float) -> str:
    """A limit or target in the digits it was declared with, as its kind is printed.

    >>> declared(Kind.RATE, 0.05), declared(Kind.NUMBER, 0.05)
    ('5 %', '0.05')
    """
    return formatting.exact(value) if kind is Kind.RATE else formatting.declared(value)


def place(key: str, value: float | str) -> str:
    """The value of an operating point: FMR targets as declared, thresholds as scores, names as they are.

    >>> place("fmr", 0.001), place("threshold", 0.31), place("rate", "fmr")
    ('0.1 %', '0.31', 'fmr')
    """
    if isinstance(value, str):
        return value
    return formatting.exact(value) if key.endswith("fmr") or key == "far" else formatting.score(value)
