import numpy as np
from hypothesis import given
from oracles_rates import World, lists, matrices

from frtaudit.core import ScoreTail
from frtaudit.stats.rates.trials import (
    block_sizes,
    complete_pairs,
    complete_trials,
    members,
    subject_trials,
    trials,
)


def check(world: World, tail: ScoreTail) -> None:
    found, each = trials(tail, world.groups), subject_trials(tail, world.groups)
    for group_index in world.group_indices:
        mated, blocks = world.mated(group_index), world.blocks(group_index)
        assert found.mated[group_index] == sum(map(len, mated.values()))
        assert found.non_mated[group_index] == sum(map(len, blocks.values()))
        assert found.subjects_mated[group_index] == len(mated)
        assert found.subject_pairs[group_index] == len(blocks)
        assert found.subjects[group_index] == sum(
            world.in_group(k, group_index) for k in set(world.subject_of)
        )
    for k in range(world.n_subjects):
        own = [scores for pair, scores in world.blocks(0).items() if k in pair]
        assert each.partners[0, k] == len(own)
        assert each.comparisons[0, k] == sum(map(len, own))


@given(matrices())
def test_closed_forms_count_every_comparison(drawn: tuple[World, ScoreTail]) -> None:
    """The closed forms of a complete set equal counting comparison by comparison."""
    check(*drawn)


@given(lists())
def test_listed_comparisons_are_counted(drawn: tuple[World, ScoreTail]) -> None:
    """Trials of a list count every scored comparison, repeats included."""
    check(*drawn)


@given(lists())
def test_block_sizes_are_the_listed_counts(drawn: tuple[World, ScoreTail]) -> None:
    """n_kl is the number of listed comparisons, whichever subject comes first, and 0 for a block that is not there."""
    world, tail = drawn
    k, l = (side.ravel().astype(np.int32) for side in np.indices((world.n_subjects,) * 2))  # noqa: E741
    blocks = world.blocks(0)
    assert block_sizes(tail, k, l).tolist() == [
        len(blocks.get((min(a, b), max(a, b)), ())) for a, b in zip(k, l, strict=True)
    ]


@given(matrices())
def test_scopes_add_up_over_groups(drawn: tuple[World, ScoreTail]) -> None:
    """Within-group comparisons of the subjects of a schema add up to twice those of its groups."""
    world, tail = drawn
    each, found = subject_trials(tail, world.groups), trials(tail, world.groups)
    for s, schema in enumerate(world.groups.schemas):
        group_indices = [g + 1 for g, (name, _) in enumerate(world.groups.names) if name == schema]
        assert each.comparisons[s + 1].sum() == 2 * found.non_mated[group_indices].sum()


def test_counts_are_exact_where_floats_are_not() -> None:
    """A million samples give an exact number of comparisons."""
    n = np.full(1000, 1001)
    pairs = int(complete_trials(n, np.zeros(1000, dtype=np.int32)).comparisons.sum()) // 2
    assert pairs == (1001000 * 1000999 - 1000 * 1001 * 1000) // 2


@given(matrices())
def test_members_and_mated_pairs(drawn: tuple[World, ScoreTail]) -> None:
    """Everybody is in index 0; a subject has n(n-1)/2 mated comparisons."""
    world, tail = drawn
    held = members(world.groups, world.n_subjects)
    assert held[0].all()
    assert [
        [world.in_group(k, group_index) for k in range(world.n_subjects)]
        for group_index in world.group_indices
    ] == held.tolist()
    assert tail.n_mated.tolist() == [world.n(k) * (world.n(k) - 1) // 2 for k in range(world.n_subjects)]


def test_complete_pairs_count_each_comparison_once() -> None:
    """Within two cells of 3 and 2 samples and one subject in none: the pairs of different subjects, counted by hand."""
    found = complete_pairs(np.array([2, 1, 1, 1, 5]), np.array([0, 0, 1, 1, -1], dtype=np.int32))
    assert found == 2 * 1 + 1 * 1


def test_cells_and_scopes_make_rooms_together() -> None:
    """Subjects of another cell or another scope are not compared, whatever their numbers."""
    cells, scope = np.int32([0, 2, 1, 1]), np.int32([1, 0, 1, 1])
    found = complete_trials(np.array([1, 1, 2, 3]), cells, scope)
    assert found.comparisons.tolist() == [0, 0, 6, 6]
    assert found.partners.tolist() == [0, 0, 1, 1]
