"""Two systems as Conti and Clemencon draw them (002): two models, two splits, zones."""

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from frtaudit.core import Curve
from frtaudit.core.curves import spans as spans_of
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import legends, systems
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Figure, Text, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections import front
from frtaudit.report.sections.uncertainty import AXES, LOGGED
from frtaudit.report.sections.uncertainty_captions import resamples
from frtaudit.report.source import Source, grouped
from frtaudit.report.words import display_name, words

TWO_MODELS, TWO_SPLITS, ZONES, CODES = "two_models", "two_splits", "zones", "zone_codes"
MODELS_NAME, SPLITS_NAME = "fnmr-two-systems", "fnmr-two-splits"
TITLES = {TWO_MODELS: "Two systems", TWO_SPLITS: "Two splits", ZONES: "Zones"}
Measure: TypeAlias = tuple[str | None, str | None, str | None]
BAND = "recentred bootstrap bands{}: same subjects, new images"
ZERO = "FNMR is 0"
PAIRED = (
    " Overlap of bands does not show equality, because both systems were evaluated on the same images: compare their "
    "paired differences."
)


@section("two_systems", "Systems over FMR", after="uncertainty")
def build(source: Source) -> View | None:
    """None where the analysis drew nothing."""
    codes = {_measure(curve): curve for curve in _of(source, CODES)}
    zones = grouped(_of(source, ZONES), _measure).items()
    built = [_models(source), _splits(source), *(_zone(source, of, codes.get(key)) for key, of in zones)]
    drawn = tuple(figure for figure in built if figure is not None)
    missing = []
    for curve in source.result.curves:
        if curve.analysis in TITLES and not _drawable(curve):
            by = f" by {curve.schema.replace('_', ' ')}" if curve.schema else ""
            of = f"{TITLES[curve.analysis]}{by}: {curve.provider}"
            missing.append(spans(f"{of} has no finite value above zero at any FMR; no curve is drawn."))
    return View(figures=drawn, left_out=tuple(missing), shown=(2, 0)) if drawn or missing else None


def _of(source: Source, kind: str) -> list[Curve]:
    curves = [curve for curve in source.result.curves if curve.analysis == kind and curve.x]
    return [curve for curve in curves if kind == CODES or _drawable(curve)]


def _drawable(curve: Curve) -> bool:
    """Whether a point of the curve has a place on logarithmic axes."""
    return any(math.isfinite(y) and y > 0 for y in curve.y)


def _systems(curves: Sequence[Curve]) -> list[str]:
    return list(dict.fromkeys(curve.provider for curve in curves))


def _pens(source: Source, names: Sequence[str]) -> list[tuple[int, str]]:
    """The pen that each system has in every figure of the report, and its name."""
    return [(source.providers.index(name), name) for name in names]


def _models(source: Source) -> Figure | None:
    curves = _of(source, TWO_MODELS)
    if not curves:
        return None
    names = _systems(curves)
    panel = systems.overlaid(MODELS_NAME, "Two systems", front.series(source, curves), "FNMR", rates=True)
    return Figure(
        name="two-models",
        title=f"Two systems: {' and '.join(names)}" if len(names) > 1 else f"{names[0]}, one of two systems",
        caption=spans(
            f"Overall FNMR over FMR, {_bands(source, curves)}.",
            PAIRED if len(names) > 1 else "",
            _weights(curves),
        ),
        panels=(panel,),
        keys=figures.keys(MODELS_NAME, _pens(source, names)),
        gaps=_gaps((curve.provider, curve) for curve in curves),
    )


def _splits(source: Source) -> Figure | None:
    curves = _of(source, TWO_SPLITS)
    if not curves:
        return None
    names, splits = _systems(curves), list(dict.fromkeys(curve.group for curve in curves))
    series = [
        Series(
            name=f"{curve.provider}, {curve.group}",
            index=source.providers.index(curve.provider),
            curve=curve,
            dash=splits.index(curve.group),
        )
        for curve in curves
    ]
    panel = systems.overlaid(SPLITS_NAME, "Two splits", series, "FNMR", rates=True)
    banded = next((trace.name for trace in series if trace.curve.low is not None), None)
    band = f" The band is that of {banded}: {_band(source, curves)}." if banded else ""
    return Figure(
        name="two-splits",
        title=f"{len(names)} systems on two splits of the images",
        caption=spans(
            "Each part has half of each subject's images, none of subjects with one. The order of two systems "
            f"may change between the parts by chance.{band}",
            _weights(curves),
        ),
        panels=(panel,),
        keys=(*legends.marks(SPLITS_NAME, _pens(source, names)), *legends.dashes(SPLITS_NAME, splits)),
        gaps=_gaps((trace.name, trace.curve) for trace in series),
    )


