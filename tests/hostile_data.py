"""Files that somebody hands over who means harm, by name: what each writes, and what an audit says of it.

The text expected is part of the one line; None: the file is read as what it says, and nothing else happens.
"""

import base64
import io
import json
import os
import pickle
import socket
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any  # Any: what JSON holds

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PEOPLE, IMAGES, WIDTH = 4, 3, 4
IDS = [f"{who}_{image}" for who in "abcd" for image in range(IMAGES)]
METADATA = "image_id,subject_id\n" + "".join(f"{name},{name[0]}\n" for name in IDS)
LISTED = "probe,reference,probe_subject,reference_subject,score\n" + "".join(
    f"{one},{other},{one[0]},{other[0]},0.{(i * 7 + j * 3) % 10}{i}\n"
    for i, one in enumerate(IDS)
    for j, other in enumerate(IDS)
    if i < j
)
DEEP = "[" * 100_000
Plant = Callable[[Path], object]


class Executed:
    """Unpickled, it leaves a file behind in the working folder."""

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (Path("executed"),)


def templates_folder(root: Path) -> None:
    """A good folder of templates."""
    (root / "templates").mkdir(parents=True)
    (root / "metadata.csv").write_text(METADATA)
    (root / "templates" / "door.npz").write_bytes(archive(good()))


def scores_folder(root: Path) -> None:
    """A good folder of score lists."""
    root.mkdir()
    (root / "door.csv").write_text(LISTED)


def good() -> dict[str, np.ndarray]:
    vectors = np.random.default_rng(1).normal(size=(len(IDS), WIDTH)).astype(np.float32)
    return {"embedding": vectors, "image_id": np.array(IDS)}


def archive(arrays: dict[str, np.ndarray]) -> bytes:
    return zipped([(f"{name}.npy", _bytes(array)) for name, array in arrays.items()])


