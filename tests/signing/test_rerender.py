"""Tests of frtaudit.signing.rerender: no signer can print anything but what the result says.

Tests also report_files, which makes what is compared.
"""

import errno
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import report_fixture
from small_run import WHEN, make_result, verdict_of

from frtaudit.cli.verify import main
from frtaudit.core.canonical import sha256, to_bytes
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.core.result import AuditResult, Previous
from frtaudit.core.spec import Report
from frtaudit.errors import FrtauditError
from frtaudit.report import fresh, render, versions
from frtaudit.report.files import attachments, is_source
from frtaudit.report.rendering import page_of, told_of
from frtaudit.report.shape import Shape, shape_in
from frtaudit.signing import manifest, report_files, rerender
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.pdf.first_revision import foreign
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.signer import Signer
from frtaudit.signing.signing import Signing
from frtaudit.signing.statement import INNER_NAME, inner_statement, outer_statement
from frtaudit.signing.verification import CheckStatus, Depth, Verification
from frtaudit.signing.verify import verify

SETTINGS = Report(title="Gate 4", organisation="Border office", checklists=("model_card",), date="2026-03-04")
OFFICE = {"style.css": b".answer { outline: 1px solid green; }"}
Folder = Mapping[str, bytes]


def inner(result: AuditResult) -> Callable[[Folder, Signer, Any], bytes]:
    """What makes the statement inside the PDF of a result."""
    named = dict(result.digests["inputs"])  # type: ignore[arg-type,call-overload]  # a mapping
    return lambda covered, signer, when: inner_statement(
        covered, str(result.digests["spec"]), named, signer, when
    )


def signed_run(folder: Path, signer: Signer, settings: Report = SETTINGS) -> Path:
    """A signed run, with the last audit's result and a style of its own, as a real run leaves it."""
    result, last = make_result(), Previous.read(make_result(0.3).to_bytes())
    shape: Shape = shape_in(OFFICE, {})
    sources = {
        "result.json": result.to_bytes(),
        "previous.json": last.data,
        "templates/style.css": OFFICE["style.css"],
    }
    told = told_of(settings, "2026-03-04", "signed", last, shape)
    files = report_files.report_files(sources, told, settings, Signing(signer=signer), inner(result))
    return put(folder, {**files, "verdict.json": to_bytes(verdict_of(result))}, signer)


def put(folder: Path, files: Folder, signer: Signer) -> Path:
    """The files and a statement over them."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / STATEMENT).unlink(missing_ok=True)
    (folder / STATEMENT).write_bytes(outer_statement(folder, signer, WHEN))
    return folder


@pytest.fixture(scope="module")
def genuine(tmp_path_factory: pytest.TempPathFactory, signer: Signer) -> Path:
    """A run that no test may change."""
    return signed_run(tmp_path_factory.mktemp("genuine") / "run", signer)


@pytest.fixture(scope="module")
def page_only(tmp_path_factory: pytest.TempPathFactory, signer: Signer) -> Path:
    """The same without a PDF: no test may change it."""
    return signed_run(tmp_path_factory.mktemp("genuine") / "run", signer, replace(SETTINGS, pdf=False))


@pytest.fixture(scope="module")
def layouts(genuine: Path) -> Iterator[dict[bytes, tuple[bytes, ...]]]:
    """Layouts made in a fresh process, by what was asked for: the genuine one is asked for again and again."""
    known: dict[bytes, tuple[bytes, ...]] = {}
    make = rerender._laid_out

    def once(files: Folder, attached: Folder, page: bytes) -> tuple[bytes, ...]:
        key = sha256(
            b"".join(name.encode() + data for name, data in sorted({**files, **attached}.items()))
        ).encode()
        if key not in known:
            known[key] = make(files, attached, page)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rerender, "_laid_out", once)
        yield known


def lines_of(found: Verification, outcome: CheckStatus) -> list[str]:
    """The lines of one outcome."""
    return [f"{check.subject}: {check.message}" for check in found.checks if check.status is outcome]


def test_a_genuine_run_holds_to_the_last_byte(
    genuine: Path, key_folder: Path, layouts: dict[bytes, tuple[bytes, ...]]
) -> None:
    """Page and PDF are made again, of the folder and of the PDF alone; nothing is left unchecked with --deep."""
    for path in (genuine, genuine / "report.pdf"):
        found = verify(path, [key_folder / PUBLIC], Depth.PAPER)
        assert found.strict_exit_code == 0, str(found)
        assert str(found).count("made again from the result and report.json: the same bytes") == 1
        assert str(found).count("laid out again in another process: the same") == 1
    assert len(layouts) == 1


def test_without_deep_the_layout_is_said_to_be_open(genuine: Path, key_folder: Path) -> None:
    """The page is compared; that the PDF's layout was not is said in a line, which --strict would not pass."""
    found = verify(genuine, [key_folder / PUBLIC])
    assert (found.exit_code, found.strict_exit_code) == (0, 4)
    assert lines_of(found, CheckStatus.UNCHECKED) == [
        "report.pdf: layout not compared: --deep lays it out again"
    ]


