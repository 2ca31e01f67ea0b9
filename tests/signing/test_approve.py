"""Tests of frtaudit.signing.approve."""

import shutil
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from local_tsa import authorities, certificate
from small_run import WHEN, make_result, render_pdf, sign_outer, write_run

from frtaudit.cli import approve as command
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.errors import DataError, FrtauditError, VerificationError
from frtaudit.signing import key_folder
from frtaudit.signing.approve import _replace, approve
from frtaudit.signing.foreign_key import foreign_signer
from frtaudit.signing.key_folder import PUBLIC, generate
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.signer import Signer
from frtaudit.signing.statement import Scope, open_statement
from frtaudit.signing.verification import CheckStatus, Verification
from frtaudit.signing.verify import verify

LATER = WHEN + timedelta(hours=1)
APPROVAL = "approval.1.dsse.json"


def subjects(found: Verification, outcome: CheckStatus) -> set[str]:
    """What the checks with this outcome are about."""
    return {check.subject for check in found.checks if check.status is outcome}


def test_an_approved_run_names_both_signers(
    run: Path, other: Signer, key_folder: Path, other_folder: Path
) -> None:
    """After an approval the first signature holds, the second one too, and verify names who made each."""
    before = (run / "report.pdf").read_bytes()
    assert approve(run, other, LATER) == (run / "report.pdf", run / APPROVAL)
    assert (run / "report.pdf").read_bytes().startswith(before)
    found = verify(run, [key_folder / PUBLIC, other_folder / PUBLIC])
    assert found.exit_code == 0, str(found)
    assert {"Signature1", "Signature2", APPROVAL} <= subjects(found, CheckStatus.OK)
    assert "'Auditor'" in str(found)
    assert "'Somebody else'" in str(found)
    assert verify(run / "report.pdf", [key_folder / PUBLIC, other_folder / PUBLIC]).exit_code == 0


def test_each_signer_is_trusted_by_itself(run: Path, other: Signer, key_folder: Path) -> None:
    """Trust in the auditor is no trust in the approver: what is untrusted are the approver's two signatures."""
    approve(run, other, LATER)
    found = verify(run, [key_folder / PUBLIC])
    assert found.exit_code == 3
    assert subjects(found, CheckStatus.UNTRUSTED) == {"Signature2", APPROVAL}


def test_a_third_signer_approves_what_the_second_left(
    run: Path, other: Signer, tmp_path: Path, key_folder: Path, other_folder: Path
) -> None:
    """Approvals are numbered, and the earlier one holds for the part of the PDF that it covers."""
    third = generate(tmp_path / "third", "Third", None, WHEN)
    approve(run, other, LATER)
    approve(run, third, LATER)
    trust = [folder / PUBLIC for folder in (key_folder, other_folder, tmp_path / "third")]
    found = verify(run, trust)
    assert found.exit_code == 0, str(found)
    assert {APPROVAL, "approval.2.dsse.json", "Signature3"} <= subjects(found, CheckStatus.OK)


def test_a_pdf_alone_can_be_approved(run: Path, other: Signer, key_folder: Path, other_folder: Path) -> None:
    """Of a PDF that travels alone the approval is the signature inside it."""
    assert approve(run / "report.pdf", other, LATER) == (run / "report.pdf",)
    both = [key_folder / PUBLIC, other_folder / PUBLIC]
    assert verify(run / "report.pdf", both).exit_code == verify(run, both).exit_code == 0


def test_a_run_without_pdf_is_approved_by_statement(
    run: Path, signer: Signer, other: Signer, key_folder: Path, other_folder: Path
) -> None:
    """With report.pdf=false the approval beside the files is all there is, and it is checked."""
    (run / "report.pdf").unlink()
    sign_outer(run, signer)
    approve(run, other, LATER)
    opened = open_statement((run / APPROVAL).read_bytes(), Scope.APPROVAL, APPROVAL)
    assert set(opened.subjects) == {STATEMENT, "result.json"}
    assert verify(run, [key_folder / PUBLIC, other_folder / PUBLIC]).exit_code == 0
    with pytest.raises(DataError, match="signed it already"):
        approve(run, other, LATER)


def refused(path: Path, signer: Signer, error: type[FrtauditError], words: str, when: object = LATER) -> None:
    """The approval is refused in one line with these words, and no byte of the run moved."""
    before = {item: item.read_bytes() for item in path.rglob("*") if item.is_file()}
    with pytest.raises(error, match=words) as caught:
        approve(path, signer, when)  # type: ignore[arg-type]  # a time
    assert "\n" not in str(caught.value)
    assert {item: item.read_bytes() for item in path.rglob("*") if item.is_file()} == before


def test_a_run_that_is_not_signed_is_refused(run: Path, other: Signer) -> None:
    """A draft has nothing to approve."""
    (run / STATEMENT).unlink()
    (run / "report.pdf").write_bytes(render_pdf({"result.json": (run / "result.json").read_bytes()}))
    refused(run, other, DataError, "unsigned draft")


def test_a_run_that_does_not_hold_is_refused(run: Path, other: Signer) -> None:
    """Nobody lends a name to files that were changed."""
    (run / "report.html").write_bytes(b"changed")
    refused(run, other, VerificationError, "report.html")


