from dataclasses import replace
from functools import cache

import pytest
from vendor_audits import VENDORS, from_runs, made, pick, result

from frtaudit.analyses.differentials import Differentials
from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.failures import Failures
from frtaudit.core import AuditResult
from frtaudit.core.text import formatting
from frtaudit.pipeline.audit import audit
from frtaudit.report.pieces import Text, plain_text
from frtaudit.report.sections import answer, vendor_choice, vendors
from frtaudit.report.source import Source


def choice(of: AuditResult) -> vendor_choice.Choice:
    """The first page of a comparison."""
    made = vendor_choice.choice(Source(of))
    assert made is not None
    return made


def test_one_sentence_names_the_rule_and_who_is_chosen() -> None:
    """Every system stands in it, on the side that its decision says."""
    said = plain_text(choice(result()).sentence)
    assert said.startswith(
        "Declared in the spec: choose every system that no other is shown to be better than"
    )
    assert said.count(". ") == 1  # the second says for whom
    chosen, _, others = said.partition(" chosen")
    for decision in pick(result(), "vendor_decision"):
        assert decision.provider in (chosen if decision.value else others)


def test_what_could_not_be_decided_is_no_verdict() -> None:
    """Where the decisive measure has no value there is a reason in the place of a choice, and no column of verdicts."""
    why = "FMR 0.1 falls between two steps of the scores"
    estimates = tuple(
        replace(each, value=None, note=why) if each.metric == "vendor_decision" else each
        for each in result().estimates
    )
    undecided = choice(replace(result(), estimates=estimates))
    assert plain_text(undecided.sentence).endswith(f": nothing is decided ({why}).")
    assert "Verdict" not in [column.title for column in undecided.table.columns]
    assert undecided.tied == ()


def test_systems_that_tie_are_said_with_the_detectable_difference() -> None:
    """What the comparison left open, how large a difference it would have found, and subjects for a smaller one."""
    said = plain_text(choice(result()).tied)
    sizes = [
        decision.test.detectable
        for decision in pick(result(), "vendor_difference")
        if decision.test is not None and not decision.test.differs and decision.at["of"] == "fnmr_at_fmr"
    ]
    assert any(sizes)
    assert said.startswith(
        "On common comparisons no difference between chosen systems was established (minimum "
    )
    assert ", 80 % power); about " in said
    assert ", if its variance per subject stays as estimated." in said
    assert said.count(" percentage points") == 3  # detectable, estimated, margin
    assert "absolute" not in said


@pytest.mark.parametrize(("shown", "sentence"), [
    (None, "All are equivalent within the declared margin (25.0 percentage points)."),
    (1, "Equivalent within the declared margin (25.0 percentage points): one – two."),
    (0, "Equivalence within the declared margin (25.0 percentage points) was not shown for any of them."),
])  # fmt: skip
def test_equivalence_of_chosen_systems_is_said(shown: int | None, sentence: str) -> None:
    """All of them, the pairs for which it is shown, or that it is shown for none; nothing without a margin."""
    base, estimates = result(), []
    for estimate in base.estimates:
        test = estimate.test
        if estimate.metric == "vendor_equivalence" and shown is not None and test is not None:
            alike = estimate.provider == "one" and estimate.at["against"] == "two" and shown > 0
            test = replace(test, p=0.001 if alike else 0.9, p_adjusted=None)
        estimates.append(replace(estimate, test=test))
    said = plain_text(choice(replace(base, estimates=tuple(estimates))).tied)
    assert said.endswith(f". {sentence}")
    bare = tuple(estimate for estimate in estimates if estimate.metric != "vendor_equivalence")
    assert "quivalen" not in plain_text(choice(replace(base, estimates=bare)).tied)


def test_one_table_has_a_row_for_each_system() -> None:
    """FNMR and FMR with intervals, failures, the largest group ratio, the rank and the verdict of the rule."""
    table = choice(result()).table
    assert [column.title for column in table.columns] == [
        "System", "FNMR at FMR 3 %", "Failure to acquire", "Largest group ratio", "Rank", "Verdict",
    ]  # fmt: skip
    rows = {plain_text(row[0]): [plain_text(cell) for cell in row] for row in table.blocks[0].rows}
    assert tuple(rows) == (*VENDORS, "twin")
    for decision in pick(result(), "vendor_decision"):
        assert rows[decision.provider][-1] == ("best or tied" if decision.value else "not best")
    ratios = [row.value or 0.0 for row in pick(result(), "vendor_value", "max_min", provider="one", fmr=0.03)]
    assert rows["one"][3].startswith(f"{max(ratios):.3g}a (")


