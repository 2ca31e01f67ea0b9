"""The screen on a device, with NumPy in its place: the bits of the processor, whatever the device rounds."""

import os
from dataclasses import fields, replace
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from devices import Perturbed, Shortened, StandIn, install
from hypothesis import given, settings
from hypothesis import strategies as st

from frtaudit.core import Groups, ScoreTail
from frtaudit.core.spec_values import COSINE_RANGE, UNIT_DISTANCE_RANGE
from frtaudit.errors import SpecError, UnfinishedError
from frtaudit.stats.rates.histogram import edges_over
from frtaudit.stats.similarity import allpairs, pair_scan
from frtaudit.stats.similarity.allpairs import TailRequest, score_all_pairs
from frtaudit.stats.similarity.device import (
    Device,
    DeviceBlocks,
    DeviceExecutor,
    on_device,
    open_device,
    refuse_inexact,
)
from frtaudit.stats.similarity.executor import Executor, PassContext, by_threads
from frtaudit.stats.similarity.scorers import UnitBlocks, cosine_blocks, unit_distance_blocks
from frtaudit.stats.similarity.tiles import layout_of

BELOW = -0.2  # a fixed threshold below the floor: a second pass


def device_of(library: StandIn, memory: int = 10**9) -> Device:
    """A device of a stand-in."""
    return Device(library, "stand-in", memory)


def vectors_of(rng: np.random.Generator, samples: int, width: int, kind: str) -> np.ndarray:
    """Random vectors, vectors of small integers with many equal scores, or pairs at an edge of the histogram."""
    if kind == "ties":
        vectors = rng.integers(-1, 2, (samples, width)).astype(np.float32)
        vectors[:, 0] += ~vectors.any(axis=1)
        return vectors
    vectors = rng.normal(size=(samples, width))
    if (
        kind == "edges"
    ):  # a few directions of the plane whose cosines are multiples of 1/512, and next to them
        cosine = rng.integers(-511, 512, samples) / 512 + rng.choice([-1e-8, 0, 1e-8], samples)
        vectors[:] = 0
        vectors[:, 0], vectors[:, 1] = cosine, np.sqrt(1 - cosine**2)
        vectors[::2, :2] = [1, 0]
    return vectors.astype(np.float32)


def score(
    block: UnitBlocks,
    n: np.ndarray,
    cells: np.ndarray,
    executor: Executor,
    *,
    part: int = 7,
    fmr: float = 0.05,
) -> ScoreTail:
    """The tail, in small tiles, with a pilot sample and a pass below the floor."""
    group = (np.arange(n.size) % 2).astype(np.int32)[None]
    with (
        patch.object(allpairs, "layout_of", lambda counts: layout_of(counts, part)),
        patch.object(allpairs, "ALL_BELOW", 0),
        patch.object(allpairs, "MIN_PILOT", 0),
    ):
        return score_all_pairs(
            block, n_samples=n, rows=np.arange(n.sum(), dtype=np.int32), cells=cells,
            groups=Groups(schemas=("s",), names=(("s", "a"), ("s", "b")), of=group, ranked=(True, True)),
            score_range=COSINE_RANGE if block.scale == 1 else UNIT_DISTANCE_RANGE,
            request=TailRequest(fmr=fmr, thresholds=(BELOW,), eer=True, threads=2, executor=executor),
        ).tail  # fmt: skip


def bits(value: object) -> list[bytes]:
    """Every array below a frozen value, as bytes."""
    parts = [getattr(value, field.name) for field in fields(value)]  # type: ignore[arg-type]
    arrays = [part.tobytes() for part in parts if isinstance(part, np.ndarray)]
    return arrays + [more for part in parts if hasattr(part, "__dataclass_fields__") for more in bits(part)]


