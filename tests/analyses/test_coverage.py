import csv
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from small_audits import ANALYSES, audit, interval, pick, put, score_lines, spec

from frtaudit.analyses.coverage import WITH_HUB, Coverage, Scenario, _left_out
from frtaudit.analyses.shared.cohort_model import rows_of, stage_of
from frtaudit.core import AuditResult, Estimate, Method, Target
from frtaudit.core.spec import AuditSpec, Grid, GridKind, Thresholds, Weighting
from frtaudit.core.spec_values import NonMated
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.errors import SpecError
from frtaudit.evaluation.system import SystemData

ALPHA = 0.05
WANTED = (
    interval("wilson", "population"),
    interval("vertex", "population"),
    interval("double_or_nothing", "population"),
    interval("recentered", "fixed_identities"),
    interval("wilson_iid", "comparisons_iid"),
    interval("wilson_plugin", "population"),
)


@cache
def pooled() -> AuditSpec:
    """The small audit, pooled, one target and one fixed threshold, every kind of interval."""
    grid = Grid(kind=GridKind.EXPLICIT, values=(0.2,))
    return spec(weighting=Weighting.POOLED, intervals=WANTED, thresholds=Thresholds(fmr=(0.1,), grid=grid))


@cache
def system() -> SystemData:
    """Its second system."""
    return put(pooled(), "two")


def simulated(made: SystemData, *scenarios: Scenario) -> tuple[Estimate, ...]:
    """What the analysis says of everybody's rates, in all scenarios or some."""
    rows = (row for row in rows_of(made) if row.group == "all")
    wanted = scenarios or tuple(Scenario)
    return tuple(item for row in rows for item in Coverage().of_row(made, row, ALPHA, wanted))


@cache
def found() -> tuple[Estimate, ...]:
    """The same of the second system."""
    return simulated(system())


def of(metric: str, **at: str) -> list[Estimate]:
    """Estimates of a metric with that much of ``at``."""
    return [
        item
        for item in found()
        if item.metric == metric and all(item.at.get(key) == value for key, value in at.items())
    ]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"cohorts": 999}, "analyses.coverage.cohorts: found 999; accepted: 1000 or more"),
        (
            {"share_of_wolves": 0.0},
            "analyses.coverage.share_of_wolves: found 0; accepted: more than 0 and less than 1",
        ),
        ({"share_of_wolves": float("nan")}, "share_of_wolves: found nan"),
        ({"wolf_factor": 1.0}, "analyses.coverage.wolf_factor: found 1; accepted: more than 1"),
        ({"wolf_factor": float("inf")}, "wolf_factor: found inf"),
    ],
)
def test_bad_settings_are_one_line(settings: dict[str, float], said: str) -> None:
    """Too few cohorts, no wolves, no wolf's factor: place, value, what is accepted."""
    with pytest.raises(SpecError) as caught:
        Coverage(**settings)  # type: ignore[arg-type]  # of known fields
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_every_rate_of_every_group_is_tried() -> None:
    """FNMR and FMR at the target and at the fixed threshold, for everybody and each class, or a note says why not."""
    tried = {
        (item.at["rate"], "fmr" in item.at, item.group)
        for item in Coverage().estimates(system(), ALPHA).estimates
        if item.metric == "simulated_coverage" and len(item.at) > 2
    }
    rates = [("fnmr_at_fmr", True), ("fmr", True), ("fnmr", False), ("fmr", False)]
    assert tried == {(*rate, group) for rate in rates for group in ("all", "x", "y")}


def test_each_share_is_counted_out_of_a_thousand() -> None:
    """Covered, missed below and missed above add up to the intervals given; at most 1000, all of Wilson's."""
    for item in of("simulated_coverage"):
        if item.value is None:
            continue
        sides = [
            one
            for metric in ("simulated_lower_misses", "simulated_upper_misses")
            for one in of(metric)
            if dict(one.at) == dict(item.at) and one.group == item.group
        ]
        assert len(sides) == 2
        assert (item.numerator or 0) + sum(one.numerator or 0 for one in sides) == item.denominator
        if item.at["method"] in ("wilson", "wilson_iid"):
            assert item.denominator == 1000
        (own,) = item.intervals
        assert (own.method, own.target) == (Method.MONTE_CARLO, Target.SIMULATION)
        assert own.low is not None
        assert own.high is not None
        assert own.low <= item.value <= own.high


