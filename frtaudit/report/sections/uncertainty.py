"""Uncertainty over FMR (Conti and Clemencon): bootstrap and bands of the ROC, fairness metrics, their noise."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from frtaudit.core import Curve, Method, Target
from frtaudit.core.canonical import mapping
from frtaudit.core.metrics import value_alike
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import bands, canvas, scales
from frtaudit.report.figures.bands import DASHED, DOTTED, Banded, BandStyle, Scale
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import (
    Figure,
    Key,
    Panel,
    Text,
    TextSpan,
    capital,
    listed,
    plain_text,
    sentence,
    spans,
)
from frtaudit.report.section import View, section
from frtaudit.report.sections import uncertainty_captions as captions
from frtaudit.report.sections.tables import not_drawn
from frtaudit.report.source import Source
from frtaudit.report.words import display_name, words

KINDS = ("roc_band", "roc_vstat", "fairness", "normalized_uncertainty")
MAX_SYSTEMS = 4
RATES = ("fnmr", "fmr")
PENS = ("roc", "max_min", "max_geomean", "log_geomean", "gini")  # metrics by their pen
BOTH_SIDES = "Left: the same subjects, other images. Right: other subjects of the population. "
TITLES = {
    Target.FIXED_IDENTITIES: "Same subjects, new images",
    Target.POPULATION: "Population of the test subjects",
}
AXES = {"log_geomean": "sum of |log10 ratio|"}  # where the name of the metric is too long for an axis
LOGGED = ("max_min", "max_geomean")
SHORT = {Method.NAIVE: "naive", Method.RECENTERED: "recentred"}
EMPIRICAL, VSTAT, METRIC = "empirical ROC", "V-statistic", "metric on these data"


@section("uncertainty", "Uncertainty over FMR", after="tail_model")
def build(source: Source) -> View | None:
    """None when neither ``roc_bands`` nor ``fairness_curves`` ran."""
    systems = [name for name in source.providers if any(_of(source, name, *KINDS))]
    if not systems:
        return None
    shown = systems if source.every_figure else systems[:MAX_SYSTEMS]
    figures = [figure for name in shown for figure in _system(source, name)]
    return View(
        lead=(
            spans(
                "Bands of each curve for the same subjects, new images, after Conti and Clémençon (2024); bands "
                "for the population are labelled. Each replicate has its own threshold. Rates: ",
                display_name(words().weighting, source.weighting),
                ".",
            ),
        ),
        figures=tuple(figures),
        left_out=not_drawn(systems[len(shown) :]),
        shown=(2, 0),
    )


def _of(source: Source, system: str, *kinds: str, **fields: object) -> list[Curve]:
    """Curves of a system in the primary weighting, with these fields."""
    return [
        curve
        for curve in source.result.curves
        if curve.provider == system
        and curve.analysis in kinds
        and curve.weighting == source.weighting
        and all(getattr(curve, name) == value for name, value in fields.items())
    ]


def _system(source: Source, system: str) -> Iterable[Figure]:
    place = str(source.providers.index(system))
    built = [_bootstrap(source, system, f"bootstrap-{place}"), _whole(source, system, f"whole-{place}")]
    schemas = dict.fromkeys(curve.schema for curve in _of(source, system, "fairness") if curve.schema)
    for schema in schemas:
        built += [_fairness(source, system, schema, rate, f"fair-{schema}-{rate}-{place}") for rate in RATES]
        built.append(_uncertain(source, system, schema, f"uncertain-{schema}-{place}"))
    if not schemas:
        built.append(_uncertain(source, system, None, f"uncertain-{place}"))
    return [figure for figure in built if figure is not None]


def _style(method: Method, target: Target, hue: str, *, simultaneous: bool = False) -> BandStyle:
    """How the band of a method is drawn, and its legend: method and target named; ``hue``: of the system.

    The naive band surrounds the V-statistic and is dark as that is, between bands in the hue of the system.
    """
    ways: dict[Method, tuple[float, tuple[float, ...]]] = {Method.NAIVE: DASHED, Method.GAUSSIAN: DOTTED}
    dash = "solid" if simultaneous else ways.get(method, "solid")
    hue = canvas.INK if simultaneous or method is Method.NAIVE else hue
    kind = "simultaneous" if simultaneous else "pointwise"
    label = f"{kind}: {display_name(words().method, method.value)}, for {display_name(words().target, target.value)}"
    return BandStyle(label=label, hue=hue, dash=dash, fill=not simultaneous and method not in ways)


def _bands(curves: Iterable[Curve], index: int) -> list[Banded]:
    """Curves that have a band at one target or more, each with its look; ``index``: of their system's pen."""
    hue = canvas.pen(index).hue
    return [
        Banded(style=_style(curve.method, curve.target, hue, simultaneous=curve.simultaneous), curve=curve)
        for curve in curves
        if curve.method is not None and curve.target is not None and _any_finite(curve.low or ())
    ]


