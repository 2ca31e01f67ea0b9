"""``frtaudit seal``: who will test what, and how, signed before the scores are seen.

A seal is one file: a signed statement that holds the whole identity of the spec, the digests of the cohort and of the
inputs, and, from a time-stamping authority, the time at which it existed. It proves that these were fixed then; it
cannot prove that nobody had looked at scores by then.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography import x509

from frtaudit.config.named_files import read_seal
from frtaudit.core.canonical import Json, sha256, to_bytes
from frtaudit.core.result import AuditResult
from frtaudit.core.seal import SealRecord, departures, sealed_content
from frtaudit.errors import DataError, VerificationError, why
from frtaudit.signing.manifest import LINE_ENDS, digest_bytes
from frtaudit.signing.signer import Signer, common_name
from frtaudit.signing.statement import TIME_FORMAT, Scope, Statement, open_statement, seal_statement

if TYPE_CHECKING:
    from frtaudit.signing.timestamp import Stamp

SEAL = "seal.json"
CONTENT = "sealed.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """An opened seal: what it fixed, the statement that holds it, the time from an authority, the file's digest."""

    content: Mapping[str, Json]
    statement: Statement
    stamp: "Stamp | None"
    sha256: str


def make_seal(content: Mapping[str, Json], signer: Signer, when: datetime, tsa: str | None = None) -> bytes:
    """The bytes of a seal over ``content``. Raises DataError when ``tsa`` is given and gives no time."""
    envelope = seal_statement({CONTENT: digest_bytes(to_bytes(content))}, content, signer, when)
    from frtaudit.signing.timestamp import stamp  # pyHanko: only once there is something to seal

    token = None if tsa is None else stamp(envelope, tsa)
    return to_bytes({"envelope": json.loads(envelope), "timestamp": token})


def open_seal(data: bytes, where: str, roots: Sequence[x509.Certificate] = ()) -> Seal:
    """Check a seal's form, signature and time. Raises VerificationError naming ``where``."""
    try:
        value = json.loads(data)
        envelope, token = to_bytes(value["envelope"]), value["timestamp"]
        lines = data.replace(b"\r\n", b"\n")
        canonical = set(value) == {"envelope", "timestamp"} and to_bytes(value) in {data, lines}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise VerificationError(where, f"is not a seal ({why(error)})", "a file of frtaudit seal") from None
    if not canonical:
        raise VerificationError(where, "is not in canonical form: bytes were changed")
    statement = open_statement(envelope, Scope.SEAL, where)
    content = statement.sealed
    if not isinstance(content, Mapping) or statement.subjects != {CONTENT: digest_bytes(to_bytes(content))}:
        raise VerificationError(where, "does not contain what it signs")
    if to_bytes(value) != data:
        raise VerificationError(where, f"has {LINE_ENDS}")
    given = None
    if token is not None:
        from frtaudit.signing.timestamp import read_stamp  # pyHanko: only for a seal with a time

        given = read_stamp(str(token), envelope, roots, where)
    return Seal(content=content, statement=statement, stamp=given, sha256=sha256(data))


def load_seal(path: str | None) -> Seal | None:
    """The seal that a spec names, None where it names none. Raises DataError, VerificationError.

    A seal that is dated after this machine's clock is refused: ``verify`` would call the run under it invalid.
    """
    if path is None:
        return None
    seal, now = open_seal(read_seal(path), Path(path).name), datetime.now(UTC)
    dated = seal.stamp.when if seal.stamp else seal.statement.when
    if dated > now:
        times = f"{dated.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC, this machine's clock says {now:%Y-%m-%d %H:%M:%S}"
        raise DataError("seal", f"was made at {times}", "a seal made before the run, and a correct clock")
    return seal


def record_of(seal: Seal, content: Mapping[str, Json]) -> SealRecord:
    """What a result says of a seal when ``content`` (as :func:`sealed_content` makes it) is what was run."""
    return SealRecord(
        sha256=seal.sha256,
        signer=common_name(seal.statement.certificate),
        keyid=seal.statement.keyid,
        signed_at=seal.statement.when.strftime(TIME_FORMAT),
        stamped_at=None if seal.stamp is None else seal.stamp.when.astimezone(UTC).strftime(TIME_FORMAT),
        departures=departures(seal.content, content),
    )


def recorded(seal: Seal, result: AuditResult) -> SealRecord:
    """What a finished result must say of this seal; the seal's own entry among the inputs is no departure."""
    digests = result.digests
    inputs = digests.get("inputs")
    named = {str(name): str(digest) for name, digest in inputs.items()} if isinstance(inputs, Mapping) else {}
    others = {name: digest for name, digest in named.items() if digest != seal.sha256}
    return record_of(seal, sealed_content(result.spec, str(digests.get("cohort")), others))


def attach_seal(seal: Seal | None, result: AuditResult) -> AuditResult:
    """The result with what it must say of the seal that it was run under."""
    return result if seal is None else replace(result, seal=recorded(seal, result))
