"""What the sections say.

Tests also accuracy, cohort, differences, failures, front, groups, interclass, method, operating_points, other, rates,
record, requirements, tables, terms and verdicts, through the views that they build from one synthetic result.
"""

import itertools
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from report_fixture import DATE, SETTINGS, result
from vendor_audits import result as of_vendors

from frtaudit.core import AuditResult, Estimate, Interval, Method, Target, Verdict
from frtaudit.core.canonical import mapping
from frtaudit.core.spec import Report
from frtaudit.report.context import Context, Status, context
from frtaudit.report.pieces import Footnotes, Table, TextSpan, plain_text, spans
from frtaudit.report.sections import (
    differences,
    front,
    groups,
    operating_points,
    rates,
    record,
    summary,
    tables,
    terms,
    vendor_choice,
    verdicts,
)
from frtaudit.report.source import Source
from frtaudit.report.words import words


@pytest.fixture(scope="module")
def view() -> Context:
    """The synthetic report."""
    return context(result(), SETTINGS, DATE, Status.UNSIGNED)


def section(view: Context, name: str) -> Any:
    """A section's view."""
    return next(item.view for item in (*view.sections, *view.annex) if item.name == name)


def text_of(value: object) -> str:
    """All text of a view."""
    if isinstance(value, TextSpan):
        return value.text
    if is_dataclass(value):
        return " ".join(text_of(getattr(value, field.name)) for field in fields(value))
    return " ".join(text_of(item) for item in value) if isinstance(value, tuple) else str(value)


def rows(table: Table) -> list[list[str]]:
    """A table's cells as text."""
    return [[plain_text(cell) for cell in row] for block in table.blocks for row in block.rows]


def test_verdicts_stand_with_failures_first(view: Context) -> None:
    """Failures come before passes."""
    order = [item.code for requirement_row in view.summary.requirement_rows for item in requirement_row]
    assert order[0] == "fail"
    assert sorted(view.summary.tally) == sorted(
        [
            ("fail", "1", "fail"),
            ("inconclusive", "1", "inconclusive"),
            ("not_testable", "2", "not testable"),
            ("pass", "1", "pass"),
        ]
    )


def test_a_bound_never_rounds_onto_its_limit(view: Context) -> None:
    """0.0299999996 beside the limit 0.03 keeps its digits."""
    lines = [
        plain_text(item.brief)
        for requirement_row in view.summary.requirement_rows
        for item in requirement_row
    ]
    assert any(line.endswith("at most 2.99999996 % (one-sided 95 %)") for line in lines)


def test_the_line_of_a_verdict_agrees_with_it() -> None:
    """The bar of a pass lies off the shaded side, of a fail on it, of an inconclusive verdict across the limit."""
    for finding_row in verdicts.all_finding_rows(Source(result())):
        if finding_row.strip is None:
            continue
        inside = finding_row.strip.high <= 50
        beyond = finding_row.strip.low >= 50
        expected = {"pass": (True, False), "fail": (False, True), "inconclusive": (False, False)}
        if finding_row.code in expected:
            assert (inside, beyond) == expected[finding_row.code]


def test_the_worst_off_group_is_the_one_with_the_largest_rate(view: Context) -> None:
    """Cedar at the weaker system, with its people, interval and everybody's rate."""
    text = plain_text(view.summary.worst)
    assert text.startswith(
        "Cedar (80 subjects, 79 of them with two images or more) has the highest FNMR at FMR 0.1 %: "
        "22.8 % (quill_2), 95 % CI 17.1 % to 28.6 %"
    )
    assert "overall" in text


def test_the_first_page_stands_at_the_target_that_findings_judge() -> None:
    """Where a requirement is at FMR 1 % page 1 is; without requirements it is at the smallest target."""
    base = result()
    place = next(
        index
        for index, item in enumerate(base.estimates)
        if item.metric == "fnmr_at_fmr" and item.at == {"fmr": 0.01}
    )
    moved = tuple(replace(item, estimate=f"/estimates/{place}") for item in base.findings)
    assert operating_points.main_target(Source(replace(base, findings=moved))) == 0.01
    assert operating_points.main_target(Source(replace(base, findings=()))) == 0.001


def test_unknown_is_never_the_worst_off_group() -> None:
    """People without a label are shown, not ranked."""
    base = result()
    raised = [
        replace(item, value=0.99) if item.group == "unknown" and item.value else item
        for item in base.estimates
    ]
    found = operating_points.worst(Source(replace(base, estimates=tuple(raised))), "fnmr_at_fmr", 0.001)
    assert found is not None
    assert found[0].estimate.group == "cedar"


