from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_audits import (
    ANALYSES,
    CLASSES,
    COHORT,
    SCHEMAS,
    TARGETS,
    audit,
    one,
    pick,
    plain,
    put,
    score_lines,
    spec,
    whole,
)

from frtaudit.analyses.failures import _by_variance
from frtaudit.core import AuditResult, Method, Templates
from frtaudit.core.spec import FailureScore, Plan, RequirementSpec
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.datasets.protocols.round_robin import RoundRobin
from frtaudit.evaluation.intervals import RateSummary
from frtaudit.stats.intervals.rate_bounds import RateBounds

MATERIAL = COHORT.load(SCHEMAS, 0)
CODES = MATERIAL.cohort.classifications["group"].codes
GROUPS = [("all", None), ("x", 0), ("y", 1)]
LOST = (*np.flatnonzero(plain().mated)[[0, 7, 30]].tolist(), 50, 51, 400, 1500)


def failed_of(code: int | None) -> tuple[int, int]:
    """Failed and all samples of a class in system "one"."""
    subjects = MATERIAL.cohort.subject_of
    inside = np.ones(len(subjects), bool) if code is None else CODES[subjects] == code
    return sum(bool(inside[sample]) for sample in MATERIAL.failures["one"]), int(inside.sum())


def listed(root: Path, **changes: object) -> AuditResult:
    """The score-list audit with some failed comparisons."""
    pd.DataFrame(score_lines(failed=LOST)).to_csv(root / "one.csv", index=False)
    cohort = ScoreLists(root=str(root / "one.csv"))
    return audit(spec("failures", "error_rates", cohort=cohort, protocol=Listed(), **changes)).result


@pytest.mark.parametrize(("group", "code"), GROUPS)
def test_fta_is_failed_samples_over_samples(group: str, code: int | None) -> None:
    """FTA per provider and group with its counts, and intervals for the population and for independent samples."""
    found = one(whole().result, "fta", provider="one", group=group)
    failed, tried = failed_of(code)
    assert failed
    assert (found.numerator, found.denominator, found.value) == (failed, tried, failed / tried)
    assert found.unit == "share of samples"
    assert [item.method for item in found.intervals] == [Method.WILSON, Method.WILSON_IID]
    for item in found.intervals:
        assert item.low is not None
        assert item.high is not None
        assert item.low < failed / tried < item.high


@pytest.mark.parametrize(("group", "code"), GROUPS)
@pytest.mark.parametrize("target", TARGETS)
def test_frr_counts_failures_as_rejections(group: str, code: int | None, target: float) -> None:
    """FRR = FTA + FNMR (1 - FTA), FNMR pooled at the FMR target."""
    found = one(whole().result, "frr", provider="one", group=group, at={"fmr": target})
    failed, tried = failed_of(code)
    errors, mated = plain().rate("fnmr", plain().threshold(target), code)
    fta = failed / tried
    assert found.value == pytest.approx(fta + errors / mated * (1 - fta), rel=1e-12)
    (made,) = found.intervals
    assert made.low is not None
    assert made.high is not None
    assert made.low < (found.value or 0) < made.high


def test_without_failures_frr_is_fnmr() -> None:
    """A provider without failures has FRR = FNMR, FTA 0 with an upper bound, and neither best nor worst case."""
    result = whole().result
    for item in pick(result, "frr", provider="two"):
        where = {"provider": "two", "group": item.group, "weighting": "pooled", "analysis": "error_rates"}
        assert item.value == one(result, "fnmr_at_fmr", at=dict(item.at), **where).value
    for item in pick(result, "fta", provider="two"):
        assert (item.value, item.numerator) == (0.0, 0)
        assert item.intervals[0].low == 0.0
        assert (item.intervals[0].high or 0) > 0
    assert not pick(result, "fnmr_best_case", provider="two")
    assert pick(result, "fnmr_best_case", provider="one")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("group", "code"), GROUPS)
def test_best_and_worst_case_hold_every_imputation(target: float, group: str, code: int | None) -> None:
    """Whatever the failed samples' scores were, the rates at the threshold lie between best and worst case."""
    result = whole().result
    cohort, made = MATERIAL.cohort, plain()
    threshold = made.threshold(target)
    i, j = np.triu_indices(cohort.n_samples, 1)
    first, second = cohort.subject_of[i], cohort.subject_of[j]
    failed = np.isin(i, list(MATERIAL.failures["one"])) | np.isin(j, list(MATERIAL.failures["one"]))
    inside = np.ones(len(i), bool) if code is None else (CODES[first] == code) & (CODES[second] == code)
    rng = np.random.default_rng(5)
    imputations = [np.full(len(i), -1.0), np.full(len(i), 1.0), *rng.uniform(-1, 1, (5, len(i)))]
    for rate in ("fnmr", "fmr"):
        where = {"provider": "one", "group": group, "at": {"fmr": target}}
        best, worst = (one(result, f"{rate}_{case}_case", **where) for case in ("best", "worst"))
        seen = []
        for scores in imputations:
            filled = scores.copy()
            filled[~failed] = made.score
            kind = inside & ((first == second) if rate == "fnmr" else (first != second))
            wrong = filled[kind] <= threshold if rate == "fnmr" else filled[kind] > threshold
            assert kind.sum() == best.denominator == worst.denominator
            seen.append(int(wrong.sum()))
        assert (min(seen), max(seen)) == (best.numerator, worst.numerator)


