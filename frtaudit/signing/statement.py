"""Signed statements: in-toto Statement v1 in a DSSE envelope, Ed25519.

The *inner* statement is attached to the PDF and covers spec, inputs, result and HTML; the *outer* one stands
beside the files and covers every final byte of them, the signed PDF included (DESIGN 8); an *approval* covers the
outer one, and the PDF with the approver's own signature in it. Each names both public halves of its signer: the key
that signed it and the certificate that signs the PDF.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]  # not re-exported

from frtaudit.core.canonical import Json, to_bytes
from frtaudit.core.machine.faults import of_machine
from frtaudit.core.machine.run_files import STATEMENT_TYPE
from frtaudit.errors import VerificationError, why
from frtaudit.signing.manifest import LINE_ENDS, Digest, digest_bytes, digest_folder
from frtaudit.signing.signer import PublicKey, Signer, key_fingerprint

INNER_NAME = "statement.inner.dsse.json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
PREDICATE_TYPE = "urn:frtaudit:attestation:1"
TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


class Scope(Enum):
    """Attached to the PDF, beside the files, beside both by a second signer, or before all of them."""

    INNER = "inner"
    OUTER = "outer"
    APPROVAL = "approval"
    SEAL = "seal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement whose signature held: what it covers, who signed it, when (as the signer's clock said)."""

    scope: Scope
    subjects: Mapping[str, Digest]
    spec: str | None
    inputs: Mapping[str, str]
    when: datetime
    public_key: PublicKey
    certificate: x509.Certificate
    sealed: Json = None

    @property
    def keyid(self) -> str:
        """SHA-256 of the Ed25519 public key."""
        return key_fingerprint(self.public_key)

    @property
    def is_of_certificate(self) -> bool:
        """Whether the key that signed is the certificate's own, so that trust in one is trust in the other."""
        return self.keyid == key_fingerprint(self.certificate.public_key())  # type: ignore[arg-type]  # any kind has a DER form


def inner_statement(
    files: Mapping[str, bytes | Digest],
    spec_digest: str,
    inputs: Mapping[str, str],
    signer: Signer,
    when: datetime,
) -> bytes:
    """The envelope to attach to the PDF as ``statement.inner.dsse.json``.

    ``files``: bytes or digests of ``result.json``, ``report.html`` and what else the PDF carries, by name;
    ``spec_digest`` and ``inputs``: ``digests`` of the result; ``when``: aware time of signing.
    """
    subjects = {
        name: file if isinstance(file, Digest) else digest_bytes(file) for name, file in files.items()
    }
    named: Json = [{"name": name, "digest": {"sha256": inputs[name]}} for name in sorted(inputs)]
    about: dict[str, Json] = {"spec": {"sha256": spec_digest}, "inputs": named}
    return _sign(Scope.INNER, subjects, about, signer, when)


def outer_statement(folder: Path, signer: Signer, when: datetime) -> bytes:
    """The envelope to write as ``statement.dsse.json`` once every other file of the run folder is final."""
    return _sign(Scope.OUTER, digest_folder(folder), {}, signer, when)


def approval_statement(files: Mapping[str, Digest], signer: Signer, when: datetime) -> bytes:
    """The envelope to write as ``approval.N.dsse.json``: ``files``: statement, result and approved PDF."""
    return _sign(Scope.APPROVAL, files, {}, signer, when)


def seal_statement(
    files: Mapping[str, Digest], content: Mapping[str, Json], signer: Signer, when: datetime
) -> bytes:
    """The envelope inside a seal: ``files`` digests ``content``, which stands in it whole."""
    return _sign(Scope.SEAL, files, {"sealed": content}, signer, when)


def open_statement(data: bytes, scope: Scope, where: str) -> Statement:
    """Check an envelope and return what it says; trust in its key is another question.

    Checks the canonical form, payloadType, the one signature, statement and predicate type, and scope.
    Raises VerificationError naming ``where``.
    """
    try:
        envelope = Envelope.from_dict(json.loads(data))
        statement = _read(json.loads(envelope.payload))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise VerificationError(where, f"is not a statement in a DSSE envelope ({why(error)})") from None
    except Exception as error:
        if of_machine(error) or isinstance(error, ImportError):
            raise  # says nothing about the envelope
        raise VerificationError(where, f"is not a DSSE envelope ({why(error)})") from None
    _check_envelope(envelope, data, statement.public_key, where)
    if statement.scope is not scope:
        raise VerificationError(where, f"is the {statement.scope.value} statement", f"the {scope.value} one")
    return statement


