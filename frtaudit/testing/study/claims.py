"""What frtaudit claims of its intervals: the coverage that each must reach, and where it claims nothing."""

from frtaudit.core import Method
from frtaudit.testing.study.cells import NOMINAL
from frtaudit.testing.study.shots import Key

DEFAULT, SHOWN_BESIDE = 0.93, 0.90  # floors of FORMULAS 8.2's defaults, and of what is printed beside them
RATES = ("FNMR at FMR", "FMR", "FNMR")
FEW = "few "  # the points where few errors are due
SAME_PEOPLE = {Method.RECENTERED: (0.90, 0.99), Method.NAIVE: (0.0, 0.05)}  # realised where 0.95 is promised
WIDEST = 1.6  # a default's mean width over the oracle's
PERCENTILE = (Method.VERTEX, Method.DOUBLE_OR_NOTHING)


def floor_of(key: Key) -> float | None:
    """The coverage claimed at nominal 0.95 for the population; None: shown, not claimed.

    Defaults (8.2): ``wilson`` for rates, ``max_t`` for differentials; d_l2 (8.7) is held to its level. Beside them:
    vertex, double-or-nothing, ``wilson`` of accuracy (8.11). The rest is shown so that a reader sees why it is no
    default.
    """
    if key.nominal != NOMINAL:
        return None
    if key.quantity in RATES:
        floors = {Method.WILSON: DEFAULT, **dict.fromkeys(PERCENTILE, SHOWN_BESIDE)}
        return floors.get(key.method)
    floors = {Method.MAX_T: DEFAULT, Method.VERTEX_GAUSSIAN: NOMINAL}
    if key.quantity == "accuracy":
        floors = {Method.WILSON: SHOWN_BESIDE}
    return floors.get(key.method)


def width_is_held(key: Key) -> bool:
    """Whether its width is held to ``WIDEST``: a default of 8.2 where ten errors or more are due (8.3); else shown."""
    return floor_of(key) == DEFAULT and not key.point.startswith(FEW)