def test_without_an_error_no_group_is_the_highest() -> None:
    """Where every group's rate is 0 there is no sentence about the highest one."""
    base = result()
    clean = tuple(replace(item, value=0.0) if item.group else item for item in base.estimates)
    assert operating_points.worst(Source(replace(base, estimates=clean)), "fnmr_at_fmr", 0.001) is None


def test_abbreviations_on_the_first_page_are_spelled_out(view: Context) -> None:
    """Those that its sentences use, and no others."""
    assert [name for name, _ in view.summary.abbreviations] == ["FNMR", "FMR", "CI", "Holm", "p, adjusted"]
    assert terms.abbreviations([spans("d_l2 of A; FNMRs")]) == (("d_l2", words().abbreviations["d_l2"]),)


def test_abbreviations_of_requirements_are_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the requirements that page 1 lists, too, where no sentence has them."""
    monkeypatch.setattr(summary, "worst_group", lambda _: ())
    monkeypatch.setattr(summary.answer, "sentences", lambda *_: ((), ()))
    view = summary.build(Source(result()), SETTINGS, DATE)
    assert view.requirement_rows
    assert {"FNMR", "FMR"} <= {name for name, _ in view.abbreviations}


def test_an_adjusted_bound_of_the_first_page_names_its_method(view: Context) -> None:
    """Holm's, with how many findings; nothing where no bound on the page is adjusted."""
    source = Source(result())
    (line,) = terms.step_down(source, [spans("at least 7 % (one-sided 99.5 %, Holm)")])
    assert line == ("Holm", f"adjusted over {source.result.findings[0].family} findings (Holm 1979)")
    assert terms.step_down(source, [spans("at most 7 % (one-sided 95 %)")]) == ()
    printed = [plain_text(row.bound) for rows in view.summary.requirement_rows for row in rows]
    assert any("Holm" in text for text in printed) == ("Holm" in dict(view.summary.abbreviations))


