"""Tests subjects_needed."""

from statistics import NormalDist

import pytest

from frtaudit.evaluation.subjects_needed import subjects_for_distance, subjects_needed, subjects_to_detect

SETTINGS = {"upper": True, "alpha": 0.05, "family": 1, "n_eff": 100.0, "subjects": 80.0}


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize(("value", "family"), [(0.018, 1), (0.018, 4), (0.025, 1), (0.025, 4)])
def test_so_many_subjects_put_the_bound_on_the_limit(value: float, family: int, upper: bool) -> None:
    """Wilson's bound on the effective size of so many subjects reaches the limit, to the two digits printed."""
    needed = subjects_needed(value, 0.02, **{**SETTINGS, "family": family, "upper": upper})
    assert needed is not None
    n = 100.0 * needed / 80.0
    failure = (value > 0.02) == upper
    z = NormalDist().inv_cdf(1 - 0.05 / (family if failure else 1))
    centre = (value + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * (value * (1 - value) / n + z**2 / (4 * n**2)) ** 0.5
    assert centre + (half if value < 0.02 else -half) == pytest.approx(0.02, abs=0.0002)


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
