"""What an attacker would try on a signed run: every attack is found, and none stops verify."""

import base64
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from pyhanko.pdf_utils import generic
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from small_run import WHEN, make_page, make_result, render_pdf, sign_outer, write_run
from tampering import ALL, Target, targets, unseen

import frtaudit
from frtaudit.core.canonical import Json, to_bytes
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.signing import contents
from frtaudit.signing.approve import approve
from frtaudit.signing.contents import against_schema
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.manifest import Digest, digest_bytes
from frtaudit.signing.pdf.pades import BASIC
from frtaudit.signing.pdf.signature import _appended as append_unchecked
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.signer import Signer
from frtaudit.signing.statement import INNER_NAME, PAYLOAD_TYPE, Scope, inner_statement
from frtaudit.signing.statement import _sign as sign_statement
from frtaudit.signing.verify import verify

SAMPLE = 16
LATER = WHEN + timedelta(hours=1)
APPROVAL = "approval.1.dsse.json"


class Scene:
    """A run under attack: ``run`` is the target, ``second`` another run of the same auditor, ``thief`` another key."""

    def __init__(self, run: Path, second: Path, thief: Signer) -> None:
        self.run, self.second, self.thief = run, second, thief
        self.pdf = run / "report.pdf"

    def envelope(self) -> dict[str, object]:
        """The outer envelope as JSON."""
        value: dict[str, object] = json.loads((self.run / STATEMENT).read_bytes())
        return value

    def payload(self) -> dict[str, object]:
        """What the outer envelope holds."""
        value: dict[str, object] = json.loads(base64.b64decode(str(self.envelope()["payload"])))
        return value

    def put_payload(self, value: object) -> None:
        """The same signature around another payload."""
        payload = base64.b64encode(to_bytes(value)).decode()  # type: ignore[arg-type]  # JSON
        (self.run / STATEMENT).write_bytes(to_bytes(self.envelope() | {"payload": payload}))  # type: ignore[arg-type]  # JSON

    def attachments(self) -> dict[str, bytes]:
        """What the PDF carries."""
        return dict(read_signed_pdf(self.pdf.read_bytes(), (), "f").attachments)

    def update(self, change: Callable[[IncrementalPdfFileWriter], None]) -> None:
        """An incremental update of the PDF, not signed."""
        writer = IncrementalPdfFileWriter(BytesIO(self.pdf.read_bytes()))
        change(writer)
        out = BytesIO()
        writer.write(out)
        self.pdf.write_bytes(out.getvalue())


def incremental_update(scene: Scene) -> None:
    """The catalog says another language."""

    def change(writer: IncrementalPdfFileWriter) -> None:
        writer.root["/Lang"] = generic.TextStringObject("xx")
        writer.update_root()

    scene.update(change)


def shadowed_attachment(scene: Scene) -> None:
    """A later revision hangs another result into the tree of attachments."""

    def change(writer: IncrementalPdfFileWriter) -> None:
        stream = generic.StreamObject(stream_data=make_result(0.4, 2).to_bytes())
        reference = writer.add_object(stream)
        tree = writer.root["/Names"]["/EmbeddedFiles"]
        for item in list(tree["/Names"])[1::2]:
            item.get_object()["/EF"][generic.NameObject("/F")] = reference
            writer.update_container(item.get_object())

    scene.update(change)


def changed_page_content(scene: Scene) -> None:
    """A later revision draws another page."""

    def change(writer: IncrementalPdfFileWriter) -> None:
        page, _ = writer.find_page_container(0)[:2]
        kid = page.get_object()["/Kids"][0] if "/Kids" in page.get_object() else page
        sheet = kid.get_object()
        sheet[generic.NameObject("/Contents")] = writer.add_object(generic.StreamObject(stream_data=b"q Q"))
        writer.update_container(sheet)

    scene.update(change)


def appended_junk(scene: Scene) -> None:
    """Bytes after the end of the PDF."""
    scene.pdf.write_bytes(scene.pdf.read_bytes() + b"\n% junk\n%%EOF\n")


