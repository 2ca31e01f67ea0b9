"""Plain arrays from ``.npz``, ``.npy`` and ``.h5`` files. Nothing is unpickled; an error shows how to convert."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any  # Any: h5py has no types

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic

from frtaudit.core.arrays import Array
from frtaudit.core.machine.extras import need
from frtaudit.core.machine.files import check_regular, open_regular
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import stem
from frtaudit.inputs.template_files import MEMBERS, UNREADABLE

ARRAYS = (".npz", ".npy", ".h5", ".hdf5")
PICKLES = (".pkl", ".pickle", ".pt", ".pth", ".joblib")
INFLATED, RATIO = 1 << 28, 200  # bytes; times that a compressed array of numbers may be larger
WRITTEN = "arrays of embeddings"
PLAIN = "_plain"  # what the name of a converted file ends with
_NUMPY = ("import numpy as np", "held = np.load({name!r}, allow_pickle=True)")
_MEMBERS = "{{k: (v.astype(str) if v.dtype == object else v) for k, v in held.items()}}"
_OF_NPZ = (*_NUMPY, f"np.savez({{plain!r}}, **{_MEMBERS})")
_OF_DICT = (
    *_NUMPY,
    "np.savez({plain!r}, embedding=np.stack(list(held.item().values())), image_id=list(held.item()))",
)
_OF_PAIRS = (
    *_NUMPY,
    "np.savez({plain!r}, embedding=np.stack(held[0]))",
)  # XQLFW's evaluator: embeddings, labels
_OF_ROWS = (  # a text for each image, or its embedding
    *_NUMPY,
    (
        "np.savez({plain!r}, **({{'embedding': np.stack(held)}} if np.ndim(held[0]) "
        "else {{'image_id': [str(x) for x in held]}}))"
    ),
)
_ROWS = "[(r['identity'], r['embedding']) if isinstance(r, dict) else tuple(r) for r in held]"
_PAIRS = f"(held.items() if isinstance(held, dict) else {_ROWS})"
_OF_PICKLE = (  # id to embedding, or a list of both: DeepFace's, a mapping or a pair for each image
    *_NUMPY,
    f"np.savez({{plain!r}}, **dict(zip(('image_id', 'embedding'), zip(*{_PAIRS}))))",
)
_OF_TORCH = (
    "import torch, numpy as np",
    "held = torch.load({name!r}, map_location='cpu', weights_only=True)",
    "np.savez({plain!r}, embedding=held['embedding'].numpy(), image_id=list(held['image_id']))",
)
_BY_SHAPE = {(): _OF_DICT, (1,): _OF_DICT, (2,): _OF_PAIRS}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayHeader:
    """What an array is, before it is read."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def refuse_pickle(name: str) -> DataError:
    """The refusal of a pickle: three lines of Python, for those who trust the file, that write it as arrays.

    >>> str(refuse_pickle("known.pkl")).split("; ")[0]
    'known.pkl: is a pickle, which can run programs and is not loaded'
    """
    lines = _OF_TORCH if name.endswith((".pt", ".pth")) else _OF_PICKLE
    return _refusal(name, "is a pickle, which can run programs and is not loaded", lines)


def _refusal(name: str, problem: str, lines: tuple[str, ...]) -> DataError:
    plain = str(PurePosixPath(name).with_name(f"{stem(name)}{PLAIN}.npz"))
    python = "; ".join(line.format(name=name, plain=plain) for line in lines)
    return DataError(name, problem, f"plain arrays; if you trust the file: {python}")


def headers(path: Path, name: str) -> dict[str, ArrayHeader]:
    """Name to shape and type of every array of a file; a ``.npy`` file has one, without a name.

    Raises :class:`DataError` for a file that cannot be read, for objects, and for an array too large for its file.
    """
    if path.suffix in (".h5", ".hdf5"):
        return _h5_headers(path, name)
    try:
        with open_regular(path, name) as stream:
            if path.suffix == ".npy":
                return {"": _header(stream, name)}
            with zipfile.ZipFile(stream) as archive:
                return dict(_members(archive, name))
    except UNREADABLE:
        raise DataError(name, f"not a readable {path.suffix} file", "arrays of numbers and texts") from None


