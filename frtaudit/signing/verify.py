"""``frtaudit verify``: everything that can be checked offline about a run folder, or about its PDF alone.

Long because each check of a run folder stands in this file.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NoReturn

from frtaudit.core.canonical import digest, dumps, sha256
from frtaudit.core.machine.files import irregular
from frtaudit.core.result import AuditResult
from frtaudit.errors import FrtauditError, VerificationError, printable
from frtaudit.report.files import PREVIOUS, SETTINGS
from frtaudit.signing.contents import against_schema, seal_checks, verdict_problem
from frtaudit.signing.coverage import LARGEST_PDF, LARGEST_STATEMENT, not_covered, not_regular, read_bounded
from frtaudit.signing.keys import common_name, fingerprint
from frtaudit.signing.manifest import STATEMENT, Digest, approvals, covered, digest_bytes, extends, problem
from frtaudit.signing.parties import Evidence, parties
from frtaudit.signing.pdf.signature import PdfSignature, SignedPdf, read_signed_pdf
from frtaudit.signing.rerender import in_folder, in_pdf, is_rendered, rendering_checks, status_of
from frtaudit.signing.seal import SEAL
from frtaudit.signing.statement import INNER_NAME, Scope, Statement, open_statement, recipe
from frtaudit.signing.sweeps import is_sweep, sweep_checks
from frtaudit.signing.trust import Trust, load_trust
from frtaudit.signing.verification import (
    Check,
    CheckStatus,
    Depth,
    Verification,
    indeterminate,
    invalid,
    ok,
    unchecked,
)

RESULT = "result.json"
PDF = "report.pdf"
HTML = "report.html"
VERDICT = "verdict.json"
OURS = (RESULT, HTML, PDF, VERDICT, SEAL, SETTINGS, PREVIOUS)
OUR_FOLDERS = ("tables/", "lists/", "templates/")
USAGE = 4


def verify(path: str | Path, trust: Iterable[str | Path] = (), depth: Depth = Depth.PAGE) -> Verification:
    """Check a run folder or a sweep's folder whole, or a PDF with the statement inside it; nothing is fetched.

    Parameters
    ----------
    path : str or Path
        A run folder, the folder of a sweep, or a report's PDF.
    trust : iterable of str or Path
        PEM files of signers, beside those that this machine trusts.
    depth : Depth
        Whether the PDF is laid out again, as the page is.

    Returns
    -------
    Verification
        Each check with its outcome; whatever is wrong with ``path`` is in it.

    Raises
    ------
    DataError
        A trust file cannot be used.

    Examples
    --------
    >>> verify("nowhere").exit_code
    4
    """
    place, trusted = Path(path), load_trust(Path(item) for item in trust)
    if place.is_dir() and is_sweep(place):
        checks = sweep_checks(place, trusted, partial(_run, trusted, depth), depth)
    elif place.is_dir():
        checks = _folder(place, trusted, depth)
    elif place.is_file():
        checks = _pdf_alone(place, trusted, depth)
    else:
        checks = iter([indeterminate(str(path), "there is no such file or folder")])
    return Verification(path=str(path), checks=tuple(checks))


def _run(trust: Trust, depth: Depth, folder: Path) -> Verification:
    return Verification(path=str(folder), checks=tuple(_folder(folder, trust, depth)))


def main(argv: Sequence[str] | None = None) -> int:
    """``frtaudit verify PATH``; the exit code is the verification's, 4 also for wrong usage."""
    options = _Parser.make().parse_args(argv)
    try:
        depth = Depth.PAPER if options.deep or options.strict else Depth.PAGE
        found = verify(options.path, options.trust, depth)
    except FrtauditError as error:
        sys.stderr.write(f"frtaudit verify: {error}\n")
        return USAGE
    sys.stdout.write(f"{dumps(found.to_json()) if options.json else found}\n")
    if options.strict and found.strict_exit_code != found.exit_code and not options.json:
        sys.stdout.write(
            f"{options.path}: not everything was compared or is covered (exit {found.strict_exit_code})\n"
        )
    if options.recipe:
        sys.stdout.write(_recipe(Path(options.path)))
    return found.strict_exit_code if options.strict else found.exit_code


