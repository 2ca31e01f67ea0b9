"""What is withheld cannot be worked out: the programmes' answers against every table that fits, one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frtaudit.stats.disclosure import extremes, narrow, suppressed


def crossed(rows: int, columns: int) -> np.ndarray:
    """A x = 0 for a two-way table with margins: everybody, rows, columns, then the inner cells."""
    n = 1 + rows + columns + rows * columns
    inner = np.arange(rows * columns).reshape(rows, columns) + 1 + rows + columns
    lines = []
    for margin, cells in [
        *((1 + r, inner[r]) for r in range(rows)),
        *((1 + rows + c, inner[:, c]) for c in range(columns)),
        (0, inner.ravel()),
    ]:
        line = np.zeros(n)
        line[margin], line[cells] = 1, -1
        lines.append(line)
    return np.array(lines)


def whole(table: np.ndarray) -> np.ndarray:
    """All cells of a two-way table in the order of :func:`crossed`."""
    return np.concatenate([[table.sum()], table.sum(axis=1), table.sum(axis=0), table.ravel()]).astype(float)


def tried(table: np.ndarray, published: np.ndarray, cell: int) -> tuple[int, int]:
    """Least and greatest value of a cell over every 2 x 2 table of the same total that has the published cells."""
    total = int(table.sum())
    found = [
        values[cell]
        for a, b, c in product(range(total + 1), repeat=3)
        if a + b + c <= total
        for values in (whole(np.array([[a, b], [c, total - a - b - c]])),)
        if np.array_equal(values[published], whole(table)[published])
    ]
    return int(min(found)), int(max(found))


tables = st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any)


@settings(max_examples=60)
@given(tables, st.lists(st.booleans(), min_size=8, max_size=8), st.integers(1, 8))
def test_extremes_are_those_of_every_table_that_fits(cells: list[int], shown: list[bool], cell: int) -> None:
    """Least and greatest value of a cell are what going through all tables of whole numbers gives."""
    table = np.array(cells).reshape(2, 2)
    published = np.array([True, *shown])
    assert extremes(crossed(2, 2), whole(table), published, cell) == tried(table, published, cell)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 30), min_size=12, max_size=12), st.integers(2, 12))
def test_no_withheld_cell_is_left_narrow(cells: list[int], minimum: int) -> None:
    """Whatever the table, withheld cells keep values as far apart as declared, and all small ones are withheld."""
    table = np.array(cells).reshape(3, 4)
    values, system = whole(table), crossed(3, 4)
    if values[0] < minimum:
        return
    fixed = np.arange(values.size) == 0
    small = (values > 0) & (values < minimum) & ~fixed
    withheld = suppressed(system, values, np.ones(values.size, dtype=bool), fixed, small, minimum)
    assert not (small & ~withheld).any()
    assert not withheld[0]
    assert list(narrow(system, values, ~withheld, withheld, minimum)) == []


def test_one_withheld_cell_alone_is_the_total_minus_the_rest() -> None:
    """The check can fail: without complementary suppression the withheld cell is determined."""
    system = np.array([[-1.0, 1.0, 1.0, 1.0]])
    values = np.array([53.0, 20.0, 30.0, 3.0])
    alone = np.array([False, False, False, True])
    assert extremes(system, values, ~alone, 3) == (3.0, 3.0)
    assert list(narrow(system, values, ~alone, alone, 10)) == [3]


def test_two_small_cells_do_not_protect_each_other() -> None:
    """A sum of withheld cells that is itself small takes a further cell with it."""
    system = np.array([[-1.0, 1.0, 1.0, 1.0]])
    values = np.array([23.0, 20.0, 2.0, 1.0])
    fixed = np.array([True, False, False, False])
    small = np.array([False, False, True, True])
    assert suppressed(system, values, np.ones(4, dtype=bool), fixed, small, 10)[1]


def test_values_that_fit_no_tables_are_refused() -> None:
    """Parts larger than their total are no table: said, not guessed."""
    system = np.array([[-1.0, 1.0, 1.0]])
    with pytest.raises(ValueError, match="fit no tables"):
        extremes(system, np.array([3.0, 5.0, 0.0]), np.array([True, True, False]), 2)


def test_a_cell_that_nothing_can_hide_is_said() -> None:
    """One small class beside a total that must stand: no suppression hides it."""
    system = np.array([[-1.0, 1.0]])
    fixed = np.array([True, False])
    with pytest.raises(ValueError, match="no further cell"):
        suppressed(system, np.array([3.0, 3.0]), np.ones(2, dtype=bool), fixed, ~fixed, 10)
