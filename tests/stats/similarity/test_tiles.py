import os
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from frtaudit.stats.similarity.tiles import in_order, layout_of

SIZES = st.lists(st.integers(0, 9), max_size=12)


@given(SIZES)
def test_parts_cover_samples_and_strips_hold_whole_subjects(sizes: list[int]) -> None:
    """Parts are not too large, follow each other to the end, and no subject lies in two strips."""
    layout = layout_of(np.array(sizes, dtype=np.int64), size=4)
    widths = np.diff(layout.starts)
    assert layout.starts[0] == 0
    assert layout.starts[-1] == sum(sizes)
    assert np.all((widths > 0) & (widths <= 4))
    subject = np.repeat(np.arange(len(sizes)), sizes)
    strip = np.repeat(layout.strip_of, widths)
    assert all(len(set(strip[subject == k])) == 1 for k in set(subject))
    for first, end in layout.part_ranges:
        held = subject[layout.starts[first] : layout.starts[end]]
        assert end - first == 1 or len(set(held)) == 1


@given(SIZES)
def test_jobs_visit_the_upper_triangle_once(sizes: list[int]) -> None:
    """Every pair of parts is in one job; rows ascend and columns ascend within a row."""
    layout = layout_of(np.array(sizes, dtype=np.int64), size=2)
    tiles = [(row, column) for row, first, end in layout.jobs() for column in range(first, end)]
    count = layout.n_parts
    assert tiles == [(r, c) for r in range(count) for c in range(r, count)]


def test_a_tile_and_its_mirror_come_from_one_computation() -> None:
    """The lower triangle is the transposed upper one, bit by bit, whatever the scorer does with order."""
    rng = np.random.default_rng(0)
    layout = layout_of(np.array([2, 2, 2]), size=2)
    tile = layout.tile(lambda rows, columns: rng.random((2, 2)) if rows.start > columns.start else ONES, 2, 0)
    np.testing.assert_array_equal(tile, ONES.T)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_are_finite(bad: float) -> None:
    """A scorer that gives no number is stopped at once: nothing is lost from a denominator."""
    layout = layout_of(np.array([2, 2]), size=2)
    with pytest.raises(ValueError, match="finite"):
        layout.tile(lambda *_: np.array([[0.0, bad], [0.0, 0.0]]), 0, 1)


def test_cores_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system knows no affinity, all cores count."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert list(in_order(lambda job: job, [1, 2], 0)) == [1, 2]


ONES = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_results_come_in_order_with_one_blas_thread(threads: int) -> None:
    """Whatever the number of threads, results come in the order of the jobs, and BLAS stays with one thread."""
    seen = set()

    def work(job: int) -> tuple[int, int]:
        seen.add(threading.get_ident())
        return job, max(
            (pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1
        )

    with threadpool_limits(limits=2, user_api="blas"):
        done = list(in_order(work, range(20), threads))
    assert done == [(job, 1) for job in range(20)]
    assert threading.get_ident() not in seen


def test_progress_hears_of_every_job_in_the_callers_thread() -> None:
    """The jobs and their name are handed to ``progress`` outside the pool."""
    heard = []

    def listen(items: Sequence[int], what: str) -> Iterator[int]:
        for item in items:
            heard.append((item, what, threading.get_ident()))
            yield item

    assert list(in_order(lambda job: -job, [1, 2, 3], 2, listen, "things")) == [-1, -2, -3]
    assert heard == [(job, "things", threading.get_ident()) for job in (1, 2, 3)]


def test_one_job_needs_no_thread() -> None:
    """A single job is done by the caller: where memory is short, a thread that gets none is waited for without end."""
    (done,) = in_order(lambda _: threading.get_ident(), [1], 0)
    assert done == threading.get_ident()
