"""A run's folder, checked: its statement over all files, its PDF, its result and verdict, its approvals."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from frtaudit.core.machine.files import irregular
from frtaudit.core.machine.run_files import RESULT, STATEMENT, VERDICT
from frtaudit.core.text.formatting import counted
from frtaudit.errors import VerificationError
from frtaudit.report.files import ANNEX, HTML, PDF, PREVIOUS, SETTINGS
from frtaudit.signing.contents import (
    TABLE_FILES,
    earlier_checks,
    list_checks,
    result_checks,
    seal_of_result,
    table_checks,
    verdict_checks,
)
from frtaudit.signing.coverage import (
    LARGEST_PDF,
    LARGEST_STATEMENT,
    altered,
    not_covered,
    not_regular,
    outer_statement_of,
    read_bounded,
    unsigned,
)
from frtaudit.signing.manifest import (
    APPROVAL,
    APPROVALS,
    UNREAD,
    approvals,
    covered,
    empty_folders,
    entries,
    extends,
    problem,
)
from frtaudit.signing.parties import Evidence, parties
from frtaudit.signing.pdf.signature import SignedPdf
from frtaudit.signing.report_pdf import open_pdf, signed_by, trusted
from frtaudit.signing.rerender import LISTS, in_folder, is_rendered, rendering_checks, status_of
from frtaudit.signing.seal import SEAL
from frtaudit.signing.signer import common_name, fingerprint
from frtaudit.signing.statement import Scope, Statement, open_statement
from frtaudit.signing.trust import Trust
from frtaudit.signing.verification import Check, CheckStatus, Depth, invalid, ok, unchecked

OURS = (RESULT, HTML, PDF, ANNEX, VERDICT, SEAL, SETTINGS, PREVIOUS, *LISTS)
OUR_FOLDERS = ("tables/", "lists/", "templates/")
DESKTOP = ("thumbs.db", "desktop.ini")  # Windows leaves them in folders that somebody looks into
KNOWN = re.compile("lists/.*|templates/.*", re.DOTALL)  # what a run writes there


def run_checks(folder: Path, trust: Trust, depth: Depth) -> Iterator[Check]:
    """Checks of a run's folder, but for what lies there and is no part of the run (:func:`strangers`)."""
    yield from not_regular(folder)
    try:
        outer = outer_statement_of(folder)
    except FileNotFoundError:
        yield from _without_statement(folder, trust)
        return
    except VerificationError as error:
        yield altered(STATEMENT, error.found)
        return
    yield ok(STATEMENT, f"{signed_by(outer)}, covers {counted(len(outer.subjects), 'file')}")
    yield from _files(folder, outer)
    evidence = Evidence(outer=outer)
    papers: dict[str, SignedPdf] = {}
    for name in (ANNEX, PDF):
        if _is_intact(folder, name, outer):
            evidence, checks = open_pdf((folder / name).read_bytes(), name, trust, outer)
            yield from checks
            yield from _inner_matches_outer(evidence, name)
            papers |= {} if evidence.pdf is None else {name: evidence.pdf}
    if _is_intact(folder, RESULT, outer):
        yield from result_checks((folder / RESULT).read_bytes(), RESULT, evidence.inner)
        yield from list_checks((folder / RESULT).read_bytes(), outer)
        yield from table_checks((folder / RESULT).read_bytes(), outer)
        if _is_intact(folder, VERDICT, outer):
            yield from verdict_checks(folder)
        earlier = (folder / PREVIOUS).read_bytes() if _is_intact(folder, PREVIOUS, outer) else None
        yield from earlier_checks(earlier, PREVIOUS)
        sealed = (folder / SEAL).read_bytes() if _is_intact(folder, SEAL, outer) else None
        yield from seal_of_result((folder / RESULT).read_bytes(), sealed, SEAL, outer.when, trust)
    evidence, checks = _approvals(folder, evidence)
    yield from checks
    who = tuple(parties(evidence, trust))
    if all(_is_intact(folder, name, outer) for name in {RESULT, SETTINGS} & {RESULT, *outer.subjects}):
        intact = [name for name in outer.subjects if is_rendered(name) and _is_intact(folder, name, outer)]
        written = in_folder(folder, intact, outer.subjects, papers)
        yield from rendering_checks(written, status_of(outer), depth, trusted=trusted(who))
    yield from who


def strangers(folder: Path) -> Iterator[Check]:
    """What lies in a run's folder and is covered by no statement; nothing where the statement does not hold."""
    try:
        outer = outer_statement_of(folder)
    except (FileNotFoundError, VerificationError):
        return
    for name in covered(folder):
        if name not in outer.subjects and not _is_ours(name):
            yield unchecked(name, f"is not listed in {STATEMENT}: not part of the run")
    yield from not_covered(folder)


def is_part(name: str) -> bool:
    """Whether a run writes a file of this name."""
    return name in (*OURS, *TABLE_FILES) or KNOWN.fullmatch(name) is not None


def _approvals(folder: Path, evidence: Evidence) -> tuple[Evidence, Sequence[Check]]:
    """Every approval beside the files: it holds, it is about these files, and its signature stands in the PDF."""
    opened: dict[str, Statement] = {}
    checks: list[Check] = []
    for name in approvals(folder):
        try:
            data = read_bounded(folder / name, LARGEST_STATEMENT)
            opened[name] = open_statement(data, Scope.APPROVAL, name)
        except VerificationError as error:
            checks.append(altered(name, error.found))
            continue
        wrong = _approved(folder, opened[name], evidence.pdf)
        earlier = [statement.keyid for other, statement in opened.items() if other != name]
        if evidence.outer is not None and opened[name].keyid in (evidence.outer.keyid, *earlier):
            wrong = "is by a key that signed or approved already"
        text = f"{signed_by(opened[name])}, approves {', '.join(opened[name].subjects)}"
        checks.append(ok(name, text) if wrong is None else altered(name, wrong))
    checks += _taken_away(folder, opened, evidence.pdf)
    return replace(evidence, approvals=opened), checks


