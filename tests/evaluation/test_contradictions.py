"""A result that was changed by hand contradicts itself, or holds findings that do not follow from it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from attempt_files import audited
from small_audits import audit, spec, whole
from vendor_audits import made

from frtaudit.analyses.tail_model import TailModelAnalysis
from frtaudit.analyses.vendor_comparison import VendorComparison
from frtaudit.core import AuditResult, Estimate, Finding, Method, Verdict
from frtaudit.core.canonical import Json, mapping
from frtaudit.core.spec import RequirementSpec, Thresholds, ThresholdSource, Weighting
from frtaudit.evaluation.contradictions import _at_bound, _context, _requirements, contradiction, unfounded
from frtaudit.evaluation.requirement_findings import (
    RequirementTest,
    finding_of,
    not_estimated,
    too_few_people,
)
from frtaudit.evaluation.requirements import cases_of, decided, steps
from frtaudit.pipeline.publishable.disclosure import published

Change = Callable[[AuditResult], AuditResult]


def _estimate(pick: Callable[[Estimate], bool], **to: object) -> Change:
    """The first estimate that ``pick`` names, with other fields."""

    def change(result: AuditResult) -> AuditResult:
        estimates = list(result.estimates)
        index = next(index for index, item in enumerate(estimates) if pick(item))
        estimates[index] = replace(estimates[index], **to)  # type: ignore[arg-type]  # as given
        return replace(result, estimates=tuple(estimates))

    return change


def _finding(name: str, **to: object) -> Change:
    """The first finding of a requirement, with other fields."""

    def change(result: AuditResult) -> AuditResult:
        findings = list(result.findings)
        index = next(index for index, item in enumerate(findings) if item.requirement == name)
        findings[index] = replace(findings[index], **to)  # type: ignore[arg-type]  # as given
        return replace(result, findings=tuple(findings))

    return change


def _place(name: str, result: AuditResult) -> int:
    """Where the estimate stands that a requirement is judged on."""
    (pointer,) = [item.estimate for item in result.findings if item.requirement == name][:1]
    assert pointer is not None
    return int(pointer.rsplit("/", 1)[1])


def _without(name: str) -> Change:
    """No finding about a requirement, the family of the others as large as they are."""

    def change(result: AuditResult) -> AuditResult:
        kept = [item for item in result.findings if item.requirement != name]
        return replace(result, findings=tuple(replace(item, family=len(kept)) for item in kept))

    return change


def _rejudged(name: str, bound: float) -> Change:
    """Findings of a requirement as another bound leads to them, with the sentence that belongs to it."""

    def change(result: AuditResult) -> AuditResult:
        context = _context(result)
        tests = [test for requirement in _requirements(result) for test in cases_of(requirement, context)]
        p = [1.0 if finding.p is None else finding.p for finding in result.findings]
        places = zip(tests, result.findings, steps(tests, p, context.alpha), strict=True)
        return replace(
            result,
            findings=tuple(
                decided(_at_bound(replace(test, p=finding.p), bound, 0.0), *errors, len(tests))
                if finding.requirement == name
                else finding
                for test, finding, errors in places
            ),
        )

    return change


def _limits(limit: float) -> Change:
    """Another limit of every requirement in the spec."""

    def change(result: AuditResult) -> AuditResult:
        declared: Json = result.spec["requirements"]
        assert isinstance(declared, (list, tuple))
        changed = [{**item, "limit": limit} for item in declared if isinstance(item, dict)]
        return replace(result, spec={**result.spec, "requirements": changed})

    return change


def _counted(item: Estimate) -> bool:
    return item.metric == "fnmr_at_fmr" and item.weighting == "pooled" and bool(item.numerator)


CONTRADICTIONS: dict[str, tuple[Change, str]] = {
    "rate that is not its quotient": (_estimate(_counted, value=0.0), "numerator over its denominator"),
    "errors taken away": (_estimate(_counted, numerator=0), "numerator over its denominator"),
    "failure rate": (
        _estimate(lambda item: item.metric == "fta", value=0.123),
        "numerator over its denominator",
    ),
    "estimate twice": (
        lambda result: replace(result, estimates=(*result.estimates, result.estimates[0])),
        "is estimated twice",
    ),
    "limit of a finding": (_finding("low", limit=0.5), "another limit than the spec"),
    "limits of the spec": (_limits(0.123), "another limit than the spec"),
    "failure called a pass": (
        _finding("each", verdict=Verdict.PASS),
        "says pass, which its bound and limit do not",
    ),
    "other bound beyond the limit": (_finding("low", near_bound=1.0), "which its bound and limit do not"),
    "finding of another name": (_finding("each", requirement="other"), "which the spec does not require"),
    "requirement without a finding": (_without("eer"), "no finding is about the requirement 'eer'"),
    "size of the family": (_finding("low", family=1), "of a family of 1"),
    "adjusted p value": (_finding("low", p=1.0, p_adjusted=0.001), "adjusted p value below the raw one"),
    "claimed to be published": (
        lambda result: replace(result, digests={**result.digests, "full": "0" * 64}),
        "publishable variant in one place only",
    ),
    "fewer people than in a class": (
        lambda result: replace(result, cohort={**result.cohort, "subjects": 1}),
        "more subjects in a class of group than in all",
    ),
}
UNFOUNDED: dict[str, Change] = {
    "sentence": _finding("each", sentence="one: certified."),
    "failure called inconclusive": _finding("each", verdict=Verdict.INCONCLUSIVE),
    "failure called not testable": _finding(
        "each", verdict=Verdict.NOT_TESTABLE, bound=None, bound_level=None, p=None, p_adjusted=None
    ),
    "bound": _finding("low", bound=0.001),
    "level": _finding("low", bound_level=0.999),
    "p value": _finding("each", p=0.9, p_adjusted=0.9),
    "another estimate": _finding("low", estimate="/estimates/0"),
    "failure called a pass": _rejudged("each", bound=0.001),
    "bound of a pass below the estimate": _rejudged("low", bound=0.0),
    "fewer classes": lambda result: replace(
        result,
        findings=tuple(replace(item, family=len(result.findings) - 1) for item in result.findings[:-1]),
    ),
    "value of what was judged": lambda result: _estimate(
        lambda item: item is result.estimates[_place("low", result)], value=0.001
    )(result),
}


def test_a_genuine_result_agrees_with_itself() -> None:
    """What an audit wrote, read back, holds no contradiction, and its findings follow."""
    result = AuditResult.from_json(whole().result.to_json())
    assert {finding.verdict for finding in result.findings} >= {Verdict.PASS, Verdict.FAIL}
    assert contradiction(result) is None
    assert unfounded(result) is None


def test_numbers_of_a_plug_in_are_left_alone() -> None:
    """Only its plug-in knows how a metric's value and counts belong together."""
    result = whole().result
    rate = next(item for item in result.estimates if _counted(item))
    own = replace(rate, metric="of_a_plug_in", value=1 - (rate.value or 0.0))
    assert contradiction(replace(result, estimates=(*result.estimates, own, own))) is None


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_contradiction_is_named(name: str) -> None:
    """A number changed in one place is found where another says the same."""
    change, said = CONTRADICTIONS[name]
    found = contradiction(change(whole().result))
    assert found is not None
    assert said in found