@pytest.mark.slow
def test_an_annex_is_signed_and_made_again(signer: Signer, key_folder: Path, tmp_path: Path) -> None:
    """The annex holds in its folder and alone; one of another text, and the main report in its name, are invalid."""
    run = signed_run(tmp_path / "run", signer, replace(SETTINGS, annex=True))
    assert len(read_signed_pdf((run / "annex.pdf").read_bytes(), (), "annex.pdf").signatures) == 1
    for path in (run, run / "report.pdf", run / "annex.pdf"):
        found = verify(path, [key_folder / PUBLIC], Depth.PAPER)
        assert found.strict_exit_code == 0, str(found)
        assert str(found).count("laid out again in another process: the same") == (2 if path == run else 1)
    files = {path.relative_to(run).as_posix(): path.read_bytes() for path in run.rglob("*") if path.is_file()}
    del files[STATEMENT]
    carried = dict(read_signed_pdf(files["annex.pdf"], (), "annex.pdf").attachments)
    forged = files["report.html"].decode().replace("25.0", "2.50")
    other = sign_pdf(render.pdf(forged, carried, render.Part.ANNEX), signer, WHEN)
    for number, data in enumerate((other, files["report.pdf"])):
        again = put(tmp_path / f"forged-{number}", {**files, "annex.pdf": data}, signer)
        found = verify(again, [key_folder / PUBLIC], Depth.PAPER)
        assert found.exit_code == 2
        assert [line.split(":")[0] for line in lines_of(found, CheckStatus.INVALID)] == ["annex.pdf"]


def test_a_pdf_is_held_against_the_layout_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """report.pdf is the main report, annex.pdf the annex; a PDF alone, of any name, is one of them."""
    signed: Any = type("Signed", (), {"signatures": [None]})
    monkeypatch.setattr(rerender, "foreign", lambda layout, data, _: None if layout == data else "differs")
    for name, data, layouts, holds in (
        ("report.pdf", b"main", (b"main", b"more"), True),
        ("report.pdf", b"more", (b"main", b"more"), False),
        ("annex.pdf", b"more", (b"main", b"more"), True),
        ("annex.pdf", b"main", (b"main", b"more"), False),
        ("annex.pdf", b"more", (b"main",), False),
        ("mine.pdf", b"more", (b"main", b"more"), True),
        ("mine.pdf", b"none", (b"main", b"more"), False),
    ):
        check = rerender._compared(rerender.Paper(name=name, data=data, signed=signed), layouts, ())
        assert check.status is (CheckStatus.OK if holds else CheckStatus.INVALID), name


# ------------------------------------------------------------------------------------------ attacks by who may sign
@dataclass
class OpenRun:
    """A genuine run's files, open to whoever holds the key, and what attacks need."""

    files: dict[str, bytes]
    signer: Signer
    layout: bytes | None = None
    extra: dict[str, bytes] = field(default_factory=dict)

    @property
    def page(self) -> str:
        """The page beside the PDF."""
        return self.files["report.html"].decode()

    @property
    def sources(self) -> dict[str, bytes]:
        """What the page is made from."""
        return {name: data for name, data in self.files.items() if is_source(name)}

    def set_report(self, **changes: object) -> None:
        """Other settings in report.json."""
        told = json.loads(self.files["report.json"])
        self.files["report.json"] = to_bytes({**told, **changes})

    def laid_out(self, page: str, attached_page: str | None = None) -> None:
        """A PDF of a page, signed; ``attached_page``: another page in it."""
        carried = {**attachments(self.sources, (attached_page or page).encode()), **self.extra}
        self.signed(lambda statement: render.pdf(page, {**carried, INNER_NAME: statement}), carried)

    def signed(self, make: Callable[[bytes], bytes], carried: Folder) -> None:
        """What ``make`` makes of the inner statement over what the PDF carries, signed."""
        statement = inner(make_result())(carried, self.signer, WHEN)
        self.files["report.pdf"] = sign_pdf(make(statement), self.signer, WHEN)


