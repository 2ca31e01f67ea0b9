"""Suppression of small cells in linked tables, and what a reader can still work out about a cell that is withheld.

The cells of all published tables are one vector x >= 0 of whole numbers: totals, classes, and the finest cells that
no table prints. What is true of every table is a linear system A x = 0 (each total minus its parts). A reader knows A,
x >= 0, and the published entries of x; the cells that are left lie in a polytope. A withheld cell is *protected* when
its extremes over that polytope, a linear programme each, lie at least ``protection`` apart: no sum, no difference and
no chain of them can say more, because each is a combination of rows of A. A cell determined by the rest has
extremes that meet. (Cox 1980, JASA 75:377, calls the search for further cells complementary suppression.)
"""

from collections.abc import Iterator

import numpy as np

from frtaudit.core.arrays import Flags, Floats
from frtaudit.stats._scipy import scipy

SLACK = 1e-6  # of the programmes' solutions; cells are whole numbers


def extremes(system: Floats, values: Floats, published: Flags, cell: int) -> tuple[float, float]:
    """The least and the greatest value that a reader can give to a cell.

    ``system`` (E, n): coefficients of A x = 0; ``values`` (n,): the true cells, read only where ``published`` (n,)
    is True. Unbounded above: infinity. Raises ValueError where no x >= 0 fits: the values are in no such tables.

    >>> system = np.array([[-1.0, 1.0, 1.0, 1.0]])  # a total and its three parts
    >>> known = np.array([True, True, False, False])
    >>> extremes(system, np.array([30.0, 20.0, 7.0, 3.0]), known, 3)
    (0.0, 10.0)
    """
    if published[cell]:
        return float(values[cell]), float(values[cell])
    free = np.flatnonzero(~published)
    right = -system[:, published] @ values[published]
    ends = []
    for sign in (1.0, -1.0):
        aim = np.where(free == cell, sign, 0.0)
        linprog = scipy.optimize.linprog(
            aim, A_eq=system[:, free], b_eq=right, bounds=(0, None), method="highs"
        )
        if linprog.status == 3:
            ends.append(-np.inf)
        elif linprog.status != 0:
            raise ValueError("the published cells fit no tables")
        else:
            ends.append(float(linprog.fun or 0.0))
    return _whole(ends[0], np.ceil), _whole(-ends[1], np.floor)


def narrow(
    system: Floats, values: Floats, published: Flags, withheld: Flags, protection: float
) -> Iterator[int]:
    """Withheld cells whose extremes lie less than ``protection`` apart, in their order."""
    for cell in np.flatnonzero(withheld):
        low, high = extremes(system, values, published, int(cell))
        if high - low < protection:
            yield int(cell)


def suppressed(
    system: Floats, values: Floats, printed: Flags, fixed: Flags, small: Flags, protection: float
) -> Flags:
    """Which cells to withhold: those that are ``small``, and more until each is protected.

    ``printed`` (n,): cells that the tables would print; ``fixed`` (n,): those of them that stay (grand totals).
    As long as a withheld cell is too narrow, the smallest positive printed cell that shares an equation with a
    withheld one, directly or through cells that no table prints, is withheld as well; a cell that stays narrow
    when nothing is left to withhold raises ValueError.

    >>> system = np.array([[-1.0, 1.0, 1.0, 1.0]])
    >>> printed = np.ones(4, dtype=bool)
    >>> fixed = np.array([True, False, False, False])
    >>> small = np.array([False, False, False, True])
    >>> suppressed(system, np.array([43.0, 20.0, 20.0, 3.0]), printed, fixed, small, 10).tolist()
    [False, True, False, True]
    """
    withheld = small & printed
    while True:
        cell = next(narrow(system, values, printed & ~withheld, withheld, protection), None)
        if cell is None:
            return withheld
        more = _near(system, cell, printed & ~withheld, fixed, values)
        if more is None:
            raise ValueError("no further cell can be withheld")
        withheld[more] = True


def _near(system: Floats, cell: int, published: Flags, fixed: Flags, values: Floats) -> int | None:
    """The smallest positive published cell within the fewest equations of ``cell``; totals that stay are no way."""
    linked = system != 0
    reached = np.zeros(system.shape[1], dtype=np.bool_)
    reached[cell] = True
    while True:
        rows = linked[:, reached & ~fixed].any(axis=1)
        wider = reached | linked[rows].any(axis=0)
        indices = np.flatnonzero(wider & published & ~fixed & (values > 0))
        if indices.size:
            return int(indices[np.argmin(values[indices])])
        if (wider == reached).all():
            return None
        reached = wider


def _whole(end: float, rounding: np.ufunc) -> float:
    """A bound of a whole number: what lies within the solver's slack of one is one."""
    if not np.isfinite(end):
        return end
    near = np.rint(end)
    return float(near if abs(end - near) < SLACK else rounding(end)) + 0.0
