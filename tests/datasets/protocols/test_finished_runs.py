import pytest
from vendor_audits import made, runs

from frtaudit.datasets.cohorts.runs import Runs
from frtaudit.datasets.protocols.finished_runs import AsFinished
from frtaudit.errors import SpecError
from frtaudit.pipeline.components import load_cohort


def test_the_comparisons_are_those_of_the_runs() -> None:
    """All pairs here; a cohort that is not made of runs is refused."""
    cohort_data = Runs(runs=(str(runs() / "one"),)).load({}, 0)
    assert AsFinished().comparisons(cohort_data).all_pairs
    with pytest.raises(SpecError, match="no finished run"):
        AsFinished().comparisons(load_cohort(made()))
