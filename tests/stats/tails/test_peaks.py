"""The model of the tail: its rates, its thresholds, which candidates it uses, and what its intervals cover."""

import numpy as np
import pytest
from scipy.stats import binomtest

from frtaudit.core.scores import ScoreTail
from frtaudit.stats.bootstrap.weights import draw_between
from frtaudit.stats.similarity.tail import from_matrix
from frtaudit.stats.tails.peaks import TailModel, deciding_bound, tail_model
from frtaudit.testing.populations import ISOTROPIC
from frtaudit.testing.study.tail_model import tops

PEOPLE, NUMBERS = 80, (400, 200, 100)


def tail_of(people: int, seed: int, decimals: int = 12) -> ScoreTail:
    """All pairs of people with one image each."""
    rng = np.random.default_rng(seed)
    vectors = ISOTROPIC.subjects(rng, people).samples(rng, [1] * people, np.float64).vectors
    return from_matrix(np.round(vectors @ vectors.T, decimals), [f"{k:04d}" for k in range(people)])


def model_of(tail: ScoreTail, level: float = 1e-9, draws: int = 19, resamples: int = 99) -> TailModel:
    """Fitted; at so low a level no fit is rejected."""
    people = tail.n_samples.size
    copies = draw_between(np.zeros(people, dtype=np.int32), seed=1, first=0, count=resamples)
    rng = np.random.default_rng(2)
    return tail_model(tail, NUMBERS, copies, level=level, draws=draws, rng=rng)


def test_what_exceeds_a_candidate_is_counted() -> None:
    """Its share is that of the scores above it, by counting; the rate there is the share."""
    tail = tail_of(PEOPLE, 1)
    model = model_of(tail)
    assert model.fits == len(NUMBERS)
    for one in model.candidates:
        above = int((tail.tail_score > one.threshold).sum())
        assert one.exceedances == above
        assert one.fmr(one.threshold) == one.share == above / tail.tail_score.size


def test_the_average_and_its_threshold_are_inverse() -> None:
    """FMR at the threshold of a target is the target, of the data and of each resample that reaches it."""
    model = model_of(tail_of(PEOPLE, 1))
    value, drawn = model.threshold_at(1e-3, 1.0)
    assert model.fmr(value)[0] == pytest.approx(1e-3)
    each = np.mean([one.drawn_fmr(drawn) for one in model.used], axis=0)
    assert each[drawn < 1 - 1e-9] == pytest.approx(1e-3)


def test_a_resample_of_each_subject_once_is_the_data() -> None:
    """Copies of one give the share and the fit of the data."""
    tail = tail_of(PEOPLE, 1)
    once = np.ones((PEOPLE, 1), dtype=np.int64)
    model = tail_model(tail, NUMBERS, once, level=0.1, draws=19, rng=np.random.default_rng(1))
    for one in model.candidates:
        assert one.drawn_fmr(0.9)[0] == pytest.approx(one.fmr(0.9))


def test_a_rejected_fit_takes_those_below_it_along() -> None:
    """At the level of a p value its candidate, and those with more exceedances, are not used."""
    tail = tail_of(PEOPLE, 1)
    p = [one.p for one in model_of(tail).candidates]
    found = model_of(tail, level=p[1])
    assert found.fits == (1 if p[2] > p[1] else 0)


def test_candidates_lost_to_ties_are_no_candidates() -> None:
    """Scores without a decimal tie by the hundred: nothing is fitted."""
    assert model_of(tail_of(PEOPLE, 1, decimals=0)).candidates == ()


def test_people_not_met_bound_what_decides() -> None:
    """However low the model is, a limit below -ln(error)/P is not kept."""
    assert deciding_bound(np.zeros(99), 0.05, 1e-9, 1 / 4950) == pytest.approx(-np.log(0.05) / 4950)
    assert deciding_bound(np.full(99, 0.2), 0.05, 1e-9, 1 / 4950) == 0.2


@pytest.mark.slow
def test_one_decade_beyond_the_data_is_covered() -> None:
    """120 cohorts of 317 people, FMR 1e-5 known from 2e8 comparisons: .95 intervals cover .90 or more."""
    scores, total = tops(ISOTROPIC, 20, np.random.default_rng(1))
    threshold = float(scores[round(1e-5 * total)])
    covered, tried = 0, 0
    for seed in range(120):
        model = model_of(tail_of(317, seed), resamples=199)
        _, drawn = model.fmr(threshold)
        low, high = np.quantile(drawn, [0.025, 0.975])
        covered, tried = covered + int(low <= 1e-5 <= high), tried + 1
    assert binomtest(covered, tried, 0.9, alternative="less").pvalue > 0.001