@cache
def rated() -> AuditResult:
    """The comparison with rates of each system on all of its own comparisons beside it."""
    analyses = {**made().analyses, "error_rates": ErrorRates(curve_points=5), "failures": Failures()}
    return audit(made(analyses=analyses)).result


def test_rates_of_all_comparisons_come_with_intervals() -> None:
    """Where the audit has them they stand in place of the values of the common support."""
    table = choice(rated()).table
    titles = [column.title for column in table.columns]
    assert titles[1:4] == ["FNMR at FMR 3 %", "FMR", "Failure to acquire"]
    assert all(" to " in plain_text(row[place]) for row in table.blocks[0].rows for place in (1, 2, 3))
    assert "FMR is near its target" in plain_text(table.caption)


@cache
def of_groups() -> AuditResult:
    """A comparison whose audit also tests the groups of each system."""
    analyses = {
        **made().analyses,
        "error_rates": ErrorRates(curve_points=5),
        "differentials": Differentials(),
    }
    return audit(made(analyses=analyses)).result


def unmarked(text: Text) -> str:
    """A cell without the marks of its notes."""
    return plain_text(piece for piece in text if piece.kind != "mark")


def test_the_ratio_is_the_one_that_the_sentences_give() -> None:
    """Of all comparisons where the audit estimates it: one page has one number for one thing."""
    of_all = of_groups()
    weighting = of_all.spec["weighting"]
    for row in choice(of_all).table.blocks[0].rows:
        ratios = [
            estimate.value
            for estimate in pick(of_all, "max_min", provider=plain_text(row[0]), fmr=0.03)
            if estimate.value is not None and estimate.weighting == weighting
        ]
        assert ratios
        assert unmarked(row[4]).startswith(f"{formatting.plain(max(ratios))} (")


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (
            {"p": None, "note": "too few"},
            "Not testable whether the groups differ: a group has too few errors or ",
        ),
        ({"p": 0.4, "p_adjusted": None}, "No difference between the groups is established."),
        ({"p": 0.0001, "p_adjusted": None}, ""),
    ],
)
def test_a_ratio_without_an_established_difference_is_marked(change: dict[str, object], note: str) -> None:
    """A short mark beside the ratio, and what it means once under the table; none where the groups differ."""
    of = of_groups()
    estimates = tuple(
        replace(item, test=replace(item.test, **change)) if item.metric == "max_min" and item.test else item
        for item in of.estimates
    )
    changed = replace(of, estimates=estimates)
    view = vendors.build(Source(changed))
    assert view is not None
    for table in (choice(changed).table, view.tables[0]):
        marks = {
            piece.text
            for row in table.blocks[0].rows
            for cell in row
            for piece in cell
            if piece.kind == "mark"
        }
        assert marks == ({"a"} if note else set())
        assert [plain_text(text)[: len(note)] for _, text in table.notes] == ([note] if note else [])


def test_a_ratio_of_common_comparisons_is_not_tested() -> None:
    """The note says so."""
    table = choice(result()).table
    assert [plain_text(text) for _, text in table.notes] == ["Not tested whether the groups differ."]


def test_a_column_of_nothing_is_left_out() -> None:
    """Finished runs compared have no FMR of their own; the rest of the table stands."""
    table = choice(audit(from_runs()).result).table
    titles = [column.title for column in table.columns]
    assert "FMR" not in titles
    assert {"System", "Rank", "Verdict"} <= set(titles)


def test_rates_are_not_said_again_in_sentences() -> None:
    """The table has them; without a comparison the sentences do."""
    with_table = rated()
    kept = tuple(estimate for estimate in with_table.estimates if estimate.metric != "vendor_decision")
    for of, wanted in ((with_table, False), (replace(with_table, estimates=kept, findings=()), True)):
        said = [plain_text(sentence) for sentence in answer.sentences(Source(of), ())]
        assert any(sentence.startswith("one: FNMR") for sentence in said) is wanted


def test_nothing_to_choose_nothing_said() -> None:
    """An audit of single systems has no such table."""
    assert vendor_choice.choice(Source(replace(result(), estimates=(), curves=()))) is None


def test_a_comparison_says_for_whom_its_verdicts_hold() -> None:
    """Ranks and verdicts have intervals for a population, which the sentence on the choice names."""
    said = plain_text(choice(result()).sentence)
    assert said.endswith(". Verdicts hold for the population of the test subjects.")