def test_the_ledger_adds_up() -> None:
    """Failures by code are counted for everybody and by class, and the classes add up; nobody is named unasked."""
    entries = [item for item in whole().result.failures if item.provider == "one"]
    everybody = {(item.code, item.unit): item.count for item in entries if item.schema is None}
    assert list(everybody) == [("fold_pair_without_score", "pairs"), ("synthetic_failure", "samples")]
    assert everybody["synthetic_failure", "samples"] == len(MATERIAL.failures["one"])
    classes = {item.group: item.count for item in entries if item.schema == "group"}
    assert sum(classes.values()) == len(MATERIAL.failures["one"])
    assert set(classes) == set(CLASSES)
    assert not any(item.names for item in whole().result.failures)
    assert not [item for item in whole().result.failures if item.provider == "two"]


def test_failures_are_named_when_the_spec_asks() -> None:
    """`name_failures` names the failed samples once, for everybody."""
    result = audit(spec("failures", name_failures=True)).result
    named = [item for item in result.failures if item.names]
    assert len(named) == 1
    ids = MATERIAL.cohort.sample_ids
    assert set(named[0].names) == {ids[sample] for sample in MATERIAL.failures["one"]}


def test_lists_count_failed_comparisons(tmp_path: Path) -> None:
    """For score lists FTA is failed over attempted comparisons, says so, and belongs to the probe's group."""
    result = listed(tmp_path)
    lines = score_lines(failed=LOST)
    for group, name in (("all", None), ("x", "x"), ("y", "y")):
        mine = [line for line in lines if name is None or line["probe_group"] == name]
        found = one(result, "fta", group=group)
        lost = sum(bool(line["failure"]) for line in mine)
        assert (found.numerator, found.denominator) == (lost, len(mine))
        assert found.unit == "share of attempted comparisons"
    (entry,) = [item for item in result.failures if item.schema is None]
    assert (entry.code, entry.count, entry.unit) == ("no_face", len(LOST), "comparisons")
    fnmr = one(result, "fnmr", group="all", weighting="pooled", at={"threshold": 0.2})
    assert fnmr.denominator == sum(
        line["probe_subject"] == line["reference_subject"] and not line["failure"] for line in lines
    )


@pytest.mark.parametrize("source", ["templates", "scores"])
def test_score_zero_puts_failures_into_fnmr(source: str, tmp_path: Path) -> None:
    """With score_zero a failed comparison is a non-match, FRR is FNMR, and FTA and the failures still count it."""
    if source == "scores":
        apart, zero = (listed(tmp_path, failures=kind) for kind in FailureScore)
    else:
        apart, zero = (audit(spec("failures", "error_rates", failures=kind)).result for kind in FailureScore)
    assert zero.failures == apart.failures
    for item in pick(apart, "fta"):
        beside = one(zero, "fta", provider=item.provider, group=item.group)
        assert (beside.numerator, beside.denominator) == (item.numerator, item.denominator)
    where = {"provider": "one", "group": "all", "weighting": "pooled", "at": {"threshold": 0.2}}
    kept, scored = one(apart, "fnmr", **where), one(zero, "fnmr", **where)
    lost = (scored.denominator or 0) - (kept.denominator or 0)
    assert lost > 0
    assert scored.numerator == (kept.numerator or 0) + lost
    assert not pick(apart, "fnmr_worst_case", at={"threshold": 0.2})
    matches = one(zero, "fmr", **where)
    assert matches.numerator == one(apart, "fmr", **where).numerator
    assert (matches.denominator or 0) > (one(apart, "fmr", **where).denominator or 0)
    for item in pick(zero, "frr", provider="one", group="all"):
        place = {"provider": "one", "group": "all", "weighting": "pooled", "at": dict(item.at)}
        assert item.value == one(zero, "fnmr_at_fmr", **place).value
    assert not pick(zero, "fnmr_worst_case")
    assert pick(apart, "fnmr_worst_case")


def test_where_a_requirement_limits_fnmr_at_a_threshold_the_worst_case_stands_there() -> None:
    """It is the rate in which every failed comparison is a non-match."""
    limit = RequirementSpec(name="limit", metric="fnmr", limit=0.9, at={"threshold": 0.2})
    apart, zero = (
        audit(spec("failures", "error_rates", failures=kind, requirements=(limit,))).result
        for kind in FailureScore
    )
    where = {"provider": "one", "weighting": "pooled", "at": {"threshold": 0.2}}
    for group, _ in GROUPS:
        worst, scored = (
            one(*of, group=group, **where) for of in ((apart, "fnmr_worst_case"), (zero, "fnmr"))
        )
        assert (worst.numerator, worst.denominator) == (scored.numerator, scored.denominator)


