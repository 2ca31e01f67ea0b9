"""The folder that an audit reads: metadata, templates, failures, and a record of model, detector and settings."""

import hashlib
import os
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from frtaudit.collection.embed.images import ImageList
from frtaudit.core.arrays import Singles
from frtaudit.core.canonical import Json, to_bytes
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.text.columns import csv_bytes
from frtaudit.errors import DataError
from frtaudit.inputs.tables import read_table
from frtaudit.inputs.template_record import FORMAT

METADATA, FAILURES = "metadata.csv", "failures.csv"
HEADER = ("image_id", "model", "reason")
_DATE = (1980, 1, 1, 0, 0, 0)  # of what is in an .npz: the first that a zip file can hold


def metadata_of(images: ImageList, source: Path, into: Path) -> bytes:
    """``metadata.csv``: image_id, subject_id, and the other columns of the images.

    Where it is the ``source`` of the images itself, as ``frtaudit import`` wrote it, it stays as it is.
    """
    if source.is_file() and source.resolve() == (into / METADATA).resolve():
        return source.read_bytes()
    columns = {
        name: values for name, values in images.columns.items() if name not in ("image_id", "subject_id")
    }
    rows = zip(images.ids, images.subjects, *columns.values(), strict=True)
    return csv_bytes([("image_id", "subject_id", *columns), *rows])


def check_metadata(into: Path, data: bytes) -> None:
    """Raise :class:`DataError` where the folder holds the metadata of other images."""
    path = into / METADATA
    if os.path.lexists(path) and (not path.is_file() or path.read_bytes() != data):
        raise DataError("into", f"{METADATA} in it has other images", "another folder, or the same images")


def templates_name(name: str) -> str:
    """Of the file of a system's templates."""
    return f"templates/{name}.npz"


def record_name(name: str) -> str:
    """Of the file that says what made them."""
    return f"templates/{name}.json"


def write(
    into: Path,
    name: str,
    metadata: bytes,
    *,
    ids: Sequence[str],
    dimension: int,
    vectors: Iterable[Singles],
    failed: Mapping[str, str],
    record: Mapping[str, Json],
) -> None:
    """All files of a system; the templates last, so that what can be audited is whole.

    ``ids``: of the images with a template, in the order of ``vectors``' rows; ``failed``: image id to reason;
    ``record``: what made them, without the digest of the file.
    """
    output = OutputFolder(into)
    with output.drafted(templates_name(name)) as stream:
        hashed = HashedFile(stream)
        write_npz(hashed, ids, dimension, vectors)
        whole = {**record, "format": FORMAT, "templates": hashed.digest.hexdigest()}
        output.replace(METADATA, metadata)
        _write_failures(into, name, failed)
        output.replace(record_name(name), to_bytes(whole))


class HashedFile:
    """A file that is written from its beginning to its end, and the sha256 of what went through."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.digest = stream, hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Hash and write."""
        self.digest.update(data)
        return self._stream.write(data)

    def flush(self) -> None:
        """To the file."""
        self._stream.flush()


def write_npz(stream: HashedFile, ids: Sequence[str], dimension: int, blocks: Iterable[Singles]) -> None:
    """``embedding`` (M, D), float32, and ``image_id`` (M,), block by block: the whole is never in memory."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:  # type: ignore[call-overload]  # what it asks for of a file that it cannot turn back
        with archive.open(zipfile.ZipInfo("embedding.npy", _DATE), "w", force_zip64=True) as member:
            shape = {"descr": "<f4", "fortran_order": False, "shape": (len(ids), dimension)}
            np.lib.format.write_array_header_1_0(member, shape)
            for vectors in blocks:
                member.write(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
        with archive.open(zipfile.ZipInfo("image_id.npy", _DATE), "w", force_zip64=True) as member:
            np.lib.format.write_array(member, np.array(ids, dtype=np.str_), allow_pickle=False)


def _write_failures(into: Path, name: str, failed: Mapping[str, str]) -> None:
    """The lines of other systems stay."""
    path, rows = into / FAILURES, [(image, name, reason) for image, reason in failed.items()]
    if os.path.lexists(path):
        table = read_table(path, FAILURES)
        columns = (table.texts(table.need((column,))).tolist() for column in HEADER)
        rows = [*(row for row in zip(*columns, strict=True) if row[1] != name), *rows]
    if rows or os.path.lexists(path):
        ordered = sorted(rows, key=lambda row: row[1])
        OutputFolder(into).replace(FAILURES, csv_bytes([HEADER, *ordered]))
    if not rows and os.path.lexists(path):
        path.unlink()


def counted(failed: Mapping[str, str]) -> dict[str, int]:
    """Reason to number of images."""
    return dict(sorted(Counter(failed.values()).items()))
