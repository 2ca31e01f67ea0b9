"""Tests of frtaudit.cli.sweeps.table: rows, the family over the sweep, what a setting moved."""

import csv
import io
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
import small_sweep

from frtaudit.cli.sweeps.jobs import JobResult, State
from frtaudit.cli.sweeps.table import table
from frtaudit.core import Verdict
from frtaudit.core.canonical import to_bytes
from frtaudit.stats.systems.multiplicity import holm


def test_every_finding_of_every_job_stands_in_the_table() -> None:
    """Four jobs, each finding once, in the jobs' order; the family is all of them."""
    found = small_sweep.sweep()
    each = len(small_sweep.result().findings)
    assert len(found.findings) == found.family == 4 * each
    assert [item.job for item in found.findings] == [job for job in (1, 2, 3, 4) for _ in range(each)]
    assert found.alphas == (0.05, 0.1)


def test_p_values_over_the_sweep_are_holms() -> None:
    """What could not be tested keeps its place with p = 1."""
    found = small_sweep.sweep()
    expected = holm([1.0 if item.p is None else item.p for item in found.findings])
    assert tuple(item.p_sweep for item in found.findings) == expected


@pytest.mark.parametrize(("p", "verdict"), [(1e-6, Verdict.FAIL), (0.012, Verdict.INCONCLUSIVE)])
def test_a_failure_counts_where_it_holds_over_the_sweep(p: float, verdict: Verdict) -> None:
    """A failure of one run that four runs would show by chance is inconclusive over the sweep; passes stay."""
    found = small_sweep.sweep(p)
    failures = [item for item in found.findings if item.verdict is Verdict.FAIL and item.p == p]
    assert len(failures) == 4
    assert {item.in_sweep for item in failures} == {verdict}
    others = [item for item in found.findings if item.verdict is not Verdict.FAIL]
    assert all(item.in_sweep is item.verdict for item in others)


def test_a_level_of_its_own_holds_over_the_sweep_too() -> None:
    """A failure at a requirement's stricter level is held to that level, and an advisory one is not counted."""
    strict = []
    for outcome in small_sweep.outcomes(1e-6):
        found = outcome.result
        assert found is not None
        name = next(item.requirement for item in found.findings if item.verdict is Verdict.FAIL)
        findings = tuple(replace(item, advisory=item.verdict is Verdict.FAIL) for item in found.findings)
        spec = {**found.spec, "requirements": [{"name": name, "level": 0.9999999}]}
        strict.append(replace(outcome, result=replace(found, findings=findings, spec=spec)))
    swept = table(small_sweep.plan(), strict)
    failures = [item for item in swept.findings if item.verdict is Verdict.FAIL and item.p == 1e-6]
    assert {item.in_sweep for item in failures} == {Verdict.INCONCLUSIVE}
    counted = sum(sum(counts.values()) for counts in swept.verdict_counts.values())
    assert counted == sum(item.verdict is not Verdict.FAIL for item in swept.findings)


def test_headline_numbers_keep_their_counts_and_intervals() -> None:
    """A row is an estimate of the result as it stands there, with an interval for the population."""
    found = small_sweep.sweep()
    source = small_sweep.result()
    rows = [item for item in found.rows if item.job == 1 and item.measure.metric == "fnmr_at_fmr"]
    assert rows
    for row in rows:
        estimate = next(
            item
            for item in source.estimates
            if item.provider == row.provider
            and item.metric == "fnmr_at_fmr"
            and item.schema is None
            and tuple(item.at.items()) == row.measure.at
            and item.weighting == "identity"
        )
        assert (row.value, row.numerator, row.denominator) == (
            estimate.value,
            estimate.numerator,
            estimate.denominator,
        )
        assert row.target == "population"


def test_a_change_compares_jobs_that_differ_in_one_setting() -> None:
    """Two settings of two values each: two pairs for each; doubling shows, a level moves no number."""
    found = {item.setting: item for item in small_sweep.sweep().changes}
    assert {name: item.pairs for name, item in found.items()} == {"providers": 2, "bootstrap.alpha": 2}
    moved = found["providers"]
    assert (moved.before, moved.after) == ("[a]", "[b]")
    assert moved.value_after == pytest.approx(2 * (moved.value_before or 0))
    assert found["bootstrap.alpha"].measure is None
    assert found["bootstrap.alpha"].verdicts == 0


