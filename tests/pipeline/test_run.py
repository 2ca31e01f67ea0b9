import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from goldilocks_audits import curate_spec
from local_tsa import authorities, running
from small_audits import REQUIREMENTS, TARGETS, spec

from frtaudit.cli.main import main
from frtaudit.core import AuditResult
from frtaudit.core.canonical import sha256, to_bytes
from frtaudit.core.identity import to_plain
from frtaudit.core.seal import sealed_content
from frtaudit.core.spec import Bootstrap, Report, Thresholds
from frtaudit.core.spec_values import PadesLevel
from frtaudit.errors import DataError
from frtaudit.inputs.template_record import FORMAT
from frtaudit.pipeline import run as delivery
from frtaudit.pipeline import tables
from frtaudit.pipeline.components import load_cohort
from frtaudit.pipeline.run import publish, run
from frtaudit.signing import report_files
from frtaudit.signing.approve import approve
from frtaudit.signing.contents import TABLE_FILES
from frtaudit.signing.key_folder import generate, read
from frtaudit.signing.keys import load_signer
from frtaudit.signing.seal import make_seal
from frtaudit.signing.statement import outer_statement
from frtaudit.signing.verification import CheckStatus, Depth
from frtaudit.signing.verify import verify

# WeasyPrint leaves its own colour profile open.
pytestmark = pytest.mark.filterwarnings(
    r"ignore:unclosed file .*sRGB2014\.icc:ResourceWarning",
    r"ignore:.*sRGB2014\.icc:pytest.PytestUnraisableExceptionWarning",
)
RECORD = {
    "format": FORMAT,
    "settings": {"size": "112 112"},
    "source": "a paper",
    "licence": "free",
    "images": {"listed": 181, "embedded": 180, "several_faces": 0},
    "failures": {"no_face": 1},
    "checks": {"separation": 2.5, "unit_length": True, "mated_pairs": 180},
    "notes": [],
}
FILES = {"result.json", "verdict.json", "report.json", "report.html", "report.pdf", "tables"}


def made(**report: Any) -> Any:
    """A small audit with requirements, and its report settings."""
    settings = {"date": "2026-01-02", "sign": False, **report}
    return spec(
        "error_rates",
        "failures",
        bootstrap=Bootstrap(B=199),
        thresholds=Thresholds(fmr=TARGETS),
        requirements=REQUIREMENTS[1:],
        report=Report(**settings),
    )


def code(counts: Mapping[str, int]) -> int:
    return 3 if counts["fail"] else 0


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def frozen(monkeypatch: pytest.MonkeyPatch, day: int) -> None:
    """Another day for everything that looks at delivery's clock."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "Clock":
            return cls(2026, 3, day, 4, 5, 6, tzinfo=tz)

    monkeypatch.setattr(delivery, "datetime", Clock)


@pytest.fixture(scope="module")
def unsigned(
    tmp_path_factory: pytest.TempPathFactory, reports_made_once: Callable[[], AbstractContextManager[None]]
) -> Path:
    """An unsigned run that no test changes, compared with what a second process makes."""
    folder = tmp_path_factory.mktemp("runs") / "first"
    with reports_made_once():
        run(made(), folder, code)
    return folder


def test_a_run_leaves_its_files(unsigned: Path) -> None:
    """Result, verdict, page, PDF and six tables, and nothing else; an unsigned run has no statement."""
    assert {path.name for path in unsigned.iterdir()} == FILES
    assert {path.name for path in (unsigned / "tables").iterdir()} == {
        "scores.parquet",
        "tail.parquet",
        "replicates.parquet",
        "samples.parquet",
        "systems.parquet",
        "pairs.parquet",
    }
    assert (unsigned / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert b"UNSIGNED" in (unsigned / "report.html").read_bytes()
    assert len(pd.read_parquet(unsigned / "tables" / "scores.parquet")) > 100


def test_the_verdict_file(unsigned: Path) -> None:
    """verdict.json has the exit code, the findings by verdict, and the digest of result.json."""
    verdict = json.loads((unsigned / "verdict.json").read_bytes())
    data = (unsigned / "result.json").read_bytes()
    findings = AuditResult.from_json(json.loads(data)).findings
    counts = dict.fromkeys(("pass", "fail", "inconclusive", "not_testable"), 0)
    for finding in findings:
        counts[finding.verdict.value] += 1
    assert verdict == {"exit_code": 3, "counts": counts, "result_sha256": sha256(data)}
    assert counts["pass"] == 2
    assert counts["fail"] == 4


@pytest.mark.usefixtures("ink")
def test_the_same_spec_on_another_day(
    unsigned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another folder, on another day, with the same report.date, every file of an unsigned run is byte-identical."""
    frozen(monkeypatch, 17)
    summary = run(made(), tmp_path / "second", code)
    assert content(tmp_path / "second") == content(unsigned)
    assert (summary.exit_code, summary.report) == (3, tmp_path / "second" / "report.html")
    assert summary.result_sha256 == sha256((unsigned / "result.json").read_bytes())
    assert summary.verdict_counts["pass"] == 2


