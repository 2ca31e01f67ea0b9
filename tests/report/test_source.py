"""The result with pointers. Tests also phrases, which prints what source finds, and words."""

from dataclasses import replace

import pytest
from report_fixture import TARGETS, interval, result

from frtaudit.core import Estimate, Method, Target
from frtaudit.report import phrases
from frtaudit.report.figures import canvas
from frtaudit.report.pieces import Footnotes, plain_text
from frtaudit.report.source import ALL_SUBJECTS, Record, Source
from frtaudit.report.words import display_name, words


@pytest.fixture(scope="module")
def source() -> Source:
    """The synthetic result."""
    return Source(result())


def first(source: Source, metric: str, group: str = "all") -> Record:
    """The first record of a metric and group."""
    return next(item for item in source.select(metric, primary=True) if item.estimate.group == group)


def test_pointers_lead_to_the_estimates(source: Source) -> None:
    """Every record's pointer is the place of its estimate in result.json."""
    for record in source.records:
        index = int(record.pointer.removeprefix("/estimates/"))
        assert source.result.estimates[index] is record.estimate


def test_the_same_number_of_two_analyses_is_one_record() -> None:
    """Intervals of two analyses for one number stand together, each with its own pointer."""
    base = result()
    again = replace(
        base.estimates[1],
        analysis="other",
        intervals=(interval(0.02, 0.3, Method.GAUSSIAN, Target.FIXED_IDENTITIES),),
    )
    source = Source(replace(base, estimates=(*base.estimates, again), findings=()))
    record = next(item for item in source.records if item.pointer == "/estimates/1")
    assert record.bounds[-1].pointer == f"/estimates/{len(base.estimates)}/intervals/0"


def test_the_interval_with_bounds_is_printed_first(source: Source) -> None:
    """Where the bootstrap of people was withheld, Wilson's interval is the one for the population."""
    found = first(source, "fnmr_at_fmr").bound(Target.POPULATION)
    assert found is not None
    assert found.interval.method is Method.WILSON


def test_a_target_without_interval_is_said(source: Source) -> None:
    """An index without an interval for fixed identities prints a dash."""
    record = first(source, "gini")
    assert (
        plain_text(phrases.bounds(record.bound(Target.FIXED_IDENTITIES), record.estimate)) == phrases.ABSENT
    )


def test_withheld_intervals_print_their_note(source: Source) -> None:
    """An interval without bounds prints why."""
    record = first(source, "fnmr_at_fmr")
    withheld = next(item for item in record.bounds if item.interval.low is None)
    notes = Footnotes()
    assert plain_text(phrases.bounds(withheld, record.estimate, notes)) == "nonea"
    assert "fewer than 10 subjects with errors" in plain_text(notes.all()[0][1])


def test_intervals_of_rates_are_clipped_and_others_are_not(source: Source) -> None:
    """A rate's interval ends at 100 %; an index's runs on."""
    shared = first(source, "fnmr_at_fmr")
    wide = interval(0.9, 0.5, Method.WILSON, Target.POPULATION)
    bound = replace(shared.bounds[0], interval=wide)
    assert plain_text(phrases.bounds(bound, replace(shared.estimate, value=0.9))).endswith("to 100 %")
    index = replace(first(source, "max_min").estimate, value=0.9)
    assert plain_text(phrases.bounds(bound, index)).endswith("to 1.35")


def test_no_value_prints_a_dash_and_its_note(source: Source) -> None:
    """A refused estimate is a dash with a footnote."""
    record = first(source, "fmr", "unknown")
    notes = Footnotes()
    assert plain_text(phrases.value(record, notes)) == f"{phrases.ABSENT}a"


def test_classes_come_in_the_schemas_order_and_unknown_last(source: Source) -> None:
    """The schema's order, unknown at the end, labels in print."""
    assert source.classes("group", {"unknown", "cedar"}) == ["amber", "birch", "cedar", "unknown"]
    assert source.label("group", "amber|cedar") == "Amber and Cedar"
    assert source.label("group", "new_class") == "new class"


def test_classes_that_differ_in_a_letter_of_spacing_alone_keep_their_names(source: Source) -> None:
    """A_B is printed "A B" only where no other class is called so."""
    rows = [{"group": name, "label": name} for name in ("A_B", "A B", "C_D")]
    cohort = {**source.result.cohort, "schemas": {"site": {"groups": rows}}}
    labels = Source(replace(source.result, cohort=cohort))
    assert [labels.label("site", name) for name in ("A_B", "A B", "C_D")] == ["A_B", "A B", "C D"]


def test_primary_selects_one_weighting(source: Source) -> None:
    """With ``primary`` each system has one overall rate for each target."""
    found = source.select("fnmr_at_fmr", grouped=False, primary=True)
    assert len(found) == len(TARGETS) * len(source.providers)


def test_operating_points_are_printed_in_words(source: Source) -> None:
    """A fixed threshold names its origin."""
    record = next(item for item in source.select("fnmr") if "vendor" in item.estimate.at)
    text = plain_text(phrases.at_words(record.estimate.at, record.pointer))
    assert text == "threshold 0.412346, vendor recommended"


@pytest.mark.parametrize("kind", [Method, Target])
def test_every_method_and_target_has_words(kind: type[Method] | type[Target]) -> None:
    """No interval is printed under a code, and each is explained."""
    names, meanings = (
        (words().method, words().method_means) if kind is Method else (words().target, words().target_means)
    )
    assert {item.value for item in kind} <= set(names)
    assert {item.value for item in kind} <= set(meanings)


def test_a_code_without_words_is_printed_as_words() -> None:
    """Plug-ins of other wheels need no change here."""
    assert display_name(words().metric, "new_metric") == "new metric"


def test_zero_is_printed_in_the_style_of_its_interval() -> None:
    """A rate of 0 with a tiny upper bound does not print 0 %."""
    tiny = interval(4e-5, 0.5, Method.WILSON, Target.POPULATION)
    estimate = Estimate(
        provider="a",
        analysis="b",
        metric="fmr",
        schema=None,
        group="all",
        weighting=None,
        at={},
        value=0.0,
        numerator=0,
        denominator=9,
        unit="share",
        intervals=(replace(tiny, low=0.0, high=6e-5),),
    )
    record = Record(estimate=estimate, pointer="/estimates/0", bounds=())
    assert plain_text(phrases.value(record)) == "0"


def test_the_pool_of_all_subjects_has_one_name() -> None:
    """Under a schema and without one it is called as :data:`ALL_SUBJECTS`; a class keeps its label."""
    source = Source(result())
    assert source.label(None, "all") == source.label("group", "all") == ALL_SUBJECTS
    assert source.label("group", "amber") == "Amber"


def test_the_pool_of_all_classes_has_one_colour_in_every_schema(source: Source) -> None:
    """Schemas of two, eight and twenty classes draw "all" with one pen, in a hue of its own; no pens are alike."""
    for count in (2, 8, 20):
        pens = source.pens("none", [*(f"class {number}" for number in range(count)), "all", "unknown"])
        drawn = {name: canvas.pen(index) for name, index in pens.items()}
        assert drawn["all"] == canvas.Pen(hue=canvas.HUES[-1], marker=canvas.MARKERS[-1])
        assert len(set(drawn.values())) == count + 2
        assert [name for name, pen in drawn.items() if pen.hue == drawn["all"].hue] == ["all"]