@pytest.mark.compiled
@settings(max_examples=40)
@given(
    seed=st.integers(0, 999), width=st.sampled_from([2, 3, 16, 63, 64, 65, 128, 200, 512]),
    kind=st.sampled_from(["random", "ties", "edges"]), cells=st.sampled_from([1, 2]), distance=st.booleans(),
    library=st.sampled_from([StandIn, Perturbed]), memory=st.sampled_from([0, 10**9]),
)  # fmt: skip
def test_a_device_gives_the_bits_of_the_processor(
    seed: int, width: int, kind: str, cells: int, distance: bool, library: type[StandIn], memory: int
) -> None:
    """Every array of the tail is the same, for groups, cells, ties, scores at edges, and errors within the bound."""
    rng = np.random.default_rng(seed)
    n = rng.integers(0, 5, 30)
    vectors = vectors_of(rng, int(n.sum()), width, kind)
    block = (unit_distance_blocks if distance else cosine_blocks)(vectors)
    assert isinstance(block, UnitBlocks)
    of = rng.integers(0, cells, 30).astype(np.int32)
    executor = DeviceExecutor(device_of(library(), memory))
    assert bits(score(block, n, of, executor)) == bits(score(block, n, of, by_threads))


def people(width: int = 70, seed: int = 3) -> UnitBlocks:
    """Sixty samples."""
    block = cosine_blocks(np.random.default_rng(seed).normal(size=(60, width)).astype(np.float32))
    assert isinstance(block, UnitBlocks)
    return block


N, CELLS = np.full(20, 3), np.zeros(20, dtype=np.int32)


def test_the_device_does_the_blocks_of_two_strips() -> None:
    """What lies between two strips is screened there, a whole run of tiles at once; the rest is scored here."""
    blocks: list[tuple[int, ...]] = []

    def noted(self: DeviceBlocks, rows: slice, columns: slice, *rest: object) -> object:
        blocks.append((rows.start, rows.stop, columns.start, columns.stop))
        return screened(self, rows, columns, *rest)  # type: ignore[arg-type]  # handed on as they come

    screened = DeviceBlocks.screen
    with patch.object(DeviceBlocks, "screen", noted):
        tail = score(people(), N, CELLS, DeviceExecutor(device_of(StandIn())), part=15)
    assert set(blocks) == {(0, 15, 15, 60), (15, 30, 30, 60), (30, 45, 45, 60)}
    assert int(tail.histogram.sum()) == 60 * 59 // 2 - 60


def test_vectors_are_sent_once_where_they_fit() -> None:
    """Of vectors that half of the memory holds the device gets one copy, in all passes; of others each block's."""
    sent = []
    for memory in (10**9, 0):
        library = StandIn()
        executor = DeviceExecutor(device_of(library, memory))
        block = people()
        for _ in range(2):
            score(block, N, CELLS, executor)
        sent.append(library.sent / block.unit.nbytes)
        score(people(seed=4), N, CELLS, executor)
        assert executor.last is not None
        assert executor.last.blocks is not block
    assert sent[0] == 1
    assert sent[1] > 4


def test_a_scorer_that_is_no_cosine_stays_here() -> None:
    """A matrix of scores is scored as without a device."""
    scores = np.random.default_rng(0).normal(size=(60, 60)).astype(np.float32)

    def block(rows: slice, columns: slice) -> np.ndarray:
        return ((scores + scores.T) / 8)[rows, columns].astype(np.float64)

    request = TailRequest(fmr=0.1, threads=1)
    nobody = Groups(schemas=(), names=(), of=np.empty((0, 20), np.int32), ranked=())
    tails = [
        score_all_pairs(
            block, n_samples=N, rows=np.arange(60, dtype=np.int32), cells=CELLS, groups=nobody,
            score_range=COSINE_RANGE, request=replace(request, executor=executor),
        ).tail
        for executor in (by_threads, DeviceExecutor(device_of(StandIn())))
    ]  # fmt: skip
    assert bits(tails[0]) == bits(tails[1])


def test_the_bound_is_that_of_a_chunk() -> None:
    """Up to 64 dimensions it is D + 3 roundings; beyond, 66 and one for each chunk begun."""
    terms = {
        width: on_device(device_of(StandIn()), people(width)).error * 2**24 for width in (2, 64, 65, 512)
    }
    assert terms == {2: 5, 64: 67, 65: 68, 512: 74}


@pytest.mark.parametrize("library", [StandIn, Perturbed])
def test_an_exact_device_is_opened(library: type[StandIn], monkeypatch: pytest.MonkeyPatch) -> None:
    """A device within the bound passes the test; CuPy is told to multiply float32 as float32."""
    install(monkeypatch, library(memory=2 * 10**9))
    device = open_device()
    assert str(DeviceExecutor(device)) == "NumPy's stand-in, 2.0 GB free"
    assert os.environ["CUPY_TF32"] == "0"