def test_the_table_of_a_comparison_takes_lines_of_the_first_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the figure just has room, it has none below the table and its sentences."""
    choice = vendor_choice.choice(Source(of_vendors()))

    def drawn(limit: int) -> bool:
        monkeypatch.setattr(summary, "FIGURE_LINES", limit)
        return summary.build(Source(result()), SETTINGS, DATE).figure is not None

    limit = next(limit for limit in range(60) if drawn(limit))
    monkeypatch.setattr(summary.vendor_choice, "choice", lambda _: choice)
    assert [drawn(limit), drawn(limit + 8), drawn(limit + 30)] == [False, False, True]


def test_people_are_counted_by_each_schema() -> None:
    """Two classifications stand with their classes, further ones by name."""
    base = result()
    counts: Any = base.cohort["schemas"]
    more = ("age_band", "region", "tone")
    cohort = {**base.cohort, "schemas": {**counts, **dict.fromkeys(more, counts["group"])}}
    spec = {**base.spec, "schemas": {**mapping(base.spec["schemas"]), **{name: {} for name in more}}}
    facts = dict(summary.build(Source(replace(base, cohort=cohort, spec=spec)), SETTINGS, DATE).facts)
    people = plain_text(facts["Subjects"])
    assert people.endswith("; by age band (Amber: 80, Birch: 80, Cedar: 80, unknown: 6); by region and tone")
    assert people.count("; by group (") == 1


@pytest.mark.parametrize("above", [0, 40])
def test_where_few_findings_have_room_inconclusive_ones_have_it_first(above: int) -> None:
    """The sentences give the numbers of failures; what is left out is counted by outcome."""
    (row, *_) = verdicts.all_finding_rows(Source(result()))
    codes = ["fail"] * 4 + ["inconclusive"] * 2 + ["pass"] * 14
    finding_rows = tuple(replace(row, index=index, code=code) for index, code in enumerate(codes))
    shown = summary._shown(finding_rows, above)
    counts = {code: sum(finding_row.code == code for finding_row in shown) for code in codes}
    assert shown == tuple(finding_row for finding_row in finding_rows if finding_row in shown)
    if above:
        assert counts == {"fail": 0, "inconclusive": 2, "pass": 0}
        left = tuple(row for row in finding_rows if row not in shown)
        assert summary._tally(left) == "18 more (4 fail, 14 pass)"
    else:
        assert counts == {"fail": 4, "inconclusive": 2, "pass": 11}
        assert summary._tally(()) == ""


@pytest.mark.parametrize("room", [3, 18])
def test_findings_without_room_on_the_first_page_follow_it(
    monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """Each finding stands in one of the two tables, in the order of its outcome; those cut are counted."""
    monkeypatch.setattr(summary, "FIRST_PAGE_LINES", room)
    monkeypatch.setattr(summary, "MAX_FURTHER", 1)
    view = summary.build(Source(result()), SETTINGS, DATE)
    first, further = (
        [row for requirement in rows for row in requirement] for rows in (view.requirement_rows, view.further)
    )
    everything = verdicts.all_finding_rows(Source(result()))
    assert len(first) + len(further) + view.cut == len(everything)
    assert not {row.index for row in first} & {row.index for row in further}
    assert bool(view.more) is bool(further) is (room == 3)
    assert view.cut == (len(everything) - len(first) - 1 if further else 0)


def test_a_test_of_what_a_requirement_limits_is_not_said_to_be_adjusted_with_a_larger_b() -> None:
    """Beside tests that a larger B would adjust the legend says so of those that belong to no family."""
    source = Source(result())
    first, second = [record for record in source.records if record.estimate.test and record.estimate.test.p][
        :2
    ]
    texts, estimates = [], list(source.result.estimates)
    for tested, family, note in ((first, 75, "unadjusted p: needs more"), (second, None, None)):
        assert tested.estimate.test is not None
        test = replace(tested.estimate.test, p_adjusted=None, family=family, note=note)
        estimates[int(tested.pointer.rsplit("/", 1)[1])] = replace(tested.estimate, test=test)
        texts.append((TextSpan(text="0.01", pointer=f"{tested.pointer}/test/p"),))
    (_, need), _ = terms.adjustments(Source(replace(source.result, estimates=tuple(estimates))), texts)
    assert need == "needs more; the test of a metric that a requirement limits is not one of them"


def test_a_curve_of_one_point_is_not_drawn() -> None:
    """Where all scores are the same there is no line, and no figure with nothing in it."""
    curves = tuple(
        replace(curve, x=(0.0,), y=(1.0,), low=None, high=None)
        for curve in result().curves
        if curve.analysis in ("det", "fmr", "fnmr")
    )
    source = Source(replace(result(), curves=curves, estimates=(), findings=()))
    assert front.figure(source) is None
    assert rates.build(source) is None


def of_one(*names: str) -> AuditResult:
    """The result with one subject in each of these groups."""
    rows = [
        {**row, "subjects": 1 if row["group"] in names else row["subjects"]}
        for row in result().cohort["schemas"]["group"]["groups"]  # type: ignore[index,call-overload]  # JSON
    ]
    cohort = {**result().cohort, "schemas": {"group": {"groups": rows, "super_classes": {}}}}
    return replace(result(), cohort=cohort)


def test_a_group_of_one_subject_is_not_ranked() -> None:
    """Its rate is that of a person: another group is named; beside groups of one subject one group is none."""
    assert "Cedar" in plain_text(operating_points.worst_group(Source(result())))
    base = of_one("cedar")
    text = plain_text(operating_points.worst_group(Source(base)))
    assert "Cedar" not in text
    assert "Birch (80 subjects" in text.partition(" has the highest FNMR")[0]
    assert operating_points.UNADJUSTED not in text
    assert not operating_points.worst_group(Source(of_one("cedar", "birch")))
    highest = next(
        item
        for item in base.estimates
        if (item.metric, item.group, dict(item.at)) == ("fnmr_at_fmr", "cedar", {"fmr": 0.001})
    )
    at = {"fmr": 0.001, "rate": "fnmr_at_fmr", "searched": 6.0}
    picked = replace(base, estimates=(*base.estimates, replace(highest, metric="highest_group_rate", at=at)))
    text = plain_text(operating_points.worst_group(Source(picked)))
    assert text.count(operating_points.UNADJUSTED) == 1


def test_subjects_with_one_image_are_not_taken_for_those_of_an_fnmr() -> None:
    """Where some subjects have one image the sentence on FNMR and the table of groups count who has two."""
    base = result()
    rows = [
        {**row, "subjects_with_two_samples": int(row["subjects"]) // 2}
        for row in base.cohort["schemas"]["group"]["groups"]  # type: ignore[index,call-overload]  # JSON
    ]
    fewer = {"subjects_with_two_samples": 99, "schemas": {"group": {"groups": rows, "super_classes": {}}}}
    source = Source(replace(base, cohort={**base.cohort, **fewer}))
    text = plain_text(operating_points.worst_group(source))
    assert "Cedar (80 subjects, 40 of them with two images or more) has the highest FNMR" in text
    assert "of them" not in text.partition("has the highest FMR")[0].rpartition(".")[2]
    view = groups.build(source)
    assert view is not None
    table = view[0].main[0]
    assert "In brackets: subjects with two images or more." in plain_text(table.caption)
    assert "80 (40)" in [plain_text(row[1]) for block in table.blocks for row in block.rows]


def test_p_values_on_the_first_page_say_what_they_are_adjusted_for() -> None:
    """The family and its method; without adjusted values the B that they need, defined; without p values nothing."""
    source = Source(result())
    record = next(record for record in source.records if record.estimate.test and record.estimate.test.p)
    assert record.estimate.test is not None
    text = (TextSpan(text="0.01", pointer=f"{record.pointer}/test/p"),)
    assert terms.adjustments(source, [spans("FNMR")]) == ()
    for test, answer in (
        (
            replace(record.estimate.test, p_adjusted=0.5, family=1_200),
            (("p, adjusted", "for all 1,200 exploratory tests (Benjamini and Yekutieli 2001)"),),
        ),
        (
            replace(record.estimate.test, p_adjusted=None, family=75, note="few; unadjusted p: needs more"),
            (("p, unadjusted", "needs more"), ("B", "number of bootstrap resamples")),
        ),
        (replace(record.estimate.test, p_adjusted=None, family=None, note=None), ()),
    ):
        place = int(record.pointer.rsplit("/", 1)[1])
        estimates = list(source.result.estimates)
        estimates[place] = replace(record.estimate, test=test)
        assert terms.adjustments(Source(replace(source.result, estimates=tuple(estimates))), [text]) == answer


def test_a_name_that_takes_two_lines_leaves_room_for_fewer_findings() -> None:
    """Long names of systems are broken in their column: such a finding counts as two lines."""
    (row, *_) = verdicts.all_finding_rows(Source(result()))
    finding_rows = tuple(replace(row, index=index, code="pass") for index in range(20))
    long = tuple(replace(row, who=(replace(row.who[0], text="a" * 30),)) for row in finding_rows)
    assert [len(summary._shown(rows, 0)) for rows in (finding_rows, long)] == [17, 8]


def test_terms_say_pairing_weighting_and_origin(view: Context) -> None:
    """The first page names for whom, the pairing rule, the weighting and the thresholds' origin."""
    named = {name: plain_text(text) for name, text in view.summary.terms}
    assert set(named) == {
        "Targets",
        "Decision",
        "Intervals",
        "Non-mated pairs",
        "Weighting",
        "Thresholds",
        "Verdicts",
    }
    assert "by construction" in named["Thresholds"]
    assert named["Verdicts"].startswith("Decided on one-sided bounds for the population, never")
    assert "after adjustment over 5 findings (Holm 1979)" in named["Verdicts"]


