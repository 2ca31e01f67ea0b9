"""Who signed what of a run, and whether this machine trusts them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cryptography import x509

from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.pdf.signature import SignedPdf
from frtaudit.signing.signer import OUTSIDE, common_name, dated_outside, fingerprint, is_demo
from frtaudit.signing.statement import Statement
from frtaudit.signing.trust import Trust
from frtaudit.signing.verification import Check, note, ok, untrusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was opened so far: the outer statement, the signed PDF, the statement inside it, and approvals by name."""

    outer: Statement | None = None
    pdf: SignedPdf | None = None
    inner: Statement | None = None
    approvals: Mapping[str, Statement] = field(default_factory=dict)


def parties(evidence: Evidence, trust: Trust) -> Iterator[Check]:
    """Who signed, and whether this machine trusts them.

    A signer has two public halves, and each vouches for the other: a trusted key signed the inner statement,
    which names the certificate; a trusted certificate signed the PDF, inside of which the inner statement names
    the key. A statement vouches for its signer and for no time: a certificate for time stamps gives that.
    """
    inner, outer = evidence.inner, evidence.outer
    signatures = evidence.pdf.signatures if evidence.pdf else ()
    keyids = set(trust.keyids)
    if inner and signatures and signatures[0].distrust is None:
        keyids.add(inner.keyid)
    vouched = {  # certificates that a statement names whose key is trusted
        fingerprint(statement.certificate)
        for statement in (inner, *evidence.approvals.values())
        if statement is not None and statement.keyid in keyids
    }
    known = {fingerprint(signature.certificate) for signature in signatures if signature.distrust is None}
    if outer and outer.is_of_certificate and fingerprint(outer.certificate) in known:
        keyids.add(outer.keyid)
    if outer:
        distrust = None if outer.keyid in keyids else f"key {outer.keyid[:16]}..."
        yield from _party(
            STATEMENT, outer.certificate, distrust or dated_outside(outer.certificate, outer.when)
        )
    for signature in signatures:
        known_here = fingerprint(signature.certificate) in vouched and not signature.is_timestamp
        yield from _party(
            signature.field, signature.certificate, signature.ended if known_here else signature.distrust
        )
        if signature.authority is not None:
            yield from _party(f"{signature.field} / time", signature.authority, signature.time_distrust)
    for name, approval in evidence.approvals.items():
        known_here = approval.keyid in keyids or (
            approval.is_of_certificate and fingerprint(approval.certificate) in known
        )
        distrust = None if known_here else f"key {approval.keyid[:16]}..."
        outside = dated_outside(approval.certificate, approval.when)
        yield from _party(name, approval.certificate, distrust or outside)


def _party(subject: str, certificate: x509.Certificate, distrust: str | None) -> Iterator[Check]:
    name = f"signer {common_name(certificate)!r}"
    if distrust is not None:
        advice = "" if distrust == OUTSIDE else f"; to trust: --trust their {PUBLIC}"
        yield untrusted(subject, f"{name} is not trusted here ({distrust}){advice}")
        return
    yield ok(subject, f"{name} is trusted here")
    if is_demo(certificate):
        yield note(subject, "a demo key proves that nothing was changed, not who signed")