def npy(header: str, data: bytes = b"") -> bytes:
    """An array file with a header of one's own."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def zipped(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as made:
        for name, data in members:
            made.writestr(name, data)
    return stream.getvalue()


def door(data: bytes) -> Plant:
    return lambda root: (root / "templates" / "door.npz").write_bytes(data)


def with_header(header: str, data: bytes = b"") -> Plant:
    return door(zipped([("embedding.npy", npy(header, data)), ("image_id.npy", _bytes(np.array(IDS)))]))


def _bytes(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def changed(**arrays: np.ndarray) -> Plant:
    """Good templates but for some arrays."""
    return door(archive({**good(), **arrays}))


def marked(flags: bytes) -> Plant:
    """Good templates whose archive says something else of its members: flags and method."""
    return door(archive(good()).replace(CENTRAL + b"\0\0\0\0", CENTRAL + flags))


def doubled(root: Path) -> None:
    held = [(f"{name}.npy", _bytes(array)) for name, array in good().items()]
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(root / "templates" / "door.npz", "w") as made,
    ):
        for name, data in [held[0], *held]:
            made.writestr(name, data)


def file(name: str, data: bytes | str) -> Plant:
    return lambda root: (root / name).write_bytes(data.encode() if isinstance(data, str) else data)


def link(name: str, target: str) -> Plant:
    def write(root: Path) -> None:
        (root / name).unlink(missing_ok=True)
        (root / name).symlink_to(target)

    return write


def fifo(name: str) -> Plant:
    def write(root: Path) -> None:
        (root / name).unlink(missing_ok=True)
        os.mkfifo(root / name)

    return write


def bound(name: str) -> Plant:
    def write(root: Path) -> None:
        here = Path.cwd()
        (root / name).unlink(missing_ok=True)
        os.chdir(root)  # the name of a socket is short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(name)
        os.chdir(here)

    return write


def parquet(name: str, table: pa.Table) -> Plant:
    def write(root: Path) -> None:
        (root / "metadata.csv").unlink(missing_ok=True)
        pq.write_table(table, root / name)

    return write


def replaced(name: str, data: bytes) -> Plant:
    def write(root: Path) -> None:
        (root / "metadata.csv").unlink(missing_ok=True)
        (root / name).write_bytes(data)

    return write


def people(*columns: pa.Array, names: tuple[str, ...]) -> pa.Table:
    base = [pa.array(IDS), pa.array([name[0] for name in IDS])]
    return pa.table([*base, *columns], names=["image_id", "subject_id", *names])


def collection(**changed: object) -> Plant:
    content: dict[str, object] = {
        "format": "frtaudit-collection/1", "finished": True, "partial": False, "pairs": 0, "boxes": None,
        "images": {"left_out": {}}, "services": {}, "files": {}, "notes": [],
    }  # fmt: skip
    return file("collection.json", json.dumps(content | changed))


NO_NPZ = "not a readable .npz"
NO_ARRAY = "is not a plain array"
CENTRAL = b"PK\x01\x02\x14\x03\x14\x00"  # a directory entry up to its flags
PICKLED = pickle.dumps(Executed())
OBJECTS = np.empty((len(IDS), WIDTH), dtype=object)
OBJECTS[:] = Executed()
EXTENSION = people(pa.array([b"x"] * len(IDS)), names=("age",)).cast(
    pa.schema([
        pa.field("image_id", pa.string()), pa.field("subject_id", pa.string()),
        pa.field("age", pa.binary(), metadata={
            b"ARROW:extension:name": b"arrow.py_extension_type",
            b"ARROW:extension:metadata": PICKLED,
        }),
    ])
)  # fmt: skip
NESTED = pa.table({"image_id": [[name] for name in IDS], "subject_id": [{"a": name} for name in IDS]})
ASTRAY = (
    LISTED.replace("score\n", "score,provider\n")
    .replace("\n", ",../../../executed\n")
    .replace("provider,../../../executed", "provider")
)
STATEMENT = json.dumps({"payload": base64.b64encode(DEEP.encode()).decode()})
SHAPE = "{{'descr': '<f4', 'fortran_order': False, 'shape': {}}}"

TEMPLATES: dict[str, tuple[Plant, str | None]] = {
    "pickled objects": (changed(embedding=OBJECTS), NO_ARRAY),
    "a bare pickle": (door(PICKLED), NO_NPZ),
    "a pickled array file": (door(_bytes(OBJECTS)), NO_NPZ),
    "a member outside": (door(zipped([("../../executed", b"x")])), NO_ARRAY),
    "an absolute member": (door(zipped([("/executed.npy", b"x")])), NO_ARRAY),
    "a torn archive": (door(archive(good())[:-200]), NO_NPZ),
    "an archive of nothing": (door(b""), NO_NPZ),
    "a shape beyond memory": (with_header(SHAPE.format((10**9, 10**9))), NO_NPZ),
    "a shape beyond integers": (with_header(SHAPE.format((10**30, 1))), NO_NPZ),
    "a negative shape": (with_header(SHAPE.format((-1, 4))), NO_NPZ),
    "a header that is code": (with_header("__import__('pathlib').Path('executed').touch()"), NO_ARRAY),
    "a deep header": (with_header("(" * 5000), NO_NPZ),
    "a header of no dtype": (with_header("{'descr': 'O', 'fortran_order': False, 'shape': (1,)}"), NO_ARRAY),
    "an unknown compression": (marked(b"\x00\x00\x61\x00"), NO_NPZ),
    "an encrypted archive": (marked(b"\x01\x00\x00\x00"), NO_NPZ),
    "a doubled member": (doubled, None),
    "words for embeddings": (changed(embedding=np.full((len(IDS), 2), "=1+1")), "real numbers"),
    "complex embeddings": (changed(embedding=np.ones((len(IDS), 2), complex)), "real numbers"),
    "ids that are records": (changed(image_id=np.zeros(len(IDS), "i4,i4")), "image_id holds"),
    "ids in a matrix": (changed(image_id=np.array([IDS])), "a list of ids"),
    "templates through a link": (link("templates/door.npz", "../metadata.csv"), "is a symbolic link"),
    "templates of a FIFO": (fifo("templates/door.npz"), "is a FIFO"),
    "templates of a device": (link("templates/door.npz", "/dev/zero"), "is a symbolic link"),
    "templates of a socket": (bound("templates/door.npz"), "is a socket"),
    "metadata through a link": (link("metadata.csv", "/etc/passwd"), "is a symbolic link"),
    "metadata of a FIFO": (fifo("metadata.csv"), "is a FIFO"),
    "metadata of a device": (link("metadata.csv", "/dev/zero"), "is a symbolic link"),
    "NUL in metadata": (file("metadata.csv", METADATA.replace("a_0", "a\0_0")), "metadata"),
    "metadata in UTF-16": (file("metadata.csv", METADATA.encode("utf-16")), "the text is UTF-16"),
    "metadata in Latin-1": (
        file("metadata.csv", METADATA.replace("a_0", "é").encode("latin-1")),
        "metadata.csv line 2: byte 1 of the line is not UTF-8",
    ),
    "a field of ten million": (file("metadata.csv", "x" * 10_000_000), "not a readable CSV"),
    "a quote that never ends": (file("metadata.csv", METADATA + '"'), "a quote is not closed"),
    "ragged metadata": (file("metadata.csv", METADATA + "a,b,c,d,e\n"), "holds more fields than the header"),
    "a column twice": (file("metadata.csv", METADATA.replace("subject_id", "image_id", 1)), "appears twice"),
    "a header alone": (file("metadata.csv", "image_id,subject_id\n"), "holds no row"),
    "paths for subjects": (file("metadata.csv", METADATA.replace(",a\n", ",../../../executed\n")), None),
    "commands for subjects": (file("metadata.csv", METADATA.replace(",a\n", ",$(touch executed)\n")), None),
    "terminal commands for ids": (file("metadata.csv", METADATA + "x\x1b[2J,x\x1b]0;t\x07\n"), None),
    "ids that look alike": (file("metadata.csv", METADATA.replace(",b\n", ",\u0430\n")), None),
    "garbage for Parquet": (replaced("metadata.parquet", b"PAR1" + b"\xff" * 64 + b"PAR1"), "not a readable Parquet"),
    "torn Parquet": (replaced("metadata.parquet", b"PAR1"), "not a readable Parquet"),
    "an extension type with a pickle": (parquet("metadata.parquet", EXTENSION), None),
    "nested Parquet": (parquet("metadata.parquet", NESTED), "without metadata"),
    "a Parquet column twice": (
        parquet("metadata.parquet", people(pa.array(IDS), names=("image_id",))), "metadata.parquet",
    ),
    "failures of a FIFO": (fifo("failures.csv"), "is a FIFO"),
    "failures through a link to nothing": (link("failures.csv", "nowhere"), "is a symbolic link"),
    "failures of nobody": (file("failures.csv", "image_id,model,reason\nx,door,y\n"), "without metadata"),
    "pairs of a FIFO": (fifo("pairs.txt"), "is a FIFO"),
    "pairs through a link": (link("pairs.txt", "/etc/passwd"), "is a symbolic link"),
}  # fmt: skip

PAIRS: dict[str, tuple[str | bytes, str]] = {
    "a count of six thousand digits": ("9" * 6000 + "\n", "is not a count"),
    "an image of six thousand digits": ("a " + "9" * 6000 + " 1\n", "not an integer"),
    "more folds than atoms": ("999999999 999999999\na 0 1\n", "as the first line says"),
    "no text": (b"\xff\xfe\x00", "not a readable text"),
    "a NUL": ("a \0 1\n", "not an integer"),
}

SCORES: dict[str, tuple[Plant, str | None]] = {
    "a provider that is a path": (file("door.csv", ASTRAY), None),
    "an infinite score": (file("door.csv", LISTED.replace("0.30", "inf")), "door.csv"),
    "a formula for a score": (file("door.csv", LISTED.replace("0.30", "=1+1")), "door.csv"),
    "a FIFO among the lists": (fifo("other.csv"), "is a FIFO"),
    "a link among the lists": (link("other.csv", "door.csv"), "is a symbolic link"),
    "a folder among the lists": (lambda root: (root / "other.csv").mkdir(), "is a folder"),
    "metadata through a link to nothing": (link("metadata.csv", "nowhere"), "is a symbolic link"),
    "metadata of a FIFO": (fifo("metadata.parquet"), "is a FIFO"),
}  # fmt: skip

THRESHOLDS = {
    "deep": DEEP, "a list": "[]", "not a number": '{"door": {"a": NaN}}', "infinite": '{"door": {"a": 1e999}}',
    "too long": '{"door": {"a": 1' + "0" * 400 + "}}", "longer": '{"door": {"a": 1' + "0" * 6000 + "}}",
    "words": '{"door": {"a": "=1"}}', "another's": '{"other": {"a": 1}}', "a broken result": '{"estimates": [1]}',
}  # fmt: skip
PREVIOUS = {
    "deep": DEEP, "a list": "[]", "nothing": "", "no version": "{}", "version alone": '{"schema_version": "1.0"}',
    "wrong kinds": '{"schema_version": "1.0", "spec": [], "estimates": {"a": 1}, "curves": 3}',
    "another version": '{"schema_version": 2}', "numbers": '{"schema_version": "1.0", "estimates": [[]], "spec": {}}',
}  # fmt: skip
COLLECTIONS: dict[str, tuple[Plant, str]] = {
    "boxes elsewhere": (collection(boxes="/etc/passwd"), "names '/etc/passwd'"),
    "a service elsewhere": (collection(services={"../../x": {}}), "names '../../x.parquet'"),
    "a file elsewhere": (collection(files={"../x": "0" * 64}), "is not the file"),
    "deep": (file("collection.json", DEEP), "not readable as a collection"),
    "a list": (file("collection.json", "[]"), "not readable as a collection"),
    "through a link": (link("collection.json", "/etc/passwd"), "is a symbolic link"),
    "a FIFO": (fifo("collection.json"), "is a FIFO"),
    "a store through a link": (link("store.sqlite", "/dev/zero"), "not finished"),
}  # fmt: skip
RUNS: dict[str, tuple[Plant, str]] = {
    "a deep result": (file("result.json", DEEP), ""),
    "a result of a FIFO": (fifo("result.json"), "is a FIFO"),
    "a result through a link": (link("result.json", "/etc/passwd"), "is a symbolic link"),
    "a list for a result": (file("result.json", "[]"), ""),
    "a deep statement": (file("statement.dsse.json", STATEMENT), ""),
}  # fmt: skip


def _with(*path: str, value: object) -> Callable[[dict[str, object]], bytes]:
    """A result with another value at a place."""

    def change(result: dict[str, object]) -> bytes:
        inner: Any = result
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        return json.dumps(result).encode()

    return change


RESULTS: dict[str, Callable[[dict[str, object]], bytes]] = {
    "half of a surrogate pair": _with("spec", "question", value="\ud800"),
    "half a pair for a key": _with("digests", "\udcff", value="x"),
    "nothing": lambda _: b"null",
    "deep": lambda _: DEEP.encode(),
    "a spec that is a truth value": _with("spec", value=True),
    "a cohort that is text": _with("cohort", value="x"),
    "a list of versions": _with("versions", value=[[1]]),
    "resamples that are a command": _with("spec", "bootstrap", "B", value="; touch executed"),
    "targets that are lists": _with("spec", "thresholds", "fmr", value=[[[]]]),
    "a seed that is a mapping": _with("spec", "seed", value={"a},b:{c": 1}),
}
READ = (
    "resamples that are a command",
    "targets that are lists",
    "a seed that is a mapping",
)  # by export, as text
