import numpy as np
import pytest
from scipy.stats import binomtest

from frtaudit.testing.label_study import ALPHA, held, population, rate_on_truth
from frtaudit.testing.web_searches import Truth, search


def test_a_perfect_service_errs_nowhere_on_the_truth() -> None:
    """Scores that are the truth have FNMR 0 on it; scores turned round fail everywhere."""
    faces, services = search(Truth.EASY, 10, np.random.default_rng(1))
    one = services[0]
    own = faces.annotated == 1
    same = (faces.query_of[one.first] == faces.query_of[one.second]) & own[one.first] & own[one.second]
    kind = type(one)
    for score, rate in ((same.astype(np.float64), 0.0), (-same.astype(np.float64), 1.0)):
        made = kind(
            name="s", first=one.first, second=one.second, score=score, failure=one.failure, codes=one.codes
        )
        assert rate_on_truth(faces, made) == rate


@pytest.mark.slow
def test_intervals_on_true_labels_hold_the_population() -> None:
    """FNMR at FMR 1 % of new people, three kinds of search, a middle service: 0.95, a false alarm of 1 in 1000."""
    covered, count = 0, 0
    for number, truth in enumerate(Truth):
        due = population(truth, number, searches=40, queries=40)
        rng = np.random.default_rng(50 + number)
        for k in range(4):
            made = list(held(*search(truth, 40, rng), seed=k))[2]
            covered += made.low <= due[2] <= made.high
            count += 1
    assert binomtest(covered, count, 1 - ALPHA, alternative="less").pvalue > 0.001
