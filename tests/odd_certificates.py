"""Certificates of keys that nothing here signs with: made of a usual one, whose own signature no longer holds."""

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

P_256, UNKNOWN_CURVE = bytes.fromhex("2a8648ce3d030107"), bytes.fromhex("2a8648ce3d03017f")
RSA, RSA_PSS = bytes.fromhex("2a864886f70d0101010500"), bytes.fromhex("2a864886f70d01010a3000")


def of_an_unknown_curve(certificate: x509.Certificate) -> x509.Certificate:
    """The certificate with a curve in place of P-256 that no library knows."""
    return _with(certificate, P_256, UNKNOWN_CURVE)


def of_rsa_pss(certificate: x509.Certificate) -> x509.Certificate:
    """The certificate of an RSA key with that key as one of RSASSA-PSS alone."""
    return _with(certificate, RSA, RSA_PSS)


def _with(certificate: x509.Certificate, usual: bytes, odd: bytes) -> x509.Certificate:
    return x509.load_der_x509_certificate(certificate.public_bytes(Encoding.DER).replace(usual, odd))
