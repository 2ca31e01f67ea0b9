import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_audits import (
    ANALYSES,
    COHORT,
    EXPLICIT,
    REQUIREMENTS,
    SCHEMAS,
    audit,
    folder_of,
    one,
    pick,
    plain,
    spec,
    whole,
    whole_spec,
)

from frtaudit.config.json_schema import schema_text
from frtaudit.core import AuditResult, Estimate, Method, Verdict
from frtaudit.core.methods import Sided
from frtaudit.core.spec import Bootstrap, RequirementSpec, SchemaSpec, Thresholds
from frtaudit.errors import SpecError

ITEM = tuple[str, str, str | None, str, str | None, str]


def key(item: Any) -> ITEM:
    """What names an estimate."""
    at = json.dumps(dict(sorted(item.at.items())))
    return (item.provider, item.metric, item.schema, item.group, item.weighting, f"{item.analysis} {at}")


def numbers(result: AuditResult) -> dict[ITEM, Any]:
    """Every estimate by what names it."""
    found = {key(item): item for item in result.estimates}
    assert len(found) == len(result.estimates)
    return found


def test_the_result_follows_its_json_schema() -> None:
    """A whole result validates against the published JSON Schema, closed parts included, and survives JSON."""
    content = json.loads(whole().result.to_bytes())
    jsonschema.Draft202012Validator(json.loads(schema_text("result"))).validate(content)
    assert AuditResult.from_json(content) == whole().result


def test_every_estimate_is_named_once() -> None:
    """No two estimates of a result share provider, analysis, metric, schema, group, weighting and place."""
    assert len(numbers(whole().result)) == len(whole().result.estimates) > 200


def test_counts_are_the_value() -> None:
    """Where a pooled rate has counts its value is their quotient; every interval holds low <= high or says why."""
    checked = 0
    for item in whole().result.estimates:
        if item.weighting == "pooled" and item.numerator is not None and item.denominator:
            assert item.value == item.numerator / item.denominator
            checked += 1
        for made in item.intervals:
            assert (made.low is None) == (made.high is None)
            assert made.low is not None or made.note
    assert checked > 50


def test_the_same_spec_gives_the_same_bytes() -> None:
    """A second run of the same spec gives the same result and the same tables, bit for bit."""
    again = audit(whole_spec())
    assert again.result.to_bytes() == whole().result.to_bytes()
    for name, tables in whole().tables.items():
        for first, second in zip(tables, again.tables[name], strict=True):
            assert first.equals(second)


def test_threads_change_nothing() -> None:
    """One thread and two give the same bytes: thread counts are no part of the audit."""
    assert audit(whole_spec(threads=2)).result.to_bytes() == whole().result.to_bytes()


def raw(item: Estimate) -> Estimate:
    """An estimate without what is adjusted over a family of tests, which more analyses make larger."""
    if item.test is None:
        return item
    return replace(item, test=replace(item.test, p_adjusted=None, family=None, note="raw"))


@pytest.mark.parametrize("name", sorted(ANALYSES))
def test_adding_analyses_moves_no_number(name: str) -> None:
    """Each analysis alone gives exactly the estimates and curves that it gives beside all others."""
    made = whole_spec()
    alone = audit(replace(made, analyses={name: ANALYSES[name]}, requirements=())).result
    beside = numbers(whole().result)
    for item in alone.estimates:
        assert raw(item) == raw(beside[key(item)])
    assert alone.estimates or alone.curves
    assert set(map(repr, alone.curves)) <= set(map(repr, whole().result.curves))


