"""What the signed files say, beside who signed them: schema, verdicts, seal."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from frtaudit.core.canonical import Json, digest, mapping, sha256, to_bytes
from frtaudit.core.findings import Verdict, verdict_counts
from frtaudit.core.machine.faults import of_machine
from frtaudit.core.machine.run_files import LISTS, RESULT, STATEMENT, TABLE_NAMES, TABLES, VERDICT
from frtaudit.core.result import AuditResult, Previous
from frtaudit.core.result_schema import result_schema, with_present_keys
from frtaudit.core.text.formatting import counted
from frtaudit.errors import FrtauditError, VerificationError, why
from frtaudit.evaluation.contradictions import FULL, contradiction
from frtaudit.report.files import PREVIOUS
from frtaudit.signing.seal import Seal, open_seal, recorded
from frtaudit.signing.signer import common_name, dated_outside
from frtaudit.signing.statement import TIME_FORMAT, Statement
from frtaudit.signing.trust import Trust
from frtaudit.signing.verification import Check, CheckStatus, invalid, note, ok, untrusted

TABLE_FILES = tuple(f"{TABLES}/{name}.parquet" for name in TABLE_NAMES)


def against_schema(value: Json) -> str | None:
    """Where and why a result departs from its JSON Schema; None if it follows it.

    Its spec is held against its digest, not against a schema: a plug-in may be unknown where the report is read. Keys
    that have another name today are compared under that.
    """
    from jsonschema import Draft202012Validator

    schema = result_schema({"type": "object"})
    error = next(Draft202012Validator(schema).iter_errors(with_present_keys(value)), None)
    if error is None:
        return None
    return f"/{'/'.join(str(step) for step in error.absolute_path)} {error.message[:80]}"


def verdict_problem(result: AuditResult, verdict: Mapping[str, Json]) -> str | None:
    """What ``verdict.json`` says and the result does not, in words; None where they agree."""
    counts = verdict_counts(result.findings)
    if not set(verdict) <= {"exit_code", "counts", "result_sha256", "choice"}:
        return "holds more than a verdict"
    if verdict.get("counts") != counts:
        return f"counts other findings than {RESULT} holds"
    if verdict.get("choice", []) != list(result.choice):
        return f"names another choice than {RESULT}"
    open_ended = any(number for name, number in counts.items() if name != Verdict.PASS.value)
    codes = {0} if "full" in result.digests or not open_ended else {3} if counts["fail"] else {0, 3}
    if verdict.get("exit_code") not in codes:
        return "names an exit code that does not follow from its counts"
    return None


def seal_checks(
    result: AuditResult, data: bytes | None, name: str, signed_at: datetime, trust: Trust
) -> Iterator[Check]:
    """Checks of the seal that a result names: genuine, older than the report, its departures all listed.

    ``data``: the seal's file; ``signed_at``: when the report was signed, as its signer says.
    """
    if result.seal is None:
        if data is not None:
            yield invalid(name, "is a seal, but the result was not run under one")
        return
    if data is None:
        yield invalid(name, "is missing, although the result was run under a seal")
        return
    try:
        seal = open_seal(data, name, trust.certificates)
    except VerificationError as error:
        yield invalid(name, error.found)
        return
    if recorded(seal, result) != result.seal:
        yield invalid(name, "does not lead to the departures that the result lists")
    elif (seal.stamp.when if seal.stamp else seal.statement.when) > signed_at:
        yield invalid(name, "was made after the report was signed")
    else:
        count = len(result.seal.departures)
        text = f"sealed by {result.seal.signer!r} on {result.seal.signed_at}; departures, all listed: {count}"
        yield ok(name, text)
    yield from _seal_trust(seal, name, trust)


def lone_seal_checks(data: bytes, name: str, trust: Trust) -> Iterator[Check]:
    """Checks of a seal beside no run: genuine, and whose it is; a run under it lists its departures."""
    try:
        seal = open_seal(data, name, trust.certificates)
    except VerificationError as error:
        yield invalid(name, error.found)
        return
    statement, inputs = seal.statement, mapping(mapping(seal.content.get("digests")).get("inputs"))
    text = f"sealed by {common_name(statement.certificate)!r} on {statement.when.strftime(TIME_FORMAT)}"
    yield ok(name, f"{text}: a spec and the digests of cohort and {len(inputs)} inputs; compared with no run")
    yield from _seal_trust(seal, name, trust)


def _seal_trust(seal: Seal, name: str, trust: Trust) -> Iterator[Check]:
    signer, keyid = common_name(seal.statement.certificate), seal.statement.keyid
    if keyid not in trust.keyids:
        yield untrusted(name, f"its signer {signer!r} is not trusted here (key {keyid[:16]}...)")
    outside = dated_outside(seal.statement.certificate, seal.statement.when)
    if outside is not None:
        yield untrusted(name, f"its signer {signer!r} is not trusted here ({outside})")
    if seal.stamp is None:
        yield note(name, "its time is from its signer's clock, not from an authority")
        return
    tsa = common_name(seal.stamp.certificate)
    if seal.stamp.distrust is not None:
        yield untrusted(name, f"the authority {tsa!r} of its time is not trusted here")
    else:
        yield ok(name, f"existed on {seal.stamp.when:%Y-%m-%d %H:%M:%S} UTC, says {tsa!r}")


def result_checks(data: bytes, where: str, inner: Statement | None) -> Iterator[Check]:
    """Checks of the bytes of a result: form, schema, digests of spec and inputs as the statement ``inner`` has them."""
    try:
        result = AuditResult.from_json(json.loads(data))
        canonical = result.to_bytes() == data
    except Exception as error:
        if of_machine(error):
            raise
        yield invalid(where, f"is not a result of schema version 1 ({why(error)})")
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
    try:
        wrong = contradiction(result)
    except (FrtauditError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        wrong = f"its parts cannot be compared with each other ({why(error)})"
    if wrong is not None:
        yield invalid(where, f"contradicts itself: {wrong}")
    yield ok(
        where,
        f"follows the schema of results: {counted(len(result.estimates), 'estimate')}, "
        f"{counted(len(result.findings), 'finding')}",
    )
    if inner is not None:
        spec, inputs = result.digests.get("spec"), result.digests.get("inputs")
        if (spec, inputs) == (inner.spec, dict(inner.inputs)):
            yield ok(
                where, f"digests of the spec and of {counted(len(inner.inputs), 'input')} are the signed ones"
            )
        else:
            yield invalid(where, "digests of spec or inputs are not the signed ones")


def earlier_problem(previous: Previous) -> str | None:
    """Why a last audit is no result of frtaudit; None where it is one, or of a schema version that is unknown here."""
    if previous.result is None:
        return None
    checks = result_checks(previous.data, PREVIOUS, None)
    return next((check.message for check in checks if check.status is CheckStatus.INVALID), None)


def earlier_checks(data: bytes | None, where: str) -> Iterator[Check]:
    """A check of the last audit's result beside a run, where there is one: it is held against itself only."""
    if data is None:
        return
    try:
        wrong = earlier_problem(Previous.read(data))
    except Exception as error:
        if of_machine(error):
            raise
        wrong = f"is no result ({why(error)})"
    yield ok(where, "is a consistent result") if wrong is None else invalid(where, wrong)


