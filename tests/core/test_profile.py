"""Tests of frtaudit.core.profile, as a spec names one."""

import pytest

from frtaudit.core.plain.structure import build, plain
from frtaudit.core.profile import Confidence, Counts, ProfileSpec
from frtaudit.errors import SpecError

HOUSE = {"source": "Internal rules", "date": "2026"}


def test_a_profile_of_ones_own_needs_a_source_and_a_date() -> None:
    """The rest has defaults; what is written is read back as the same value."""
    made = build(ProfileSpec, HOUSE, "profiles.house")
    assert (made.confidence, made.counts, made.rule) == (Confidence.DOCUMENT, Counts.COMPARISONS, None)
    assert build(ProfileSpec, plain(made), "profiles.house") == made


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"confidence": "sure"}, "profiles.house.confidence: found 'sure'"),
        ({"counts": "claims"}, "profiles.house.counts: found 'claims'"),
        ({"date": 2026}, "profiles.house.date: found 2026"),
        ({"facts": [{"asks": "x"}]}, "profiles.house.facts[0].confidence: no value"),
        (
            {"facts": [{"asks": "x", "confidence": "document", "why": "y"}]},
            "profiles.house.facts[0]: unknown key 'why'",
        ),
        ({"source": None}, "profiles.house.source: found null"),
    ],
)
def test_what_is_no_profile_is_refused(change: dict[str, object], line: str) -> None:
    """One line: the place, what was found, what would have been accepted."""
    with pytest.raises(SpecError) as caught:
        build(ProfileSpec, {**HOUSE, **change}, "profiles.house")
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)
