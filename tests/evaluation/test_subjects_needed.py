"""Tests subjects_needed."""

from statistics import NormalDist

import pytest

from frtaudit.evaluation.subjects_needed import subjects_needed

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
