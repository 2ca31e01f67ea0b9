import pytest

from frtaudit.core.text.kinds import Kind, declared, place, printed


@pytest.mark.parametrize("kind", list(Kind))
def test_a_value_keeps_its_side_of_a_limit(kind: Kind) -> None:
    """A value just above a limit is never printed as the limit."""
    assert printed(kind, 0.0300004, limit=0.03) != declared(kind, 0.03)


def test_operating_points_are_printed_by_what_they_are() -> None:
    """FMR targets in the digits declared, thresholds in six, names as they are."""
    assert [place("fmr", 1e-5), place("threshold", 1 / 3), place("recommended", "high")] == [
        "10⁻⁵", "0.333333", "high",
    ]  # fmt: skip