def _taken_away(folder: Path, opened: Mapping[str, Statement], pdf: SignedPdf | None) -> Iterator[Check]:
    """Approvals are numbered without gaps; who signed the PDF after the first is named where no approval says so."""
    present = approvals(folder)
    expected = [APPROVAL.format(number + 1) for number in range(len(present))]
    for name in sorted(set(expected) - set(present)):
        yield invalid(name, f"is missing, although {present[-1]} is there")
    recorded = {fingerprint(approval.certificate) for approval in opened.values()}
    signatures = [signature for signature in (pdf.signatures if pdf else ()) if not signature.is_timestamp]
    for signature in signatures[1:]:
        if fingerprint(signature.certificate) not in recorded:
            message = (
                f"signature of {common_name(signature.certificate)!r}: no approval beside {PDF} records it"
            )
            yield unchecked(signature.field, message)


def _approved(folder: Path, approval: Statement, pdf: SignedPdf | None) -> str | None:
    """Why an approval is not one of this run; None if it is."""
    if not {STATEMENT, RESULT} <= set(approval.subjects) or ((folder / PDF).exists()) != (
        PDF in approval.subjects
    ):
        return "does not cover the statement, the result and the PDF of this run"
    for name, recorded in approval.subjects.items():
        wrong = problem(folder, name, recorded)
        if wrong and wrong.startswith(UNREAD):
            return f"{UNREAD}, as far as it is about {name}"
        if wrong and not (name == PDF and extends(folder / name, recorded)):
            return f"was given for another {name}"
    if PDF in approval.subjects and pdf is not None:
        ends = {(fingerprint(signature.certificate), signature.end) for signature in pdf.signatures}
        if (fingerprint(approval.certificate), approval.subjects[PDF].length) not in ends:
            return f"the approving signature does not stand in {PDF}"
    return None


def _without_statement(folder: Path, trust: Trust) -> Iterator[Check]:
    pdf = folder / PDF
    if pdf.is_file() and irregular(pdf) is None and pdf.stat().st_size <= LARGEST_PDF:
        evidence, checks = open_pdf(pdf.read_bytes(), PDF, trust, None)
        broken = [check for check in checks if check.status is CheckStatus.INVALID]
        if broken or (evidence.pdf and evidence.pdf.signatures):
            yield from broken
            yield invalid(STATEMENT, f"is missing, although {PDF} is signed")
            return
    yield unsigned(folder)


def _files(folder: Path, outer: Statement) -> Iterator[Check]:
    for name in (RESULT, VERDICT):
        if name not in outer.subjects:
            yield invalid(name, f"is not listed in {STATEMENT}")
    for name, recorded in outer.subjects.items():
        wrong = problem(folder, name, recorded)
        if wrong is None and not is_part(name):
            yield unchecked(name, "is signed, and no part of a report: compared with nothing")
        elif wrong is None:
            yield ok(name, f"sha256 {recorded.sha256[:16]}... and {recorded.length} bytes as recorded")
        elif wrong.startswith(UNREAD):
            yield altered(name, wrong)
        elif name == PDF and extends(folder / name, recorded):
            yield ok(
                name, f"the recorded {recorded.length} bytes are intact; what follows must be signatures"
            )
        else:
            yield invalid(name, wrong)
    for name in covered(folder):
        if name not in outer.subjects and _is_ours(name):
            yield invalid(name, f"has the name of a run's file, but is not listed in {STATEMENT}")


def _is_intact(folder: Path, name: str, outer: Statement) -> bool:
    recorded = outer.subjects.get(name)
    if recorded is None:
        return False
    wrong = problem(folder, name, recorded)
    if wrong and wrong.startswith(UNREAD):
        return False
    return wrong is None or (name == PDF and extends(folder / name, recorded))


def in_the_way(folder: Path, excluded: str) -> str | None:
    """What of a folder would make a run that is written into it invalid, in words; None where nothing would.

    A link, a FIFO, a device; a file or a folder that has the name of a run's. What lies in ``excluded`` does not count.
    """
    for name, kind in {**dict.fromkeys(empty_folders(folder)), **entries(folder)}.items():
        first = name.partition("/")[0]
        if first == excluded:
            continue
        if kind is not None:
            return f"{name} {kind}"
        if _is_ours(first) or _is_ours(f"{first}/") or first == STATEMENT or APPROVALS.fullmatch(first):
            return f"{name} is there, which has the name of a run's file"
    return None


def _is_ours(name: str) -> bool:
    is_left = name.rpartition("/")[2].lower() in DESKTOP
    return name in OURS or (name.startswith(OUR_FOLDERS) and not is_left)


def _inner_matches_outer(evidence: Evidence, paper: str) -> Iterator[Check]:
    if evidence.inner is None or evidence.outer is None:
        return
    for name, recorded in evidence.inner.subjects.items():
        beside = evidence.outer.subjects.get(name)
        if beside == recorded:
            yield ok(name, f"the statement inside {paper} records the same")
        elif beside is not None:
            yield invalid(name, f"the statement inside {paper} records another file")