@pytest.mark.parametrize("p", [0.04, 0.0501])
def test_p_by_rank_may_lie_just_above_the_level_at_which_the_bound_breaks_the_limit(p: float) -> None:
    """Then the other bound is beyond the limit, and the finding inconclusive nevertheless."""
    change = _finding("low", verdict=Verdict.INCONCLUSIVE, near_bound=1.0, p=p, p_adjusted=1.0)
    assert (contradiction(change(whole().result)) is None) == (p > 0.05)


@pytest.mark.parametrize("name", UNFOUNDED)
def test_a_finding_that_does_not_follow_is_found(name: str) -> None:
    """Another sentence, bound, level, p value or place than the estimates lead to."""
    assert unfounded(UNFOUNDED[name](whole().result)) is not None


@pytest.mark.parametrize("minimum", [10, 13])
def test_findings_of_a_publishable_variant_are_judged_each_alone(minimum: int) -> None:
    """With the family whole, and where the classes are withheld: then p by Holm is known within bounds."""
    variant = AuditResult.from_json(published(whole().result, "0" * 64, minimum).to_json())
    assert (minimum == 13) == all(finding.family is None for finding in variant.findings)
    assert (contradiction(variant), unfounded(variant)) == (None, None)
    some = next(finding.requirement for finding in variant.findings if finding.bound is not None)
    sentence = next(finding.sentence for finding in variant.findings if finding.requirement == some)
    changes: dict[str, Change] = {
        "verdict": _finding(some, verdict=Verdict.INCONCLUSIVE),
        "sentence": _finding(some, sentence=sentence.replace("meets", "breaks") + " Certified."),
        "p value": _finding(some, p=0.0001),
        "another estimate": _finding(some, estimate="/estimates/0"),
        "not testable": _finding(
            some, verdict=Verdict.NOT_TESTABLE, bound=None, bound_level=None, p=None, p_adjusted=None
        ),
    }
    gone = {"verdict": Verdict.NOT_TESTABLE, "estimate": None, "p": None, "p_adjusted": None}
    empty = {"bound": None, "bound_level": None, "near_bound": None, "other_bound": None}
    judged = next(asked for asked in _requirements(variant) if asked.name == some)
    changes["named as not estimated"] = _finding(
        some, **gone, **empty, sentence=not_estimated(judged, len(variant.findings)).sentence
    )
    if minimum == 10:
        changes["of no family"] = _finding(some, family=None)
        changes["failure called inconclusive"] = _finding("each", verdict=Verdict.INCONCLUSIVE)
        changes["p by Holm"] = _finding("each", p_adjusted=1.0)
    for name, change in changes.items():
        assert contradiction(change(variant)) or unfounded(change(variant)), name
    for findings in (variant.findings[::-1], (*variant.findings[:-1], variant.findings[0])):
        assert unfounded(replace(variant, findings=findings))
    without = replace(variant, findings=variant.findings[1:], cohort=leaving_out(variant, 1))
    assert unfounded(without) is not None


