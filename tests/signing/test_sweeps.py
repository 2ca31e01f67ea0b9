"""Tests of frtaudit.signing.sweeps: a sweep holds as a whole, and any file of it that was touched is named."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import small_run
import small_sweep

from frtaudit.cli.sweeps import paper
from frtaudit.cli.sweeps.jobs import JobResult, State, finish
from frtaudit.cli.sweeps.made_again import made_again
from frtaudit.cli.sweeps.table import table
from frtaudit.core.canonical import to_bytes
from frtaudit.core.spec import Report
from frtaudit.report import render
from frtaudit.signing import manifest, sweeps
from frtaudit.signing.approve import approve
from frtaudit.signing.key_folder import generate
from frtaudit.signing.keys import load_signer
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.rerender import Written
from frtaudit.signing.signing import signing_of
from frtaudit.signing.statement import outer_statement
from frtaudit.signing.verification import CheckStatus, Depth, ok, unchecked
from frtaudit.signing.verify import verify

RESULTS = [small_run.make_result(), small_run.make_result(0.3, 2, alpha=0.1)]


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed sweep of two signed runs; the key beside it."""
    root = tmp_path_factory.mktemp("signed")
    signer = generate(root / "key", "Auditor", None, small_run.WHEN)
    planned = small_sweep.plan()
    plan = replace(planned, jobs=(_job(1), _job(2), *planned.jobs[2:]))
    folder, outcomes = root / "sweep", []
    for job, result in zip(plan.jobs[:2], RESULTS, strict=True):
        small_run.write_run(folder / f"job{job.number}", signer, result)
        (folder / f"job{job.number}").rename(folder / _name(job.number))
        finish(_job(job.number), folder, result.sha256)
        outcomes.append(JobResult(job=_job(job.number), state=State.DONE, result=result))
    rest = [JobResult(job=job, state=State.UNFINISHED, error="stopped") for job in plan.jobs[2:]]
    settings = Report(key=str(root / "key"), date="2026-03-04")
    paper.write(table(plan, [*outcomes, *rest]), folder, settings, signing_of(settings))
    return root


def _name(number: int) -> str:
    return f"{number}" * 16


def _job(number: int) -> "small_sweep.Job":
    return small_sweep.job(number, *small_sweep.SETTINGS[number - 1], spec=f"{number}" * 64)


@pytest.fixture
def sweep(signed: Path, tmp_path: Path) -> Path:
    """A copy to harm."""
    shutil.copytree(signed / "sweep", tmp_path / "sweep")
    return tmp_path / "sweep"


def trusted(signed: Path, sweep: Path) -> tuple[str, int, list[str]]:
    """Status, exit code, and the subjects of what is invalid."""
    found = verify(sweep, [signed / "key" / "public.pem"], tabled=made_again)
    return (
        found.status,
        found.exit_code,
        [item.subject for item in found.checks if item.status.value == "invalid"],
    )


def test_a_signed_sweep_verifies(signed: Path, sweep: Path) -> None:
    """Statement, files, both runs, the table's numbers on page and paper, and the signer."""
    found = verify(sweep, [signed / "key" / "public.pem"], tabled=made_again)
    assert (found.exit_code, trusted(signed, sweep)[2]) == (0, []), str(found)
    said = str(found)
    assert said.count("is a valid run") == 2
    assert "sweep.html: made again from the result and report.json: the same bytes" in said


def test_what_the_sweep_covers_is_named_by_no_job(signed: Path, sweep: Path) -> None:
    """A job's mark is no stranger; a file that nobody signed is named once, an approval of a job not at all."""
    named = [item.subject for item in verify(sweep, [signed / "key" / "public.pem"]).checks]
    assert f"{'1' * 16}/DONE.json" not in named
    (sweep / ("1" * 16) / "notes.txt").write_text("mine")
    (sweep / ("2" * 16) / ".hidden").write_text("mine")
    approver = generate(sweep.parent / "second", "Second", None, small_run.WHEN)
    approve(sweep / ("2" * 16), approver, small_run.WHEN)
    keys = [signed / "key" / "public.pem", sweep.parent / "second" / "public.pem"]
    found = verify(sweep, keys)
    assert found.exit_code == 0, str(found)
    told = [
        item.subject for item in found.checks if item.message.startswith(("is not listed", "is not covered"))
    ]
    assert told == [f"{'1' * 16}/notes.txt", f"{'2' * 16}/.hidden"]


