"""Tests of frtaudit.signing.verify. Tests also its parts run_folder and report_pdf, and parties, whom it asks."""

import json
import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from small_run import WHEN, make_result, render_pdf, sign_outer, write_run

from frtaudit.cli.main import main
from frtaudit.config.named_files import CERTIFICATE
from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine import signals
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.core.seal import sealed_content
from frtaudit.errors import DataError
from frtaudit.signing import coverage, manifest
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.keys import demo_signer
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.seal import make_seal
from frtaudit.signing.signer import Signer
from frtaudit.signing.statement import INNER_NAME, outer_statement
from frtaudit.signing.verification import CheckStatus, Verification
from frtaudit.signing.verify import verify

FILES = ["report.pdf", "report.html", "result.json", "verdict.json", "tables/scores.parquet", STATEMENT]
FLIPS = 40

Flip = Callable[[Path, int], None]


def subjects(found: Verification, outcome: CheckStatus = CheckStatus.INVALID) -> set[str]:
    """What the checks with this outcome are about."""
    return {check.subject for check in found.checks if check.status is outcome}


def test_a_run_as_signed_is_valid_and_trusted(original: Path, key_folder: Path) -> None:
    """Every file, both statements and the PDF's signature are checked, and the signer is trusted."""
    found = verify(original, [key_folder / PUBLIC])
    assert (found.exit_code, found.status.partition(";")[0]) == (0, "valid and trusted")
    assert {*FILES, f"report.pdf / {INNER_NAME}", "Signature1"} <= subjects(found, CheckStatus.OK)


