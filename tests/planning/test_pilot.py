"""A pilot shows what the audit of the same scores would."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

import numpy as np
import pytest
from small_audits import COHORT, SCHEMAS, plain, spec

from frtaudit.core.spec import RequirementSpec, Weighting
from frtaudit.evaluation.system import SystemData
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.components import comparisons_of
from frtaudit.pipeline.evaluate import groups_of
from frtaudit.planning import pilot
from frtaudit.planning.parties import from_cohort
from frtaudit.planning.sizes import PlanContext
from frtaudit.planning.values import Cell, Section, Settings
from frtaudit.planning.wanted import Wanted, wanted
from frtaudit.stats.sample_size import power

T = TypeVar("T")
SPEC = replace(
    spec(weighting=Weighting.POOLED, providers=("one",)),
    requirements=(
        RequirementSpec(name="at", metric="fnmr", limit=0.3, at={"threshold": 0.3}, group="each"),
        RequirementSpec(name="target", metric="fnmr_at_fmr", limit=0.3, at={"fmr": 0.1}),
        RequirementSpec(name="false", metric="fmr", limit=0.3, at={"threshold": 0.2}),
        RequirementSpec(name="lost", metric="fta", limit=0.3),
        RequirementSpec(name="nowhere", metric="fnmr", limit=0.3),
    ),
)
MATERIAL = COHORT.load(SCHEMAS, 0)
DESK = PlanContext(alpha=0.05, settings=Settings())


@cache
def system() -> SystemData:
    (found,) = pilot.pilots(SPEC, MATERIAL, comparisons_of(SPEC, MATERIAL), groups_of(MATERIAL.cohort))
    return found


def parties() -> list[object]:
    return from_cohort(MATERIAL, comparisons_of(SPEC, MATERIAL), groups_of(MATERIAL.cohort))


def demands() -> list[Wanted]:
    return [item for item in wanted(SPEC.requirements, parties(), DESK.settings) if isinstance(item, Wanted)]


def rows(section: Section) -> list[dict[str, Cell]]:
    return [dict(zip(section.columns, row, strict=True)) for row in section.rows]


def test_a_pilot_says_how_far_it_is() -> None:
    """Scoring is heard of, not only which provider it is."""
    heard: list[str] = []

    def hear(items: Sequence[T], what: str) -> Sequence[T]:
        heard.append(what)
        return items

    list(pilot.pilots(SPEC, MATERIAL, comparisons_of(SPEC, MATERIAL), groups_of(MATERIAL.cohort), hear))
    assert heard[0] == "systems"
    assert "scoring" in heard


def test_errors_rates_and_design_effects_are_the_audits() -> None:
    """Errors, rate and trials / n_eff are those of the audit's own Wilson interval at the same threshold and group."""
    result = audit(SPEC).result
    (section,) = pilot.limits(system(), demands(), DESK)
    found = {(row["requirement"], row["group"]): row for row in rows(section)}
    seen = 0
    for name, metric, threshold in (("at", "fnmr", 0.3), ("false", "fmr", 0.2)):
        for item in result.estimates:
            row = found.get((name, item.group))
            if row is None or (item.metric, item.weighting) != (metric, "pooled"):
                continue
            wilson = [one for one in item.intervals if one.method.value == "wilson"]
            if item.at.get("threshold") != threshold or not wilson or set(item.at) - {"threshold"}:
                continue
            seen += 1
            assert row["errors"] == item.numerator
            assert row["rate"] == pytest.approx(item.value)
            assert row["deff"] == pytest.approx(item.denominator / wilson[0].n_eff)
    assert seen == 3


def test_needs_follow_from_the_measured_dependence() -> None:
    """Subjects to pass are planned with the design effect carried to other sizes."""
    (section,) = pilot.limits(system(), demands(), DESK)
    row = next(item for item in rows(section) if item["requirement"] == "target")
    design = parties()[0].designs["fnmr"]
    way = power.measured(design, 24, row["deff"])
    assert row["at the rate: expected"] == power.subjects_to_pass(design, way, 0.15, 0.3, 0.05, 0.8)
    assert row["own"] == power.subjects_to_pass(design, way, row["rate"], 0.3, 0.05, 0.8)


def test_a_pilot_plans_at_the_requirements_own_level_and_minimum() -> None:
    """A level of 80 % takes the fewer subjects of its alpha, and a minimum the more that it asks for."""
    goal = next(item for item in demands() if item.requirement.name == "target")
    design = parties()[0].designs["fnmr"]
    needs = []
    for changes in ({"level": 0.8}, {"minimum": {"subjects": 500}}):
        changed = replace(goal, requirement=replace(goal.requirement, **changes))
        (row,) = rows(next(pilot.limits(system(), [changed], DESK)))
        needs.append(row["at the rate: expected"])
    way = power.measured(design, 24, row["deff"])
    assert needs == [power.subjects_to_pass(design, way, 0.15, 0.3, 0.2, 0.8), 500]
    assert needs[0] != power.subjects_to_pass(design, way, 0.15, 0.3, 0.05, 0.8)


def test_what_scores_do_not_say_is_said() -> None:
    """Acquisitions, and a requirement without a point, have a line and no row."""
    (section,) = pilot.limits(system(), demands(), DESK)
    assert {
        "lost, all: not estimated from these scores",
        "nowhere, all: not estimated from these scores",
    } <= set(section.notes)
    assert not {"lost", "nowhere"} & {row["requirement"] for row in rows(section)}
    assert list(pilot.limits(system(), [], DESK)) == []


def test_ratios_stand_for_every_target() -> None:
    """FNMR and FMR at each declared target, highest first, with the lowest rate of the groups."""
    (section,) = pilot.ratios(system(), parties(), DESK)
    found = rows(section)
    assert [(row["rate"], row["at FMR"]) for row in found] == [
        ("FNMR", 0.1),
        ("FMR", 0.1),
        ("FNMR", 0.03),
        ("FMR", 0.03),
    ]
    threshold = float(system().operating_points.at_target[0, system().operating_points.targets.index(0.1)])
    made, codes = plain("one"), MATERIAL.cohort.classifications["group"].codes
    rates = []
    for code in (0, 1):
        inside = (codes[made.first] == code) & (codes[made.second] == code) & ~made.mated
        rates.append(float(np.mean(made.score[inside] > threshold)))
    assert found[1]["lowest rate"] == pytest.approx(min(rates))


def test_classes_are_compared_by_subject() -> None:
    """P(class > rest) is over the subjects' mean mated scores; two classes are one test, with complementary P."""
    means, who = pilot.subject_means(system())
    made = plain("one")
    for mean, k in zip(means, who, strict=True):
        assert mean == pytest.approx(float(np.mean(made.score[made.mated & (made.first == k)])), rel=1e-6)
    (section,) = pilot.classes(system(), DESK)
    one, two = rows(section)
    assert one["P(class > rest)"] + two["P(class > rest)"] == pytest.approx(1)
    assert one["of all"] == two["of all"]
    assert section.notes[-1] == "one test at alpha: of two classes each is the other's rest"