def prepended_junk(scene: Scene) -> None:
    """Bytes before its beginning."""
    scene.pdf.write_bytes(b"junk\n" + scene.pdf.read_bytes())


def truncated(scene: Scene) -> None:
    """The end of the PDF is cut off."""
    scene.pdf.write_bytes(scene.pdf.read_bytes()[:-200])


def pdf_signature_stripped(scene: Scene) -> None:
    """The PDF as it stood before its signature, with the statement still inside it."""
    scene.pdf.write_bytes(render_pdf(scene.attachments(), scene.attachments()["report.html"].decode()))


def byte_range_narrowed(scene: Scene) -> None:
    """The signature says that it covers less."""
    data = scene.pdf.read_bytes()
    start = data.rindex(b"/ByteRange [0 ")
    end = data.index(b"]", start)
    numbers = data[start + len(b"/ByteRange [") : end].split()
    numbers[3] = str(int(numbers[3]) - 8).rjust(len(numbers[3])).encode()
    narrow = b"/ByteRange [" + b" ".join(numbers)
    scene.pdf.write_bytes(data[:start] + narrow.ljust(end - start) + data[end:])


def swapped_attachment(scene: Scene) -> None:
    """Another result inside a PDF that the thief signs anew."""
    files = scene.attachments() | {"result.json": make_result(0.4, 2).to_bytes()}
    scene.pdf.write_bytes(sign_pdf(render_pdf(files), scene.thief, WHEN))


def other_key(scene: Scene) -> None:
    """Everything anew, signed by the thief: nothing differs but the key."""
    folder = scene.run.with_name("forged")
    write_run(folder, scene.thief, make_result(0.4, 2))
    shutil.rmtree(scene.run)
    folder.rename(scene.run)


def other_key_for_the_statement(scene: Scene) -> None:
    """An edited page under a statement that the thief signs."""
    (scene.run / "report.html").write_bytes(make_page(make_result(0.4, 2)))
    sign_outer(scene.run, scene.thief)


def other_key_for_the_pdf(scene: Scene) -> None:
    """The auditor's attachments in a PDF that the thief signs."""
    scene.pdf.write_bytes(sign_pdf(render_pdf(scene.attachments()), scene.thief, WHEN))
    sign_outer(scene.run, scene.thief)


def replayed_statement(scene: Scene) -> None:
    """The genuine statement of another run."""
    shutil.copy(scene.second / STATEMENT, scene.run / STATEMENT)


def replayed_pdf(scene: Scene) -> None:
    """The genuine PDF of another run."""
    shutil.copy(scene.second / "report.pdf", scene.pdf)


def replayed_result(scene: Scene) -> None:
    """Result, page and verdict of another run."""
    for name in ("result.json", "report.html", "verdict.json"):
        shutil.copy(scene.second / name, scene.run / name)


def replayed_inner_statement(scene: Scene) -> None:
    """The auditor's inner statement of another run, in a PDF that the thief signs."""
    inner = read_signed_pdf((scene.second / "report.pdf").read_bytes(), (), "f").attachments[INNER_NAME]
    scene.pdf.write_bytes(sign_pdf(render_pdf(scene.attachments() | {INNER_NAME: inner}), scene.thief, WHEN))


def edited_manifest(scene: Scene) -> None:
    """A changed page, and its new digest written into the statement."""
    page = make_page(make_result(0.4, 2))
    (scene.run / "report.html").write_bytes(page)
    value = scene.payload()
    for item in value["subject"]:  # type: ignore[attr-defined]  # a list
        if item["name"] == "report.html":
            item["digest"]["sha256"] = digest_bytes(page).sha256
            item["annotations"]["length"] = len(page)
    scene.put_payload(value)


def shortened_manifest(scene: Scene) -> None:
    """The statement no longer lists the page, and the page is gone."""
    (scene.run / "report.html").unlink()
    value = scene.payload()
    value["subject"] = [item for item in value["subject"] if item["name"] != "report.html"]  # type: ignore[attr-defined]  # a list
    scene.put_payload(value)


