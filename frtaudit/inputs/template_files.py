"""Template files: one ``.npz`` per provider, with arrays ``embedding`` and ``image_id``."""

import lzma
import tokenize
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic
from numpy.lib.npyio import NpzFile

from frtaudit.core.arrays import Array, Ints, Singles
from frtaudit.core.cohort import Templates
from frtaudit.core.machine.files import open_regular
from frtaudit.errors import DataError
from frtaudit.inputs.places import TEMPLATES

NO_TEMPLATE = "no_template"
LEFT = -1
MEMBERS = 1_000  # arrays that a file may hold
_EMBEDDING, _IDS = ("embedding",), ("image_id", "sample_id", "face_id")
UNREADABLE = (  # RuntimeError: of these are RecursionError and NotImplementedError
    *(OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, MemoryError),
    *(SyntaxError, TypeError, KeyError, RuntimeError, OverflowError, tokenize.TokenError),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateFile:
    """One provider's templates, read when asked.

    ``name``: what errors call the file; ``index``: every sample id of the metadata to its cohort index, -1 for a sample
    that left the cohort; ``n_samples``: samples of the cohort; ``reasons``: sample id to declared failure code;
    ``flipped``: the array that is added to ``embedding``.
    """

    path: Path
    name: str
    index: Mapping[str, int]
    n_samples: int
    reasons: Mapping[str, str]
    flipped: str | None = None

    def templates(self) -> Templates:
        """Templates of the cohort's samples: float32, in cohort order, not normalised.

        Raises :class:`DataError`: an unreadable file, a missing array, an id that the metadata lack or that stands
        twice, embeddings that are no matrix with one row per id, a row with NaN, infinity or only zeros.
        """
        mirrored = () if self.flipped is None else ((self.flipped,),)
        ids, embedding, *more = _read(self.path, self.name, (_IDS, _EMBEDDING, *mirrored))
        rows = self._rows(ids)
        vectors = _embeddings(_summed(embedding, more, self.name), rows.size, self.name)
        order = np.argsort(rows)[np.count_nonzero(rows == LEFT) :]
        return Templates(rows=rows[order].astype(np.int32), vectors=vectors[order])

    def failed(self) -> dict[int, str]:
        """Cohort index to failure code of every sample without a row here."""
        (ids,) = _read(self.path, self.name, (_IDS,))
        missing = np.ones(self.n_samples + 1, dtype=np.bool_)
        missing[self._rows(ids)] = False
        codes = {i: self.reasons[name] for name, i in self.index.items() if name in self.reasons}
        return {int(i): codes.get(int(i), NO_TEMPLATE) for i in np.flatnonzero(missing[:-1])}

    def listed_and_there(self) -> int:
        """How many samples with a declared failure have a row too; 0 for a file that cannot be read."""
        try:
            (ids,) = _read(self.path, self.name, (_IDS,)) if self.reasons else (np.empty(0, dtype=str),)
            return len(self.reasons.keys() & set(_names(ids, self.name)))
        except DataError:
            return 0  # said where the templates are read

    def _rows(self, ids: Array) -> Ints:
        """Cohort index of each row of the file, -1 where the sample left the cohort."""
        if ids.ndim != 1 or not ids.size:
            raise DataError(self.name, f"image_id has shape {ids.shape}", "a list of ids")
        if ids.dtype.kind not in "USiuf":
            raise DataError(self.name, f"image_id holds {ids.dtype}", "a list of ids")
        seen: set[str] = set()
        names = _names(ids, self.name)
        for row, name in enumerate(names):
            if name not in self.index:
                problem = f"row {row} has an image id without metadata"
                raise DataError(self.name, problem, "ids of the metadata")
            if name in seen:
                problem = f"duplicate ids: row {row} repeats an image id"
                raise DataError(self.name, problem, "unique image ids")
            seen.add(name)
        return np.array([self.index[name] for name in names], dtype=np.int64)


def _names(ids: Array, name: str) -> list[str]:
    """Ids without spaces at their ends, as of metadata; bytes are UTF-8."""
    if ids.dtype.kind == "S":
        try:
            ids = np.char.decode(ids.astype(np.bytes_), "utf-8")
        except UnicodeDecodeError:
            row = next(
                row for row, text in enumerate(ids.tolist()) if "\ufffd" in text.decode("utf-8", "replace")
            )
            raise DataError(name, f"row {row} has an image id that is not UTF-8", "ids in UTF-8") from None
    return [text.strip() for text in ids.astype(str).tolist()]


@dataclass(frozen=True, slots=True)
class Failures(Mapping[str, Mapping[int, str]]):
    """Provider name to {cohort sample index: failure code}; what is read is read when a provider is asked for."""

    providers: tuple[str, ...]
    read: Callable[[str], Mapping[int, str]]

    def __getitem__(self, provider: str) -> Mapping[int, str]:
        if provider not in self.providers:
            raise KeyError(provider)
        return self.read(provider)

    def __iter__(self) -> Iterator[str]:
        return iter(self.providers)

    def __len__(self) -> int:
        return len(self.providers)


def _summed(embedding: Array, mirrored: Sequence[Array], name: str) -> Array:
    """The embeddings plus those of the mirrored images, in float32."""
    for other in mirrored:
        if (
            other.ndim != 2
            or other.shape != embedding.shape
            or not {other.dtype.kind, embedding.dtype.kind} <= set("fiu")
        ):
            text = f"the flipped array has shape {other.shape}, embedding {embedding.shape}"
            raise DataError(name, text, "two matrices of numbers of the same shape")
        with np.errstate(over="ignore"):
            embedding = in_float32(embedding, name) + in_float32(other, name)
    return embedding


def _read(path: Path, name: str, wanted: Sequence[tuple[str, ...]]) -> list[Array]:
    """The wanted arrays, each under the first of its names that the file holds; nothing is unpickled."""
    try:
        with open_regular(path, name) as stream:
            loaded = np.load(stream, allow_pickle=False)
            if not isinstance(loaded, NpzFile):
                raise DataError(name, "one bare array", TEMPLATES)
            check_plain(zipfile.ZipFile(stream), name)
            return [np.asarray(loaded[_key(loaded.files, names, name)]) for names in wanted]
    except UNREADABLE:
        raise DataError(name, "not a readable .npz file", TEMPLATES) from None


def check_plain(archive: zipfile.ZipFile, name: str) -> None:
    """Raise :class:`DataError` where a member of an ``.npz`` file is not a plain array; only headers are read."""
    members = archive.namelist()
    if len(members) > MEMBERS:
        raise DataError(name, f"{len(members)} arrays", f"at most {MEMBERS}")
    for member in members:
        with archive.open(member) as stream:
            try:
                read = read_array_header_1_0 if read_magic(stream) == (1, 0) else read_array_header_2_0
                objects = read(stream)[2].hasobject
            except ValueError:
                objects = True
        if objects:
            array = member.removesuffix(".npy")
            raise DataError(
                name, f"{array!r} is not a plain array", "arrays of numbers and texts, nothing pickled"
            )


def doubled(path: Path, name: str) -> tuple[str, ...]:
    """A sentence for each array that appears twice in an ``.npz`` file: which of the two is read is a convention."""
    try:
        with open_regular(path, name) as stream, zipfile.ZipFile(stream) as archive:
            members = Counter(archive.namelist())
    except UNREADABLE:
        return ()  # said where the arrays are read
    twice = sorted(member for member, times in members.items() if times > 1)
    return tuple(
        f"{name} holds {member.removesuffix('.npy')} twice: the last one is read" for member in twice
    )


def _key(arrays: Sequence[str], names: tuple[str, ...], file: str) -> str:
    key = next((name for name in names if name in arrays), None)
    if key is None:
        raise DataError(file, f"no array {names[0]}", "arrays embedding and image_id")
    return key


def _embeddings(embedding: Array, n_ids: int, name: str) -> Singles:
    """The embeddings as float32, checked; the first bad row is named."""
    if embedding.ndim != 2 or embedding.shape[0] != n_ids or not embedding.shape[1]:
        text = f"embedding has shape {embedding.shape} for {n_ids} image ids (dimension mismatch)"
        raise DataError(name, text, "one row per image id")
    if embedding.dtype.kind not in "fiu":
        raise DataError(name, f"embedding holds {embedding.dtype}", "real numbers")
    vectors = in_float32(embedding, name)
    broken = np.flatnonzero(~np.all(np.isfinite(vectors), axis=1))
    if broken.size:
        raise DataError(name, f"row {broken[0]} of embedding holds NaN or infinity", "finite numbers")
    zero = np.flatnonzero(~np.any(vectors, axis=1))
    if zero.size:
        raise DataError(name, f"row {zero[0]} of embedding is a zero vector", "vectors with a direction")
    return vectors


def in_float32(embedding: Array, name: str) -> Singles:
    """Rows of numbers (M, D) as float32.

    Raises :class:`DataError` at the first row of finite numbers of which one is too large for it, or all too small.

    >>> in_float32(np.array([[1.0, 2.0], [1e-200, 2e-200]]), "a.npz")
    Traceback (most recent call last):
    frtaudit.errors.DataError: a.npz: row 1 of embedding lies beyond float32; accepted: rows divided by their length
    """
    with np.errstate(over="ignore", under="ignore"):
        vectors: Singles = embedding.astype(np.float32, copy=False)
    if embedding.dtype.kind == "f" and embedding.dtype.itemsize > vectors.dtype.itemsize:
        large = np.isfinite(embedding).all(axis=1) & ~np.isfinite(vectors).all(axis=1)
        beyond = np.flatnonzero(large | (embedding.any(axis=1) & ~vectors.any(axis=1)))
        if beyond.size:
            problem = f"row {beyond[0]} of embedding lies beyond float32"
            raise DataError(name, problem, "rows divided by their length")
    return vectors
