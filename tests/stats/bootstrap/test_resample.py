from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import oracles_resample as slow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import config

from frtaudit.core.spec import Plan
from frtaudit.stats.bootstrap import resample, sorted_comparisons, weights
from frtaudit.stats.bootstrap.resample import Replicates, replicate
from frtaudit.stats.rates import rates
from frtaudit.stats.similarity.tail import from_listed, from_matrix, no_groups

Floats = npt.NDArray[np.float64]

PLANS = (Plan.IMAGES, Plan.SUBJECTS, Plan.DOUBLE_OR_NOTHING, Plan.TWO_LEVEL)
TARGETS = ("1/9", 0.0, 0.5, "2/3", 1)
THRESHOLDS = (0.35, 0.6, -0.1)
# Minutes without the compiler, where coverage alone is asked.
COHORTS, EXAMPLES = (3, 10) if config.DISABLE_JIT else (50, 40)
FIRST = min(10, COHORTS)  # of them in every run; the others where all tests run


def drawn_people(world: slow.World, plan: Plan, seed: int, n: int) -> list[list[slow.Person]]:
    """The people of each replicate, from the weights that the plan says it draws."""
    counts, k = world.tail.n_samples, world.tail.n_samples.size
    if plan is Plan.IMAGES:
        drawn = weights.draw_within(counts, seed=seed, first=0, count=n)
        return [slow.people_of_images(world, drawn[:, b]) for b in range(n)]
    if plan is Plan.DOUBLE_OR_NOTHING:
        copies = weights.draw_coins(k, seed=seed, first=0, count=n)
    else:
        copies = weights.draw_between(np.zeros(k, dtype=np.int64), seed=seed, first=0, count=n)
    if plan is not Plan.TWO_LEVEL:
        return [slow.people_of_subjects(world, copies[:, b]) for b in range(n)]
    within = weights.draw_copies(counts, copies, seed=seed, first=0)
    return [slow.people_of_copies(world, copies[:, b], within[:, :, b]) for b in range(n)]


def assert_same(found: Replicates, world: slow.World, people: list[list[slow.Person]]) -> None:
    """Every number of ``found`` is the slow twin's."""
    for b, persons in enumerate(people):
        everybody = slow.blocks(world, persons, world.every_group()[0])
        for w, weighted in enumerate((False, True)):
            for a, target in enumerate(Fraction(str(t)) for t in TARGETS):
                t_star = slow.threshold_of(everybody, target, weighted=weighted)
                np.testing.assert_array_equal(found.t_star[w, b, a], t_star)
                check_rates(found.fmr[w, b, a], found.fnmr[w, b, a], world, persons, t_star, weighted)
                for s in range(len(world.groups.schemas)):
                    t_max = slow.max_threshold_of(world, persons, s, target, weighted=weighted)
                    np.testing.assert_array_equal(found.t_star_max[w, s, b, a], t_max)
                    at_max = found.fmr_max[w, s, b, a], found.fnmr_max[w, s, b, a]
                    check_rates(*at_max, world, persons, t_max, weighted)
            for point, fixed in enumerate(THRESHOLDS, start=len(TARGETS)):
                check_rates(found.fmr[w, b, point], found.fnmr[w, b, point], world, persons, fixed, weighted)


def check_rates(
    fmr: Floats, fnmr: Floats, world: slow.World, persons: list[slow.Person], threshold: float, weighted: bool
) -> None:
    """FMR and FNMR of all groups at one threshold are the slow twin's."""
    want = slow.rates_at(world, persons, threshold, above=True, weighted=weighted)
    np.testing.assert_allclose(fmr, want, rtol=0, atol=1e-12)
    want = slow.rates_at(world, persons, threshold, above=False, weighted=weighted)
    np.testing.assert_allclose(fnmr, want, rtol=0, atol=1e-12)


