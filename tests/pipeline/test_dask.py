"""The blocks of an audit on Dask: the bits of the threads whatever happens to the workers, and one line else."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import chdir
from dataclasses import fields, replace
from functools import cache
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from devices import StandIn, install
from small_audits import spec

from frtaudit.core import Groups, ScoreTail
from frtaudit.core.identity import to_plain
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec import Engine
from frtaudit.core.spec_values import COSINE_RANGE
from frtaudit.errors import ClusterError, SpecError
from frtaudit.pipeline import dask
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.dask import DaskExecutor, executor_of
from frtaudit.stats.bootstrap.rescored_batches import Rescoring, batches
from frtaudit.stats.similarity import allpairs, pair_scan
from frtaudit.stats.similarity.allpairs import ScoredTail, TailRequest, score_all_pairs
from frtaudit.stats.similarity.device import DeviceBlocks, DeviceExecutor
from frtaudit.stats.similarity.executor import Executor, by_threads
from frtaudit.stats.similarity.scorers import BlockScorer, cosine_blocks
from frtaudit.stats.similarity.tiles import layout_of

EACH, DIMENSION = 4, 16
BELOW = (-0.9, -0.2)  # fixed thresholds below the floor: a second pass


@pytest.fixture(scope="module")
def executor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskExecutor]:
    """Three worker processes on this machine, started in a folder whose files would end them."""
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("started_here")
    for name in ("multiprocessing", "importlib", "distributed"):
        (folder / f"{name}.py").write_text("raise ImportError('of the working folder')\n")
    with chdir(folder), executor_of("local", 3) as made:
        assert isinstance(made, DaskExecutor)
        yield made


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every job is a block of its own."""
    monkeypatch.setattr(pair_scan, "TOGETHER", 1)


@cache
def people(subjects: int) -> BlockScorer:
    """Templates of people with four samples each."""
    rng = np.random.default_rng(5)
    vectors = np.repeat(rng.normal(size=(subjects, DIMENSION)), EACH, axis=0)
    vectors += 0.7 * rng.normal(size=vectors.shape)
    return cosine_blocks(vectors.astype(np.float32))


def scored(
    block: BlockScorer,
    subjects: int,
    executor: Executor,
    progress: Progress = quiet,
    thresholds: tuple[float, ...] = (),
) -> ScoredTail:
    """The tail of some people, as ``executor`` scores them, and what scores them again."""
    return score_all_pairs(
        block, n_samples=np.full(subjects, EACH), rows=np.arange(EACH * subjects, dtype=np.int32),
        cells=np.zeros(subjects, dtype=np.int32), score_range=COSINE_RANGE,
        groups=Groups(schemas=(), names=(), of=np.empty((0, subjects), dtype=np.int32), ranked=()),
        request=TailRequest(fmr=0.01, thresholds=thresholds, threads=1, executor=executor, progress=progress),
    )  # fmt: skip


def score(block: BlockScorer, subjects: int, executor: Executor, progress: Progress = quiet) -> ScoreTail:
    """Their tail."""
    return scored(block, subjects, executor, progress).tail


def bits(value: object) -> list[bytes]:
    """Every array below a frozen value, as bytes."""
    found = [getattr(value, field.name) for field in fields(value)]  # type: ignore[arg-type]
    arrays = [item.tobytes() for item in found if isinstance(item, np.ndarray)]
    return arrays + [part for item in found if hasattr(item, "__dataclass_fields__") for part in bits(item)]


def waiting_below_the_first(block: BlockScorer, log: Path, until: Path) -> BlockScorer:
    """A scorer whose workers wait, except for the first 512 samples, until there is a file; notes each of its calls."""
    here = os.getpid()

    def scored(rows: slice, columns: slice) -> np.ndarray:
        while os.getpid() != here and rows.start and not until.exists():
            time.sleep(0.01)
        with log.open("a") as lines:
            lines.write(f"{rows.start} {columns.start} {os.getpid()}\n")
        return np.array(block(rows, columns))

    return scored


def killer(executor: DaskExecutor, killed: list[int], then: Path) -> Progress:
    """Kills a worker that is at work, once the first results are there, and makes a file."""
    pids = executor.client.run(os.getpid)

    def progress(items: Sequence[Any], what: str) -> Iterator[Any]:
        for number, item in enumerate(items):
            if number == 1 and what == "scoring":
                busy: list[str] = []
                while not busy:  # until the scheduler has handed out the blocks that wait for the file
                    busy = [worker for worker, keys in executor.client.processing().items() if keys]
                killed.append(pids[busy[0]])
                os.kill(pids[busy[0]], signal.SIGKILL)
                then.touch()
            yield item

    return progress


