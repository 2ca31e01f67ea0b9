"""What somebody without the auditor's key would try on PDF, envelope, folder, sweep and approval, one way each.

With ``test_tampering.py`` more than sixty of them. Tests frtaudit.signing.verify and what it asks.
"""

import base64
import json
import os
import shutil
import socket
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from asn1crypto import cms
from asn1crypto.x509 import Certificate
from cryptography.hazmat.primitives.serialization import Encoding
from local_tsa import authorities
from pyhanko.pdf_utils.generic import (
    ArrayObject,
    DictionaryObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)
from pyhanko.pdf_utils.generic import pdf_name as name
from small_run import WHEN, make_result, write_run
from tampering import STORED

from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.errors import DataError
from frtaudit.signing.approve import approve
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.pdf.appending import Appending
from frtaudit.signing.pdf.pades import BASIC
from frtaudit.signing.pdf.reader import ReportReader
from frtaudit.signing.pdf.signature import _appended as append_unchecked
from frtaudit.signing.signer import Signer
from frtaudit.signing.verify import verify

LATER = WHEN + timedelta(hours=1)
APPROVAL = "approval.1.dsse.json"
ORDER = 2**252 + 27742317777372353535851937790883648493  # of Ed25519 (RFC 8032, 5.1)

Change = Callable[[Appending], None]
Attack = Callable[[Path], None]


# PDF: changes appended as frtaudit itself appends


def info(writer: Appending) -> None:
    """Another title in the information dictionary."""
    found = writer.trailer["/Info"]
    found[name("/Title")] = TextStringObject("Another title")
    writer.update_container(found)


def metadata(writer: Appending) -> None:
    """Another title in XMP."""
    stream = writer.root["/Metadata"]
    data = stream.data.replace(b"small", b"other")
    fresh = StreamObject({name("/Type"): name("/Metadata"), name("/Subtype"): name("/XML")}, stream_data=data)
    writer.root[name("/Metadata")] = writer.add_object(fresh)
    writer.update_root()


def catalog(key: str, value: Callable[[Appending], object]) -> Change:
    """One entry of the catalog."""

    def change(writer: Appending) -> None:
        writer.root[name(key)] = value(writer)
        writer.update_root()

    change.__name__ = f"catalog_{key[1:]}"
    return change


def javascript(writer: Appending) -> DictionaryObject:
    """An action that runs a script."""
    return DictionaryObject({name("/S"): name("/JavaScript"), name("/JS"): TextStringObject("app.alert(1)")})


def orphan(writer: Appending) -> None:
    """An object that nothing points to."""
    writer.add_object(StreamObject(stream_data=b"hidden"))


def rewritten(writer: Appending) -> None:
    """The catalog once more, as it was."""
    writer.update_root()


def form_entry(writer: Appending) -> None:
    """The form asks viewers to draw its fields."""
    form = writer.root["/AcroForm"]
    form[name("/NeedAppearances")] = NumberObject(1)
    writer.update_container(form)


def form_field(kind: str) -> Change:
    """A field in the form that is not a signature."""

    def change(writer: Appending) -> None:
        form = writer.root["/AcroForm"]
        field = DictionaryObject({name("/FT"): name(kind), name("/T"): TextStringObject("Signature9")})
        form["/Fields"].append(writer.add_object(field))
        writer.update_container(form)

    change.__name__ = f"field_{kind[1:]}"
    return change


def page(key: str, value: object) -> Change:
    """One entry of the first page."""

    def change(writer: Appending) -> None:
        sheet = first_page(writer)
        sheet[name(key)] = value
        writer.update_container(sheet)

    change.__name__ = f"page_{key[1:]}"
    return change


def annotation(writer: Appending) -> None:
    """A note on the first page."""
    sheet = first_page(writer)
    note = {name("/Type"): name("/Annot"), name("/Subtype"): name("/FreeText")}
    sheet["/Annots"].append(writer.add_object(DictionaryObject(note)))
    writer.update_container(sheet)


def first_page(writer: Appending) -> DictionaryObject:
    """The first page's dictionary."""
    node = writer.root["/Pages"]
    while "/Kids" in node:
        node = node["/Kids"][0]
    return node


def field_renamed(writer: Appending) -> None:
    """The signature's field gets another name."""
    field = writer.root["/AcroForm"]["/Fields"][0]
    field[name("/T")] = TextStringObject("Signature8")
    writer.update_container(field)


