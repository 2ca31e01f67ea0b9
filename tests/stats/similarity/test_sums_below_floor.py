from dataclasses import fields

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles_rates import World, context_of, matrices, sums_at

from frtaudit.core import NonMatedSums, ScoreTail
from frtaudit.stats.similarity.sums_below_floor import sums_below

THRESHOLDS = st.lists(st.sampled_from([-0.5, 0.0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0]), min_size=1, unique=True)


@given(matrices(), st.integers(1, 5), THRESHOLDS)
def test_sums_of_the_pass_equal_those_of_the_oracle(
    drawn: tuple[World, ScoreTail], part: int, thresholds: list[float]
) -> None:
    """Whatever the tiles, also of subjects cut into parts, the sums equal those taken block by block."""
    world, tail = drawn
    world.pairs = [(i, j, float(np.float32(s))) for i, j, s in world.pairs]
    ascending = np.sort(thresholds)
    found = sums_below(context_of(world, tail, part), tail, world.groups, ascending)
    for row, t in enumerate(ascending):
        for name, expected in sums_at(world, t).items():
            np.testing.assert_allclose(getattr(found, name)[row], expected, rtol=1e-12, err_msg=name)


@given(matrices(), st.integers(2, 4))
def test_threads_do_not_change_the_sums(drawn: tuple[World, ScoreTail], threads: int) -> None:
    """One thread and several give the same bits."""
    world, tail = drawn
    one, more = (
        sums_below(context_of(world, tail, 2, count), tail, world.groups, np.array([0.2, 0.5]))
        for count in (1, threads)
    )
    for field in fields(NonMatedSums):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(more, field.name), err_msg=field.name)