@pytest.mark.slow
@pytest.mark.usefixtures("small_blocks")
def test_workers_give_the_bits_of_threads(executor: DaskExecutor) -> None:
    """Tail, histogram, sums below the floor and batches below it are those of the threads, bit for bit."""
    block = people(600)
    both = [scored(block, 600, who, thresholds=BELOW) for who in (by_threads, executor)]
    one, other = (scores.tail for scores in both)
    assert one.rescored is not None
    assert 0 < one.tail_score.size < one.histogram.sum()
    assert bits(one) == bits(other)
    bounds = np.array([[-0.5, -0.4], [0.0, 0.1]])
    parts = [
        list(batches(Rescoring(context=scores.context, capacity=100_000), bounds, 10**6))
        for scores in both
        if scores.context is not None
    ]
    assert [bits(part) for part in parts[0]] == [bits(part) for part in parts[1]]


@pytest.mark.slow
@pytest.mark.usefixtures("small_blocks")
def test_a_killed_worker_changes_no_bit(executor: DaskExecutor, tmp_path: Path) -> None:
    """A worker that is killed at its work: its blocks are done again by others, and the result is the same."""
    expected = score(people(320), 320, by_threads)
    log, done, killed = tmp_path / "log", tmp_path / "killed", list[int]()
    waiting = waiting_below_the_first(people(320), log, done)
    found = score(waiting, 320, executor, killer(executor, killed, done))
    assert len(killed) == 1
    assert killed[0] not in executor.client.run(os.getpid).values()
    assert {int(line.split()[2]) for line in log.read_text().splitlines()} - {os.getpid()} - set(killed)
    assert bits(found) == bits(expected)


def test_an_audit_is_the_same_bytes(executor: DaskExecutor, tmp_path: Path) -> None:
    """Where an audit's pairs are scored is no part of it: the same result and tables from a scheduler's file."""
    where = tmp_path / "scheduler.json"
    where.write_text(json.dumps({"address": executor.client.scheduler.address}))
    expected, found = audit(spec()), audit(spec(dask=str(where)))
    assert found.result.to_bytes() == expected.result.to_bytes()
    for name, tables in expected.tables.items():
        assert all(one.equals(other) for one, other in zip(tables, found.tables[name], strict=True))


def test_a_scheduler_has_an_address(executor: DaskExecutor) -> None:
    """The address leads to the same workers."""
    with executor_of(executor.client.scheduler.address) as made:
        assert isinstance(made, DaskExecutor)
        assert made.client.run(os.getpid) == executor.client.run(os.getpid)


@pytest.mark.slow
def test_an_error_of_the_scorer_is_the_scorers(executor: DaskExecutor) -> None:
    """What a scorer raises in a worker arrives as it was raised."""

    def broken(rows: slice, columns: slice) -> np.ndarray:
        if rows.start != columns.start:
            raise ValueError("no such pair")
        return np.zeros((rows.stop - rows.start, columns.stop - columns.start))

    with pytest.raises(ValueError, match="no such pair"):
        score(broken, 200, executor)