def _page(change: Callable[[str], str]) -> Callable[[OpenRun], None]:
    """An attack on the page beside the PDF, which carries it too."""

    def attack(case: OpenRun) -> None:
        forged = change(case.page)
        assert forged != case.page
        case.files["report.html"] = forged.encode()
        case.files.pop("report.pdf", None)

    return attack


def _paper(change: Callable[[str], str]) -> Callable[[OpenRun], None]:
    """An attack on the PDF's layout, with the genuine page beside and inside it."""

    def attack(case: OpenRun) -> None:
        forged = change(case.page)
        assert forged != case.page
        case.laid_out(forged, case.page)

    return attack


def _attached(case: OpenRun) -> None:
    case.extra["annex.html"] = b"<p>All requirements pass.</p>"
    case.laid_out(case.page)


def _other_page_inside(case: OpenRun) -> None:
    case.laid_out(case.page, case.page.replace("25", "2.5"))


def _before_signing(case: OpenRun) -> None:
    """Another revision between the layout and its signature: the first sheet is another one."""
    from pyhanko.pdf_utils.generic import NumberObject, pdf_name
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter

    from frtaudit.signing.pdf.reader import ReportReader

    def turned(pdf: bytes) -> bytes:
        import io

        writer = IncrementalPdfFileWriter.from_reader(ReportReader(pdf))
        sheet = writer.root["/Pages"]["/Kids"][0].get_object()
        sheet[pdf_name("/Rotate")] = NumberObject(180)
        writer.update_container(sheet)
        output = io.BytesIO()
        writer.write(output)
        return output.getvalue()

    carried = attachments(case.sources, case.page.encode())
    case.signed(lambda statement: turned(render.pdf(case.page, {**carried, INNER_NAME: statement})), carried)


def _style(text: str) -> Callable[[str], str]:
    return lambda page: page.replace("</style>", f"{text}</style>", 1)


def _words(before: str, after: str) -> Callable[[str], str]:
    return lambda page: page.replace(before, after)


def _verdict(**changes: object) -> Callable[[OpenRun], None]:
    return lambda case: case.files.update(
        {"verdict.json": to_bytes({**json.loads(case.files["verdict.json"]), **changes})}
    )


def _told(**changes: object) -> Callable[[OpenRun], None]:
    return lambda case: case.set_report(**changes)


def _file(name: str, data: bytes) -> Callable[[OpenRun], None]:
    return lambda case: case.files.update({name: data})


def _gone(name: str) -> Callable[[OpenRun], None]:
    return lambda case: case.files.pop(name) and None


def _followed(change: Callable[[OpenRun], None]) -> Callable[[OpenRun], None]:
    """An attack whose page is made anew from what it left."""

    def attack(case: OpenRun) -> None:
        change(case)
        case.set_report(pdf=False)
        case.files.pop("report.pdf")
        case.files["report.html"] = page_of(case.sources)

    return attack


def _loose(case: OpenRun) -> None:
    case.files["report.json"] = json.dumps(json.loads(case.files["report.json"]), indent=1).encode()


def _rendered_by(**changes: object) -> Callable[[OpenRun], None]:
    """Other names of programs in report.json than this version records."""

    def attack(case: OpenRun) -> None:
        by = json.loads(case.files["report.json"])["rendered_by"]
        case.set_report(rendered_by={**by, **changes})

    return attack


def _doubled(case: OpenRun) -> None:
    case.files["verdict.json"] = case.files["verdict.json"].replace(b"{", b'{"exit_code":3,', 1)


def _bare(change: Callable[[OpenRun], None]) -> Callable[[OpenRun], None]:
    """An attack on a run of this version without page, PDF and settings."""

    def attack(case: OpenRun) -> None:
        change(case)
        told = json.loads(case.files["result.json"])
        told["versions"]["frtaudit"] = version("frtaudit")
        result = AuditResult.from_json(told)
        kept = {name for name in case.files if name.startswith(("lists/", "tables/"))}
        made = {"result.json": result.to_bytes(), "verdict.json": to_bytes(verdict_of(result))}
        for name in set(case.files) - kept:
            del case.files[name]
        case.files.update(made)

    return attack


