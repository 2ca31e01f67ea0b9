"""Tests also attempts, contrasts, support and measures, which a comparison stands on."""

from dataclasses import replace

import numpy as np
import pytest
from vendor_audits import TWIN, VENDORS, common, made, pick, result, trials

from frtaudit.analyses.comparison import attempts
from frtaudit.analyses.comparison.contrasts import IDENTICAL, Judged, estimates
from frtaudit.analyses.comparison.measures import Measure
from frtaudit.analyses.comparison.rules import Decision, Rule
from frtaudit.analyses.comparison.support import NOT_SHARED, support_of
from frtaudit.analyses.vendor_comparison import VendorComparison
from frtaudit.core import ScoreTable
from frtaudit.core.spec import FailureScore, Plan
from frtaudit.errors import DataError
from frtaudit.pipeline.audit import audit
from frtaudit.stats.folds import kfold_accuracy
from frtaudit.stats.rates import rates
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.stats.systems.multiple_comparisons import family_of


def test_systems_are_compared_on_what_all_of_them_scored() -> None:
    """Every tail has the same samples; what one has scored alone is counted among the exclusions."""
    first, *others = (item.tail for item in common().systems)
    assert all(np.array_equal(first.rows, tail.rows) for tail in others)
    failed = len(trials()[0].failed)
    assert failed > 0
    entries = {entry.provider: entry for entry in result().failures if entry.code == NOT_SHARED}
    assert {name: entry.count for name, entry in entries.items()} == {"two": failed, "three": failed}


def test_values_apart_by_rounding_rank_alike() -> None:
    """4/72 summed in two orders: both systems are first, and the third comes after both."""
    values = np.array([0.05555555555555555, 0.05555555555555558, 0.06])
    measure = Measure(of="gap", values=values, drawn=np.tile(values, (99, 1)), unit="share")
    judged = Judged(measure=measure, names=("a", "b", "c"), pairs=(), family=None, untested={}, alpha=0.05)
    ranks = [row.value for row in estimates(judged, None) if row.metric == "vendor_rank"]
    assert ranks == [1, 1, 3]


def test_where_one_system_has_no_threshold_nothing_is_counted() -> None:
    """A measure that is refused has no discordant decisions; the reason names the system and the way out, once."""
    hidden = {(w, a): "FMR 0.1 falls between two steps" for w in range(2) for a in range(40)}
    refused = support_of([replace(trials()[0], hidden=hidden), *trials()[1:]]).refused
    why = f"{trials()[0].provider}: FMR 0.1 falls between two steps; without it in providers, the others are compared"
    assert set(refused) == {why}
    measure = Measure(
        of="fnmr_at_fmr",
        values=np.zeros(2),
        drawn=np.zeros((99, 2)),
        unit="share",
        decided={(0, 1): (0, 88)},
        refused=why,
    )
    judged = Judged(
        measure=measure, names=("a", "b"), pairs=((0, 1),), family=None, untested={(0, 1): why}, alpha=0.05
    )
    (row,) = [row for row in estimates(judged, None) if row.metric == "vendor_difference"]
    assert (row.value, row.numerator, row.denominator, row.note) == (None, None, None, why)
    decisions = tuple(replace(row, metric="vendor_decision", provider=name) for name in ("a", "b"))
    assert replace(result(), estimates=decisions, findings=()).choice == (why,)


def test_shares_are_at_most_one_apart() -> None:
    """A difference of 97.5 points with a wide interval: its bounds end at 100 points, those of d_l2 do not."""
    rng = np.random.default_rng(3)
    values = np.array([0.98, 0.005])
    drawn = values + rng.normal(scale=0.02, size=(99, 2))
    for of, most in (("fnmr_at_fmr", 1.0), ("d_l2", 2.0)):
        measure = Measure(of=of, values=values, drawn=drawn, unit="share")
        family = family_of(values, drawn, [(0, 1)])
        judged = Judged(
            measure=measure, names=("a", "b"), pairs=((0, 1),), family=family, untested={}, alpha=0.05
        )
        (row,) = [row for row in estimates(judged, 0.01) if row.metric == "vendor_difference"]
        assert row.intervals[0].high == min(most, family.bounds(0.05)[1][0])
        assert family.bounds(0.05)[1][0] > 1


def test_each_threshold_is_that_of_the_common_support() -> None:
    """FNMR at an FMR target of each system, by going through the restricted tail."""
    for place, item in enumerate(common().systems):
        for target in common().targets:
            t = rates.threshold_at(item.tail, no_groups(item.tail), target, item.system.spec.weighting)
            own = rates.rates(item.tail, no_groups(item.tail), [t]).frr[0, 0]
            name = common().names[place]
            (value,) = pick(result(), "vendor_value", "fnmr_at_fmr", provider=name, fmr=target, schema=None)
            assert value.value == pytest.approx(own)


