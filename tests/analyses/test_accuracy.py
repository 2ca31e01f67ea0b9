import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from goldilocks_audits import RULES, curate_audit, curate_spec
from small_audits import ANALYSES, Plain, audit, one, pick, put, spec, system_of, whole, whole_spec

from frtaudit.analyses.accuracy import ALIKE, HELD, SELECTED, Accuracy, _between
from frtaudit.core import Method
from frtaudit.core.spec import Bootstrap, FoldClaim, Folds, FoldSource, PairSetSpec, Thresholds
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.pair_rules import Order
from frtaudit.datasets.protocols.curated import Curated
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.datasets.protocols.sampled import Sampled
from frtaudit.datasets.protocols.transactions import ComposedTransactions
from frtaudit.errors import SpecError
from frtaudit.pipeline.dry_run import check
from frtaudit.stats.folds.kfold_accuracy import k_fold_accuracy


def plain_accuracy(score: np.ndarray, mated: np.ndarray, folds: np.ndarray, k: int) -> list[float]:
    """Accuracy of each fold at the best threshold of the others, by trying every midpoint in a loop."""
    found = []
    for fold in range(k):
        train, test = (folds != fold) & (folds >= 0), folds == fold
        values = np.unique(score[train])
        candidates = [-np.inf, *((values[1:] + values[:-1]) / 2), values[-1]]
        best, best_right = -np.inf, -1
        for threshold in candidates:
            right = int(((score[train] > threshold) == mated[train]).sum())
            if right >= best_right:
                best, best_right = threshold, right
        found.append(float(((score[test] > best) == mated[test]).mean()))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["one", "two"])
def test_accuracy_by_a_plain_loop(provider: str) -> None:
    """Accuracy is the mean of the folds' shares of right decisions, its spread has divisor k - 1."""
    pairs = system_of(provider).fold_pairs
    assert pairs is not None
    folds = plain_accuracy(pairs.score, pairs.mated, pairs.folds, 3)
    result = whole().result
    found = one(result, "accuracy", provider=provider)
    assert found.value == pytest.approx(np.mean(folds), rel=1e-12)
    assert one(result, "accuracy_fold_sd", provider=provider).value == pytest.approx(
        np.std(folds, ddof=1), rel=1e-9
    )
    assert [item.value for item in pick(result, "fold_accuracy", provider=provider)] == pytest.approx(folds)
    assert found.numerator == sum(
        item.numerator or 0 for item in pick(result, "fold_accuracy", provider=provider)
    )
    assert found.denominator == pairs.score.size


def test_intervals_of_accuracy() -> None:
    """Wilson on the dyadic variance decides; t over disjoint folds and the i.i.d. interval stand beside."""
    found = one(whole().result, "accuracy", provider="one")
    assert [(item.method, item.target.value) for item in found.intervals] == [
        (Method.WILSON, "population"),
        (Method.T, "population"),
        (Method.WILSON_IID, "comparisons_iid"),
    ]
    assert all((item.low or 0) < (found.value or 0) < (item.high or 0) for item in found.intervals)


def test_a_set_chosen_hardest_first_has_no_t() -> None:
    """Pairs dealt in order of hardness make folds alike; the folds' sd stays, and Wilson's note says more."""
    hardest, control = (
        one(curate_audit().result, "accuracy", provider="one", at={"pairs": name})
        for name in ("curated", "control")
    )
    by_method = {item.method: item for item in hardest.intervals}
    assert (by_method[Method.T].low, by_method[Method.T].high, by_method[Method.T].note) == (
        None,
        None,
        ALIKE,
    )
    assert by_method[Method.WILSON].note == SELECTED
    assert by_method[Method.WILSON].low is not None
    assert one(curate_audit().result, "accuracy_fold_sd", provider="one", at={"pairs": "curated"}).value
    assert [item.note for item in control.intervals if item.method is Method.WILSON] == [HELD]
    assert all(item.low is not None for item in control.intervals)