def test_what_is_not_compared_in_a_run_is_named_in_its_sweep(
    signed: Path, sweep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a valid run its unchecked files alone, by the job's folder."""
    checks = (
        ok("result.json", "follows the schema"),
        unchecked("report.html", "not compared: another build"),
    )
    monkeypatch.setattr("frtaudit.signing.run_folder.run_checks", lambda *_, **__: iter(checks))
    named = verify(sweep, [signed / "key" / "public.pem"], tabled=made_again).checks
    of_jobs = {item.subject: item.status for item in named if item.subject[:1] in "12"}
    assert of_jobs == {
        subject: status
        for job in ("1" * 16, "2" * 16)
        for subject, status in ((job, CheckStatus.OK), (f"{job}/report.html", CheckStatus.UNCHECKED))
    }


@pytest.mark.slow
def test_a_pdf_of_another_page_is_found_with_deep(signed: Path, sweep: Path) -> None:
    """Laid out again it is the same; one that its signer laid out from another page, with all attached, is not."""
    key = [signed / "key" / "public.pem"]
    found = verify(sweep, key, Depth.PAPER)
    assert found.exit_code == 0, str(found)
    assert "sweep.pdf: laid out again in another process" in str(found)
    attached = read_signed_pdf((sweep / "sweep.pdf").read_bytes(), (), "sweep.pdf").attachments
    page = (sweep / "sweep.html").read_text().replace("<main", "<main style='font-size: 1px'", 1)
    signer = load_signer(str(signed / "key"))
    (sweep / "sweep.pdf").write_bytes(sign_pdf(render.pdf(page, attached), signer, small_run.WHEN))
    (sweep / "statement.dsse.json").write_bytes(outer_statement(sweep, signer, small_run.WHEN))
    assert verify(sweep, key).exit_code == 0
    deep = verify(sweep, key, Depth.PAPER)
    assert [item.subject for item in deep.checks if item.status.value == "invalid"] == ["sweep.pdf"]


def test_without_the_key_it_is_valid_and_untrusted(sweep: Path) -> None:
    """A machine that does not know the signer says so with 3."""
    assert verify(sweep).exit_code == 3


@pytest.mark.parametrize(
    "name",
    [
        "sweep.json",
        "sweep.csv",
        "sweep.html",
        "sweep.pdf",
        "1" * 16 + "/result.json",
        "2" * 16 + "/DONE.json",
    ],
)
def test_a_byte_anywhere_is_found(signed: Path, sweep: Path, name: str) -> None:
    """One flipped byte of any file is invalid, with the file's name and no other."""
    data = bytearray((sweep / name).read_bytes())
    data[len(data) // 2] ^= 1
    (sweep / name).write_bytes(data)
    _, code, wrong = trusted(signed, sweep)
    assert code == 2
    assert set(wrong) == {name}


def test_a_table_is_not_held_against_a_result_that_was_changed(signed: Path, sweep: Path) -> None:
    """What is wrong is the result; the table, which that result does not lead to, is not called wrong beside it."""
    changed = small_run.make_result(0.4, 3)
    (sweep / _name(1) / "result.json").write_bytes(changed.to_bytes())
    checks = verify(sweep, [signed / "key" / "public.pem"], tabled=made_again).checks
    assert f"{_name(1)}/result.json" in {
        check.subject for check in checks if check.status is CheckStatus.INVALID
    }
    assert "sweep.json" not in {check.subject for check in checks}


@pytest.mark.parametrize("name", ["sweep.json", "1" * 16 + "/result.json", "statement.dsse.json"])
def test_a_missing_file_is_found(signed: Path, sweep: Path, name: str) -> None:
    """A file that was taken away makes it invalid; without a statement nothing can be said."""
    (sweep / name).unlink()
    assert trusted(signed, sweep)[1] == (4 if name == "statement.dsse.json" else 2)


def test_a_table_that_names_other_results_is_found(signed: Path, sweep: Path) -> None:
    """Even one that was signed: jobs are held against it."""
    said = json.loads((sweep / "sweep.json").read_bytes())
    said["jobs"][0]["result_sha256"] = "0" * 64
    (sweep / "sweep.json").write_text(json.dumps(said))
    signer = load_signer(str(signed / "key"))
    (sweep / "statement.dsse.json").write_bytes(outer_statement(sweep, signer, small_run.WHEN))
    assert f"{'1' * 16}/result.json" in trusted(signed, sweep)[2]


def _row(found: dict[str, Any]) -> None:
    found["rows"].append({**found["rows"][0], "value": 0.5} if found["rows"] else {"job": 1})


def _hidden(found: dict[str, Any]) -> None:
    found["jobs"][0].update(state="failed", error="no memory", counts=None, result_sha256=None)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (_row, "sweep.json"),
        (_hidden, "1" * 16 + "/DONE.json"),
        (lambda found: found["notes"].append("All good"), "sweep.json"),
        (lambda found: found["jobs"][0]["counts"].update({"pass": 9}), "sweep.json"),
        (lambda found: found.update(family=0), "sweep.json"),
    ],
)
def test_a_table_that_its_jobs_do_not_lead_to_is_found(
    signed: Path, sweep: Path, change: Callable[[dict[str, Any]], None], wrong: str
) -> None:
    """Whoever signed it: the table is made again from the results of its jobs."""
    said = json.loads((sweep / "sweep.json").read_bytes())
    change(said)
    (sweep / "sweep.json").write_bytes(to_bytes(said))
    _sign(signed, sweep)
    assert wrong in trusted(signed, sweep)[2]


