"""Which FMR targets the data can resolve (FORMULAS 8.4)."""

import math
from collections.abc import Sequence

from frtaudit.core.text.formatting import counted

MIN_EXPECTED = 5.0
WARN_EXPECTED = 10.0
MIN_SUBJECTS = 10
DIGITS = 3


def unresolved(target: float, non_mated: int) -> str | None:
    """Why ``target`` cannot be resolved by ``non_mated`` comparisons, None when it can (5 expected false matches).

    >>> unresolved(1e-3, 100_000) is None
    True
    >>> unresolved(1e-6, 100_000)
    'FMR 1e-06 of 100000 non-mated comparisons expects 0.1 false matches; the smallest target allowed is 5e-05'
    """
    if target * non_mated >= MIN_EXPECTED * (1 - 1e-9):
        return None
    allowed = (
        f"the smallest target allowed is {smallest_target(non_mated)}" if non_mated > 0 else "none is allowed"
    )
    expected = f"expects {target * non_mated:.3g} false matches"
    return f"FMR {target:g} of {non_mated} non-mated comparisons {expected}; {allowed}"


def smallest_target(non_mated: int) -> str:
    """The smallest FMR target that expects five false matches, rounded up to three digits.

    >>> smallest_target(300), smallest_target(0)
    ('0.0167', 'none')
    """
    if non_mated <= 0:
        return "none"
    exact = MIN_EXPECTED / non_mated
    scale = 10.0 ** (math.floor(math.log10(exact)) - DIGITS + 1)
    return f"{math.ceil(exact / scale - 1e-9) * scale:.{DIGITS}g}"


def warning(target: float, non_mated: int, subjects: int) -> str | None:
    """What to say of a resolved target: fewer than 10 expected false matches, or from fewer than 10 subjects.

    >>> warning(1e-3, 6_000, 40)
    'only 6 false matches are expected at FMR 0.001'
    """
    if target * non_mated < WARN_EXPECTED:
        return f"only {target * non_mated:.3g} false matches are expected at FMR {target:g}"
    if subjects < MIN_SUBJECTS:
        return f"the false matches at FMR {target:g} come from {counted(subjects, 'subject')}"
    return None


def beyond_budget(targets: Sequence[float], budget: int, stored: int, non_mated: int) -> str | None:
    """What to say of FMR targets whose thresholds are not known: those above what ``stored`` of ``non_mated`` resolve.

    >>> beyond_budget([0.1, 1e-3], 3600, 100, 5_000)
    'tail_budget of 3600 bytes holds the scores of FMR targets up to 0.02; 0.1 needs more'
    """
    share = stored / max(non_mated, 1)
    above = [f"{target:g}" for target in targets if share < target]
    if not above or not non_mated:
        return None
    return (
        f"tail_budget of {budget} bytes holds the scores of FMR targets up to {share:.3g}; "
        f"{', '.join(above)} needs more"
    )


def scored_again(targets: Sequence[float], budget: int) -> str:
    """What to say of FMR targets whose thresholds the tail does not hold but a second pass found.

    >>> scored_again([0.1], 3600)
    'tail_budget of 3600 bytes does not hold the scores of FMR 0.1: all pairs were scored again to find its thresholds'
    """
    named = ", ".join(f"{target:g}" for target in targets)
    return (
        f"tail_budget of {budget} bytes does not hold the scores of FMR {named}: all pairs were scored again to find "
        f"{'its' if len(targets) == 1 else 'their'} thresholds"
    )