def test_a_set_in_random_order_keeps_its_t() -> None:
    """Pairs by rules in random order have the usual intervals."""
    made = replace(curate_spec(), protocol=Curated(rules=replace(RULES, order=Order.RANDOM)))
    made = replace(made, analyses={"accuracy": made.analyses["accuracy"]})
    found = one(audit(made).result, "accuracy", provider="one", at={"pairs": "curated"})
    assert [item.note for item in found.intervals if item.method is Method.WILSON] == [HELD]
    assert [item.low is None for item in found.intervals if item.method is Method.T] == [False]


def test_the_eer_of_the_folds_pairs() -> None:
    """The folds' pairs have an EER of their own, by trying every score, and say that it is theirs."""
    pairs = system_of("two").fold_pairs
    assert pairs is not None
    tried = []
    for t in np.unique(pairs.score):
        fmr, fnmr = np.mean(pairs.score[~pairs.mated] > t), np.mean(pairs.score[pairs.mated] <= t)
        tried.append((abs(fmr - fnmr), t, (fmr + fnmr) / 2))
    found = one(whole().result, "eer", provider="two", at={"pairs": "folds"})
    assert found.value == pytest.approx(min(tried)[2], rel=1e-12)
    assert len(pick(whole().result, "eer", provider="two")) == 2


def test_drawn_pairs_score_what_the_templates_say() -> None:
    """Drawn pairs are distinct, mated and non-mated in equal number where there are enough, with the plain scores."""
    pairs = system_of("two").fold_pairs
    assert pairs is not None
    made = Plain(whole_spec().cohort.load(whole_spec().schemas, 0), "two")
    assert int(pairs.mated.sum()) == int((~pairs.mated).sum()) == int(made.mated.sum())
    assert np.sort(pairs.score[pairs.mated]) == pytest.approx(np.sort(made.score[made.mated]), abs=2e-7)
    assert all(np.abs(made.score[~made.mated] - score).min() < 2e-7 for score in pairs.score[~pairs.mated])


def test_attempts_of_transactions_are_dealt_one_by_one() -> None:
    """A protocol of transactions has the accuracy of its comparisons, and lists them by fold."""
    made = spec("accuracy", protocol=ComposedTransactions(), folds=Folds(source=FoldSource.DISJOINT, k=3))
    outcome = ANALYSES["accuracy"].estimates(put(made, "one"), 0.05)
    pairs = put(made, "one").fold_pairs
    assert pairs is not None
    assert next(each.value for each in outcome.estimates if each.metric == "accuracy") == pytest.approx(
        np.mean(plain_accuracy(pairs.score, pairs.mated, pairs.folds, 3)), rel=1e-12
    )
    listed = next(data for name, data in outcome.files.items() if name.endswith(".csv"))
    assert len(listed.splitlines()) == 1 + np.count_nonzero(pairs.folds >= 0)


def test_no_folds_no_accuracy() -> None:
    """Without declared folds the analysis makes nothing and says so."""
    outcome = ANALYSES["accuracy"].estimates(put(spec("accuracy"), "two"), 0.05)
    assert outcome.estimates == ()
    assert outcome.notes == ("two: no folds were declared, so no accuracy",)


def test_pairs_without_a_score_are_said() -> None:
    """Failed pairs are left out of accuracy, counted in a note and among the failures."""
    pairs = system_of("one").fold_pairs
    assert pairs is not None
    assert pairs.failed > 0
    assert f"one: {pairs.failed} pairs of the folds have no score and are left out" in whole().result.notes
    (entry,) = [
        entry
        for entry in whole().result.failures
        if entry.provider == "one" and entry.code == "fold_pair_without_score"
    ]
    assert (entry.count, entry.unit, entry.group) == (pairs.failed, "pairs", "all")


def test_strict_folds_say_what_they_drop() -> None:
    """Folds that share no subject drop non-mated pairs across them, and say how many."""
    made = spec("accuracy", folds=Folds(source=FoldSource.STRICT, k=2))
    pairs = put(made, "two").fold_pairs
    assert pairs is not None
    assert pairs.dropped > 0
    result = audit(made).result
    assert f"two: {pairs.dropped} non-mated pairs across folds are left out" in result.notes
    assert one(result, "accuracy", provider="two").denominator == pairs.score.size - pairs.dropped


