from dataclasses import fields
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_rates import World, groups_from, matrices

from frtaudit.core import Groups, NonMatedSums, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.core.spec_values import COSINE_RANGE
from frtaudit.stats.rates.eer import eer
from frtaudit.stats.rates.rates import rates
from frtaudit.stats.rates.sums import BelowFloorError, non_mated_sums
from frtaudit.stats.rates.targets import threshold_at, threshold_at_max_group
from frtaudit.stats.rates.trials import trials
from frtaudit.stats.similarity import allpairs
from frtaudit.stats.similarity.allpairs import PAIR_BYTES, TailRequest, score_all_pairs
from frtaudit.stats.similarity.scorers import cosine_blocks
from frtaudit.stats.similarity.tail import from_listed, from_matrix
from frtaudit.stats.similarity.tiles import layout_of

SUMS = [field.name for field in fields(NonMatedSums)]


def score(
    scores: np.ndarray,
    whole: ScoreTail,
    groups: Groups,
    request: TailRequest,
    part: int = 3,
    all_below: int = 0,
) -> ScoreTail:
    """Score a matrix in small tiles, with a pilot even for small sets."""
    with (
        patch.object(allpairs, "layout_of", lambda n: layout_of(n, part)),
        patch.object(allpairs, "ALL_BELOW", all_below),
        patch.object(allpairs, "MIN_PILOT", 0),
    ):
        return score_all_pairs(
            lambda rows, columns: scores[rows, columns], n_samples=whole.n_samples, rows=whole.rows,
            cells=whole.cells, groups=groups, score_range=whole.score_range, request=request,
        ).tail  # fmt: skip


def of_world(world: World, tail: ScoreTail) -> tuple[np.ndarray, ScoreTail]:
    """The matrix of a world in float32 steps, and its whole tail."""
    size = len(world.subject_of)
    scores = np.zeros((size, size))
    for i, j, value in world.pairs:
        scores[i, j] = scores[j, i] = np.float32(value)
    ids = [f"subject{k}" for k in world.subject_of]
    return scores, from_matrix(scores, ids, cells=tail.cells, score_range=tail.score_range)


def same_answers(tail: ScoreTail, whole: ScoreTail, groups: Groups, fmr: float) -> None:
    """What a request promises is answered as the whole set answers it."""
    for weighting in Weighting:
        assert threshold_at(tail, groups, fmr, weighting) == pytest.approx(
            threshold_at(whole, groups, fmr, weighting), nan_ok=True, abs=0
        )
        for schema in range(len(groups.schemas)):
            assert threshold_at_max_group(tail, groups, fmr, weighting, schema) == pytest.approx(
                threshold_at_max_group(whole, groups, fmr, weighting, schema), nan_ok=True, abs=0
            )


@pytest.mark.slow
@given(matrices(), st.integers(1, 5), st.sampled_from([0.0, 0.01, 0.1, 0.5, 0.9]), st.booleans())
def test_the_tail_answers_as_the_whole_set(
    drawn: tuple[World, ScoreTail], part: int, fmr: float, all_kept: bool
) -> None:
    """Mated scores, histogram and all above the floor are exact; thresholds, rates and EER are those of all pairs."""
    world, tail = drawn
    scores, whole = of_world(world, tail)
    request = TailRequest(fmr=fmr, thresholds=(0.05, 0.3), eer=True, threads=1)
    found = score(scores, whole, world.groups, request, part, all_below=10**6 * all_kept)
    for name in (
        "mated_i",
        "mated_j",
        "mated_score",
        "histogram",
        "mated_histogram",
        "n_samples",
        "subject_of",
    ):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name), err_msg=name)
    kept = whole.tail_score > found.cutoff
    for name in ("tail_i", "tail_j", "tail_score"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name)[kept], err_msg=name)
    same_answers(found, whole, world.groups, fmr)
    first, second = eer(found, world.groups), eer(whole, world.groups)
    assert first == second or np.isnan(second.value)
    short, full = (non_mated_sums(each, world.groups, [0.3, 0.05]) for each in (found, whole))
    for name in SUMS:
        np.testing.assert_allclose(getattr(short, name), getattr(full, name), rtol=1e-12, err_msg=name)
    assert np.isneginf(found.cutoff) or not all_kept