def test_scenarios_put_in_the_estimate_and_its_upper_bound() -> None:
    """The true rates are the report's value and its Wilson upper bound; wolves are tried for FMR alone."""
    result = ANALYSES["error_rates"].estimates(system(), ALPHA).estimates
    for rate in ("fmr", "fnmr"):
        (printed,) = [
            item
            for item in result
            if item.metric == rate and dict(item.at) == {"threshold": 0.2}
            and item.group == "all" and item.weighting == "pooled"
        ]  # fmt: skip
        made = [item for item in of("simulated_coverage", rate=rate, method="wilson") if item.group == "all"]
        truths = {item.at["scenario"]: item.at["true_rate"] for item in made if "threshold" in item.at}
        wilson = next(item for item in printed.intervals if item.method is Method.WILSON)
        assert truths["estimate"] == truths["subjects_upper"] == printed.value
        assert (truths["rate_lower"], truths["rate_upper"]) == (wilson.low, wilson.high)
        assert {"wolves", "one_look_alike"} <= set(truths) or rate == "fnmr"
        assert not {"wolves", "one_look_alike"} & set(truths) or rate == "fmr"


def test_look_alikes_come_on_top_of_the_rate() -> None:
    """One pair in all pairs of people adds TMR/P to the truth, three add three times as much."""
    made = [item for item in of("simulated_coverage", rate="fmr", method="wilson") if item.group == "all"]
    truths = {item.at["scenario"]: float(item.at["true_rate"]) for item in made if "threshold" in item.at}
    rule = system().rule
    match_rate = 1 - rule.fnmr_residuals(0.2, 0, Weighting.POOLED).rate
    one = truths["one_look_alike"] - truths["estimate"]
    assert one == pytest.approx(match_rate / int(rule.spread.pairs[0]))
    assert truths["three_look_alikes"] - truths["estimate"] == pytest.approx(3 * one)


def test_a_threshold_found_anew_widens_what_is_drawn() -> None:
    """FNMR at an FMR target is drawn at thresholds that scatter about the true one, and its replicates scatter too."""
    moving = [row for row in rows_of(system()) if row.moving]
    assert {(row.metric, row.group) for row in moving} == {
        ("fnmr_at_fmr", group) for group in ("all", "x", "y")
    }
    stage = stage_of(system(), moving[0])
    assert stage is not None
    assert stage.everybody is not None
    assert stage.everybody.slope > 0
    drift = Coverage()._drift(stage.everybody, 500, np.random.default_rng(1))
    assert abs(float(np.log(drift.shift).mean())) < 0.2
    assert float(np.log(drift.shift).std()) > 0.01
    assert drift.spread.min() > 0


def test_methods_that_are_not_simulated_are_named() -> None:
    """The plug-in, the bootstrap of images, and the bootstraps of people for FMR: an entry each, with the reason."""
    said = {(item.at["rate"], item.at["method"]): item.note for item in _left_out(system())}
    assert set(said) == {
        *((rate, method) for rate in ("fmr", "fnmr") for method in ("recentered", "wilson_plugin")),
        *(("fmr", method) for method in ("vertex", "double_or_nothing")),
    }
    assert all(note and note.startswith("not simulated: ") for note in said.values())


def test_the_model_is_printed() -> None:
    """Spread of people and its upper bound for every rate tried, of pairs for FMR."""
    spreads = of("simulated_spread")
    assert {item.at["of"] for item in spreads if item.at["rate"] == "fnmr"} == {"subjects", "subjects_upper"}
    assert {item.at["of"] for item in spreads if item.at["rate"] == "fmr"} == {
        "subjects",
        "subjects_upper",
        "pairs",
    }
    for item in spreads:
        if item.at["of"] == "subjects":
            upper = [one for one in spreads if dict(one.at) == {**item.at, "of": "subjects_upper"}]
            assert (item.value or 0) <= max(one.value or 0 for one in upper)


