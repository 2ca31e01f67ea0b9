"""Runs that earlier versions signed stay valid: `signed_runs/VERSION` holds what that version wrote, byte for byte.

Nothing there is ever written anew. Their keys were thrown away; the public halves lie beside them.
"""

from pathlib import Path

import pytest
from cryptography import x509

from frtaudit.cli.main import main
from frtaudit.core.spec_values import PadesLevel
from frtaudit.inputs.previous import read_previous
from frtaudit.pipeline.compare import overrides_of
from frtaudit.signing.pdf.signature import read_signed_pdf
from frtaudit.signing.verify import verify

RUNS = sorted(path for path in (Path(__file__).parent / "signed_runs").iterdir() if path.is_dir())
RESULTS = sorted(path for runs in RUNS for path in runs.glob("**/result.json"))


@pytest.fixture(params=RUNS, ids=lambda path: path.name)
def runs(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What one version wrote, on a machine that trusts nobody of its own."""
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "config"))
    return Path(request.param)


def test_an_approved_run_verifies(runs: Path) -> None:
    """The folder and its PDF alone: valid and trusted, whatever the version that reads them."""
    trust = [runs / "auditor.pem", runs / "approver.pem"]
    for path in (runs / "run", runs / "run/report.pdf"):
        found = verify(path, trust)
        assert found.exit_code == 0, str(found)


def test_a_sweep_verifies(runs: Path) -> None:
    """Its table and every job."""
    found = verify(runs / "sweep", [runs / "auditor.pem"])
    assert found.exit_code == 0, str(found)


def test_a_pdf_with_times_and_revocation_data_holds(runs: Path) -> None:
    """PAdES B-LTA: the signature, the time over all of it and their paths to the root hold."""
    root = x509.load_pem_x509_certificate((runs / "root.pem").read_bytes())
    read = read_signed_pdf((runs / "lta.pdf").read_bytes(), [root], "lta.pdf")
    assert read.level is PadesLevel.B_LTA
    assert [item.distrust or item.time_distrust for item in read.signatures] == [None, None]
    assert list(read.attachments) == ["result.json"]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: f"{path.parents[1].name}-{path.parent.name}")
def test_its_results_are_read_and_written_the_same(path: Path) -> None:
    """Canonical form is kept: a result of schema 1.0 is read and written byte for byte."""
    previous = read_previous(path).result
    assert previous is not None
    assert previous.to_bytes() == path.read_bytes()


def test_a_comparison_of_its_runs_can_be_composed(runs: Path) -> None:
    """`frtaudit compare` opens their statements and reads their tables."""
    words = overrides_of([str(path) for path in jobs(runs)])
    assert "thresholds.fmr=[0.1]" in words


@pytest.mark.slow
def test_its_runs_can_be_compared(runs: Path, tmp_path: Path) -> None:
    """`frtaudit compare` takes finished runs of that version, and `report.previous` one of their results."""
    before, out = runs / "run/result.json", tmp_path / "out"
    settings = ["report.sign=false", "report.pdf=false", "report.date=2026-11-23", f"hydra.run.dir={out}"]
    assert main(["compare", *map(str, jobs(runs)), *settings, f"report.previous={before}"]) == 0
    assert read_previous(before).sha256[:16] in (out / "report.html").read_text()


def jobs(runs: Path) -> list[Path]:
    """The folders of the sweep's jobs."""
    return sorted(path.parent for path in (runs / "sweep").glob("*/result.json"))