@pytest.mark.parametrize(("names", "rule", "half"), [
    (("fnmr-overall",), "one-sided, or those of a two-sided interval where the line says so.", True),
    (("fnmr-overall", "fta-low"), "Decided on the bounds of two-sided", True),
    ((), "Decided on one-sided bounds", False),
])  # fmt: skip
def test_the_rule_of_verdicts_says_which_bounds_decided(
    names: tuple[str, ...], rule: str, half: bool
) -> None:
    """One-sided, two-sided, or both, as the requirements have it; and the line of a two-sided finding says so."""
    base = result()
    declared: Any = base.spec["requirements"]
    sided = [item | ({"sided": "two_sided"} if item["name"] in names else {}) for item in declared]
    changed = replace(base, spec={**base.spec, "requirements": sided})
    view = context(changed, SETTINGS, DATE, Status.UNSIGNED)
    said = plain_text(dict(view.summary.terms)["Verdicts"])
    assert rule in said
    assert ("at a nominal error rate of 5 %, half of that where it was two-sided" in said) == half
    lines = [
        plain_text(item.brief) for item in verdicts.all_finding_rows(Source(changed)) if item.code == "fail"
    ]
    assert all(("(two-sided 9" in line) == ("fnmr-overall" in names) for line in lines)


def test_a_verdict_names_for_whom_its_bound_holds(view: Context) -> None:
    """The first page names for whom verdicts hold, and every bound has its side and level."""
    facts = {name: plain_text(text) for name, text in view.summary.facts}
    assert facts["Verdicts hold for"] == "the population that the test subjects were sampled from."
    bounds = [
        plain_text(item.bound)
        for requirement_row in view.summary.requirement_rows
        for item in requirement_row
    ]
    decided = [text for text in bounds if text]
    assert decided
    assert all("(one-sided 9" in text for text in decided)


@pytest.mark.parametrize(
    ("systems", "left"),
    [
        (4, "2 more in the annex, under Groups: FNMR by group of s3; FMR by group of s3."),
        (12, "18 more in the annex, under Groups: FNMR by group of 9 systems; FMR by group of 9 systems."),
    ],
)
def test_differences_that_only_the_annex_has_are_named(systems: int, left: str) -> None:
    """Rates and systems by name, or how many systems where the names would be a list."""
    base = result()
    tested = [entry for entry in base.estimates if entry.metric == "max_min" and entry.test is not None]
    alike = [
        replace(entry, provider=f"s{number}", test=replace(entry.test, p=0.5, p_adjusted=None))
        for number in range(systems)
        for entry in tested
        if entry.provider == tested[0].provider and entry.test is not None
    ]
    names = tuple(f"s{number}" for number in range(systems))
    table = differences.headline(
        Source(replace(base, estimates=tuple(alike), findings=()), named=names), 0.001
    )
    assert table is not None
    assert table.left_out == left