def test_a_replicate_is_the_same_people_in_every_system() -> None:
    """The audit's own replicates where nothing was left out, and redrawn ones are the same to rounding."""
    item = common().systems[0]  # the system with failures has the common support to itself
    own = item.system.replicates[Plan.SUBJECTS]
    again = support_of([replace(system, replicates={}) for system in trials()]).systems[0]
    places = list(item.system.operating_points.declared)
    assert np.array_equal(item.drawn_fnmr, own.fnmr[:, :, places])
    assert np.allclose(again.drawn_fnmr, item.drawn_fnmr, equal_nan=True)


def test_swapping_the_systems_flips_signs_exactly() -> None:
    """Another order of the providers: every difference has the other sign, its bounds change places, p stays."""
    turned = audit(made(TWIN, *VENDORS[::-1])).result
    for item in pick(result(), "vendor_difference"):
        if item.at["of"] == "max_min" or item.value is None:
            continue
        names = item.provider, item.at["against"]
        (back,) = [
            other
            for other in pick(
                turned, "vendor_difference", item.at["of"], schema=item.schema, group=item.group
            )
            if {other.provider, other.at["against"]} == set(names)
            and all(other.at.get(key) == item.at.get(key) for key in ("fmr", "rate", "pairs"))
        ]
        sign = 1 if back.provider == item.provider else -1
        assert back.value == sign * item.value
        assert (back.test.p, back.numerator) == (item.test.p, item.numerator)  # type: ignore[union-attr]  # all have one
        if sign < 0:
            assert (back.intervals[0].low, back.intervals[0].high) == tuple(
                None if end is None else -end for end in (item.intervals[0].high, item.intervals[0].low)
            )


def test_a_system_against_itself_is_identical_by_construction() -> None:
    """No value, no interval, no p, whatever is compared; and the service has not changed, by digest."""
    twins = pick(result(), "vendor_difference", provider="one", against="twin")
    assert len(twins) > 10
    for item in twins:
        assert (item.value, item.intervals, item.note) == (None, (), IDENTICAL)
        assert item.test is not None
        assert item.test.p is None
    (changed,) = pick(result(), "scores_changed")
    assert changed.value == 0
    assert str(changed.note).startswith(IDENTICAL)


def test_a_service_that_changed_is_said_by_how_much() -> None:
    """Two releases of one vendor: the share of mated scores that moved, and the largest move."""
    asked = VendorComparison(services={"maker": ("one", "two")})
    found = audit(made("one", "two", asked=asked)).result
    (changed,) = pick(found, "scores_changed")
    (most,) = pick(found, "largest_score_change")
    assert (changed.value, changed.note) == (1.0, None)
    assert most.value is not None
    assert 0 < most.value < 2


def test_the_worst_vendor_is_not_chosen_and_the_best_is_named_with_its_ties() -> None:
    """The declared rule in words; ranks hold the decision's."""
    said = {item.provider: (item.value, item.note) for item in pick(result(), "vendor_decision")}
    assert said["three"][0] == 0
    assert "is not best" in str(said["three"][1])
    assert said["one"] == (1.0, "one is best or tied with two and twin")
    smallest = min(common().targets)
    (rank,) = pick(result(), "vendor_rank", "fnmr_at_fmr", provider="three", fmr=smallest, schema=None)
    assert rank.intervals[0].low == rank.intervals[0].high == 4


def test_only_the_declared_measure_is_confirmatory() -> None:
    """Its tests are adjusted over their own pairs; all others go to the exploratory family with p over the systems."""
    tests = [item for item in pick(result(), "vendor_difference") if item.test and item.test.p is not None]
    smallest = min(common().targets)
    for item in tests:
        own = item.at["of"] == "fnmr_at_fmr" and item.schema is None and item.at["fmr"] == smallest
        assert item.test is not None
        assert (item.test.family == 5) == own  # six pairs, one of them identical
    assert any(item.at["of"] == "fta" for item in pick(result(), "vendor_value"))


def test_equivalence_is_for_declared_margins_only() -> None:
    """A margin of FNMR: two one-sided tests of FNMR, of nothing else, apart from the exploratory family."""
    found = pick(result(), "vendor_equivalence")
    assert {item.at["of"] for item in found} == {"fnmr_at_fmr"}
    for item in found:
        assert item.test is not None
        if item.test.p is None:
            continue
        assert item.test.method.value == "two_one_sided"
        low, high = item.intervals[0].low, item.intervals[0].high
        assert low is not None
        assert high is not None
        assert (item.test.p <= 0.05) == (low > -0.25 and high < 0.25)


