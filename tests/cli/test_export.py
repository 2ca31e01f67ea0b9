import json
from pathlib import Path

import pytest
from finished_runs import write_run

from frtaudit.cli import main


def test_a_sweep_is_exported_job_by_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder for each finished job; a table that names a folder elsewhere, or none that is done, is one line."""
    sweep = tmp_path / "sweep"
    jobs = [
        {"folder": name, "state": state} for name, state in (("a", "done"), ("b", "failed"), ("c", "done"))
    ]
    for job in jobs:
        write_run(sweep / str(job["folder"]))
    (sweep / "sweep.json").write_text(json.dumps({"jobs": jobs}))
    assert main.main(["export", str(sweep), "--as", "junit", "--out", str(tmp_path / "out")]) == 0
    assert sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.xml")) == [
        "a/junit.xml",
        "c/junit.xml",
    ]
    for broken in ({"jobs": jobs[1:2]}, {"jobs": [{"folder": "../a", "state": "done"}]}, {}):
        (sweep / "sweep.json").write_text(json.dumps(broken))
        assert main.main(["export", str(sweep), "--out", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err.count("sweep/sweep.json: ") == 3


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