def test_verdicts_that_differ_are_those_of_the_sweep() -> None:
    """A failure in both jobs of a pair that holds over the sweep in one of them is a difference."""
    four = small_sweep.outcomes(1e-6)
    weak = [
        replace(item, result=small_sweep.result(1.0, float(alpha), 0.012)) if target == "a" else item
        for item, (target, alpha) in zip(four, small_sweep.SETTINGS, strict=True)
    ]
    swept = table(small_sweep.plan(), weak)
    failures = [item for item in swept.findings if item.verdict is Verdict.FAIL and item.p in (1e-6, 0.012)]
    assert [item.in_sweep.value for item in failures] == ["inconclusive", "inconclusive", "fail", "fail"]
    found = {item.setting: item.verdicts for item in swept.changes}
    assert found == {"providers": 2, "bootstrap.alpha": 0}


def test_another_label_is_not_another_measure() -> None:
    """Jobs are compared by the keys of their groups; each measure has the label that its job's report prints."""
    labelled = []
    for outcome in small_sweep.outcomes():
        found = outcome.result
        assert found is not None
        place = next(n for n, item in enumerate(found.estimates) if item.group == "amber")
        findings = (replace(found.findings[0], estimate=f"/estimates/{place}"),)
        label = "Amber" if outcome.job.number < 4 else "Orange"
        groups = [{"group": "amber", "label": label, "subjects": 9, "samples": 9}]
        cohort = {**found.cohort, "schemas": {"group": {"groups": groups}}}
        labelled.append(replace(outcome, result=replace(found, findings=findings, cohort=cohort)))
    swept = table(small_sweep.plan(), labelled)
    labels = [item.measure.label for item in swept.findings if item.measure is not None]
    assert labels == ["Amber", "Amber", "Amber", "Orange"]
    assert [item.compared for item in swept.changes] == [2, 2]


def test_jobs_without_a_result_are_named_and_left_out() -> None:
    """The family and the table are of the jobs that are done, and a note says so."""
    four = small_sweep.outcomes()
    short = table(
        small_sweep.plan(),
        (*four[:3], JobResult(job=four[3].job, state=State.UNFINISHED, error="stopped", exit_code=1)),
    )
    assert short.family == len(small_sweep.sweep().findings) * 3 // 4
    assert {item.job for item in short.rows} == {1, 2, 3}
    assert any(note.startswith("1 of 4 jobs have no result") for note in short.notes)
    assert json.loads(to_bytes(short.to_json()))["jobs"][3]["error"] == "stopped"


def test_other_data_in_one_job_is_said() -> None:
    """Jobs whose input of one name differs are not about the same data."""
    four = small_sweep.outcomes()
    assert four[0].result is not None
    made = replace(four[0].result, digests={**four[0].result.digests, "inputs": {"metadata.csv": "0" * 64}})
    others = [
        replace(
            item,
            result=replace(
                item.result, digests={**item.result.digests, "inputs": {"metadata.csv": "1" * 64}}
            ),
        )
        for item in four[1:]
        if item.result is not None
    ]
    found = table(small_sweep.plan(), (replace(four[0], result=made), *others))
    assert found.notes == (
        "the file metadata.csv is not the same in all jobs: their numbers are from different data",
    )


def test_the_spreadsheet_has_a_line_for_each() -> None:
    """As many lines as rows and findings, each with the settings of its job."""
    found = small_sweep.sweep()
    lines = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(lines) == len(found.rows) + len(found.findings)
    assert {(line["providers"], line["bootstrap.alpha"]) for line in lines} == {
        (f"[{target}]", alpha) for target, alpha in small_sweep.SETTINGS
    }
    assert {line["kind"] for line in lines} == {"estimate", "finding"}


def test_the_spreadsheet_names_what_each_verdict_is_adjusted_over() -> None:
    """Both verdicts and the three p values of a finding, named alike; the guide has every one of these columns."""
    found = small_sweep.sweep(0.012)
    lines = [line for line in csv.DictReader(io.StringIO(found.to_csv())) if line["kind"] == "finding"]
    for line, finding in zip(lines, found.findings, strict=True):
        assert (line["verdict_in_run"], line["verdict_over_sweep"]) == (
            finding.verdict.value,
            finding.in_sweep.value,
        )
        for name, p in (
            ("p_unadjusted", finding.p),
            ("p_adjusted_in_run", finding.p_adjusted),
            ("p_adjusted_over_sweep", finding.p_sweep),
        ):
            assert line[name] == ("" if p is None else str(p))
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "sweeps.md").read_text("utf-8")
    named = [name for name in lines[0] if name.startswith(("p_", "verdict"))]
    assert len(named) == 5
    assert all(f"| `{name}` |" in guide for name in named)


def test_the_order_of_finishing_moves_no_byte() -> None:
    """The table is a function of the plan and the results, whatever ran first."""
    four = list(small_sweep.outcomes())
    random.Random(3).shuffle(four)
    ordered = sorted(four, key=lambda item: item.job.number)
    assert to_bytes(table(small_sweep.plan(), ordered).to_json()) == to_bytes(small_sweep.sweep().to_json())
