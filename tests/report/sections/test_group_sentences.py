"""Sentences of the first page on the groups."""

from dataclasses import replace

import pytest
from report_fixture import result

from frtaudit.core.methods import GROUPS_NEED
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import group_sentences
from frtaudit.report.source import Source


def paragraphs(source: Source) -> list[str]:
    """The sentences as text."""
    return [plain_text(text) for text in group_sentences.sentences(source)]


def test_what_was_not_established_is_said_with_the_detectable_ratio() -> None:
    """No difference between groups: how large a ratio the test would have found, with its power."""
    alike = [
        replace(item, test=replace(item.test, p=0.5, p_adjusted=1.0))
        if (item.metric, item.provider) == ("max_min", "northgate")
        and item.test is not None
        and item.test.p is not None
        else item
        for item in result().estimates
    ]
    lines = paragraphs(Source(replace(result(), estimates=tuple(alike))))
    (line,) = [line for line in lines if line.startswith("No difference was established")]
    assert " of northgate (minimum detectable ratio 2.31, 80 % power)" in line


@pytest.mark.parametrize(
    ("value", "median", "needed"),
    [
        (1.3, 1.5, "about 1,500 subjects in all would detect a ratio of 2"),
        (1.6, 1.5, "about 3,300 subjects in all would detect the estimated ratio 1.60"),
        (1.3, None, "about 1,500 subjects in all would detect a ratio of 2"),
    ],
)
def test_subjects_are_of_a_ratio_of_2_where_the_estimate_is_chance(
    value: float, median: float | None, needed: str
) -> None:
    """No number of subjects detects a ratio that equal groups give half the time; one does a ratio of 2."""
    changed = {"p": 0.5, "p_adjusted": 1.0, "detectable": 3.0, "null_median": median}
    estimates = [
        replace(item, value=value, test=replace(item.test, **changed))
        if (item.metric, item.provider) == ("max_min", "northgate")
        and item.test is not None
        and item.test.p is not None
        else item
        for item in result().estimates
    ]
    of = replace(result(), estimates=tuple(estimates), cohort={**result().cohort, "subjects": 600})
    (line,) = [line for line in paragraphs(Source(of)) if line.startswith("No difference was established")]
    assert f"(minimum detectable ratio 3.00, 80 % power; {needed})" in line


