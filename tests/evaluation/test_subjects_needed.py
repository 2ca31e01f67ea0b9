"""Tests subjects_needed."""

from statistics import NormalDist

import pytest

from frtaudit.evaluation.subjects_needed import (
    projected,
    subjects_for_distance,
    subjects_needed,
    subjects_to_detect,
)
from frtaudit.stats.intervals.rate_bounds import RateBounds

SETTINGS = {"upper": True, "alpha": 0.05, "family": 1, "n_eff": 100.0, "subjects": 80.0}


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("family", [1, 4])
@pytest.mark.parametrize("value", [0.0, 0.0005, 0.018, 0.025, 0.04])
def test_so_many_subjects_put_the_bound_on_the_limit(value: float, family: int, upper: bool) -> None:
    """The deciding bound on the effective size of so many subjects reaches the limit, to the two digits printed."""
    needed = subjects_needed(
        value, 0.02, **{**SETTINGS, "family": family, "upper": upper, "n_eff": 10.0, "subjects": 8}
    )
    assert needed is not None
    failure = (value > 0.02) == upper
    error = 0.05 / (family if failure else 1)

    def reached(subjects: float) -> bool:
        bounds = RateBounds(rate=value, n_eff=subjects * 10 / 8, degrees=subjects - 1)
        return bounds.high(error) <= 0.02 if value < 0.02 else bounds.low(error) >= 0.02

    assert reached(1.06 * needed)
    assert not reached(0.94 * needed)


def test_a_number_is_more_than_there_are() -> None:
    """104 subjects to two digits would be the 100 that did not decide."""
    assert (projected(104.0, 100.0), projected(104.0, 99.0), projected(104.0, 104.0)) == (110.0, 100.0, None)


@pytest.mark.parametrize(
    ("value", "limit", "changed"),
    [
        (0.02, 0.02, {}),
        (0.0, 0.0, {}),
        (0.5, 1.0, {}),
        (0.01, 0.02, {"n_eff": 0.0}),
        (0.01, 0.02, {"subjects": 0.0}),
        (0.01, 0.02, {"n_eff": 1e6}),
    ],
)
def test_no_number_is_said_where_none_decides(value: float, limit: float, changed: dict[str, float]) -> None:
    """A rate on its limit, a limit of 0 or 1, no effective size, no subjects, or more of them than are needed."""
    assert subjects_needed(value, limit, **{**SETTINGS, **changed}) is None


@pytest.mark.parametrize("value", [1.2, 2.6])
def test_so_many_subjects_put_the_bound_of_a_distance_on_the_limit(value: float) -> None:
    """The bound on d^2, whose variance is b d^2 / k for k times the subjects, reaches the limit at that k."""
    b, limit, errors = 0.8, 1.5, (0.05, 0.05 / 8 / 6)

    def bounds(k: float, error: float) -> tuple[float, float]:
        z, v = NormalDist().inv_cdf(1 - error), value**2
        lean = z**2 * b / k / 2
        return max(v - z * (b * v / k) ** 0.5, 0.0) ** 0.5, (v + lean + (lean * (lean + 2 * v)) ** 0.5) ** 0.5

    needed = subjects_for_distance(
        value, limit, bounds(1.0, 0.025), level=0.95, errors=errors, subjects=400.0
    )
    assert needed is not None
    fails = value > limit
    reached = bounds(needed / 400.0, errors[fails])[0 if fails else 1]
    assert reached == pytest.approx(limit, rel=0.01)


@pytest.mark.parametrize(
    ("value", "limit", "low"), [(1.5, 1.5, 1.0), (1.0, 0.0, 0.5), (2.6, 1.5, 0.0), (1.0, 9.0, 0.5)]
)
def test_no_number_is_said_where_none_decides_a_distance(value: float, limit: float, low: float) -> None:
    """A distance on its limit, a limit of 0, a lower bound cut off at 0, or more subjects than are needed."""
    errors = (0.05, 0.001)
    made = subjects_for_distance(value, limit, (low, 3.0), level=0.95, errors=errors, subjects=400.0)
    assert made is None


def test_detection_takes_the_square_of_the_ratio_of_sizes() -> None:
    """Half of the detectable difference takes four times the subjects; one that is detectable, or 0, takes no more."""
    assert subjects_to_detect(0.01, 0.02, 100) == 400.0
    assert subjects_to_detect(0.03, 0.02, 100) is None
    assert subjects_to_detect(0.0, 0.02, 100) is None