@pytest.mark.parametrize("data", [None, b"job,value\n1,0.5\n"])
def test_lines_for_a_spreadsheet_that_do_not_follow_are_found(
    signed: Path, sweep: Path, data: bytes | None
) -> None:
    """sweep.csv is made again too."""
    (sweep / "sweep.csv").unlink()
    if data is not None:
        (sweep / "sweep.csv").write_bytes(data)
    _sign(signed, sweep)
    assert trusted(signed, sweep)[2] == ["sweep.csv"]


def _sign(signed: Path, sweep: Path) -> None:
    signer = load_signer(str(signed / "key"))
    (sweep / "statement.dsse.json").write_bytes(outer_statement(sweep, signer, small_run.WHEN))


ADDED = {
    "report.html": 2,
    "result.json": 2,
    "tables/scores.parquet": 2,
    "tables/rates.parquet": 4,
    "summary.html": 4,
    "0" * 16 + "/report.html": 4,
    "1" * 16 + "/summary.html": 4,
}


def test_what_its_signer_adds_is_named(signed: Path, sweep: Path) -> None:
    """A run's file in a sweep's folder is invalid; any other, in a job's folder too, is compared with nothing."""
    key = [signed / "key" / "public.pem"]
    for name in ADDED:
        (sweep / name).parent.mkdir(exist_ok=True)
        (sweep / name).write_text("All requirements pass.")
    _sign(signed, sweep)
    named = {item.subject: item.status.value for item in verify(sweep, key, tabled=made_again).checks}
    codes = {"invalid": 2, "unchecked": 4}
    assert {name: codes.get(named.get(name, "")) for name in ADDED} == ADDED


def test_a_mark_that_says_another_result_is_found(signed: Path, sweep: Path) -> None:
    """DONE.json says what the table says of its job, whoever signed it."""
    mark = "1" * 16 + "/DONE.json"
    (sweep / mark).write_bytes(
        to_bytes({**json.loads((sweep / mark).read_bytes()), "result_sha256": "0" * 64})
    )
    _sign(signed, sweep)
    assert trusted(signed, sweep)[2] == [mark]


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b"{}", b'{"jobs":1}', b'{"jobs":[1]}', b'{"jobs":[{"state":"done"}]}']
)
def test_a_table_that_is_none_is_invalid(signed: Path, sweep: Path, data: bytes) -> None:
    """Whatever stands in sweep.json, signed: one line."""
    (sweep / "sweep.json").write_bytes(data)
    _sign(signed, sweep)
    assert trusted(signed, sweep)[1:] == (2, ["sweep.json"])


def test_page_and_pdf_of_a_signed_sweep_are_compared(
    signed: Path, sweep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both go to what makes them again, the PDF with its signature."""
    compared: list[Written] = []
    monkeypatch.setattr(sweeps, "rendering_checks", lambda written, *_, **__: compared.append(written) or ())
    verify(sweep, [signed / "key" / "public.pem"])
    (written,) = compared
    assert written.page == (sweep / "sweep.html").read_bytes()
    assert [(item.name, item.data) for item in written.papers] == [
        ("sweep.pdf", (sweep / "sweep.pdf").read_bytes())
    ]


@pytest.mark.parametrize("name", ["sweep.json", f"{'1' * 16}/result.json", f"{'2' * 16}/report.pdf"])
def test_a_file_of_a_sweep_that_cannot_be_read_leaves_no_conclusion(
    signed: Path, sweep: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It is named, and nothing is called invalid: exit code 4."""
    digest = manifest.digest_file

    def closed(path: Path) -> manifest.Digest:
        if path == sweep / name:
            raise PermissionError(13, "Permission denied")
        return digest(path)

    monkeypatch.setattr(manifest, "digest_file", closed)
    assert trusted(signed, sweep) == ("indeterminate", 4, [])
    left = [check.subject for check in verify(sweep).checks if check.status.value == "indeterminate"]
    assert set(left) == {name}