def _any_finite(values: Iterable[float]) -> bool:
    return any(math.isfinite(value) for value in values)


def _keys(
    figure: str, lines: Sequence[tuple[canvas.Pen, str]], styles: Iterable[BandStyle]
) -> tuple[Key, ...]:
    unique = {look.label: look for look in styles}
    return (
        *(bands.line_key(figure, pen, label) for pen, label in lines),
        *(bands.band_key(figure, look) for look in unique.values()),
    )


def _level(curves: Iterable[Curve]) -> str:
    level = next((curve.level for curve in curves if curve.level is not None), None)
    return "" if level is None else f"Level {formatting.exact(round(level, 12))}. "


def _bootstrap(source: Source, system: str, name: str) -> Figure | None:
    """002's figures 2 and 3: the bundle around the V-statistic; naive against recentred band."""
    vstats = _of(source, system, "roc_vstat")
    rocs = _of(source, system, "roc", group="all", target=Target.FIXED_IDENTITIES)
    if not vstats or not rocs:
        return None
    index = source.providers.index(system)
    vstat, banded_curves = vstats[0], _bands(rocs, index)
    hairs = BandStyle(label=f"{len(vstat.replicates)} bootstrap curves of images", hue=canvas.SOFT, hair=True)
    missed = {banded.curve.method: bands.outside(rocs[0], banded.curve) for banded in banded_curves}
    figure_alt = "; ".join(
        f"the {SHORT.get(method, method.value.replace('_', ' '))} band leaves the curve itself out at {out} of "
        f"{total} targets"
        for method, (out, total) in missed.items()
        if method is not None
    )
    alt = f"Bands for the same subjects, new images: {figure_alt or 'none, because of too few errors'}."
    return Figure(
        name=name,
        title=f"{system}: the bootstrap of the ROC, and why it is recentred",
        of=system,
        alone=captions.bootstrap_alone(
            system, missed.get(Method.NAIVE), _samples(source, [vstat]), _rest(source, [vstat, *rocs])
        ),
        caption=spans(
            f"Left: a {captions.COPIES}Right: the {captions.TOO_LOW}",
            captions.missed(missed.get(Method.NAIVE)),
            captions.SHIFTED,
            _level(vstats + rocs) or _spec_level(source),
            "Below, the same curves divided by the empirical one, which is 1 there.",
        ),
        panels=_bootstrap_panels(system, index, rocs[0], vstat, hairs, banded_curves, alt),
        keys=_keys(
            name,
            [(canvas.pen(index), EMPIRICAL), (bands.MIDDLE, VSTAT)],
            [hairs, *(banded.style for banded in banded_curves)],
        ),
        gaps=_gaps(source, [vstat]),
    )


def _bootstrap_panels(
    system: str, index: int, base: Curve, vstat: Curve, hairs: BandStyle, made: Sequence[Banded], alt: str
) -> tuple[Panel, ...]:
    """Bundle and bands; the same over the empirical curve."""
    level, low = bands.relative(base, base), bands.relative(vstat, base)
    moved = [Banded(style=banded.style, curve=bands.relative(banded.curve, base)) for banded in made]
    bundle = (EMPIRICAL, VSTAT, hairs.label)
    drawn = (EMPIRICAL, *(banded.style.label for banded in made))
    over, of = "relative to the ROC", partial(captions.roc_name, system)
    panels = scales.alike(
        lambda: (
            bands.bundle(of("replicates"), "Bootstrap curves of the ROC", base, vstat, hairs, index=index),
            bands.compared(of("bands"), "Bands of the ROC", base, made, bands.RATE, alt, index),
            bands.bundle(
                of("replicates-relative"),
                f"Bootstrap curves {over}",
                level,
                low,
                hairs,
                bands.RELATIVE,
                index,
            ),
            bands.compared(of("bands-relative"), f"Bands {over}", level, moved, bands.RELATIVE, alt, index),
        )
    )
    return tuple(
        replace(panel, names=names) for panel, names in zip(panels, (bundle, drawn) * 2, strict=True)
    )


