"""Tests of frtaudit.analyses.robustness and of what it stands on: influence, class_mixture and class_uncertainty."""

import csv
import io
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_audits import COHORT, SCHEMAS, TARGETS, B, audit, one, pick, plain, spec

import frtaudit
from frtaudit.analyses.differentials import Differentials
from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.failures import Failures
from frtaudit.analyses.interclass import Interclass
from frtaudit.analyses.robustness import Robustness
from frtaudit.core import AuditResult, Method
from frtaudit.core.spec import Bootstrap, FailureScore, Folds, FoldSource, SchemaSpec
from frtaudit.core.spec_values import NonMated
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline.audit import Audited

MIX = {"group": {"x": 0.8, "y": 0.2}}
WRONG = {"group": {"each": 0.1}}
WHOLE = Robustness(mix=MIX, mislabelled=WRONG)
MATERIAL = COHORT.load(SCHEMAS, 0)
CODES = MATERIAL.cohort.classifications["group"].codes


def made(analysis: Robustness = WHOLE, **changes: Any) -> Audited:
    """A small audit with robustness and what it is printed beside."""
    analyses = {
        "robustness": analysis,
        "differentials": Differentials(),
        "error_rates": ErrorRates(curve_points=9),
        "failures": Failures(),
        "interclass": Interclass(B=99, curve_points=5),
    }
    return audit(spec(analyses=analyses, **changes))