def test_requirements_are_judged_on_one_sided_bounds() -> None:
    """Each finding points at its estimate; its bound is Wilson's, one-sided at its level; the EER alone has none."""
    seen: dict[str, list[Verdict]] = {}
    for finding in whole().result.findings:
        assert finding.estimate is not None
        item = whole().result.estimates[int(finding.estimate.rsplit("/", 1)[1])]
        seen.setdefault(finding.requirement, []).append(finding.verdict)
        if finding.verdict is Verdict.NOT_TESTABLE:
            continue
        wilson = next(found for found in item.intervals if found.method.value == "wilson")
        assert wilson.one_sided is not None
        assert finding.bound_level is not None
        made = wilson.one_sided(1 - finding.bound_level)
        assert finding.bound == pytest.approx(made.low if finding.verdict is Verdict.FAIL else made.high)
        assert finding.family == len(whole().result.findings)
        if finding.verdict is Verdict.PASS:
            assert finding.bound_level == pytest.approx(0.95)
    assert set(seen) == {item.name for item in REQUIREMENTS}
    assert seen["low"] == [Verdict.PASS, Verdict.PASS]
    assert seen["each"] == [Verdict.FAIL] * 4
    assert set(seen["eer"]) == {Verdict.NOT_TESTABLE}
    assert any("a failure by Holm over all findings" in note for note in whole().result.notes)


def test_one_sided_bounds_are_those_of_an_audit_at_twice_alpha() -> None:
    """Wilson's, percentile and d_l2's intervals, each bound at alpha, are the intervals of an audit at 2 alpha."""
    made = replace(whole_spec(), requirements=())
    doubled = numbers(audit(replace(made, bootstrap=replace(made.bootstrap, alpha=0.1))).result)
    checked = set()
    for item in whole().result.estimates:
        for first, second in zip(item.intervals, doubled[key(item)].intervals, strict=True):
            if first.one_sided is None or first.low is None or first.method is Method.MAX_T:
                continue
            again = first.one_sided(0.05)
            if second.low is not None:
                assert (again.low, again.high) == pytest.approx((second.low, second.high), rel=1e-12)
                checked.add(first.method)
    assert {Method.WILSON, Method.VERTEX, Method.VERTEX_GAUSSIAN, Method.T} <= checked


def test_too_few_replicates_for_the_family_are_refused() -> None:
    """Before anything is scored: 8 findings at alpha 0.05 need B = 159, and the line says so."""
    made = whole_spec()
    with pytest.raises(
        SpecError, match=r"^bootstrap\.B: B = 158 .* alpha = 0\.05 \(findings: 8\); .* 159 or"
    ):
        audit(replace(made, bootstrap=replace(made.bootstrap, B=158)))


def test_a_two_sided_finding_needs_twice_the_replicates() -> None:
    """Its p of replicates is 2/(B+1) at least: 8 findings at alpha 0.05 need B = 319."""
    made = whole_spec()
    both = tuple(replace(item, sided=Sided.TWO) for item in made.requirements)
    with pytest.raises(
        SpecError,
        match=r"^bootstrap\.B: B = 318 .* \(findings: 8, twice for the two-sided 'eer'\); .* 319 or",
    ):
        audit(replace(made, requirements=both, bootstrap=replace(made.bootstrap, B=318)))


def test_requirements_change_no_estimate() -> None:
    """With and without requirements the estimates and curves are the same."""
    bare = audit(replace(whole_spec(), requirements=())).result
    assert bare.estimates == whole().result.estimates
    assert bare.curves == whole().result.curves


def test_a_refused_target_is_not_testable() -> None:
    """A requirement at a target that one provider cannot resolve is not testable there and says the smallest target."""
    requirement = RequirementSpec(name="r", metric="fnmr_at_fmr", at={"fmr": 0.002}, limit=0.5)
    made = spec(thresholds=Thresholds(fmr=(0.1, 0.002), grid=EXPLICIT), requirements=(requirement,))
    first, second = audit(made).result.findings
    assert first.verdict is Verdict.NOT_TESTABLE
    assert "the smallest target allowed is 0.00257" in first.sentence
    assert second.verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("at", "count"),
    [
        ({"recommended": "high"}, 1),
        ({"threshold": 0.35}, 1),
        ({"threshold": 0.35, "recommended": "high"}, 1),
        ({}, 0),
    ],
)
def test_a_vendors_threshold_can_be_required(at: dict[str, float | str], count: int) -> None:
    """A requirement names a vendor's threshold by name, by value, or both."""
    from frtaudit.datasets.providers.cosine import Cosine

    vendor = Cosine(name="two", recommended={"high": 0.35}, thresholds_version="3")
    requirement = RequirementSpec(name="r", metric="fnmr", at=at, limit=1.0)
    result = audit(spec(providers=(vendor,), requirements=(requirement,))).result
    pointed = [finding for finding in result.findings if finding.estimate is not None]
    assert len(pointed) == count