def list_checks(data: bytes, outer: Statement) -> Iterator[Check]:
    """Checks that the lists of a run are those that its result names, by digest, and no others."""
    try:
        outputs = AuditResult.from_json(json.loads(data)).digests.get("outputs", {})
        named = {f"{LISTS}/{name}": sha for name, sha in outputs.items()}  # type: ignore[union-attr]  # else invalid
    except Exception:  # noqa: BLE001  said already
        return
    listed = {name: digest.sha256 for name, digest in outer.subjects.items() if name.startswith(f"{LISTS}/")}
    for name in sorted({*named, *listed}):
        if named.get(name) != listed.get(name):
            yield invalid(name, f"is not a list that {RESULT} names")


def table_checks(data: bytes, outer: Statement) -> Iterator[Check]:
    """Checks that a run of this version has all its tables, and a publishable variant none; not what they hold."""
    try:
        result = AuditResult.from_json(json.loads(data))
    except Exception:  # noqa: BLE001  said already
        return
    if result.versions.get("frtaudit") != version("frtaudit"):
        return
    wanted = set() if FULL in result.digests else {*TABLE_FILES}
    for name in sorted(wanted - {*outer.subjects}):
        yield invalid(name, f"is not listed in {STATEMENT}, and every run writes it")
    for name in sorted(({*TABLE_FILES} - wanted) & {*outer.subjects}):
        yield invalid(name, "is a table, and a publishable variant has none")


def verdict_checks(folder: Path) -> Iterator[Check]:
    """A check of a run's verdict against its result."""
    try:
        data = (folder / RESULT).read_bytes()
        content = (folder / VERDICT).read_bytes()
        result, verdict = AuditResult.from_json(json.loads(data)), json.loads(content)
        recorded = verdict["result_sha256"]
        wrong = verdict_problem(result, verdict) if recorded == sha256(data) else f"is about another {RESULT}"
        if to_bytes(verdict) != content:  # a doubled key has two values
            wrong = "is not in canonical form"
    except Exception as error:
        if of_machine(error):
            raise
        yield invalid(VERDICT, "does not say which result it is about")
        return
    yield ok(VERDICT, f"is about this {RESULT}") if wrong is None else invalid(VERDICT, wrong)


def seal_of_result(
    result: bytes, sealed: bytes | None, where: str, when: datetime, trust: Trust
) -> Iterator[Check]:
    """Checks of a seal's bytes, beside the bytes of the result that names it."""
    try:
        read = AuditResult.from_json(json.loads(result))
    except Exception:  # noqa: BLE001  said already
        return
    yield from seal_checks(read, sealed, where, when, trust)
