"""The key that pseudonyms are made with."""

import os
from pathlib import Path

from frtaudit.core.machine.files import read_regular
from frtaudit.errors import DataError


def key_bytes(path: str | None, fallback: str) -> bytes:
    r"""The bytes of the key file ``path``, or those of ``fallback``, a hexadecimal digest.

    >>> key_bytes(None, "00ff")
    b'\x00\xff'
    """
    if path is None:
        return bytes.fromhex(fallback)
    file = Path(path)
    key = read_regular(file) if os.path.lexists(file) else b""
    if not key:
        raise DataError(
            "cohort.pseudonym_key", "the key file is missing or empty", "a file with at least one byte"
        )
    return key
