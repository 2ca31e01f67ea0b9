"""Wilson intervals: the published one at its boundaries, and the rule of FORMULAS 8.1 against loops.

Tests also borrowing, which finds the threshold that a rate of few errors borrows from.
"""

from dataclasses import replace
from itertools import pairwise, product
from types import SimpleNamespace
from typing import cast

import numpy as np
import oracles_wilson as slow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from strategies_wilson import Drawn, audits

from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.intervals import borrowing, closed_form, dependence, rate_bounds, wilson
from frtaudit.stats.similarity.tail import from_listed, no_groups

BOTH = (Weighting.POOLED, Weighting.IDENTITY)
COHORTS = 600


def test_variance_of_replicates_gives_the_effective_size() -> None:
    """n_eff = p(1-p)/Var, at most the number of comparisons; t instead of normal widens."""
    narrow = wilson.bounds_from_variance(0.1, 0.001, 10_000)
    assert narrow.n_eff == pytest.approx(90)
    assert wilson.bounds_from_variance(0.1, 1e-9, 500).n_eff == 500
    assert wilson.bounds_from_variance(0.1, 0.001, 10_000, degrees=9).high(0.05) > narrow.high(0.05)


@pytest.mark.parametrize(("rate", "variance"), [(0.0, 0.1), (1.0, 0.1), (0.5, 0.0), (0.5, float("nan"))])
def test_no_effective_size_follows_from_a_degenerate_rate(rate: float, variance: float) -> None:
    """A rate of 0 or 1, or a variance that is not positive, is refused rather than printed as a point."""
    with pytest.raises(ValueError, match="no effective size"):
        wilson.bounds_from_variance(rate, variance, 100)


@settings(max_examples=60)
@given(audits(max_subjects=7), st.sampled_from([(30, 10), (5, 3)]), st.sampled_from([0.05, 0.25, 0.5, 0.8]))
def test_rule_is_formulas_8_1(audit: Drawn, enough: tuple[int, int], t: float) -> None:
    """Every group, both weightings, FMR and FNMR: low, high and design effect equal the loops over all scores."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(borrowing, "ENOUGH_ERRORS", enough[0])
        patch.setattr(borrowing, "ENOUGH_SUBJECTS", enough[1])
        rule = wilson.prepare(audit.tail, audit.groups, [t])
        for group_index, weighting, mated in product(range(4), BOTH, (True, False)):
            rows = audit.within(group_index)[0 if mated else 1]
            found = (rule.fnmr if mated else rule.fmr)(t, group_index, 0.05, weighting)
            people = {row.first for row in rows} | {row.second for row in rows}
            in_all = any(all(who in row.subjects for row in rows) for who in people)
            if len(people) < 2 or (in_all and not mated and len(people) > 2):
                assert found.note
                assert (found.low, found.high) == ((0.0, 1.0) if rows else (None, None))
                continue
            identity = weighting is Weighting.IDENTITY
            low, high, deff = slow.rule_interval(rows, t, 0.05, mated=mated, identity=identity, enough=enough)
            if not mated:
                same = list(audit.within(group_index)[0])
                high = max(high, slow.fmr_upper(rows, same, t, deff, 0.025, identity=identity))
            assert found.deff == pytest.approx(deff, rel=1e-9)
            assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
            assert found.n_eff == pytest.approx(len(rows) / deff)


def cohort(images: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both subjects of each pair and how many comparisons it has, of subjects with so many images."""
    first, second = np.triu_indices(len(images), 1)
    return first, second, np.array(images)[first] * np.array(images)[second]


