"""Tests of frtaudit.cli.sweeps.made_again."""

import json
from dataclasses import replace

import pytest
import small_sweep

from frtaudit.cli.sweeps.jobs import JobResult, State
from frtaudit.cli.sweeps.made_again import made_again
from frtaudit.cli.sweeps.table import table
from frtaudit.core.canonical import to_bytes
from frtaudit.errors import SpecError, VerificationError

REFUSED = small_sweep.refused(SpecError("providers", "found c", "a, b"))
LAST = (
    small_sweep.outcomes()[3],
    JobResult(job=small_sweep.plan().jobs[3], state=State.UNFINISHED, error="it did not finish"),
    JobResult(job=REFUSED, state=State.REFUSED, error=REFUSED.error),
)


@pytest.mark.parametrize("last", LAST)
def test_the_same_bytes_come_out_of_the_results_that_a_table_names(last: JobResult) -> None:
    """Whatever became of a job: the results beside the table are all that it takes."""
    outcomes = (*small_sweep.outcomes()[:3], last)
    plan = replace(small_sweep.plan(), jobs=tuple(item.job for item in outcomes))
    found = table(plan, outcomes)
    results = {item.job.number: item.result for item in outcomes if item.result is not None}
    said = to_bytes(found.to_json())
    assert made_again(json.loads(said), results) == (said, found.to_csv())


def test_a_table_of_before_is_made_again_with_its_key() -> None:
    """``sweep.json`` called the findings ``rulings`` once: such a table follows from its jobs too."""
    found = small_sweep.sweep()
    before = {"rulings" if key == "findings" else key: value for key, value in found.to_json().items()}
    results = {item.job.number: item.result for item in found.outcomes if item.result is not None}
    assert made_again(before, results) == (to_bytes(before), found.to_csv())


LABELS = (
    ("thresholds.fmr", "[1e-3,0.0001]", True),  # the second is a requirement's
    ("thresholds.fmr", "[0.0001]", False),
    ("thresholds.fmr", "[]", True),
    ("bootstrap.alpha", "0.050", True),
    ("bootstrap.alpha", "'0.05'", True),
    ("bootstrap.alpha", "0.1", False),
    ("bootstrap.alpha", "${alpha}", True),
    ("bootstrap.alpha", "null", True),
    ("bootstrap", "thesis", True),
    ("providers", "[a]", True),
    ("cohort.root", "3", True),
)


@pytest.mark.parametrize(("key", "label", "holds"), LABELS)
def test_a_setting_that_its_spec_contradicts_is_found(key: str, label: str, holds: bool) -> None:
    """A job called by another number than its spec holds; words and what the spec lacks are not compared."""
    (outcome, *_) = small_sweep.outcomes()
    assert outcome.result is not None
    fmr = {"fmr": [0.001, 0.0001] if key == "thresholds.fmr" and label != "[]" else [0.0001]}
    spec = {**outcome.result.spec, "thresholds": fmr, "requirements": [{"at": {"fmr": 0.0001}}]}
    result = replace(outcome.result, spec=spec)
    called = replace(outcome, job=replace(outcome.job, settings={key: label}), result=result)
    found = table(replace(small_sweep.plan(), jobs=(called.job,)), [called]).to_json()
    if holds:
        assert made_again(found, {1: result})[0] == to_bytes(found)
        return
    with pytest.raises(VerificationError, match=f"calls job 1 {key}="):
        made_again(found, {1: result})
