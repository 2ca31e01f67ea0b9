"""Tests of frtaudit.testing.study.appendix."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from small_audits import folder_of

from frtaudit.testing.study import appendix
from frtaudit.testing.study.appendix import Design, lines

DESIGN = Design(
    system="one", people=100, target=1e-3, rate="fmr", cohorts=2000, coverage=0.9, lower=80, upper=120, audits=9,
    appendix=0.94, highest=0.99,
)  # fmt: skip


@pytest.mark.parametrize(("said", "holds"), [(0.94, True), (0.95, True), (0.951, False), (None, True)])
def test_a_promise_may_lie_five_points_above_the_truth(said: float | None, holds: bool) -> None:
    """More than that fails; an appendix that says nothing promises nothing."""
    made = replace(DESIGN, appendix=said, highest=said)
    assert made.holds is holds
    assert lines([made])[-1].endswith("too high | 9 |") is not holds


def test_a_small_study_runs_through(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One system, one size, one target: a line for FMR and one for FNMR, misses and coverage adding up, JSON beside."""
    folder_of(tmp_path / "data")
    out = tmp_path / "appendix.json"
    options = ["--system", "one", "--people", "12", "--target", "0.1", "--cohorts", "40", "--audits", "2"]
    code = appendix.main(["--data", str(tmp_path / "data"), "--out", str(out), *options])
    made = [Design(**item) for item in json.loads(out.read_text())]
    assert [item.rate for item in made] == ["fmr", "fnmr"]
    for item in made:
        assert round(item.coverage * item.cohorts) + item.lower + item.upper == item.cohorts == 40
    assert code == int(not all(item.holds for item in made))
    assert len(capsys.readouterr().out.splitlines()) == 4