@pytest.mark.parametrize("listed", [6, 0])
def test_of_several_systems_the_largest_detectable_ratio_is_said(
    listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once behind the systems of a rate, or how many they are, with the subjects that would detect a ratio of 2."""
    monkeypatch.setattr(group_sentences, "MAX_LISTED", listed)
    sizes = iter((2.5, 3.0, 2.2, 2.1))
    estimates = [
        replace(item, test=replace(item.test, p=0.5, p_adjusted=1.0, detectable=next(sizes)))
        if item.metric == "max_min" and item.test is not None and dict(item.at).get("fmr") == 0.001
        else item
        for item in result().estimates
    ]
    of = replace(result(), estimates=tuple(estimates), cohort={**result().cohort, "subjects": 600})
    (line,) = [line for line in paragraphs(Source(of)) if line.startswith("No difference was established")]
    largest = "minimum detectable ratio at most 3.00, 80 % power"
    assert line.count("minimum detectable") == (2 if listed else 1)
    assert f" ({largest}; about 1,500 subjects in all would detect a ratio of 2)" in line
    assert "2.2" not in line


def test_few_errors_are_said_with_how_many_it_takes() -> None:
    """Groups that cannot be tested: how many errors, of how many subjects, each group needs."""
    (line,) = [line for line in paragraphs(Source(result())) if line.startswith("Not testable")]
    assert line.endswith("; each group needs 10 errors of 10 subjects.")


def test_few_errors_name_the_group_and_the_subjects_that_would_give_enough() -> None:
    """The group, its errors, and how many more subjects: once the rule, which ends the sentence."""
    note = f"Amber has 8 FNMR errors of 6 subjects; about 1.7 times its subjects would give enough; {GROUPS_NEED}"
    estimates = [
        replace(item, test=replace(item.test, note=note))
        if item.test is not None and item.test.p is None
        else item
        for item in result().estimates
    ]
    lines = paragraphs(Source(replace(result(), estimates=tuple(estimates))))
    (line,) = [line for line in lines if line.startswith("Not testable")]
    assert (
        "northgate (Amber has 8 FNMR errors of 6 subjects; about 140 subjects of Amber would give enough)"
        in line
    )
    assert GROUPS_NEED not in line


def test_many_comparisons_with_few_errors_say_how_many_subjects_would_give_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From the fewest to the most, and for how many no number is known."""
    monkeypatch.setattr(group_sentences, "MAX_NAMED", 1)
    few = "Amber has 3 FMR errors of 6 subjects; about 3.4 times its subjects would give enough; "
    none = "Amber has 0 FMR errors of 0 subjects; "
    for notes, said_of in {
        (
            few,
            few.replace("3.4", "10"),
        ): ". About 270 to 800 subjects of the group with the fewest errors would",
        (few, few): ". About 270 subjects of the group with the fewest errors would give enough.",
        (none, few): "would give enough; for 1 of 2, with a group without errors, no number is known.",
    }.items():
        left = list(notes)
        estimates = tuple(
            replace(item, test=replace(item.test, note=left.pop() + GROUPS_NEED))
            if item.metric == "max_min" and item.test is not None and item.test.p is None and left
            else item
            for item in result().estimates
        )
        (line,) = [
            line
            for line in paragraphs(Source(replace(result(), estimates=estimates)))
            if line.startswith("Not testable")
        ]
        assert said_of in line


def test_rates_that_differ_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems whose groups differ in one rate are listed behind its name once."""
    monkeypatch.setattr(group_sentences, "MAX_NAMED", 1)  # what is missing is not told of each
    (line,) = [line for line in paragraphs(Source(result())) if line.startswith("Not testable")]
    assert "differences in FMR by group of northgate and quill_2, at FMR 0.1 %;" in line


def test_many_rates_that_differ_are_a_sentence_for_each_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more rates differ than are told one by one, each system has its ratios and whose rates they are."""
    monkeypatch.setattr(group_sentences, "MAX_NAMED", 1)
    lines = paragraphs(Source(result()))
    for system in ("northgate", "quill_2"):
        start = f"{system}: at FMR 0.1 %, FNMR is 3.43 times as high for Cedar as for "
        assert sum(line.startswith(start) for line in lines) == 1
    assert not any(line.startswith("Groups differ") for line in lines)


def test_systems_beyond_those_that_are_listed_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No system whose groups differ is left out without a word."""
    monkeypatch.setattr(group_sentences, "MAX_NAMED", 1)
    monkeypatch.setattr(group_sentences, "MAX_LISTED", 1)
    assert "Groups differ for 1 more system (see Groups)." in paragraphs(Source(result()))


def test_unadjusted_tests_of_d_l2_are_named_as_such() -> None:
    """Without requirements of rates the tests of d_l2 answer, with the farthest class; unadjusted none establishes."""
    test = next(item.test for item in result().estimates if item.metric == "max_min" and item.test)
    amber = next(
        e for e in result().estimates if (e.metric, e.group, e.provider) == ("d_l2", "amber", "northgate")
    )
    others = [e for e in result().estimates if e.metric != "max_min"]
    for adjusted, shown, p in (
        (None, "significant before adjustment", "p 0.00100, unadjusted"),
        (0.01, "established", "p 0.00100, unadjusted; 0.0100, adjusted"),
    ):
        tested = replace(amber, test=replace(test, p=0.001, p_adjusted=adjusted, family=7), group="max")
        estimates = [*others, tested]
        lines = paragraphs(Source(replace(result(), estimates=tuple(estimates), findings=())))
        (line,) = [line for line in lines if line.startswith("d_l2 by group: a difference of classes")]
        assert (
            line
            == f"d_l2 by group: a difference of classes is {shown} for northgate ({p}; largest for Amber)."
        )


def test_an_established_d_l2_is_said_beside_tests_of_rates() -> None:
    """Where the ratio of rates is tested too, d_l2 has a sentence if a difference of classes is established."""
    test = next(item.test for item in result().estimates if item.metric == "max_min" and item.test)
    for p, count in ((0.001, 1), (0.5, 0)):
        estimates = tuple(
            replace(item, test=replace(test, p=p, p_adjusted=None), group="max")
            if item.metric == "d_l2" and item.group == "amber" and item.provider == "northgate"
            else replace(item, test=None)
            if item.metric == "d_l2"
            else item
            for item in result().estimates
        )
        lines = paragraphs(Source(replace(result(), estimates=estimates, findings=())))
        shown = "d_l2 by group: a difference of classes is significant before adjustment for northgate "
        given = [line for line in lines if line.startswith("d_l2 by group")]
        assert given == [f"{shown}(p 0.00100, unadjusted)."] * count