@pytest.mark.parametrize(("days", "said"), [(3700, "expired on 2036-03-03"), (-2, "does not hold before")])
def test_a_key_outside_its_years_is_refused(run: Path, other: Signer, days: int, said: str) -> None:
    """An expired certificate, or one of the future, approves nothing."""
    refused(run, other, DataError, said, WHEN + timedelta(days=days))


def test_a_key_whose_name_no_reader_can_compare_is_refused(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature by it would not hold, and would break a PDF that does."""
    monkeypatch.setattr(key_folder, "is_comparable", lambda _: True)
    other = generate(tmp_path / "other key", "Org (א)", None, WHEN)
    refused(run, other, DataError, "cannot be compared")


def test_the_same_key_approves_once(run: Path, signer: Signer, other: Signer) -> None:
    """Neither the auditor nor an approver signs a second time: in a folder, and in a PDF alone."""
    refused(run, signer, DataError, "'Auditor' signed it already")
    approve(run, other, LATER)
    refused(run, other, DataError, "'Somebody else' signed it already")
    with pytest.raises(DataError, match="signed it already"):
        approve(run / "report.pdf", other, LATER)


def test_an_approval_of_another_run_does_not_fit(
    run: Path, tmp_path: Path, signer: Signer, other: Signer
) -> None:
    """An approval copied from elsewhere is named: with the PDF it belongs to, and without."""
    second = write_run(tmp_path / "second", signer, make_result(0.5, 2))
    approve(second, other, LATER)
    shutil.copy(second / APPROVAL, run / APPROVAL)
    found = verify(run)
    assert found.exit_code == 2
    assert APPROVAL in subjects(found, CheckStatus.INVALID)


def test_a_stripped_or_foreign_approving_signature_is_seen(run: Path, other: Signer, tmp_path: Path) -> None:
    """An approval whose signature was cut out of the PDF, or is another's, is invalid."""
    pdf = run / "report.pdf"
    before = pdf.read_bytes()
    approve(run, other, LATER)
    pdf.write_bytes(before)
    assert APPROVAL in subjects(verify(run), CheckStatus.INVALID)
    third = generate(tmp_path / "third", "Third", None, WHEN)
    pdf.write_bytes(sign_pdf(before, third, LATER))
    assert APPROVAL in subjects(verify(run), CheckStatus.INVALID)
    assert len(read_signed_pdf(pdf.read_bytes(), (), "f").signatures) == 2


def test_an_approval_that_is_none_is_invalid(run: Path) -> None:
    """A broken approval, or one that covers too little, is named."""
    for data in (b"{}", (run / STATEMENT).read_bytes()):
        (run / APPROVAL).write_bytes(data)
        assert subjects(verify(run), CheckStatus.INVALID) == {APPROVAL}


def test_main_says_who_approved(
    run: Path, other_folder: Path, key_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command prints the approver once, and what was not compared; it refuses what cannot be done."""
    now_valid = ["--key", str(other_folder)]
    assert command.main([str(run), *now_valid]) == 0
    printed = capsys.readouterr()
    assert "approved by 'Somebody else'" in printed.out
    assert "warning: report.html: not compared: it was made before" in printed.err
    with pytest.raises(FrtauditError) as again:
        command.main([str(run), *now_valid])
    (run / "result.json").write_bytes(b"{}")
    with pytest.raises(FrtauditError) as changed:
        command.main([str(run), "--key", str(key_folder)])
    assert (again.value.exit_code, changed.value.exit_code) == (1, 2)


def test_a_file_keeps_its_permissions_and_a_new_one_is_for_all_to_read(tmp_path: Path) -> None:
    """Whatever those of a draft are; nothing else is left behind."""
    (tmp_path / "old").write_bytes(b"a")
    (tmp_path / "old").chmod(0o640)
    for name, mode in (("old", 0o640), ("new", 0o644)):
        _replace(tmp_path / name, b"b")
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode
        assert (tmp_path / name).read_bytes() == b"b"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]


@pytest.mark.parametrize("name", ["folder", "absent/file"])
def test_a_file_that_cannot_be_written_leaves_no_draft(name: str, tmp_path: Path) -> None:
    """Where a folder stands in its place, and where its own folder is not there."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="cannot be written"):
        _replace(tmp_path / name, b"b")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(("usage", "lines"), [("sign", 0), ("time", 1), ("root", 1)])
def test_a_certificate_for_other_uses_is_warned_of(run: Path, tmp_path: Path, usage: str, lines: int) -> None:
    """One for time stamps, or for certificates alone: the signature is made, and nobody will trust it."""
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    issued = certificate("Approver", key, authorities().root_key, usage)
    (tmp_path / "key.pem").write_bytes(pem + issued.public_bytes(Encoding.PEM))
    told: list[str] = []
    approve(run, foreign_signer(tmp_path / "key.pem"), LATER, told.append)
    warned = [line for line in told if "for other uses than signing documents" in line]
    assert len(warned) == lines
    assert all(line.startswith("the certificate of 'Approver'") for line in warned)
