import tracemalloc
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import oracles_resample as slow
import pytest
from numba import config

from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec import Plan
from frtaudit.core.spec_values import COSINE_RANGE
from frtaudit.stats.bootstrap import resample, second_pass
from frtaudit.stats.bootstrap.replicate_layout import Deep
from frtaudit.stats.bootstrap.resample import Replicates, replicate
from frtaudit.stats.bootstrap.rescored_batches import Rescoring
from frtaudit.stats.similarity.allpairs import TailRequest, score_all_pairs
from frtaudit.stats.similarity.executor import PassContext
from frtaudit.stats.similarity.scorers import cosine_blocks
from frtaudit.stats.similarity.tail import from_matrix, no_groups
from frtaudit.stats.similarity.tiles import layout_of

PLANS = (Plan.IMAGES, Plan.SUBJECTS, Plan.DOUBLE_OR_NOTHING, Plan.TWO_LEVEL)
TARGETS = ("1/9", 0.0, 0.5, "2/3", 1)
THRESHOLDS = (0.35, 0.6, -0.1, float("-inf"), float("nan"))
FEW, COHORTS = (4, 4) if config.DISABLE_JIT else (12, 50)  # cohorts in every run, and where all tests run
EXACT = ("t_star", "t_star_max", "below_floor")
RATES = ("fmr", "fnmr", "fmr_max", "fnmr_max")


def in_singles(world: slow.World) -> slow.World:
    """The same cohort with scores that float32 holds, all pairs compared."""
    scores = world.scores.astype(np.float32).astype(np.float64)
    ids = [f"{k:04d}" for k in np.repeat(np.arange(world.tail.n_samples.size), world.tail.n_samples)]
    tail = from_matrix(scores, ids, cells=world.tail.cells, score_range=(-1.0, 1.0))
    return replace(world, scores=scores, tail=tail)


def context_of(world: slow.World, threads: int, part: int = 5) -> PassContext:
    """Scores a small world in small tiles."""
    tail = world.tail
    return PassContext(
        block=lambda a, b: world.scores[a, b], layout=layout_of(tail.n_samples, part), subject_of=tail.subject_of,
        cells=tail.cells[tail.subject_of], edges=tail.edges, threads=threads,
    )  # fmt: skip


def assert_equal(found: Replicates, whole: Replicates) -> None:
    """Thresholds and counts are the same, rates within 1e-12."""
    for name in EXACT:
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name), err_msg=name)
    for name in RATES:
        np.testing.assert_allclose(
            getattr(found, name), getattr(whole, name), rtol=0, atol=1e-12, err_msg=name
        )


