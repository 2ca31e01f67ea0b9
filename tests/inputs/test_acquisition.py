import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.comparisons import Comparisons
from frtaudit.core.spec import FailureScore
from frtaudit.inputs.acquisition import acquired_rows, table_of, usual_range, with_failed

FAILED = {1: "no_face", 3: "blurred"}


def listed() -> Comparisons:
    """Four pairs of five samples."""
    return Comparisons(
        all_pairs=False, probe=np.int32([0, 1, 0, 3]), reference=np.int32([2, 0, 3, 1]),
        mated=np.zeros(4, dtype=np.bool_), cells=np.zeros(5, dtype=np.int32),
    )  # fmt: skip


def tenths(probe: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """A scorer that must not see failed samples."""
    assert not set(FAILED) & {*probe.tolist(), *reference.tolist()}
    return (probe + reference) / 10


def test_failed_samples_fail_their_comparisons() -> None:
    """The code is the probe's, else the reference's; the rest has a score rounded to float32."""
    table = table_of(tenths, listed(), FAILED, (-1.0, 1.0), FailureScore.APART)
    assert [table.codes[code] if code >= 0 else None for code in table.failure] == [
        None,
        "no_face",
        "blurred",
        "blurred",
    ]
    assert table.score[0] == float(np.float32(0.2))
    assert (
        table_of(tenths, listed(), FAILED, (-1.0, 1.0), FailureScore.SCORE_ZERO).score[1:].tolist()
        == [-1.0] * 3
    )


def test_without_failures_there_are_no_codes() -> None:
    """A table of scores alone names no code."""
    table = table_of(lambda probe, _: probe / 2, listed(), {}, (0.0, 2.0), FailureScore.APART)
    assert table.codes == ()
    assert table.score.tolist() == [0, 0.5, 0, 1.5]


@given(st.sets(st.integers(0, 9)), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_failed_samples_score_the_lowest(failed: set[int], a: int, b: int, c: int, d: int) -> None:
    """Every block of the scorer of all samples is that block of the whole matrix with failed rows and columns low."""
    rows = acquired_rows(10, dict.fromkeys(failed, "x"))
    whole = np.add.outer(np.arange(10.0), np.arange(10.0))
    part = whole[np.ix_(rows, rows)]
    whole[list(failed), :] = whole[:, list(failed)] = -1
    first, second = slice(min(a, b), max(a, b)), slice(min(c, d), max(c, d))
    assert np.array_equal(
        with_failed(lambda x, y: part[x, y], rows, -1.0)(first, second), whole[first, second]
    )


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.1, 1.0], (0, 1)),
        ([-0.1, 0.5], (-1, 1)),
        ([5.0, 80.0], (0, 100)),
        ([-9.0, 2.0], (-9, 2)),
        ([7e9], (7e9, 7e9 + 1)),
        ([], (0, 1)),
    ],
)
def test_the_usual_range_holds_the_scores(scores: list[float], expected: tuple[float, float]) -> None:
    """The first usual range that fits, else the extremes, never without width."""
    assert usual_range(np.array(scores, dtype=np.float64)) == expected
