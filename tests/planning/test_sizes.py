"""The sections that need no scores."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_audits import spec

from frtaudit.core.spec import RequirementSpec, SchemaSpec
from frtaudit.planning import sizes
from frtaudit.planning.parties import from_sizes
from frtaudit.planning.values import Cell, Section, Settings
from frtaudit.planning.wanted import Wanted, wanted
from frtaudit.stats.sample_size import detectable, power
from frtaudit.stats.sample_size.power import ComparisonDesign, Dependence

SPEC = spec(schemas={"site": SchemaSpec(column="site", classes=("a", "b"))})


def column(section: Section, name: str) -> list[Cell]:
    return [row[section.columns.index(name)] for row in section.rows]


def limit_of(item: RequirementSpec, settings: Settings) -> Section:
    (asked,) = wanted((item,), from_sizes(SPEC, 100, 4), settings)
    assert isinstance(asked, Wanted)
    return sizes.limit(asked, sizes.PlanContext(alpha=0.05, settings=settings))


def test_limit_needs_what_the_rules_say() -> None:
    """FNMR 0.01 with six comparisons a subject: 300, 3000 comparisons, or as many subjects if a subject errs as one."""
    section = limit_of(RequirementSpec(name="r", metric="fnmr", limit=0.01), Settings(deff={"fnmr": 2}))
    assert column(section, "by") == ["rule of 3", "rule of 30", "pass at no error", "pass, power 0.8"]
    assert column(section, "independent: comparisons")[:2] == [300, 3000]
    assert column(section, "independent: subjects")[:2] == [50, 500]
    assert column(section, "dependent: subjects")[:2] == [300, 3000]
    assert column(section, "deff given: subjects")[:2] == [100, 1000]
    assert column(section, "there are: subjects") == [100] * 4
    to_pass = power.subjects_to_pass(power.mated(4), Dependence(base=2, share=0), 0.005, 0.01, 0.05, 0.8)
    assert column(section, "deff given: subjects")[3] == to_pass


def test_a_minimum_counts_for_a_pass() -> None:
    """As many comparisons as the requirement asks for, by subjects or by comparisons; a note says so."""
    least = {"subjects": 200, "comparisons": 3000}
    section = limit_of(RequirementSpec(name="r", metric="fnmr", limit=0.05, minimum=least), Settings())
    assert column(section, "independent: subjects") == [10, 100, 500, 500]
    assert column(section, "independent: comparisons")[2:] == [3000, 3000]
    asked = "the requirement asks for 200 subjects and 3,000 comparisons, else not testable"
    assert section.notes == (f"{asked}; the rows of pass allow for it",)
    some = limit_of(
        RequirementSpec(name="r", metric="fnmr", limit=0.05, minimum={"subjects": 200}), Settings()
    )
    assert column(some, "independent: subjects")[2:] == [200, 200]
    assert limit_of(RequirementSpec(name="r", metric="fnmr", limit=0.05), Settings()).notes == ()


def test_alike_groups_stand_once() -> None:
    """Groups that need the same have one set of rows."""
    section = limit_of(RequirementSpec(name="r", metric="fmr", limit=0.001, group="each"), Settings())
    assert column(section, "group") == ["each"] * 4


def test_resolution_counts_expected_false_matches() -> None:
    """Expected: target x non-mated comparisons; 5 are needed, below 10 is a warning; subjects reach those numbers."""
    parties = from_sizes(SPEC, 20, 2)  # 760 non-mated comparisons
    section = sizes.resolution(parties, (0.001, 0.1, 0.01))
    assert column(section, "FMR") == [0.1, 0.01, 0.001]
    assert column(section, "expected") == pytest.approx([76, 7.6, 0.76])
    assert column(section, "outcome") == ["resolved", "warning", "refused"]
    for target, five in zip(column(section, "FMR"), column(section, "subjects for 5"), strict=True):
        assert target * 4 * five * (five - 1) / 2 >= 5 > target * 4 * (five - 1) * (five - 2) / 2
    assert column(sizes.resolution(from_sizes(SPEC, None, 2), (0.1,)), "expected") == [None]


def test_ratio_is_that_of_the_smallest_groups() -> None:
    """The table's ratio is the stats function's, independent and dependent; without a size none, and it says so."""
    context = sizes.PlanContext(alpha=0.05, settings=Settings())
    (section,) = sizes.ratios(from_sizes(SPEC, 8000, 4), [("fnmr", 0.02), ("fmr", 0.001)], context)
    asked = {"groups": 2, "alpha": 0.05, "power": 0.8}
    for row, n_eff in ((0, 24_000), (1, 4_000)):
        expected = detectable.detectable_ratio(0.02, n_eff, n_eff, **asked)
        assert column(section, "smallest ratio")[row] == pytest.approx(expected)
    tripled = (
        ComparisonDesign(ends=2, each=16).trials(4000) / 3
    )  # FORMULAS 8.2: replicates triple the noise of a block
    expected = detectable.detectable_ratio(0.001, tripled, tripled, **asked)
    assert column(section, "smallest ratio")[2] == pytest.approx(expected)
    assert column(section, "subjects per group for 2")[1] == detectable.subjects_to_find(
        2, 0.02, power.mated(4), power.worst(power.mated(4)), **asked
    )
    (unknown,) = sizes.ratios(from_sizes(SPEC, None, 4), [("fnmr", 0.02)], context)
    assert column(unknown, "smallest ratio") == [None, None]
    assert sizes.NO_SIZE in unknown.notes
    assert sizes.NO_SIZE not in section.notes


def test_groups_of_too_few_subjects_have_no_ratio() -> None:
    """Eight people with 12 images each make errors enough, but a group with errors of fewer than 10 is not tested."""
    context = sizes.PlanContext(alpha=0.05, settings=Settings())
    rates = [("fnmr", 0.05), ("fmr", 0.05)]
    (small,) = sizes.ratios(from_sizes(SPEC, 16, 12), rates, context)
    assert column(small, "smallest ratio") == [None] * 4
    assert "errors of fewer than 10 subjects" in sizes.TOO_FEW
    (large,) = sizes.ratios(from_sizes(SPEC, 30, 12), rates, context)
    assert column(large, "smallest ratio")[0] is not None
    assert all(int(str(needed)) >= 10 for needed in column(large, "subjects per group for 2"))


@given(st.integers(1, 300), st.integers(0, 5), st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([1, 2]))
def test_resamples_reach_the_family(verdicts: int, systems: int, alpha: float, sides: int) -> None:
    """B needed is the least with 1/(B+1) <= alpha/m, alpha read as a decimal; two-sided 2/(B+1)."""
    section = sizes.resamples(verdicts, systems, alpha, 999, sides)
    (needed,), (family,) = column(section, "B needed"), column(section, "family")
    assert family == verdicts * max(systems, 1)
    assert isinstance(needed, int)
    exact = Fraction(repr(alpha))
    assert Fraction(sides, needed + 1) <= exact / family < Fraction(sides, needed)
    assert column(section, "outcome") == ["enough" if needed <= 999 else "too few"]