def leaving_out(variant: AuditResult, more: int) -> dict[str, Json]:
    """The facts of a variant's cohort with ``more`` findings that are left out."""
    publication = mapping(variant.cohort["publication"])
    left = mapping(publication["left_out"])
    count = left["findings"]
    assert isinstance(count, int)
    return {**variant.cohort, "publication": {**publication, "left_out": {**left, "findings": count + more}}}


@pytest.mark.parametrize("minimum", [10, 13])
def test_a_missed_minimum_is_the_one_that_is_required(minimum: int) -> None:
    """Where classes are withheld the counts are not known, what the requirement asks for is."""
    asked = RequirementSpec(
        name="r",
        metric="fnmr_at_fmr",
        at={"fmr": 0.1},
        limit=0.3,
        minimum={"subjects": 1000, "comparisons": 10**6},
    )
    result = audit(spec(requirements=(asked,))).result
    assert (contradiction(result), unfounded(result)) == (None, None)
    variant = AuditResult.from_json(published(result, "0" * 64, minimum).to_json())
    assert (contradiction(variant), unfounded(variant)) == (None, None)
    met = replace(asked, minimum={"subjects": 1})
    small = audit(spec(requirements=(met,))).result
    other = published(small, "0" * 64, minimum)
    finding = replace(
        variant.findings[0], family=other.findings[0].family, sentence=variant.findings[0].sentence
    )
    assert unfounded(replace(other, findings=(finding, *other.findings[1:])))