def _measure(curve: Curve) -> Measure:
    """What the curves of one figure share: schema, rate and fairness metric."""
    return curve.schema, curve.rate, curve.metric


def _zone(source: Source, curves: Sequence[Curve], codes: Curve | None) -> Figure:
    names, series = _systems(curves), front.series(source, curves)
    schema, rate, kind = _measure(curves[0])
    metric = phrases.metric(kind or "")
    by = (schema or "").replace("_", " ")
    name = name_of(f"zones-{rate}-{(kind or '').replace('_', '-')}", schema or "")
    zones = [] if codes is None else _spans(codes)
    title = f"{(rate or '').upper()} by {by}: {metric}"
    shown = f"{(rate or '').upper()}, {AXES.get(kind or '', metric)}"
    panel = systems.overlaid(name, title, series, shown, rates=False, ratio=kind in LOGGED, zones=zones)
    meanings = {
        "A": f"{names[0]} differs less by estimate and upper bound",
        "B": "estimate and upper bound disagree: inconclusive",
        "C": f"{names[-1]} differs less by estimate and upper bound",
    }
    drawn = {letter: meanings[letter] for letter in sorted({letter for _, _, letter in zones})}
    return Figure(
        name=name,
        title=f"Zones: which system differs less between groups, {' or '.join(names)}; {title}",
        caption=spans(
            f"{title} over the overall FMR, {_bands(source, curves)}. ",
            f"{'Vertical lines separate zones. ' if len(zones) > 1 else ''}Zones describe two curves and are not a "
            "test; tests are in the tables of differences."
            if zones
            else "There are no zones, because no target has an estimate and an upper bound for both systems.",
        ),
        panels=(panel,),
        keys=(*figures.keys(name, _pens(source, names)), *legends.letters(name, drawn)),
        gaps=_gaps((curve.provider, curve) for curve in curves),
    )


def _band(source: Source, curves: Sequence[Curve]) -> str:
    """Which bands are drawn, with their level and how many bootstrap samples they are made of; empty for none."""
    levels = [curve.level for curve in curves if any(map(math.isfinite, curve.high or ()))]
    if not levels:
        return ""
    level = "" if levels[0] is None else f"level {formatting.exact(round(levels[0], 12))}"
    facts = ", ".join(fact for fact in (level, resamples(source)) if fact)
    return BAND.format(f" ({facts})" if facts else "")


def _weights(curves: Sequence[Curve]) -> str:
    """Whose rates the curves show."""
    code = curves[0].weighting
    return f" Rates: {display_name(words().weighting, code)}." if code else ""


def _bands(source: Source, curves: Sequence[Curve]) -> str:
    band = _band(source, curves)
    return f"with {band}" if band else "without bands"


def _gaps(named: Iterable[tuple[str, Curve]]) -> tuple[Text, ...]:
    """Where curves or their bands are not drawn, and why, each reason once."""
    curves, concerned = list(named), dict[str, list[str]]()
    for name, curve in curves:
        # 0 has no place on a logarithmic axis.
        zeros = spans_of(curve.x, [ZERO if y == 0 and curve.metric == "roc" else None for y in curve.y])
        for note in (*curve.notes, *zeros):
            concerned.setdefault(note, []).append(name)
    return tuple(
        spans(f"{'Every curve' if 1 < len(names) == len(curves) else '; '.join(names)}: {note}.")
        for note, names in concerned.items()
    )


def _spans(codes: Curve) -> list[tuple[float, float, str]]:
    """Runs of targets in one zone, from the first to the last, meeting halfway."""
    letter = {1.0: "A", 0.0: "B", -1.0: "C"}
    runs: list[tuple[float, float, str]] = []
    for x, y in zip(codes.x, codes.y, strict=True):
        name = letter[y]
        if runs and runs[-1][2] == name:
            runs[-1] = (runs[-1][0], x, name)
        else:
            start = (runs[-1][1] * x) ** 0.5 if runs else x
            if runs:
                runs[-1] = (runs[-1][0], start, runs[-1][2])
            runs.append((start, x, name))
    return runs