def test_differences_stand_in_a_table(view: Context) -> None:
    """A row for each system and rate: the index, its interval, the answer, the minimum detectable difference."""
    table = view.summary.alike
    assert table is not None
    rows = [[plain_text(cell) for cell in row] for row in table.blocks[0].rows]
    assert rows[0] == [
        "northgate, FNMR by group",
        "3.43",
        "1.68 to 3.12",
        "Difference established (p 0.00300, unadjusted; 0.0210, adjusted)",
        "–",
    ]
    assert rows[1][3:] == ["Not testablea", "–"]
    assert [plain_text(note) for _, note in table.notes] == ["Cedar has 3 FMR errors of 2 subjects."]
    base = result()
    alike = [
        replace(item, test=replace(item.test, p=0.5, p_adjusted=None, detectable=size))
        if item.test is not None and item.test.p is not None
        else item
        for item, size in zip(base.estimates, itertools.cycle([2.31, None]), strict=False)
    ]
    found = differences.headline(Source(replace(base, estimates=tuple(alike))), 0.001)
    assert found is not None
    shown = {plain_text(row[4]) for row in found.blocks[0].rows}
    assert shown <= {"2.31 (80 %)", "none (80 %)", "–"}
    assert len(shown) > 1
    assert differences.headline(Source(base), 0.5) is None


def test_what_is_not_declared_is_said() -> None:
    """An empty field of the title block reads not declared."""
    found = context(replace(result(), curves=()), Report(), DATE, Status.SIGNED).summary.declared
    assert [value for name, value, _ in found if name == "Auditor"] == ["not declared"]


def test_headline_has_a_row_for_each_system(view: Context) -> None:
    """Every system, every target, with counts."""
    assert view.summary.headline is not None
    found = rows(view.summary.headline)
    assert [row[0] for row in found] == ["northgate", "quill_2"]
    assert all("/ 24,310" in cell for row in found for cell in row[1:])


def test_rates_list_every_interval_with_its_target(view: Context) -> None:
    """One row for each interval: for whom, method, level, bounds."""
    table = section(view, "rates").tables[0]
    first = rows(table)[:4]
    assert [row[0] for row in first] == [
        "the population of the test subjects",
        "the population of the test subjects",
        "the same subjects, new images",
        "comparisons treated as independent",
    ]
    assert first[1][3].startswith("none")
    assert "pooled" in plain_text(table.blocks[0].head)


def test_groups_show_the_small_group_with_its_size(view: Context) -> None:
    """Unknown stands with 6 people and a refused FMR."""
    table = section(view, "groups")[0].main[0]
    unknown = next(row for row in rows(table) if row[0] == "unknown")
    assert unknown[1] == "6 (5)"
    assert unknown[2].startswith("–")
    assert plain_text(table.notes[0][1]) == "No comparison in this group."


def test_an_infinite_index_is_printed(view: Context) -> None:
    """max/min with a group at zero is infinite, not missing."""
    table = section(view, "groups")[0].tables[-1]
    assert "∞" in text_of(table)


def test_interclass_names_unit_and_pairs(view: Context) -> None:
    """d_l2 is printed with its unit, pairs of classes by both labels, curves for each system."""
    found = section(view, "interclass")
    assert "0..100" in plain_text(found.tables[0].caption)
    assert "Amber and Birch" in text_of(found.tables[0])
    assert len(found.figures) == 2


def test_accuracy_prints_every_fold(view: Context) -> None:
    """Folds are counted from 1 in print."""
    found = section(view, "accuracy")
    assert [row[0] for row in rows(found.tables[1])] == ["1", "2", "3"]
    assert "96.10 %" in text_of(found.tables[0])


def test_failures_print_the_ledger(view: Context) -> None:
    """Every failure and exclusion is listed, also one that no system is to blame for."""
    ledger = section(view, "failures").tables[-1]
    assert rows(ledger)[0] == ["northgate", "no face found", "all", "28 samples"]
    assert rows(ledger)[1][0] == "each system"


def test_an_analysis_without_section_is_still_printed(view: Context) -> None:
    """Estimates that no section names stand under further estimates."""
    table = section(view, "other").tables[0]
    assert rows(table)[0][:2] == ["order asymmetry", "4.00 × 10⁻⁵"]


def test_method_explains_every_interval_of_the_result(view: Context) -> None:
    """Each target and method that the report prints is explained once."""
    found = section(view, "method")
    used = {interval.method.value for item in result().estimates for interval in item.intervals}
    assert {code for _, code, _ in found.methods} == used
    assert all(meaning for *_, meaning in (*found.methods, *found.targets))