def _rest(source: Source, curves: Sequence[Curve]) -> Text:
    """How a caption of curves with bands ends: the level, the bootstrap samples, the gaps."""
    return spans(_level(curves) or _spec_level(source), _samples(source, curves))


def _samples(source: Source, curves: Sequence[Curve]) -> Text:
    """The bootstrap samples and the gaps."""
    samples = captions.resamples(source)
    return spans(f"{samples}. " if samples else "", *(spans(gap, " ") for gap in _gaps(source, curves)))


def _spec_level(source: Source) -> str:
    alpha = mapping(source.result.spec.get("bootstrap")).get("alpha")
    return f"Level {formatting.exact(round(1 - alpha, 12))}. " if isinstance(alpha, float) else ""


def _whole(source: Source, system: str, name: str) -> Figure | None:
    """A band for the whole curve beside the pointwise one, for the same subjects and for the population."""
    curves, index = _of(source, system, "roc_band"), source.providers.index(system)
    shown = [banded.curve for banded in _bands(curves, index)]
    looks = [
        _bands([*_of(source, system, "roc", group="all", method=whole.method), whole], index)
        for whole in shown
    ]
    if not shown:
        return None

    def whole_panel(whole: Curve, banded: Sequence[Banded]) -> Panel:
        title = TITLES[whole.target or Target.POPULATION]
        alt = f"{title}: ROC with a pointwise band and a wider one that holds for the whole curve at once."
        name = captions.whole_name(whole.target, system)
        plain = bands.compared(name, title, whole, banded, bands.RATE, alt, index)
        return replace(plain, names=(EMPIRICAL, *(each.style.label for each in banded)))

    alone = [(curve.target, _rest(source, [curve])) for curve in curves if curve.target is not None]
    return Figure(
        name=name,
        title=f"{system}: a band for the whole curve",
        of=system,
        alone={
            captions.whole_name(target, system): captions.whole_alone(target, rest) for target, rest in alone
        },
        caption=spans(captions.WHOLE, BOTH_SIDES if len(shown) > 1 else "", _level(shown)),
        panels=scales.alike(lambda: map(whole_panel, shown, looks)),
        keys=_keys(name, [(canvas.pen(index), EMPIRICAL)], [each.style for each in chain(*looks)]),
        gaps=_gaps(source, shown),
    )


def _fairness(source: Source, system: str, schema: str, rate: str, name: str) -> Figure | None:
    """002's fairness figures, one system: four metrics of one rate over FMR."""
    curves = _of(source, system, "fairness", schema=schema, rate=rate)
    index = source.providers.index(system)
    panels, banded_curves, alone = [], [], {}
    for metric in dict.fromkeys(curve.metric for curve in curves if curve.metric):
        metric_curves = [curve for curve in curves if curve.metric == metric]
        banded = _bands(metric_curves, index)
        banded_curves += banded
        drawn = (METRIC, *(styled.style.label for styled in banded))
        panel_name = name_of(f"{rate}-{metric.replace('_', '-')}", schema, system)
        panel = _index_panel(panel_name, metric, metric_curves[0], banded, index)
        alone[panel_name] = captions.metric_alone(rate, metric_curves, _rest(source, metric_curves))
        panels.append(replace(panel, names=drawn))
    if not panels:
        return None
    over, gaps = phrases.metric(rate), _gaps(source, curves)
    band = captions.NO_TEST if banded_curves else ""
    if gaps and not banded_curves:
        band = "No band is drawn; the note below says why. "
    return Figure(
        name=name,
        title=f"{system}: fairness metrics of {over} by {schema.replace('_', ' ')}",
        of=system,
        alone=alone,
        caption=spans(
            f"The spread of the groups' {over} by four metrics, {captions.EQUALITY}",
            band,
            captions.left_out(curves),
            captions.one_band(rate),
            _level(styled.curve for styled in banded_curves),
        ),
        panels=tuple(panels),
        keys=_keys(name, [(canvas.pen(index), METRIC)], [banded.style for banded in banded_curves]),
        gaps=gaps,
    )