def test_a_short_tail_is_scanned_again() -> None:
    """When the pilot aims too high, the floor is lowered until what was asked for lies above it."""
    world, whole = cohort(60, 1)
    with patch.object(allpairs, "AIM", 0.01), patch.object(allpairs, "EER_AIM", 0.01):
        found = score(world, whole, nobody(60), TailRequest(fmr=0.1, eer=True, threads=1))
    assert np.isfinite(found.cutoff)
    same_answers(found, whole, nobody(60), 0.1)
    assert eer(found, nobody(60)) == eer(whole, nobody(60))


def test_a_group_can_ask_for_a_deeper_tail() -> None:
    """A schema whose groups all have lower rates than everybody lowers the floor to their threshold."""
    scores, whole = cohort(80, 3)
    group = np.arange(80) % 2
    scores = np.where(group[:, None] == group[None, :], scores / 4, scores)
    whole = from_matrix(scores, [f"{k:03d}" for k in range(80)], score_range=(0, 1))
    groups = groups_from(group[None], 3)
    found = score(scores, whole, groups, TailRequest(fmr=0.05, threads=1))
    same_answers(found, whole, groups, 0.05)


@pytest.mark.parametrize("pairs", [1, 40, 300])
def test_the_budget_bounds_the_tail(pairs: int) -> None:
    """A budget too small for what was asked for raises the floor: the tail fits, and what lies below is refused."""
    scores, whole = cohort(60, 2)
    budget = pairs * PAIR_BYTES
    request = TailRequest(fmr=0.5, budget=budget, thresholds=(0.1,), threads=1)
    found = score(scores, whole, nobody(60), request)
    assert found.tail_score.size <= pairs
    assert found.tail_score.size == (whole.tail_score > found.cutoff).sum()
    with pytest.raises(BelowFloorError):
        threshold_at(found, nobody(60), 0.5, Weighting.POOLED)
    first, second = (rates(each, nobody(60), [0.1]) for each in (found, whole))
    np.testing.assert_allclose(first.far, second.far)


def test_a_floor_too_low_for_the_budget_is_raised_to_an_edge() -> None:
    """When the pilot underrates the tail, the exact histogram gives a floor that fits."""
    scores, whole = cohort(60, 2)
    with patch.object(allpairs, "_floor", lambda *_: -1.0):
        found = score(scores, whole, nobody(60), TailRequest(fmr=0.1, budget=100 * PAIR_BYTES, threads=1))
    assert found.cutoff in found.edges
    assert 0 < found.tail_score.size <= 100


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_no_bit(threads: int) -> None:
    """One thread and several give the same tail, floor and sums, to the last bit."""
    rng = np.random.default_rng(5)
    n = rng.integers(0, 4, 150)
    block = cosine_blocks(rng.normal(size=(int(n.sum()), 16)).astype(np.float32))
    found = []
    for count in (1, threads):
        with (
            patch.object(allpairs, "layout_of", lambda n: layout_of(n, 17)),
            patch.object(allpairs, "ALL_BELOW", 0),
        ):
            found.append(
                score_all_pairs(
                    block,
                    n_samples=n,
                    rows=np.arange(n.sum(), dtype=np.int32),
                    cells=np.zeros(150, dtype=np.int32),
                    groups=nobody(150),
                    score_range=COSINE_RANGE,
                    request=TailRequest(fmr=0.05, thresholds=(-0.2, 0.0), threads=count),
                ).tail
            )
    one, more = found
    assert one.cutoff == more.cutoff > -1
    for name in ("mated_score", "tail_i", "tail_j", "tail_score", "histogram"):
        assert getattr(one, name).tobytes() == getattr(more, name).tobytes()
    assert one.rescored is not None
    assert more.rescored is not None
    assert all(
        getattr(one.rescored, name).tobytes() == getattr(more.rescored, name).tobytes() for name in SUMS
    )


