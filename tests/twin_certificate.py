"""A certificate that looks like another one."""

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec


def twin(certificate: x509.Certificate) -> x509.Certificate:
    """What anybody can make: a stranger's certificate of the same key, names and number."""
    builder = x509.CertificateBuilder().subject_name(certificate.subject).issuer_name(certificate.issuer)
    builder = builder.public_key(certificate.public_key()).serial_number(certificate.serial_number)
    years = (certificate.not_valid_before_utc, certificate.not_valid_after_utc)
    return (
        builder.not_valid_before(years[0])
        .not_valid_after(years[1])
        .sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    )