def _judged(**changes: object) -> Callable[[OpenRun], None]:
    """The one finding with other fields, counted as the verdict counts."""

    def attack(case: OpenRun) -> None:
        told = json.loads(case.files["result.json"])
        told["findings"][0].update(changes)
        result = AuditResult.from_json(told)
        case.files["result.json"] = result.to_bytes()
        case.files["verdict.json"] = to_bytes(verdict_of(result))

    return attack


def _unsigned(case: OpenRun) -> None:
    """A page that says something else, laid out by somebody and not signed."""
    case.files["report.pdf"] = render.pdf(case.page.replace("25.0", "2.50"))


HIDDEN = ".answer { display: none } .answer::before { content: 'All requirements pass.' }"
BOX = "<div style='position:absolute; top:0; width:100%; height:20cm; background:#fff'></div>"
PRAISE = "<p>The system is fit for use.</p>"
ATTACKS: Mapping[str, tuple[Callable[[OpenRun], None], str]] = {
    "truth hidden by a style on the page": (_page(_style(HIDDEN)), "report.html"),
    "white box over the page": (_page(_words("<body>", f"<body>{BOX}")), "report.html"),
    "sentence without a number on the page": (_page(_words("</h1>", f"</h1>{PRAISE}")), "report.html"),
    "sentence taken from the page": (_page(_words("which meets", "")), "report.html"),
    "number on the page": (_page(_words("25.0", "2.50")), "report.html"),
    "title on the page": (_page(_words("Gate 4", "Gate 5")), "report.html"),
    "space on the page": (_page(lambda page: page + " "), "report.html"),
    "truth hidden by a style on paper": (_paper(_style(HIDDEN)), "report.pdf"),
    "white box on paper": (_paper(_words("<body>", f"<body>{BOX}")), "report.pdf"),
    "sentence without a number on paper": (_paper(_words("</h1>", f"</h1>{PRAISE}")), "report.pdf"),
    "number on paper": (_paper(_words("25.0", "2.50")), "report.pdf"),
    "figure on paper": (
        _paper(_words("</svg>", "<rect width='400' height='400' fill='#fff'/></svg>")),
        "report.pdf",
    ),
    "revision before the signature": (_before_signing, "report.pdf"),
    "file attached beside the report's": (_attached, "report.pdf"),
    "another page attached": (_other_page_inside, "report.pdf"),
    "template swapped after": (_file("templates/style.css", b".answer { display: none }"), "report.html"),
    "template added after": (_file("templates/words.toml", b'[verdict]\nfail = "met"\n'), "report.html"),
    "last audit swapped": (_file("previous.json", make_result(0.9, 3).to_bytes()), "report.html"),
    "title in report.json": (_told(title="Gate 5"), "report.html"),
    "another status in report.json": (_told(status="demo"), "report.json"),
    "page gone": (_gone("report.html"), "report.html"),
    "PDF gone": (_gone("report.pdf"), "report.pdf"),
    "page that was not asked for": (_told(html=False), "report.html"),
    "remark in report.json": (_told(remark="All good"), "report.json"),
    "key in report.json": (_told(key="mine.pem"), "report.json"),
    "loose form of report.json": (_loose, "report.json"),
    "remark about what rendered it": (_rendered_by(remark="All good"), "report.json"),
    "verdict with two exit codes": (_doubled, "verdict.json"),
    "sentence of a finding without a page": (_bare(_judged(sentence="vendor: certified.")), "result.json"),
    "list beside the result's": (_file("lists/summary.csv", b"verdict\npass\n"), "lists/summary.csv"),
    "verdict of a finding": (_followed(_judged(verdict="fail")), "result.json"),
    "sentence of a finding": (_followed(_judged(sentence="vendor: certified.")), "result.json"),
    "PDF without a signature": (_unsigned, "report.pdf"),
    "last audit swapped, and the page with it": (
        _followed(_file("previous.json", make_result(0.9, 3).to_bytes())),
        "report.json",
    ),
    "template swapped, and the page with it": (
        _followed(_file("templates/style.css", b".answer { display: none }")),
        "report.json",
    ),
    "member of the verdict": (_verdict(remark="All good"), "verdict.json"),
    "checklist": (_file("checklists.csv", b"list,id\nmodel_card,all\n"), "checklists.csv"),
    "exit code": (_verdict(exit_code=3), "verdict.json"),
    "counts": (_verdict(counts={"pass": 9, "fail": 0, "inconclusive": 0, "not_testable": 0}), "verdict.json"),
    "choice": (_verdict(choice=["take this one"]), "verdict.json"),
}