def test_cohort_counts_classes_and_comparisons(view: Context) -> None:
    """People and samples of each class, comparisons of each system."""
    found = section(view, "cohort")
    assert rows(found.tables[0])[0] == ["Amber", "80", "400", "79"]
    assert rows(found.tables[1])[0] == ["northgate", "24,310", "7,108,060"]


def test_the_spec_reads_back() -> None:
    """The printed spec is JSON of the spec."""
    import json

    assert json.loads(record.laid_out(result().spec)) == result().to_json()["spec"]


def test_long_tables_say_what_was_cut() -> None:
    """A table of more than 200 rows prints 200 and the number of the others."""
    base = result()
    extra = [replace(base.estimates[-1], metric=f"m{index}") for index in range(300)]
    view = context(
        replace(base, estimates=(*base.estimates, *extra), curves=()), SETTINGS, DATE, Status.UNSIGNED
    )
    table = section(view, "other").tables[0]
    assert len(rows(table)) == tables.MAX_ROWS
    assert table.left_out == "102 more rows are in result.json."


def test_requirements_point_at_findings(view: Context) -> None:
    """Each finding_row carries the pointer of its sentence."""
    found = section(view, "requirements")
    pointers = {row.sentence.pointer for row, _, _ in found.parts}
    assert pointers == {f"/findings/{index}/sentence" for index in range(5)}


def test_a_result_without_groups_or_requirements_has_a_first_page() -> None:
    """Estimates of everybody alone make a report: no verdicts, no group with the highest rate."""
    base = result()
    plain: list[Estimate] = [item for item in base.estimates if item.schema is None]
    view = context(
        replace(base, estimates=tuple(plain), findings=(), curves=()), SETTINGS, DATE, Status.SIGNED
    )
    assert view.summary.requirement_rows == ()
    assert view.summary.worst == ()
    assert view.summary.figure is None
    assert all(item.name != "groups" for item in view.sections)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_its_place(verdict: Verdict) -> None:
    """The order of verdicts is total."""
    assert verdict in verdicts.ORDER


def test_a_difference_is_said_in_one_sentence() -> None:
    """The groups differ, or no difference was found and what would have been, or the reason why neither."""
    said = {
        (item.estimate.metric, item.estimate.at["rate"]): plain_text(differences.sentence(item))
        for item in Source(result()).records
        if item.estimate.test is not None and item.estimate.provider == "northgate"
    }
    assert said["max_min", "fnmr"] == "Difference established (p 0.00300, unadjusted; 0.0210, adjusted)."
    assert said["gini", "fnmr"] == (
        "Not established (p 0.247, unadjusted). Minimum detectable difference: 2.31 "
        "(largest FNMR over smallest; 80 % power)."
    )
    assert said["max_min", "fmr"] == "Not testable: Cedar has 3 FMR errors of 2 subjects."


@pytest.mark.parametrize(
    ("size", "start"),
    [
        (2.31, "Minimum detectable difference: 2.31 (largest FNMR over smallest; 80 % power, unadjusted)."),
        (None, "No difference, however large, is detectable with 80 % power, unadjusted."),
    ],
)
def test_power_is_that_of_one_test_alone(size: float | None, start: str) -> None:
    """Where an adjusted p decided, the minimum detectable difference is said to be so by one test alone."""
    base = result()
    open_ = [
        replace(item, test=replace(item.test, p=0.02, p_adjusted=0.2, detectable=size))
        if item.test is not None and item.test.p is not None
        else item
        for item in base.estimates
    ]
    source = Source(replace(base, estimates=tuple(open_)))
    first = next(item for item in source.records if item.estimate.test is not None)
    assert plain_text(differences.sentence(first)) == (
        f"Not established after adjustment (p 0.0200, unadjusted; 0.200, adjusted). {start}"
    )
    table = differences.headline(source, 0.001)
    assert table is not None
    assert plain_text(table.caption).endswith(
        "the minimum detectable difference, with its power, unadjusted."
    )