def test_what_nothing_estimates_stands_in_a_variant_once_where_no_class_is_withheld() -> None:
    """Its reason follows from the spec; a second finding of it, or one beside withheld classes, is none."""
    asked = RequirementSpec(name="r", metric="fmr", at={"threshold": 0.25}, limit=0.1)
    result = audit(spec(requirements=(asked,))).result
    variant = published(result, "0" * 64)
    (finding,) = variant.findings
    assert (contradiction(variant), unfounded(variant)) == (None, None)
    assert unfounded(replace(variant, findings=(replace(finding, sentence="It was not tested."),)))
    twice = tuple(replace(finding, family=2) for _ in range(2))
    assert (contradiction(replace(variant, findings=twice)) or "") + (
        unfounded(replace(variant, findings=twice)) or ""
    )
    publication = {**mapping(variant.cohort["publication"]), "withheld": {"group": ["a"]}}
    assert unfounded(replace(variant, cohort={**variant.cohort, "publication": publication}))


@pytest.mark.parametrize(("left_out", "said"), [(0, "and leaves out 0"), (1, None)])
def test_a_variant_holds_all_findings_that_it_does_not_leave_out(left_out: int, said: str | None) -> None:
    """Findings that are taken out are missed, unless the variant says so itself."""
    variant = published(whole().result, "0" * 64)
    publication = dict(mapping(variant.cohort["publication"]))
    publication["left_out"] = {**mapping(publication["left_out"]), "findings": left_out}
    cohort = {**variant.cohort, "publication": publication}
    changed = replace(variant, cohort=cohort, findings=variant.findings[:-1])
    found = contradiction(changed)
    assert (found is None) if said is None else (said in (found or ""))
    assert unfounded(changed) == "a finding is missing, although no class is withheld"


def test_why_nothing_estimates_a_requirement_follows_from_the_spec() -> None:
    """What it says follows, as what audits of before said; another verdict, limit or reason does not."""
    asked = RequirementSpec(name="r", metric="fmr", at={"threshold": 0.25}, limit=0.1)
    result = audit(spec(requirements=(asked,))).result
    (finding,) = result.findings
    assert ": threshold 0.25 is not of the grid; write " in finding.sentence
    sentences = {
        finding.sentence: True,
        "fmr at threshold 0.25 is not estimated for all.": True,
        finding.sentence.replace("10 %", "1 %"): False,
        finding.sentence.replace("; write", "; do not write"): False,
        f"{finding.sentence.partition(':')[0]}: nothing estimates it.": False,
    }
    for sentence, follows in sentences.items():
        changed = replace(result, findings=(replace(finding, sentence=sentence),))
        assert (unfounded(changed) is None) is follows, sentence
    changed = replace(result, findings=(replace(finding, verdict=Verdict.INCONCLUSIVE),))
    assert unfounded(changed) is not None
    least = replace(asked, minimum={"subjects": 5})
    before = "FMR cannot be tested against the limit of at most 10 %: nothing estimates it."
    (finding,) = (result := audit(spec(requirements=(least,))).result).findings
    for sentence in (finding.sentence, before):
        assert unfounded(replace(result, findings=(replace(finding, sentence=sentence),))) is None


def _from_a_file(folder: Path) -> AuditResult:
    """A limit at a threshold that a file names."""
    (folder / "th.json").write_text('{"one": {"low": 0.2, "high": 0.4}}')
    asked = RequirementSpec(name="r", metric="fmr", at={"threshold": 0.2}, limit=0.1)
    named = replace(asked, name="n", at={"name": "high"})
    source = Thresholds(fmr=(0.1,), source=ThresholdSource.FILE, file=str(folder / "th.json"))
    return audit(spec(requirements=(asked, named), thresholds=source, providers=("one",))).result


def _of_one_system_only(folder: Path) -> AuditResult:
    """A limit at thresholds of which one system has none."""
    (folder / "th.json").write_text('{"one": {"low": 0.2, "high": 0.4}, "two": {"low": 0.3}}')
    asked = RequirementSpec(name="r", metric="fmr", at={"threshold": 0.2}, limit=0.5)
    named = replace(asked, name="n", at={"name": "high"}, group="each")
    source = Thresholds(fmr=(0.1,), source=ThresholdSource.FILE, file=str(folder / "th.json"))
    return audit(spec(requirements=(asked, named), thresholds=source)).result