def test_the_day_stands_in_the_report_only(
    unsigned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without report.date the page has today's date; result, verdict and tables are the same as on any day."""
    frozen(monkeypatch, 18)
    run(made(date=None, pdf=False), tmp_path / "today", code)
    assert b"2026-03-18" in (tmp_path / "today" / "report.html").read_bytes()
    assert not (tmp_path / "today" / "report.pdf").exists()
    first = content(unsigned)
    for name, data in content(tmp_path / "today").items():
        assert name in {"report.html", "report.json"} or data == first[name]
    assert b"2026-03-18" not in (tmp_path / "today" / "result.json").read_bytes()


def test_report_settings_are_no_part_of_the_result(unsigned: Path, tmp_path: Path) -> None:
    """Title, auditor and the wish for not a report change nothing but the report."""
    summary = run(made(title="Another", auditor="Somebody", html=False, pdf=False), tmp_path / "bare", code)
    assert summary.report is None
    assert {path.name for path in (tmp_path / "bare").iterdir()} == {"result.json", "verdict.json", "tables"}
    assert (tmp_path / "bare" / "result.json").read_bytes() == (unsigned / "result.json").read_bytes()
    assert b"Another" not in (unsigned / "result.json").read_bytes()


def test_a_failing_report_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the page cannot be made the folder that was made for the run goes again."""

    def broken(*args: Any) -> str:
        raise RuntimeError("no page")

    monkeypatch.setattr(delivery, "report_files", broken)
    with pytest.raises(RuntimeError, match="no page"):
        run(made(), tmp_path / "run", code)
    assert not (tmp_path / "run").exists()


def test_a_failing_pdf_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that stood in the folder before stay as they were when the PDF cannot be made."""
    (tmp_path / "notes.txt").write_text("mine")

    def broken(*args: Any) -> bytes:
        raise RuntimeError("no pdf")

    monkeypatch.setattr(report_files.render, "pdf", broken)
    with pytest.raises(RuntimeError, match="no pdf"):
        run(made(), tmp_path, code)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Where a file stands in the way of the folder the error is one line that names the setting."""
    (tmp_path / "file").write_text("")
    with pytest.raises(
        DataError,
        match=r"^hydra.run.dir: a file stands where a folder is needed; accepted: a writable folder$",
    ):
        run(made(html=False, pdf=False), tmp_path / "file" / "run", code)


def test_a_signed_run_verifies(unsigned: Path, signed: Path) -> None:
    """Signed with this machine's demo key a run verifies with exit code 0, says DEMO KEY, and has the same result."""
    assert {path.name for path in signed.iterdir()} == {*FILES, "statement.dsse.json"}
    found = verify(signed)
    assert found.exit_code == 0, str(found)
    assert b"DEMO KEY" in (signed / "report.html").read_bytes()
    assert (signed / "result.json").read_bytes() == (unsigned / "result.json").read_bytes()
    assert verify(signed / "report.pdf").exit_code == 0


@pytest.mark.parametrize("name", ["result.json", "report.html", "report.pdf"])
def test_a_changed_byte_is_found(name: str, signed: Path, tmp_path: Path) -> None:
    """One flipped byte in any file makes the run invalid, and the file is named."""
    folder = Path(shutil.copytree(signed, tmp_path / "copy"))
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(bytes(data))
    found = verify(folder)
    assert found.exit_code == 2
    assert name in str(found)


def test_its_tables_are_those_that_a_run_writes(signed: Path, tmp_path: Path) -> None:
    """A run that was signed without one of its tables is invalid; a table of another name is compared with nothing."""
    assert set(TABLE_FILES) == {f"tables/{name}" for name in tables.TABLES}
    signer = load_signer()
    gone = "invalid        tables/tail.parquet: is not listed in statement.dsse.json, and every run writes it"
    new = "unchecked      tables/more.parquet: is signed, and no part of a report: compared with nothing"
    changes = {gone: Path.unlink, new: lambda table: table.with_name("more.parquet").touch()}
    for number, (line, change) in enumerate(changes.items()):
        folder = Path(shutil.copytree(signed, tmp_path / str(number)))
        change(folder / "tables" / "tail.parquet")
        (folder / "report.pdf").unlink()
        (folder / "statement.dsse.json").unlink()
        (folder / "statement.dsse.json").write_bytes(outer_statement(folder, signer, datetime.now(UTC)))
        found = [check for check in verify(folder).checks if check.subject.startswith("tables/")]
        assert [str(check) for check in found if check.status is not CheckStatus.OK] == [line]


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run signed with this machine's demo key, in the configuration folder that all tests share."""
    home = tmp_path_factory.getbasetemp() / "config"
    home.mkdir(exist_ok=True)
    folder = tmp_path_factory.mktemp("runs") / "signed"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(home))
        assert run(made(sign=True), folder, code).exit_code == 3
    return folder