class _Parser(argparse.ArgumentParser):
    """Wrong usage is exit code 4 here, because 2 means invalid."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")

    @classmethod
    def make(cls) -> "_Parser":
        parser = cls(prog="frtaudit verify", description="Check a run folder, or its PDF alone, offline.")
        add = parser.add_argument
        add("path", metavar="PATH", help="a run's or a sweep's folder (everything), or a PDF")
        add("--trust", action="append", default=[], metavar="FILE", help="PEM of a signer to trust")
        add("--deep", action="store_true", help="lay out the PDF again and compare it, too")
        add(
            "--strict",
            action="store_true",
            help="as --deep; exit 4 where anything was not compared or is not covered",
        )
        add("--json", action="store_true", help="print the checks as JSON")
        add("--recipe", action="store_true", help="print how to check the statement with openssl")
        return parser


def _recipe(path: Path) -> str:
    file = path / STATEMENT
    if not file.is_file() or irregular(file) is not None:
        return f"# {printable(str(path))} holds no {STATEMENT}: there is no statement to check with openssl\n"
    try:
        return recipe(STATEMENT, open_statement(file.read_bytes(), Scope.OUTER, STATEMENT)) + "\n"
    except VerificationError as error:
        return f"# {error}\n"


def _folder(folder: Path, trust: Trust, depth: Depth) -> Iterator[Check]:
    yield from not_regular(folder)
    try:
        data = read_bounded(folder / STATEMENT, LARGEST_STATEMENT)
        outer = open_statement(data, Scope.OUTER, STATEMENT)
    except FileNotFoundError:
        yield from _without_statement(folder, trust)
        return
    except VerificationError as error:
        yield invalid(STATEMENT, error.found)
        return
    yield ok(STATEMENT, f"{_signed_by(outer)}, covers {len(outer.subjects)} files")
    yield from _files(folder, outer)
    yield from _unlisted(folder, outer)
    evidence = Evidence(outer=outer)
    if _is_intact(folder, PDF, outer):
        opened, checks = _open_pdf((folder / PDF).read_bytes(), PDF, trust, outer)
        yield from checks
        evidence = opened
        yield from _inner_matches_outer(opened)
    if _is_intact(folder, RESULT, outer):
        yield from _result((folder / RESULT).read_bytes(), RESULT, evidence.inner)
        if _is_intact(folder, VERDICT, outer):
            yield from _verdict(folder)
        sealed = (folder / SEAL).read_bytes() if _is_intact(folder, SEAL, outer) else None
        yield from _seal((folder / RESULT).read_bytes(), sealed, SEAL, outer.when, trust)
    evidence, checks = _approvals(folder, evidence)
    yield from checks
    who = tuple(parties(evidence, trust))
    if _is_intact(folder, RESULT, outer):
        intact = [name for name in outer.subjects if is_rendered(name) and _is_intact(folder, name, outer)]
        written = in_folder(folder, intact, evidence.pdf)
        yield from rendering_checks(written, status_of(outer), depth, trusted=_trusted(who))
    yield from who


def _trusted(who: Iterable[Check]) -> bool:
    return all(check.outcome is not CheckStatus.UNTRUSTED for check in who)


def _approvals(folder: Path, evidence: Evidence) -> tuple[Evidence, Sequence[Check]]:
    """Every approval beside the files: it holds, it is about these files, and its signature stands in the PDF."""
    opened: dict[str, Statement] = {}
    checks: list[Check] = []
    for name in approvals(folder):
        try:
            data = read_bounded(folder / name, LARGEST_STATEMENT)
            opened[name] = open_statement(data, Scope.APPROVAL, name)
        except VerificationError as error:
            checks.append(invalid(name, error.found))
            continue
        wrong = _approved(folder, opened[name], evidence.pdf)
        earlier = [item.keyid for other, item in opened.items() if other != name]
        if evidence.outer is not None and opened[name].keyid in (evidence.outer.keyid, *earlier):
            wrong = "is by a key that signed or approved already"
        said = f"{_signed_by(opened[name])}, approves {', '.join(opened[name].subjects)}"
        checks.append(ok(name, said) if wrong is None else invalid(name, wrong))
    return replace(evidence, approvals=opened), checks


def _approved(folder: Path, approval: Statement, pdf: SignedPdf | None) -> str | None:
    """Why an approval is not one of this run; None if it is."""
    if not {STATEMENT, RESULT} <= set(approval.subjects) or ((folder / PDF).exists()) != (
        PDF in approval.subjects
    ):
        return "does not cover the statement, the result and the PDF of this run"
    for name, recorded in approval.subjects.items():
        if problem(folder, name, recorded) and not (name == PDF and extends(folder / name, recorded)):
            return f"was given for another {name}"
    ends = {(fingerprint(item.certificate), item.end) for item in pdf.signatures} if pdf else set()
    if PDF in approval.subjects and pdf is not None:
        wanted = (fingerprint(approval.certificate), approval.subjects[PDF].length)
        if wanted not in ends:
            return f"the approving signature does not stand in {PDF}"
    return None


def _without_statement(folder: Path, trust: Trust) -> Iterator[Check]:
    pdf = folder / PDF
    if pdf.is_file() and irregular(pdf) is None and pdf.stat().st_size <= LARGEST_PDF:
        evidence, checks = _open_pdf(pdf.read_bytes(), PDF, trust, None)
        broken = [check for check in checks if check.outcome is CheckStatus.INVALID]
        if broken or (evidence.pdf and evidence.pdf.signatures):
            yield from broken
            yield invalid(STATEMENT, f"is missing, although {PDF} is signed")
            return
    said = "is missing: an unsigned draft" if (folder / RESULT).is_file() else "is missing: not a run folder"
    yield indeterminate(STATEMENT, said)


def _pdf_alone(path: Path, trust: Trust, depth: Depth) -> Iterator[Check]:
    if path.stat().st_size > LARGEST_PDF:
        yield indeterminate(path.name, f"is longer than {LARGEST_PDF} bytes: not read")
        return
    evidence, checks = _open_pdf(path.read_bytes(), path.name, trust, None)
    yield from checks
    if evidence.pdf is None or evidence.inner is None:
        return
    attached = evidence.pdf.attachments
    yield from _result(attached.get(RESULT, b""), f"{path.name} / {RESULT}", evidence.inner)
    where = f"{path.name} / {SEAL}"
    yield from _seal(attached.get(RESULT, b""), attached.get(SEAL), where, evidence.inner.when, trust)
    who = tuple(parties(evidence, trust))
    if RESULT in attached and not any(check.outcome is CheckStatus.INVALID for check in checks):
        written = in_pdf(path, evidence.pdf)
        yield from rendering_checks(written, status_of(evidence.inner), depth, trusted=_trusted(who))
    absent = sorted(set(evidence.inner.subjects) - set(attached))
    yield from (unchecked(name, f"not checked: it is not inside {path.name}") for name in absent)
    yield from who


def _files(folder: Path, outer: Statement) -> Iterator[Check]:
    for name in (RESULT, VERDICT):
        if name not in outer.subjects:
            yield invalid(name, f"is not listed in {STATEMENT}")
    for name, recorded in outer.subjects.items():
        wrong = problem(folder, name, recorded)
        if wrong is None:
            yield ok(name, f"sha256 {recorded.sha256[:16]}... and {recorded.length} bytes as recorded")
        elif name == PDF and extends(folder / name, recorded):
            yield ok(
                name, f"the recorded {recorded.length} bytes are intact; what follows must be signatures"
            )
        else:
            yield invalid(name, wrong)


def _is_intact(folder: Path, name: str, outer: Statement) -> bool:
    recorded = outer.subjects.get(name)
    if recorded is None:
        return False
    return problem(folder, name, recorded) is None or (name == PDF and extends(folder / name, recorded))


def _unlisted(folder: Path, outer: Statement) -> Iterator[Check]:
    for name in covered(folder):
        if name in outer.subjects:
            continue
        if name in OURS or name.startswith(OUR_FOLDERS):
            yield invalid(name, f"has the name of a run's file, but is not listed in {STATEMENT}")
        else:
            yield unchecked(name, f"is not listed in {STATEMENT}: not part of the run")
    yield from not_covered(folder)


def _open_pdf(
    data: bytes, where: str, trust: Trust, outer: Statement | None
) -> tuple[Evidence, Sequence[Check]]:
    try:
        pdf = read_signed_pdf(data, trust.certificates, where)
    except VerificationError as error:
        return Evidence(outer=outer), [invalid(error.where, error.found)]
    if not pdf.signatures:
        return Evidence(outer=outer, pdf=pdf), [_unsigned(pdf, where)]
    checks = [ok(where, f"PAdES {pdf.level.value}, signatures: {len(pdf.signatures)}")]
    checks += [ok(where, _signature(item)) for item in pdf.signatures]
    if INNER_NAME not in pdf.attachments:
        missing = indeterminate(
            where, f"{INNER_NAME} is not attached: a signed PDF, but no report of an audit"
        )
        return Evidence(outer=outer, pdf=pdf), [*checks, missing]
    try:
        inner = open_statement(pdf.attachments[INNER_NAME], Scope.INNER, f"{where} / {INNER_NAME}")
    except VerificationError as error:
        return Evidence(outer=outer, pdf=pdf), [*checks, invalid(error.where, error.found)]
    evidence = Evidence(outer=outer, pdf=pdf, inner=inner)
    return evidence, [*checks, *_inner(inner, pdf, where)]


def _unsigned(pdf: SignedPdf, where: str) -> Check:
    if INNER_NAME in pdf.attachments:
        return invalid(where, "carries a signed statement, but its own signature is gone")
    return indeterminate(where, "is not signed: an unsigned draft, or no report")


def _inner(inner: Statement, pdf: SignedPdf, where: str) -> Iterator[Check]:
    name = f"{where} / {INNER_NAME}"
    yield ok(name, f"{_signed_by(inner)}, covers {', '.join(inner.subjects)}")
    if fingerprint(inner.certificate) != fingerprint(pdf.signatures[0].certificate):
        yield invalid(name, "names another certificate than the one that signed the PDF")
    if RESULT not in inner.subjects or RESULT not in pdf.attachments:
        yield invalid(name, f"{RESULT} is not covered, or not attached")
    for subject, recorded in inner.subjects.items():
        if subject in pdf.attachments:
            yield _attached(f"{where} / {subject}", digest_bytes(pdf.attachments[subject]), recorded)


def _attached(name: str, found: Digest, recorded: Digest) -> Check:
    if found == recorded:
        return ok(name, "as the inner statement records it")
    return invalid(name, "the attached file is not the one that the inner statement records")


def _inner_matches_outer(evidence: Evidence) -> Iterator[Check]:
    if evidence.inner is None or evidence.outer is None:
        return
    for name, recorded in evidence.inner.subjects.items():
        beside = evidence.outer.subjects.get(name)
        if beside == recorded:
            yield ok(name, f"the statement inside {PDF} records the same")
        elif beside is not None:
            yield invalid(name, f"the statement inside {PDF} records another file")


def _result(data: bytes, where: str, inner: Statement | None) -> Iterator[Check]:
    try:
        result = AuditResult.from_json(json.loads(data))
        canonical = result.to_bytes() == data
    except Exception as error:  # noqa: BLE001  forged JSON may raise anything; all of it means invalid
        yield invalid(where, f"is not a result of schema version 1 ({type(error).__name__})")
        return
    if not canonical:
        yield invalid(where, "is not in canonical form")
        return
    wrong = against_schema(json.loads(data))
    if wrong is not None:
        yield invalid(where, f"does not follow the schema of results: {wrong}")
        return
    if result.digests.get("spec") != digest(result.spec):
        yield invalid(where, "holds another spec than the one that its digest names")
    yield ok(
        where,
        f"follows the schema of results: {len(result.estimates)} estimates, {len(result.findings)} findings",
    )
    if inner is not None:
        yield _origin(result, where, inner)


def _seal(result: bytes, sealed: bytes | None, where: str, when: datetime, trust: Trust) -> Iterator[Check]:
    try:
        read = AuditResult.from_json(json.loads(result))
    except Exception:  # noqa: BLE001  said already
        return
    yield from seal_checks(read, sealed, where, when, trust)


def _origin(result: AuditResult, where: str, inner: Statement) -> Check:
    spec, inputs = result.digests.get("spec"), result.digests.get("inputs")
    if (spec, inputs) == (inner.spec, dict(inner.inputs)):
        return ok(where, f"digests of the spec and of {len(inner.inputs)} inputs are the signed ones")
    return invalid(where, "digests of spec or inputs are not the signed ones")


def _verdict(folder: Path) -> Iterator[Check]:
    try:
        data = (folder / RESULT).read_bytes()
        result, verdict = AuditResult.from_json(json.loads(data)), json.loads((folder / VERDICT).read_bytes())
        recorded = verdict["result_sha256"]
        wrong = verdict_problem(result, verdict) if recorded == sha256(data) else f"is about another {RESULT}"
    except Exception:  # noqa: BLE001  forged JSON may raise anything; all of it means invalid
        yield invalid(VERDICT, "does not say which result it is about")
        return
    yield ok(VERDICT, f"is about this {RESULT}") if wrong is None else invalid(VERDICT, wrong)


def _signature(item: PdfSignature) -> str:
    kind = "timestamp" if item.is_timestamp else "PAdES signature"
    if item.stamped is not None:
        kind += f" (with a time of {item.stamped:%Y-%m-%d %H:%M:%S %Z})"
    when = f"{item.when:%Y-%m-%d %H:%M:%S %Z}" if item.when else "unknown time"
    return (
        f"{kind} {item.field} of {common_name(item.certificate)!r}, {when}, holds for bytes 0 to {item.end}"
    )


def _signed_by(statement: Statement) -> str:
    return (
        f"signature of {common_name(statement.certificate)!r} holds (key {statement.keyid[:16]}..., "
        f"signed {statement.when:%Y-%m-%d %H:%M:%S %Z})"
    )