@pytest.mark.usefixtures("one_pass")
def test_below_the_tail_frr_is_refused() -> None:
    """Where the threshold lies below the kept tail FRR is null with a note, and no case is bounded."""
    result = audit(spec("failures", tail_budget=1)).result
    assert {item.value for item in pick(result, "frr")} == {None}
    assert {item.note for item in pick(result, "frr")} == {
        "the threshold lies below the floor of the kept tail"
    }
    assert not pick(result, "fnmr_worst_case")
    assert one(result, "fta", provider="one", group="all").value is not None


def test_a_group_that_was_never_tried(tmp_path: Path) -> None:
    """A class whose samples are never probes has no FTA and no FRR, and says why."""
    lines = [line for line in score_lines() if line["probe_group"] == "x"]
    pd.DataFrame(lines).to_csv(tmp_path / "one.csv", index=False)
    made = spec("failures", cohort=ScoreLists(root=str(tmp_path / "one.csv")), protocol=Listed())
    result = audit(made).result
    fta = one(result, "fta", group="y")
    assert (fta.value, fta.denominator, fta.note) == (None, 0, "nothing was tried in this group")
    assert [item.note for item in fta.intervals] == ["nothing was tried"]
    assert {item.note for item in pick(result, "frr", group="y")} == {"no comparison"}
    assert one(result, "fta", group="x").value == 0.0


def test_a_group_that_lost_every_sample() -> None:
    """Where nothing could be compared FRR is null with a note and FTA is 1."""
    made = spec("failures", analyses={"failures": ANALYSES["failures"]})
    cohort_data = replace(MATERIAL, failures={})
    lost = [n for n in range(cohort_data.cohort.n_samples) if CODES[cohort_data.cohort.subject_of[n]] == 0]
    assert lost

    class Source:
        """The synthetic cohort, all templates of class x missing."""

        def load(self, schemas: object, seed: int) -> object:
            full = MATERIAL.templates["two"]()
            rows = np.setdiff1d(full.rows, lost).astype(np.int32)
            kept = Templates(rows=rows, vectors=full.vectors[rows])
            return replace(
                MATERIAL, templates={"two": lambda: kept}, failures={"two": dict.fromkeys(lost, "no_face")}
            )

    system = put(replace(made, cohort=Source()), "two")
    found = {
        (item.metric, item.group): item for item in ANALYSES["failures"].estimates(system, 0.05).estimates
    }
    assert found["fta", "x"].value == 1.0
    assert found["frr", "x"].value is None
    assert found["frr", "x"].note == "no comparison"
    assert found["frr", "y"].value is not None


def test_frr_never_takes_an_estimated_zero_for_known() -> None:
    """Few failures or few errors: FRR's bounds join the ends of both parts; only a scored failure is no estimate."""
    for provider, failures in (("two", FailureScore.APART), ("two", FailureScore.SCORE_ZERO)):
        result = audit(spec("failures", "error_rates", providers=(provider,), failures=failures)).result
        for item in pick(result, "frr", group="all"):
            (fta,) = [
                made for made in one(result, "fta", group="all").intervals if made.method is Method.WILSON
            ]
            fnmr = one(result, "fnmr_at_fmr", group="all", weighting="pooled", at=dict(item.at)).intervals[0]
            low, high = fnmr.low or 0.0, fnmr.high or 0.0
            if failures is FailureScore.APART:
                low, high = (a + b * (1 - a) for a, b in ((fta.low or 0.0, low), (fta.high or 0.0, high)))
            assert (item.intervals[0].low, item.intervals[0].high) == pytest.approx((low, high))


def test_templates_count_failed_samples_whatever_is_compared() -> None:
    """Under round_robin, which lists comparisons, FTA and the failed templates still count samples."""
    result = audit(spec("failures", protocol=RoundRobin())).result
    found = one(result, "fta", provider="one", group="all")
    assert (found.numerator, found.denominator) == failed_of(None)
    assert found.unit == "share of samples"
    mine = [item for item in result.failures if item.provider == "one" and item.schema is None]
    assert [item.unit for item in mine] == ["samples"] * len(mine)
    assert sum(item.count for item in mine) == found.numerator


def test_frr_allows_for_one_more_bad_image() -> None:
    """Its upper bound rises with what such an image would add to FNMR (FORMULAS 8.1, its departure)."""
    drawn = np.random.default_rng(1).normal(0.1, 0.01, 199)
    tried = np.full(60, 5)
    summary = RateSummary(
        value=0.1, vstat=0.1, errors=40, trials=400, subjects_with_errors=20, replicates={Plan.SUBJECTS: drawn}
    )  # fmt: skip
    one_more = RateBounds(rate=0.1, n_eff=900.0, degrees=59.0, image=0.2)
    equal, unequal = (
        _by_variance(summary, 0.05, np.arange(60) % 4 // 3, tried, drawn, 0.05)
        for summary in (summary, replace(summary, bounds=lambda: one_more))
    )
    assert equal is not None
    assert unequal is not None
    assert unequal.low == equal.low
    assert (unequal.high or 0) > (equal.high or 1)