def contents_replaced(writer: Appending) -> None:
    """The stream that draws the first page is written anew."""
    reference = first_page(writer).raw_get("/Contents")
    writer.objects[0, reference.idnum] = StreamObject(stream_data=b"q Q")


def attached_replaced(writer: Appending) -> None:
    """The attached result is written anew."""
    file = writer.root["/Names"]["/EmbeddedFiles"]["/Names"][1]
    reference = file["/EF"].raw_get("/F")
    writer.objects[0, reference.idnum] = StreamObject(stream_data=make_result(0.4, 2).to_bytes())


def dss(label: str, *streams: bytes, vri: bool = False, extra: bool = False) -> Change:
    """A DSS that holds these certificates."""

    def change(writer: Appending) -> None:
        made = [writer.add_object(StreamObject(stream_data=data)) for data in streams]
        held = DictionaryObject({name("/Certs"): ArrayObject(made)})
        if vri:
            entry = {name("/Type"): name("/VRI"), name("/Cert"): ArrayObject(made)}
            held[name("/VRI")] = DictionaryObject(
                {name("/" + "A" * 40): writer.add_object(DictionaryObject(entry))}
            )
        if extra:
            held[name("/Note")] = TextStringObject("more")
        writer.root[name("/DSS")] = writer.add_object(held)
        writer.update_root()

    change.__name__ = f"dss_{label}"
    return change


ROOT = authorities().root.public_bytes(Encoding.DER)
UPDATES: tuple[Change, ...] = (
    info,
    metadata,
    catalog("/Extensions", lambda _: DictionaryObject()),
    catalog("/Version", lambda _: name("/1.7")),
    catalog("/Lang", lambda _: TextStringObject("xx")),
    catalog("/OpenAction", javascript),
    catalog("/Perms", lambda _: DictionaryObject()),
    catalog("/Pages", lambda writer: writer.root.raw_get("/Metadata")),
    catalog("/AF", lambda _: ArrayObject()),
    orphan,
    rewritten,
    form_entry,
    form_field("/Tx"),
    form_field("/Sig"),
    page("/Rotate", NumberObject(90)),
    page("/MediaBox", ArrayObject(map(NumberObject, (0, 0, 10, 10)))),
    annotation,
    field_renamed,
    contents_replaced,
    attached_replaced,
    dss("empty"),
    dss("junk", b"junk"),
    dss("strange", ROOT),
    dss("foreign_vri", ROOT, vri=True),
    dss("more", ROOT, extra=True),
)


def updated(pdf: bytes, change: Change) -> bytes:
    """The PDF with the change appended."""
    writer = Appending.from_reader(ReportReader(pdf))
    change(writer)
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("change", UPDATES, ids=lambda change: change.__name__)
def test_what_is_appended_is_found(change: Change, run: Path, trust: list[Path], other: Signer) -> None:
    """Exit 2 for the folder and for the PDF alone, and also where somebody who is trusted signed the change."""
    pdf = run / "report.pdf"
    forged = updated(pdf.read_bytes(), change)
    assert forged != pdf.read_bytes()
    assert_found(run, forged, trust)
    with suppress(KeyError):  # without pages there is no place for a signature
        assert_found(run, append_unchecked(forged, other, LATER, BASIC), trust)


def assert_found(run: Path, forged: bytes, trust: list[Path]) -> None:
    """The PDF is invalid, in its folder and alone."""
    pdf = run / "report.pdf"
    pdf.write_bytes(forged)
    assert verify(run, trust).exit_code == verify(pdf, trust).exit_code == 2


@pytest.fixture
def trust(key_folder: Path, other_folder: Path) -> list[Path]:
    """Both keys are trusted."""
    return [key_folder / PUBLIC, other_folder / PUBLIC]


# PDF: bytes between and inside what is there