def test_a_system_without_the_threshold_is_not_left_out(tmp_path: Path) -> None:
    """Who takes its empty estimates and findings out, or the findings alone, has a result that does not follow."""
    result = _of_one_system_only(tmp_path)
    empty = [place for place, each in enumerate(result.estimates) if each.note == "two has no such threshold"]
    assert len(empty) == 3
    left = tuple(finding for finding in result.findings if finding.index not in empty)
    assert {finding.verdict for finding in result.findings if finding.index in empty} == {
        Verdict.NOT_TESTABLE
    }
    assert len(left) == len(result.findings) - 3
    alone = tuple(replace(finding, family=len(left)) for finding in left)
    without = tuple(each for place, each in enumerate(result.estimates) if place not in empty)
    assert min(empty) == len(without)  # they stand last
    for changed in (replace(result, findings=alone), replace(result, findings=alone, estimates=without)):
        assert unfounded(changed) is not None


@pytest.mark.parametrize("metric", ["fmr", "fmr_model"])
def test_a_variant_of_one_system_only_follows_from_itself(metric: str, tmp_path: Path) -> None:
    """Of a metric that is never published, what is said of the system without the threshold is left out with it."""
    (tmp_path / "th.json").write_text('{"one": {"high": 0.4}, "two": {"low": 0.3}}')
    asked = RequirementSpec(name="r", metric=metric, at={"name": "high"}, limit=0.5)
    source = Thresholds(fmr=(0.1,), source=ThresholdSource.FILE, file=str(tmp_path / "th.json"))
    base = spec(requirements=(asked,), thresholds=source)
    result = audit(replace(base, analyses=base.analyses | {"tail_model": TailModelAnalysis(draws=99)})).result
    assert [finding.verdict is Verdict.NOT_TESTABLE for finding in result.findings][1]
    variant = AuditResult.from_json(published(result, "0" * 64, 2).to_json())
    assert len(variant.findings) == (2 if metric == "fmr" else 0)
    assert (contradiction(variant), unfounded(variant)) == (None, None)


def test_the_empty_estimate_of_a_system_that_has_the_threshold_is_found(tmp_path: Path) -> None:
    """A failure cannot be rewritten as a missing threshold: at that of the requirement, or where none is named."""
    result = _of_one_system_only(tmp_path)
    place = next(
        index for index, each in enumerate(result.estimates) if each.metric == "fnmr" and each.at.get("name")
    )
    for index in (place, next(each.index for each in result.findings if each.index is not None)):
        each = result.estimates[index]
        note = f"{each.provider} has no such threshold"
        empty = replace(
            each, value=None, numerator=None, denominator=None, intervals=(), test=None, note=note
        )
        estimates = (*result.estimates[:index], empty, *result.estimates[index + 1 :])
        assert unfounded(replace(result, estimates=estimates)) is not None


def _failed(result: AuditResult) -> tuple[int, RequirementTest, float]:
    """The first failure that Wilson's interval decides: its place, its test, and its alpha."""
    context = _context(result)
    tests = [test for requirement in _requirements(result) for test in cases_of(requirement, context)]
    place = next(
        index
        for index, finding in enumerate(result.findings)
        if finding.verdict is Verdict.FAIL and tests[index].interval.method is Method.WILSON  # type: ignore[union-attr]
    )
    return place, tests[place], context.alpha


def _with(result: AuditResult, place: int, finding: Finding) -> AuditResult:
    return replace(result, findings=(*result.findings[:place], finding, *result.findings[place + 1 :]))


def test_a_failure_is_not_made_inconclusive_by_another_p() -> None:
    """The recorded interval lies beyond the limit: p is at most its error, and no bound lies on the wrong side."""
    result = whole().result
    place, test, alpha = _failed(result)
    size, limit = len(result.findings), test.requirement.limit
    value = float(test.estimate.value)  # type: ignore[union-attr,arg-type]  # a rate
    for p, bound in ((0.3, limit + 1e-7), (0.3, min(1.0, value + 0.1)), (alpha / 2, min(1.0, value + 0.1))):
        case = _at_bound(replace(test, p=p), bound, 0.0)
        forged = decided(case, alpha, alpha / size, 1.0, size)
        assert forged.verdict is Verdict.INCONCLUSIVE
        assert unfounded(_with(result, place, forged)) is not None