SLOW = (  # "file attached beside the report's" lays a paper out in every run
    "truth hidden by a style on paper",
    *("white box on paper", "sentence without a number on paper", "number on paper", "figure on paper"),
    "another page attached",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in ATTACKS]
)
def test_a_signer_with_a_trusted_key_is_found(
    name: str,
    genuine: Path,
    tmp_path: Path,
    signer: Signer,
    key_folder: Path,
    layouts: dict[bytes, tuple[bytes, ...]],
) -> None:
    """Each forgery carries right signatures of a trusted key, and is invalid by name: page, paper, lists or verdict."""
    attack, subject = ATTACKS[name]
    files = {
        path.relative_to(genuine).as_posix(): path.read_bytes()
        for path in genuine.rglob("*")
        if path.is_file() and path.name != STATEMENT
    }
    case = OpenRun(files=files, signer=signer)
    attack(case)
    assert name == "last audit swapped" or case.files != {**files, STATEMENT: b""}
    found = verify(put(tmp_path / "run", case.files, signer), [key_folder / PUBLIC], Depth.PAPER)
    assert found.exit_code == 2, str(found)
    assert any(line.startswith(subject) for line in lines_of(found, CheckStatus.INVALID)), str(found)


# --------------------------------------------------------------------------------------------- what is no alarm
@pytest.fixture
def run(page_only: Path, tmp_path: Path) -> Path:
    """A signed run without a PDF to tamper with."""
    return Path(shutil.copytree(page_only, tmp_path / "run"))


def resigned(run: Path, signer: Signer, **told: object) -> Path:
    """Another report.json, signed."""
    now = json.loads((run / "report.json").read_bytes())
    return put(run, {"report.json": to_bytes({**now, **told})}, signer)  # type: ignore[dict-item]  # JSON


def test_findings_that_were_not_compared_are_named_beside_the_page(
    run: Path, signer: Signer, key_folder: Path
) -> None:
    """Another version excuses a page and findings that this one does not make: both are told of."""
    told = json.loads((run / "result.json").read_bytes())
    told["findings"][0]["sentence"] = "FNMR of this site is as it should be."
    result = AuditResult.from_json(told)
    by = json.loads((run / "report.json").read_bytes())["rendered_by"]
    changed = {
        "result.json": result.to_bytes(),
        "verdict.json": to_bytes(verdict_of(result)),
        "report.html": (run / "report.html").read_bytes() + b"\n",
    }
    put(run, changed, signer)
    resigned(run, signer, rendered_by={**by, "frtaudit": "0.0.9"})
    lines = lines_of(verify(run, [key_folder / PUBLIC]), CheckStatus.UNCHECKED)
    for name, what in (("result.json", "findings"), ("report.html", "page")):
        assert any(line.startswith(name) and line.endswith(f"{what} not compared") for line in lines), lines


