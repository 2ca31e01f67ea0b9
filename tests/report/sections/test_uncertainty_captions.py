"""Captions of the figures of uncertainty: what a panel says by itself."""

import re
from dataclasses import replace

import pytest
from report_bands import GAP, SYSTEM, curves, fairness
from report_fixture import result

from frtaudit.core import Curve, Method
from frtaudit.report.pieces import plain_text, spans
from frtaudit.report.sections import uncertainty_captions as captions
from frtaudit.report.sections.uncertainty import build
from frtaudit.report.source import Source

BESIDE = re.compile(r"\b(left|right|below|panel|four ways)\b", re.IGNORECASE)


def alone(made: list[Curve]) -> dict[str, str]:
    """Captions of the section's panels by name."""
    view = build(Source(replace(result(), curves=tuple(made))))
    assert view is not None
    return {name: plain_text(text) for figure in view.figures for name, text in figure.alone.items()}


def test_no_panel_points_at_another() -> None:
    """Each of the fourteen panels has its own caption, which says nothing of sides, rows or other panels."""
    texts = alone(curves())
    assert len(texts) == 4 + 2 + 4 + 4 + 2
    bundles = (f"roc-replicates-{SYSTEM}", f"roc-replicates-relative-{SYSTEM}")
    assert [name for name, text in texts.items() if BESIDE.search(text) and name not in bundles] == []
    assert all(
        BESIDE.findall(texts[name]) == ["below"] for name in bundles
    )  # the V-statistic, below the curve
    assert "divided by the empirical one" in texts[f"roc-bands-relative-{SYSTEM}"]
    assert "divided" not in texts[f"roc-bands-{SYSTEM}"]


def test_a_panel_has_its_own_gaps_and_bands() -> None:
    """The level where there is a band, the gaps of its own curves, its rate and metric by name."""
    texts = alone(curves())
    assert GAP in texts[f"roc-simultaneous-band-fixed-identities-{SYSTEM}"]
    assert "Level" not in texts[f"roc-replicates-{SYSTEM}"]
    assert "Level 95 %" in texts[f"roc-bands-{SYSTEM}"]
    assert "FNMR in one number (Gini coefficient)" in texts[f"fnmr-gini-group-{SYSTEM}"]
    assert "metric of FMR" in texts[f"fmr-normalized-uncertainty-group-{SYSTEM}"]
    assert "other subjects of the population" in texts[f"roc-simultaneous-band-population-{SYSTEM}"]


def test_how_many_bootstrap_samples() -> None:
    """B as the spec has it, and nothing where it has none."""
    known = result()
    specs = ({**known.spec, "bootstrap": {"B": 1999}}, {**known.spec, "bootstrap": None})
    assert [captions.resamples(Source(replace(known, spec=spec))) for spec in specs] == ["B = 1,999", ""]


@pytest.mark.parametrize(("counts", "text"), [(None, ""), ((0, 4), ""), ((3, 4), "out at 3 of 4 targets")])
def test_the_naive_band_is_counted_where_it_misses(counts: tuple[int, int] | None, text: str) -> None:
    """Nothing is said where it contains its curve."""
    assert captions.missed(counts).endswith(text)
    assert bool(captions.missed(counts)) == bool(text)


def test_one_band_of_fmr() -> None:
    """That the naive and the recentred band are one is true of FMR alone."""
    assert "are identical" in captions.one_band("fmr")
    assert not captions.one_band("fnmr")


def test_a_band_that_leaves_its_curve_out_is_said() -> None:
    """At how many targets, of the recentred band alone."""
    (curve, *_) = [made for made in fairness() if made.method is Method.RECENTERED]
    above = replace(curve, low=tuple(y + 1 for y in curve.y), high=tuple(y + 2 for y in curve.y))
    assert not captions.left_out([curve])
    assert "at 16 of 16 targets" in captions.left_out([above])  # of 17, one is infinite
    assert not captions.left_out([replace(above, method=Method.NAIVE)])
    assert plain_text(captions.metric_alone("fnmr", [above], spans("End."))).endswith("End.")
