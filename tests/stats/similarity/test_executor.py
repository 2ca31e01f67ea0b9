"""The context of a pass and its executor: the work sees the context, results come in the order of the jobs."""

from dataclasses import replace

import numpy as np
import pytest

from frtaudit.core.machine.progress import quiet
from frtaudit.stats.similarity.executor import PassContext, by_threads
from frtaudit.stats.similarity.tiles import layout_of

CONTEXT = PassContext(
    block=lambda a, b: np.zeros((a.stop - a.start, b.stop - b.start)), layout=layout_of(np.array([2])),
    subject_of=np.zeros(2, np.int32), cells=np.zeros(2, np.int32), edges=np.array([0.0, 1.0]), threads=1,
)  # fmt: skip


@pytest.mark.parametrize(("threads", "together"), [(1, 1), (3, 4)])
def test_threads_do_the_jobs_in_their_order(threads: int, together: int) -> None:
    """Every job is done once with the context, and given back in its place, however many are handed over at once."""
    context = replace(CONTEXT, threads=threads)
    found = by_threads(lambda inputs, job: (inputs.threads, -job), context, range(9), together=together)
    assert list(found) == [(threads, -job) for job in range(9)]


def test_threads_are_the_crew_unless_another_is_named() -> None:
    """A context without a word about it is scored here, and tells nobody."""
    assert CONTEXT.executor is by_threads
    assert CONTEXT.progress is quiet