def test_an_empty_fold_is_refused_with_a_note() -> None:
    """More folds than mated pairs can fill leave no accuracy, a note, and no crash."""
    made = spec("accuracy", folds=Folds(source=FoldSource.STRICT, k=40))
    found = one(audit(made).result, "accuracy", provider="two")
    assert found.value is None
    assert "of 40 folds hold no pair with a score" in (found.note or "")


def test_disjoint_minus_overlap() -> None:
    """The difference is that of the two plain accuracies, with an interval for the population and its random deals."""
    made = spec("accuracy", folds=Folds(source=FoldSource.DISJOINT, k=3, overlap=True))
    pairs = put(made, "two").fold_pairs
    assert pairs is not None
    assert pairs.overlap is not None
    both = [np.mean(plain_accuracy(pairs.score, pairs.mated, of, 3)) for of in (pairs.folds, pairs.overlap)]
    result = audit(made).result
    assert one(result, "accuracy_overlap", provider="two").value == pytest.approx(both[1])
    delta = one(result, "delta_accuracy", provider="two")
    assert delta.value == pytest.approx(both[0] - both[1])
    assert delta.intervals[0].method is Method.DEALT
    otherwise = one(result, "delta_accuracy_otherwise", provider="two")
    assert otherwise.denominator == one(result, "accuracy", provider="two").denominator
    assert (otherwise.numerator or 0) / (otherwise.denominator or 1) >= abs(delta.value or 0) - 1e-12
    deals = one(result, "delta_accuracy_deal_sd", provider="two")
    assert (deals.value or 0) > 0
    assert deals.note == "200 random deals of the same pairs"
    assert one(result, "accuracy_sem", provider="two").value == pytest.approx(
        (one(result, "accuracy_fold_sd", provider="two").value or 0) / 3**0.5
    )


OFFICIAL = {  # ten-fold accuracy on the official folds, percent, and pairs with a score
    "dlib_resnet": (99.12, 5995),
    "mobilefacenet_insightface": (99.33, 6000),
    "mobilefacenet_foamliu": (98.82, 6000),
    "mobilefacenet_xiaoccer": (98.58, 6000),
    "mobilefacenet_quant_zye": (98.77, 6000),
    "mobileface_tfjs_weak": (88.65, 6000),
}


@pytest.mark.data
@pytest.mark.slow
def test_lfw_as_published(face_data: Path) -> None:
    """Official folds share no subject and give every model its known accuracy; capped pairs give the table of Delta."""
    made = spec(
        "accuracy",
        cohort=TemplateFolder(root=str(face_data / "lfw")),
        protocol=Sampled(per_subject=10),
        schemas={},
        thresholds=Thresholds(fmr=(0.1,)),
        bootstrap=Bootstrap(B=39),
        test_sets={
            "official": PairSetSpec(
                pairs=Listed(), folds=Folds(source=FoldSource.OFFICIAL, claim=FoldClaim.STRICT)
            ),
            "capped": PairSetSpec(folds=Folds(source=FoldSource.DISJOINT, overlap=True)),
        },
    )
    result = audit(made).result
    for provider, (percent, pairs) in OFFICIAL.items():
        found = one(result, "accuracy", provider=provider, at={"pairs": "official"})
        assert (round(100 * (found.value or 0), 2), found.denominator) == (percent, pairs)
        delta = one(result, "delta_accuracy", provider=provider, at={"pairs": "capped"})
        spread = one(result, "delta_accuracy_deal_sd", provider=provider, at={"pairs": "capped"})
        assert abs(delta.value or 1) < 0.001
        assert 0 < (spread.value or 0) < 0.001