def arrays(path: Path, name: str, wanted: Mapping[str, str]) -> dict[str, Array]:
    """Arrays of a file whose :func:`headers` were looked at: key to the array that ``wanted`` names."""
    try:
        if path.suffix in (".h5", ".hdf5"):
            return _h5_arrays(path, wanted)
        with open_regular(path, name) as stream:
            loaded = np.load(stream, allow_pickle=False)
            if path.suffix == ".npy":
                return {key: np.asarray(loaded) for key in wanted}
            return {key: np.asarray(loaded[array]) for key, array in wanted.items()}
    except UNREADABLE:
        raise DataError(name, f"not a readable {path.suffix} file", "arrays of numbers and texts") from None


def is_converted(name: str, files: Mapping[str, int]) -> bool:
    """Whether the folder has the converted form of a file of objects, which is read instead."""
    return str(PurePosixPath(name).with_name(f"{stem(name)}{PLAIN}.npz")) in files


def _header(stream: Any, name: str, packed: str = "") -> ArrayHeader:  # noqa: ANN401  a file, or a member of one
    version = read_magic(stream)
    shape, _, dtype = (read_array_header_1_0 if version == (1, 0) else read_array_header_2_0)(stream)
    if dtype.hasobject:
        what = f"{packed!r} holds" if packed else "holds"
        lines = _OF_NPZ if packed else _BY_SHAPE.get(tuple(shape), _OF_ROWS)
        raise _refusal(name, f"{what} Python objects, which would have to be unpickled", lines)
    return ArrayHeader(shape=tuple(shape), dtype=dtype)


def _members(archive: zipfile.ZipFile, name: str) -> list[tuple[str, ArrayHeader]]:
    members = archive.infolist()
    if len(members) > MEMBERS:
        raise DataError(name, f"{len(members)} arrays", f"at most {MEMBERS}")
    entries = []
    for member in members:
        if member.file_size > INFLATED and member.file_size > RATIO * max(1, member.compress_size):
            raise DataError(name, f"{member.file_size} bytes packed into {member.compress_size}", WRITTEN)
        array = member.filename.removesuffix(".npy")
        with archive.open(member) as stream:
            entries.append((array, _header(stream, name, array)))
    if len(dict(entries)) < len(entries):
        raise DataError(name, "an array appears twice", "each array once")
    return entries


def _h5(path: Path) -> Any:  # noqa: ANN401  h5py has no types
    need("h5", "h5py", where=path.name)
    check_regular(path)
    import h5py

    return h5py.File(path, "r")


def _h5_headers(path: Path, name: str) -> dict[str, ArrayHeader]:
    """Datasets directly below the root; links are not followed, nor what stands in other files (external, virtual)."""
    try:
        with _h5(path) as file:
            import h5py

            plain = [key for key in file if isinstance(file.get(key, getlink=True), h5py.HardLink)]
            sets = {
                key: value
                for key in plain[:MEMBERS]
                if isinstance(value := file[key], h5py.Dataset) and not (value.external or value.is_virtual)
            }
            for key, value in sets.items():
                if value.nbytes > INFLATED and value.nbytes > RATIO * max(1, value.id.get_storage_size()):
                    raise DataError(
                        name, f"{key!r} has {value.nbytes} bytes, few of them in the file", WRITTEN
                    )
            return {
                key: ArrayHeader(
                    shape=tuple(value.shape),
                    dtype=np.dtype("U1") if h5py.check_string_dtype(value.dtype) else value.dtype,
                )
                for key, value in sets.items()
            }
    except UNREADABLE:
        raise DataError(name, "not a readable HDF5 file", "datasets of numbers and texts") from None


def _h5_arrays(path: Path, wanted: Mapping[str, str]) -> dict[str, Array]:
    """Texts of HDF5 are bytes."""
    import h5py

    with _h5(path) as file:
        return {
            key: np.asarray(
                file[name].asstr()[...] if h5py.check_string_dtype(file[name].dtype) else file[name][...]
            )
            for key, name in wanted.items()
        }
