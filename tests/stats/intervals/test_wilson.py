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


@pytest.mark.parametrize("images", [[60] + [2] * 40, [40, 40] + [1] * 60, [40] * 4 + [1] * 60])
def test_a_few_subjects_of_most_comparisons_do_not_fail_a_true_limit(images: list[int]) -> None:
    """The lower bound at 5 % lies above the true FMR in so many cohorts at most; before hubs counted in 15 %."""
    rng, count = np.random.default_rng(12), len(images)
    a, b = np.triu_indices(count, 1)
    comparisons = np.array(images)[a] * np.array(images)[b]
    total, truth, above = int(comparisons.sum()), 0.05, 0
    for _ in range(COHORTS):
        effect = rng.gamma(2, 0.5, count)
        errors = rng.binomial(comparisons, np.minimum(1, truth * effect[a] * effect[b]))
        rate = errors.sum() / total
        sums, weights = (
            np.bincount(a, of, count) + np.bincount(b, of, count)
            for of in (errors - rate * comparisons, comparisons)
        )
        share, added = dependence.hubs(sums, weights, total)
        subjects = dependence.effective_number(weights)
        variance = subjects / (subjects - 1) * (np.square(sums).sum() + added) / total**2
        assert share > 0.3
        n_eff = min(rate * (1 - rate) / variance, total)
        above += rate_bounds.lower_bound(rate, n_eff, subjects - 1, 0.05) > truth
    assert binomtest(above, COHORTS, 0.05, alternative="greater").pvalue > 0.001


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
