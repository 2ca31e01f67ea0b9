"""Estimates, intervals and operating points in print, each number with its pointer."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from frtaudit.core import Estimate
from frtaudit.core.canonical import Json, escape, mapping
from frtaudit.core.metrics import RATES, kind_of, value_alike
from frtaudit.core.spec import ThresholdSource
from frtaudit.core.text import formatting, kinds
from frtaudit.core.text.formatting import Style
from frtaudit.core.text.kinds import Kind, printed
from frtaudit.report.pieces import Footnotes, Part, Text, TextSpan, commas, plain_text, spans
from frtaudit.report.source import Bounds, Record, Source
from frtaudit.report.words import display_name, words

ABSENT = "–"
AS_ABOVE = "Explanation as for the figure above."
DASH: Text = (TextSpan(text=ABSENT),)
BREAK = TextSpan(text=" ", kind="br")  # what follows begins a line


def bold(text: str, pointer: str | None = None) -> TextSpan:
    """A name, a title or an outcome that stands out."""
    return TextSpan(text=text, pointer=pointer, kind="b")


def code(text: str, pointer: str | None = None) -> TextSpan:
    """What is typed, or a digest."""
    return TextSpan(text=text, pointer=pointer, kind="code")


def titled(title: str, *parts: Part) -> Text:
    """What a caption says after its title.

    >>> [(piece.text, piece.kind) for piece in titled("Test sets.", "Images in the pairs.")]
    [('Test sets. ', 'b'), ('Images in the pairs.', '')]
    """
    return spans(bold(f"{title} "), *parts)


def styled(text: Iterable[TextSpan], look: str) -> Text:
    """The same text with one look more; marks of notes stay as they are.

    >>> [piece.kind for piece in styled([TextSpan(text="2 %", kind="n"), TextSpan(text="?")], "soft")]
    ['n soft', 'soft']
    """
    return tuple(
        piece if piece.kind == "mark" else replace(piece, kind=f"{piece.kind} {look}".strip())
        for piece in text
    )


def number(text: str, pointer: str) -> TextSpan:
    """A printed number that knows where it comes from."""
    return TextSpan(text=text, pointer=pointer, kind="n")


def whole(value: float, pointer: str) -> TextSpan:
    """A printed count."""
    return number(formatting.count(value), pointer)


def counted(number: Iterable[TextSpan], noun: str) -> Text:
    """A printed count with its noun, in the plural unless it is 1.

    >>> [piece.text for piece in counted([whole(1, "/cohort/subjects")], "subject")]
    ['1', ' subject']
    """
    text = spans(number)
    return spans(text, f" {noun}" if plain_text(text) == "1" else f" {noun}s") if text else ()


def note(record: Record) -> Text:
    """The estimate's note, or a dash."""
    return (TextSpan(text=record.estimate.note or ABSENT, pointer=f"{record.pointer}/note"),)


def value(
    record: Record | None,
    notes: Footnotes | None = None,
    *,
    limit: float | None = None,
    like: Estimate | None = None,
    places: int | None = None,
) -> Text:
    """The estimate's value, or a dash; with the mark of its note; in the style of ``like``.

    ``places``: of a percent, where numbers are to be compared down a column.
    """
    if record is None:
        return DASH
    estimate = record.estimate
    mark = notes.mark(estimate.note, f"{record.pointer}/note") if notes else ()
    if estimate.value is None:
        return spans(TextSpan(text=ABSENT, pointer=f"{record.pointer}/value"), mark)
    if places is not None:
        return spans(number(formatting.fixed(estimate.value, places), f"{record.pointer}/value"), mark)
    chosen = style(like or estimate)
    text = printed(kind_of(estimate.metric), estimate.value, style=chosen, limit=limit, limits=record.limits)
    return spans(number(text, f"{record.pointer}/value"), mark)


def style(estimate: Estimate) -> Style:
    """Percent or powers of ten, by the value, or by its highest bound where no error was seen."""
    highs = [interval.high for interval in estimate.intervals if interval.high is not None]
    return formatting.style_of(estimate.value, *highs)


def counts(record: Record | None) -> Text:
    """Errors over trials, or a dash."""
    if record is None or record.estimate.numerator is None or record.estimate.denominator is None:
        return DASH
    return spans(
        whole(record.estimate.numerator, f"{record.pointer}/numerator"),
        " / ",
        whole(record.estimate.denominator, f"{record.pointer}/denominator"),
    )


def bounds(
    bound: Bounds | None,
    estimate: Estimate,
    notes: Footnotes | None = None,
    *,
    limit: float | None = None,
    places: int | None = None,
) -> Text:
    """An interval as ``low to high``, rates clipped to [0, 1]; without bounds its note; ``places`` as in `value`."""
    if bound is None:
        return DASH
    interval = bound.interval
    note_at = f"{bound.pointer}/note"
    mark = notes.mark(interval.note, note_at) if notes else ()
    if interval.low is None or interval.high is None:
        reason = mark if notes else (TextSpan(text=f" {interval.note}", pointer=note_at),)
        return spans(TextSpan(text="none", kind="none"), reason)
    ends = float(interval.low or 0.0), float(interval.high or 0.0)
    if estimate.metric in RATES:
        ends = formatting.clipped(*ends)
    kind, chosen = kind_of(estimate.metric), formatting.style_of(estimate.value, ends[1])
    low, high = (
        printed(kind, end, style=chosen, limit=limit, limits=bound.limits)
        if places is None
        else formatting.fixed(end, places)
        for end in ends
    )
    return spans(number(low, f"{bound.pointer}/low"), " to ", number(high, f"{bound.pointer}/high"), mark)


