"""The passes of one audit over all pairs on Dask (extra ``dask``): the same blocks, added in the same order.

A worker gets the templates once, then blocks of jobs; it gives histograms and kept comparisons back, never scores. A
block whose worker died is done again by another. Results are taken in the order of the jobs, each once: what happens
to the workers changes no bit.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from logging import CRITICAL
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from frtaudit.core.machine import signals
from frtaudit.core.machine.children import no_modules_of_the_folder
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec import Engine
from frtaudit.errors import ClusterError, SpecError
from frtaudit.stats.similarity.device import DeviceExecutor, open_device
from frtaudit.stats.similarity.executor import Executor, PassContext, by_threads
from frtaudit.stats.similarity.tiles import cores

if TYPE_CHECKING:
    from distributed import Client, Future

Job = TypeVar("Job")
Done = TypeVar("Done")
Work = Callable[[PassContext, Job], Done]

LOCAL = "local"
WHERE = f"{LOCAL}, a scheduler's address such as tcp://host:8786, or the file that it wrote"
PACKAGES = ("frtaudit", "numpy", "numba", "llvmlite")  # what decides a score's bits, beside the processor
CONNECT = 10.0  # seconds that a scheduler may take to answer
PATIENCE = 60.0  # seconds without any worker
LOOK = 1.0  # seconds between two looks at the workers while a block is awaited
AHEAD = 8  # blocks handed over ahead, beside two for each thread of the workers
REFRESH = 32  # blocks after which those threads are counted again: workers may have come

FRUGAL = {  # local workers show no page, and are neither profiled nor looked at fifty times a second
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
}


@contextmanager
def executor_of(where: str | None, threads: int = 0, engine: Engine = Engine.CPU) -> Iterator[Executor]:
    """Who does the passes over all pairs: threads here (None), processes here (``local``), or a scheduler's workers.

    ``where`` is the scheduler's address, or the file that ``dask scheduler --scheduler-file`` wrote; ``threads``: local
    processes, 0 = one per core. ``engine``: what multiplies for the threads here.
    Raises :class:`SpecError` without the extra that it takes, for a place that is none, or a device that is not exact,
    :class:`ClusterError` for a scheduler that does not answer, that has no worker, or one of other versions.

    >>> with executor_of(None) as executor:
    ...     executor is by_threads
    True
    """
    if where is None:
        yield by_threads if engine is Engine.CPU else DeviceExecutor(open_device())
        return
    if engine is not Engine.CPU:
        raise SpecError("engine", f"found {engine.value} together with dask", "one of the two")
    try:
        import distributed  # noqa: F401  asked for before a cluster is made
    except ModuleNotFoundError:
        raise SpecError("dask", "Dask is not installed", "pip install 'frtaudit[dask]'") from None
    with _address(where, threads) as address, _client(where, address) as client:
        executor = DaskExecutor(client)
        executor.await_workers()
        _refuse_other_versions(client)
        yield executor


def check_place(where: str) -> None:
    """Raise :class:`SpecError` for what is neither ``local`` nor an address, and no file that is there."""
    if where != LOCAL and "://" not in where and not Path(where).is_file():
        raise SpecError("dask", f"found {where!r}", WHERE)


@contextmanager
def _address(where: str, threads: int) -> Iterator[dict[str, str]]:
    """How to reach the scheduler that is named, or one that lives as long as this context."""
    from dask import config
    from distributed import LocalCluster

    if where == LOCAL:
        workers = {"n_workers": threads or cores(), "threads_per_worker": 1, "memory_limit": None}
        page = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
        quietly = {"host": "127.0.0.1", "silence_logs": CRITICAL}  # what matters comes as an error of ours
        with config.set(FRUGAL), no_modules_of_the_folder():
            try:
                cluster = LocalCluster(**workers, **page, **quietly)
            except RuntimeError as error:
                text = f"the workers of this machine did not start: {error}"
                raise ClusterError("dask", text, "fewer of them: threads=1; or no dask=local") from error
            with cluster:
                yield {"address": cluster.scheduler_address}
    elif "://" in where:
        yield {"address": where}
    else:
        check_place(where)
        yield {"scheduler_file": where}


@contextmanager
def _client(where: str, address: dict[str, str]) -> Iterator["Client"]:
    from distributed import Client

    try:
        client = Client(**address, timeout=CONNECT, set_as_default=False, direct_to_workers=True)
    except (OSError, ValueError) as error:
        text = f"no scheduler answers at {where}"
        raise ClusterError("dask", text, "a running `dask scheduler`") from error
    with client:
        yield client


def _refuse_other_versions(client: "Client") -> None:
    """Ask every worker for its version of frtaudit, in words that any worker understands."""
    expected = version("frtaudit")
    for worker, actual in sorted(client.run(version, "frtaudit", on_error="return").items()):
        if actual != expected:
            text = "no frtaudit" if isinstance(actual, PackageNotFoundError) else f"frtaudit {actual}"
            raise ClusterError("dask", f"the worker {worker} runs {text}", f"frtaudit {expected}, as here")


@cache
def kind() -> str:
    """What decides the bits of a score on this machine: versions, the processor, and how BLAS uses it."""
    from llvmlite.binding import get_host_cpu_name
    from threadpoolctl import threadpool_info

    loaded = [library for library in threadpool_info() if library["user_api"] == "blas"]
    numpys = [library for library in loaded if "numpy" in library["filepath"]] or loaded
    blas = sorted({f"{library['internal_api']} for {library.get('architecture')}" for library in numpys})
    packages = [f"{name} {version(name)}" for name in PACKAGES]
    return ", ".join([*packages, os.environ.get("NUMBA_CPU_NAME") or get_host_cpu_name(), *blas])


@cache
def _one_blas_thread() -> None:
    """Hold BLAS to one thread for the life of this worker: its tasks may run side by side."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="blas")