@pytest.mark.parametrize(
    ("made_by", "status"), [("0.0.9", CheckStatus.UNCHECKED), (version("frtaudit"), CheckStatus.INVALID)]
)
def test_a_variant_may_be_later_than_its_audit(run: Path, made_by: str, status: CheckStatus) -> None:
    """Findings in the words of the version that judged them: a later one that publishes them renders the page."""
    told = json.loads((run / "result.json").read_bytes())
    told["digests"]["full"], told["cohort"]["publication"] = "0" * 64, {"left_out": {"findings": 0}}
    told["versions"]["frtaudit"] = made_by
    told["findings"][0]["sentence"] = "in the words of before"
    written = rerender.Written(
        **(
            dict.fromkeys(rerender.Written.__dataclass_fields__)
            | {"sources": {"result.json": to_bytes(told)}}
        )
    )
    assert [check.status for check in rerender._findings(written, ())] == [status]


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"frtaudit": "0.0.9", "source": "x"}, "rendered by frtaudit 0.0.9, this is "),
        ({"numpy": "1.26.4"}, "rendered with numpy 1.26.4, this is "),
        ({"source": "0" * 64}, "rendered by another build of frtaudit "),
        ({"python": 3}, "rendered with python an unknown version, this is "),
        ({"libc": "glibc 2.17"}, "rendered with libc glibc 2.17, this is "),
        ({"processor": "Z80", "machine": "z80"}, "rendered on another kind of processor"),
    ],
)
def test_another_version_is_said_and_never_an_alarm(
    run: Path, signer: Signer, key_folder: Path, changed: dict[str, object], line: str
) -> None:
    """A page that comes out otherwise by other versions is not compared: exit 0, and 4 for the strict."""
    by = json.loads((run / "report.json").read_bytes())["rendered_by"]
    (run / "report.html").write_bytes((run / "report.html").read_bytes() + b"\n")
    resigned(run, signer, rendered_by={**by, **changed})
    found = verify(run, [key_folder / PUBLIC])
    assert (found.exit_code, found.strict_exit_code) == (0, 4), str(found)
    (open_ended,) = lines_of(found, CheckStatus.UNCHECKED)
    assert open_ended.startswith(f"report.html: {line}")
    assert open_ended.endswith(": page not compared")
    assert str(found).endswith("; not compared or not covered: report.html (exit 0)")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes compute as on another processor: other kernels of BLAS, no vectors but the least that NumPy needs."""
    vectors = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    if not vectors or platform.machine() != "x86_64":
        pytest.skip("this processor has nothing that can be turned off")
    monkeypatch.setenv("OPENBLAS_CORETYPE", os.environ.get("OPENBLAS_CORETYPE", "Haswell"))
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", " ".join(vectors))


@pytest.mark.usefixtures("elsewhere")
def test_another_processor_is_never_an_alarm(
    page_only: Path, run: Path, signer: Signer, key_folder: Path
) -> None:
    """A page comes out the same on another processor; one that does not is said not to be compared: exit 0."""
    put(run, {"report.html": (run / "report.html").read_bytes() + b"\n"}, signer)
    script = (
        "import sys; from frtaudit.cli.verify import main;"
        "print([main([folder, '--trust', sys.argv[1]]) for folder in sys.argv[2:]])"
    )
    words = [sys.executable, "-c", script, str(key_folder / PUBLIC), str(page_only), str(run)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[-1] == "[0, 0]"
    assert told.count("report.html: made again from the result and report.json: the same bytes") == 1
    assert "report.html: rendered on another kind of processor: page not compared" in told


def test_a_second_process_that_is_ended_leaves_no_temporary_files(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it wrote beside its work goes with it, also where it had no time to remove it."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    files = {path.name: path.read_bytes() for path in run.iterdir() if is_source(path.name)}
    until = time.monotonic() + 120
    with fresh.made_again(files, {}):
        while not list(place.rglob("weasyprint-*")) and time.monotonic() < until:
            time.sleep(0.02)
        assert list(place.rglob("weasyprint-*"))
    assert list(place.iterdir()) == []


@pytest.mark.slow
@pytest.mark.usefixtures("elsewhere")
def test_every_figure_is_the_same_on_another_processor() -> None:
    """The page of a report of two systems, with all its figures, does not show a last bit."""
    told = told_of(report_fixture.SETTINGS, report_fixture.DATE, "signed")
    files = {
        "result.json": report_fixture.result().to_bytes(),
        "report.json": to_bytes({**told, "rendered_by": {}}),
    }
    with fresh.made_again(files, None) as again:
        page = page_of(files)
        assert page.count(b"<svg") > 10
        assert again().page == page


def test_the_same_bytes_by_another_version_hold(run: Path, signer: Signer, key_folder: Path) -> None:
    """Where another version makes the very same page there is nothing to say against it."""
    by = json.loads((run / "report.json").read_bytes())["rendered_by"]
    found = verify(resigned(run, signer, rendered_by={**by, "python": "3.11.0"}), [key_folder / PUBLIC])
    assert found.strict_exit_code == 0, str(found)


def test_a_run_of_before_is_no_alarm(original: Path, key_folder: Path) -> None:
    """A run whose report.json, if it has one, names no versions: valid, its page not compared."""
    for path in (original, original / "report.pdf"):
        found = verify(path, [key_folder / PUBLIC], Depth.PAPER)
        assert (found.exit_code, found.strict_exit_code) == (0, 4), str(found)
        assert lines_of(found, CheckStatus.UNCHECKED)[0].endswith(
            "not compared: it was made before reports recorded what rendered them"
        )


def test_templates_of_a_stranger_are_not_run(
    run: Path, key_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run with templates of its own, signed by who knows whom: nothing is rendered, and that is said."""
    monkeypatch.setattr("frtaudit.report.rendering.page_of", lambda _: pytest.fail("it was rendered"))
    found = verify(run)
    assert found.exit_code == 3
    assert lines_of(found, CheckStatus.UNCHECKED) == [
        "report.html: not compared: its templates are of a signer who is not trusted here"
    ]


