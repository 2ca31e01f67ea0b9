"""Finished blocks of the passes over all pairs, on disk: a run that was killed reads them and scores the others.

A pass is stored under the digest of all that decides its numbers: samples and their vectors, cells, layout, floor,
versions, processor. Systems, passes and audits share a folder, and none reads what another scored differently. A block
is one file, written beside and then renamed, with a checksum: what is torn or changed is scored again.
"""

import dataclasses
import hashlib
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from frtaudit.core.arrays import Array
from frtaudit.core.machine.faults import as_line
from frtaudit.core.machine.files import read_regular
from frtaudit.core.machine.lock import lock
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline.dask import kind
from frtaudit.stats import similarity
from frtaudit.stats.similarity.executor import Executor, PassContext
from frtaudit.stats.similarity.pair_scan import Pairs

Job = TypeVar("Job")
Done = TypeVar("Done")
Work: TypeAlias = Callable[[PassContext, Job], Done]

WHERE, LOCK = "checkpoint", "checkpoint.lock"
ELSEWHERE = "a new folder of its own, or an earlier checkpoint"
BLOCKS = 1000  # above so many the blocks of a pass grow instead
CHECKSUM = 32  # bytes
PLAIN = (str, bytes, int, float, bool, np.generic, type(None))


def check_place(spec: AuditSpec, run_folder: Path | None = None) -> None:
    """Raise :class:`SpecError` for a place within the cohort or the run, one that is no folder, or has other files."""
    if spec.checkpoint is None:
        return
    place, root = Path(spec.checkpoint), getattr(spec.cohort, "root", None)
    for where, folder in {"hydra.run.dir": run_folder, "cohort.root": root}.items():
        if folder and place.resolve().is_relative_to(Path(folder).resolve()):
            raise SpecError(WHERE, f"{place.name} lies within {where}", ELSEWHERE)
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        what = "a link" if place.is_symlink() else "no folder"
        raise SpecError(WHERE, f"{place.name} is {what}", ELSEWHERE)
    if place.is_dir() and not (place / LOCK).is_file() and any(place.iterdir()):
        raise SpecError(WHERE, f"{place.name} holds other files", ELSEWHERE)


@contextmanager
def checkpointed(spec: AuditSpec, executor: Executor) -> Iterator[Executor]:
    """``executor``, with its finished blocks stored in ``spec.checkpoint``, which is locked meanwhile.

    Raises :class:`SpecError` as :func:`check_place` does, :class:`DataError` where another run uses the folder or it
    cannot be written.
    """
    if spec.checkpoint is None:
        yield executor
        return
    folder = Path(spec.checkpoint).absolute()
    try:
        check_place(spec)
        opened = lock(folder / LOCK, wait=False)
    except BlockingIOError:
        text = f"another run uses {folder.name}"
        raise DataError(WHERE, text, "wait for it, or another folder") from None
    except (FileNotFoundError, NotADirectoryError):
        raise SpecError(WHERE, f"{folder.name} cannot be made at that place", ELSEWHERE) from None
    except OSError as error:
        raise as_line(error, WHERE) from None
    try:
        yield Checkpoint(executor, folder)
    finally:
        os.close(opened)


