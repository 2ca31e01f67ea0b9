"""Blocks on as many processes as there are cores; a process ends when its parent has ended."""

import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path

from frtaudit.collection.embed.block import Worker
from frtaudit.collection.embed.images import Shot
from frtaudit.collection.embed.spec import EmbedSpec
from frtaudit.core.machine import signals
from frtaudit.core.machine.output import OutputFolder
from frtaudit.errors import ProviderError

_here: dict[str, Worker] = {}  # of a child process: its worker


def block_file(number: int) -> str:
    """The file of a block."""
    return f"{number:07d}.block"


def block_name(run: str, number: int) -> str:
    """What its digest covers besides its content, so that it is no block of another run or place."""
    return f"{run} {number}"


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0))


def write_blocks(
    spec: EmbedSpec, root: str, folder: Path, worker: Worker, blocks: Mapping[int, Sequence[Shot]], run: str
) -> Iterator[int]:
    """Compute blocks and write each into ``folder`` when it is whole; yields their numbers as they come.

    ``run``: digest of its settings and images; ``worker``: of this process, which computes where one process is enough.
    """
    processes = min(spec.workers or cores(), len(blocks))
    if processes <= 1:
        for number, shots in blocks.items():
            write_block(folder, number, worker.block(shots).to_bytes(block_name(run, number)))
            yield number
        return
    spawn = get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=spawn, initializer=_begin, initargs=(spec, root))
    try:
        waiting = [pool.submit(_compute, str(folder), run, number, shots) for number, shots in blocks.items()]
        yield from _as_completed(waiting)
    except BrokenProcessPool:
        text = "a process ended before its images were embedded"
        raise ProviderError("embed", text, "the same command to resume; workers=1 uses less memory") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def write_block(folder: Path, number: int, data: bytes) -> None:
    """The whole file, on disk, or none."""
    OutputFolder(folder).replace(block_file(number), data)


def _as_completed(waiting: Sequence["Future[int]"]) -> Iterator[int]:
    """Numbers as they come; a signal is seen within a fraction of a second."""
    left = set(waiting)
    while left:
        done: set[Future[int]] = set()
        with suppress(TimeoutError):
            for future in as_completed(left, timeout=signals.SLICE):
                done.add(future)
                yield future.result()
        left -= done
        signals.check()


def _begin(spec: EmbedSpec, root: str) -> None:
    """In a child process: signals are the parent's; when it is gone, this process is too."""
    for number in signals.STOPPING:
        signal.signal(number, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    _here["worker"] = Worker(spec, root)


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def _compute(folder: str, run: str, number: int, shots: Sequence[Shot]) -> int:
    write_block(Path(folder), number, _here["worker"].block(shots).to_bytes(block_name(run, number)))
    return number