class Miscounting(StandIn):
    """One pair is counted twice, in place of another."""

    def bincount(self, x: np.ndarray, minlength: int) -> np.ndarray:
        """Counts, of which one is moved."""
        counts = super().bincount(x, minlength)
        place = int(np.asarray(counts)[:-1].argmax())
        counts[place], counts[place - 1] = counts[place] - 1, counts[place - 1] + 1
        return counts


class Losing(StandIn):
    """One pair is not counted."""

    def bincount(self, x: np.ndarray, minlength: int) -> np.ndarray:
        """Counts, of which one is too small."""
        counts = super().bincount(x, minlength)
        counts[int(np.asarray(counts)[:-1].argmax())] -= 1
        return counts


@pytest.mark.parametrize(
    ("library", "line"),
    [
        (
            Shortened,
            r"engine: stand-in errs by \d\.\de-0\d in float32 products, beyond 4\.2e-06: TF32, or less",
        ),
        (Miscounting, "engine: stand-in counts other pairs than the processor; accepted: engine=cpu"),
    ],
)
def test_a_device_that_is_not_exact_is_refused(library: type[StandIn], line: str) -> None:
    """Products of ten bits, and counts that are not the processor's, end before anything is scored."""
    with pytest.raises(SpecError, match=line):
        refuse_inexact(device_of(library()))


@pytest.mark.parametrize(
    ("library", "line"),
    [
        (Shortened, "engine: stand-in erred beyond 4.1e-06 in a product; accepted: engine=cpu"),
        (Losing, "engine: stand-in did not count every pair; accepted: engine=cpu"),
    ],
)
def test_a_device_that_errs_later_ends_the_audit(library: type[StandIn], line: str) -> None:
    """What passed the test and errs afterwards is noticed at the pairs that are scored here, and at the counts."""
    with pytest.raises(UnfinishedError, match=line):
        score(people(), N, CELLS, DeviceExecutor(device_of(library())))


class Failing(StandIn):
    """Its memory is full."""

    def product(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Nothing."""
        raise MemoryError("out of memory")


def test_a_device_that_fails_is_one_line() -> None:
    """An error of the device's library names the device."""
    line = "engine: the device failed .MemoryError: out of memory.; accepted: fewer threads, or engine=cpu"
    with pytest.raises(UnfinishedError, match=line):
        score(people(), N, CELLS, DeviceExecutor(device_of(Failing())))


def test_a_score_that_is_not_finite_is_refused() -> None:
    """A vector of length zero has no cosine: the screen says so."""
    block = people()
    block.unit[30] = np.nan
    blocks = on_device(device_of(StandIn()), block)
    with pytest.raises(ValueError, match="finite"):
        blocks.screen(slice(0, 2), slice(29, 31), 0.0, np.linspace(-1, 1, 1025), np.zeros(1024, np.int64))


def test_without_cupy_the_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without CuPy the line says what to install."""
    install(monkeypatch, None)
    with pytest.raises(
        SpecError, match=r"engine: CuPy cannot be imported .*; accepted: pip install 'frtaudit\[gpu\]'"
    ):
        open_device()


def test_without_a_device_the_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """CuPy without a device, or without a driver, is one line."""

    def broken(_: int) -> None:
        raise RuntimeError("no driver")

    runtime = SimpleNamespace(getDeviceProperties=broken)
    install(monkeypatch, SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
    with pytest.raises(SpecError, match="engine: CuPy sees no device .no driver.; accepted: engine=cpu"):
        open_device()


def test_a_tile_is_screened_as_a_run_is() -> None:
    """One tile scanned again, for a batch of comparisons that do not fit, has the pairs of the processor."""
    block = people()
    context = PassContext(
        block=block, layout=layout_of(N, 15), subject_of=np.repeat(np.arange(20), 3).astype(np.int32),
        cells=np.zeros(60, dtype=np.int32), edges=edges_over(COSINE_RANGE), threads=1,
    )  # fmt: skip
    there = replace(context, block=on_device(device_of(StandIn()), block))
    here, device = (pair_scan.scan_tile(each, 0, 3, 0.1) for each in (context, there))
    assert here.i.size
    assert bits(here) == bits(device)