def run_block(
    work: "Work[Job, Done]", context: PassContext, jobs: Sequence[Job], expected: str
) -> list[Done]:
    """What a worker does: ``work`` for some jobs in a row; :class:`ClusterError` on another kind of machine."""
    _one_blas_thread()
    if kind() != expected:
        raise ClusterError("dask", f"a worker runs {kind()}; its scores may differ in the last bit", expected)
    return [work(context, job) for job in jobs]


@dataclass(slots=True)
class DaskExecutor:
    """The workers of a scheduler as a :class:`Executor`."""

    client: "Client"
    patience: float = PATIENCE
    sent: "tuple[PassContext, Future] | None" = field(default=None, init=False)

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
        """Results in the order of ``jobs``; blocks of ``together`` jobs."""
        blocks = [jobs[first : first + together] for first in range(0, len(jobs), together)]
        with _as_lines():
            results = (done for block in self._blocks(work, context, blocks) for done in block)
            for _ in progress(jobs, what):
                yield next(results)

    def await_workers(self) -> None:
        """Wait for the first worker; raises :class:`ClusterError` where none comes."""
        try:
            self.client.wait_for_workers(1, timeout=self.patience)
        except TimeoutError as error:
            text = f"the scheduler has had no worker for {self.patience:g} s"
            raise ClusterError("dask", text, "a running `dask worker`") from error

    def _blocks(
        self, work: "Work[Job, Done]", context: PassContext, blocks: Sequence[Sequence[Job]]
    ) -> Iterator[list[Done]]:
        """The results of blocks in their order, some of them ahead."""
        inputs, task = self._context(context), self._everywhere(work)
        todo, waiting, ahead = iter(blocks), deque["Future"](), 0
        for number in range(len(blocks)):
            if number % REFRESH == 0:
                ahead = AHEAD + 2 * sum(self.client.nthreads().values())
            for block in islice(todo, max(ahead - len(waiting), 0)):
                waiting.append(self.client.submit(run_block, task, inputs, block, kind(), pure=False))
            yield self._result(waiting.popleft())

    def _result(self, block: "Future") -> list[Done]:
        while True:
            signals.check()
            try:
                block.exception(timeout=LOOK)  # waits, and fetches nothing yet
                done: list[Done] = block.result(timeout=self.patience)
            except TimeoutError:
                if not self.client.nthreads():
                    self.await_workers()
            else:
                return done

    def _context(self, context: PassContext) -> "Future":
        """The context on all workers: sent once, kept until another comes."""
        if self.sent is None or self.sent[0] is not context:
            self.sent = None
            self.sent = context, self._everywhere(replace(context, progress=quiet, executor=by_threads))
        return self.sent[1]

    def _everywhere(self, value: object) -> "Future":
        return self.client.scatter(value, broadcast=True, hash=False)


@contextmanager
def _as_lines() -> Iterator[None]:
    """What Dask raises when it gives up, as one line each."""
    from distributed import KilledWorker

    try:
        yield
    except KilledWorker as error:
        workers = error.allowed_failures + 1
        text = f"one block was lost with {workers} worker{'s' * (workers > 1)}"
        raise ClusterError("dask", text, "workers with more memory, or the log of one") from error
    except (CancelledError, OSError) as error:
        text = f"the scheduler was lost, or all workers with what they held ({type(error).__name__}: {error})"
        raise ClusterError("dask", text, "repeat the command") from error