def lean(analysis: Robustness, *others: str, **changes: Any) -> Audited:
    """Robustness with few others and few replicates, for what those do not touch."""
    more = {"differentials": Differentials(), "error_rates": ErrorRates(curve_points=9)}
    analyses = {"robustness": analysis, **{name: more[name] for name in others}}
    return audit(spec(analyses=analyses, **{"bootstrap": Bootstrap(B=B // 4), **changes}))


@cache
def whole() -> Audited:
    """The audit with everything declared: one for all tests that only read."""
    return made()


def result() -> AuditResult:
    """Its result."""
    return whole().result


def rows(name: str, found: Audited | None = None) -> list[dict[str, str]]:
    """Lines of a list."""
    text = (found or whole()).files[f"robustness/{name}"].decode()
    return list(csv.DictReader(io.StringIO(text)))


def with_unknown(root: Path, *unknown: int) -> TemplateFolder:
    """The small cohort as a folder, some of its subjects without a class."""
    from small_audits import folder_of

    labels = [("" if k in unknown else "xy"[code]) for k, code in enumerate(CODES)]
    return folder_of(root, label=labels)


def test_a_kind_that_may_be_absent_stands_once_for_everybody_and_for_each_class() -> None:
    """1 - 0.05^(1/K) for the cohort and for each class, whatever the number of systems."""
    for group, size in (("all", 24), ("x", 12), ("y", 12)):
        (found,) = pick(result(), "absent_kind", group=group)
        assert found.provider == "every system"
        assert found.value == pytest.approx(1 - 0.05 ** (1 / size))
        assert (found.numerator, found.denominator) == (0, size)


def test_its_probability_is_the_declared_alpha() -> None:
    """With alpha 0.1 the share is 1 - 0.1^(1/K)."""
    found = lean(Robustness(), bootstrap=Bootstrap(B=B, alpha=0.1), providers=("two",)).result
    assert one(found, "absent_kind", group="all").value == pytest.approx(1 - 0.1 ** (1 / 24))


def false_matches(threshold: float) -> np.ndarray:
    """False matches by pair of subjects (24, 24), symmetric, from every score of system one."""
    scores = plain("one")
    hit = ~scores.mated & (scores.score > threshold)
    found = np.zeros((24, 24), int)
    np.add.at(found, (scores.first[hit], scores.second[hit]), 1)
    return found + found.T


@pytest.mark.parametrize("target", TARGETS)
def test_the_worst_share_splits_each_false_match_in_two(target: float) -> None:
    """Ends of false matches of the worst person over all ends, and false matches that person takes part in."""
    errors = false_matches(plain("one").threshold(target))
    at = {"fmr": target}
    ends = one_of("worst_share", at)
    assert (ends.numerator, ends.denominator) == (errors.sum(axis=1).max(), errors.sum())
    assert ends.at["subjects"] == 1
    hit = one_of("worst_involved", at)
    assert (hit.numerator, hit.denominator) == (errors.sum(axis=1).max(), errors.sum() // 2)


def one_of(metric: str, at: dict[str, Any], **where: Any) -> Any:
    """The only estimate of system one at a place, pooled, everybody unless said."""
    chosen = {"provider": "one", "weighting": "pooled", "group": "all", **where}
    (found,) = pick(result(), metric, at=at, **chosen)
    return found


@pytest.mark.parametrize("rate", ["fmr", "fnmr"])
@pytest.mark.parametrize(("group", "code"), [("all", None), ("x", 0), ("y", 1)])
@pytest.mark.parametrize("weighting", ["pooled", "identity"])
def test_leave_one_out_equals_counting_without_each_person(
    rate: str, group: str, code: int | None, weighting: str
) -> None:
    """Lowest and highest rate over everybody left out, at the threshold of the weighting, from every score."""
    scores = plain("one")
    threshold = one(
        result(), "threshold_at_fmr", provider="one", weighting=weighting, at={"fmr": 0.1}, schema=None
    ).value
    assert threshold is not None
    kind, inside = (scores.mated if rate == "fnmr" else ~scores.mated), scores.inside(code)
    slow = {}
    for k in range(24):
        if code is not None and CODES[k] != code:
            continue
        keep = kind & inside & (scores.first != k) & (scores.second != k)
        wrong = scores.score <= threshold if rate == "fnmr" else scores.score > threshold
        if weighting == "pooled":
            slow[k] = float(wrong[keep].mean())
        else:
            key = scores.first * 24 + scores.second
            slow[k] = float(np.mean([wrong[keep & (key == one)].mean() for one in np.unique(key[keep])]))
    named = rows("one/subjects.csv")
    for end, extreme in (("low", min(slow.values())), ("high", max(slow.values()))):
        found = one_of(f"{rate}_leave_one_out_{end}", {"fmr": 0.1}, group=group, weighting=weighting)
        assert found.value == pytest.approx(extreme, abs=1e-12)
        line = named[int(found.at["line"]) - 1]
        assert int(line["line"]) == found.at["line"]
        subject = MATERIAL.cohort.subject_ids.index(line["subject"])
        assert slow[subject] == pytest.approx(extreme, abs=1e-12)


def test_fixed_thresholds_are_left_one_out_too() -> None:
    """Every threshold of the grid has its extremes for everybody."""
    for threshold in (0.1, 0.2, 0.3):
        found = one_of("fmr_leave_one_out_high", {"threshold": threshold})
        assert found.numerator / found.denominator == found.value


def test_no_id_stands_in_the_result() -> None:
    """Subjects are named in lists, by line: no subject or sample id is in result.json."""
    text = result().to_bytes().decode()
    assert not [name for name in MATERIAL.cohort.subject_ids if name in text]
    assert any(
        name in whole().files["robustness/review.csv"].decode() for name in MATERIAL.cohort.subject_ids
    )


@pytest.mark.parametrize("number", [1, 3, 10])
def test_label_errors_leave_numerator_and_denominator(number: int) -> None:
    """The top comparisons alone, and all comparisons of the top pairs of people, are taken out of both counts."""
    scores = plain("one")
    threshold = scores.threshold(0.1)
    other = np.flatnonzero(~scores.mated)
    order = other[np.argsort(-scores.score[other], kind="stable")]
    errors, trials = scores.rate("fmr", threshold)
    alone = one_of("fmr_label_errors", {"fmr": 0.1, "label_errors": number, "of": "comparisons"})
    assert (alone.numerator, alone.denominator) == (errors - number, trials - number)
    top = list(dict.fromkeys((int(scores.first[n]), int(scores.second[n])) for n in order))[:number]
    gone = np.array(
        [pair in set(top) for pair in zip(scores.first.tolist(), scores.second.tolist(), strict=True)]
    )
    kept = ~scores.mated & ~gone
    people = one_of("fmr_label_errors", {"fmr": 0.1, "label_errors": number, "of": "people"})
    assert people.numerator == int((scores.score[kept] > threshold).sum())
    assert people.denominator == int(kept.sum())


def test_the_review_file_goes_out_and_comes_back(tmp_path: Path) -> None:
    """Ten pairs of each system, best first; verdicts take the people of label errors out and list whom to merge."""
    listed = rows("review.csv")
    assert {row["verdict"] for row in listed} == {""}
    assert len([row for row in listed if "one: " in row["ranks"]]) == 10
    text = whole().files["robustness/review.csv"].decode().splitlines()
    wrong = next(row for row in listed if "one: 1" in row["ranks"].split("; "))
    lines = [text[0]]
    for line, row in zip(text[1:], listed, strict=True):
        verdict = "same_identity" if row is wrong else "different" if "one: 2" in row["ranks"] else ""
        lines.append(line + verdict)
    path = tmp_path / "review.csv"
    path.write_text("\n".join(lines) + "\n")
    found = lean(replace(WHOLE, reviewed=str(path)))
    people = one_of("fmr_label_errors", {"fmr": 0.1, "label_errors": 1, "of": "people"})
    (reviewed,) = pick(found.result, "fmr_reviewed", provider="one", at={"fmr": 0.1})
    assert (reviewed.numerator, reviewed.denominator) == (people.numerator, people.denominator)
    (share,) = pick(found.result, "reviewed_label_errors", provider="one")
    assert share.numerator == 1
    assert share.denominator == len(
        [row for row in listed if {"one: 1", "one: 2"} & set(row["ranks"].split("; "))]
    )
    (merge,) = rows("label_errors.csv", found)
    assert set(merge.values()) == {wrong["subject"], wrong["other_subject"]}
    assert found.result.digests["inputs"]["review.csv"]  # type: ignore[index, call-overload]  # a mapping


def test_a_review_of_other_pairs_is_refused(tmp_path: Path) -> None:
    """A pair that was not selected for review, or an unknown verdict, is named with its line."""
    path = tmp_path / "review.csv"
    path.write_text("pair,verdict\nffff,different\n")
    with pytest.raises(DataError, match="was not selected for review"):
        lean(Robustness(reviewed=str(path)))


def test_bounds_stand_for_every_differential_and_hold_what_was_measured() -> None:
    """Failures (pooled) and wrong labels (both weightings): each index at each target, best no worse than measured."""
    counted = 0
    for item in pick(result(), "index_best_case"):
        at = dict(item.at)
        (worst,) = [
            other
            for other in pick(result(), "index_worst_case", provider=item.provider, weighting=item.weighting)
            if dict(other.at) == at
        ]
        where = {key: value for key, value in at.items() if key not in ("index", "missing")}
        (index,) = [
            other
            for other in pick(
                result(), str(at["index"]), provider=item.provider, group=item.group, schema="group"
            )
            if dict(other.at) == where and other.weighting == item.weighting
        ]
        assert item.value is not None
        assert worst.value is not None
        assert index.value is not None
        ends = sorted((item.value, worst.value))
        assert ends[0] - 1e-9 <= index.value <= ends[1] + 1e-9
        assert item.value == (ends[1] if at["index"] == "fdr" else ends[0])
        counted += 1
    rates_ = 11 * len(TARGETS)
    curves = 2
    wrong, failed = 2 * (2 * rates_ + curves), rates_ + curves
    assert counted == wrong + failed


def test_failed_comparisons_bound_the_ratio_of_groups() -> None:
    """max/min of FNMR: the ends of every combination of the classes' best- and worst-case FNMR that failures give."""
    ends = {
        (group, case): pick(result(), f"fnmr_{case}_case", provider="one", group=group, at={"fmr": 0.1})
        for group in "xy"
        for case in ("best", "worst")
    }
    rate = {key: found[0].value for key, found in ends.items() if found}
    low = [rate["x", "best"], rate["y", "best"]]
    high = [rate["x", "worst"], rate["y", "worst"]]
    where = {"fmr": 0.1, "index": "max_min", "rate": "fnmr", "missing": "failures"}
    assert one_of("index_worst_case", where).value == pytest.approx(max(high[0] / low[1], high[1] / low[0]))
    assert one_of("index_best_case", where).value == pytest.approx(
        max(1.0, low[0] / high[1], low[1] / high[0])
    )


def test_scored_failures_bound_nothing() -> None:
    """Where the spec scores failures none stands apart: no bounds for them."""
    found = lean(Robustness(), failures=FailureScore.SCORE_ZERO).result
    assert not [item for item in pick(found, "index_best_case") if item.at["missing"] == "failures"]


def test_unknown_people_bound_every_differential(tmp_path: Path) -> None:
    """Four people without a class: the count, and bounds that hold what their true classes give."""
    schemas = {"group": SchemaSpec(column="label", classes=("x", "y"), unknown=("",))}
    cohort = with_unknown(tmp_path, 1, 2, 9, 16)
    folds = Folds(source=FoldSource.DISJOINT, k=3)
    found = lean(Robustness(), cohort=cohort, schemas=schemas, providers=("one",), folds=folds).result
    truth = audit(spec("accuracy", "differentials", "interclass", providers=("one",), folds=folds)).result
    (count,) = pick(found, "unknown_subjects")
    assert (count.numerator, count.denominator) == (4, 24)
    held = 0
    for item in pick(found, "index_best_case", provider="one"):
        at = dict(item.at)
        if at["missing"] != "unknown":
            continue
        (worst,) = [
            other
            for other in pick(found, "index_worst_case", weighting=item.weighting)
            if dict(other.at) == at
        ]
        where = {key: value for key, value in at.items() if key not in ("index", "missing")}
        (index,) = [
            other
            for other in pick(truth, str(at["index"]), provider="one", group=item.group, schema="group")
            if dict(other.at) == where and other.weighting == item.weighting
        ]
        assert item.value is not None
        assert worst.value is not None
        assert index.value is not None
        ends = sorted((item.value, worst.value))
        assert ends[0] - 1e-9 <= index.value <= ends[1] + 1e-9
        assert ends[1] - ends[0] > 0
        held += 1
    assert held == 2 * 11 * len(TARGETS) + 2 + 1


@pytest.mark.parametrize("weighting", ["pooled", "identity"])
def test_another_mix_weighs_classes_and_their_pairs(weighting: str) -> None:
    """FNMR by shares, FMR by products of shares of ordered pairs of classes, at the global threshold."""
    scores = plain("one")
    shares = (0.8, 0.2)
    where = {"provider": "one", "weighting": weighting, "at": {"fmr": 0.1}}
    threshold = one(result(), "threshold_at_fmr", schema=None, **where).value
    assert threshold is not None

    def rate(kind: np.ndarray, wrong: np.ndarray) -> float:
        if weighting == "pooled":
            return float(wrong[kind].mean())
        key = scores.first * 24 + scores.second
        return float(np.mean([wrong[kind & (key == pair)].mean() for pair in np.unique(key[kind])]))

    first, second = CODES[scores.first], CODES[scores.second]
    fnmr = sum(shares[c] * rate(scores.mated & (first == c), scores.score <= threshold) for c in (0, 1))
    fmr = 0.0
    for c, d in ((0, 0), (0, 1), (1, 0), (1, 1)):
        kind = ~scores.mated & (((first == c) & (second == d)) | ((first == d) & (second == c)))
        fmr += shares[c] * shares[d] * rate(kind, scores.score > threshold)
    (single,) = [item for item in pick(result(), "fnmr_mix", **where) if "threshold_of" not in item.at]
    (double,) = pick(result(), "fmr_mix", **where)
    assert single.value == pytest.approx(fnmr)
    assert double.value == pytest.approx(fmr)
    assert [item.method for item in double.intervals] == [Method.WILSON]
    assert all(
        "each class of the mix needs" in (item.note or "") for item in single.intervals
    )  # so few errors
    for item in (*single.intervals, *double.intervals):
        if item.low is not None and item.high is not None and item.method is Method.WILSON:
            value = single.value if item in single.intervals else double.value
            assert value is not None
            assert item.low < value < item.high


@pytest.mark.parametrize(
    ("rate", "few"), [(0.0, "b has 0 errors of 0 subjects in 120 comparisons"), (0.3, None)]
)
def test_a_class_without_errors_has_no_part_in_an_interval(rate: float, few: str | None) -> None:
    """Its rate is not known to be 0: with a large share in the mix a limit at the true rate passed in a quarter."""
    rng = np.random.default_rng(1)
    people = [f"{group}{k}" for group, number in (("a", 60), ("b", 40)) for k in range(number)]
    others = np.array([rng.choice(100, 2, replace=False) for _ in range(3000)])
    sides = [np.concatenate([np.repeat(people, 3), np.array(people)[others[:, side]]]) for side in (0, 1)]
    wrong = rng.random(300) < np.where(np.char.startswith(sides[0][:300], "a"), 0.3, rate)
    scores = np.concatenate([np.where(wrong, 0.2, 0.9), 0.6 * rng.random(3000)])
    report = frtaudit.evaluate(
        scores, np.arange(3300) < 300, subjects=(sides[0], sides[1]), fmr=(0.05,),
        groups={"group": tuple(side.astype("<U1") for side in sides)},
        overrides=["+analyses.robustness={mix: {group: {a: 0.2, b: 0.8}}}", "bootstrap.B=99"],
    )  # fmt: skip
    (mixed, _) = pick(report.result, "fnmr_mix", weighting="pooled")
    methods = {interval.method: interval for interval in mixed.intervals}
    assert {Method.WILSON, Method.VERTEX} <= set(methods)
    for interval in methods.values():
        assert (interval.low is None) == (few is not None)
        assert (interval.note or "").partition(":")[0] == (few or "")


def test_the_sampled_mix_is_the_audit_itself(tmp_path: Path) -> None:
    """With a mix that is all one class the rates are those of that class."""
    found = lean(Robustness(mix={"group": {"x": 1.0}}), "error_rates", providers=("two",)).result
    for mixed, measured in (("fmr_mix", "fmr"), ("fnmr_mix", "fnmr_at_fmr")):
        for weighting in ("pooled", "identity"):
            (item,) = [
                other
                for other in pick(found, mixed, weighting=weighting, at={"fmr": 0.03})
                if "threshold_of" not in other.at
            ]
            own = one(found, measured, group="x", weighting=weighting, at={"fmr": 0.03})
            assert item.value == pytest.approx(own.value)
            if (
                mixed == "fmr_mix"
            ):  # more of nobody: the pair and the person that were not sampled count here too
                assert [(interval.low, interval.high) for interval in item.intervals] == [
                    (pytest.approx(interval.low), pytest.approx(interval.high))
                    for interval in own.intervals
                    if interval.method is Method.WILSON
                ]


def test_strangers_of_one_class_only_where_the_protocol_compares_no_others() -> None:
    """Within-group comparisons: the mix weighs classes by the squares of their shares, and says so."""
    protocol = AllPairs(non_mated=NonMated.WITHIN_GROUP)
    found = lean(WHOLE, "error_rates", protocol=protocol, providers=("two",)).result
    for item in pick(found, "fmr_mix", weighting="pooled"):
        rates = [one(found, "fmr", group=group, weighting="pooled", at=dict(item.at)).value for group in "xy"]
        assert item.value == pytest.approx((0.64 * rates[0] + 0.04 * rates[1]) / 0.68)  # type: ignore[operator]  # known
        assert "left out of the mix" in (item.note or "")
    hidden = [
        item
        for item in pick(found, "index_behind_labels")
        if "fmr" in (item.at.get("rate"), "fmr") and item.value is None
    ]
    assert hidden


def test_no_index_of_rates_outside_0_to_1() -> None:
    """With two labels in five wrong a corrected FNMR lies beyond 1: no index of it, with the reason; FMR has one."""
    spec_ = Robustness(mislabelled={"group": {"each": 0.4}})
    found = lean(spec_, "differentials", providers=("two",)).result
    here = [row for row in pick(found, "index_behind_labels", weighting="pooled") if row.at["fmr"] == 0.03]
    assert here
    for row in here:
        if row.at.get("rate") == "fmr":
            assert (row.value is None, row.note) == (False, None)
        else:
            assert row.value is None
            assert (
                row.note
                == "a corrected rate lies outside 0 to 1, by chance or because fewer labels are wrong"
            )


def test_mostly_wrong_labels_have_no_index_behind_them() -> None:
    """More than half of the labels wrong: no value, and the note asks for mostly right ones."""
    spec_ = Robustness(mislabelled={"group": {"each": 0.6}})
    rows = pick(lean(spec_, "differentials", providers=("two",)).result, "index_behind_labels")
    assert rows
    assert {(row.value, str(row.note).endswith("mostly right labels")) for row in rows} == {(None, True)}


def test_behind_the_labels_undoes_a_known_mislabelling() -> None:
    """At a rate of 0 nothing moves: the index behind the labels is the one measured."""
    spec_ = Robustness(mislabelled={"group": {"x": 1e-12, "y": 0.0}})
    found = lean(spec_, "differentials", providers=("two",)).result
    for item in pick(found, "index_behind_labels", weighting="identity"):
        where = {key: value for key, value in item.at.items() if key != "index"}
        (index,) = [
            other
            for other in pick(found, str(item.at["index"]), weighting="identity", schema="group")
            if dict(other.at) == where
        ]
        assert item.value == pytest.approx(index.value)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({"worst": 0.0}, "analyses.robustness.worst: found 0"),
        ({"label_errors": ()}, "analyses.robustness.label_errors: names no pair"),
        ({"mix": {"group": {"x": 0.5, "y": 0.6}}}, "analyses.robustness.mix.group: shares that are negative"),
        ({"mislabelled": {"group": {"x": 1.0}}}, "analyses.robustness.mislabelled.group.x: found 1"),
    ],
)
def test_numbers_that_are_no_shares_are_refused(wrong: dict[str, Any], line: str) -> None:
    """One line names the field, the value, and what would be accepted."""
    with pytest.raises(SpecError) as caught:
        Robustness(**wrong)
    assert str(caught.value).startswith(line)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (
            {"mix": {"tone": {"x": 1.0}}},
            "analyses.robustness.mix: no schema is named 'tone'; accepted: group",
        ),
        (
            {"mix": {"group": {"z": 1.0}}},
            "analyses.robustness.mix.group: group has no class 'z'; accepted: x, y",
        ),
        (
            {"mislabelled": {"group": {"z": 0.1}}},
            "analyses.robustness.mislabelled.group: group has no class 'z'; accepted: x, y, each",
        ),
    ],
)
def test_classes_that_the_cohort_has_not_are_refused_before_scoring(wrong: dict[str, Any], line: str) -> None:
    """The survey of the cohort finds them."""
    with pytest.raises(SpecError) as caught:
        lean(Robustness(**wrong))
    assert str(caught.value) == line


def test_it_moves_no_other_number() -> None:
    """The other estimates are the same with robustness and without."""
    without = audit(spec("error_rates", "failures")).result
    beside = audit(
        spec(
            analyses={
                "error_rates": spec("error_rates").analyses["error_rates"],
                "failures": Failures(),
                "robustness": WHOLE,
            }
        )
    ).result
    others = [item for item in beside.estimates if item.analysis != "robustness"]
    assert others == list(without.estimates)


def test_no_schema_no_classes() -> None:
    """Without schemas people and pairs are looked at, and no class is."""
    found = lean(Robustness(), schemas={}, providers=("two",)).result
    assert len(pick(found, "absent_kind")) == 1
    assert not pick(found, "index_best_case")
    assert pick(found, "worst_share")
