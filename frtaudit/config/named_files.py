"""Files of signing that a spec or a command names: whether they are there, told without the libraries that sign."""

from pathlib import Path

from frtaudit.core.machine.files import Links, irregular, read_regular
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import DataError


def check_key(key: Path) -> None:
    """Raise :class:`DataError` where a key's folder or file is not there, or neither; nothing is opened."""
    if not key.is_dir() and not key.is_file():
        problem = irregular(key, Links.FOLLOW) or "does not exist"
        raise DataError(f"key {key}", problem, "a folder of frtaudit keygen, a PKCS#12 or a PEM file")


def read_seal(path: str | Path) -> bytes:
    """The bytes of a seal's file. Raises DataError."""
    try:
        return read_regular(Path(path))
    except OSError as error:
        raise DataError(
            "seal", f"{Path(path).name} cannot be read ({error.strerror})", "a file of frtaudit seal"
        ) from None


def refuse_missing(spec: AuditSpec) -> None:
    """Raise :class:`DataError` where the seal or the key that a spec names cannot be read."""
    if spec.seal is not None:
        read_seal(spec.seal)
    if spec.report.sign and spec.report.key:
        check_key(Path(spec.report.key))
