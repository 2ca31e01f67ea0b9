"""Tests of frtaudit.pipeline.preregistration."""

import pytest

from frtaudit.config.load import load_spec
from frtaudit.core.canonical import dumps
from frtaudit.core.seal import departures
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline.preregistration import content

SMALL = ["audit=demo", "cohort.subjects=24"]


def test_the_same_words_seal_the_same() -> None:
    """What is sealed depends on the spec alone, not on paths, threads or the report's words."""
    same = [*SMALL, "threads=1", "report.title=Another"]
    assert dumps(content(load_spec(SMALL))) == dumps(content(load_spec(same)))


def test_another_spec_seals_something_else() -> None:
    """Another seed is another spec and another synthetic cohort."""
    places = {
        item.place for item in departures(content(load_spec(SMALL)), content(load_spec([*SMALL, "seed=9"])))
    }
    assert places >= {"/spec/seed"}


def test_what_no_run_accepts_is_not_sealed() -> None:
    """A seal of it would be of no use: a B that is too small, a target that these people do not resolve."""
    with pytest.raises(SpecError, match=r"^bootstrap.B: B = 39 .*accepted: 199 or more$"):
        content(load_spec([*SMALL, "bootstrap.B=39"]))
    with pytest.raises(DataError, match=r"^thresholds.fmr: FMR 1e-06 "):
        content(load_spec([*SMALL, "thresholds.fmr=[1e-6]"]))
