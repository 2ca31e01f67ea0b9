"""The context of a pass over all pairs, and the executor that does its jobs: threads here, or processes anywhere."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from frtaudit.core.arrays import Floats, Index
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.stats.similarity.scorers import BlockScorer
from frtaudit.stats.similarity.tiles import Layout, in_order

Job = TypeVar("Job")
Done = TypeVar("Done")


class Executor(Protocol):
    """Does ``work(context, job)`` for every job, and gives the results in the order of the jobs.

    ``together``: so many jobs in a row may be handed over as one block, where handing over costs; ``progress`` hears
    of each job called ``what``. ``work`` is a module's function, or a ``partial`` of one, that touches nothing else:
    it may run in another process, and a second time when a process dies.
    """

    def __call__(
        self,
        work: "Callable[[PassContext, Job], Done]",
        context: "PassContext",
        jobs: Sequence[Job],
        *,
        together: int = 1,
        progress: Progress = quiet,
        what: str = "",
    ) -> Iterator[Done]:
        """The results."""


def by_threads(
    work: "Callable[[PassContext, Job], Done]",
    context: "PassContext",
    jobs: Sequence[Job],
    *,
    together: int = 1,  # noqa: ARG001  executors share a signature; a thread is handed a job for nothing
    progress: Progress = quiet,
    what: str = "",
) -> Iterator[Done]:
    """The executor of one machine: the context's threads."""
    return in_order(partial(work, context), jobs, context.threads, progress, what)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassContext:
    """What a pass runs over: ``subject_of`` (N,), ``cells`` (N,): the cell of each sample, and the histogram's edges.

    ``executor`` does the passes over all pairs; what is small, ``threads`` do here.
    """

    block: BlockScorer
    layout: Layout
    subject_of: Index
    cells: Index
    edges: Floats
    threads: int
    progress: Progress = quiet
    executor: Executor = by_threads
