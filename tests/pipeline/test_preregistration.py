"""Tests of frtaudit.pipeline.preregistration."""

import pytest

from frtaudit.core.canonical import dumps
from frtaudit.core.seal import departures
from frtaudit.errors import SpecError
from frtaudit.pipeline.preregistration import content

SMALL = ["audit=demo", "cohort.subjects=20"]


def test_the_same_words_seal_the_same() -> None:
    """What is sealed depends on the spec alone, not on paths, threads or the report's words."""
    same = [*SMALL, "threads=1", "report.title=Another"]
    assert dumps(content(SMALL)) == dumps(content(same))


def test_another_spec_seals_something_else() -> None:
    """Another seed is another spec and another synthetic cohort."""
    places = {item.place for item in departures(content(SMALL), content([*SMALL, "seed=9"]))}
    assert places >= {"/spec/seed"}


def test_a_b_that_no_run_accepts_is_not_sealed() -> None:
    """A seal of it would be of no use."""
    with pytest.raises(SpecError, match=r"^bootstrap.B: B = 39 .*accepted: 199 or more$"):
        content(["audit=demo", "cohort.subjects=24", "bootstrap.B=39"])
