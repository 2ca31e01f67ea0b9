"""Two collections at two dates: which services have changed, and the minimum detectable change (Knott et al., S.14)."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from frtaudit.core import formatting
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import systems
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Block, Column, Figure, Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.sections.tables import build_table, provider
from frtaudit.report.source import Record, Source
from frtaudit.report.words import display_name, words

KIND = "two_dates"
AT_DATE, CHANGE, FACES = "fnmr_at_date", "fnmr_change", "faces_of_both_dates"
SAME_SCORES, SCORE_CHANGE, LARGEST = "scores_unchanged", "score_change_mean", "score_change_largest"
IMAGES = (
    "The same images were scored at both dates. Each service is compared on the pairs of faces that it scored at "
    "both dates. Labels use the services of both dates together, so they favour neither. "
)
NAMES = (
    "The same names were searched at both dates, with different images. Each date has its own labels, and queries "
    "are paired. A change may be one of the service, of the search results, or of the labels, which depend on other "
    "services too: cohort.labels.services names those that label. "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoDates:
    """The view: what was compared and found, tables, the figure."""

    lead: Text
    verdicts: tuple[Text, ...]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The section's records: ``dates``: their names; ``first``: the labels that decide; ``same``: the same images."""

    source: Source
    dates: tuple[str, str]
    first: str
    same: bool

    def values(self, labels: str, target: object) -> dict[tuple[str, str], Record]:
        """(system, date) to FNMR there."""
        return {
            (item.estimate.provider, str(item.estimate.at["date"])): item
            for item in self.source.select(AT_DATE)
            if item.estimate.at["labels"] == labels and item.estimate.at["fmr"] == target
        }

    def changes(self, labels: str, of: str, rate: str = "fnmr") -> list[Record]:
        """Changes under some labels at thresholds ``own`` to each date or of the ``earlier`` one, by falling target."""
        found = [
            item
            for item in self.source.select(CHANGE)
            if (item.estimate.at["labels"], item.estimate.at["threshold_of"], item.estimate.at["rate"])
            == (labels, of, rate)
        ]
        return sorted(found, key=lambda item: -float(item.estimate.at["fmr"]))


def build(source: Source) -> TwoDates | None:
    """None where one collection was audited."""
    found = _found(source)
    if found is None:
        return None
    kinds = [str(item.estimate.at["labels"]) for item in source.select(AT_DATE)]
    made = (_decisive(found), _again(found), _kept(found), *_others(found, kinds))
    drawn = _figure(found)
    return TwoDates(
        lead=_lead(found),
        verdicts=tuple(_verdicts(found)),
        tables=tuple(item for item in made if item is not None),
        figures=() if drawn is None else (drawn,),
    )


def _found(source: Source) -> _Found | None:
    dates = tuple(dict.fromkeys(str(item.estimate.at["date"]) for item in source.select(FACES)))
    kinds = {str(item.estimate.at["labels"]) for item in source.select(AT_DATE)}
    if not kinds or len(dates) != len(("earlier", "later")):
        return None
    same = "joint" in kinds
    return _Found(source=source, dates=(dates[0], dates[1]), first="joint" if same else "own", same=same)


def answers(source: Source) -> tuple[Text, ...]:
    """For the first page: of each service whether it changed; empty where one collection was audited."""
    found = _found(source)
    return () if found is None else tuple(_verdicts(found))


def _lead(found: _Found) -> Text:
    parts: list[Part] = [IMAGES if found.same else NAMES]
    for item in found.source.select(FACES):
        date = TextSpan(text=str(item.estimate.at["date"]), pointer=f"{item.pointer}/at/date")
        parts += ["Faces of ", date, " that take part: ", *phrases.counts(item), ". "]
    return spans(*parts)


def _verdicts(found: _Found) -> Iterator[Text]:
    """A sentence for each service: changed, identical, or not shown to have changed; how many scores are the same."""
    again = {
        item.estimate.provider: item
        for item in found.source.select(SAME_SCORES)
        if item.estimate.at["pairs"] == "all"
    }
    decisive = found.changes(found.first, "own")
    for name in dict.fromkeys(item.estimate.provider for item in decisive):
        own = [item for item in decisive if item.estimate.provider == name]
        said = [item for item in own if item.estimate.test is not None and item.estimate.test.differs]
        parts: list[Part] = [TextSpan(text=name, kind="b"), ": "]
        parts += ["FNMR changed at ", *_joined(said)] if said else [_unchanged(own)]
        parts.append(".")
        if name in again:
            parts += [" Pairs with equal scores: ", *phrases.counts(again[name]), "."]
        yield spans(*parts)