def signature_stripped(scene: Scene) -> None:
    """An envelope without a signature."""
    (scene.run / STATEMENT).write_bytes(to_bytes(scene.envelope() | {"signatures": []}))  # type: ignore[arg-type]  # JSON


def signature_doubled(scene: Scene) -> None:
    """An envelope with the same signature twice."""
    value = scene.envelope()
    (scene.run / STATEMENT).write_bytes(to_bytes(value | {"signatures": [*value["signatures"]] * 2}))  # type: ignore[arg-type,misc]  # JSON


def payload_type_changed(scene: Scene) -> None:
    """An envelope that says it holds something else."""
    (scene.run / STATEMENT).write_bytes(to_bytes(scene.envelope() | {"payloadType": PAYLOAD_TYPE + "x"}))  # type: ignore[arg-type]  # JSON


def public_key_exchanged(scene: Scene) -> None:
    """The statement names the thief's public key under the auditor's signature."""
    value = scene.payload()
    value["predicate"]["signer"] |= {"name": "Somebody else"}  # type: ignore[index]  # a mapping
    scene.put_payload(value)


def statement_removed(scene: Scene) -> None:
    """No statement beside a signed PDF."""
    (scene.run / STATEMENT).unlink()


def inner_as_outer(scene: Scene) -> None:
    """The auditor's inner statement where the outer one belongs."""
    (scene.run / STATEMENT).write_bytes(scene.attachments()[INNER_NAME])


def path_out_of_the_run(scene: Scene) -> None:
    """A statement by the thief that lists a file outside the folder."""
    subjects = {"../second/result.json": Digest(sha256="0" * 64, length=1)}
    (scene.run / STATEMENT).write_bytes(sign_statement(Scope.OUTER, subjects, {}, scene.thief, WHEN))


def extra_table(scene: Scene) -> None:
    """A table that nobody signed among the tables."""
    (scene.run / "tables/better.parquet").write_bytes(b"PAR1")


def verdict_changed(scene: Scene) -> None:
    """A failing run says that it passed."""
    (scene.run / "verdict.json").write_bytes(
        to_bytes({"exit_code": 0, "counts": {}, "result_sha256": "0" * 64})
    )


def approving_signature_moved(scene: Scene) -> None:
    """What an approver appended to another run's PDF, appended to this one."""
    before = len((scene.second / "report.pdf").read_bytes())
    approve(scene.second, scene.thief, LATER)
    appended = (scene.second / "report.pdf").read_bytes()[before:]
    scene.pdf.write_bytes(scene.pdf.read_bytes() + appended)


def approval_moved(scene: Scene) -> None:
    """The approval of another run, copied beside this one."""
    approve(scene.second, scene.thief, LATER)
    shutil.copy(scene.second / APPROVAL, scene.run / APPROVAL)


def approval_stripped(scene: Scene) -> None:
    """An approver's signature is cut out of the PDF, the approval stays."""
    before = scene.pdf.read_bytes()
    approve(scene.run, scene.thief, LATER)
    scene.pdf.write_bytes(before)


def junk_between_signatures(scene: Scene) -> None:
    """A change between the first signature and an approving one."""
    incremental_update(scene)
    scene.pdf.write_bytes(append_unchecked(scene.pdf.read_bytes(), scene.thief, LATER, BASIC))


ATTACKS = (
    incremental_update, shadowed_attachment, changed_page_content, appended_junk, prepended_junk, truncated,
    pdf_signature_stripped, byte_range_narrowed, swapped_attachment, replayed_statement, replayed_pdf,
    replayed_result, replayed_inner_statement, edited_manifest, shortened_manifest, signature_stripped,
    signature_doubled, payload_type_changed, public_key_exchanged, statement_removed, inner_as_outer,
    path_out_of_the_run, extra_table, verdict_changed, approving_signature_moved, approval_moved,
    approval_stripped, junk_between_signatures, other_key_for_the_pdf, other_key_for_the_statement,
)  # fmt: skip