def probes(count: int, references: int, each: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same of a list in which every probe meets every reference."""
    first, second = np.divmod(np.arange(count * references), references)
    return first, count + second, np.full(first.size, each)


@pytest.mark.parametrize(
    "design",
    [
        cohort([60] + [2] * 40),
        cohort([40, 40] + [1] * 60),
        cohort([40] * 4 + [1] * 60),
        cohort([10] + [2] * 13),
        probes(2, 12, 25),
        probes(5, 400, 4),
    ],
    ids=["1 of 40", "2 of 60", "4 of 60", "1 of 13", "2 probes", "5 probes"],
)
def test_a_few_subjects_of_most_comparisons_do_not_fail_a_true_limit(
    design: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Neither bound of FMR at 5 % misses the true rate in more cohorts; before hubs counted the lower did in 15 %."""
    rng, (a, b, comparisons) = np.random.default_rng(12), design
    count, total, truth = int(b.max()) + 1, int(comparisons.sum()), 0.05
    weights, partners = (
        np.bincount(a, of, count) + np.bincount(b, of, count) for of in (comparisons, np.ones(a.size))
    )
    few = dependence.few_of_a_list(weights, partners.astype(np.int64))
    pair, missed = np.square(comparisons).sum() / total**2, np.zeros(2, dtype=int)
    for _ in range(COHORTS):
        effect = rng.gamma(2, 0.5, count)
        errors = rng.binomial(comparisons, np.minimum(1, truth * effect[a] * effect[b]))
        rate = errors.sum() / total
        residual = errors - rate * comparisons
        sums = np.bincount(a, residual, count) + np.bincount(b, residual, count)
        hub, added = dependence.hubs(sums, weights, total)
        subjects = min(dependence.effective_number(weights) if hub else count, few or count)
        variance = subjects / (subjects - 1) * (np.square(sums).sum() + added) / total**2
        known = rate, min(rate * (1 - rate) / variance, total), dependence.degrees_of_freedom(subjects)
        missed += [
            rate_bounds.lower_bound(*known, 0.05) > truth,
            rate_bounds.fmr_upper_bound(*known, pair, np.abs(sums).max() / total, 0.05) < truth,
        ]
    assert (hub > 0) or few
    assert all(binomtest(int(count), COHORTS, 0.05, alternative="greater").pvalue > 0.001 for count in missed)


@pytest.mark.parametrize("images", [[100] + [2] * 50, [60] + [2] * 50], ids=["0.99", "0.97"])
def test_a_subject_of_most_mated_comparisons_does_not_fail_a_true_limit(images: list[int]) -> None:
    """The same of a pooled FNMR; before, the lower bound missed in up to 28 % of cohorts, the upper one in 11 %."""
    rng, size = np.random.default_rng(5), np.array(images)
    pairs = size * (size - 1) // 2
    total, truth, missed = int(pairs.sum()), 0.1, np.zeros(2, dtype=int)
    subjects = dependence.effective_number(pairs)
    image = dependence.image_weight(size.max() - 1, total, subjects, size.size)
    for _ in range(COHORTS):
        errors = rng.binomial(pairs, rng.beta(6 * truth, 6 * (1 - truth), size.size))
        rate = errors.sum() / total
        if not 0 < rate < 1:
            continue
        residual = errors - rate * pairs
        hub, added = dependence.hubs(residual, pairs, total, dependence.ALONE)
        assert hub > 0.9
        variance = subjects / (subjects - 1) * (np.square(residual).sum() + added) / total**2
        known = rate, min(rate * (1 - rate) / variance, total), dependence.degrees_of_freedom(subjects)
        missed += [
            rate_bounds.lower_bound(*known, 0.05) > truth,
            float(rate_bounds.fnmr_upper_bound(*known, image, 0.05)) < truth,
        ]
    assert all(binomtest(int(count), COHORTS, 0.05, alternative="greater").pvalue > 0.001 for count in missed)


def test_an_interval_says_that_a_subject_takes_part_in_much() -> None:
    """Of a hub its share; where it is in every comparison nothing is known, as of one subject."""
    of_hub, of_others = [(0, k) for k in range(1, 61)], [(k, k + 1) for k in range(1, 60)]
    notes = (
        (of_hub, "every comparison: nothing is known of others"),
        (of_hub + of_others, "50.4 % of the comparisons"),
    )
    for pairs, note in notes:
        first, second = np.array(pairs).T
        tail = from_listed(
            np.linspace(0, 1, len(pairs)), first, second, subject_of=np.arange(61), cells=np.zeros(61),
            score_range=(0, 1),
        )  # fmt: skip
        found = wilson.prepare(tail, no_groups(tail), [0.5]).fmr(0.5, 0, 0.05, Weighting.POOLED)
        assert f"one subject takes part in {note}" in (found.note or "")
        assert ((found.low, found.high) == (0.0, 1.0)) is (pairs is of_hub)


def test_the_rule_of_a_cohort_with_a_hub_takes_the_rate_without_it() -> None:
    """The design effects of FMR and of pooled FNMR, by brute force: R_k, or D_k, over the share of the others."""
    images = [40] + [2] * 40
    subject = np.repeat(np.arange(41), images)
    first, second = np.triu_indices(subject.size, 1)
    scores = np.random.default_rng(7).random(first.size)
    tail = from_listed(
        scores, first, second, subject_of=subject, cells=np.zeros(41), score_range=(0, 1)
    )  # fmt: skip
    rule = wilson.prepare(tail, no_groups(tail), [0.6])
    ends = subject[first], subject[second]
    for mated, found in (
        (False, rule.fmr(0.6, 0, 0.05, Weighting.POOLED)),
        (True, rule.fnmr(0.6, 0, 0.05, Weighting.POOLED)),
    ):
        chosen = (ends[0] == ends[1]) == mated
        wrong = (scores <= 0.6 if mated else scores > 0.6)[chosen]
        of = [end[chosen] for end in ends][: 1 if mated else 2]
        rate = wrong.mean()
        residual, weight = (
            sum(np.bincount(end, values, 41) for end in of) for values in (wrong - rate, np.ones(wrong.size))
        )
        residual[0] /= 1 - weight[0] / wrong.size
        subjects = dependence.effective_number(weight)
        variance = subjects / (subjects - 1) * np.square(residual).sum() / wrong.size**2
        assert found.effective_subjects == pytest.approx(subjects)
        assert found.deff == pytest.approx(max(1.0, variance * wrong.size / (rate * (1 - rate))))


def test_an_interval_says_that_few_subjects_take_part_in_most() -> None:
    """Of a list of few probes: how many they are by weight; its percentile intervals are withheld by that number."""
    first, second, _ = probes(5, 60, 1)
    tail = from_listed(
        np.linspace(0, 1, first.size), first, second, subject_of=np.arange(65), cells=np.zeros(65),
        score_range=(0, 1),
    )  # fmt: skip
    found = wilson.prepare(tail, no_groups(tail), [0.5]).fmr(0.5, 0, 0.05, Weighting.POOLED)
    assert found.effective_subjects == pytest.approx(5.8, abs=0.1)
    assert "few subjects take part in most of the comparisons: by weight 5.9" in (found.note or "")


@settings(max_examples=30)
@given(audits(), st.sampled_from([0.05, 0.25, 0.5, 0.8]))
def test_rule_is_never_inside_the_iid_interval(audit: Drawn, t: float) -> None:
    """A design effect >= 1 and t for z can only widen; and no interval is degenerate."""
    rule = wilson.prepare(audit.tail, audit.groups, [t])
    for find in (rule.fmr, rule.fnmr):
        found = find(t, 0, 0.05, Weighting.POOLED)
        if found.low is None or found.high is None:
            assert found.trials == 0
            continue
        iid = closed_form.wilson_iid(found.errors, found.trials, 0.05)
        assert found.low <= iid.low + 1e-12
        assert found.high >= iid.high - 1e-12
        assert found.low < found.high


def _stream(errors_of: list[tuple[int, int]], subjects: int, per_pair: int) -> ScoreTail:
    """Listed comparisons of all pairs of subjects; the errors named come first, one by one, down the scores."""
    pairs = [(k, l) for k in range(subjects) for l in range(k + 1, subjects)] * per_pair  # noqa: E741
    rest = list(pairs)
    for pair in errors_of:
        rest.remove(pair)
    ordered = errors_of + rest
    scores = np.linspace(1, 0, len(ordered))
    subject = np.array(ordered).ravel()
    order = np.argsort(subject, kind="stable")
    sample = np.empty(order.size, dtype=np.int64)
    sample[order] = np.arange(order.size)
    return from_listed(
        scores, sample[0::2], sample[1::2], subject_of=subject[order], cells=np.zeros(subjects),
        score_range=(0, 1),
    )  # fmt: skip


@pytest.mark.parametrize("hub", [False, True])
def test_upper_bound_rises_through_the_switch_to_the_own_design_effect(hub: bool) -> None:
    """Errors of one structure (disjoint pairs, or a subject that is in all of them), from none to 60 errors."""
    subjects = 40
    turns = [(2 * e % subjects, 2 * e % subjects + 1) for e in range(60)]
    errors = [(0, 1 + e % (subjects - 1)) for e in range(60)] if hub else turns
    tail = _stream(errors, subjects, per_pair=4)
    rule = wilson.prepare(tail, no_groups(tail), tail.tail_score[:61].tolist())
    uppers = [rule.fmr(float(t), 0, 0.05, Weighting.POOLED).high or 0.0 for t in tail.tail_score[:61]]
    assert all(high >= low - 1e-12 for low, high in pairwise(uppers))
    assert uppers[0] > 0


def test_few_errors_borrow_from_the_nearest_threshold_with_enough() -> None:
    """Under 30 errors the hub's design effect at 30 errors is taken, and its threshold is named."""
    tail = _stream([(0, 1 + e % 39) for e in range(60)], 40, per_pair=4)
    rule = wilson.prepare(tail, no_groups(tail), tail.tail_score[[5, 30, 45]].tolist())
    few, enough, more = (
        rule.fmr(float(tail.tail_score[at]), 0, 0.05, Weighting.POOLED) for at in (5, 30, 45)
    )
    assert (few.errors, enough.errors, more.errors) == (5, 30, 45)
    assert few.borrowed_from == tail.tail_score[30]
    assert few.deff == enough.deff
    assert enough.borrowed_from is None
    assert more.borrowed_from is None


def test_no_error_has_design_effect_two_and_an_upper_bound() -> None:
    """Disjoint errors lend less than 2, so that no error keeps the formula's limit; the bound is above the i.i.d."""
    tail = _stream([(2 * e % 40, 2 * e % 40 + 1) for e in range(60)], 40, per_pair=4)
    found = wilson.prepare(tail, no_groups(tail), [2.0]).fmr(2.0, 0, 0.05, Weighting.POOLED)
    assert found.errors == 0
    assert found.deff == pytest.approx(2.0, rel=0.2)
    assert found.high is not None
    assert found.high > closed_form.wilson_iid(0, found.trials, 0.05).high


@pytest.mark.parametrize(("mated", "place"), [(8, 4), (9, 4), (1, 0)])
def test_where_there_are_never_enough_errors_half_of_the_comparisons_lend(mated: int, place: int) -> None:
    """Four subjects never are ten: the score half way up the mated scores, and the next below that half way down."""
    scores = np.arange(mated) / 10
    tail = cast(
        "ScoreTail",
        SimpleNamespace(
            subject_of=np.zeros(4, dtype=np.int32),
            mated_i=np.zeros(mated, dtype=np.int32),
            mated_score=scores,
        ),
    )
    sources = borrowing.fnmr_sources(tail, np.ones(4, dtype=bool))
    assert sources.errors.threshold == scores[place]
    above = mated - 1 - place
    assert sources.others.threshold == (scores[above - 1] if above else None)


def test_errors_lend_from_below_and_right_decisions_from_above() -> None:
    """Ten subjects by turns at the lower end, two at the upper: the 30th error, and the score past half from above."""
    subject = np.array([*range(10)] * 10 + [0, 1] * 50, dtype=np.int32)
    tail = SimpleNamespace(
        subject_of=np.arange(10, dtype=np.int32), mated_i=subject, mated_score=np.arange(200) / 1000
    )
    sources = borrowing.fnmr_sources(cast("ScoreTail", tail), np.ones(10, dtype=bool))
    assert sources.errors.threshold == 0.029
    assert sources.others.threshold == pytest.approx(0.098)


def test_without_a_lender_comparisons_per_subject_are_taken() -> None:
    """Too few comparisons for 30 errors anywhere: design effect 2M/K for FMR, n/K2 for FNMR, with a note."""
    scores = [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]
    tail = from_listed(
        scores, [0, 2, 4, 0, 2, 4], [1, 3, 5, 2, 4, 0], subject_of=[0, 0, 1, 1, 2, 2], cells=[0, 0, 0],
        score_range=(0, 1),
    )  # fmt: skip
    fmr = wilson.prepare(tail, no_groups(tail), [0.5]).fmr(0.5, 0, 0.05, Weighting.POOLED)
    fnmr = wilson.prepare(tail, no_groups(tail), [0.5]).fnmr(0.5, 0, 0.05, Weighting.POOLED)
    assert (fmr.deff, fnmr.deff) == (2.0, 1.0)
    assert (fmr.pairs > 0, fnmr.pairs, fnmr.person) == (True, 0, 0)
    assert (
        fmr.note
        == fnmr.note
        == (
            "too few errors at every threshold: the number of comparisons per subject replaces the design effect"
        )
    )


def _cut(tail: ScoreTail, floor: float) -> ScoreTail:
    """The same scores with the tail kept only above a floor."""
    kept = int(np.count_nonzero(tail.tail_score > floor))
    return replace(
        tail,
        cutoff=floor,
        tail_i=tail.tail_i[:kept],
        tail_j=tail.tail_j[:kept],
        tail_score=tail.tail_score[:kept],
    )


def test_a_cut_tail_gives_the_same_interval_while_it_holds_a_lender() -> None:
    """The search stays within the tail: below the source nothing matters, not even that it was kept."""
    tail = _stream([(0, 1 + e % 39) for e in range(60)], 40, per_pair=4)
    t = float(tail.tail_score[3])
    whole = wilson.prepare(tail, no_groups(tail), [t]).fmr(t, 0, 0.05, Weighting.POOLED)
    at_lender = float(tail.tail_score[30])
    for floor in (float(tail.tail_score[70]), at_lender):
        cut = wilson.prepare(_cut(tail, floor), no_groups(tail), [t]).fmr(t, 0, 0.05, Weighting.POOLED)
        assert (cut.high, cut.deff, cut.note) == (whole.high, whole.deff, None)
        assert cut.borrowed_from == at_lender


def test_a_tail_that_ends_too_early_says_so() -> None:
    """Fewer than 30 errors in the kept tail: its lowest threshold lends, and a note says that it had too few."""
    tail = _stream([(0, 1 + e % 39) for e in range(60)], 40, per_pair=4)
    cut, t = _cut(tail, float(tail.tail_score[20])), float(tail.tail_score[3])
    found = wilson.prepare(cut, no_groups(tail), [t]).fmr(t, 0, 0.05, Weighting.POOLED)
    assert found.note is not None
    assert "lowest threshold" in found.note
    assert found.borrowed_from == cut.cutoff


def test_an_unprepared_threshold_is_refused() -> None:
    """A rule answers only where sums were made."""
    tail = _stream([(0, 1)], 4, per_pair=2)
    rule = wilson.prepare(tail, no_groups(tail), [0.5])
    with pytest.raises(ValueError, match="not prepared"):
        rule.fmr(0.51, 0, 0.05, Weighting.POOLED)


def test_a_group_without_comparisons_has_no_bounds() -> None:
    """One subject in a group: no non-mated comparison within it, and the note says so."""
    tail = _stream([(0, 1)], 4, per_pair=2)
    groups = Groups(
        schemas=("g",), names=(("g", "a"),), of=np.array([[0, -1, -1, -1]], dtype=np.int32), ranked=(True,)
    )
    found = wilson.prepare(tail, groups, [0.5]).fmr(0.5, 1, 0.05, Weighting.POOLED)
    assert (found.low, found.high, found.note) == (None, None, "no comparisons")


def test_of_one_subject_nothing_is_known() -> None:
    """Four images of one person and one of another: six mated comparisons of one subject, on which nothing rests."""
    tail = from_listed(
        [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.1], [0, 0, 0, 1, 1, 2, 0], [1, 2, 3, 2, 3, 3, 4],
        subject_of=[0, 0, 0, 0, 1], cells=[0, 0], score_range=(0, 1),
    )  # fmt: skip
    found = wilson.prepare(tail, no_groups(tail), [0.3]).fnmr(0.3, 0, 0.05, Weighting.POOLED)
    assert (found.low, found.high, found.n_eff, found.note) == (0.0, 1.0, 0.0, "one subject only")


def test_any_level_from_one_rule() -> None:
    """The bounds of a rule at its own level are its interval, and [0, 1] for one subject at any level."""
    tail = _stream([(2 * e % 40, 2 * e % 40 + 1) for e in range(60)], 40, per_pair=4)
    t = float(tail.tail_score[20])
    found = wilson.prepare(tail, no_groups(tail), [t]).fmr(t, 0, 0.1, Weighting.POOLED)
    score = found.bounds.interval(0.1)
    assert (score.low, score.high, score.n_eff) == (found.low, found.high, found.n_eff)
    alone = replace(found, subjects=1).bounds.interval(0.1)
    assert (alone.low, alone.high) == (0.0, 1.0)


def test_ends_are_computed_where_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that is asked for its bounds at another level computes none at its own."""
    read: list[float] = []
    monkeypatch.setattr(rate_bounds, "lower_bound", lambda *known: read.append(known[-1]) or 0.0)
    tail = _stream([(0, 1)], 4, per_pair=2)
    found = wilson.prepare(tail, no_groups(tail), [0.5]).fmr(0.5, 0, 0.1, Weighting.POOLED)
    assert not read
    assert (found.bounds.low(0.01), read) == (0.0, [0.01])


@settings(max_examples=30)
@given(audits(), st.sampled_from([0.05, 0.5, 0.8]))
def test_the_rule_of_all_subjects_needs_no_groups(audit: Drawn, t: float) -> None:
    """Cut from the rule of the groups, it says what the rule without groups says."""
    alone = wilson.prepare(audit.tail, no_groups(audit.tail), [t])
    overall = wilson.prepare(audit.tail, audit.groups, [t]).overall(audit.tail)
    assert (overall.sources_fmr, overall.sources_fnmr) == (alone.sources_fmr, alone.sources_fnmr)
    assert overall.spread.member.shape == alone.spread.member.shape
    assert overall.non_mated.errors.shape[1:] == alone.non_mated.errors.shape[1:]
    for weighting, rate in product(BOTH, ("fmr", "fnmr")):
        found, expected = (getattr(rule, rate)(t, 0, 0.05, weighting) for rule in (overall, alone))
        assert (found.errors, found.trials, found.borrowed_from) == (
            expected.errors,
            expected.trials,
            expected.borrowed_from,
        )
        assert (found.low is None, found.high is None) == (expected.low is None, expected.high is None)
        if expected.low is not None and expected.high is not None:
            assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
