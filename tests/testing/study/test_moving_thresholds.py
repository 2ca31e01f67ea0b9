"""Tests of frtaudit.testing.study.moving_thresholds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from frtaudit.core.spec import Weighting
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.evaluation.threshold_intervals import inversion
from frtaudit.pipeline.evaluate import evaluate_system
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.testing.populations import ISOTROPIC
from frtaudit.testing.study.moving_thresholds import (
    ALPHA,
    ERRORS,
    PLACE,
    Moving,
    _evaluated,
    _fnmr,
    main,
    table,
    threshold_misses,
)
from frtaudit.testing.study.pages import read_rows
from frtaudit.testing.study.sets.scored_sets import made

ROOT = Path(__file__).parents[3]
TARGET = 0.01


@pytest.mark.slow
def test_a_small_study_runs_through(tmp_path: Path) -> None:
    """FNMR at an FMR, the threshold and six picked groups in both weightings; misses are no more than cohorts."""
    out = tmp_path / "found.json"
    small = ["--part", "made", "--set", "isotropic", "--people", "60", "--cohorts", "4", "--B", "39"]
    main([*small, "--made-people", "300", "--out", str(out)])
    found = read_rows(out, Moving)
    assert len(found) == 2 * (2 + 3 * 2)
    assert all(0 <= count <= item.cohorts <= 4 for item in found for count in item.lower + item.upper)


def test_a_picked_group_is_held_to_its_coverage() -> None:
    """Covers .94 or more; other intervals are held to 1.2 times each one-sided error."""
    row = Moving(set="s", people=60, target=0.01, interval="picked", cohorts=2000, lower=(120,), upper=(0,))
    assert row.holds
    one_sided = Moving(
        set="s",
        people=60,
        target=0.01,
        interval="FNMR at FMR",
        cohorts=2000,
        lower=(160, 0, 0, 0),
        upper=(0,) * 4,
    )
    assert not one_sided.holds
    assert "claim rejected" in table([one_sided])


def test_the_study_reads_what_an_audit_prints() -> None:
    """FNMR at an FMR and its interval are those of the whole audit; the threshold misses where its interval does."""
    people = np.arange(40)
    light = _evaluated(made(ISOTROPIC, (2,), 40, seed=3), people, {"2": people % 2}, TARGET, 1, 39)
    audited = evaluate_system(
        light.spec, Cosine(name=light.provider), light.cohort_data, light.comparisons, light.groups
    )
    for weighting in Weighting:
        for group_index in range(3):
            ours, theirs = (_fnmr(system, weighting, TARGET, group_index) for system in (light, audited))
            assert ours.value == theirs.value
            assert ours.intervals == theirs.intervals
        rule, at = (
            prepare(light.tail, no_groups(light.tail), ()),
            float(audited.operating_points.at_target[0, 0]),
        )
        whole = inversion(audited).interval(TARGET, at, weighting, ALPHA)
        assert whole.one_sided is not None
        bounds = [whole.one_sided(error) for error in ERRORS]
        for threshold in at + np.array([-0.2, -0.1, -0.05, 0.05, 0.1]):
            low, high = threshold_misses(light.tail, rule, float(threshold), TARGET, weighting)
            assert low.tolist() == [float(bound.low or 0) > threshold for bound in bounds]
            assert high.tolist() == [float(bound.high or 1) < threshold for bound in bounds]


def test_the_page_has_the_committed_numbers() -> None:
    """The page holds the table of the committed JSON and names, in bold, each upper bound whose claim is rejected.

    No lower bound, no threshold and no picked group is beyond it.
    """
    found = read_rows(ROOT / "reports" / "guarantees" / "moving_thresholds.json", Moving)
    page = (ROOT / "docs" / "methods" / "guarantees.md").read_text("utf-8")
    assert table(found) in page
    assert {item.cohorts for item in found} == {2000}
    above = page[page.index("## Thresholds that move") : page.index(f"<!-- {PLACE}: begin -->")]
    bold = " ".join(above.split("**")[1::2])
    for item in found:
        if not item.holds:
            assert item.interval.startswith("FNMR at FMR")
            assert replace(item, upper=(0,) * len(item.upper)).holds
            shares = [f"{100 * count / item.cohorts:.2f} %" for count in item.upper]
            assert f"{item.people} people of {item.set}, at FMR {100 * item.target:g} %" in bold
            assert f"{', '.join(shares[:3])} and {shares[3]}" in bold
    picked = [item for item in found if item.interval.startswith("picked")]
    assert max(item.lower[0] + item.upper[0] for item in picked) <= 0.021 * 2000
