"""Tests of frtaudit.cli.sweeps.made_again."""

import json
from dataclasses import replace

import pytest
import small_sweep

from frtaudit.cli.sweeps.jobs import JobResult, State
from frtaudit.cli.sweeps.made_again import made_again
from frtaudit.cli.sweeps.table import table
from frtaudit.core.canonical import to_bytes
from frtaudit.errors import SpecError

REFUSED = small_sweep.refused(SpecError("providers", "found c", "a, b"))
LAST = (
    small_sweep.outcomes()[3],
    JobResult(job=small_sweep.plan().jobs[3], state=State.UNFINISHED, error="it did not come to an end"),
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