def test_lists_are_written_signed_and_named_by_the_result(tmp_path: Path) -> None:
    """What analyses list stands below lists/, its digest in the result, and the statement covers it."""
    made = replace(curate_spec(), report=Report(date="2026-01-02", sign=True, pdf=False))
    run(made, tmp_path / "run", code)
    result = json.loads((tmp_path / "run" / "result.json").read_bytes())
    files = content(tmp_path / "run" / "lists")
    assert {name: sha256(data) for name, data in files.items()} == result["digests"]["outputs"]
    assert "test_sets/curated/pairs.txt" in files
    assert verify(tmp_path / "run").exit_code in {0, 3}
    (tmp_path / "run" / "lists" / "test_sets" / "curated" / "pairs.txt").write_text("changed")
    assert verify(tmp_path / "run").exit_code == 2


def test_a_run_on_embedded_templates_verifies(tmp_path: Path) -> None:
    """What `frtaudit embed` made them with stands in the result, and without its counts in a publishable variant."""
    people = [(f"{k}_{shot}.jpg", f"p{k}") for k in range(60) for shot in range(3)]
    vectors = np.random.default_rng(1).normal(size=(60, 1, 8)) + 0.3 * np.random.default_rng(2).normal(
        size=(60, 3, 8)
    )
    folder = tmp_path / "faces"
    (folder / "templates").mkdir(parents=True)
    pd.DataFrame(people, columns=["image_id", "subject_id"]).to_csv(folder / "metadata.csv", index=False)
    file = folder / "templates" / "engine.npz"
    np.savez(file, image_id=[image for image, _ in people], embedding=np.float32(vectors.reshape(180, 8)))
    record = {**RECORD, "templates": sha256(file.read_bytes())}
    file.with_suffix(".json").write_bytes(to_bytes(record))
    words = [
        "audit=templates",
        f"cohort.root={folder}",
        "schema=null",
        "bootstrap.B=199",
        "thresholds.fmr=[0.1]",
    ]
    words += ["analyses=[error_rates,failures]", "report.pdf=false", f"hydra.run.dir={tmp_path / 'run'}"]
    assert main(["run", *words]) == 0
    assert main(["verify", str(tmp_path / "run"), "--strict"]) == 0
    assert main(["publish", str(tmp_path / "run"), "--out", str(tmp_path / "published")]) == 0
    assert main(["verify", str(tmp_path / "published")]) == 0
    for name, keys in (("run", 6), ("published", 3)):
        result = json.loads((tmp_path / name / "result.json").read_bytes())
        assert len(result["cohort"]["templates"]["engine"]) == keys