def test_class_accuracy_and_the_skewed_error_ratio_are_counted() -> None:
    """Pairs within a class by plain counting, and the largest share of wrong pairs over the smallest (8.15)."""
    system = put(spec("accuracy", folds=Folds(source=FoldSource.DISJOINT, k=3)), "two")
    pairs = system.fold_pairs
    assert pairs is not None
    found = ANALYSES["accuracy"].estimates(system, 0.05).estimates
    thresholds = [item.at["threshold"] for item in found if item.metric == "fold_accuracy"]
    codes = system.cohort.classifications["group"].codes
    wrong = {}
    for code, name in enumerate(system.cohort.classifications["group"].classes):
        right = [
            (score > thresholds[fold]) == same
            for score, same, fold, a, b in zip(
                pairs.score, pairs.mated, pairs.folds, pairs.first, pairs.second, strict=True
            )
            if fold >= 0 and codes[a] == codes[b] == code
        ]
        (item,) = [one for one in found if one.metric == "class_accuracy" and one.group == name]
        assert (item.numerator, item.denominator) == (sum(right), len(right))
        assert item.value == pytest.approx(sum(right) / len(right))
        wrong[name] = 1 - sum(right) / len(right)
    (ratio,) = [one for one in found if one.metric == "skewed_error_ratio"]
    known = len(wrong) > 1 and min(wrong.values()) > 0
    assert ratio.value == (pytest.approx(max(wrong.values()) / min(wrong.values())) if known else None)


def test_a_system_against_another_does_not_depend_on_their_order() -> None:
    """Folds dealt to each system alone differ: one minus two and two minus one are of the same folds."""
    made = spec("accuracy", folds=Folds(source=FoldSource.DISJOINT, k=3))
    a, b = (put(made, name).fold_pairs for name in ("one", "two"))
    assert a is not None
    assert b is not None
    moved = replace(b, folds=np.random.default_rng(2).permutation(b.folds))
    there, back = (_between(*both, "x", {}, 0.05).value for both in ((a, moved), (moved, a)))
    assert there is not None
    assert there == -back


def test_a_system_against_another_has_no_interval_where_few_have_most_pairs() -> None:
    """One subject in most mated pairs: the note of the interval has the number by weight."""
    made = spec("accuracy", folds=Folds(source=FoldSource.DISJOINT, k=3))
    sides = [put(made, name).fold_pairs for name in ("one", "two")]
    whole = [side for side in sides if side is not None]
    heavy = [replace(side, first=np.where(side.at % 9 > 0, 0, side.first)) for side in whole]
    heavy = [replace(side, second=np.where(side.mated, side.first, side.second)) for side in heavy]
    noise = np.random.default_rng(1).normal(size=heavy[1].score.size)
    (interval,) = _between(heavy[0], replace(heavy[1], score=noise), "x", {}, 0.05).intervals
    assert interval.low is None
    assert interval.note is not None
    assert re.fullmatch(r"by weight these are 1\.\d+ subjects; a test needs 20", interval.note)


def test_a_system_against_another_on_common_pairs() -> None:
    """The difference on pairs that both scored, in one folding; one minus two is minus two minus one."""
    made = spec("accuracy", folds=Folds(source=FoldSource.DISJOINT, k=3))
    both = {"accuracy": Accuracy(against={"one": "two", "two": "one"})}
    result = audit(replace(made, analyses=both)).result
    there, back = (one(result, "delta_accuracy_systems", provider=name) for name in ("one", "two"))
    assert dict(there.at) == {"pairs": "folds", "against": "two"}
    of = {name: put(made, name).fold_pairs for name in ("one", "two")}
    a, b = of["one"], of["two"]
    assert a is not None
    assert b is not None
    assert a.at is not None
    assert b.at is not None
    known = {int(at): (bool(m), float(s)) for at, m, s in zip(a.at, a.mated, a.score, strict=True)}
    rows = [n for n, at in enumerate(b.at.tolist()) if at in known]
    mated = b.mated[rows]
    dealt = [a.folds[np.isin(a.at, b.at)].tolist(), b.folds[rows].tolist()]
    of_pair = np.array(min(dealt))
    first = np.array([known[int(b.at[n])][1] for n in rows])
    want = [k_fold_accuracy(score, mated, of_pair, 3).mean for score in (first, b.score[rows])]
    assert there.value == pytest.approx(want[0] - want[1])
    assert there.unit == f"difference of two systems on {len(rows)} common pairs"
    assert back.value == pytest.approx(-there.value)
    wrong = Accuracy(against={"one": "three"})
    with pytest.raises(
        SpecError, match="^analyses.accuracy.against: no system is named 'three'; accepted: one, two"
    ):
        check(replace(made, analyses={"accuracy": wrong}))
    with pytest.raises(SpecError, match="against itself"):
        Accuracy(against={"one": "one"})