def test_a_largest_rate_that_may_be_chance_says_so(view: Context) -> None:
    """The group with the highest rate comes with whether a test established a difference, or that none was made."""
    remark = (
        "For this rate, no difference between the groups was established; the order may be due to chance."
    )
    rejected, _, matched = plain_text(view.summary.worst).partition("FMR within the group")
    assert "For this rate, a difference between the groups is established." in rejected
    assert f"{operating_points.NOT_TESTABLE}; the order may be due to chance." in matched  # too few errors
    base = result()
    raw = [
        replace(item, test=replace(item.test, p_adjusted=None)) if item.test is not None else item
        for item in base.estimates
    ]
    text = plain_text(operating_points.worst_group(Source(replace(base, estimates=tuple(raw)))))
    assert "For this rate, a difference between the groups is significant before adjustment." in text
    alike = [
        replace(item, test=replace(item.test, p=0.5, p_adjusted=None))
        if item.metric == "max_min" and item.test is not None
        else item
        for item in base.estimates
    ]
    text = plain_text(operating_points.worst_group(Source(replace(base, estimates=tuple(alike)))))
    assert text.count(remark) == 2
    assert text.index("highest FNMR") < text.index(remark) < text.index("highest FMR within the group")
    untested = tuple(item for item in base.estimates if item.metric != "max_min")
    few = tuple(
        replace(item, test=replace(item.test, p=None, p_adjusted=None, note="too few errors"))
        if item.metric == "max_min" and item.test is not None
        else item
        for item in base.estimates
    )
    for estimates, outcome in (
        (untested, operating_points.NOT_TESTED),
        (few, operating_points.NOT_TESTABLE),
    ):
        text = plain_text(operating_points.worst_group(Source(replace(base, estimates=estimates))))
        assert text.count(f"{outcome}; the order may be due to chance.") == 2


def test_a_failure_that_does_not_hold_among_all_says_so() -> None:
    """A limit that is broken alone but not among all findings is inconclusive, and fails unadjusted."""
    source = Source(result())
    (finding_row,) = [item for item in verdicts.all_finding_rows(source) if item.code == "inconclusive"]
    assert plain_text(finding_row.bound).endswith(
        "; fails unadjusted, not established after adjustment (p 0.0204, unadjusted; 0.0816, adjusted over 5 findings)"
    )
    (failed,) = [item for item in verdicts.all_finding_rows(source) if item.code == "fail"]
    assert plain_text(failed.bound).endswith(", Holm)")


def test_the_bound_that_kept_a_finding_from_failing_is_printed() -> None:
    """Both bounds stand in the row, each with its level, the p value labelled; the bar ends at both."""
    made = result()
    (finding,) = [one for one in made.findings if one.verdict is Verdict.INCONCLUSIVE]
    both = {"bound": finding.limit * 2, "bound_level": 0.95, "near_bound": finding.limit * 0.9}
    other = replace(finding, p=0.0826, **both)
    others = tuple(other if one is finding else one for one in made.findings)
    rows = verdicts.all_finding_rows(Source(replace(made, findings=others)))
    (row,) = [one for one in rows if one.code == "inconclusive"]
    assert plain_text(row.bound) == (
        "at most 0.400 % (one-sided 95 %); at least 0.180 % (one-sided 95 %, p 0.0826, unadjusted)"
    )
    assert row.strip is not None
    assert row.strip.low < 50 < row.strip.high


def test_the_bound_of_the_largest_class_says_what_it_is_adjusted_for() -> None:
    """The CI's lower bound of the largest d_l2 is that of one class; the one that decided is adjusted."""
    made = result()
    (finding,) = [one for one in made.findings if one.verdict is Verdict.INCONCLUSIVE]
    interval = Interval.of(2.0, 4.0, 0.05, Method.VERTEX_GAUSSIAN)
    largest = (item.metric == "d_l2" and item.group == "max" for item in made.estimates)
    place = list(largest).index(True)
    judged = made.estimates[place]
    estimates = list(made.estimates)
    estimates[place] = replace(judged, value=3.0, intervals=(interval,))
    beyond = replace(finding, p=0.0826, limit=1.5, bound=3.5, near_bound=1.36, estimate=f"/estimates/{place}")
    source = Source(replace(made, estimates=tuple(estimates), findings=(beyond,)))
    (row,) = verdicts.all_finding_rows(source)
    assert plain_text(row.bound).endswith(
        "; at least 1.36 (one-sided 95 %, p 0.0826: adjusted for choosing the largest class, not over findings)"
    )


def test_the_stratum_is_said(view: Context) -> None:
    """The method section says within which groups subjects were resampled, or that it was among all."""
    said = {name: plain_text(text) for name, text in section(view, "method").settings}
    assert said["Subjects are resampled"].startswith("Within the groups by group")
    mixed = replace(
        result(), spec={**result().spec, "bootstrap": {"B": 99, "alpha": 0.05, "stratify": "none"}}
    )
    other = context(mixed, SETTINGS, DATE, Status.UNSIGNED)
    said = {name: plain_text(text) for name, text in section(other, "method").settings}
    assert said["Subjects are resampled"].startswith("Among all subjects")


def test_one_group_alone_is_not_worst_off() -> None:
    """A group is named as that of the highest rate only beside another of its schema with a rate."""
    full = result()
    assert plain_text(operating_points.worst_group(Source(full)))
    grouped = [
        item.group
        for item in full.estimates
        if item.schema is not None and item.group not in operating_points.POOLS
    ]
    kept = tuple(item for item in full.estimates if item.schema is None or item.group == grouped[0])
    assert operating_points.worst_group(Source(replace(full, estimates=kept, findings=()))) == ()


