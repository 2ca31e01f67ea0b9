import pytest

from frtaudit.errors import SpecError
from frtaudit.inputs.thresholds.recommendation import check_recommended


def test_thresholds_lie_in_the_range() -> None:
    """The ends of the range are thresholds, anything beyond is a usage error that names the range."""
    check_recommended("a", {"low": -1.0, "high": 1.0}, (-1.0, 1.0))
    for value in (1.01, float("nan"), float("-inf")):
        with pytest.raises(
            SpecError, match=r"providers.a.recommended.x: threshold .* out of range; accepted: -1 to 1"
        ):
            check_recommended("a", {"x": value}, (-1.0, 1.0))


def test_a_range_has_a_width() -> None:
    """Equal, swapped, infinite and undefined ends are refused."""
    for pair in ((1.0, 1.0), (1.0, 0.0), (0.0, float("inf")), (float("nan"), 1.0)):
        with pytest.raises(SpecError, match="providers.a.score_range"):
            check_recommended("a", {}, pair)