def level(bound: Bounds) -> TextSpan:
    """The interval's level, to a hundredth of a percent."""
    return number(formatting.exact(round(bound.interval.level, 4)), f"{bound.pointer}/level")


def method(bound: Bounds) -> TextSpan:
    """The interval's method in words."""
    code = bound.interval.method.value
    return TextSpan(text=display_name(words().method, code), pointer=f"{bound.pointer}/method")


def target(bound: Bounds) -> TextSpan:
    """For whom the interval holds, in words."""
    code = bound.interval.target.value
    return TextSpan(text=display_name(words().target, code), pointer=f"{bound.pointer}/target")


def sample_sizes(bound: Bounds) -> Text:
    """The size behind an interval: its effective number, its replicates."""
    interval = bound.interval
    parts: list[Text] = []
    if interval.n_eff is not None:
        parts.append(spans("n ", number(formatting.effective_size(interval.n_eff), f"{bound.pointer}/n_eff")))
    if interval.n_resamples is not None:
        parts.append(spans("B ", whole(interval.n_resamples, f"{bound.pointer}/n_resamples")))
    return commas(parts) or DASH


def monte_carlo_error(bound: Bounds, estimate: Estimate) -> Text:
    """The Monte Carlo error of the interval's bounds, in the estimate's style."""
    error = bound.interval.mc_error
    if error is None or not math.isfinite(error):
        return DASH
    rate = kind_of(estimate.metric) is Kind.RATE
    text = (
        formatting.rate(error, style=style(estimate), digits=2) if rate else formatting.plain(error, digits=2)
    )
    return (number(text, f"{bound.pointer}/mc_error"),)


def at_words(at: Mapping[str, float | str], pointer: str) -> Text:
    """An operating point in words.

    >>> from frtaudit.report.pieces import commas, plain_text
    >>> plain_text(at_words({"fmr": 0.001}, "/estimates/0"))
    'FMR 0.1 %'
    >>> plain_text(at_words({"name": "strict", "source": "file"}, "/estimates/0"))
    'the threshold from a file, named strict'

    In the order of the words' table ``at``, so that a result read from its file says the same as the one that was made.
    """
    if at.get("threshold_of") == "max_group" and {"fmr", "schema"} <= {*at}:
        schema = TextSpan(text=str(at["schema"]).replace("_", " "), pointer=f"{pointer}/at/schema")
        limit = number(kinds.place("fmr", float(at["fmr"])), f"{pointer}/at/fmr")
        return spans("the threshold that sets the largest FMR by ", schema, " to ", limit)
    parts: list[Text] = []
    target = _set_at(at)
    order = {key: place for place, key in enumerate(words().at)}
    for key, setting in sorted(at.items(), key=lambda pair: order.get(pair[0], len(order))):
        place = f"{pointer}/at/{escape(key)}"
        name = display_name(words().at, key)
        if target is not None and key in ("source", "name"):
            if key == "name":
                shown = TextSpan(text=kinds.place("fmr", target), pointer=place)
                parts.append(spans("set at pooled FMR ", shown, " on these data"))
        elif isinstance(setting, str):
            parts.append(
                spans(f"{name} ", TextSpan(text=display_name(words().at_value, setting), pointer=place))
            )
        else:
            parts.append(spans(f"{name} ", number(kinds.place(key, setting), place)))
    named_alone = "name" in at and not {"threshold", "recommended"} & {*at}
    return spans("the threshold " if named_alone else "", commas(parts))


def _set_at(at: Mapping[str, float | str]) -> float | None:
    """The FMR at which a threshold was set on the data that it is tested on; None of every other threshold."""
    key, _, target = str(at.get("name", "")).partition("=")
    if at.get("source") != ThresholdSource.SAME_DATA.value or key != "fmr":
        return None
    try:
        return float(target)
    except ValueError:
        return None


def metric(name: str) -> str:
    """A metric's printed name."""
    return display_name(words().metric, name)


def index_name(record: Record) -> str:
    """An index or a ratio with the rate it is taken of."""
    name, rate = record.estimate.metric, record.estimate.at.get("rate")
    of = f" of {metric(str(rate))}" if rate and value_alike(name) is not None else ""
    return f"{metric(name)}{of}"


def group(source: Source, record: Record) -> TextSpan:
    """The group's printed label, pointing at the group."""
    label = source.label(record.estimate.schema, record.estimate.group)
    return TextSpan(text=label, pointer=f"{record.pointer}/group")


def among(source: Source, record: Record) -> Text:
    """Against whom a false match rate of everybody is, such as all people; which schema one number is of."""
    estimate = record.estimate
    if estimate.metric == "fmr" and estimate.group == "all":
        rule = pairing(source.result.spec)
        return spans(" ", TextSpan(text=words().impostors[rule], pointer="/spec/protocol")) if rule else ()
    if estimate.schema is not None and estimate.group == "all":
        return spans(
            " by ", TextSpan(text=estimate.schema.replace("_", " "), pointer=f"{record.pointer}/schema")
        )
    return ()


def pairing(spec: Mapping[str, Json]) -> str:
    """Which non-mated pairs count, as words name it; empty where the spec does not say, or where there are none.

    >>> pairing({"protocol": {"type": "listed", "non_mated": "all"}})
    'listed'
    >>> pairing({"protocol": {"type": "round_robin", "non_mated": "all", "strangers": 20}})
    'drawn'
    """
    settings = mapping(spec.get("protocol"))
    rule = str(settings.get("non_mated") or "")
    if rule == "all" and settings.get("type") == "round_robin":
        return "drawn" if settings.get("strangers") else ""
    return "listed" if (settings.get("type"), rule) == ("listed", "all") else rule