def _joined(said: Sequence[Record]) -> Iterator[Part]:
    for place, item in enumerate(said):
        yield from ([" and "] if place else [])
        yield from phrases.at_words({"fmr": item.estimate.at["fmr"]}, item.pointer)
        yield from (" (", _signed(item), " points)")


def _unchanged(own: Sequence[Record]) -> str:
    tests = [item.estimate.test for item in own]
    if all(test is None or test.p is None for test in tests):
        reason = next((test.note for test in tests if test is not None and test.note), None)
        return f"not tested ({reason})" if reason else "not testable"
    return "no change of FNMR was found"


def _decisive(found: _Found) -> Table:
    """FNMR of both dates at each target, each date at its own threshold, the change and its test (Holm)."""
    caption = spans(
        TextSpan(text="Did a service change? ", kind="b"),
        "FNMR at each date, each with its own threshold; the same resampled queries at both dates. Intervals hold "
        "for the population, each separately; p is adjusted over all rows (Holm).",
    )
    return _pairs(found, "dates-decisive", found.first, caption)


def _pairs(found: _Found, name: str, labels: str, caption: Text, head: str = "Changed?") -> Table:
    notes = Footnotes()
    changes = found.changes(labels, "own")
    blocks = []
    for target in dict.fromkeys(item.estimate.at["fmr"] for item in changes):
        values = found.values(labels, target)
        own = [item for item in changes if item.estimate.at["fmr"] == target]
        rows = tuple(
            (
                (provider(item),),
                *(_at_date(values[item.estimate.provider, date], notes) for date in found.dates),
                _signed(item),
                _bounds(item),
                _changed(item),
            )
            for item in own
        )
        blocks.append(Block(head=phrases.at_words({"fmr": target}, own[0].pointer), rows=rows))
    columns = (
        Column(title="Service"),
        *(Column(title=f"FNMR, {date}", kind="num") for date in found.dates),
        Column(title="change, % points", kind="num"),
        Column(title="interval", kind="num"),
        Column(title=head, kind="wide"),
    )
    return build_table(name, caption, columns, blocks, notes)


def _at_date(record: Record, notes: Footnotes) -> Text:
    value = phrases.value(record, notes)
    if not record.bounds or record.bounds[0].interval.low is None:
        return value
    return spans(*value, TextSpan(text=" ", kind="br"), *phrases.bounds(record.bounds[0], record.estimate))


def _points(value: float) -> str:
    """A difference of rates, in percentage points of two decimals."""
    return formatting.fixed(value, 2)


def _signed(record: Record, show: Callable[[float], str] = _points) -> Text:
    value = record.estimate.value
    if value is None:
        return (TextSpan(text=phrases.ABSENT, pointer=f"{record.pointer}/value"),)
    return spans("+" if value > 0 else "", phrases.number(show(value), f"{record.pointer}/value"))


def _bounds(record: Record, show: Callable[[float], str] = _points) -> Text:
    found = record.bounds[0] if record.bounds else None
    if found is None or found.interval.low is None or found.interval.high is None:
        return (TextSpan(text=phrases.ABSENT),)
    low, high = (
        phrases.number(show(end), f"{found.pointer}/{name}")
        for name, end in (("low", found.interval.low), ("high", found.interval.high))
    )
    return spans(low, " to ", high)


def _changed(record: Record) -> Text:
    """Yes, not shown, or why not tested; with the minimum detectable change."""
    test, at = record.estimate.test, f"{record.pointer}/test"
    if test is None or test.p is None:
        reason = (test.note if test is not None else None) or record.estimate.note or "not testable"
        return spans("Not tested: ", TextSpan(text=reason, pointer=f"{at}/note"), ".")
    p = _p(record)
    parts: list[Part] = [TextSpan(text="Yes", kind="b") if test.differs else "Not shown", " (p ", *p, ")."]
    if not test.differs:
        share = phrases.number(formatting.exact(test.power), f"{at}/power")
        if test.detectable is None:
            parts.append(" With so few queries no change is detectable with this power.")
        else:
            size = phrases.number(_points(test.detectable), f"{at}/detectable")
            parts += [
                " Minimum detectable change: ",
                size,
                " points (",
                share,
                " power).",
            ]
    return spans(*parts)


def _p(record: Record) -> Text:
    test, at = record.estimate.test, f"{record.pointer}/test"
    if test is None or test.p is None:
        return (TextSpan(text=phrases.ABSENT),)
    if test.p_adjusted is None:
        return (phrases.number(formatting.p_value(test.p), f"{at}/p"),)
    return (phrases.number(formatting.p_value(test.p_adjusted), f"{at}/p_adjusted"),)