def test_a_failure_is_not_made_untestable_by_a_number_of_people() -> None:
    """FNMR needs no number of people, and nothing stands after the sentence."""
    result = whole().result
    place, test, _ = _failed(result)
    assert test.estimate is not None
    assert test.estimate.metric == "fnmr_at_fmr"
    sentence = too_few_people(test, test.estimate, 78)
    for more in ("", " All of it is fine."):
        known = replace(test, p=0.5)
        forged = finding_of(
            known, Verdict.NOT_TESTABLE, None, None, sentence + more, 1.0, len(result.findings)
        )
        assert unfounded(_with(result, place, forged)) is not None


def test_a_failure_is_set_aside_only_where_there_are_suspects() -> None:
    """What is said of suspected duplicates is of an estimate without them, in the words of one."""
    result = whole().result
    place, _, _ = _failed(result)
    finding = result.findings[place]
    for more in (
        "it is 0.1 %",
        "it is 0.1 % and the verdict would be pass; they are left out only after ...",
    ):
        sentence = f"{finding.sentence} Without suspected duplicate subjects {more}"
        forged = replace(finding, verdict=Verdict.INCONCLUSIVE, sentence=sentence, set_aside=True)
        assert unfounded(_with(result, place, forged)) is not None


def test_a_reason_needs_no_path(tmp_path: Path) -> None:
    """A result says that thresholds are those of a file, and not of which: the reason is the same without."""
    (tmp_path / "th.json").write_text('{"one": {"low": 0.2}}')
    asked = RequirementSpec(name="r", metric="fmr", at={"threshold": 0.2}, limit=0.1, group="max")
    source = Thresholds(fmr=(0.1,), source=ThresholdSource.FILE, file=str(tmp_path / "th.json"))
    result = audit(spec(requirements=(asked,), thresholds=source, providers=("one",))).result
    again = AuditResult.from_json(json.loads(result.to_bytes()))
    assert "fmr is not estimated for group 'max'; write group: all, or each" in again.findings[0].sentence
    assert unfounded(again) is None


def _at_the_strictest_group(_: Path) -> AuditResult:
    """A limit at the threshold of the group with the largest FMR."""
    at: dict[str, float | str] = {"fmr": 0.1, "threshold_of": "max_group", "schema": "group"}
    asked = RequirementSpec(
        name="r", metric="threshold_at_fmr", at=at, group="max", schema="group", limit=0.5
    )
    return audit(spec("differentials", requirements=(asked,))).result


def _of_transactions(folder: Path) -> AuditResult:
    """A limit on FRR of fewer attempts than are made."""
    asked = RequirementSpec(name="r", metric="frr", at={"far": 0.1, "attempts": 1}, limit=0.5)
    return audited(folder, asked)


def _of_systems_by_comparisons(_: Path) -> AuditResult:
    """Systems compared with every comparison weighted equally: the counts of a difference are not its value's."""
    asked = VendorComparison()
    result = audit(made("one", "two", asked=asked, weighting=Weighting.POOLED)).result
    assert any(item.metric == "vendor_difference" and item.numerator for item in result.estimates)
    return result


@pytest.mark.parametrize(
    "make",
    [
        _from_a_file,
        _of_one_system_only,
        _at_the_strictest_group,
        _of_transactions,
        _of_systems_by_comparisons,
    ],
)
def test_what_is_read_back_from_its_bytes_holds(make: Callable[[Path], AuditResult], tmp_path: Path) -> None:
    """A file has the keys of a point sorted; each finding is about an estimate at such a point."""
    result = make(tmp_path)
    assert all(finding.estimate is not None for finding in result.findings)
    again = AuditResult.from_json(json.loads(result.to_bytes()))
    assert (contradiction(again), unfounded(again)) == (None, None)
