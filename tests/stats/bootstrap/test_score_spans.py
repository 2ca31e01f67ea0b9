from itertools import pairwise

import numpy as np
import oracles_resample as slow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.spec import Plan
from frtaudit.stats.bootstrap import score_spans, sorted_comparisons
from frtaudit.stats.bootstrap.kernel_arrays import Limits
from frtaudit.stats.bootstrap.plans import rows_of
from frtaudit.stats.similarity.tail import no_groups


def walk_of(world: slow.World, chunk: int) -> sorted_comparisons.SortedComparisons:
    """Non-mated comparisons of a world, in short chunks."""
    rows = rows_of(world.tail, Plan.IMAGES).non_mated
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_comparisons, "CHUNK", chunk)
        return sorted_comparisons.non_mated_comparisons(
            world.tail, world.groups, np.array([], dtype=np.int64), (rows, rows)
        )


@given(
    world=st.one_of(slow.worlds(), slow.listed_worlds()), chunk=st.integers(1, 9),
    ranks=st.lists(st.integers(0, 99), max_size=3), rows=st.sampled_from([0, 20_000]),
)  # fmt: skip
def test_spans_hold_the_comparisons_of_their_chunks(
    world: slow.World, chunk: int, ranks: list[int], rows: int
) -> None:
    """Spans cover the walk; a bucket is one part, a first row one run of it, together a span; last spans none."""
    walk = walk_of(world, chunk)
    alike = np.arange(max(rows, world.tail.subject_of.size)) % 3
    laid = score_spans.spans_of(walk, np.array(ranks, dtype=np.int64), walk.chunk_start[:0], alike)
    assert laid.chunk[0] == 0
    assert laid.chunk[-1] == walk.chunk_start.size - 1
    assert laid.part[-1] == laid.bucket.size == laid.run.size - 1
    assert laid.run[-1] == laid.row.size == laid.start.size - 1
    assert not any(array.flags.writeable for array in laid)
    assert (np.diff(laid.run) > 0).all()
    assert (np.diff(laid.start) > 0).all()
    for span, (low, high) in enumerate(pairwise(walk.chunk_start[laid.chunk])):
        want = sorted(zip(walk.bucket[low:high], walk.first[low:high], walk.second[low:high], strict=True))
        found = [(key, min(pair), max(pair)) for key, *pair in comparisons(laid, span)]
        assert sorted(found) == (want if low < int(1.3 * max(ranks, default=0)) else [])
        parts = range(laid.part[span], laid.part[span + 1])
        runs = [laid.row[laid.run[part] : laid.run[part + 1]].tolist() for part in parts]
        assert np.unique(laid.bucket[parts.start : parts.stop]).size == len(parts)
        assert all(len(set(row)) == len(row) for row in runs)


def comparisons(laid: score_spans.Spans, span: int) -> list[tuple[int, int, int]]:
    """Bucket, first and second row of each comparison of a span, as it is laid out."""
    return [
        (int(laid.bucket[part]), int(laid.base[part] + laid.row[run]), int(laid.base[part]) + int(other))
        for part in range(laid.part[span], laid.part[span + 1])
        for run in range(laid.run[part], laid.run[part + 1])
        for other in laid.rows[laid.start[run] : laid.start[run + 1]]
    ]


def in_order(columns: np.ndarray) -> np.ndarray:
    """Columns sorted by their first row, then by the others."""
    return columns[:, np.lexsort(columns[::-1])]