@dataclass(slots=True)
class Checkpoint:
    """An :class:`Executor` that stores each finished block below ``folder``, and reads those that it finds."""

    executor: Executor
    folder: Path
    known: tuple[PassContext, str] | None = field(default=None, init=False)

    def __call__(
        self,
        work: "Work[Job, Done]",
        context: PassContext,
        jobs: Sequence[Job],
        *,
        together: int = 1,
        progress: Progress = quiet,
        what: str = "",
    ) -> Iterator[Done]:
        """Results in the order of ``jobs``; blocks of ``together`` jobs or more."""
        size = max(together, len(jobs) // BLOCKS)
        blocks = [jobs[first : first + size] for first in range(0, len(jobs), size)]
        name = digest_of(self._digest(context), work, repr(list(jobs)), size)
        task = partial(do_block, work=work, folder=self.folder, name=name)
        for done in self.executor(task, context, list(enumerate(blocks)), progress=progress, what=what):
            yield from done

    def _digest(self, context: PassContext) -> str:
        """Of what a context compares; its templates are read once."""
        if self.known is None or self.known[0] is not context:
            scored = (context.block, context.layout, context.subject_of, context.cells, context.edges)
            self.known = context, digest_of(kind(), _code(), *scored)
        return self.known[1]


@cache
def _code() -> str:
    """The digest of the modules that score: a version is one for many states of a checkout."""
    (folder,) = similarity.__path__
    return digest_of(*(path.read_bytes() for path in sorted(Path(folder).glob("*.py"))))


def do_block(
    context: PassContext,
    block: tuple[int, Sequence[Job]],
    *,
    work: "Work[Job, Done]",
    folder: Path,
    name: str,
) -> list[Done]:
    """The results of a block's jobs: read where they are stored, else worked out and stored."""
    number, jobs = block
    file = f"{name}/{number}"
    try:
        stored = _read(folder, file, len(jobs))
        if stored is not None:
            return cast("list[Done]", stored)
        done = score_block(work, context, jobs)
        body = packed(done)
        OutputFolder(folder).replace(file, _checksum(file, body) + body)
    except OSError as error:
        raise as_line(error, WHERE) from error
    return done


def score_block(work: "Work[Job, Done]", context: PassContext, jobs: Sequence[Job]) -> list[Done]:
    """The results of jobs, one after the other."""
    return [work(context, job) for job in jobs]


def _read(folder: Path, file: str, n_jobs: int) -> list[object] | None:
    """The results in a file; None where there is none, or where it does not hold what was stored under its name."""
    try:
        data = read_regular(folder / file, f"{WHERE} {file}")
    except FileNotFoundError:
        return None
    body = data[CHECKSUM:]
    return unpacked(body, n_jobs) if data[:CHECKSUM] == _checksum(file, body) else None


def _checksum(file: str, body: bytes) -> bytes:
    return hashlib.sha256(file.encode() + b"\0" + body).digest()


def packed(results: Sequence[object]) -> bytes:
    """The arrays of results as bytes, compressed.

    >>> unpacked(packed([(np.zeros(2), np.ones(1))]), 1)
    [(array([0., 0.]), array([1.]))]
    """
    stream = BytesIO()
    for array in _arrays(results):
        np.lib.format.write_array(stream, array, allow_pickle=False)
    return zlib.compress(stream.getbuffer(), level=1)


def unpacked(body: bytes, n_jobs: int) -> list[object]:
    """What :func:`packed` was given: as many results as there were jobs."""
    data = zlib.decompress(body)
    stream, arrays = BytesIO(data), list[Array]()
    while stream.tell() < len(data):
        arrays.append(np.lib.format.read_array(stream, allow_pickle=False))
    each = len(arrays) // n_jobs
    return [_result(arrays[first : first + each]) for first in range(0, len(arrays), each)]


def _arrays(results: object) -> Iterator[Array]:
    if isinstance(results, np.ndarray):
        yield results
    elif isinstance(results, Pairs):
        yield from (results.i, results.j, results.score)
    else:
        for part in cast("Sequence[object]", results):
            yield from _arrays(part)


def _result(arrays: Sequence[Array]) -> object:
    """What a pass gives, by its number of arrays: pairs, pairs and a histogram, or sums of groups and of subjects."""
    if len(arrays) == 2:
        return tuple(arrays)
    pairs = Pairs(*cast("Sequence[Any]", arrays[:3]))
    return (pairs, arrays[3]) if len(arrays) == 4 else pairs


def digest_of(*values: object) -> str:
    """SHA-256 of arrays, plain values, functions with what they are bound to, and dataclasses of these.

    Raises :class:`DataError` for anything else.

    >>> digest_of(np.arange(3)) == digest_of(np.arange(3)), digest_of(1, 2) == digest_of((1, 2), ())
    (True, False)
    """
    digest = hashlib.sha256()
    for value in values:
        _feed(digest.update, value)
    return digest.hexdigest()


def _feed(update: Callable[[Any], None], value: object) -> None:
    if isinstance(value, np.ndarray):
        update(f"{value.dtype.str}{value.shape}\0".encode())
        update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
        return
    parts = _parts(value)
    update(f"{type(value).__qualname__} {len(parts)}\0{'' if parts else repr(value)}\0".encode())
    for part in parts:
        _feed(update, part)


def _parts(value: object) -> Sequence[object]:
    """What a value consists of; nothing for a plain one."""
    if isinstance(value, PLAIN):
        return ()
    if isinstance(value, (tuple, list, Mapping)):
        return ("", *(value.items() if isinstance(value, Mapping) else value))
    if isinstance(value, partial):
        return value.func, value.args, value.keywords
    if isinstance(value, MethodType):
        return value.__self__, value.__func__
    if isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return value.__module__, value.__qualname__, value.__defaults__, cells
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value).__module__, *(getattr(value, part.name) for part in dataclasses.fields(value))
    text = f"scores come from a {type(value).__qualname__}, which has no digest"
    raise DataError(WHERE, text, "scores of templates; or no checkpoint")