def test_a_band_at_a_single_rate_is_no_line() -> None:
    """Curves with bands at one FMR give way to the plain DET."""
    full = result()
    assert front.lines(Source(full))
    cut = tuple(
        replace(
            item, x=item.x[:1], y=item.y[:1], low=item.low and item.low[:1], high=item.high and item.high[:1]
        )
        if item.analysis == "roc"
        else item
        for item in full.curves
    )
    source = Source(replace(full, curves=cut))
    assert front.lines(source) == []
    assert all(item.curve.analysis == "det" for item in front.det_curves(source))


def test_no_difference_is_never_said_beside_an_interval_that_excludes_equality() -> None:
    """Beside an interval of max/min above 1: not established, for the population alone where that interval holds 1."""
    first = next(item for item in Source(result()).records if item.estimate.metric == "max_min")
    assert first.estimate.test is not None
    test = replace(first.estimate.test, p=0.3, p_adjusted=None)
    interval = first.estimate.intervals[0]
    for people, images, word in (
        (1.2, 1.2, "Not established after adjustment"),
        (1.0, 1.2, "Not established for the population"),
        (1.0, 1.0, "Not established"),
    ):
        intervals = (
            replace(interval, target=Target.POPULATION, low=people, high=3.0),
            replace(interval, target=Target.FIXED_IDENTITIES, low=images, high=3.0),
        )
        made = replace(first.estimate, value=2.0, test=test, intervals=intervals)
        notes = Footnotes()
        said = plain_text(differences.answer(replace(first, estimate=made), notes))
        assert said.startswith(word)
        explained = any(differences.ANOTHER_TARGET in plain_text(note) for _, note in notes.all())
        assert explained is (word == differences.NOT_OF_THE_POPULATION)


def test_page_1_prints_the_interval_that_excludes_equality() -> None:
    """Its table has no column for the interval of the same subjects: the note gives it, with the value of equality."""
    base = result()
    first = next(item for item in base.estimates if item.metric == "max_min" and item.at.get("fmr") == 0.001)
    assert first.test is not None
    images = replace(first.intervals[0], target=Target.FIXED_IDENTITIES, low=1.2, high=3.0)
    one = replace(first, value=2.0, test=replace(first.test, p=0.3, p_adjusted=None), intervals=(images,))
    others = tuple(item for item in base.estimates if item.metric != "max_min")
    table = differences.headline(Source(replace(base, estimates=(*others, one))), 0.001)
    assert table is not None
    ((_, note),) = table.notes
    assert plain_text(note) == (
        "The interval for the same subjects, new images, 1.20 to 3.00, excludes equality (1). "
        "It is not a test for the population."
    )


def test_a_ratio_of_groups_stands_beside_its_interval_for_the_population() -> None:
    """Whichever interval comes first; the caption gives its level, and a p that is not adjusted is called so once."""
    base = result()
    first = next(item for item in base.estimates if item.metric == "max_min" and item.at.get("fmr") == 0.001)
    assert first.test is not None
    images, people = (
        replace(first.intervals[0], target=target, low=low, high=3.0)
        for target, low in ((Target.FIXED_IDENTITIES, 1.5), (Target.POPULATION, 1.2))
    )
    one = replace(
        first, value=2.0, intervals=(images, people), test=replace(first.test, p=0.01, p_adjusted=None)
    )
    others = tuple(item for item in base.estimates if item.metric != "max_min")
    table = differences.headline(Source(replace(base, estimates=(*others, one))), 0.001)
    assert table is not None
    ((row,),) = [block.rows for block in table.blocks]
    assert [plain_text(text) for text in row[1:3]] == ["2.00", "1.20 to 3.00"]
    assert "with its 95 % CI for the population" in plain_text(table.caption)
    assert plain_text(row[3]).startswith("Significant before adjustment (p 0.0100)")


def test_of_groups_that_tie_none_is_the_lowest() -> None:
    """The same FMR in every group of the schema: the sentence says so, and names no lowest group."""
    base = result()

    def text(share: float) -> str:
        tied = [
            replace(item, value=0.001 if item.group == "cedar" else share)
            if item.metric == "fmr" and item.schema and item.value is not None
            else item
            for item in base.estimates
        ]
        source = Source(replace(base, estimates=tuple(tied)))
        found = operating_points.worst(source, "fmr", 0.001)
        assert found is not None
        return plain_text(spans(*operating_points._sentence(source, *found, "FMR within the group")))

    assert "each other group has the same rate" in text(0.001)
    assert "; lowest of this system " in text(0.0005)