@pytest.mark.parametrize("data", [b"[]", b"{", b'"x"', b"\xff"])
def test_settings_that_are_none_are_invalid(run: Path, signer: Signer, data: bytes) -> None:
    """report.json that was signed and is no such file is named."""
    found = verify(put(run, {"report.json": data}, signer))
    assert lines_of(found, CheckStatus.INVALID) == ["report.json: is not a record of report settings"]


@pytest.mark.parametrize("data", [b"{}", make_result(0.3).to_bytes().replace(b'"limit":1.0', b'"limit":0.9')])
def test_a_last_audit_that_contradicts_itself_is_invalid(
    data: bytes, run: Path, signer: Signer, key_folder: Path
) -> None:
    """previous.json is held against itself, as the result is."""
    (run / "previous.json").write_bytes(data)
    found = verify(resigned(run, signer, previous=sha256(data)), [key_folder / PUBLIC])
    assert lines_of(found, CheckStatus.INVALID)[0].startswith("previous.json: ")


def test_what_leads_to_no_page_is_invalid(run: Path, signer: Signer, key_folder: Path) -> None:
    """Sources of this version that no page can be made from were not those of the page."""
    found = verify(resigned(run, signer, date="soon"), [key_folder / PUBLIC])
    assert lines_of(found, CheckStatus.INVALID) == [
        "report.html: cannot be made again (report.date found 'soon')"
    ]


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.EMFILE, "Too many open files")])
def test_what_the_machine_lacks_is_no_alarm(
    error: Exception, run: Path, key_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where memory or open files do not suffice nothing is said against a report."""

    def small(_: object) -> bytes:
        raise error

    monkeypatch.setattr("frtaudit.report.rendering.page_of", small)
    found = verify(run, [key_folder / PUBLIC])
    assert (found.exit_code, found.strict_exit_code) == (0, 4)


def test_settings_that_cannot_be_read_leave_no_conclusion(
    genuine: Path, key_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a run whose ``report.json`` its reader may not open, nothing is called invalid."""
    digest = manifest.digest_file

    def closed(path: Path) -> manifest.Digest:
        if path.name == "report.json":
            raise PermissionError(13, "Permission denied")
        return digest(path)

    monkeypatch.setattr(manifest, "digest_file", closed)
    monkeypatch.setattr(
        rerender, "WITHOUT_RECORD", "0.0.0"
    )  # the run says 0.1.0, whose reports have no record
    found = verify(genuine, [key_folder / PUBLIC])
    assert found.exit_code == 4
    assert [check.subject for check in found.checks if check.status is found.worst] == ["report.json"]


@pytest.mark.parametrize("name", ["frtaudit", "source", "jinja2", None])
def test_a_program_that_is_not_named_excuses_no_page(
    name: str | None, run: Path, signer: Signer, key_folder: Path
) -> None:
    """report.json that leaves out what rendered the page, or all of it (None), is invalid."""
    by = json.loads((run / "report.json").read_bytes())["rendered_by"]
    left = {key: said for key, said in by.items() if name is not None and key != name}
    (run / "report.html").write_text("<p>All requirements pass.</p>")
    found = verify(resigned(run, signer, rendered_by=left), [key_folder / PUBLIC])
    assert [line.partition(" of ")[0] for line in lines_of(found, CheckStatus.INVALID)] == [
        "report.json: does not say what rendered report.html, as every report since 0.2.0 does"
    ]


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{{ 'x' * 2 ** 60 }}", "no memory is left"),
        (f"{'{% for one in range(99999) %}' * 9}{'{% endfor %}' * 9}", "it takes more than 0.5 seconds"),
        ("{# title:" + " " * 9999, "it takes more than 0.5 seconds"),
    ],
    ids=["memory", "loop", "head"],
)
def test_templates_that_take_all_there_is_leave_it_open(
    template: str, why: str, run: Path, signer: Signer, key_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signer's template that asks for more memory or time than there is excuses no page: 4, not 0."""
    if "seconds" in why:
        monkeypatch.setattr(rerender, "LONGEST", 0.5)
    (run / "templates" / "sections").mkdir(parents=True)
    (run / "templates" / "sections" / "mine.html.j2").write_text(template)
    found = verify(put(run, {}, signer), [key_folder / PUBLIC])
    assert found.exit_code == 4, str(found)
    assert [why in line for line in lines_of(found, CheckStatus.INDETERMINATE)] == [True], str(found)


def test_a_layout_that_cannot_be_made_here_is_no_alarm(
    genuine: Path, key_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No WeasyPrint, no second process, a killed one: not compared. Files that lead to no layout: invalid."""

    def refuse(error: FrtauditError) -> Callable[..., bytes]:
        def refused(*_: object) -> bytes:
            raise error

        return refused

    monkeypatch.setattr(rerender, "_laid_out", refuse(FrtauditError("report.pdf", "libraries are missing")))
    found = verify(genuine, [key_folder / PUBLIC], Depth.PAPER)
    assert (found.exit_code, found.strict_exit_code) == (0, 4)
    assert lines_of(found, CheckStatus.UNCHECKED) == [
        "report.pdf: layout not compared: report.pdf libraries are missing"
    ]
    monkeypatch.setattr(
        rerender, "_laid_out", refuse(rerender.DataError("report", "could not be made again"))
    )
    assert verify(genuine, [key_folder / PUBLIC], Depth.PAPER).exit_code == 2


def test_strict_is_deep_and_exits_with_4(
    run: Path, key_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command: 0 for a genuine run, 4 for one with a file that nobody signed, said in the last line."""
    words = [str(run), "--trust", str(key_folder / PUBLIC), "--strict"]
    assert main(words) == 0
    (run / "notes.txt").write_text("mine")
    assert main(words[:-1]) == 0
    capsys.readouterr()
    assert main(words) == 4
    assert (
        capsys.readouterr()
        .out.splitlines()[-1]
        .endswith("valid, but not compared or not covered: notes.txt (exit 4)")
    )


# ----------------------------------------------------------------------------------------- before anything is signed
@pytest.mark.usefixtures("made_twice")
def test_a_part_that_only_one_process_made_is_another() -> None:
    """A PDF that the second process did not make differs from its first byte on."""
    one = report_files.Rendered(page=b"page", settings=b"{}", pdf=b"%PDF", annex=None)
    with pytest.raises(FrtauditError, match=r"^report\.pdf: .*\(from byte 0 on\)"):
        report_files._compare(one, replace(one, pdf=None), "report.html")


@pytest.mark.usefixtures("made_twice")
def test_a_run_that_does_not_repeat_signs_nothing(signer: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a second process makes another page the run ends with one line and writes no file."""

    def other(files: Folder) -> bytes:
        return page_of(files) + b"<!-- by chance -->"

    monkeypatch.setattr(report_files, "page_of", other)
    settings = replace(SETTINGS, pdf=False)
    with pytest.raises(
        FrtauditError, match=r"^report\.html: a second process made a different file"
    ) as stopped:
        report_files.report_files(
            {"result.json": make_result().to_bytes()},
            told_of(settings, "2026-03-04", "signed"),
            settings,
            Signing(signer=signer),
        )
    assert stopped.value.exit_code == 1


def test_a_signature_adds_nothing_but_itself(
    genuine: Path, layouts: dict[bytes, tuple[bytes, ...]], signer: Signer
) -> None:
    """The signed file is the layout and one revision that follows from it; another moment or name is another one."""
    ((layout,),) = list(layouts.values())[:1]
    pdf = (genuine / "report.pdf").read_bytes()
    first = read_signed_pdf(pdf, (), "report.pdf").signatures[0]
    assert foreign(layout, pdf, first) is None
    assert foreign(layout[:-9] + b"x" + layout[-8:], pdf, first) == (
        f"laid out again, it differs from byte {len(layout) - 9} on"
    )
    later = replace(first, when=first.when.replace(year=2027))  # type: ignore[union-attr]  # it has one
    assert "another revision was signed" in str(foreign(layout, pdf, later))
    assert foreign(layout, layout + b"%" * 9, replace(first, end=len(layout) + 9)) == (
        "holds no signature where its layout ends"
    )


def test_what_renders_is_recorded(genuine: Path) -> None:
    """report.json names the programs whose other version may move a byte; the machine's fonts where they matter."""
    by = json.loads((genuine / "report.json").read_bytes())["rendered_by"]
    named = "frtaudit source python numpy matplotlib jinja2 weasyprint pango harfbuzz zlib machine"
    assert set(named.split(" ")) <= set(by)
    assert "fonts" not in by
    assert versions.differing(by, (genuine / "report.html").read_bytes()) == ()
    assert fresh.Rendered(page=b"", settings=b"", pdf=None) != fresh.Rendered(page=b"", settings=b"", pdf=b"")
