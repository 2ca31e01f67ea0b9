import json
from dataclasses import replace
from pathlib import Path

import pytest
import small_sweep
from finished_runs import write_run

from frtaudit.core import Verdict
from frtaudit.core.canonical import plain
from frtaudit.errors import DataError
from frtaudit.report.exports.of_sweep import judged_by
from frtaudit.report.exports.run_folder import FinishedRun, read_run


def first_job(sweep: Path) -> tuple[FinishedRun, str]:
    """The first job of a written sweep, read back, and its folder."""
    table = small_sweep.sweep(0.012)
    outcome = table.outcomes[0]
    folder = write_run(sweep / outcome.job.folder, outcome.result)
    (sweep / "sweep.json").write_text(json.dumps(plain(table.to_json())))
    return read_run(folder), outcome.job.folder


def test_a_job_has_the_verdicts_of_its_sweep(tmp_path: Path) -> None:
    """A failure that does not hold says so in its sentence; the digest is that of result.json."""
    run, job = first_job(tmp_path)
    judged = judged_by(run, tmp_path, job)
    table = small_sweep.sweep(0.012)
    rows = [item for item in table.findings if item.job == 1]
    assert [item.verdict for item in judged.result.findings] == [item.in_sweep for item in rows]
    assert (judged.sha256, judged.swept) == (run.sha256, table.family)
    pairs = list(zip(run.result.findings, judged.result.findings, strict=True))
    turned = [after for before, after in pairs if before.verdict is not after.verdict]
    assert {item.verdict for item in turned} == {Verdict.INCONCLUSIVE}
    more = f"; fail in its run, inconclusive after adjustment over the {table.family} findings of the sweep ("
    assert all(more in item.sentence for item in turned)
    assert all(after.sentence == before.sentence for before, after in pairs if after not in turned)


def test_a_table_of_before_is_read(tmp_path: Path) -> None:
    """The findings stood under ``rulings`` once."""
    run, job = first_job(tmp_path)
    judged = judged_by(run, tmp_path, job)
    table = json.loads((tmp_path / "sweep.json").read_text())
    table["rulings"] = table.pop("findings")
    (tmp_path / "sweep.json").write_text(json.dumps(table))
    assert judged_by(run, tmp_path, job) == judged


def test_a_table_of_another_result_is_refused(tmp_path: Path) -> None:
    """No verdict is read from a table that names another result, other findings, or not the job."""
    run, job = first_job(tmp_path)
    other = replace(run, result=replace(run.result, findings=run.result.findings[1:]))
    for wrong, name in ((other, job), (run, "elsewhere")):
        with pytest.raises(DataError, match="sweep.json: does not record what the sweep concluded for"):
            judged_by(wrong, tmp_path, name)
