"""Files of signing that a spec or a command names: what they are, told without the libraries that sign."""

from pathlib import Path

from frtaudit.core.machine.files import Links, irregular, read_regular, read_small
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import DataError, VerificationError

STATEMENT_KEY = "statement.key.pem"
PDF_KEY = "pdf.key.pem"
CERTIFICATE = "certificate.pem"
ENVELOPE = b'"envelope":'  # in every seal
_SEAL = "a file of frtaudit seal"
_PEM, _DER = b"-----BEGIN", b"0"  # a PKCS#12 is a DER sequence
_KEYS = "a folder of frtaudit keygen, a PKCS#12 or a PEM file"


def check_key(key: Path) -> None:
    """Raise :class:`DataError` where a key's folder or file is not there, or is no key's; nothing is decrypted."""
    problem = ""
    if key.is_dir():
        lacking = [name for name in (STATEMENT_KEY, PDF_KEY, CERTIFICATE) if not (key / name).exists()]
        problem = f"holds no {lacking[0]}" if lacking else ""
    elif not key.is_file():
        problem = irregular(key, Links.FOLLOW) or "does not exist"
    elif not _is_key(key):
        problem = "is neither"
    if problem:
        raise DataError(f"key {key}", problem, _KEYS)


def _is_key(file: Path) -> bool:
    """Whether a file may be a key: it is not decrypted, and what cannot be read is told by who opens it."""
    try:
        data = read_small(file, str(file))
    except OSError:
        return True
    return data.startswith(_DER) or _PEM in data


def read_seal(path: str | Path) -> bytes:
    """The bytes of a seal's file. Raises DataError."""
    try:
        return read_regular(Path(path))
    except OSError as error:
        raise DataError("seal", f"{Path(path).name} cannot be read ({error.strerror})", _SEAL) from None


def refuse_missing(spec: AuditSpec) -> None:
    """Raise :class:`FrtauditError` where a seal or a key that a spec names cannot be read, or is none."""
    if spec.seal is not None and ENVELOPE not in read_seal(spec.seal):
        raise VerificationError(Path(spec.seal).name, "is not a seal (it holds no envelope)", _SEAL)
    if spec.report.sign and spec.report.key:
        check_key(Path(spec.report.key))
