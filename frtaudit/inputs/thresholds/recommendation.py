"""A vendor's recommended thresholds."""

from collections.abc import Mapping

from frtaudit.errors import SpecError


def check_recommended(
    provider: str, recommended: Mapping[str, float], score_range: tuple[float, float]
) -> None:
    """Raise :class:`SpecError` for a threshold out of the score range, or for a range without width.

    >>> check_recommended("a", {"strict": 1.5}, (-1.0, 1.0))
    Traceback (most recent call last):
    frtaudit.errors.SpecError: providers.a.recommended.strict: threshold 1.5 out of range; accepted: -1 to 1
    """
    low, high = score_range
    if not -float("inf") < low < high < float("inf"):
        raise SpecError(
            f"providers.{provider}.score_range", f"{low:g} to {high:g}", "low < high, both finite"
        )
    for name, threshold in recommended.items():
        if not low <= threshold <= high:
            where = f"providers.{provider}.recommended.{name}"
            raise SpecError(where, f"threshold {threshold:g} out of range", f"{low:g} to {high:g}")
