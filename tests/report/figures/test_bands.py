"""Figures of curves over FMR: clean drawings, true words, gaps that stay gaps."""

import math
import re
import warnings
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from report_bands import X, fairness, rocs, uncertainty

from frtaudit.report.figures import bands, canvas
from frtaudit.report.figures.bands import Banded, BandStyle, Scale
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Panel

HAIRS = BandStyle(label="curves", hue=canvas.SOFT, hair=True)
FILLED = BandStyle(label="filled", hue=canvas.HUES[0], fill=True)
STEPPED = BandStyle(label="steps", hue=canvas.INK)


def index_panel() -> Panel:
    """A metric with an infinite point and a missing band."""
    found = fairness()[0]
    scale = Scale(label="index", alike=1.0, rate=False)
    return bands.compared("a", "t", found, [Banded(style=FILLED, curve=found)], scale, "A metric over FMR.")


def whole_panel() -> Panel:
    """Pointwise and simultaneous band of the ROC."""
    roc, band = rocs()[1], rocs()[5]
    both = [Banded(style=STEPPED, curve=band), Banded(style=FILLED, curve=roc)]
    return bands.compared("a", "t", roc, both, bands.RATE, "Two bands of the ROC.")


def series() -> list[Series]:
    """Uncertainty of the metrics of FNMR."""
    found = [item for item in uncertainty() if item.rate == "fnmr"]
    return [Series(name=item.metric or "", index=at, curve=item) for at, item in enumerate(found)]


PANELS = {
    "bundle": lambda: bands.bundle("a", "t", rocs()[0], rocs()[4], HAIRS),
    "relative": lambda: bands.bundle(
        "a",
        "t",
        bands.relative(rocs()[0], rocs()[0]),
        bands.relative(rocs()[4], rocs()[0]),
        HAIRS,
        bands.RELATIVE,
    ),
    "index": index_panel,
    "whole": whole_panel,
    "uncertainties": lambda: bands.uncertainties("a", "Of FNMR", series()),
}


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_is_clean_svg(name: str) -> None:
    """Well-formed, small, without style, undefined numbers or random ids; the same bytes again; words that end."""
    panel = PANELS[name]()
    ET.fromstring(panel.svg)
    assert "style" not in panel.svg
    assert not re.search(r"nan|inf\b", panel.svg)
    assert len(panel.svg) < 90_000
    assert panel.svg == PANELS[name]().svg
    assert panel.alt.endswith(".")


def test_a_hundred_replicates_stay_small() -> None:
    """The bundle of a hundred curves at fifty targets is one path of less than 90 kB."""
    x = tuple(np.geomspace(1e-6, 0.1, 50).tolist())
    rng = np.random.default_rng(1)
    drawn = tuple(tuple(row) for row in rng.uniform(0.1, 0.2, size=(100, 50)).tolist())
    vstat = replace(rocs()[4], x=x, y=(0.15,) * 50, replicates=drawn)
    roc = replace(rocs()[0], x=x, y=(0.18,) * 50, low=None, high=None)
    assert len(bands.bundle("a", "t", roc, vstat, HAIRS).svg) < 90_000


def test_the_bundle_counts_where_the_curve_lies_above_all_replicates() -> None:
    """The words count the targets at which the empirical curve tops the highest replicate: here 0.864 of it, all 17."""
    assert "above the highest of them at 17 of 17 targets" in PANELS["bundle"]().alt
    low = replace(rocs()[0], y=tuple(0.5 * value for value in rocs()[0].y))
    assert "at 0 of 17" in bands.bundle("a", "t", low, rocs()[4], HAIRS).alt


def test_a_band_that_leaves_its_curve_out_is_counted() -> None:
    """Targets without bounds take no part; an infinite upper bound holds everything below it."""
    naive, recentred = rocs()[0], rocs()[1]
    assert bands.outside(naive, naive) == (15, 15)
    assert bands.outside(naive, recentred) == (0, 15)
    open_ended = replace(recentred, low=(0.0,) * len(X), high=(math.inf,) * len(X))
    assert bands.outside(naive, open_ended) == (0, 17)


def test_relative_is_divided_at_each_target() -> None:
    """A curve over itself is 1, its band the share; where the base is 0 there is a gap."""
    roc = rocs()[1]
    made = bands.relative(roc, roc)
    assert made.low is not None
    assert made.y == pytest.approx([1.0] * len(X))
    assert made.low[:15] == pytest.approx([0.9] * 15)
    assert all(math.isnan(value) for value in bands.relative(roc, replace(roc, y=(0.0,) * len(X))).y)


def test_the_words_name_the_least_uncertain_metric() -> None:
    """The metric that is lowest at most targets is named with its count, among targets where all are defined."""
    panel = bands.uncertainties("a", "Of FNMR", series()[1:])
    assert "max_geomean is lowest at 16 of 16 targets" in panel.alt
    nowhere = [replace(item, curve=replace(item.curve, y=(math.nan,) * len(X))) for item in series()]
    assert "lowest" not in bands.uncertainties("a", "Of FNMR", nowhere).alt


def test_keys_tell_bands_apart_without_colour() -> None:
    """Filled, dashed and dotted bands have drawings of their own, and so have lines and bundles."""
    looks = [
        FILLED,
        STEPPED,
        HAIRS,
        BandStyle(label="dashed", hue=canvas.INK, dash=bands.DASHED),
        BandStyle(label="dotted", hue=canvas.INK, dash=bands.DOTTED),
    ]
    drawings = {re.sub(r'id="[^"]*"|<title>.*?</title>', "", bands.band_key("f", look).svg) for look in looks}
    assert len(drawings) == len(looks)
    assert bands.line_key("f", canvas.pen(0), "ROC").name == "ROC"


def test_rates_without_an_error_have_an_axis() -> None:
    """FNMR of 0 at every FMR: a decade of a logarithmic axis, and nothing that matplotlib warns of."""
    curve = rocs()[0]
    nothing = replace(curve, y=(0.0,) * len(curve.x), low=None, high=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bands.compared("a", "t", nothing, [], bands.RATE, "No error.")
    assert bands._limits(nothing, [], bands.RATE) == (0.001, 0.01)
