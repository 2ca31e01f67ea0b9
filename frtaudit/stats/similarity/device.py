"""The screen on a graphics processor (extra ``gpu``): float32 products there, all that decides a bit here.

The device's cosines are off by less than a bound that holds for any order of its sums. It counts the pairs whose bin
and side of the floor this error cannot change, and names the others, which are scored here in float64, as without a
device: histogram and tail are the same bits. A test at the start, and every pair scored here, hold it to the bound.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints, Singles
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec_values import COSINE_RANGE
from frtaudit.errors import SpecError, UnfinishedError
from frtaudit.stats._numba import kernel
from frtaudit.stats.rates.histogram import edges_over, histogram_of
from frtaudit.stats.similarity.executor import PassContext, by_threads
from frtaudit.stats.similarity.float32_screen import ROUNDING, bin_of, inner_product
from frtaudit.stats.similarity.scorers import BlockScorer, UnitBlocks, cosine_blocks
from frtaudit.stats.similarity.tiles import PART, RUN

Job = TypeVar("Job")
Done = TypeVar("Done")
Above = tuple[Index, Index, Singles]

PLACE, WITHOUT = "engine", "engine=cpu"
CHUNK = 64  # dimensions in one product: sums of few terms have a small bound
WIDTH = 200  # dimensions of the test's vectors: chunks of 64, and one of 8
FEW = 8  # of them that are not 0 in every other vector: there a product of shortened numbers errs most


@dataclass(frozen=True, slots=True)
class Device:
    """An array library whose arrays lie on a device: ``xp`` is CuPy; ``memory``: bytes that are free there."""

    xp: Any  # CuPy has no types
    name: str
    memory: int


@dataclass(frozen=True, slots=True)
class DeviceBlocks:
    """``blocks`` screened on a device; called, they are scored here. ``unit`` lies there, or here if too large."""

    blocks: UnitBlocks
    device: Device
    unit: Any  # (N, D) float32 of either library

    def __call__(self, rows: slice, columns: slice) -> Floats:
        """Scores in float64, without the device."""
        return self.blocks(rows, columns)

    @property
    def error(self) -> float:
        """How far a cosine of the device can be from the exact one, in any order of its sums.

        In units of 2**-24: the terms of a chunk, one for each chunk added, two for the vectors as they are rounded.
        """
        width = int(self.unit.shape[1])
        return float(min(width, CHUNK) - (-width // CHUNK) + 2) * 2.0**-24

    def cosines(self, rows: slice, columns: slice) -> Any:  # noqa: ANN401  an array on the device
        """Float32 products of two slices, on the device."""
        first, second = (self.device.xp.asarray(self.unit[part]) for part in (rows, columns))
        cosine = self.device.xp.matmul(first[:, :CHUNK], second[:, :CHUNK].T)
        for start in range(CHUNK, first.shape[1], CHUNK):
            part = slice(start, start + CHUNK)
            cosine += self.device.xp.matmul(first[:, part], second[:, part].T)
        return cosine

    def screen(self, rows: slice, columns: slice, floor: float, edges: Floats, histogram: Ints) -> Above:
        """Count every pair of two slices in ``histogram``; those with score > ``floor``, by first and then second."""
        with _as_line():
            counts, near, cosine = self._sorted_out(rows, columns, floor, edges)
        width = columns.stop - columns.start
        if counts.sum() + near.size != (rows.stop - rows.start) * width:
            raise UnfinishedError(PLACE, f"{self.device.name} did not count every pair", WITHOUT)
        histogram += counts
        pairs = np.empty(near.size, np.int32), np.empty(near.size, np.int32), np.empty(near.size, np.float32)
        host = self.blocks
        n = score_near(
            near, cosine, rows.start, columns.start, width, host.vectors, host.lengths, host.scale, host.shift,
            self.error, floor, edges, histogram, *pairs,
        )  # fmt: skip
        if n < 0:
            raise UnfinishedError(
                PLACE, f"{self.device.name} erred beyond {self.error:.1e} in a product", WITHOUT
            )
        return pairs[0][:n], pairs[1][:n], pairs[2][:n]

    def _sorted_out(
        self, rows: slice, columns: slice, floor: float, edges: Floats
    ) -> tuple[Ints, Ints, Singles]:
        """Counts of the pairs that the error cannot move; the places of the others in the block, and their cosines."""
        xp, last, host = self.device.xp, edges.size - 1, self.blocks
        cosine = self.cosines(rows, columns).ravel()
        if not np.isfinite(float(cosine.sum())):
            raise ValueError("a block scorer gives finite scores only")
        bins = last / (edges[-1] - edges[0])
        error = np.float32(self.error * host.scale * bins + ROUNDING * last)
        at = cosine * np.float32(bins * host.scale) + np.float32(bins * (host.shift - edges[0]))
        place = xp.floor(at)
        at -= place
        cut = np.float32((floor - host.shift) / host.scale - 2 * self.error)
        near = (at < error) | (at > np.float32(1) - error) | (cosine > cut)
        place = xp.where(near, np.float32(last), xp.clip(place, 0, last - 1)).astype(np.int32)
        counts, near = xp.bincount(place, minlength=last + 1)[:last], xp.flatnonzero(near)
        return _here(xp, counts), _here(xp, near), _here(xp, cosine[near])


@kernel
def score_near(
    near: Ints, cosine: Singles, first_i: int, first_j: int, width: int, vectors: Singles, lengths: Floats,
    scale: float, shift: float, error: float, floor: float, edges: Floats, histogram: Ints,
    i: Index, j: Index, out: Singles,
) -> int:  # fmt: skip
    """Score pairs of a block in float64, count them, keep those > ``floor``; the number kept, -1 beyond the error."""
    n, last, bins = 0, -1, (edges.size - 1) / (edges[-1] - edges[0])
    row = np.empty(vectors.shape[1])
    for q in range(near.size):
        a, b = first_i + near[q] // width, first_j + near[q] % width
        if a != last:
            for d in range(row.size):
                row[d] = vectors[a, d]
            last = a
        exact = inner_product(row, vectors[b]) / (lengths[a] * lengths[b])
        if not abs(exact - cosine[q]) <= error:
            return -1
        score = np.float32(scale * exact + shift + 0.0)
        histogram[bin_of(np.float64(score), bins, edges)] += 1
        if score > floor:
            i[n] = a
            j[n] = b
            out[n] = score
            n += 1
    return n


@dataclass(slots=True)
class DeviceExecutor:
    """The threads of this machine as an executor; the screen of their blocks is done on a device."""

    device: Device
    last: DeviceBlocks | None = field(default=None, init=False)

    def __call__(
        self,
        work: Callable[[PassContext, Job], Done],
        context: PassContext,
        jobs: Sequence[Job],
        *,
        together: int = 1,
        progress: Progress = quiet,
        what: str = "",
    ) -> Iterator[Done]:
        """The results, in the order of the jobs."""
        context = replace(context, block=self._placed(context.block))
        return by_threads(work, context, jobs, together=together, progress=progress, what=what)

    def __str__(self) -> str:
        """The device and its free memory."""
        return f"{self.device.name}, {self.device.memory / 1e9:.1f} GB free"

    def _placed(self, block: BlockScorer) -> BlockScorer:
        """The block on the device, where it stays until another comes; one that is no cosine stays here."""
        if not isinstance(block, UnitBlocks):
            return block
        if self.last is None or self.last.blocks is not block:
            self.last = None  # before the next: both need not fit
            self.last = on_device(self.device, block)
        return self.last


def on_device(device: Device, blocks: UnitBlocks) -> DeviceBlocks:
    """The same blocks; the vectors are sent once where half of the free memory holds them, else with each block."""
    with _as_line():
        fits = blocks.unit.nbytes <= device.memory // 2
        return DeviceBlocks(blocks, device, device.xp.asarray(blocks.unit) if fits else blocks.unit)


def open_device() -> Device:
    """The first device that CuPy sees, after a test; raises :class:`SpecError` where there is none, or it fails."""
    os.environ["CUPY_TF32"] = "0"  # read at the first product: float32 is multiplied as float32
    try:
        xp = import_module("cupy")
        name = xp.cuda.runtime.getDeviceProperties(0)["name"].decode()
        device = Device(xp, name, int(xp.cuda.runtime.memGetInfo()[0]))
    except ImportError as error:
        raise SpecError(
            PLACE, f"CuPy cannot be imported ({error})", f"pip install 'frtaudit[gpu]', or {WITHOUT}"
        ) from error
    except RuntimeError as error:
        raise SpecError(PLACE, f"CuPy sees no device ({error})", WITHOUT) from error
    refuse_inexact(device)
    return device


def refuse_inexact(device: Device) -> None:
    """Screen known vectors; :class:`SpecError` where a product errs beyond the bound, or a pair is miscounted."""
    vectors = np.random.default_rng(0).normal(size=(PART * (RUN + 1), WIDTH)).astype(np.float32)
    vectors[::2, FEW:] = 0
    host = cast("UnitBlocks", cosine_blocks(vectors))
    blocks, rows, columns = on_device(device, host), slice(0, PART), slice(PART, len(vectors))
    with _as_line():
        cosine = _here(device.xp, blocks.cosines(rows, columns))
    error = np.abs(cosine - host(rows, columns)).max()
    if not error <= blocks.error:
        text = (
            f"{device.name} errs by {error:.1e} in float32 products, beyond {blocks.error:.1e}: TF32, or less"
        )
        raise SpecError(PLACE, text, WITHOUT)
    rows, columns, edges, floor = slice(0, 16), slice(16, 272), edges_over(COSINE_RANGE), 0.1
    histogram, scores = np.zeros(edges.size - 1, dtype=np.int64), host(rows, columns).astype(np.float32)
    i, j, _ = blocks.screen(rows, columns, floor, edges, histogram)
    a, b = np.nonzero(scores > floor)
    same = np.array_equal(i, a) and np.array_equal(j, b + columns.start)
    if not (same and np.array_equal(histogram, histogram_of(scores.ravel(), edges))):
        raise SpecError(PLACE, f"{device.name} counts other pairs than the processor", WITHOUT)


def _here(xp: Any, array: Any) -> Any:  # noqa: ANN401  an array of CuPy, then of NumPy
    return getattr(xp, "asnumpy", np.asarray)(array)


@contextmanager
def _as_line() -> Iterator[None]:
    """What the device's library raises, as one line."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        text = f"the device failed ({type(error).__name__}: {error})"
        raise UnfinishedError(PLACE, text, f"fewer threads, or {WITHOUT}") from error
