"""The key that pseudonyms are made with."""

import os
from collections.abc import Sequence
from pathlib import Path

from frtaudit.core.canonical import digest
from frtaudit.core.machine.files import read_regular
from frtaudit.errors import DataError

DOMAIN = "frtaudit pseudonyms"  # no result holds a digest of this form: the key stands nowhere


def read_key(path: str) -> bytes:
    """The bytes of a key file. Raises :class:`DataError` for one that is missing or empty."""
    file = Path(path)
    key = read_regular(file) if os.path.lexists(file) else b""
    if not key:
        accepted = "a file with at least one byte"
        raise DataError("cohort.pseudonym_key", "the key file is missing or empty", accepted)
    return key


def pseudonym_key(path: str | None, samples: Sequence[str], subjects: Sequence[str]) -> bytes:
    """The bytes of the key file ``path``; without one a key that follows from who gave which samples.

    ``subjects``: whose each of the ``samples`` is. The same people have the same key, whatever the file's format, the
    order of its lines, its other columns and the names of the subjects; and without the names of all samples the key
    cannot be found, so that a list of common names does not tell who stands behind a pseudonym.

    >>> pseudonym_key(None, ["a1", "b1"], ["a", "b"]) == pseudonym_key(None, ["b1", "a1"], ["2", "1"])
    True
    """
    if path is not None:
        return read_key(path)
    of: dict[str, list[str]] = {}
    for sample, subject in zip(samples, subjects, strict=True):
        of.setdefault(subject, []).append(sample)
    return bytes.fromhex(digest({DOMAIN: sorted(sorted(names) for names in of.values())}))
