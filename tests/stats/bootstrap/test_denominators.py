import numpy as np
import oracles_resample as slow
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.bootstrap import weights
from frtaudit.stats.bootstrap.denominators import mated_totals, non_mated_totals
from frtaudit.stats.rates import trials

EVERYWHERE = st.one_of(slow.worlds(), slow.listed_worlds())


@given(world=EVERYWHERE)
def test_unit_copies_give_the_trials(world: slow.World) -> None:
    """With every subject once, the denominators are the trials of the data."""
    once = np.ones((world.tail.n_samples.size, 2), dtype=np.uint8)
    true = trials.trials(world.tail, world.groups)
    non_mated = non_mated_totals(world.tail, world.groups).of(once)
    mated = mated_totals(world.tail, world.groups).of(once)
    np.testing.assert_array_equal(non_mated.counts.T, [true.non_mated] * 2)
    np.testing.assert_array_equal(non_mated.rates.T, [true.subject_pairs] * 2)
    np.testing.assert_array_equal(mated.counts.T, [true.mated] * 2)
    np.testing.assert_array_equal(mated.rates.T, [true.subjects_mated] * 2)


@given(world=EVERYWHERE, seed=st.integers(0, 99))
def test_copies_count_as_if_written_out(world: slow.World, seed: int) -> None:
    """Comparisons and pairs of people, counted one by one, are the closed form; copies of one subject do not count."""
    copies = weights.draw_between(np.zeros(world.tail.n_samples.size, dtype=int), seed=seed, first=0, count=1)
    people = slow.people_of_subjects(world, copies[:, 0])
    for totals, listed in ((non_mated_totals, slow.blocks), (mated_totals, slow.mated)):
        found = totals(world.tail, world.groups).of(copies)
        written = [listed(world, people, group_index) for group_index in world.every_group()]
        assert found.counts[:, 0].tolist() == [sum(map(len, groups)) for groups in written]
        assert found.rates[:, 0].tolist() == [len(groups) for groups in written]
