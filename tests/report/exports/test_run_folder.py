import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import report_fixture
from finished_runs import finished_run, write_run

from frtaudit.errors import DataError
from frtaudit.report.exports.run_folder import read_run


def test_a_run_reads_back(tmp_path: Path) -> None:
    """A folder, or its result alone, gives the result that was written, and the names of what lies beside it."""
    run = finished_run(tmp_path)
    assert run.result.to_bytes() == report_fixture.result().to_bytes()
    assert run.files == ("report.html", "result.json")
    assert [path.name for path in run.tables] == ["scores.parquet"]
    assert run.when == datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert read_run(tmp_path / "run" / "result.json") == read_run(tmp_path / "run")
    judged = [run.estimate(finding) for finding in run.result.findings]
    assert all(item is None or item in run.result.estimates for item in judged)


@pytest.mark.parametrize("digest", [None, "0" * 64])
def test_a_result_that_the_verdict_does_not_name_is_refused(digest: str | None, tmp_path: Path) -> None:
    """A number that somebody changed is not exported, whether or not a statement is there."""
    folder = write_run(tmp_path / "run")
    named = digest or report_fixture.result().sha256
    (folder / "verdict.json").write_text(json.dumps({"result_sha256": named}))
    if digest is None:
        assert read_run(folder).sha256 == named
        return
    for path in (folder, folder / "result.json"):
        with pytest.raises(DataError, match=r"^run: result.json is not the one that verdict.json names"):
            read_run(path)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'"x"', b"\xff", json.dumps({"estimates": 3}).encode()]
)
def test_what_is_no_result_is_refused(content: bytes, tmp_path: Path) -> None:
    """A missing, torn or foreign file gets one line."""
    folder = write_run(tmp_path / "run")
    (folder / "result.json").write_bytes(content)
    with pytest.raises(DataError, match="not a result of frtaudit run"):
        read_run(folder)
    with pytest.raises(DataError, match="no result \\(No such file"):
        read_run(tmp_path / "nowhere")
