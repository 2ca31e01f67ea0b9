"""The first page: who asked what, the verdicts, the worst-off group, the headline numbers, what this cannot show."""

from dataclasses import dataclass

from frtaudit.core import UNKNOWN, Estimate, Finding, Target, Verdict
from frtaudit.core.spec import Report
from frtaudit.report import figures, numbers, phrases
from frtaudit.report.figures import Dot, Series
from frtaudit.report.pieces import (
    Block,
    Column,
    Figure,
    Footnotes,
    Panel,
    Part,
    Piece,
    Table,
    Text,
    listed,
    say,
)
from frtaudit.report.source import Bounds, Record, Source
from frtaudit.report.words import THRESHOLDS, called, words

NOT_DECLARED = "not declared"
ORDER = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.NOT_TESTABLE, Verdict.PASS)
FIRST_PAGE_VERDICTS = 12
HEADLINE_TARGETS = 3
HALF, REACH = 50.0, 44.0
POOLS = frozenset({UNKNOWN, "all", "max"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A finding drawn on a line from 0 to 100 with its limit at 50: where estimate and bounds lie."""

    dot: float | None
    low: float | None
    high: float | None
    bad_from: float
    bad_to: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A requirement and its verdict as the table prints them."""

    code: str
    verdict: Piece
    requirement: Piece
    condition: Text
    who: Text
    found: Text
    limit: Text
    sentence: Piece
    strip: Strip | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Docket:
    """A requirement with its rulings, what is not met first."""

    requirement: Piece
    condition: Text
    rulings: tuple[Ruling, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The view of the first page."""

    declared: tuple[tuple[str, str, bool], ...]
    question: Text
    tally: tuple[tuple[str, str, str], ...]
    dockets: tuple[Docket, ...]
    more: int
    worst: Text
    headline: Table | None
    figure: Figure | None
    terms: tuple[tuple[str, Text], ...]
    cannot: tuple[str, ...]


def build(source: Source, settings: Report, date: str) -> Summary:
    """Everything that stands before the contents."""
    rulings = all_rulings(source)
    tallies = [(v, sum(item.verdict is v for item in source.result.findings)) for v in ORDER]
    return Summary(
        declared=_declared(settings, date, source.result.sha256),
        question=_question(source),
        tally=tuple((v.value, str(n), called(words().verdict, v.value)) for v, n in tallies if n),
        dockets=_dockets(rulings[:FIRST_PAGE_VERDICTS]),
        more=max(len(rulings) - FIRST_PAGE_VERDICTS, 0),
        worst=worst_group(source),
        headline=headline(source),
        figure=_figure(source),
        terms=_terms(source),
        cannot=words().cannot_show,
    )


def _declared(settings: Report, date: str, digest: str) -> tuple[tuple[str, str, bool], ...]:
    fields = (
        ("Organisation", settings.organisation),
        ("Auditor", settings.auditor),
        ("Commissioned by", settings.commissioner),
        ("Purpose", settings.purpose),
        ("System and version", settings.system_version),
        ("Reference", settings.reference),
        ("Date", date),
        ("Result", f"sha256 {digest[:16]}"),
    )
    return tuple((name, text or NOT_DECLARED, bool(text)) for name, text in fields)


def _question(source: Source) -> Text:
    asked = str(source.result.spec.get("question") or "").strip()
    return (Piece(text=asked, pointer="/spec/question"),) if asked else ()


def all_rulings(source: Source) -> tuple[Ruling, ...]:
    """Every finding, what is not met first; within a verdict in the order of the result."""
    numbered = list(enumerate(source.result.findings))
    numbered.sort(key=lambda item: ORDER.index(item[1].verdict))
    return tuple(_ruling(source, index, finding) for index, finding in numbered)


def _dockets(rulings: tuple[Ruling, ...]) -> tuple[Docket, ...]:
    names = dict.fromkeys(item.requirement.text for item in rulings)
    grouped = [tuple(item for item in rulings if item.requirement.text == name) for name in names]
    return tuple(
        Docket(requirement=own[0].requirement, condition=own[0].condition, rulings=own) for own in grouped
    )


def _ruling(source: Source, index: int, finding: Finding) -> Ruling:
    at = f"/findings/{index}"
    record = record_of(source, finding)
    limit = _limit(source, finding, record.estimate if record else None, at)
    return Ruling(
        code=finding.verdict.value,
        verdict=Piece(text=called(words().verdict, finding.verdict.value), pointer=f"{at}/verdict"),
        requirement=Piece(text=finding.requirement, pointer=f"{at}/requirement"),
        condition=_condition(record, limit),
        who=_who(source, record),
        found=_found(source, record, finding, at),
        limit=limit,
        sentence=Piece(text=finding.sentence, pointer=f"{at}/sentence"),
        strip=_strip(finding, record, _sense(source, finding)),
    )


def record_of(source: Source, finding: Finding) -> Record | None:
    """The estimate that a finding judges."""
    if finding.estimate is None:
        return None
    index = int(finding.estimate.rsplit("/", 1)[1])
    estimate = source.result.estimates[index]
    found = (item for item in source.records if item.pointer == finding.estimate)
    bounds = tuple(
        Bounds(interval=interval, pointer=f"{finding.estimate}/intervals/{place}")
        for place, interval in enumerate(estimate.intervals)
    )
    return next(found, Record(estimate=estimate, pointer=finding.estimate, bounds=bounds))


def _condition(record: Record | None, limit: Text) -> Text:
    """What is required: the metric, where it is read, the limit."""
    if record is None:
        return limit
    at = {key: found for key, found in record.estimate.at.items() if key != "rate"}
    where: list[Part] = [" at ", phrases.at_words(at, record.pointer)] if at else []
    return say(phrases.index_name(record), *where, ", limit ", limit)


def _who(source: Source, record: Record | None) -> Text:
    if record is None:
        return ()
    name = Piece(text=record.estimate.provider, pointer=f"{record.pointer}/provider", kind="b")
    group: list[Part] = [", ", phrases.group(source, record)] if record.estimate.group != "all" else []
    return say(name, *group)


def _found(source: Source, record: Record | None, finding: Finding, at: str) -> Text:
    """What was found, every number printed on its side of the limit."""
    if record is None or record.estimate.value is None:
        return (Piece(text=finding.sentence, pointer=f"{at}/sentence"),)
    found = phrases.value(record, limit=finding.limit)
    if finding.bound is None or finding.bound_level is None:
        return say(found, "; too few errors or people to decide")
    shown = phrases.printed(
        phrases.kind_of(record.estimate.metric),
        finding.bound,
        style=phrases.style(record.estimate),
        limit=finding.limit,
    )
    upper = (_sense(source, finding) == "<=") == (finding.verdict is not Verdict.FAIL)
    return say(
        found,
        ", with ",
        phrases.number(numbers.exact(round(finding.bound_level, 12)), f"{at}/bound_level"),
        f" confidence {'at most' if upper else 'at least'} ",
        phrases.number(shown, f"{at}/bound"),
    )


def _limit(source: Source, finding: Finding, estimate: Estimate | None, at: str) -> Text:
    rate = estimate is not None and phrases.kind_of(estimate.metric) is phrases.Kind.RATE
    text = numbers.exact(finding.limit) if rate else numbers.plain(finding.limit)
    side = "at least" if _sense(source, finding) == ">=" else "at most"
    return say(f"{side} ", phrases.number(text, f"{at}/limit"))


def _sense(source: Source, finding: Finding) -> str:
    declared = source.result.spec.get("requirements")
    for item in declared if isinstance(declared, (list, tuple)) else ():
        if isinstance(item, dict) and item.get("name") == finding.requirement:
            return str(item.get("sense", "<="))
    return "<="


def _strip(finding: Finding, record: Record | None, sense: str) -> Strip | None:
    if record is None or record.estimate.value is None:
        return None
    found = record.bound(Target.POPULATION)
    low, high = (found.interval.low, found.interval.high) if found else (None, None)
    values = [record.estimate.value, low, high, finding.bound]
    reach = max(
        (abs(v - finding.limit) for v in values if v is not None and abs(v) < float("inf")), default=0.0
    )

    def place(value: float | None) -> float | None:
        if value is None:
            return None
        return round(HALF + REACH * max(-1.0, min(1.0, (value - finding.limit) / (reach or 1.0))), 2)

    bad_from, bad_to = (0.0, HALF) if sense == ">=" else (HALF, 100.0)
    return Strip(
        dot=place(record.estimate.value), low=place(low), high=place(high), bad_from=bad_from, bad_to=bad_to
    )


def targets_of(source: Source) -> list[float]:
    """FMR targets at which FNMR was read, the largest first."""
    found = {float(item.estimate.at["fmr"]) for item in overall(source, "fnmr_at_fmr")}
    return sorted(found, reverse=True)


def overall(source: Source, metric: str) -> list[Record]:
    """Records of a metric for everybody, at an FMR target and nothing else, in the primary weighting."""
    return [
        item
        for item in source.select(metric, grouped=False, primary=True)
        if set(item.estimate.at) == {"fmr"} and item.estimate.group == "all"
    ]


def main_target(source: Source) -> float | None:
    """The smallest target at which every system has a rate, else the smallest."""
    targets = targets_of(source)
    found = overall(source, "fnmr_at_fmr")
    for target in reversed(targets):
        there = [item for item in found if item.estimate.at["fmr"] == target]
        if all(item.estimate.value is not None for item in there):
            return target
    return targets[-1] if targets else None


def worst_group(source: Source) -> Text:
    """One sentence on the group with the largest FNMR, one on the group with the largest FMR, at the main target."""
    target = main_target(source)
    parts: list[Part] = []
    for metric, verb in (
        ("fnmr_at_fmr", "wrongly rejected"),
        ("fmr", "wrongly matched with others of the group"),
    ):
        found = _worst(source, metric, target)
        if found is None:
            continue
        worst, everybody = found
        parts += [*([" "] if parts else []), *_worst_sentence(source, worst, everybody, verb)]
    return say(*parts)


def _worst(source: Source, metric: str, target: float | None) -> tuple[Record, Record | None] | None:
    grouped = [
        item
        for item in source.select(metric, grouped=True, primary=True)
        if item.estimate.group not in POOLS
        and dict(item.estimate.at) == {"fmr": target}
        and item.estimate.value is not None
    ]
    if not grouped:
        return None
    worst = max(grouped, key=lambda item: item.estimate.value or 0.0)
    same = [
        item
        for item in overall(source, metric)
        if item.estimate.provider == worst.estimate.provider and item.at == worst.at
    ]
    return worst, same[0] if same else None


def _worst_sentence(source: Source, worst: Record, everybody: Record | None, verb: str) -> list[Part]:
    people = source.people(worst.estimate.schema or "", worst.estimate.group)
    crowd: list[Part] = [" (", people, " people)"] if people else []
    found = worst.bound(Target.POPULATION, Target.FIXED_IDENTITIES)
    plausible: list[Part] = []
    if found and found.interval.low is not None:
        plausible = [", plausibly ", phrases.bounds(found, worst.estimate)]
    name = source.label(worst.estimate.schema, worst.estimate.group)
    against: list[Part] = (
        [", against ", phrases.value(everybody, like=worst.estimate), " overall"] if everybody else []
    )
    return [
        Piece(text=name, pointer=f"{worst.pointer}/group", kind="b"),
        *crowd,
        f" are most often {verb}: by ",
        Piece(text=worst.estimate.provider, pointer=f"{worst.pointer}/provider", kind="b"),
        ", in ",
        phrases.value(worst),
        " of comparisons",
        *plausible,
        *against,
        ".",
    ]


def headline(source: Source) -> Table | None:
    """FNMR of every system at each FMR target, with the interval for new people."""
    targets = targets_of(source)[-HEADLINE_TARGETS:]
    found = overall(source, "fnmr_at_fmr")
    if not targets or not found:
        return None
    notes = Footnotes()
    rows = []
    for provider in source.providers:
        own = {float(item.estimate.at["fmr"]): item for item in found if item.estimate.provider == provider}
        if own:
            first = next(iter(own.values()))
            name = Piece(text=provider, pointer=f"{first.pointer}/provider", kind="b")
            rows.append(((name,), *(_headline_cell(own.get(target), notes) for target in targets)))
    columns = [Column(title="System"), *(Column(title=_target_title(item), kind="num") for item in targets)]
    return Table(
        name="headline",
        caption=_headline_caption(source, found),
        columns=tuple(columns),
        blocks=(Block(rows=tuple(rows)),),
        notes=notes.all(),
        kind="headline",
    )


def _target_title(target: float) -> str:
    inverse = numbers.one_in(target)
    return f"FNMR at FMR {numbers.exact(target)}" + (f" ({inverse})" if inverse else "")


def _headline_cell(record: Record | None, notes: Footnotes) -> Text:
    if record is None:
        return (Piece(text=phrases.ABSENT),)
    found = record.bound(Target.POPULATION, Target.FIXED_IDENTITIES, Target.COMPARISONS_IID)
    lines: list[Part] = [
        *(Piece(text=p.text, pointer=p.pointer, kind=f"{p.kind} big") for p in phrases.value(record, notes))
    ]
    if found is not None:
        lines += ["   ", *phrases.bounds(found, record.estimate, notes)]
    if record.estimate.numerator is not None:
        lines += [Piece(text=" ", kind="br"), *(_soft(piece) for piece in phrases.counts(record))]
    return say(*lines)


def _soft(piece: Piece) -> Piece:
    return Piece(text=piece.text, pointer=piece.pointer, kind=f"{piece.kind} soft".strip())


def _headline_caption(source: Source, found: list[Record]) -> Text:
    chosen = [
        item.bound(Target.POPULATION, Target.FIXED_IDENTITIES, Target.COMPARISONS_IID) for item in found
    ]
    first = next((item for item in chosen if item is not None), None)
    base = (
        f"False non-match rate at a fixed false match rate; {called(words().weighting, source.weighting)}. "
        "Below each rate its interval, then errors / mated comparisons."
    )
    if first is None:
        return say(base)
    return say(
        base,
        " Intervals: ",
        phrases.level(first),
        ", ",
        phrases.method(first),
        ", for ",
        phrases.target(first),
        ".",
    )


def _figure(source: Source) -> Figure | None:
    curves = det_curves(source)
    panels = []
    if curves:
        panels.append(figures.det("front-det", curves))
    dots = _front_dots(source)
    if dots is not None:
        panels.append(dots)
    if not panels:
        return None
    names = [(index, name) for index, name in enumerate(source.providers)]
    return Figure(
        name="front",
        title="The systems compared",
        caption=_front_caption(source, has_dots=dots is not None, has_curves=bool(curves)),
        panels=tuple(panels),
        keys=figures.keys("front", names),
    )


def _front_caption(source: Source, *, has_dots: bool, has_curves: bool) -> Text:
    parts: list[Part] = []
    if has_curves:
        parts.append("A line nearer the lower left corner makes fewer errors of both kinds. ")
    if has_dots:
        parts.append(
            "By group: dots further right are groups rejected more often at one common threshold; where bars overlap "
            "widely, the order of the groups is not established."
        )
    return say(*parts)


def det_curves(source: Source) -> list[Series]:
    """The curves that are drawn for everybody: with a band where there is one, else the plain DET."""
    banded = source.banded("roc")
    found = banded or source.curves("det")
    return [
        Series(name=item.provider, index=source.providers.index(item.provider), curve=item) for item in found
    ]


def _front_dots(source: Source) -> Panel | None:
    target = main_target(source)
    found = _worst(source, "fnmr_at_fmr", target)
    if found is None or target is None or found[0].estimate.schema is None:
        return None
    schema = found[0].estimate.schema
    records = [
        item
        for item in source.select("fnmr_at_fmr", schema=schema, primary=True)
        if dict(item.estimate.at) == {"fmr": target} and item.estimate.group not in ("all", "max")
    ]
    dots, rows = group_dots(source, schema, records)
    if not dots:
        return None
    title = f"FNMR by {schema.replace('_', ' ')}, FMR {numbers.exact(target)}"
    return figures.dots("front-dots", title, rows, dots, "FNMR")


def group_dots(source: Source, schema: str, records: list[Record]) -> tuple[list[Dot], list[str]]:
    """Dots of groups in the schema's order, each with the interval for new people (or the first there is)."""
    seen = {item.estimate.group for item in records if item.estimate.value is not None}
    rows = [name for name in source.classes(schema, seen) if name in seen]
    dots = []
    for item in records:
        if item.estimate.value is None or item.estimate.group not in rows:
            continue
        found = item.bound(Target.POPULATION, Target.FIXED_IDENTITIES)
        dots.append(
            Dot(
                row=source.label(schema, item.estimate.group),
                series=item.estimate.provider,
                index=source.providers.index(item.estimate.provider),
                value=item.estimate.value,
                low=found.interval.low if found else None,
                high=found.interval.high if found else None,
            )
        )
    return dots, [source.label(schema, name) for name in rows]


def _terms(source: Source) -> tuple[tuple[str, Text], ...]:
    """What one must know to read any number of the report."""
    spec = source.result.spec
    protocol, thresholds = spec.get("protocol"), spec.get("thresholds")
    pairing = protocol.get("non_mated") if isinstance(protocol, dict) else None
    origin = thresholds.get("source") if isinstance(thresholds, dict) else None
    terms: list[tuple[str, Text]] = [
        ("For whom", _for_whom(source)),
        ("Decision", say("A comparison is a match if and only if its score is greater than the threshold.")),
    ]
    if pairing:
        text = called(words().non_mated, str(pairing))
        terms.append(("Non-mated pairs", (Piece(text=text, pointer="/spec/protocol/non_mated"),)))
    terms.append(
        (
            "Weighting",
            (
                Piece(
                    text=f"In headline rates {called(words().weighting, source.weighting)}; the other weighting is printed beside it.",
                    pointer="/spec/weighting",
                ),
            ),
        )
    )
    if origin:
        text = called(words().threshold_source, str(origin))
        terms.append(("Thresholds", (Piece(text=text, pointer="/spec/thresholds/source"),)))
    if source.result.findings:
        terms.append(("Verdicts", _verdict_rule(source)))
    return tuple(terms)


def _verdict_rule(source: Source) -> Text:
    levels = [
        (index, item.bound_level)
        for index, item in enumerate(source.result.findings)
        if item.bound_level is not None
    ]
    if not levels:
        return say("Decided on interval bounds, never on the estimate alone; not adjusted for their number.")
    index, at = levels[0]
    return say(
        "Decided on the one-sided ",
        phrases.number(numbers.exact(round(at, 12)), f"/findings/{index}/bound_level"),
        " bound, never on the estimate alone; not adjusted for the number of requirements.",
    )


def _for_whom(source: Source) -> Text:
    seen: dict[Target, Bounds] = {}
    for record in source.records:
        if record.estimate.metric in THRESHOLDS:
            continue
        for item in record.bounds:
            seen.setdefault(item.interval.target, item)
    order = [target for target in Target if target in seen]
    if not order:
        return say("No interval is printed, so no number speaks for anybody else.")
    names: list[Part] = [(phrases.target(seen[target]),) for target in order]
    return say("Every interval names for whom it holds. Here: ", listed(names), ".")
