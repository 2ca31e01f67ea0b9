import numpy as np
import pytest
from scipy import stats

from frtaudit.core.cohort import CohortData
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import Groups, ScoreTable, ScoreTail
from frtaudit.datasets.cohorts.synthetic import Synthetic
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.protocols.round_robin import RoundRobin
from frtaudit.datasets.providers.simulated import Simulated, normal, uniform
from frtaudit.errors import SpecError
from frtaudit.stats.rates.orders import pool_orders
from frtaudit.stats.similarity.allpairs import TailRequest

REQUEST = TailRequest(fmr=1.0, threads=1)


def cohort_data(subjects: int = 60) -> CohortData:
    return Synthetic(subjects=subjects, samples_per_subject=(4, 4), dimension=2).load({}, 0)


def all_pairs(provider: Simulated, seed: int = 1) -> ScoreTail:
    of = cohort_data()
    groups = Groups(schemas=(), names=(), of=np.empty((0, of.cohort.n_subjects), np.int32), ranked=())
    return provider.score_tail(of, AllPairs().comparisons(of), groups, REQUEST, seed).tail


def listed(provider: Simulated, comparisons: Comparisons) -> ScoreTable:
    return provider.score_table(cohort_data(), comparisons, 1)


def test_scores_follow_the_declared_distributions() -> None:
    """Mated and non-mated scores of all pairs pass a Kolmogorov-Smirnov test (fixed seed, false alarm 1e-3 each)."""
    tail = all_pairs(Simulated(name="s", mated_mean=0.5, mated_sd=0.1, non_mated_mean=-0.1, non_mated_sd=0.2))
    assert tail.tail_score.size == 4**2 * 60 * 59 // 2
    assert stats.kstest(tail.mated_score, stats.norm(0.5, 0.1).cdf).pvalue > 1e-3
    assert stats.kstest(tail.tail_score, stats.norm(-0.1, 0.2).cdf).pvalue > 1e-3


def test_a_pair_scores_the_same_wherever_it_is_asked_for() -> None:
    """A score depends on seed, name and pair alone: blocks, lists and orders agree."""
    provider, tail = Simulated(name="s"), all_pairs(Simulated(name="s"))
    i, j = tail.rows[tail.tail_i], tail.rows[tail.tail_j]
    pairs = Comparisons(
        all_pairs=False, probe=j, reference=i, mated=np.zeros(i.size, np.bool_), cells=np.zeros(60, np.int32)
    )
    assert np.array_equal(listed(provider, pairs).score, tail.tail_score.astype(np.float64))
    assert not np.array_equal(tail.mated_score, all_pairs(provider, seed=2).mated_score)
    assert not np.array_equal(tail.mated_score, all_pairs(Simulated(name="t")).mated_score)


def test_asymmetry_is_as_declared() -> None:
    """The mean of both orders is the unordered score; their gap is 2 a |z|, of mean 2 a sqrt(2 / pi) (five s.e.)."""
    provider = Simulated(name="s", asymmetry=0.05)
    comparisons = RoundRobin().comparisons(cohort_data())
    pooled = pool_orders(comparisons, listed(provider, comparisons))
    plain = listed(Simulated(name="s"), pooled.comparisons)
    assert np.allclose(pooled.table.score, plain.score, atol=1e-6)
    pairs = pooled.asymmetry.both
    assert pairs == 60 * 6
    assert pooled.asymmetry.mean is not None
    spread = 0.1 * np.sqrt((1 - 2 / np.pi) / pairs)
    assert abs(pooled.asymmetry.mean - 0.1 * np.sqrt(2 / np.pi)) < 5 * spread


def test_samples_fail_at_the_declared_rate() -> None:
    """Failures are keyed by sample, at the declared rate (five standard deviations), and leave all pairs."""
    provider = Simulated(name="s", failure_rate=0.1)
    failed = provider.failed(cohort_data(), 1)
    assert abs(len(failed) - 24) < 5 * np.sqrt(240 * 0.09)
    assert sorted([*all_pairs(provider).rows.tolist(), *failed]) == list(range(240))
    assert failed == provider.failed(cohort_data(), 1) != provider.failed(cohort_data(), 2)


def test_scores_stay_in_the_range() -> None:
    """Scores beyond the range are clipped to it."""
    tail = all_pairs(Simulated(name="s", mated_mean=1.0, mated_sd=0.5, score_range=(0.0, 1.0)))
    assert (tail.mated_score.min() >= 0, tail.mated_score.max()) == (True, 1.0)


def test_draws_are_uniform_and_independent() -> None:
    """A 300 x 300 grid of draws is uniform, and neighbours are uncorrelated (fixed key, false alarm 1e-3 each)."""
    index = np.arange(300)
    grid = uniform(12345678901234567890, index[:, None], index[None, :])
    assert (grid.min() > 0, grid.max() < 1) == (True, True)
    assert stats.kstest(grid.ravel(), "uniform").pvalue > 1e-3
    z = normal(5, index[:, None], index[None, :])
    for a, b in ((z[1:], z[:-1]), (z[:, 1:], z[:, :-1]), (z, z.T)):
        upper = np.triu_indices(min(a.shape), k=1)
        assert stats.pearsonr(a[upper], b[upper]).pvalue > 1e-3


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mated_sd": 0.0}, "providers.s.mated_sd"),
        ({"non_mated_sd": float("nan")}, "providers.s.non_mated_sd"),
        ({"failure_rate": 1.0}, r"failure_rate in \[0, 1\)"),
        ({"asymmetry": -1.0}, "asymmetry >= 0"),
        ({"recommended": {"strict": 2.0}}, "providers.s.recommended.strict"),
    ],
)
def test_distributions_that_cannot_be_are_refused(fields: dict[str, object], message: str) -> None:
    """Each number out of its range is a usage error that names it."""
    with pytest.raises(SpecError, match=message):
        Simulated(name="s", **fields)  # type: ignore[arg-type]  # fields by name