def test_the_same_numbers_again_whatever_the_threads() -> None:
    """A second run, and one with another thread count, give the same estimates."""
    other = put(replace(pooled(), threads=2), "two")
    for made in (system(), other):
        assert set(simulated(made, Scenario.RATE_UPPER)) <= set(found())


@pytest.mark.slow
def test_another_analysis_moves_nothing() -> None:
    """With the appendix the audit's other estimates are what they were without; its result reads back."""
    made = replace(pooled(), providers=("two",))
    with_coverage = replace(made, analyses={**made.analyses, "coverage": Coverage()})
    result = audit(with_coverage).result
    kept = [item for item in result.estimates if item.analysis != "coverage"]
    assert tuple(kept) == audit(made).result.estimates
    assert pick(result, "simulated_coverage", analysis="coverage", provider="two")
    assert AuditResult.from_json(result.to_json()) == result


@pytest.mark.slow
def test_thresholds_that_the_data_chose_are_left_out_with_a_note() -> None:
    """Grid thresholds at FMR decades stand beside the targets: they are not simulated, and the report says so."""
    made = put(spec(thresholds=Thresholds(fmr=(0.1,), grid=Grid(kind=GridKind.FMR_DECADES))), "two")
    outcome = Coverage().estimates(made, ALPHA)
    assert all("threshold" not in item.at for item in outcome.estimates)
    assert any("grid chose on these data" in note for note in outcome.notes)


def test_pairs_within_groups_are_simulated() -> None:
    """Non-mated pairs within groups only: everybody's FMR is drawn in two cells, every rate is tried."""
    made = put(spec(protocol=AllPairs(non_mated=NonMated.WITHIN_GROUP)), "two")
    some = [item for item in simulated(made, Scenario.ESTIMATE) if item.value is not None]
    assert {item.at["rate"] for item in some} == {"fmr", "fnmr", "fnmr_at_fmr"}


def of_list(folder: Path, lines: list[dict[str, object]]) -> SystemData:
    """The second system, from a score list."""
    with (folder / "two.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return put(replace(pooled(), cohort=ScoreLists(root=str(folder / "two.csv")), protocol=Listed()), "two")


def test_where_a_subject_takes_part_in_most_comparisons_fmr_is_not_simulated(tmp_path: Path) -> None:
    """The model has no such subject; FNMR is simulated as ever."""
    lines = score_lines("two")
    star = lines[0]["probe_subject"]
    lines = [
        line
        for line in lines
        if line["probe_subject"] == line["reference_subject"]
        or star in (line["probe_subject"], line["reference_subject"])
    ]
    outcome = simulated(of_list(tmp_path, lines), Scenario.ESTIMATE)
    assert {item.note for item in outcome if item.at["rate"] == "fmr"} == {WITH_HUB}
    assert any(item.value is not None for item in outcome if item.at["rate"] == "fnmr")


def test_listed_pairs_are_simulated(tmp_path: Path) -> None:
    """A score list of the same pairs: FMR is drawn block by block, and covers as the complete structure does."""
    made = of_list(tmp_path, score_lines("two"))
    assert made.tail.blocks is not None
    outcome = simulated(made, Scenario.RATE_UPPER)
    wanted = {"rate": "fmr", "threshold": 0.2, "method": "wilson", "scenario": "rate_upper"}
    listed, complete = (
        next(
            item
            for item in every
            if item.metric == "simulated_coverage"
            and item.group == "all"
            and all(item.at.get(key) == value for key, value in wanted.items())
        )
        for every in (outcome, found())
    )
    assert listed.at["true_rate"] == pytest.approx(complete.at["true_rate"], rel=1e-9)
    assert abs((listed.value or 0) - (complete.value or 0)) < 0.05