@given(
    words=st.lists(st.integers(0, 2**40 - 1), max_size=40), low=st.integers(0, 30), bits=st.integers(1, 33)
)
def test_words_are_sorted_by_the_bits_asked_for(words: list[int], low: int, bits: int) -> None:
    """A stable sort by those bits alone, whatever is below and above them."""
    found = score_spans._sorted(np.array(words, dtype=np.int64), low, low + bits).tolist()
    digits = -(-bits // score_spans.DIGIT) * score_spans.DIGIT
    assert found == sorted(words, key=lambda word: word >> low & ((1 << digits) - 1))


def made(size: int, rows: int) -> sorted_comparisons.SortedComparisons:
    """Random comparisons in two buckets and one chunk."""
    rng = np.random.default_rng(size)
    first, second = np.sort(rng.integers(0, rows, (2, size)), axis=0).astype(np.int32)
    none = np.zeros(0, dtype=np.int32)
    return sorted_comparisons.SortedComparisons(
        first=first, second=second, bucket=rng.integers(0, 2, size).astype(np.int32),
        fresh=np.ones(size, dtype=bool), chunk_start=np.array([0, size]), combination=none, coef=np.ones(2),
        group_indices=none.reshape(0, 1), slot=np.zeros((2, 1), dtype=np.int32),
    )  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("size", "rows", "firsts", "seconds"),
    [
        (5_000, 12_288, 1, 1),
        (40_000, 12_288, 3, 1),
        (240_000, 12_288, 3, 2),
        (240_000, 8193, 2, 2),
        (60_000, 70_000, 1, 2),
        (400_000, 70_000, 18, 2),
    ],
)
@pytest.mark.parametrize("kind", [np.uint16, np.int32])
def test_long_spans_are_counted_and_cut_into_blocks(
    size: int, rows: int, firsts: int, seconds: int, kind: type[np.integer]
) -> None:
    """However a span is sorted it holds its comparisons; a part meets one block of second rows, then of first rows."""
    walk = made(size, rows)
    walk = walk._replace(bucket=walk.bucket.astype(kind))
    laid = score_spans.spans_of(walk, np.array([size]), walk.chunk_start[:0], np.ones(rows, dtype=np.int64))
    part = np.repeat(np.arange(laid.bucket.size), np.diff(laid.start[laid.run]))
    run = np.repeat(np.arange(laid.row.size), np.diff(laid.start))
    found = np.array([laid.bucket[part], laid.base[part] + laid.row[run], laid.base[part] + laid.rows])
    np.testing.assert_array_equal(in_order(found), in_order(np.array([walk.bucket, walk.first, walk.second])))
    lengths, blocks = np.minimum(np.diff(laid.start), score_spans.LONG), set()
    for part, (low, high) in enumerate(pairwise(laid.run)):
        first = set((laid.base[part] + laid.row[low:high]) >> score_spans.FIRST)
        assert len(first) == 1 or firsts == 1
        assert firsts == 1 or (np.diff(lengths[low:high]) >= 0).all()
        blocks.add((min(first) if firsts > 1 else 0, laid.base[part]))
    assert len({first for first, _ in blocks}) == firsts
    assert len({base for _, base in blocks}) == seconds
    assert len(laid.bucket) == 2 * len(blocks)


@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "buckets"), [(5_800_000, 1600), (3_300_000, 60_000), (1000, 1500)])
def test_many_rows_and_buckets_fit_a_word(rows: int, buckets: int) -> None:
    """Sets of millions of images, and of subjects of many sizes: every comparison is laid out once."""
    walk = made(4096, rows)._replace(coef=np.ones(buckets))
    walk = walk._replace(bucket=np.random.default_rng(1).integers(0, buckets, 4096).astype(np.uint16))
    laid = score_spans.spans_of(walk, np.array([4096]), walk.chunk_start[:0], np.ones(rows, dtype=np.int64))
    assert sorted(comparisons(laid, 0)) == sorted(zip(walk.bucket, walk.first, walk.second, strict=True))