def replaced(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """The last occurrence replaced."""

    def change(pdf: bytes) -> bytes:
        at = pdf.rindex(old)
        return pdf[:at] + new + pdf[at + len(old) :]

    return change


def hole(pdf: bytes) -> tuple[int, int]:
    """Where the last signature's value stands, without its brackets."""
    start = pdf.rindex(b"/Contents <") + len(b"/Contents <")
    return start, pdf.index(b">", start)


def hole_spaced(pdf: bytes) -> bytes:
    """A space among the zeros behind the value."""
    _, end = hole(pdf)
    return pdf[: end - 2] + b" 0" + pdf[end:]


def hole_lower(pdf: bytes) -> bytes:
    """One digit in the other case."""
    start, end = hole(pdf)
    at = next(n for n in range(start, end) if pdf[n : n + 1].isalpha())
    return pdf[:at] + pdf[at : at + 1].swapcase() + pdf[at + 1 :]


def in_signature(change: Callable[[cms.SignedData], None]) -> Callable[[bytes], bytes]:
    """The value of the last signature, changed where nobody signed it."""

    def changed(pdf: bytes) -> bytes:
        start, end = hole(pdf)
        info = cms.ContentInfo.load(bytes.fromhex(pdf[start:end].decode()))
        change(info["content"])
        value = info.dump(force=True).hex().upper().encode()
        assert not pdf[start:end].startswith(value)
        return pdf[:start] + value.ljust(end - start, b"0") + pdf[end:]

    changed.__name__ = change.__name__
    return changed


def more_certificates(signed: cms.SignedData) -> None:
    """A certificate of somebody else."""
    signed["certificates"].append(Certificate.load(ROOT))


def same_certificate(signed: cms.SignedData) -> None:
    """The signer's certificate twice."""
    signed["certificates"].append(signed["certificates"][0].copy())


def more_attributes(signed: cms.SignedData) -> None:
    """An attribute that is not signed."""
    attribute = cms.CMSAttribute({"type": "content_type", "values": ["data"]})
    signed["signer_infos"][0]["unsigned_attrs"] = cms.CMSAttributes([attribute])


def other_algorithm(signed: cms.SignedData) -> None:
    """The same algorithm written without its parameters."""
    plain = cms.DigestAlgorithm.load(bytes.fromhex("300b0609608648016503040201"))
    signed["digest_algorithms"] = cms.DigestAlgorithms([plain])
    signed["signer_infos"][0]["digest_algorithm"] = plain


BYTES: tuple[Callable[[bytes], bytes], ...] = (
    hole_spaced,
    hole_lower,
    in_signature(more_certificates),
    in_signature(same_certificate),
    in_signature(more_attributes),
    in_signature(other_algorithm),
    lambda pdf: pdf + b"%%EOF\n",
    lambda pdf: pdf + b"\n",
    lambda pdf: pdf + pdf[pdf.rindex(b"startxref") :],
    lambda pdf: b"\xef\xbb\xbf" + pdf,
    lambda pdf: pdf[:-1],
    lambda pdf: pdf + pdf,
    replaced(b"\nendobj\n", b"\nendobj \n"),
    replaced(b"/Filter /Adobe.PPKLite", b"/Filter /Adobe.PPKLitf"),
)


@pytest.mark.parametrize("change", BYTES, ids=range(len(BYTES)))
def test_bytes_in_gaps_are_found(change: Callable[[bytes], bytes], run: Path, trust: list[Path]) -> None:
    """Inside the hole of a signature, before the header, between revisions, behind the end: exit 2."""
    assert_found(run, change((run / "report.pdf").read_bytes()), trust)


@pytest.mark.parametrize("gap", [b"% note\n", b"\n", b"99 0 obj\n<<\n>>\nendobj\n"])
def test_gaps_in_an_approvers_revision_are_found(
    gap: bytes, run: Path, trust: list[Path], other: Signer
) -> None:
    """Between two objects of what an approver signed, though the approver signed that too."""
    writer = Appending.from_reader(ReportReader((run / "report.pdf").read_bytes()))
    write = writer._write_objects
    writer._write_objects = lambda stream, places: (stream.write(gap), write(stream, places))  # type: ignore[method-assign]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Appending, "from_reader", lambda _: writer)
        forged = append_unchecked((run / "report.pdf").read_bytes(), other, LATER, BASIC)
    assert gap in forged
    assert_found(run, forged, trust)


# envelope


def envelope(change: Callable[[dict[str, object]], dict[str, object]]) -> Callable[[bytes], bytes]:
    """The envelope's members changed, in canonical form."""
    return lambda data: to_bytes(change(json.loads(data)))  # type: ignore[arg-type]  # JSON


def signature(data: bytes, **members: str) -> bytes:
    """The envelope with other members in its one signature."""
    value = json.loads(data)
    value["signatures"][0] |= members
    return to_bytes(value)


def larger(data: bytes) -> bytes:
    """Ed25519: s + L in place of s (RFC 8032, 5.1.7 wants s < L)."""
    raw = base64.b64decode(json.loads(data)["signatures"][0]["sig"])
    s = int.from_bytes(raw[32:], "little") + ORDER
    return signature(data, sig=base64.b64encode(raw[:32] + s.to_bytes(32, "little")).decode())


ENVELOPES: dict[str, Callable[[bytes], bytes]] = {
    "member": envelope(lambda value: value | {"note": "more"}),
    "member of the signature": lambda data: signature(data, cert="more"),
    "key id": lambda data: signature(data, keyid="0" * 64),
    "no key id": envelope(lambda value: value | {"signatures": [{"sig": value["signatures"][0]["sig"]}]}),  # type: ignore[index]
    "doubled key": lambda data: data.replace(b'{"payload":', b'{"payload":"","payload":', 1),
    "mark of the byte order": lambda data: b"\xef\xbb\xbf" + data,
    "newline": lambda data: data + b"\n",
    "leading space": lambda data: b" " + data,
    "spaces": lambda data: data.replace(b'","', b'", "', 1),
    "base64 broken": lambda data: data.replace(b'"sig":"', b'"sig":"\\n', 1),
    "escaped": lambda data: data.replace(b"application/vnd", b"\\u0061pplication/vnd", 1),
    "s of Ed25519": larger,
    "two signatures": envelope(
        lambda value: value | {"signatures": [*value["signatures"], {"keyid": "a", "sig": "AAAA"}]}
    ),  # type: ignore[misc]
    "a list": lambda data: b"[" + data + b"]",
    "deep": lambda _: b"[" * 100_000,
    "empty": lambda _: b"",
}


@pytest.mark.parametrize("kind", ENVELOPES)
def test_another_envelope_is_found(kind: str, run: Path, trust: list[Path], other: Signer) -> None:
    """One form of an envelope is valid, for the statement and for an approval: its bytes are canonical."""
    approve(run, other, LATER)
    for file in (STATEMENT, APPROVAL):
        intact = (run / file).read_bytes()
        (run / file).write_bytes(ENVELOPES[kind](intact))
        found = verify(run, trust)
        (run / file).write_bytes(intact)
        assert found.exit_code == 2, file
    assert verify(run, trust).exit_code == 0


# folder


def linked(run: Path) -> None:
    """A file replaced by a link to the same bytes."""
    shutil.copy(run / "report.html", run.parent / "same.html")
    (run / "report.html").unlink()
    (run / "report.html").symlink_to(run.parent / "same.html")


def linked_folder(run: Path) -> None:
    """A folder replaced by a link to the same files."""
    (run / "tables").rename(run.parent / "tables")
    (run / "tables").symlink_to(run.parent / "tables")


def extra_link(run: Path) -> None:
    """A link that leads nowhere."""
    (run / "more").symlink_to("/nowhere")


def fifo(place: str) -> Attack:
    """A FIFO: who opens it waits for ever."""

    def attack(run: Path) -> None:
        (run / place).unlink(missing_ok=True)
        os.mkfifo(run / place)

    attack.__name__ = f"fifo_{place}"
    return attack


def door(run: Path) -> None:
    """A socket."""
    with socket.socket(socket.AF_UNIX) as made:
        before = Path.cwd()
        os.chdir(run)  # a socket's path is short
        made.bind("door")
        os.chdir(before)


def large(place: str) -> Attack:
    """A file of a terabyte, without a byte on the disk."""

    def attack(run: Path) -> None:
        with (run / place).open("ab") as stream:
            stream.truncate(1 << 40)

    attack.__name__ = f"large_{place}"
    return attack


def planted(place: str) -> Attack:
    """A file of a name that a run's files have."""

    def attack(run: Path) -> None:
        (run / place).parent.mkdir(exist_ok=True)
        (run / place).write_bytes(b"{}")

    attack.__name__ = f"planted_{place}"
    return attack


def emptied(run: Path) -> None:
    """All files gone but the statement."""
    for path in run.iterdir():
        if path.is_file() and path.name != STATEMENT:
            path.unlink()


FOLDERS: tuple[Attack, ...] = (
    linked,
    linked_folder,
    extra_link,
    fifo("report.html"),
    fifo("report.pdf"),
    fifo(STATEMENT),
    fifo("approval.1.dsse.json"),
    fifo("tables/more"),
    fifo(".hidden"),
    door,
    large("report.pdf"),
    large("report.html"),
    large("result.json"),
    large(STATEMENT),
    large("approval.1.dsse.json"),
    planted("tables/more.parquet"),
    planted("lists/more.csv"),
    planted("seal.json"),
    planted("checklists.json"),
    planted("sweep.json"),
    planted("sweep.pdf"),
    emptied,
)


def test_a_file_that_is_a_link_is_said_once(run: Path, trust: list[Path]) -> None:
    """One fact is one line."""
    linked(run)
    said = [str(check) for check in verify(run, trust).checks]
    assert said.count("invalid        report.html: is a symbolic link: not opened") == 1


@pytest.mark.parametrize("attack", FOLDERS, ids=lambda attack: attack.__name__)
def test_a_changed_folder_is_found(attack: Attack, run: Path, trust: list[Path]) -> None:
    """Links, FIFOs and sockets are not opened, endless files not read: exit 2 at once."""
    attack(run)
    assert verify(run, trust).exit_code == 2


def test_what_no_statement_covers_is_named(run: Path, trust: list[Path]) -> None:
    """Hidden files, logs, files of others, empty folders: each has its line, and the exit code stays."""
    beside = (".hydra/config.yaml", ".note", "run.log", "notes.txt", "Report.html", "approval.01.dsse.json")
    (run / ".hydra").mkdir()
    for place in beside:
        (run / place).write_bytes(b"x")
    (run / "annex.pdf").mkdir()
    found = verify(run, trust)
    assert found.exit_code == 0
    unchecked = {check.subject for check in found.checks if check.status.value == "unchecked"}
    assert {*beside, "annex.pdf"} <= unchecked


def test_a_terabyte_that_is_no_pdf_is_not_read(tmp_path: Path) -> None:
    """Alone, it is neither valid nor invalid."""
    with (tmp_path / "report.pdf").open("wb") as stream:
        stream.truncate(1 << 40)
    assert verify(tmp_path / "report.pdf").exit_code == 4


# sweep


def jobs(sweep: Path) -> tuple[Path, Path]:
    """The folders of the two jobs."""
    first, second = sorted(path.parent for path in sweep.glob("*/result.json"))
    return first, second


def jobs_swapped(sweep: Path) -> None:
    """Each job's folder under the other's name."""
    first, second = jobs(sweep)
    first.rename(sweep / "aside")
    second.rename(first)
    (sweep / "aside").rename(second)


def results_swapped(sweep: Path) -> None:
    """The result of one job in the other's folder."""
    first, second = jobs(sweep)
    shutil.copy(second / "result.json", first / "result.json")


def job_statement(sweep: Path) -> None:
    """A job's genuine statement where the sweep's belongs."""
    shutil.copy(jobs(sweep)[0] / STATEMENT, sweep / STATEMENT)


def statement_of_another_job(sweep: Path) -> None:
    """A job's genuine statement beside the other's files."""
    first, second = jobs(sweep)
    shutil.copy(second / STATEMENT, first / STATEMENT)


def table_edited(sweep: Path) -> None:
    """A rate in the table."""
    data = (sweep / "sweep.json").read_bytes()
    (sweep / "sweep.json").write_bytes(data.replace(b"done", b"gone", 1))


def job_failed(sweep: Path) -> None:
    """A job without its result."""
    (jobs(sweep)[0] / "result.json").unlink()


def job_gone(sweep: Path) -> None:
    """A job without its folder."""
    shutil.rmtree(jobs(sweep)[0])


def table_gone(sweep: Path) -> None:
    """A sweep without its table."""
    (sweep / "sweep.json").unlink()


def job_linked(sweep: Path) -> None:
    """A job's folder moved away, and a link to it."""
    first, _ = jobs(sweep)
    first.rename(sweep.parent / "job")
    first.symlink_to(sweep.parent / "job")


def job_table_planted(sweep: Path) -> None:
    """A table that nobody signed in a job's folder."""
    (jobs(sweep)[0] / "tables/more.parquet").write_bytes(b"PAR1")


def of_a_job(attack: Callable[[str], Attack], place: str) -> Attack:
    """An attack on a file of the first job."""

    def at_job(sweep: Path) -> None:
        attack(f"{jobs(sweep)[0].name}/{place}")(sweep)

    at_job.__name__ = f"job_{attack.__name__}_{place}"
    return at_job


def endless(place: str) -> Attack:
    """A file replaced by a link to a device that never ends."""

    def attack(run: Path) -> None:
        (run / place).unlink(missing_ok=True)
        (run / place).symlink_to("/dev/zero")

    attack.__name__ = f"endless_{place}"
    return attack


SWEEPS: tuple[Attack, ...] = (
    *(of_a_job(kind, "result.json") for kind in (fifo, large, endless)),
    of_a_job(fifo, STATEMENT),
    of_a_job(large, "DONE.json"),
    planted("approval.1.dsse.json"),
    jobs_swapped,
    results_swapped,
    job_statement,
    statement_of_another_job,
    table_edited,
    job_failed,
    job_gone,
    table_gone,
    job_linked,
    job_table_planted,
    planted("sweep.html"),
    planted("sweep.pdf"),
    fifo("sweep.html"),
    large("sweep.csv"),
)


@pytest.mark.parametrize("attack", SWEEPS, ids=lambda attack: attack.__name__)
def test_a_changed_sweep_is_found(attack: Attack, tmp_path: Path) -> None:
    """Jobs, tables and statements moved about: exit 2."""
    sweep = Path(shutil.copytree(STORED / "sweep", tmp_path / "sweep"))
    attack(sweep)
    assert verify(sweep, [STORED / "auditor.pem"]).exit_code == 2


def test_a_sweep_is_approved_job_by_job(tmp_path: Path, other: Signer) -> None:
    """Its table is no run, and nothing is written."""
    sweep = Path(shutil.copytree(STORED / "sweep", tmp_path / "sweep"))
    before = sorted(sweep.iterdir())
    with pytest.raises(DataError, match="is the folder of a sweep"):
        approve(sweep, other, LATER)
    assert sorted(sweep.iterdir()) == before


# approval


def approval_doubled(run: Path) -> None:
    """The same approval under the next number."""
    shutil.copy(run / APPROVAL, run / "approval.2.dsse.json")


def approval_renumbered(run: Path) -> None:
    """An approval under the next number, so that an earlier one seems to be gone."""
    (run / APPROVAL).rename(run / "approval.2.dsse.json")


def approval_swapped(run: Path) -> None:
    """The auditor's statement in place of an approval."""
    shutil.copy(run / STATEMENT, run / APPROVAL)


def approval_as_statement(run: Path) -> None:
    """An approval in place of the auditor's statement."""
    shutil.copy(run / APPROVAL, run / STATEMENT)


def approved_pdf_restored(run: Path) -> None:
    """The PDF as it stood before the approval."""
    pdf = (run / "report.pdf").read_bytes()
    (run / "report.pdf").write_bytes(pdf[: pdf.index(b"%%EOF\n", pdf.index(b"/ByteRange")) + 6])


def approved_pdf_gone(run: Path) -> None:
    """An approval of a PDF that is not there."""
    (run / "report.pdf").unlink()


APPROVALS: tuple[Attack, ...] = (
    approval_doubled,
    approval_renumbered,
    approval_swapped,
    approval_as_statement,
    approved_pdf_restored,
    approved_pdf_gone,
)


@pytest.mark.parametrize("attack", APPROVALS, ids=lambda attack: attack.__name__)
def test_a_changed_approval_is_found(attack: Attack, run: Path, trust: list[Path], other: Signer) -> None:
    """Approvals copied, moved and cut off: exit 2."""
    approve(run, other, LATER)
    attack(run)
    assert verify(run, trust).exit_code == 2


def test_an_approval_that_was_taken_away_is_named(run: Path, trust: list[Path], other: Signer) -> None:
    """The PDF keeps the signature of who approved it; that no approval records it is not passed by --strict."""
    approve(run, other, LATER)
    (run / APPROVAL).unlink()
    found = verify(run, trust)
    assert (found.exit_code, found.strict_exit_code) == (0, 4)
    assert "Signature2: signature of 'Somebody else': no approval beside report.pdf records it" in str(found)


def test_an_approval_of_another_run_is_found(
    run: Path, tmp_path: Path, trust: list[Path], signer: Signer, other: Signer
) -> None:
    """A genuine approval, and the PDF with it, of another result."""
    second = write_run(tmp_path / "second", signer, make_result(0.5, 2))
    approve(second, other, LATER)
    for place in (APPROVAL, "report.pdf"):
        shutil.copy(second / place, run / place)
        assert verify(run, trust).exit_code == 2
