import numpy as np
import pytest
from scipy import stats

from frtaudit.stats.labels.agreement import kappa, table_of

COHORTS, FACES, PER_QUERY = 1000, 400, 8


def reviewer(truth: np.ndarray, rate: float, rng: np.random.Generator) -> np.ndarray:
    """A reviewer who errs on a share of the faces."""
    return np.where(rng.random(truth.shape) < rate, 1 - truth, truth)


def true_kappa(prevalence: float, one: float, other: float) -> float:
    """Kappa of two reviewers who err independently."""
    agreed = (1 - one) * (1 - other) + one * other
    first, second = (prevalence * (1 - rate) + (1 - prevalence) * rate for rate in (one, other))
    expected = first * second + (1 - first) * (1 - second)
    return (agreed - expected) / (1 - expected)


@pytest.mark.parametrize(
    ("prevalence", "one", "other"), [(0.5, 0.02, 0.05), (0.8, 0.05, 0.1), (0.7, 0.2, 0.2), (0.9, 0.01, 0.01)]
)
def test_the_interval_contains_the_kappa_of_reviewers_with_known_error_rates(
    prevalence: float, one: float, other: float
) -> None:
    """Of 1000 searches of 50 queries; queries differ in how many faces are right. False alarm: below 1e-6."""
    rng = np.random.default_rng(20)
    query = np.repeat(np.arange(FACES // PER_QUERY), PER_QUERY)
    truth, held = true_kappa(prevalence, one, other), 0
    for _ in range(COHORTS):
        faces = (rng.random(FACES) < prevalence).astype(np.int64)
        found = kappa(reviewer(faces, one, rng), reviewer(faces, other, rng), query, 0.05)
        held += found.low <= truth <= found.high
    assert stats.binom.cdf(held, COHORTS, 0.92) > 1e-6


def test_kappa_and_its_error_are_those_of_fleiss_cohen_and_everitt() -> None:
    """Their formula, written out over the table, where every face is a query of its own."""
    rng = np.random.default_rng(3)
    one = rng.integers(0, 3, 500)
    other = np.where(rng.random(500) < 0.7, one, rng.integers(0, 3, 500))
    found = kappa(one, other, np.arange(500), 0.05)
    p = table_of(one, other, 3) / 500
    row, column = p.sum(axis=1), p.sum(axis=0)
    po, pe = np.trace(p), row @ column
    value = (po - pe) / (1 - pe)
    diagonal = sum(p[i, i] * ((1 - pe) - (row[i] + column[i]) * (1 - po)) ** 2 for i in range(3))
    off = (1 - po) ** 2 * sum(
        p[i, j] * (column[i] + row[j]) ** 2 for i in range(3) for j in range(3) if i != j
    )
    variance = (diagonal + off - (po * pe - 2 * pe + po) ** 2) / (500 * (1 - pe) ** 4)
    half = stats.t.ppf(0.975, 499) * np.sqrt(variance * 500 / 499)
    np.testing.assert_allclose([found.value, found.low, found.high], [value, value - half, value + half])


def test_without_a_disagreement_the_interval_is_not_a_point() -> None:
    """Ten queries without one exclude only shares above 31 %; one answer for all leaves kappa undefined."""
    answers = np.tile([0, 1], 20)
    found = kappa(answers, answers, np.repeat(np.arange(10), 4), 0.05)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(1 - (1 - 0.025**0.1) / 0.5)
    assert np.isnan(kappa(np.zeros(4, dtype=int), np.zeros(4, dtype=int), np.arange(4), 0.05).value)


@pytest.mark.parametrize("other", [[0, 0, 1, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 2]])
def test_one_answer_for_all_of_one_reviewer_has_no_interval(other: list[int]) -> None:
    """Agreement is then what is expected, whatever the other gave: kappa is 0, and its interval was one point."""
    constant = np.zeros(7, dtype=np.int64)
    for labels in ((constant, np.array(other)), (np.array(other), constant)):
        estimate = kappa(*labels, np.arange(7), 0.05)
        assert estimate.value == 0.0
        assert np.isnan([estimate.low, estimate.high]).all()
