import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import ScoreTable
from frtaudit.core.spec import Weighting
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.stats.rates.orders import pool_orders
from frtaudit.stats.similarity.tail import from_listed, no_groups

LINES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.one_of(st.none(), st.integers(-8, 8))).filter(
        lambda line: line[0] != line[1]
    ),
    max_size=25,
)


def made(lines: list[tuple[int, int, float | None]]) -> tuple[Comparisons, ScoreTable]:
    """Comparisons and scores of (probe, reference, score or None for a failure)."""
    probe = np.array([line[0] for line in lines], dtype=np.int32)
    reference = np.array([line[1] for line in lines], dtype=np.int32)
    comparisons = Comparisons(
        all_pairs=False, probe=probe, reference=reference, mated=probe // 2 == reference // 2,
        cells=np.zeros(3, dtype=np.int32), ordered=True, fold=np.arange(len(lines), dtype=np.int16),
    )  # fmt: skip
    score = np.array([np.nan if line[2] is None else line[2] for line in lines], dtype=np.float64)
    failure = np.where(np.isnan(score), np.arange(len(lines)) % 2, -1).astype(np.int16)
    return comparisons, ScoreTable(score=score, failure=failure, codes=("one", "two"))


@given(LINES)
def test_pooling_agrees_with_doing_it_pair_by_pair(lines: list[tuple[int, int, float | None]]) -> None:
    """Mean of the orders' means, failures, first lines and the asymmetry, against the definition."""
    comparisons, table = made(lines)
    pooled = pool_orders(comparisons, table)
    pairs = list(dict.fromkeys((min(i, j), max(i, j)) for i, j, _ in lines))
    gaps, single = [], 0
    assert list(zip(pooled.comparisons.probe, pooled.comparisons.reference, strict=True)) == pairs
    for row, (low, high) in enumerate(pairs):
        forward = [s for i, j, s in lines if (i, j) == (low, high) and s is not None]
        backward = [s for i, j, s in lines if (i, j) == (high, low) and s is not None]
        means = [sum(side) / len(side) for side in (forward, backward) if side]
        first = next(n for n, (i, j, _) in enumerate(lines) if {i, j} == {low, high})
        if means:
            assert pooled.table.score[row] == sum(means) / len(means)
        else:
            assert pooled.table.failure[row] == table.failure[first]
        assert pooled.comparisons.fold is not None
        assert pooled.comparisons.fold[row] == first
        single += len(means) == 1
        gaps += [abs(means[0] - means[1])] if len(means) == 2 else []
    assert pooled.asymmetry.differing == sum(gap > 0 for gap in gaps)
    assert (pooled.asymmetry.both, pooled.asymmetry.single) == (len(gaps), single)
    assert pooled.asymmetry.max == (max(gaps) if gaps else None)
    assert pooled.asymmetry.mean is None or np.isclose(pooled.asymmetry.mean, np.mean(gaps))
    assert not pooled.comparisons.ordered


@given(LINES)
def test_the_order_within_a_pair_does_not_matter(lines: list[tuple[int, int, float | None]]) -> None:
    """Swapping probe and reference of every line gives the same scores and the same asymmetry."""
    first = pool_orders(*made(lines))
    second = pool_orders(*made([(j, i, score) for i, j, score in lines]))
    assert np.array_equal(first.table.score, second.table.score, equal_nan=True)
    assert first.asymmetry == second.asymmetry


@given(LINES)
def test_listing_every_pair_in_both_orders_narrows_nothing(
    lines: list[tuple[int, int, float | None]],
) -> None:
    """With (j, i) beside each (i, j) counts, effective sizes and bounds of both rates stay as they were (8.1)."""
    once = list({(min(i, j), max(i, j)): (i, j, score) for i, j, score in lines}.values())
    both = [line for i, j, score in once for line in ((i, j, score), (j, i, score))]
    found = []
    for listed in (once, both):
        pooled = pool_orders(*made(listed))
        tail = from_listed(
            pooled.table.score,
            pooled.comparisons.probe,
            pooled.comparisons.reference,
            subject_of=np.arange(6, dtype=np.int32) // 2,
            cells=pooled.comparisons.cells,
            score_range=(-8.0, 8.0),
        )
        rule = prepare(tail, no_groups(tail), [0.5])
        found.append([make(0.5, 0, 0.05, Weighting.POOLED) for make in (rule.fmr, rule.fnmr)])
    assert repr(found[0]) == repr(found[1])