def test_a_sealed_run_carries_its_seal_and_verifies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seal stands in the folder and in the PDF; verify checks it, and finds a departure that the result hides."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    signer = load_signer()
    plain = made(sign=True)
    cohort_data = load_cohort(plain)
    content = sealed_content(to_plain(plain), cohort_data.cohort.digest, {})
    (tmp_path / "mine.json").write_bytes(make_seal(content, signer, datetime.now(UTC)))
    folder = tmp_path / "run"
    run(replace(plain, seed=7, seal=str(tmp_path / "mine.json")), folder, code)
    found = verify(folder)
    assert found.exit_code == 0, str(found)
    assert "departures, all listed: 2" in str(found)
    assert "seal.json" in str(verify(folder / "report.pdf"))
    assert b"/spec/seed" in (folder / "report.html").read_bytes()

    result = AuditResult.from_json(json.loads((folder / "result.json").read_bytes()))
    assert result.seal is not None
    hidden = replace(result, seal=replace(result.seal, departures=()))
    (folder / "result.json").write_bytes(hidden.to_bytes())
    (folder / "statement.dsse.json").write_bytes(outer_statement(folder, signer, datetime.now(UTC)))
    assert "does not lead to the departures" in str(verify(folder))
    (folder / "seal.json").unlink()
    (folder / "statement.dsse.json").write_bytes(outer_statement(folder, signer, datetime.now(UTC)))
    assert "seal.json: is missing" in str(verify(folder))


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory, drawing: Callable[..., str]) -> Path:
    """A signed run with its PDF, figures drawn, and the keys of its auditor and of a reviewer beside it."""
    folder = tmp_path_factory.mktemp("keyed")
    generate(folder / "auditor", "Auditor", None, datetime.now(UTC))
    generate(folder / "reviewer", "Reviewer", None, datetime.now(UTC))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("frtaudit.report.figures.canvas.svg_of", drawing)
        run(made(sign=True, key=str(folder / "auditor")), folder / "run", code)
    return folder


def held(path: Path, keys: Path, *roots: Path) -> None:
    """Everything of a run is covered and compared, page and layout too."""
    trust = [keys / "auditor/public.pem", keys / "reviewer/public.pem", *roots]
    found = verify(path, trust, Depth.PAPER)
    assert found.strict_exit_code == 0, str(found)
    assert "laid out again in another process: the same" in str(found)


@pytest.mark.slow
@pytest.mark.usefixtures("ink")
def test_an_approved_run_and_its_publishable_variant_are_made_again(keyed: Path) -> None:
    """A further signature and what is left out of the variant change nothing of what is compared."""
    publish(keyed / "run", keyed / "public", 2, str(keyed / "auditor"))
    held(keyed / "public", keyed)
    approve(keyed / "run", read(keyed / "reviewer"), datetime.now(UTC) + timedelta(seconds=1))
    held(keyed / "run", keyed)
    held(keyed / "run/report.pdf", keyed)


@pytest.mark.slow
@pytest.mark.usefixtures("ink")
def test_a_run_with_times_and_revocation_data_is_made_again(keyed: Path, tmp_path: Path) -> None:
    """PAdES B-LTA: evidence and times follow the layout that is compared."""
    (tmp_path / "root.pem").write_bytes(authorities().root.public_bytes(Encoding.PEM))
    (tmp_path / "root.crl").write_bytes(authorities().crl())
    key = str(keyed / "auditor")
    with running() as clock:
        lasting = made(sign=True, key=key, pades=PadesLevel.B_LTA, tsa=clock.url, evidence=str(tmp_path))
        run(lasting, tmp_path / "run", code)
    held(tmp_path / "run", keyed, tmp_path / "root.pem")