def _again(found: _Found) -> Table | None:
    """Of the same pairs of faces: how many scores are the same, how far they moved."""
    by = {
        (item.estimate.provider, item.estimate.metric, str(item.estimate.at["pairs"])): item
        for metric in (SAME_SCORES, SCORE_CHANGE, LARGEST)
        for item in found.source.select(metric)
    }
    names = [name for name in found.source.providers if (name, SAME_SCORES, "all") in by]
    if not names:
        return None
    rows = tuple(
        (
            (provider(by[name, SAME_SCORES, "all"]),),
            phrases.counts(by[name, SAME_SCORES, "all"]),
            phrases.value(by[name, SAME_SCORES, "all"], places=2),
            *(_moved(by[name, SCORE_CHANGE, kind]) for kind in ("mated", "non_mated")),
            phrases.value(by[name, LARGEST, "all"]),
        )
        for name in names
    )
    columns = (
        Column(title="Service"),
        Column(title="same score, of all pairs", kind="num"),
        Column(title="share", kind="num"),
        Column(title="mean change, mated", kind="num"),
        Column(title="mean change, non-mated", kind="num"),
        Column(title="largest", kind="num"),
    )
    caption = spans(
        TextSpan(text="The same pairs of faces, scored again. ", kind="b"),
        "Later minus earlier, in the service's own scores, with intervals for the population and p. A deterministic "
        "service has changed if one score has. Rates need not change: a new scale changes every score, and no rate "
        "at an FMR target.",
    )
    return build_table("dates-scores", caption, columns, [Block(rows=rows)], Footnotes())


def _moved(record: Record) -> Text:
    parts: list[Part] = [*_signed(record, formatting.score)]
    if record.bounds and record.bounds[0].interval.low is not None:
        parts += [TextSpan(text=" ", kind="br"), *_bounds(record, formatting.score), ", p ", *_p(record)]
    return spans(*parts)


def _kept(found: _Found) -> Table | None:
    """Both rates at the threshold of the earlier date, kept as it was."""
    mated = found.changes(found.first, "earlier")
    other = {
        (item.estimate.provider, item.estimate.at["fmr"]): item
        for item in found.changes(found.first, "earlier", "fmr")
    }
    if not mated:
        return None
    blocks = []
    for target in dict.fromkeys(item.estimate.at["fmr"] for item in mated):
        own = [item for item in mated if item.estimate.at["fmr"] == target]
        rows = tuple(
            (
                (provider(item),),
                *(
                    cell
                    for one in (item, other[item.estimate.provider, target])
                    for cell in (_signed(one), _bounds(one), _p(one))
                ),
            )
            for item in own
        )
        blocks.append(Block(head=phrases.at_words({"fmr": target}, own[0].pointer), rows=rows))
    columns = (
        Column(title="Service"),
        Column(title="change of FNMR, % points", kind="num"),
        Column(title="interval", kind="num"),
        Column(title="p", kind="num"),
        Column(title="change of FMR, % points", kind="num"),
        Column(title="interval", kind="num"),
        Column(title="p", kind="num"),
    )
    caption = spans(
        TextSpan(text="At the threshold of the earlier date. ", kind="b"),
        "Rates of a user who set the threshold at the earlier date, for the FMR named, and kept it. Not declared as "
        "decisive: p is adjusted over all such tests of this report where B allows it.",
    )
    return build_table("dates-kept", caption, columns, blocks, Footnotes())


def _others(found: _Found, kinds: Sequence[str]) -> Iterator[Table]:
    """The same under other labels, where there are some."""
    for labels in dict.fromkeys(kinds):
        if labels != found.first:
            caption = spans(
                TextSpan(text="Under other labels. ", kind="b"),
                display_name(words().date_labels, labels),
                " Not decisive.",
            )
            yield _pairs(found, f"dates-{labels}", labels, caption, "Do the rates differ?")


def _figure(found: _Found) -> Figure | None:
    """A panel for each service, a curve with its band for each date (Figure S.14)."""
    curves = [item for item in found.source.result.curves if item.analysis == KIND]
    panels = []
    for place, name in enumerate(found.source.providers):
        own = [
            Series(name=item.group, index=found.dates.index(item.group), curve=item)
            for item in curves
            if item.provider == name and any(math.isfinite(y) and y > 0 for y in item.y)
        ]
        if own:
            panels.append(systems.overlaid(f"dates-{place}", name, own, "FNMR", rates=True))
    if not panels:
        return None
    return Figure(
        name="dates",
        title="FNMR over FMR at two dates",
        caption=spans(
            "Bands hold for the population, point by point. Overlap of bands is no test, because both dates have "
            "the same people; the table tests the difference."
        ),
        panels=tuple(panels),
        keys=figures.keys("dates", list(enumerate(found.dates))),
    )