@pytest.mark.parametrize("metric", ["fdr", "inequity_rate", "garbe"])
def test_a_composite_index_can_be_required(metric: str) -> None:
    """A requirement on a composite index needs the FMR target only: an audit has one weight."""
    requirement = RequirementSpec(name="r", metric=metric, at={"fmr": 0.1}, limit=1.0, schema="group")
    result = audit(spec("differentials", requirements=(requirement,))).result
    assert [finding.estimate is not None for finding in result.findings] == [True, True]


def test_schemas_cross(tmp_path: Path) -> None:
    """A crossed schema's classes join with &, and its counts are those of both classes at once."""
    ages = ["young", "old"] * 12
    source = folder_of(tmp_path / "faces", age=ages)
    schemas = {
        "group": SCHEMAS["group"],
        "age": SchemaSpec(column="age", classes=("young", "old")),
        "both": SchemaSpec(cross=("group", "age")),
    }
    result = audit(spec(cohort=source, schemas=schemas, providers=("two",))).result
    made = plain("two")
    codes = COHORT.load(SCHEMAS, 0).cohort.classifications["group"].codes
    for c, sex in enumerate("xy"):
        for a, age in enumerate(("young", "old")):
            member = (codes == c) & (np.array([ages[k] for k in range(24)]) == ("young", "old")[a])
            inside = member[made.first] & member[made.second]
            for rate, kind in (("fnmr", made.mated), ("fmr", ~made.mated)):
                scores = made.score[inside & kind]
                wrong = (scores <= 0.2) if rate == "fnmr" else (scores > 0.2)
                where = {"schema": "both", "weighting": "pooled", "at": {"threshold": 0.2}}
                found = one(result, rate, group=f"{sex}&{age}", **where)
                assert (found.numerator, found.denominator) == (wrong.sum(), scores.size)


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> dict[ITEM, Any]:
    """Estimates of the cohort as a folder of templates in its own order."""
    root = tmp_path_factory.mktemp("ordered")
    return numbers(audit(small(folder_of(root / "faces"))).result)


def small(cohort: Any, **changes: Any) -> Any:
    """A quick audit of a folder: counts, thresholds, EER, failures, accuracy-free."""
    return spec("error_rates", "failures", cohort=cohort, bootstrap=Bootstrap(B=39, plans=()), **changes)


@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_of_rows_changes_nothing(
    ordered: dict[ITEM, Any], tmp_path_factory: Any, seed: int
) -> None:
    """Metadata rows and template rows in any order give the same estimates, intervals included."""
    count = COHORT.load(SCHEMAS, 0).cohort.n_samples
    source = folder_of(
        tmp_path_factory.mktemp("faces") / "faces", np.random.default_rng(seed).permutation(count)
    )
    assert numbers(audit(small(source)).result) == ordered


@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_names_of_subjects_change_no_estimate(
    ordered: dict[ITEM, Any], tmp_path_factory: Any, seed: int
) -> None:
    """Renaming subjects and samples, which reorders the cohort, leaves every value and count."""
    root = tmp_path_factory.mktemp("renamed") / "faces"
    source = folder_of(root)
    names = [f"name_{n:02d}" for n in np.random.default_rng(seed).permutation(24)]
    rename = {f"subject_{k:02d}": names[k] for k in range(24)}

    def renamed(text: str) -> str:
        for old, new in rename.items():
            text = text.replace(old, new)
        return text

    (root / "metadata.csv").write_text(renamed((root / "metadata.csv").read_text()))
    for path in sorted((root / "templates").glob("*.npz")):
        with np.load(path) as found:
            embedding, ids = found["embedding"], found["image_id"]
        np.savez(path, embedding=embedding, image_id=np.array([renamed(str(name)) for name in ids]))
    same = numbers(audit(small(source)).result)
    assert set(same) == set(ordered)
    for name, item in ordered.items():
        assert (same[name].numerator, same[name].denominator) == (item.numerator, item.denominator)
        assert same[name].value == (None if item.value is None else pytest.approx(item.value, rel=1e-9))


