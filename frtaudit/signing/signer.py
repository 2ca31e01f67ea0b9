"""A loaded key that signs: Ed25519 for statements (DSSE), ECDSA P-256 with a certificate for PDF signatures (PAdES)."""

from dataclasses import dataclass, field
from datetime import datetime

from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID
from securesystemslib.signer import CryptoSigner  # type: ignore[attr-defined]  # not re-exported

from frtaudit.core.canonical import sha256
from frtaudit.errors import DataError

OUTSIDE = "the signature claims no time within the certificate's years"
DEMO_NAME = "frtaudit demo key (integrity only)"

NAMES = (
    "1 to 64 bytes of UTF-8, no character newer than Unicode 3.2 (no emoji), "
    "one direction of writing (right to left: first and last character letters of it)"
)

CertifiedKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
PublicKey = ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """A loaded key. ``keyid`` is the SHA-256 of the public key that signs statements (SubjectPublicKeyInfo, DER).

    ``chain``: certificates between ``certificate`` and its root, where an authority issued it.
    """

    statement: CryptoSigner = field(repr=False)
    public_key: PublicKey
    pdf_key: CertifiedKey = field(repr=False)
    certificate: x509.Certificate
    keyid: str
    chain: tuple[x509.Certificate, ...] = ()

    @property
    def is_demo(self) -> bool:
        """Whether this is a demo key: the report must say so."""
        return is_demo(self.certificate)

    @property
    def name(self) -> str:
        """Common name in the certificate."""
        return common_name(self.certificate)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate (DER), as ``openssl x509 -fingerprint -sha256`` prints it."""
        return fingerprint(self.certificate)


def key_fingerprint(public: PublicKey) -> str:
    """SHA-256 of a public key: ``openssl pkey -pubin -outform DER | sha256sum``."""
    return sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256 of a certificate (DER)."""
    return sha256(certificate.public_bytes(Encoding.DER))


def asn1_of(certificate: x509.Certificate) -> asn1_x509.Certificate:
    """The same certificate, as pyHanko takes it."""
    return asn1_x509.Certificate.load(certificate.public_bytes(Encoding.DER))


def common_name(certificate: x509.Certificate) -> str:
    """The subject's common name, or the whole subject where there is none."""
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if names else certificate.subject.rfc4514_string()


def is_demo(certificate: x509.Certificate) -> bool:
    """Whether a certificate belongs to a demo key."""
    return common_name(certificate) == DEMO_NAME


def check_years(certificate: x509.Certificate, when: datetime) -> None:
    """Raise DataError for a signer's certificate that does not hold at ``when`` (aware)."""
    first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if not first <= when <= last:
        text = f"expired on {last:%Y-%m-%d}" if when > last else f"does not hold before {first:%Y-%m-%d}"
        place = f"key of {common_name(certificate)!r}"
        raise DataError(place, f"its certificate {text}", "a key within its validity")


def check_names(certificate: x509.Certificate, *chain: x509.Certificate) -> None:
    """Raise DataError for a signer whose certificates make no PDF signature that readers take.

    So is one without a name, one with a name that cannot be compared, and one of a key for RSA-PSS alone.
    """
    place, otherwise = f"key of {common_name(certificate)!r}", "or report.pdf=false"
    if not certificate.subject.rdns:
        place = f"key with the certificate {fingerprint(certificate)[:16]}..."
        text = "its certificate has no name, and a PDF says who signed it"
        raise DataError(place, text, f"a certificate with a name; {otherwise}")
    if asn1_of(certificate).public_key.algorithm == "rsassa_pss":
        text = "its certificate is for RSA-PSS alone, by which no PDF is signed here"
        raise DataError(place, text, f"ECDSA P-256, or RSA of 2048 bits or more; {otherwise}")
    for each in (certificate, *chain):
        if not (is_comparable(each.subject) and is_comparable(each.issuer)):
            text = "a name in its certificates cannot be compared, so no PDF signature by it would hold"
            raise DataError(place, text, f"names of {NAMES}; {otherwise}")


def is_comparable(name: x509.Name) -> bool:
    """Whether the name of a certificate has a form that can be compared (RFC 4518).

    >>> [is_comparable(x509.Name.from_rfc4514_string(f"CN={text}")) for text in ("Org", "\N{OK HAND SIGN}")]
    [True, False]
    """
    try:
        return asn1_x509.Name.load(name.public_bytes()).hashable is not None
    except ValueError:
        return False


def dated_outside(certificate: x509.Certificate, when: datetime | None) -> str | None:
    """Why a signature of that time is not trusted: its signer's certificate was not valid then; None where it was."""
    if when is None or not certificate.not_valid_before_utc <= when <= certificate.not_valid_after_utc:
        return OUTSIDE
    return None
