"""The layout of all-pairs scoring: samples cut into parts, parts paired into tiles, tiles dealt to threads."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.machine import signals
from frtaudit.core.machine.blas import one_thread
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.stats.similarity.scorers import BlockScorer

Job = TypeVar("Job")
Done = TypeVar("Done")

PART = 512  # samples: a tile of 2 MB of float64 stays in the second-level cache
RUN = 16  # tiles in one job


@dataclass(frozen=True, slots=True)
class Layout:
    """Parts of at most ``PART`` samples, and strips: runs of parts that hold whole subjects.

    ``starts`` (parts + 1,): first sample of each part. ``part_ranges``: (first part, end part) of each strip; it
    is one part with whole subjects, or all the parts of one subject with more samples than fit. So the
    comparisons of two subjects lie in the tiles of one pair of strips. ``strip_of`` (parts,): the strip of
    each part.
    """

    starts: Ints
    part_ranges: tuple[tuple[int, int], ...]
    strip_of: Ints

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return self.strip_of.size

    def samples(self, part: int) -> slice:
        """The samples of a part."""
        return slice(int(self.starts[part]), int(self.starts[part + 1]))

    def tile(self, block: BlockScorer, row: int, column: int) -> Floats:
        """Scores of part ``row`` against part ``column``: a tile and its mirror image come from one computation."""
        first, second = min(row, column), max(row, column)
        scores = block(self.samples(first), self.samples(second))
        if not np.isfinite(scores.sum()):
            raise ValueError("a block scorer gives finite scores only")
        return np.ascontiguousarray(scores if row <= column else scores.T)

    def jobs(self) -> list[tuple[int, int, int]]:
        """(row part, first column part, end column part) of the upper triangle, by row and then by column."""
        count = self.n_parts
        return [(r, c, min(c + RUN, count)) for r in range(count) for c in range(r, count, RUN)]


def layout_of(n_samples: Ints, size: int = PART) -> Layout:
    """Cut the samples of subjects with ``n_samples`` (K,) samples into parts.

    >>> layout_of(np.array([2, 1, 5, 3]), size=4).starts.tolist()
    [0, 3, 5, 8, 11]
    """
    starts, strips, filled = [0], [], 0
    for count in (int(n) for n in n_samples if n > 0):
        if filled and filled + count > size:
            strips.append((len(starts) - 1, len(starts)))
            starts.append(starts[-1] + filled)
            filled = 0
        if count > size:
            pieces = -(-count // size)
            strips.append((len(starts) - 1, len(starts) - 1 + pieces))
            base = starts[-1]
            starts += [base + count * (piece + 1) // pieces for piece in range(pieces)]
        else:
            filled += count
    if filled:
        strips.append((len(starts) - 1, len(starts)))
        starts.append(starts[-1] + filled)
    strip_of = np.repeat(np.arange(len(strips)), [end - first for first, end in strips])
    return Layout(np.asarray(starts, dtype=np.int64), tuple(strips), strip_of.astype(np.int64))


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    work: Callable[[Job], Done], jobs: Sequence[Job], threads: int, progress: Progress = quiet, what: str = ""
) -> Iterator[Done]:
    """Results of ``work`` in the order of ``jobs``, from ``threads`` threads (0: one per core); BLAS keeps to one.

    ``progress`` hears of each job called ``what``, from the caller's thread. A signal ends the jobs not begun yet.
    """

    def begun(job: Job) -> Done:
        signals.check()
        return work(job)

    count = threads or cores()
    if len(jobs) == 1:  # no thread for what needs none: Python waits for ever for one that gets no memory
        with one_thread():
            yield from map(begun, progress(jobs, what))
        return
    from concurrent.futures import ThreadPoolExecutor

    with one_thread(), ThreadPoolExecutor(count) as pool:
        results = pool.map(begun, jobs)
        for _ in progress(jobs, what):
            yield next(results)


def by_many(work: Callable[[Job], Done], jobs: Sequence[Job], threads: int) -> list[Done]:
    """The same of jobs that multiply no matrices and take no time worth to be told: one thread starts none."""
    count = min(threads or cores(), len(jobs))
    if count < 2:
        return list(map(work, jobs))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, jobs))