def test_the_order_of_classes_changes_no_estimate(ordered: dict[ITEM, Any], tmp_path: Path) -> None:
    """Classes declared in the other order give the same numbers under the same names."""
    turned = {"group": replace(SCHEMAS["group"], classes=("y", "x"))}
    same = numbers(audit(small(folder_of(tmp_path / "faces"), schemas=turned)).result)
    assert set(same) == set(ordered)
    for name, item in ordered.items():
        assert (same[name].value, same[name].numerator) == (item.value, item.numerator)


def test_what_classes_are_called_and_their_order_move_no_bound() -> None:
    """Classes renamed and declared the other way round: values, bounds, p values and verdicts stay as they were."""
    called = {"zebra": "x", "ant": "y"}
    people = dict(zip(called, COHORT.classes.values(), strict=True))
    schemas = {"group": SchemaSpec(column="group", classes=("ant", "zebra"))}
    turned = audit(whole_spec(cohort=replace(COHORT, classes=people), schemas=schemas)).result
    same = {}
    for item in turned.estimates:
        names = sorted(called.get(name, name) for name in item.group.split("|"))
        same[key(replace(item, group="|".join(names)))] = item
    known = numbers(whole().result)
    assert set(same) == set(known)
    for name, item in known.items():
        other = same[name]
        assert other.value == (None if item.value is None else pytest.approx(item.value, rel=1e-9)), name
        ends = [[one.low, one.high] for one in item.intervals]
        assert [[one.low, one.high] for one in other.intervals] == [
            [end if end is None else pytest.approx(end, rel=1e-9, abs=1e-12) for end in pair] for pair in ends
        ], name
        assert (other.test and other.test.p) == (item.test and item.test.p), name
    verdicts = sorted((item.requirement, item.verdict.value) for item in whole().result.findings)
    assert sorted((item.requirement, item.verdict.value) for item in turned.findings) == verdicts


def test_templates_give_what_the_synthetic_cohort_gave(ordered: dict[ITEM, Any]) -> None:
    """The cohort written to a folder and read again has the counts that the plain scores have."""
    checked = 0
    for item in ordered.values():
        if (
            item.metric == "fmr"
            and item.group == "all"
            and item.weighting == "pooled"
            and "threshold" in item.at
        ):
            assert (item.numerator, item.denominator) == plain(item.provider).rate(
                "fmr", item.at["threshold"]
            )
            checked += 1
    assert checked == 6


def test_progress_sees_every_provider() -> None:
    """The caller's progress wraps the providers, in order, and within each the scoring and the replicates."""
    seen: list[str] = []

    def progress(items: Any, what: str) -> Any:
        seen.extend([what, *(item.name for item in items if what == "systems")])
        return items

    audit(spec("error_rates"), progress)
    assert seen[:3] == ["systems", "one", "two"]
    assert seen.count("scoring") == 2
    assert {"bootstrap subjects", "bootstrap images"} <= set(seen)


def test_other_schemas_leave_everybody_alone() -> None:
    """Counts of everybody do not depend on the schemas."""
    bare = audit(spec("error_rates", "failures", schemas={})).result
    for item in bare.estimates:
        where = {"provider": item.provider, "group": "all", "weighting": item.weighting, "schema": None}
        found = [other for other in pick(whole().result, item.metric, **where) if other.at == item.at]
        assert [(other.numerator, other.denominator) for other in found] == [
            (item.numerator, item.denominator)
        ]
        assert found[0].value == pytest.approx(item.value, rel=1e-12)