def recipe(name: str, statement: Statement) -> str:
    """Shell lines that check the signature with openssl 3 and nothing of ours."""
    public = statement.public_key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    raw = "-rawin"
    if not isinstance(statement.public_key, ed25519.Ed25519PublicKey):
        raw += " -digest sha256"
    if isinstance(statement.public_key, rsa.RSAPublicKey):
        raw += " -pkeyopt rsa_padding_mode:pss"
    head = f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} %d "
    return "\n".join(
        (
            f"# Check the signature of {name} with openssl 3 alone. Get the public key from the signer;",
            "# the one below is the one that the statement names.",
            f"cat > key.pem <<'END'\n{public.decode()}END",
            f"""sed 's/.*"payload":"\\([^"]*\\)".*/\\1/' {name} | openssl base64 -d -A > payload.json""",
            f"""sed 's/.*"sig":"\\([^"]*\\)".*/\\1/' {name} | openssl base64 -d -A > signature.bin""",
            f"(printf '{head}' $(wc -c < payload.json); cat payload.json) > signed.bin",
            f"openssl pkeyutl -verify -pubin -inkey key.pem {raw} -in signed.bin -sigfile signature.bin",
            "# payload.json lists each file with its sha256 and length: compare with sha256sum and wc -c.",
        )
    )


def _sign(
    scope: Scope, subjects: Mapping[str, Digest], about: Mapping[str, Json], signer: Signer, when: datetime
) -> bytes:
    if when.tzinfo is None:
        raise ValueError("when must be aware: the time of signing is written in UTC")
    public = signer.public_key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    predicate: dict[str, Json] = {
        "scope": scope.value,
        "signed_at": when.astimezone(UTC).strftime(TIME_FORMAT),
        "signer": {
            "name": signer.name,
            "demo": signer.is_demo,
            "public_key": public.decode(),
            "certificate": signer.certificate.public_bytes(Encoding.PEM).decode(),
        },
        **about,
    }
    covered: Json = [
        {"name": name, "digest": {"sha256": digest.sha256}, "annotations": {"length": digest.length}}
        for name, digest in sorted(subjects.items())
    ]
    statement: Json = {
        "_type": STATEMENT_TYPE,
        "subject": covered,
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate,
    }
    envelope = Envelope(to_bytes(statement), PAYLOAD_TYPE, {})
    envelope.sign(signer.statement)
    return to_bytes(envelope.to_dict())


def _read(value: Mapping[str, object]) -> Statement:
    for key, wanted in (("_type", STATEMENT_TYPE), ("predicateType", PREDICATE_TYPE)):
        if value[key] != wanted:
            raise ValueError(f"{value[key]!r} is not {wanted}")
    predicate = _mapping(value["predicate"])
    signer = _mapping(predicate["signer"])
    spec = predicate.get("spec")
    return Statement(
        scope=Scope(predicate["scope"]),
        subjects=_subjects_in(value["subject"]),
        spec=None if spec is None else _text(_mapping(spec)["sha256"]),
        inputs={_text(entry["name"]): _sha256(entry) for entry in _list(predicate.get("inputs", []))},
        when=datetime.strptime(_text(predicate["signed_at"]), TIME_FORMAT).replace(tzinfo=UTC),
        public_key=_public_key(_text(signer["public_key"])),
        certificate=x509.load_pem_x509_certificate(_text(signer["certificate"]).encode()),
        sealed=predicate.get("sealed"),  # type: ignore[arg-type]  # parsed JSON
    )


def _subjects_in(value: object) -> Mapping[str, Digest]:
    subjects: list[tuple[str, Digest]] = []
    for entry in _list(value):
        name, length = _text(entry["name"]), _mapping(entry["annotations"])["length"]
        if not isinstance(length, int):
            raise TypeError("a length is a whole number")
        subjects.append((name, Digest(sha256=_sha256(entry), length=length)))
    if not subjects or len(dict(subjects)) != len(subjects):
        raise ValueError("subjects are named once each")
    return dict(subjects)


def _sha256(entry: Mapping[str, object]) -> str:
    return _text(_mapping(entry["digest"])["sha256"])


def _public_key(pem: str) -> PublicKey:
    public = load_pem_public_key(pem.encode())
    if not isinstance(public, (ed25519.Ed25519PublicKey, ec.EllipticCurvePublicKey, rsa.RSAPublicKey)):
        raise TypeError("statements are signed with Ed25519, ECDSA or RSA")
    return public


def _check_envelope(envelope: Envelope, data: bytes, public: PublicKey, where: str) -> None:
    if envelope.payload_type != PAYLOAD_TYPE:
        raise VerificationError(where, f"payloadType is {envelope.payload_type!r}", PAYLOAD_TYPE)
    if len(envelope.signatures) != 1:
        raise VerificationError(where, f"has {len(envelope.signatures)} signatures", "one")
    key = SSlibKey.from_crypto(public, keyid=key_fingerprint(public))
    try:
        envelope.verify([key], 1)
    except Exception:  # noqa: BLE001  whatever stops the check, the signature does not hold
        raise VerificationError(where, "the signature is not valid for the key that it names") from None
    members = [set(signature.to_dict()) for signature in envelope.signatures.values()]
    canonical = to_bytes(envelope.to_dict())
    if canonical != data and canonical == data.replace(b"\r\n", b"\n"):
        raise VerificationError(where, f"has {LINE_ENDS}")
    if canonical != data or members != [{"keyid", "sig"}]:
        raise VerificationError(where, "is not in canonical form: bytes around the payload were changed")


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError("an object was expected")
    return value


def _list(value: object) -> list[Mapping[str, object]]:
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return [_mapping(entry) for entry in value]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