@pytest.fixture
def scene(run: Path, tmp_path: Path, signer: Signer, other: Signer) -> Scene:
    """A run, another run of the same auditor, and a thief."""
    return Scene(run, write_run(tmp_path / "second", signer, make_result(0.5, 2)), other)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_an_attack_is_found(
    attack: Callable[[Scene], None], scene: Scene, key_folder: Path, other_folder: Path
) -> None:
    """The run is invalid, even where the attacker's own key is trusted; verify says so and does not stop."""
    attack(scene)
    found = verify(scene.run, [key_folder / PUBLIC, other_folder / PUBLIC])
    assert found.exit_code == 2, str(found)


def test_a_run_made_anew_is_not_the_auditors(scene: Scene, key_folder: Path) -> None:
    """A whole run forged with another key hangs together: it is caught because nobody trusts that key."""
    other_key(scene)
    assert verify(scene.run, [key_folder / PUBLIC]).exit_code == 3
    assert verify(scene.run / "report.pdf", [key_folder / PUBLIC]).exit_code == 3


@pytest.mark.parametrize(
    "attack",
    [
        incremental_update, shadowed_attachment, changed_page_content, appended_junk, prepended_junk, truncated,
        pdf_signature_stripped, byte_range_narrowed, swapped_attachment, replayed_inner_statement,
        approving_signature_moved, junk_between_signatures, other_key_for_the_pdf,
    ],
    ids=lambda attack: attack.__name__,
)  # fmt: skip
def test_an_attack_on_the_pdf_alone_is_found(
    attack: Callable[[Scene], None], scene: Scene, key_folder: Path, other_folder: Path
) -> None:
    """The same on a PDF that travels without its folder."""
    attack(scene)
    found = verify(scene.pdf, [key_folder / PUBLIC, other_folder / PUBLIC])
    assert found.exit_code == 2, str(found)


def test_a_page_with_other_numbers_is_found_whoever_signed(run: Path, signer: Signer) -> None:
    """A page or a PDF that prints other numbers than the result is invalid, though the auditor signed all of it.

    Nor does it help to leave out what would make them again: only reports of 0.1 lack it.
    """
    version = {"frtaudit": frtaudit.__version__}
    made, wrong = replace(make_result(), versions=version), make_page(make_result(0.4, 2))
    for page, sheet in ((wrong, wrong), (make_page(made), wrong)):
        files = {"result.json": made.to_bytes(), "report.html": page}
        inner = inner_statement(files, str(made.digests["spec"]), made.digests["inputs"], signer, WHEN)  # type: ignore[arg-type]  # a mapping
        pdf = render_pdf({**files, INNER_NAME: inner}, sheet.decode())
        (run / "report.pdf").write_bytes(sign_pdf(pdf, signer, WHEN))
        (run / "report.html").write_bytes(page)
        (run / "result.json").write_bytes(made.to_bytes())
        sign_outer(run, signer)
        assert verify(run).exit_code == verify(run / "report.pdf").exit_code == 2


@pytest.fixture
def attacked(
    original: Path,
    key_folder: Path,
    other_folder: Path,
    other: Signer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> list[Target]:
    """A run, an approved run and a sweep; a result's schema is asked once for the same text, not at each verify."""
    asked: dict[str, str | None] = {}

    def once(value: Json) -> str | None:
        text = json.dumps(value)
        if text not in asked:
            asked[text] = against_schema(value)
        return asked[text]

    monkeypatch.setattr(contents, "against_schema", once)
    return targets(tmp_path, original, [key_folder / PUBLIC, other_folder / PUBLIC], other)


def test_changed_bytes_are_found(attacked: list[Target]) -> None:
    """A sample of the flips and insertions that `python tests/tampering.py` tries: each is found and named."""
    assert [change for target in attacked for change in unseen(target, SAMPLE)] == []


@pytest.mark.slow
def test_a_thousand_changed_bytes_are_found(attacked: list[Target]) -> None:
    """All of them."""
    assert [change for target in attacked for change in unseen(target, -(-ALL // len(attacked)))] == []