def test_a_short_span_has_one_part_for_each_bucket() -> None:
    """257 rows take nine bits, so that three buckets need an eleventh."""
    walk = made(300, 257)._replace(bucket=np.arange(300, dtype=np.int32) % 3, coef=np.ones(3))
    laid = score_spans.spans_of(walk, np.array([300]), walk.chunk_start[:0], np.ones(257, dtype=np.int64))
    assert laid.bucket.tolist() == [0, 1, 2]


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [0, 2, 5])
def test_threads_lay_the_same_spans(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans that several threads lay, and classes that they find, are those of one thread."""
    rows = 20_000
    walk = made(240_000, rows)._replace(chunk_start=np.array([0, 10, 900, 90_000, 200_000, 240_000]))
    none, alike = walk.chunk_start[:0], np.ones(rows, dtype=np.int64)
    one = score_spans.spans_of(walk, np.array([180_000]), walk.chunk_start[1:4], alike)
    assert one.part[-1] > one.part[-2] > one.part[1] > 0
    monkeypatch.setattr(score_spans, "MANY", 0)
    several = score_spans.spans_of(walk, np.array([180_000]), walk.chunk_start[1:4], alike, threads)
    assert all(np.array_equal(a, b) for a, b in zip(one, several, strict=True))
    scores = np.random.default_rng(3).random((30, 30))
    tail = slow.from_matrix(np.minimum(scores, scores.T), [str(place // 3) for place in range(30)])
    samples = rows_of(tail, Plan.IMAGES).non_mated
    whole = sorted_comparisons.non_mated_comparisons(tail, no_groups(tail), none, (samples, samples))
    monkeypatch.setattr(sorted_comparisons, "PIECE", 7)
    pieces = sorted_comparisons.non_mated_comparisons(
        tail, no_groups(tail), none, (samples, samples), threads=threads
    )
    assert all(np.array_equal(a, b) for a, b in zip(whole, pieces, strict=True))


@pytest.mark.parametrize(
    ("size", "rows", "buckets", "cut", "parts"),
    [
        (196_608, 16_384, 2, (12, 13, 2, 2, 12), 16),  # six of each of two blocks for a row
        (196_607, 16_384, 2, (12, 16, 1, 2, 13), 8),
        (196_608, 16_384, 512, (0, 13, 2, 512, 0), 1024),  # as many parts as there may be
        (196_608, 16_384, 513, (0, 16, 1, 513, 0), 513),
        (2000, 1000, 8, (12, 16, 1, 8, 10), 8),  # four places of runs for a comparison
        (1999, 1000, 8, (0, 16, 1, 8, 0), 8),
        (25_600, 100, 1024, (12, 13, 1, 1024, 10), 1024),
        (25_625, 100, 1025, (0, 16, 1, 1025, 0), 1025),
        (1_638_600, 8193, 400, (13, 13, 2, 400, 10), 1600),  # 2,400 parts are more than 1,600 pieces
        (2_000_000, 4000, 2000, (0, 16, 1, 2000, 0), 2000),
        (32_768, 4096, 1, (12, 13, 1, 1, 14), 1),  # a part in two pieces, and no longer ones
        (1_000_000, 4096, 1, (12, 13, 1, 1, 14), 1),
    ],
)
def test_a_span_is_cut_by_what_it_holds(
    size: int, rows: int, buckets: int, cut: tuple[int, ...], parts: int
) -> None:
    """Bits of first and second rows, blocks, buckets and bits of a piece, on either side of each limit."""
    assert score_spans._cut_of(size, rows, buckets) == (cut, parts)
    assert [score_spans._blocks(count, 13) for count in (1, 8192, 8193, 16_385)] == [1, 1, 2, 3]


@pytest.mark.compiled
def test_spans_end_near_expected_thresholds_and_double_beyond() -> None:
    """0.3, 1, 3, 10, 30 % to either side of a rank, rounded down; beyond the furthest no runs are laid."""
    walk = made(5000, 40)._replace(chunk_start=np.arange(5001))
    none, alike = walk.chunk_start[:0], np.ones(40, dtype=np.int64)
    laid = score_spans.spans_of(walk, np.array([2000]), none, alike)
    near = [1400, 1800, 1940, 1980, 1994, 2005, 2020, 2060, 2200, 2600]
    assert laid.chunk.tolist() == [0, *near, 5000]
    assert (np.diff(laid.part) > 0).tolist() == [True] * 10 + [False]
    laid = score_spans.spans_of(walk, none, np.array([600]), alike)
    assert laid.chunk.tolist() == [0, 600, 1200, 2400, 4800, 5000]
    assert score_spans.spans_of(walk, none, none, alike).chunk.tolist() == [
        0,
        *(2**n for n in range(1, 13)),
        5000,
    ]


def test_the_row_with_fewer_alike_comes_first() -> None:
    """Where few rows are alike they become first rows of a span that is sorted, so that runs are long."""
    walk = made(14, 30)
    alike = np.where(np.arange(30) < 20, 20, 10)
    laid = score_spans.spans_of(walk, np.array([14]), walk.chunk_start[:0], alike)
    for _, one, other in comparisons(laid, 0):
        assert alike[one] <= alike[other]


def test_expected_ranks_are_those_of_the_data() -> None:
    """Few comparisons are all counted: the ranks are those at which the counts exceed the limits."""
    scores = np.arange(36.0).reshape(6, 6) / 36
    world = slow.World(
        scores, slow.from_matrix(scores, list("abcdef")), no_groups(slow.from_matrix(scores, list("abcdef")))
    )
    walk = walk_of(world, 1)
    limits = Limits(np.array([[[2]], [[7]]]), np.array([[[2.5]], [[7.5]]]), np.zeros(1, np.int32))
    assert score_spans.expected_ranks(walk, limits).tolist() == [2, 7]
