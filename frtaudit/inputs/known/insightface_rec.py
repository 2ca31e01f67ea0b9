"""insightface's training sets (train.rec with train.idx): records of images with the number of their person."""

import math
import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from frtaudit.core.machine.files import open_regular
from frtaudit.core.machine.progress import quiet
from frtaudit.core.registry import register
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents, stem
from frtaudit.inputs.importing.pickled_images import Stored, ending_of, stored_images
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Samples

MAGIC = 0xCED7230A
START, LABELS = struct.Struct("<II"), struct.Struct("<IfQQ")  # magic and length; flag, label, two ids
PART, LENGTH = 29, (1 << 29) - 1  # bits of the length that say which part of a record it is
FEW = 3  # labels of a record that are looked at: a person, or where images end and people's own records do
TERMS = "those of the set; MS-Celeb-1M (faces_emore, ms1m) was withdrawn in 2019"


@dataclass(frozen=True)
class _Record:
    """One image: its key, its person's number, and where its bytes are."""

    key: int
    person: int
    place: Stored


@register("known_set", "insightface_rec")
@dataclass(frozen=True)
class InsightfaceRec:
    """insightface's .rec with .idx (faces_emore, ms1m, ...): images with the number of their person; no pairs."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """An index of ``key offset`` lines, and a file of that name whose first record begins as one does."""
        file = next((name for name in folder.ending(".idx") if _fits(folder, name)), None)
        return None if file is None else Evidence(file=file, found="an index of records with labels")

    def read(self, folder: Contents, options: Options) -> KnownSet:
        """Every image record; the first record gives the end of the images and the start of the records of people."""
        files = [name for name in folder.ending(".idx") if _fits(folder, name)]
        index = options.chosen(files, "sets of records")
        file = _records_of(index)
        records = _records(folder, index, file)
        ids = [f"{record.key:08d}" for record in records]
        return KnownSet(
            name="insightface_rec",
            title=f"insightface's records {stem(file)}",
            terms=TERMS,
            samples=Samples(ids=ids, subjects=[f"id{record.person:07d}" for record in records]),
            notes=(
                "people are numbers; rates on a training set do not hold for people whom the model has not seen",
            ),
            held=partial(_images, folder, file, records),
        )


def _records_of(index: str) -> str:
    return str(PurePosixPath(index).with_suffix(".rec"))


def _fits(folder: Contents, index: str) -> bool:
    head = folder.head(index)
    fields = head[0].split("\t") if head else []
    if (
        len(fields) != 2
        or not all(text.strip().isdecimal() for text in fields)
        or _records_of(index) not in folder.files
    ):
        return False
    with open_regular(folder.path(_records_of(index)), index) as stream:
        return stream.read(4) == MAGIC.to_bytes(4, "little")


def _records(folder: Contents, index: str, file: str) -> list[_Record]:
    """The images of a file, by key. Raises :class:`DataError` for an offset that leads to no record."""
    places = sorted(_offsets(index, folder.lines(index)))
    try:
        with (
            open_regular(folder.path(file), file) as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            read = [
                (key, *_record(data, offset, f"{index} key {key}")) for key, offset in quiet(places, "images")
            ]
    except (struct.error, OSError, ValueError, OverflowError):
        raise DataError(file, "a record is cut off", "whole records") from None
    for key, labels, _ in read:
        if not math.isfinite(labels[0]):
            raise DataError(f"{index} key {key}", "the label is not a finite number", "0, 1, 2, ...")
    end = int(read[0][1][0]) if read[0][0] == 0 and len(read[0][1]) == 2 else None
    images = [row for row in read[0 if end is None else 1 :] if end is None or row[0] < end]
    for key, labels, _ in images:
        if not 0 <= labels[0] == int(labels[0]):
            raise DataError(f"{index} key {key}", "the label is not the number of a person", "0, 1, 2, ...")
    return [_Record(key, int(labels[0]), place) for key, labels, place in images]


def _offsets(index: str, lines: list[str]) -> Iterator[tuple[int, int]]:
    seen: set[int] = set()
    for number, line in enumerate(lines, 1):
        fields = line.split("\t")
        if len(fields) != 2 or not all(text.strip().isdecimal() and len(text) < 20 for text in fields):
            raise DataError(
                f"{index} line {number}", "not a key and an offset", "two numbers, separated by a tab"
            )
        if int(fields[0]) in seen:
            raise DataError(f"{index} line {number}", "the key is a duplicate", "each key once")
        seen.add(int(fields[0]))
        yield int(fields[0]), int(fields[1])


def _record(data: mmap.mmap, offset: int, where: str) -> tuple[tuple[float, ...], Stored]:
    """The labels of one record, and the place of its image."""
    magic, packed = START.unpack_from(data, offset)
    size, at = packed & LENGTH, offset + START.size
    if magic != MAGIC or packed >> PART:
        problem = "a record in several parts" if magic == MAGIC else "no record begins there"
        raise DataError(where, problem, "the offset of a whole record")
    flag, label, _, _ = LABELS.unpack_from(data, at)
    start = at + LABELS.size + 4 * flag
    if start > at + size or at + size > len(data):
        raise DataError(where, "the record is cut off", "whole records")
    few = min(flag, FEW)
    labels = struct.unpack_from(f"<{few}f", data, at + LABELS.size) if few else (label,)
    return labels, Stored(start, at + size - start)


def _images(folder: Contents, file: str, records: list[_Record]) -> Iterator[tuple[str, bytes]]:
    places = [record.place for record in records]
    for record, data in zip(records, stored_images(folder.path(file), file, places), strict=True):
        yield f"{record.key:08d}{ending_of(data, f'{file} key {record.key}')}", data
