import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import small_sweep
from finished_runs import write_run

from frtaudit.cli import main
from frtaudit.core.canonical import plain


def written_sweep(sweep: Path) -> dict[str, Any]:
    """A sweep whose first failure in each job does not hold over the sweep; what its table holds."""
    table = small_sweep.sweep(0.012)
    content: dict[str, Any] = json.loads(json.dumps(plain(table.to_json())))
    for outcome, job in zip(table.outcomes, content["jobs"], strict=True):
        job["folder"] = f"job-{job['number']}"
        write_run(sweep / job["folder"], outcome.result)
    (sweep / "sweep.json").write_text(json.dumps(content))
    return content


def test_a_sweep_is_exported_job_by_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder for each finished job; a table that names a folder elsewhere, or none that is done, is one line."""
    sweep = tmp_path / "sweep"
    content = written_sweep(sweep)
    jobs = content["jobs"]
    names = [job["folder"] for job in jobs]
    jobs[1]["state"] = "failed"
    (sweep / "sweep.json").write_text(json.dumps(content))
    assert main.main(["export", str(sweep), "--as", "junit", "--out", str(tmp_path / "out")]) == 0
    assert sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.xml")) == [
        f"{name}/junit.xml" for name in (names[0], *names[2:])
    ]
    for broken in ({"jobs": jobs[1:2]}, {"jobs": [{"folder": "../a", "state": "done"}]}, {}):
        (sweep / "sweep.json").write_text(json.dumps(broken))
        assert main.main(["export", str(sweep), "--out", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err.count("sweep/sweep.json: ") == 3


def test_an_exported_sweep_has_the_verdicts_of_the_sweep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As many failures in JUnit as in the table of jobs; a job's own folder has those of the job alone."""
    sweep = tmp_path / "sweep"
    content = written_sweep(sweep)
    assert main.main(["export", str(sweep), "--as", "junit,sarif", "--out", str(tmp_path / "out")]) == 0
    for job in content["jobs"]:
        suite = ET.parse(tmp_path / "out" / job["folder"] / "junit.xml").getroot()
        told = {item.get("name"): item.get("value") for item in suite.iter("property")}
        assert suite.get("failures") == str(job["counts"]["fail"])
        assert told["result_sha256"] == job["result_sha256"]
        assert told["verdicts_over_findings_of_sweep"] == str(content["family"])
    alone = sweep / content["jobs"][0]["folder"]
    assert main.main(["export", str(alone), "--as", "junit", "--out", str(tmp_path / "alone")]) == 0
    suite = ET.parse(tmp_path / "alone" / "junit.xml").getroot()
    assert int(suite.get("failures") or 0) > content["jobs"][0]["counts"]["fail"]
    capsys.readouterr()


def test_formats_are_named_at_once_or_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--as a,b`` and ``--as a --as b`` write the same files."""
    write_run(tmp_path / "run")
    for number, words in enumerate((["--as", "csv,sarif"], ["--as", "csv", "--as", "sarif"])):
        out = tmp_path / str(number)
        assert main.main(["export", str(tmp_path / "run"), *words, "--out", str(out)]) == 0
    once, twice = (sorted(path.name for path in (tmp_path / name).rglob("*.*")) for name in "01")
    assert once == twice
    assert {Path(name).suffix for name in once} >= {".csv", ".sarif"}
    capsys.readouterr()
