import math
from dataclasses import replace

import pytest
from small_audits import whole

from frtaudit import Report
from frtaudit.pipeline.frames import finding_rows


@pytest.fixture(scope="module")
def report() -> Report:
    """A small whole audit, with findings."""
    return Report(whole().result)


def test_the_interval_shown_first_is_the_reports(report: Report) -> None:
    """An estimate with an interval for the population shows that; one with others only shows the first of them."""
    for row, item in zip(report.frame().itertuples(), report.result.estimates, strict=True):
        targets = {interval.target.value for interval in item.intervals}
        assert (row.target in targets) if targets else row.target is None
        if "population" in targets:
            assert row.target == "population"


def test_the_operating_point_is_a_number_too(report: Report) -> None:
    """Columns fmr and threshold are the numbers of an estimate's point, NaN where it has none."""
    for row, item in zip(report.frame().itertuples(), report.result.estimates, strict=True):
        for name, value in (("fmr", row.fmr), ("threshold", row.threshold)):
            wanted = item.at.get(name)
            assert value == wanted if isinstance(wanted, float) else math.isnan(value)


def test_findings_are_a_table(report: Report) -> None:
    """A row for each finding, with its estimate's place and counts, the limit and its sense; none makes no row."""
    frame, findings = report.findings(), report.result.findings
    assert frame["requirement"].tolist() == [item.requirement for item in findings]
    assert frame["verdict"].tolist() == [item.verdict.value for item in findings]
    judged = [item for item in findings if item.estimate is not None]
    at = [report.result.estimates[int(str(item.estimate).rsplit("/", 1)[1])] for item in judged]
    assert frame["value"].dropna().tolist() == [item.value for item in at if item.value is not None]
    assert set(frame["sense"]) == {"<="}
    bare = Report(replace(report.result, findings=()))
    assert len(bare.findings()) == 0
    assert list(bare.findings().columns) == list(frame.columns)


def test_the_rows_of_findings_are_the_tables(report: Report) -> None:
    """What is printed as JSON has the table's columns and its texts."""
    rows, frame = finding_rows(report.result), report.findings()
    assert all(set(frame.columns) <= set(row) for row in rows)
    assert [row["sentence"] for row in rows] == frame["sentence"].tolist()