def test_nobody_to_compare() -> None:
    """One subject alone, none within a cell, or no sample at all: an empty tail, no failure."""
    one = from_matrix([[1, 0.5], [0.5, 1]], ["a", "a"], score_range=(0, 1))
    two = from_matrix([[1, 0.5], [0.5, 1]], ["a", "b"], cells=np.array([-1, -1]), score_range=(0, 1))
    none = from_listed([], [], [], subject_of=[0, 1], cells=[0, 0], score_range=(0, 1))
    for whole in (one, two, none):
        request = TailRequest(fmr=0.1, eer=True)
        found = score(np.full((2, 2), 0.5), whole, nobody(whole.n_samples.size), request)
        assert found.tail_score.size == 0
        assert found.mated_score.size == whole.mated_score.size


LFW = {
    "mobilefacenet_insightface": (242_257, 87_307_271, 0.26, 0.42, 1.1),
    "dlib_resnet": (242_197, 87_214_728, 0.78, 5.1, 22.4),
}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.data
@pytest.mark.parametrize("model", sorted(LFW))
def test_real_faces(face_data: Path, model: str) -> None:
    """All pairs of LFW: counts, EER and FNMR at FMR targets (pooled) are those of the data's own description."""
    vectors, n = templates(face_data / "lfw", model)
    groups = nobody(n.size)
    tail = score_all_pairs(
        cosine_blocks(vectors), n_samples=n, rows=np.arange(n.sum(), dtype=np.int32),
        cells=np.zeros(n.size, dtype=np.int32), groups=groups, score_range=COSINE_RANGE,
        request=TailRequest(fmr=1e-2, eer=True),
    ).tail  # fmt: skip
    mated, non_mated, equal, at_3, at_4 = LFW[model]
    found = trials(tail, groups)
    assert (found.mated[0], found.non_mated[0]) == (mated, non_mated)
    assert tail.histogram.sum() == non_mated
    assert 100 * eer(tail, groups).value == pytest.approx(equal, abs=0.005)
    at = [threshold_at(tail, groups, target, Weighting.POOLED) for target in (1e-3, 1e-4)]
    fnmr = 100 * rates(tail, groups, at).fnmr[:, 0]
    assert fnmr == pytest.approx([at_3, at_4], abs=0.05)


def templates(folder: Path, model: str) -> tuple[np.ndarray, np.ndarray]:
    """Templates of a model sorted by subject, and the number of each subject."""
    lines = (folder / "metadata.csv").read_text(encoding="utf-8").splitlines()
    subject = dict(line.split(",")[:2] for line in lines[1:])
    with np.load(folder / "templates" / f"{model}.npz") as file:
        names, vectors = file["image_id"], file["embedding"].astype(np.float32)
    of = np.array([subject[name] for name in names])
    order = np.argsort(of, kind="stable")
    present = dict(zip(*np.unique(of, return_counts=True), strict=True))
    return vectors[order], np.array([present.get(name, 0) for name in sorted(set(subject.values()))])


def cohort(size: int, seed: int) -> tuple[np.ndarray, ScoreTail]:
    """A matrix of distinct scores in float32 steps, one sample per subject, and its whole tail."""
    rng = np.random.default_rng(seed)
    scores = rng.permutation(size * size).reshape(size, size) / float(2**24)
    scores = (np.triu(scores) + np.triu(scores, 1).T) * (2**23 / (size * size)) * 2
    scores = scores.astype(np.float32).astype(float)
    ids = [f"{k:03d}" for k in range(size)]
    return scores, from_matrix(scores, ids, score_range=(0, 1))


def nobody(n_subjects: int) -> Groups:
    """No groups."""
    return Groups(schemas=(), names=(), of=np.empty((0, n_subjects), dtype=np.int32), ranked=())
