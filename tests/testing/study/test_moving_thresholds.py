"""Tests of frtaudit.testing.study.moving_thresholds."""

from pathlib import Path

import pytest

from frtaudit.testing.study.moving_thresholds import Moving, main, read, table


@pytest.mark.slow
def test_a_small_study_runs_through(tmp_path: Path) -> None:
    """FNMR at an FMR, the threshold and six picked groups in both weightings; misses are no more than cohorts."""
    out = tmp_path / "found.json"
    small = ["--part", "made", "--set", "isotropic", "--people", "60", "--cohorts", "4", "--B", "39"]
    main([*small, "--made-people", "300", "--out", str(out)])
    found = read(out)
    assert len(found) == 2 * (2 + 3 * 2)
    assert all(0 <= count <= item.cohorts <= 4 for item in found for count in item.lower + item.upper)


def test_a_picked_group_is_held_to_its_coverage() -> None:
    """Covers .94 or more; other intervals are held to 1.2 times each one-sided error."""
    row = Moving(set="s", people=60, target=0.01, interval="picked", cohorts=2000, lower=(120,), upper=(0,))
    assert row.holds
    one_sided = Moving(
        set="s",
        people=60,
        target=0.01,
        interval="FNMR at FMR",
        cohorts=2000,
        lower=(160, 0, 0, 0),
        upper=(0,) * 4,
    )
    assert not one_sided.holds
    assert "beyond the bar" in table([one_sided])
