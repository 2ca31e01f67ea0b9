"""Tests of frtaudit.testing.study.claimed."""

from frtaudit.testing.study.claimed import Claim, line


def test_a_broken_claim_is_marked() -> None:
    """A claim whose exact p is at most 0.001 is said not to hold."""
    made = Claim(scene="s", claim="covers", found=0.05, cohorts=100, limit=0.95, p=1e-9)
    assert line(made) == "s: covers 0.050 of 100 (limit 0.95, p 1e-09): DOES NOT HOLD"