@pytest.mark.parametrize("plan", PLANS)
@given(world=slow.worlds(), seed=st.integers(0, 2**64), chunk=st.sampled_from([1, 2, 7, 2048]))
@settings(max_examples=EXAMPLES)
def test_replicates_are_those_of_literal_resampling(
    plan: Plan, world: slow.World, seed: int, chunk: int
) -> None:
    """Every plan gives the rates and thresholds of resampled, sorted scores, with ties, groups and cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_comparisons, "CHUNK", chunk)
        found = replicate(
            world.tail, world.groups, plan=plan, n=2, seed=seed, targets=TARGETS, thresholds=THRESHOLDS
        )
    assert_same(found, world, drawn_people(world, plan, seed, 2))


@pytest.mark.parametrize(
    "numbers",
    [range(FIRST), pytest.param(range(FIRST, COHORTS), marks=pytest.mark.slow)],
    ids=["ten", "forty"],
)
@pytest.mark.parametrize("plan", PLANS)
def test_fifty_cohorts_agree_with_literal_resampling_in_every_layout(plan: Plan, numbers: range) -> None:
    """Constant, mixed and very unequal sizes, ties, groups; three tile sizes, one and two threads: 1e-12, same bits."""
    for number in numbers:
        world = slow.cohort_of(number)
        asked = {"plan": plan, "n": 5, "seed": number, "targets": TARGETS, "thresholds": THRESHOLDS}
        found = replicate(world.tail, world.groups, threads=1, **asked)
        assert_same(found, world, drawn_people(world, plan, number, 5)[: 2 if number % 5 else 5])
        for lanes, threads in ((128, 2), (3, 1), (2, 2)):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(resample, "LANES", lanes)
                again = replicate(world.tail, world.groups, threads=threads, **asked)
            for name in ("t_star", "t_star_max", "fmr", "fnmr", "fmr_max", "fnmr_max", "below_floor"):
                assert getattr(found, name).tobytes() == getattr(again, name).tobytes()


@given(world=slow.worlds(), seed=st.integers(0, 99))
@settings(max_examples=EXAMPLES // 2)
def test_thread_count_and_tile_width_do_not_change_a_bit(world: slow.World, seed: int) -> None:
    """One thread and three, tiles of 128 and of 3 replicates give the same bits."""
    asked = {"n": 7, "seed": seed, "targets": TARGETS, "thresholds": THRESHOLDS}
    for plan in PLANS:
        alone = replicate(world.tail, world.groups, plan=plan, threads=1, **asked)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(resample, "LANES", 3)
            shared = replicate(world.tail, world.groups, plan=plan, threads=3, **asked)
        for name in ("t_star", "t_star_max", "fmr", "fnmr", "fmr_max", "fnmr_max", "below_floor"):
            assert getattr(alone, name).tobytes() == getattr(shared, name).tobytes()


@given(world=slow.worlds(), keep=st.integers(0, 40), plan=st.sampled_from(PLANS))
def test_a_cut_tail_gives_the_same_or_nan_and_counts_it(world: slow.World, keep: int, plan: Plan) -> None:
    """Above the floor a cut tail changes nothing; a threshold at or below the floor is NaN and counted."""
    if keep >= world.tail.tail_score.size:
        return
    asked = {"plan": plan, "n": 6, "seed": 3, "targets": (0.1, 0.5), "thresholds": THRESHOLDS}
    whole = replicate(world.tail, world.groups, **asked)
    cut = slow.truncated(world.tail, keep)
    found = replicate(cut, world.groups, **asked)
    known = whole.t_star > cut.cutoff
    np.testing.assert_array_equal(found.t_star, np.where(known, whole.t_star, np.nan))
    np.testing.assert_array_equal(found.below_floor[:, 0], (whole.t_star <= cut.cutoff).sum(axis=1))
    np.testing.assert_array_equal(found.below_floor[:, 1:], (whole.t_star_max <= cut.cutoff).sum(axis=2))
    known = np.concatenate((known, np.broadcast_to(np.array(THRESHOLDS) >= cut.cutoff, (2, 6, 3))), axis=2)
    np.testing.assert_allclose(found.fmr, np.where(known[..., None], whole.fmr, np.nan), atol=1e-12)
    known[:, :, 2:] = True  # every mated score is there
    np.testing.assert_allclose(found.fnmr, np.where(known[..., None], whole.fnmr, np.nan), atol=1e-12)


def test_expected_replicate_is_the_v_statistic() -> None:
    """Over all 108 resamples the mean FRR* is FRRbar, the mean FNMR* is FNMRbar, the mean FMR* is FMR (FORMULAS 1)."""
    rng = np.random.default_rng(5)
    scores = rng.random((6, 6))
    tail = from_matrix((scores + scores.T) / 2, ["a", "a", "a", "b", "b", "c"])
    every = [
        np.bincount([*first, *(3 + np.array(second)), 5], minlength=6)
        for first, second in product(product(range(3), repeat=3), product(range(2), repeat=2))
    ]
    groups, thresholds = no_groups(tail), (0.3, 0.5, 0.7)
    drawn = replicate(
        tail,
        groups,
        plan=Plan.IMAGES,
        n=108,
        seed=0,
        targets=(),
        thresholds=thresholds,
        weights=np.array(every),
    )
    true = rates.rates(tail, groups, np.array(thresholds))
    np.testing.assert_allclose(drawn.fnmr[1].mean(axis=0), true.frr_bar, atol=1e-12)
    np.testing.assert_allclose(drawn.fnmr[0].mean(axis=0), true.fnmr_bar, atol=1e-12)
    np.testing.assert_allclose(drawn.fmr[1].mean(axis=0), true.far, atol=1e-12)
    np.testing.assert_allclose(drawn.fmr[0].mean(axis=0), true.fmr, atol=1e-12)


@given(world=slow.worlds())
def test_unit_weights_give_the_estimates(world: slow.World) -> None:
    """A replicate in which everything is drawn once has the rates of the data themselves."""
    tail, thresholds = world.tail, np.array(THRESHOLDS)
    true = rates.rates(tail, world.groups, np.sort(thresholds))
    once = {"weights": np.ones((1, tail.subject_of.size), dtype=int)}
    each = {"subject_weights": np.ones((1, tail.n_samples.size), dtype=int)}
    for plan, given_weights in ((Plan.IMAGES, once), (Plan.SUBJECTS, each)):
        found = replicate(
            tail,
            world.groups,
            plan=plan,
            n=1,
            seed=0,
            targets=(),
            thresholds=np.sort(thresholds),
            **given_weights,
        )
        np.testing.assert_allclose(found.fmr[:, 0], [true.fmr, true.far], atol=1e-12)
        np.testing.assert_allclose(found.fnmr[:, 0], [true.fnmr, true.frr], atol=1e-12)


@given(world=slow.worlds(cells=False), data=st.data())
def test_order_of_samples_and_subjects_does_not_matter(world: slow.World, data: st.DataObject) -> None:
    """Permuted subjects and samples with permuted weights give the same thresholds and rates."""
    tail = world.tail
    n, k = tail.subject_of.size, tail.n_samples.size
    subjects = np.array(data.draw(st.permutations(range(k))))
    shuffled = np.array(data.draw(st.permutations(range(n))))
    label = subjects[tail.subject_of[shuffled]]
    other = from_matrix(world.scores[np.ix_(shuffled, shuffled)], label.tolist())
    groups = slow.Groups(
        schemas=world.groups.schemas, names=world.groups.names, ranked=world.groups.ranked,
        of=world.groups.of[:, np.argsort(subjects)],
    )  # fmt: skip
    weights_of = weights.draw_within(tail.n_samples, seed=1, first=0, count=4).T
    copies = weights.draw_between(np.zeros(k, dtype=int), seed=1, first=0, count=4).T
    asked = {"n": 4, "seed": 0, "targets": TARGETS, "thresholds": THRESHOLDS}
    moved = weights_of[:, shuffled[other.rows]]
    pairs = (
        (Plan.IMAGES, {"weights": weights_of}, {"weights": moved}),
        (Plan.SUBJECTS, {"subject_weights": copies}, {"subject_weights": copies[:, np.argsort(subjects)]}),
    )
    for plan, one, two in pairs:
        first = replicate(tail, world.groups, plan=plan, **asked, **one)
        second = replicate(other, groups, plan=plan, **asked, **two)
        np.testing.assert_array_equal(first.t_star, second.t_star)
        np.testing.assert_array_equal(first.t_star_max, second.t_star_max)
        np.testing.assert_allclose(first.fmr, second.fmr, atol=1e-12)
        np.testing.assert_allclose(first.fnmr, second.fnmr, atol=1e-12)


@given(world=slow.worlds(), plan=st.sampled_from(PLANS))
def test_increasing_transformation_of_scores_leaves_rates(world: slow.World, plan: Plan) -> None:
    """Scores through a strictly increasing function: t* follows, rates stay."""
    labels = world.tail.subject_of.tolist()
    warped = from_matrix(np.exp(3 * world.scores), labels, cells=world.tail.cells)
    asked = {"plan": plan, "n": 4, "seed": 8, "targets": TARGETS}
    plain = replicate(world.tail, world.groups, thresholds=(0.35,), **asked)
    found = replicate(warped, world.groups, thresholds=(np.exp(3 * 0.35),), **asked)
    moved = np.where(np.isneginf(plain.t_star), -np.inf, np.exp(3 * plain.t_star))
    np.testing.assert_allclose(found.t_star, moved)
    np.testing.assert_array_equal(found.fmr, plain.fmr)
    np.testing.assert_array_equal(found.fnmr, plain.fnmr)


@given(world=slow.listed_worlds(), seed=st.integers(0, 99), plan=st.sampled_from(PLANS[1:]))
def test_listed_comparisons_count_by_block(world: slow.World, seed: int, plan: Plan) -> None:
    """With pairs missing, rates are over the listed comparisons of each subject and pair of subjects."""
    found = replicate(
        world.tail, world.groups, plan=plan, n=2, seed=seed, targets=TARGETS, thresholds=THRESHOLDS
    )
    people = drawn_people(world, plan, seed, 2)
    if plan is not Plan.TWO_LEVEL:
        assert_same(found, world, people)
    for b, persons in enumerate(people):
        drawn = {k for k, _ in persons}
        empty = not any(drawn.issuperset(pair) for pair in world.listed_blocks())
        assert np.isnan(found.fmr[:, b, -1, 0]).all() == empty


def test_no_score_above_the_target_gives_minus_infinity() -> None:
    """Listed comparisons of which a replicate draws too few: every threshold meets the target, t* = -inf."""
    tail = from_listed(
        [0.9, 0.3], [0, 1], [1, 2], subject_of=[0, 0, 1], cells=[0, 0], score_range=(0, 1)
    )  # fmt: skip
    drawn = replicate(
        tail, no_groups(tail), plan=Plan.IMAGES, n=2, seed=0, targets=(0.5,), thresholds=(0.0,),
        weights=np.array([[2, 0, 1], [0, 2, 1]]),
    )  # fmt: skip
    np.testing.assert_array_equal(drawn.t_star[:, :, 0], [[-np.inf, 0.3], [-np.inf, 0.3]])
    np.testing.assert_array_equal(drawn.fmr[:, :, 0, 0], [[0, 0], [0, 0]])
    np.testing.assert_array_equal(drawn.fmr[:, :, 1, 0], [[0, 2], [0, 2]])
    np.testing.assert_array_equal(drawn.fnmr[:, :, 0, 0], [[0, 0], [0, 0]])


def test_single_precision_scores_are_compared_exactly() -> None:
    """A float32 score is its own threshold: t* is that score, and a fixed threshold just below it counts it."""
    scores = np.full((3, 3), np.float32(0.1), dtype=np.float32)
    tail = from_matrix(scores, ["a", "a", "b"])
    tail = slow.replace(tail, tail_score=tail.tail_score.astype(np.float32))
    just_below = np.nextafter(np.float64(np.float32(0.1)), 0)
    drawn = replicate(
        tail, no_groups(tail), plan=Plan.IMAGES, n=1, seed=0, targets=(0.5,),
        thresholds=(just_below, float(np.float32(0.1))), weights=np.ones((1, 3), dtype=int),
    )  # fmt: skip
    assert drawn.t_star[0, 0, 0] == np.float64(np.float32(0.1))
    np.testing.assert_array_equal(drawn.fmr[0, 0, :, 0], [0, 1, 0])


def test_no_replicate_and_no_target_give_empty_arrays() -> None:
    """Zero replicates, no target and no threshold are no special case."""
    tail = from_matrix([[1, 0.9, 0.2], [0.9, 1, 0.3], [0.2, 0.3, 1]], ["a", "a", "b"])
    found = replicate(tail, no_groups(tail), plan=Plan.SUBJECTS, n=0, seed=0, targets=(), thresholds=())
    assert found.fmr.shape == (2, 0, 0, 1)
    assert found.t_star_max.shape == (2, 0, 0, 0)


def test_one_subject_alone_has_no_fmr() -> None:
    """Without a non-mated comparison FMR and t* are NaN, and none of them is blamed on the floor."""
    tail = from_matrix([[1, 0.9], [0.9, 1]], ["a", "a"])
    found = replicate(
        tail, no_groups(tail), plan=Plan.IMAGES, n=3, seed=0, targets=(0.1, 1), thresholds=(0.95,)
    )
    assert np.isnan(found.t_star).all()
    assert np.isnan(found.fmr).all()
    assert np.isfinite(found.fnmr[:, :, -1]).all()
    assert not found.below_floor.any()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"plan": Plan.COMPARISONS}, "not comparisons"),
        ({"plan": Plan.SUBJECTS, "weights": np.ones((1, 3))}, "belong to the plan"),
        ({"plan": Plan.IMAGES, "subject_weights": np.ones((1, 2))}, "belong to the plan"),
        ({"plan": Plan.IMAGES, "weights": np.ones((2, 3), dtype=int)}, "accepted: n = 1"),
        ({"plan": Plan.IMAGES, "weights": np.ones((1, 4), dtype=int)}, r"accepted: \(B, 3\)"),
        ({"plan": Plan.IMAGES, "weights": np.array([[1, 0, 1]])}, "do not sum"),
        ({"plan": Plan.SUBJECTS, "subject_weights": np.array([[256, 0]])}, "accepted: 0 to 255"),
        ({"plan": Plan.SUBJECTS, "strata": np.zeros(3, dtype=int)}, "one stratum for each of 2 subjects"),
        ({"plan": Plan.TWO_LEVEL, "subject_weights": np.array([[-1, 0]])}, "accepted: 0 to 255"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked: dict[str, Any], message: str) -> None:
    """A plan, strata or weights that do not fit the data raise ValueError with what would."""
    tail = from_matrix(np.full((3, 3), 0.5), ["a", "a", "b"])
    with pytest.raises(ValueError, match=message):
        replicate(tail, no_groups(tail), n=1, seed=0, targets=(0.1,), thresholds=(), **asked)


def test_images_need_every_mated_comparison() -> None:
    """A cohort with a missing mated comparison has no image bootstrap."""
    tail = from_listed(
        [0.9, 0.3], [0, 0], [1, 3], subject_of=[0, 0, 0, 1], cells=[0, 0], score_range=(0, 1)
    )  # fmt: skip
    tail = slow.replace(tail, mated_complete=False)
    with pytest.raises(ValueError, match="every comparison within each subject"):
        replicate(tail, no_groups(tail), plan=Plan.IMAGES, n=1, seed=0, targets=(0.1,), thresholds=())
