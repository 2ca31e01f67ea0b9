"""A limit that is just kept is rarely passed (FORMULAS 8.8): verdicts on simulated counts of known truth.

Seeds are fixed. A claim "P(pass) is at most 5 %" would alarm falsely with probability 0.001, were it 5 %.
"""

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.core import Estimate, Verdict
from frtaudit.core.spec import RequirementSpec, Weighting
from frtaudit.evaluation.intervals import from_bounds
from frtaudit.evaluation.requirements import JudgementContext, judge
from frtaudit.stats.intervals.borrowing import DesignEffectSource
from frtaudit.stats.intervals.dependence import Residuals
from frtaudit.stats.intervals.wilson import RuleInterval, _rule
from frtaudit.testing import POPULATIONS, Population, simulate
from frtaudit.testing.study.cells import Cell
from frtaudit.testing.study.systems import cohort_of, spec_of, system_of

pytestmark = pytest.mark.slow

Floats = npt.NDArray[np.float64]
ALPHA, ALARM, COHORTS, PAIRS, SPREAD = 0.05, 1e-3, 300, 10, 0.4


def mated(errors: Floats) -> Residuals:
    """FNMR of subjects with ``PAIRS`` mated comparisons each; ``errors``: shape (K,), of each subject."""
    rate = float(errors.mean()) / PAIRS
    return Residuals(
        rate=rate,
        errors=int(errors.sum()),
        trials=errors.size * PAIRS,
        total=errors.size * PAIRS,
        subjects=errors.size,
        effective_subjects=float(errors.size),
        subjects_with_errors=int(np.count_nonzero(errors)),
        by_subject=float(np.square(errors - rate * PAIRS).sum()),
        right=int(np.count_nonzero(errors < PAIRS)),
    )


def non_mated(wrong: npt.NDArray[np.bool_]) -> Residuals:
    """FMR of all pairs of subjects with one sample; ``wrong``: shape (K, K), symmetric, False on the diagonal."""
    count = len(wrong)
    total = count * (count - 1) // 2
    errors = int(wrong.sum()) // 2
    rate = errors / total
    residual = wrong.sum(axis=1) - rate * (count - 1)
    return Residuals(
        rate=rate,
        errors=errors,
        trials=total,
        total=total,
        subjects=count,
        effective_subjects=float(count),
        subjects_with_errors=int(np.count_nonzero(wrong.any(axis=1))),
        by_subject=float(np.square(residual).sum()),
        by_block=errors * (1 - rate) ** 2 + (total - errors) * rate**2,
        right=count,
        heaviest=float(np.abs(residual).max()),
        blocks=float(total),
    )


def ruled(found: list[Residuals], ends: int) -> RuleInterval:
    """FORMULAS 8.1 at the first threshold, lent the design effect of the nearest of the others with enough errors."""
    enough = (item for item in found if item.errors >= 30 and item.subjects_with_errors >= 10)
    lent = next(enough, None)
    return _rule(
        found[0], lent, DesignEffectSource(threshold=None if lent is None else 0.0), 2 * ALPHA, ends=ends
    )


def verdict(interval: RuleInterval, metric: str, limit: float) -> Verdict:
    """What a requirement with this limit gets."""
    estimate = Estimate(
        provider="a",
        analysis="error_rates",
        metric=metric,
        schema=None,
        group="all",
        weighting="pooled",
        at={"threshold": 0.5},
        value=interval.rate,
        numerator=interval.errors,
        denominator=interval.trials,
        unit="share of comparisons",
        intervals=(from_bounds(interval.bounds, ALPHA, pairs=interval.pairs),),
    )
    bench = JudgementContext(estimates=[estimate], ranked={}, alpha=ALPHA, weighting=Weighting.POOLED)
    asked = RequirementSpec(name="r", metric=metric, at={"threshold": 0.5}, limit=limit)
    return judge([asked], bench)[0].verdict


def refuted(passes: int, cohorts: int = COHORTS) -> bool:
    """Whether the passes say that a limit equal to the rate is passed in more than alpha of all cohorts."""
    return bool(stats.binomtest(passes, cohorts, ALPHA, alternative="greater").pvalue < ALARM)


@pytest.mark.parametrize(("subjects", "rate"), [(20, 0.02), (20, 0.3), (60, 0.01), (60, 0.2), (200, 0.05)])
def test_fnmr_at_its_limit_is_rarely_passed(subjects: int, rate: float) -> None:
    """FNMR at a fixed threshold equal to the limit passes in at most 5 %, with few and with many errors."""
    rng, passes = np.random.default_rng(subjects), 0
    steps = np.array([1.0, 1.5, 2.0, 3.0]) * rate
    for _ in range(COHORTS):
        latent = rng.normal(0, SPREAD, (subjects, 1)) + rng.normal(0, 0.9, (subjects, PAIRS))
        place = stats.norm.cdf(latent / np.hypot(SPREAD, 0.9))  # uniform, alike within a subject
        found = [mated((place < min(step, 0.9)).sum(axis=1).astype(np.float64)) for step in steps]
        passes += verdict(ruled(found, 1), "fnmr", rate) is Verdict.PASS
    assert not refuted(passes)


@pytest.mark.parametrize(("subjects", "rate"), [(20, 0.02), (20, 0.2), (60, 0.002), (60, 0.05), (120, 0.01)])
def test_fmr_at_its_limit_is_rarely_passed(subjects: int, rate: float) -> None:
    """FMR at a fixed threshold equal to the limit passes in at most 5 %, with few and with many errors."""
    rng, passes = np.random.default_rng(subjects + 1), 0
    spread = float(np.sqrt(1 + 2 * SPREAD**2))
    cuts = stats.norm.isf(np.minimum(np.array([1.0, 2.0, 5.0, 20.0]) * rate, 0.9)) * spread
    for _ in range(COHORTS):
        own = rng.normal(0, SPREAD, subjects)
        noise = np.triu(rng.normal(0, 1, (subjects, subjects)), 1)
        score = own[:, None] + own[None, :] + noise + noise.T
        np.fill_diagonal(score, -np.inf)
        passes += verdict(ruled([non_mated(score > cut) for cut in cuts], 2), "fmr", rate) is Verdict.PASS
    assert not refuted(passes)


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda one: one.name)
def test_fnmr_at_an_fmr_target_is_rarely_passed_at_its_limit(population: Population) -> None:
    """FNMR at an FMR target, its threshold found anew in each cohort, passes a limit at the truth in at most 5 %."""
    cell = Cell(population=population, subjects=40, pattern=(4,))
    truth, target, cohorts, passes = simulate(population).mean, cell.targets[0], 100, 0
    limit = truth.fnmr(truth.threshold(target, cell.subjects))
    for number in range(cohorts):
        rng = np.random.default_rng([number, 91])
        sampled = population.subjects(rng, cell.subjects).samples(rng, [4] * cell.subjects)
        spec = spec_of(
            targets=[target], thresholds=(), intervals=cell.intervals[:1], n=199, seed=number, folds=False
        )
        found = ErrorRates().estimates(system_of(cohort_of(sampled, {}), spec), ALPHA).estimates
        bench = JudgementContext(estimates=found, ranked={}, alpha=ALPHA, weighting=Weighting.POOLED)
        asked = RequirementSpec(name="r", metric="fnmr_at_fmr", at={"fmr": target}, limit=limit)
        passes += judge([asked], bench)[0].verdict is Verdict.PASS
    assert not refuted(passes, cohorts)