def test_without_trust_it_is_valid_but_untrusted(original: Path, other_folder: Path) -> None:
    """The same run on a machine that does not know the signer, or knows another one."""
    assert verify(original).exit_code == 3
    assert verify(original, [other_folder / PUBLIC]).exit_code == 3
    assert subjects(verify(original), CheckStatus.UNTRUSTED) == {STATEMENT, "Signature1"}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_leaves_no_conclusion(
    run: Path, key_folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It may be as it was signed: exit code 4 with its name, and nothing is called invalid."""

    def refusing(read: Callable[[Path], object]) -> Callable[[Path], object]:
        def closed(path: Path) -> object:
            if path == run / name:
                raise PermissionError(13, "Permission denied")
            return read(path)

        return closed

    monkeypatch.setattr(manifest, "digest_file", refusing(manifest.digest_file))
    monkeypatch.setattr(coverage, "read_regular", refusing(coverage.read_regular))
    found = verify(run, [key_folder / PUBLIC])
    assert (found.exit_code, subjects(found)) == (4, set())
    assert subjects(found, CheckStatus.INDETERMINATE) == {name}
    assert f"{name}: cannot be read by this user (Permission denied)" in str(found)


def test_either_half_of_the_signer_is_enough(original: Path, key_folder: Path, tmp_path: Path) -> None:
    """Trust in the certificate reaches the key that the signed PDF names, and the other way round."""
    assert verify(original, [key_folder / CERTIFICATE]).exit_code == 0
    key = (key_folder / PUBLIC).read_bytes().split(b"-----BEGIN CERTIFICATE")[0]
    (tmp_path / "key.pem").write_bytes(key)
    assert verify(original, [tmp_path / "key.pem"]).exit_code == 0
    assert verify(original / "report.pdf", [tmp_path / "key.pem"]).exit_code == 0


def test_the_demo_key_is_trusted_where_it_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with the demo key is valid and trusted here, with a note, and untrusted elsewhere."""
    run = write_run(tmp_path / "run", demo_signer(WHEN))
    found = verify(run)
    assert found.exit_code == 0
    assert any("demo key" in check.message for check in found.checks if check.status is CheckStatus.NOTE)
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert verify(run).exit_code == 3
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", FILES)
def test_flipped_bits_in_each_file_are_named(run: Path, key_folder: Path, name: str) -> None:
    """Random single-bit flips in any file of the run: invalid each time, with the file's name."""
    chance = random.Random(name)
    intact = (run / name).read_bytes()
    for position in {0, len(intact) - 1, *chance.sample(range(len(intact)), min(FLIPS, len(intact)))}:
        forged = bytearray(intact)
        forged[position] ^= 1 << chance.randrange(8)
        (run / name).write_bytes(bytes(forged))
        found = verify(run, [key_folder / PUBLIC])
        assert found.exit_code == 2
        assert name in subjects(found)


@pytest.mark.parametrize("name", FILES)
def test_junk_at_the_end_of_each_file_is_named(run: Path, name: str) -> None:
    """One more byte is a change."""
    with (run / name).open("ab") as stream:
        stream.write(b"x")
    found = verify(run)
    assert found.exit_code == 2
    assert name in subjects(found)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(run: Path, name: str) -> None:
    """A listed file, and the statement of a run whose PDF is signed, must be there."""
    (run / name).unlink()
    found = verify(run)
    assert found.exit_code == 2
    assert name in subjects(found)


def test_an_unlisted_file_is_noted_unless_it_poses_as_ours(run: Path, key_folder: Path) -> None:
    """A note beside the run is named and decides nothing, but where strictness is asked for; a table of ours does."""
    (run / "notes.txt").write_text("mine")
    found = verify(run, [key_folder / PUBLIC])
    assert found.exit_code == 0
    assert found.strict_exit_code == 4
    assert "notes.txt" in subjects(found, CheckStatus.UNCHECKED)
    (run / "tables/extra.parquet").write_bytes(b"x")
    assert "tables/extra.parquet" in subjects(verify(run))


@pytest.mark.parametrize(
    "name", ["tables/Thumbs.db", "lists/a/desktop.ini", "templates/desktop.ini", ".DS_Store"]
)
def test_what_a_desktop_leaves_in_a_folder_is_noted(run: Path, key_folder: Path, name: str) -> None:
    """Who looks into a folder of a run does not change the run."""
    (run / name).parent.mkdir(parents=True, exist_ok=True)
    (run / name).write_bytes(b"x")
    found = verify(run, [key_folder / PUBLIC])
    assert found.exit_code == 0
    assert name in subjects(found, CheckStatus.UNCHECKED)


def test_hydra_folder_and_log_are_no_part_of_the_run(run: Path, key_folder: Path) -> None:
    """Hydra's own files may change after the signature."""
    (run / ".hydra").mkdir()
    (run / ".hydra/config.yaml").write_text("a: 1")
    (run / "run.log").write_text("done")
    assert verify(run, [key_folder / PUBLIC]).exit_code == 0


def test_a_statement_by_another_key_is_untrusted(run: Path, key_folder: Path, other: Signer) -> None:
    """Who changes a file and signs anew with their own key is caught by the PDF, and trusted by nobody."""
    sign_outer(run, other)
    found = verify(run, [key_folder / PUBLIC])
    assert found.exit_code == 3
    assert subjects(found, CheckStatus.UNTRUSTED) == {STATEMENT}
    (run / "report.html").write_bytes(b"<p>better numbers")
    sign_outer(run, other)
    assert subjects(verify(run, [key_folder / PUBLIC])) == {"report.html"}


def test_a_statement_of_another_run_does_not_fit(run: Path, tmp_path: Path, signer: Signer) -> None:
    """A genuine statement replayed beside other files is invalid."""
    second = write_run(tmp_path / "second", signer, make_result(0.5, 2))
    shutil.copy(second / STATEMENT, run / STATEMENT)
    assert {"report.pdf", "result.json", "verdict.json"} <= subjects(verify(run))


def test_a_pdf_of_another_run_does_not_fit(run: Path, tmp_path: Path, signer: Signer) -> None:
    """A genuine PDF of another result is found out by the statement inside it, even if the outer one lists it."""
    second = write_run(tmp_path / "second", signer, make_result(0.5, 2))
    shutil.copy(second / "report.pdf", run / "report.pdf")
    assert subjects(verify(run)) == {"report.pdf"}
    sign_outer(run, signer)
    assert "result.json" in subjects(verify(run))


def test_a_verdict_about_another_result_is_invalid(run: Path, signer: Signer) -> None:
    """verdict.json must name the digest of this result.json and count what it holds, whoever signed."""
    right = json.loads((run / "verdict.json").read_bytes())
    counted = {**right["counts"], "fail": 1}
    wrong = (
        {**right, "result_sha256": "0" * 64},
        {"exit_code": 0},
        [],
        {**right, "exit_code": 3},
        {**right, "counts": counted},
    )
    for verdict in wrong:
        (run / "verdict.json").write_bytes(to_bytes(verdict))  # type: ignore[arg-type]  # JSON
        sign_outer(run, signer)
        assert subjects(verify(run)) == {"verdict.json"}


@pytest.mark.parametrize("content", [b"{}", b"[", b'{"schema_version":"1.0"}', b"null"])
def test_a_result_that_is_none_is_invalid(run: Path, signer: Signer, content: bytes) -> None:
    """result.json is read and checked for its form, not only for its digest."""
    (run / "result.json").write_bytes(content)
    sign_outer(run, signer)
    found = verify(run)
    assert found.exit_code == 2
    assert "result.json" in subjects(found)


def test_a_result_in_loose_form_is_invalid(run: Path, signer: Signer) -> None:
    """A result with the right numbers and other bytes is not the canonical one."""
    value = json.loads((run / "result.json").read_bytes())
    (run / "result.json").write_text(json.dumps(value, indent=1))
    sign_outer(run, signer)
    assert any("canonical" in check.message for check in verify(run).checks)


def test_a_run_without_its_result_listed_is_invalid(run: Path, signer: Signer) -> None:
    """A statement that leaves out result.json does not cover a run."""
    (run / "result.json").unlink()
    sign_outer(run, signer)
    assert "result.json" in subjects(verify(run))


def test_a_run_without_pdf_is_checked_by_its_statement(run: Path, signer: Signer, key_folder: Path) -> None:
    """With report.pdf=false there is no PDF, and nothing is missing."""
    (run / "report.pdf").unlink()
    sign_outer(run, signer)
    assert verify(run, [key_folder / PUBLIC]).exit_code == 0
    assert verify(run, [key_folder / CERTIFICATE]).exit_code == 3


def test_a_pdf_that_lost_its_signature_needs_the_original(tmp_path: Path) -> None:
    """Another program may keep the files inside a PDF and not its signature: invalid, and the line says what helps."""
    path = tmp_path / "report.pdf"
    path.write_bytes(render_pdf({INNER_NAME: b"{}"}))
    (check,) = verify(path).checks
    assert check.status is CheckStatus.INVALID
    assert check.message.endswith(
        "is missing: another program may have saved it anew; the original is needed"
    )


def test_a_file_of_a_signed_run_is_checked_with_its_folder(run: Path) -> None:
    """A file alone has no signature: the folder is named, and nothing is called a draft."""
    (found,) = verify(run / "result.json").checks
    assert (found.subject, found.status) == ("result.json", CheckStatus.INDETERMINATE)
    assert found.message.startswith("is checked with the folder that it is in; accepted: a run's")
    (run / STATEMENT).unlink()
    (found,) = verify(run / "result.json").checks
    assert found.message.startswith("is not signed: an unsigned draft, or not a report")


def test_an_unsigned_draft_is_indeterminate(run: Path) -> None:
    """No statement and an unsigned PDF: a draft; neither valid nor invalid."""
    (run / STATEMENT).unlink()
    (run / "report.pdf").write_bytes(render_pdf({"result.json": (run / "result.json").read_bytes()}))
    assert verify(run).exit_code == 4
    assert verify(run / "report.pdf").exit_code == 4
    (run / "report.pdf").unlink()
    assert verify(run).exit_code == 4


def test_places_that_are_no_run_are_indeterminate(tmp_path: Path, original: Path) -> None:
    """A missing path, an empty folder and a page alone prove nothing."""
    assert verify(tmp_path / "absent").exit_code == 4
    assert verify(tmp_path).exit_code == 4
    assert verify(original / "report.html").exit_code == 4


def test_the_pdf_alone_is_valid_and_trusted(original: Path, key_folder: Path) -> None:
    """Signature, inner statement, attached result, and the page that is inside are checked."""
    found = verify(original / "report.pdf", [key_folder / PUBLIC])
    assert found.exit_code == 0
    assert subjects(found, CheckStatus.NOTE) == set()
    assert {"report.pdf / report.html", "report.pdf / result.json"} <= subjects(found, CheckStatus.OK)
    assert verify(original / "report.pdf").exit_code == 3


def test_a_seal_alone_is_checked(tmp_path: Path, signer: Signer, other: Signer, key_folder: Path) -> None:
    """Its signature, its signer and what it fixed; a changed one is invalid, one of another signer is not trusted."""
    file = tmp_path / "plan.json"
    content = sealed_content({"seed": 0}, "0" * 64, {"metadata.csv": "1" * 64})
    file.write_bytes(make_seal(content, signer, WHEN))
    verification = verify(file, [key_folder / PUBLIC])
    assert (verification.exit_code, verification.status) == (0, "valid and trusted")
    assert "the digests of cohort and 1 inputs; compared with no run" in verification.checks[0].message
    assert verify(file).exit_code == 3
    file.write_bytes(file.read_bytes().replace(b'"timestamp":null', b'"timestamp": null'))
    assert subjects(verify(file)) == {"plan.json"}
    file.write_bytes(b"{}")
    assert (
        "accepted: a run's or a sweep's folder, a report's PDF, or a seal" in verify(file).checks[0].message
    )


def test_flips_in_the_pdf_alone_are_seen(run: Path, key_folder: Path) -> None:
    """Random single-bit flips anywhere in a lone PDF: invalid, with its name."""
    chance = random.Random(3)
    intact = (run / "report.pdf").read_bytes()
    for position in chance.sample(range(len(intact)), FLIPS):
        forged = bytearray(intact)
        forged[position] ^= 1 << chance.randrange(8)
        (run / "report.pdf").write_bytes(bytes(forged))
        found = verify(run / "report.pdf", [key_folder / PUBLIC])
        assert found.exit_code == 2
        assert all("report.pdf" in name for name in subjects(found))


def test_an_approving_signature_is_accepted(
    run: Path, key_folder: Path, other_folder: Path, other: Signer
) -> None:
    """A longer PDF holds if the recorded part is intact and the rest is a valid signature of someone trusted."""
    pdf = run / "report.pdf"
    pdf.write_bytes(sign_pdf(pdf.read_bytes(), other, WHEN))
    both = [key_folder / PUBLIC, other_folder / PUBLIC]
    assert verify(run, both).exit_code == 0
    assert verify(pdf, both).exit_code == 0
    found = verify(run, [key_folder / PUBLIC])
    assert found.exit_code == 3
    assert subjects(found, CheckStatus.UNTRUSTED) == {"Signature2"}


def test_flips_in_an_approved_pdf_are_seen(run: Path, other: Signer) -> None:
    """Neither the recorded part nor the further signature can be changed."""
    pdf = run / "report.pdf"
    recorded = len(pdf.read_bytes())
    longer = sign_pdf(pdf.read_bytes(), other, WHEN)
    for position in (100, recorded - 5, recorded + 40, len(longer) - 20):
        forged = bytearray(longer)
        forged[position] ^= 1
        pdf.write_bytes(bytes(forged))
        assert "report.pdf" in " ".join(subjects(verify(run)))


def test_a_pdf_with_a_statement_and_no_signature_was_stripped(run: Path) -> None:
    """An inner statement without a PAdES signature around it is invalid."""
    pdf = run / "report.pdf"
    attached = dict(read_signed_pdf(pdf.read_bytes(), [], "f").attachments)
    pdf.write_bytes(render_pdf(attached))
    assert verify(pdf).exit_code == 2


def test_a_pdf_signed_anew_by_another_is_invalid(run: Path, other: Signer) -> None:
    """The auditor's attachments under somebody else's signature: the certificate is not the one they name."""
    pdf = run / "report.pdf"
    attached = dict(read_signed_pdf(pdf.read_bytes(), [], "f").attachments)
    pdf.write_bytes(sign_pdf(render_pdf(attached), other, WHEN))
    found = verify(pdf)
    assert found.exit_code == 2
    assert any("another certificate" in check.message for check in found.checks)


def test_swapped_attachments_are_invalid(run: Path, signer: Signer) -> None:
    """An attached result other than the recorded one, a missing one, and a broken statement are found."""
    pdf = run / "report.pdf"
    attached = dict(read_signed_pdf(pdf.read_bytes(), [], "f").attachments)
    changed = {**attached, "result.json": make_result(0.5, 2).to_bytes()}
    missing = {name: data for name, data in attached.items() if name != "result.json"}
    broken = {**attached, INNER_NAME: attached[INNER_NAME].replace(b"a", b"b", 1)}
    for files in (changed, missing, broken):
        pdf.write_bytes(sign_pdf(render_pdf(files), signer, WHEN))
        assert verify(pdf).exit_code == 2


def test_somebody_elses_signed_pdf_is_indeterminate(run: Path, signer: Signer) -> None:
    """A rightly signed PDF without a statement of ours is no report."""
    pdf = run / "report.pdf"
    pdf.write_bytes(sign_pdf(render_pdf({}), signer, WHEN))
    assert verify(pdf).exit_code == 4


def test_a_bad_trust_file_is_an_error(original: Path, tmp_path: Path) -> None:
    """A trust file that cannot be used is said, not ignored."""
    with pytest.raises(DataError, match="absent"):
        verify(original, [tmp_path / "absent.pem"])
    with pytest.raises(DataError, match=r"--trust .*absent.pem: cannot be read"):
        verify(original, str(tmp_path / "absent.pem"))


def test_a_depth_is_one_of_two(original: Path) -> None:
    """Another value is no deeper check that was asked for."""
    with pytest.raises(DataError, match=r"depth: found 'page'; accepted: Depth.PAGE or Depth.PAPER"):
        verify(original, depth="page")  # type: ignore[arg-type]  # what the test is about


def test_a_signal_ends_it_between_two_checks(
    run: Path, key_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Ctrl-C while a run is checked is no verdict on it: the command ends with 130."""
    whole = signals.check
    seen: list[int] = []

    def fifth() -> None:
        seen.append(1)
        if len(seen) == 5:
            os.kill(os.getpid(), signal.SIGINT)
        whole()

    monkeypatch.setattr(signals, "check", fifth)
    assert main(["verify", str(run), "--trust", str(key_folder / PUBLIC)]) == 130


def test_a_statement_of_another_time_than_its_certificate_is_not_trusted(
    original: Path, tmp_path: Path, signer: Signer, key_folder: Path
) -> None:
    """A signed folder dated before or after the years of its signer's certificate ends with 3."""
    for year in (2000, 2099):
        run = Path(shutil.copytree(original, tmp_path / str(year)))
        (run / STATEMENT).unlink()
        (run / STATEMENT).write_bytes(outer_statement(run, signer, WHEN.replace(year=year)))
        assert verify(run, [key_folder / PUBLIC]).exit_code == 3


def test_a_table_of_no_run_is_named(original: Path, tmp_path: Path, signer: Signer, key_folder: Path) -> None:
    """A signed file among the tables that no run writes is said to be compared with nothing."""
    run = Path(shutil.copytree(original, tmp_path / "run"))
    (run / "tables").mkdir(exist_ok=True)
    (run / "tables/summary.html").write_text("All requirements pass.")
    (run / STATEMENT).unlink()
    (run / STATEMENT).write_bytes(outer_statement(run, signer, WHEN))
    assert "tables/summary.html: is signed, and no part of a report" in str(
        verify(run, [key_folder / PUBLIC])
    )