def test_failures_are_bounded_both_ways() -> None:
    """Lowest: the first's failures right and the second's wrong, counted here from the two full tails."""
    (low,) = pick(result(), "vendor_difference_lowest", provider="one", against="two", fmr=0.1)
    (high,) = pick(result(), "vendor_difference_highest", provider="one", against="two", fmr=0.1)
    one, two = common().systems[:2]
    planned = two.system.tail.mated_score.size
    errors = [int(np.count_nonzero(i.system.tail.mated_score <= i.thresholds[0, 1])) for i in (one, two)]
    lost = planned - one.system.tail.mated_score.size
    assert low.value == pytest.approx((errors[0] - errors[1]) / planned)
    assert high.value == pytest.approx((errors[0] + lost - errors[1]) / planned)
    assert low.intervals[0].low is not None
    assert low.intervals[0].low < low.value


def test_intervals_of_what_failures_allow_count_the_failures_of_each_subject() -> None:
    """Half an interval is two standard errors or more of the bound itself, from the residual of every subject."""
    one, two = common().systems[:2]
    subjects = one.system.cohort.n_subjects
    wrong, scored = np.zeros((2, 2, subjects))
    for place, item in enumerate((one, two)):
        tail = item.system.tail
        for subject, score in zip(tail.subject_of[tail.mated_i], tail.mated_score, strict=True):
            scored[place, subject] += 1
            wrong[place, subject] += score <= item.thresholds[0, 1]
    planned = scored[1]  # nothing of the second failed
    lost = planned - scored[0]
    for metric, against, parts in (
        ("vendor_difference_highest", "two", wrong[0] + lost - wrong[1]),
        ("vendor_difference_highest", "twin", lost),
        ("vendor_difference_lowest", "twin", -lost),
    ):
        (row,) = pick(result(), metric, provider="one", against=against, fmr=0.1)
        value = parts.sum() / planned.sum()
        error = np.sqrt(np.square(parts - value * planned).sum()) / planned.sum()
        low, high = row.intervals[0].low, row.intervals[0].high
        assert row.value == pytest.approx(value)
        assert low is not None
        assert high is not None
        assert 2 * error < (high - low) / 2 < 4 * error


def test_accuracy_is_of_the_pairs_that_all_scored() -> None:
    """The mean fold accuracy of the common pairs, on one of the deals for all systems."""
    (measure,) = attempts.accuracy(common())
    sets = [item.system.fold_pairs for item in common().systems]
    rows = [one.at for one in sets if one is not None and one.at is not None]
    shared = set(rows[0].tolist()) & set(rows[1].tolist()) & set(rows[2].tolist())
    first = sets[0]
    assert first is not None
    at = np.searchsorted(rows[0], sorted(shared))
    dealt = [one.folds[np.searchsorted(one.at, sorted(shared))].tolist() for one in sets if one is not None]
    whole = kfold_accuracy.k_fold_accuracy(first.score[at], first.mated[at], np.array(min(dealt)), first.k)
    assert measure.values[0] == pytest.approx(whole.mean)
    assert abs(measure.drawn[:, 0].mean() - measure.values[0]) < 0.02


def test_the_notes_say_which_thresholds_are_held() -> None:
    """Thresholds at an FMR are set again in every replicate; those of folds are not, and a note says so."""
    notes = " ".join(result().notes)
    assert "each system's threshold is set on these, and again in every replicate" in notes
    assert "accuracy holds the thresholds of its folds fixed in every replicate" in notes


def test_rules_with_an_incumbent() -> None:
    """Better than the incumbent, or equivalent to it: judged against it alone, the incumbent itself is not chosen."""
    for rule, chosen in ((Rule.BETTER_THAN, {"one", "two"}), (Rule.EQUIVALENT, set())):
        asked = VendorComparison(decision=Decision(rule=rule, against="three"), margins={"fnmr_at_fmr": 0.01})
        found = audit(made(*VENDORS, asked=asked)).result
        decided = pick(found, "vendor_decision")
        assert {item.provider for item in decided if item.value} == chosen
        assert {item.note for item in decided if item.provider == "three"} == {"three is the incumbent"}


def test_failures_scored_zero_leave_nothing_out() -> None:
    """With scores of zero every comparison is shared, and nothing is hidden."""
    found = audit(made("one", "two", asked=VendorComparison(), failures=FailureScore.SCORE_ZERO)).result
    assert not pick(found, "vendor_difference_lowest")
    assert not [entry for entry in found.failures if entry.code == NOT_SHARED]


def test_a_list_and_all_pairs_are_not_compared() -> None:
    """Systems that were asked different things are refused."""
    empty = ScoreTable(score=np.zeros(0), failure=np.zeros(0, dtype=np.int16))
    with pytest.raises(DataError, match="one protocol for all"):
        support_of([trials()[0], replace(trials()[1], table=empty)])