@pytest.mark.parametrize(
    ("plan", "numbers"),
    [
        *((plan, range(FEW)) for plan in PLANS),
        pytest.param(Plan.IMAGES, range(FEW, COHORTS), marks=pytest.mark.slow),
    ],
)
def test_below_the_floor_every_number_is_that_of_a_whole_tail(
    plan: Plan, numbers: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cohorts with ties and groups; any floor, batches of 20 to 10,000 pairs: as without a floor; the same bits."""
    for number in numbers:
        world = in_singles(slow.cohort_of(number))
        size = world.tail.tail_score.size
        if size < 2:
            continue
        asked = {"plan": plan, "n": 5, "seed": number, "targets": TARGETS, "thresholds": THRESHOLDS}
        whole = replicate(world.tail, world.groups, threads=1, **asked)
        cut = slow.truncated(world.tail, (0, 1, size // 3, size - 1)[number % 4])
        found = []
        for lanes, threads in ((64, 1), (2, 2)):
            monkeypatch.setattr(resample, "LANES", lanes)
            monkeypatch.setattr(second_pass, "CUTS", (128, 16, 4)[number % 3])
            capacity = 20 if number % 10 == 1 else (10_000, 80)[number % 2]
            below = Rescoring(context=context_of(world, threads), capacity=capacity)
            found.append(replicate(cut, world.groups, threads=threads, below=below, **asked))
            assert_equal(found[-1], whole)
        for name in (*EXACT, *RATES):
            assert getattr(found[0], name).tobytes() == getattr(found[1], name).tobytes()


def gaussian(budget: int) -> tuple[ScoreTail, PassContext]:
    """Three hundred people with four samples, 720,000 pairs: the tail that a budget allows, and its context."""
    rng, n = np.random.default_rng(7), np.full(300, 4)
    vectors = np.repeat(rng.normal(size=(300, 16)), 4, axis=0) + 0.7 * rng.normal(size=(1200, 16))
    block = cosine_blocks(vectors.astype(np.float32))
    nobody = no_groups(from_matrix(np.zeros((300, 300)), [f"{k:03d}" for k in range(300)]))
    tail = score_all_pairs(
        block, n_samples=n, rows=np.arange(1200, dtype=np.int32), cells=np.zeros(300, dtype=np.int32),
        groups=nobody, score_range=COSINE_RANGE, request=TailRequest(fmr=0.3, budget=budget, threads=1),
    ).tail  # fmt: skip
    context = PassContext(
        block=block, layout=layout_of(n, 200), subject_of=tail.subject_of, cells=tail.cells[tail.subject_of],
        edges=tail.edges, threads=1,
    )  # fmt: skip
    return tail, context


@pytest.mark.compiled
def test_memory_is_that_of_batches() -> None:
    """A tail of which the budget holds a tenth: the same numbers as with the whole, from a third of the memory."""
    asked = {
        "plan": Plan.IMAGES,
        "n": 40,
        "seed": 1,
        "targets": [0.3, 0.02],
        "thresholds": [0.1],
        "threads": 1,
    }
    found, peak = [], []
    for budget in (10**9, 800_000):
        tail, context = gaussian(budget)
        below = Rescoring(context=context, capacity=20_000)
        replicate(tail, no_groups(tail), **{**asked, "n": 1}, below=below)
        tracemalloc.start()
        found.append(replicate(tail, no_groups(tail), **asked, below=below))
        peak.append(tracemalloc.get_traced_memory()[1] + 12 * tail.tail_score.size)
        tracemalloc.stop()
    assert_equal(found[1], found[0])
    assert peak[1] < peak[0] / 3


def test_a_step_of_one_score_is_the_threshold_of_the_targets_exceeded_within_it() -> None:
    """Of three targets one is exceeded above the step, one within it, one is not: the second alone is found there."""
    passed = np.array([1, 2], dtype=np.int16)[None, None, :, None]
    sums = np.array([3.0, 9.0])[None, :, None, None]
    step = second_pass.ScoreLevels(np.array([0.5, 0.4]), sums, passed, np.array([7]))
    deep = Deep(np.full((1, 1, 3, 1), np.nan), np.full((1, 1, 3, 1, 1), np.nan), np.empty((1, 0, 1, 1)))
    inputs = cast("second_pass.RescoreInputs", SimpleNamespace(ascending=[2, 0, 1]))
    second_pass._one_score(inputs, step, 0.45, deep)
    assert np.array_equal(deep.threshold.ravel(), [0.45, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(deep.at_target.ravel(), [3.0, np.nan, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("target", "high", "rank"),
    [
        (0.125, 14.0, 3),  # 1.5 times the target, of 16
        (0.125, 13.0, 12),  # as deep as that already: four times as deep
        (0.0, 16.0, 4),  # nothing lies above: four comparisons
        (0.125, 12.0, None),  # four times as deep is all
        (0.75, 14.0, None),  # 1.5 times the target is more than there is
    ],
)
def test_a_pass_goes_as_deep_as_the_largest_target_may_lie(
    target: float, high: float, rank: int | None
) -> None:
    """One comparison in each of 16 bins: so many of them lie above the place down to which the next pass goes."""
    inputs = cast(
        "second_pass.RescoreInputs",
        SimpleNamespace(
            tail=SimpleNamespace(edges=np.arange(17.0), histogram=np.ones(16, dtype=np.int64)),
            layout=SimpleNamespace(targets=[target]),
            ascending=[0],
        ),
    )
    low = second_pass._low(inputs, high, np.empty(0), pending=True)
    assert low == (float("-inf") if rank is None else 16 - rank)
    wanted = np.array([9.0, 2.0])
    assert second_pass._low(inputs, high, wanted, pending=True) == min(low, 2)
    assert second_pass._low(inputs, high, wanted, pending=False) == 2


def test_a_range_is_halved_until_it_holds_one_float32_score() -> None:
    """Between neighbours there is none; without a lower end the least float32 stands for it."""
    below_half = float(np.nextafter(np.float32(0.5), np.float32(0)))
    assert second_pass._halves(1.0, 0.5).tolist() == [0.75]
    assert second_pass._halves(0.5, below_half).size == 0
    assert second_pass._halves(0.0, float("-inf")).tolist() == [float(np.finfo(np.float32).min) / 2]
    assert second_pass._single_at_most(0.5) == 0.5 == second_pass._single_at_most(0.5 + 1e-12)
    assert second_pass._single_at_most(0.5 - 1e-12) == below_half


def test_ranges_that_touch_are_joined() -> None:
    """Ascending ranges, low < score <= high: the first two are one."""
    bounds = np.array([[0.0, 0.1], [0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.6, 0.7]])
    assert second_pass._merged(bounds).tolist() == [[0.0, 0.2], [0.3, 0.4], [0.5, 0.7]]