def test_another_kind_of_machine_is_refused(executor: DaskExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker whose versions or processor are not ours gives no score: the last bit could differ."""
    monkeypatch.setattr(dask, "kind", lambda: "numpy 1.0")
    with pytest.raises(ClusterError, match=r"dask: a worker runs frtaudit .*; accepted: numpy 1.0"):
        score(people(20), 20, executor)


def test_a_block_that_kills_its_workers_is_named(executor: DaskExecutor) -> None:
    """A block that takes workers down with it ends the audit with a line."""
    here = os.getpid()

    def deadly(rows: slice, columns: slice) -> np.ndarray:
        if os.getpid() != here:
            os._exit(1)
        return np.zeros((rows.stop - rows.start, columns.stop - columns.start))

    def allow(failures: int, dask_scheduler: Any = None) -> None:
        dask_scheduler.allowed_failures = failures

    executor.client.run_on_scheduler(allow, 0)
    with pytest.raises(ClusterError, match="dask: one block was lost with 1 worker; accepted: workers with"):
        score(deadly, 20, executor)
    executor.client.run_on_scheduler(allow, 3)


@pytest.mark.usefixtures("small_blocks")
def test_nobody_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """When all workers are gone, and what they held with them, a line says so; it waits for others, not for ever."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(dask, "LOOK", 0.1)
    monkeypatch.setattr(dask, "_one_blas_thread", lambda: None)  # these workers are threads of this process

    def slow(rows: slice, columns: slice) -> np.ndarray:
        time.sleep(0.1)
        return np.zeros((rows.stop - rows.start, columns.stop - columns.start))

    def leaving(items: Sequence[Any], what: str) -> Iterator[Any]:
        for number, item in enumerate(items):
            if number == 1 and what == "scoring":
                cluster_here.sync(cluster_here.workers[0].close, nanny=False)
            yield item

    options = {"processes": False, "n_workers": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options) as cluster_here, distributed.Client(cluster_here) as client:
        executor = DaskExecutor(client, patience=0.5)
        with pytest.raises(
            ClusterError, match=r"dask: the scheduler was lost, or all workers with what they"
        ):
            score(slow, 320, executor, leaving)
        with pytest.raises(ClusterError, match=r"dask: the scheduler has had no worker for 0\.5 s"):
            executor.await_workers()


def test_no_scheduler_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler that does not answer, and a place that is none, are named."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask, "CONNECT", 0.5)
    with (
        pytest.raises(ClusterError, match="dask: no scheduler answers at tcp://127.0.0.1:9"),
        executor_of("tcp://127.0.0.1:9"),
    ):
        pass
    with (
        pytest.raises(SpecError, match=r"dask: found 'here'; accepted: local, a scheduler's address"),
        executor_of("here"),
    ):
        pass


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Dask the line says what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(
            SpecError, match=r"dask: Dask is not installed; accepted: pip install 'frtaudit\[dask\]'"
        ),
        executor_of("local"),
    ):
        pass


@pytest.mark.parametrize(
    ("found", "said"), [("0.0.9", "frtaudit 0.0.9"), (PackageNotFoundError(), "no frtaudit")]
)
def test_a_worker_of_another_version_is_refused(found: object, said: str) -> None:
    """A worker with another frtaudit, or none, is named before anything is scored."""
    own = dask.version("frtaudit")
    client = SimpleNamespace(run=lambda *_, **__: {"tcp://a:1": own, "tcp://b:2": found})
    with pytest.raises(
        ClusterError, match=f"dask: the worker tcp://b:2 runs {said}; accepted: frtaudit {own}"
    ):
        dask._refuse_other_versions(client)


def test_threads_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody asks for Dask it is not asked for, and the spec's identity does not know of it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with executor_of(None) as made:
        assert made is by_threads
    assert to_plain(spec(dask="local")) == to_plain(spec())


def test_the_threads_can_use_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``engine=gpu`` the threads have a device; beside Dask it is refused; the identity does not know of it."""
    install(monkeypatch, StandIn())
    with executor_of(None, 1, Engine.GPU) as made:
        assert isinstance(made, DeviceExecutor)
    with pytest.raises(SpecError, match="engine: found gpu together with dask; accepted: one of the two"):
        audit(spec(dask="local", engine=Engine.GPU))
    assert to_plain(spec(engine=Engine.GPU)) == to_plain(spec())


@pytest.mark.slow
def test_an_audit_with_a_device_is_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What multiplies is no part of an audit: the same result and tables, every pair of two strips screened there."""
    install(monkeypatch, StandIn())
    monkeypatch.setattr(allpairs, "layout_of", lambda n: layout_of(n, 16))
    plain, blocks = spec("error_rates", "differentials"), []
    screened = DeviceBlocks.screen

    def noted(self: DeviceBlocks, rows: slice, columns: slice, *rest: Any) -> Any:
        blocks.append((rows, columns))
        return screened(self, rows, columns, *rest)

    expected = audit(plain)
    monkeypatch.setattr(DeviceBlocks, "screen", noted)
    tried = audit(replace(plain, engine=Engine.GPU))
    assert len(blocks) > 2
    assert tried.result.to_bytes() == expected.result.to_bytes()
    for name, tables in expected.tables.items():
        assert all(one.equals(other) for one, other in zip(tables, tried.tables[name], strict=True))


def test_workers_that_do_not_start_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Dask raises where a process of this machine does not come up is an error of ours."""
    distributed = pytest.importorskip("distributed")

    def no_cluster(**_: object) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", no_cluster)
    with pytest.raises(ClusterError, match="did not start: Nanny failed to start"), executor_of("local", 1):
        pass