def _index_panel(name: str, metric: str, curve: Curve, banded_curves: list[Banded], index: int) -> Panel:
    alike = value_alike(metric) or 0.0
    title = phrases.metric(metric)
    label = f"{phrases.metric(curve.rate or '')}, {AXES.get(metric, title)}"
    scale = Scale(label=label, alike=alike, log=metric in LOGGED, rate=False)
    known = [(y, x) for x, y in zip(curve.x, curve.y, strict=True) if y < float("inf")]
    most = "no finite value"
    if known:
        most = f"largest {max(known)[0]:.3g} at FMR {formatting.exact(max(known)[1])}"
    alt = f"{title} over FMR: {most}; {alike:g} under equality."
    return bands.compared(name, capital(title), curve, banded_curves, scale, alt, index)


def _uncertain(source: Source, system: str, schema: str | None, name: str) -> Figure | None:
    """002's comparison of uncertainty: all metrics over FMR."""
    shown: dict[str, tuple[str, list[Series]]] = {}
    gaps: list[Text] = []
    alone: dict[str, Text] = {}
    for rate in RATES:
        curves = _noise(source, system, schema, rate)
        drawing = captions.noise_name(rate, schema, system)
        alone[drawing] = captions.noise_alone(rate, _samples(source, curves))
        series = [
            Series(name=_named(curve), index=PENS.index(curve.metric or "roc"), curve=curve)
            for curve in curves
        ]
        title = phrases.metric(rate) + (f" by {schema.replace('_', ' ')}" if schema else "")
        if series:
            shown[drawing] = title, series
            gaps += [spans(f"{title}. ", gap) for gap in _gaps(source, curves)]
    if not shown:
        return None
    names = {trace.index: trace.name for _, series in shown.values() for trace in series}
    return Figure(
        name=name,
        title=f"{system}: normalized uncertainty",
        of=system,
        alone=alone,
        caption=spans(
            "Standard deviation of each metric when images are resampled, relative to its value: the lower line is "
            "the more robust metric. Ratios and sums have different zero points, so this compares their noise only. ",
            f"Method: {display_name(words().method, Method.RECENTERED.value)}, for ",
            f"{display_name(words().target, Target.FIXED_IDENTITIES.value)}.",
        ),
        panels=scales.alike(
            lambda: (
                replace(
                    bands.uncertainties(drawing, title, series), names=tuple(trace.name for trace in series)
                )
                for drawing, (title, series) in shown.items()
            )
        ),
        keys=_keys(name, [(canvas.pen(pen), label) for pen, label in sorted(names.items())], ()),
        gaps=tuple(gaps),
    )


def _noise(source: Source, system: str, schema: str | None, rate: str) -> list[Curve]:
    """Uncertainty of the metrics of one rate, of those that have one anywhere."""
    curves = _of(source, system, "normalized_uncertainty", rate=rate)
    return [curve for curve in curves if curve.schema in (None, schema) and _any_finite(curve.y)]


def _named(curve: Curve) -> str:
    return "FNMR itself (ROC)" if curve.metric == "roc" else phrases.metric(curve.metric or "")


def _gaps(source: Source, curves: Sequence[Curve]) -> tuple[Text, ...]:
    """Each reason once, with the metrics that it concerns unless it concerns all, and its first place in the result."""
    metrics = list(dict.fromkeys(_named(other) for other in curves))
    seen: dict[str, tuple[str, dict[str, None]]] = {}
    for curve in curves:
        for place, note in enumerate(curve.notes):
            _, concerned = seen.setdefault(note, (f"{source.place(curve)}/notes/{place}", {}))
            concerned[_named(curve)] = None
    return tuple(
        spans(_of_metrics(list(note_metrics), metrics), TextSpan(text=sentence(note), pointer=pointer))
        for note, (pointer, note_metrics) in seen.items()
    )


def _of_metrics(concerned: list[str], metrics: list[str]) -> str:
    """Which of a figure's metrics a note is about, as its sentence starts: nothing where it is about all."""
    others = [name for name in metrics if name not in concerned]
    if not others:
        return ""
    names = plain_text(listed(concerned))
    return f"All but {others[0]}: " if len(others) == 1 < len(concerned) else f"{capital(names)}: "
