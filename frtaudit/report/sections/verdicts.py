"""Verdicts: every finding with what it judges, its numbers on their side of the limit, and its line."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from frtaudit.core import Estimate, Finding, Target, Verdict
from frtaudit.core.canonical import Json, mapping
from frtaudit.core.methods import Sided
from frtaudit.core.metrics import kind_of
from frtaudit.core.profile import Confidence
from frtaudit.core.text import formatting, kinds
from frtaudit.evaluation.requirement_findings import SIDES
from frtaudit.report import phrases
from frtaudit.report.pieces import Part, Text, TextSpan, spans
from frtaudit.report.sections.tables import provider
from frtaudit.report.source import Bounds, Record, Source, grouped, rows_of
from frtaudit.report.words import display_name, words

ORDER = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.NOT_TESTABLE, Verdict.PASS)
HALF, REACH = 50.0, 44.0
ACROSS = 0.06  # of the scale
CHOSEN = ": adjusted for choosing the largest class, not over findings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A finding drawn on a line from 0 to 100 with its limit at 50.

    ``low``, ``high``: the bar from the estimate to the bound that decides; ``ci_low``, ``ci_high``: the two-sided
    interval. All findings of one requirement share the scale.
    """

    dot: float
    low: float
    high: float
    ci_low: float
    ci_high: float
    bad_from: float
    bad_to: float

    @property
    def says(self) -> str:
        """What the drawing shows, in words."""
        bound = self.high if self.low == self.dot else self.low
        bad_above = self.bad_to > HALF
        estimate, decides = (
            "beyond" if (end > HALF if bad_above else end < HALF) else "within" for end in (self.dot, bound)
        )
        return f"The estimate lies {estimate} the limit, the bound that decides {decides} it."


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """A requirement and its verdict as the first page and the findings print them.

    ``value``, ``interval`` (two-sided), ``bound`` (that decided): empty where nothing could be tested. ``brief``: all
    of them as a phrase; ``record``: what was judged.
    """

    index: int
    code: str
    verdict: TextSpan
    requirement: TextSpan
    condition: Text
    who: Text
    value: Text
    interval: Text
    bound: Text
    brief: Text
    limit: Text
    sentence: TextSpan
    strip: Strip | None
    record: Record | None


def all_finding_rows(source: Source) -> tuple[FindingRow, ...]:
    """Every finding, failures first; within a verdict in the order of the result."""
    numbered = list(enumerate(source.result.findings))
    numbered.sort(key=lambda pair: ORDER.index(pair[1].verdict))
    reach: dict[str, float] = {}
    for _, finding in numbered:
        record = record_of(source, finding)
        if record is not None:
            value = record.estimate.value
            ends = [] if value is None else [value, *_bar(source, finding, 0.0), *_interval(record)]
            distances = (abs(end - finding.limit) for end in ends if math.isfinite(end))
            reach[finding.requirement] = max([reach.get(finding.requirement, 0.0), *distances])
    return tuple(
        _row(source, index, finding, reach.get(finding.requirement) or 1.0) for index, finding in numbered
    )


def requirement_rows(finding_rows: Iterable[FindingRow]) -> tuple[list[FindingRow], ...]:
    """Rows of findings by requirement, in the order of ``finding_rows``."""
    return tuple(grouped(finding_rows, lambda row: row.requirement.text).values())


def _row(source: Source, index: int, finding: Finding, reach: float) -> FindingRow:
    at = f"/findings/{index}"
    record = record_of(source, finding)
    limit = _limit(source, finding, record.estimate if record else None, at)
    value, interval, bound = _numbers(source, record, finding, at)
    between: Text = spans(" (", confidence(record), ")") if record and interval else ()
    sentence = TextSpan(text=unbroken(finding.sentence.rstrip(".")), pointer=f"{at}/sentence")
    brief = spans(value, between, "; ", bound) if bound else (sentence,)
    who: list[Part] = [] if record is None else [provider(record)]
    if record is not None and record.estimate.group not in ("all", "max"):
        who += [", ", phrases.group(source, record)]
    return FindingRow(
        index=index,
        code=finding.verdict.value,
        verdict=TextSpan(text=display_name(words().verdict, finding.verdict.value), pointer=f"{at}/verdict"),
        requirement=TextSpan(text=finding.requirement, pointer=f"{at}/requirement"),
        condition=spans(*_condition(source, finding, record, limit), *marks(source, finding)),
        who=spans(*who),
        value=value,
        interval=interval,
        bound=spans(bound, *(_among(finding, at) if finding.fails_unadjusted else ())),
        brief=brief,
        limit=limit,
        sentence=TextSpan(text=unbroken(finding.sentence), pointer=f"{at}/sentence"),
        strip=_strip(source, finding, record, reach),
        record=record,
    )


def unbroken(sentence: str) -> str:
    """A sentence whose numbers no line ending parts from their unit.

    >>> len(unbroken("10.9 % and 1.49 × 10⁻¹¹").split(" "))
    3
    """
    return sentence.replace(" %", "\u00a0%").replace(" × ", "\u00a0×\u00a0")


def record_of(source: Source, finding: Finding) -> Record | None:
    """The estimate that a finding judges."""
    at, estimate = finding.estimate, source.result.judged(finding)
    if at is None or estimate is None:
        return None
    known = next((record for record in source.records if record.pointer == at), None)
    bounds = (
        Bounds(interval=interval, pointer=f"{at}/intervals/{place}", limits=(finding.limit,))
        for place, interval in enumerate(estimate.intervals)
    )
    return known or Record(estimate=estimate, pointer=at, bounds=tuple(bounds), limits=(finding.limit,))


def marks(source: Source, finding: Finding) -> Iterator[Part]:
    """What a requirement's line says of it: whose document was not read, and that it is advisory."""
    requirement = declared(source, finding)
    profile = mapping(mapping(source.result.spec.get("profiles")).get(str(requirement.get("profile"))))
    read = profile.get("confidence", Confidence.DOCUMENT.value)
    if read != Confidence.DOCUMENT.value:
        yield phrases.bold(f", {str(read).replace('_', ' ')}")
    if finding.advisory:
        yield ", advisory"


def _condition(source: Source, finding: Finding, record: Record | None, limit: Text) -> Text:
    """What is required of every system: the metric, against whom, where it is read, the limit."""
    if record is None:
        return limit
    asked = mapping(declared(source, finding).get("at"))
    named_alone = {"recommended", "name"} & set(asked) and "threshold" not in asked
    system_keys = {"threshold", "version"} if named_alone else set()  # each system's, by one name
    left_out = {"rate", "space", *system_keys}
    at = {key: setting for key, setting in record.estimate.at.items() if key not in left_out}
    where: list[Part] = [" at ", phrases.at_words(at, record.pointer)] if at else []
    among = phrases.among(source, record)
    space: list[Part] = []
    if "space" in record.estimate.at:  # of a distance of classes, with its unit
        name = display_name(words().at_value, str(record.estimate.at["space"]))
        unit = TextSpan(text=record.estimate.unit, pointer=f"{record.pointer}/unit")
        space = [" (", TextSpan(text=name, pointer=f"{record.pointer}/at/space"), "; ", unit, ")"]
    return spans(named(record), among, *space, *where, ", limit ", limit)


def named(record: Record) -> Text:
    """The metric, of the classes of a schema the largest: ``largest d_l2 by tone``."""
    name = phrases.index_name(record)
    if record.estimate.group != "max":
        return spans(name)
    by = f"by {(record.estimate.schema or '').replace('_', ' ')}"
    return spans(f"largest {name} ", TextSpan(text=by, pointer=f"{record.pointer}/group"))


def _numbers(source: Source, record: Record | None, finding: Finding, at: str) -> tuple[Text, Text, Text]:
    """Estimate, two-sided interval and the bound that decided, each printed on its side of the limit."""
    bound, level = finding.bound, finding.bound_level
    if bound is None or level is None or record is None or record.estimate.value is None:
        return (), (), ()
    bounds = record.bound(Target.POPULATION)
    known = bounds is not None and bounds.interval.low is not None
    interval = phrases.bounds(bounds, record.estimate, limit=finding.limit) if known else ()
    upper = (sense(source, finding) == "<=") != _claims(record, finding)
    return (
        phrases.value(record, limit=finding.limit),
        interval,
        spans(
            *_one_bound(source, finding, record, f"{at}/bound", bound, upper=upper),
            _adjusted(source, finding),
            *_not_established(source, finding, record, at),
        ),
    )


def _adjusted(source: Source, finding: Finding) -> str:
    """How the bound of a failure is adjusted, and the bracket; the last step of Holm leaves the level as it is."""
    if finding.verdict is not Verdict.FAIL or finding.p is None or not finding.family or finding.family == 1:
        return ")"
    before = sum(other.p is not None and other.p < finding.p for other in source.result.findings)
    return ", Holm's last step)" if before == finding.family - 1 else ", Holm)"


def _one_bound(
    source: Source, finding: Finding, record: Record, at: str, bound: float, *, upper: bool
) -> list[Part]:
    """``at most 3.28 (one-sided 95 %``: a bound and its level, the bracket open."""
    level = formatting.exact(round(finding.bound_level or 0.0, 4))
    return [
        f"{'at most' if upper else 'at least'} ",
        phrases.number(printed_bound(record, finding, bound), at),
        f" ({'two' if two_sided(source, finding) else 'one'}-sided ",
        phrases.number(level, f"{at.rpartition('/')[0]}/bound_level"),
    ]


def _not_established(source: Source, finding: Finding, record: Record, at: str) -> list[Part]:
    """What kept a finding from "fail": the Monte Carlo error of its bound, or a bound other than the interval's."""
    if record.bound(Target.POPULATION) is not None and is_blurred(source, finding):
        after = "after adjustment " if finding.is_broken_alone else ""
        return [f"; {after}within its Monte Carlo error of the limit"]
    if finding.near_bound is None or finding.p is None:
        return []
    upper = sense(source, finding) != "<="
    near = _one_bound(source, finding, record, f"{at}/near_bound", finding.near_bound, upper=upper)
    p = phrases.number(formatting.p_value(finding.p), f"{at}/p")
    largest = record.estimate.group == "max"  # the CI's lower bound is that of one class (FORMULAS 3)
    return ["; ", *near, ", p ", p, CHOSEN if largest else ", unadjusted", ")"]


def is_blurred(source: Source, finding: Finding) -> bool:
    """Whether nothing but the Monte Carlo error of its bound keeps a finding from a decision."""
    if finding.verdict is not Verdict.INCONCLUSIVE or finding.set_aside or finding.bound is None:
        return False
    if finding.is_broken_alone:
        return not finding.fails_unadjusted
    return finding.bound < finding.limit if sense(source, finding) == "<=" else finding.bound > finding.limit


def printed_bound(record: Record, finding: Finding, bound: float) -> str:
    """A bound in the style of its estimate, on its side of the limit."""
    kind, style = kind_of(record.estimate.metric), phrases.style(record.estimate)
    return kinds.printed(kind, bound, style=style, limit=finding.limit)


def confidence(record: Record) -> Text:
    """``95 % CI 1 % to 2 %``: the two-sided interval for the population; empty without one."""
    bound = record.bound(Target.POPULATION)
    if bound is None or bound.interval.low is None:
        return ()
    limit = record.limits[0] if record.limits else None
    return spans(phrases.level(bound), " CI ", phrases.bounds(bound, record.estimate, limit=limit))


def _claims(record: Record | None, finding: Finding) -> bool:
    """Whether the finding says that a limit is broken, and so carries the p values of that."""
    decided = finding.bound is not None and record is not None and record.estimate.value is not None
    return decided and finding.is_broken_alone


def _among(finding: Finding, at: str) -> list[Part]:
    """The p values of a failure: alone, and among all findings."""
    if finding.p is None or finding.p_adjusted is None or finding.family is None:
        return []
    return [
        "; fails unadjusted, not established after adjustment" if finding.fails_unadjusted else "",
        " (p ",
        phrases.number(formatting.p_value(finding.p), f"{at}/p"),
        ", unadjusted; ",
        phrases.number(formatting.p_value(finding.p_adjusted), f"{at}/p_adjusted"),
        ", adjusted over ",
        phrases.counted([phrases.whole(finding.family, f"{at}/family")], "finding"),
        ")",
    ]


def _limit(source: Source, finding: Finding, estimate: Estimate | None, at: str) -> Text:
    requirement = declared(source, finding)
    metric = str(requirement.get("metric", "")) if estimate is None else estimate.metric
    text = kinds.declared(kind_of(metric), finding.limit)
    side = SIDES[sense(source, finding), bool(requirement.get("strict"))]
    return spans(f"{side} ", phrases.number(text, f"{at}/limit"))


def sense(source: Source, finding: Finding) -> str:
    """Which side of the limit is required: ``<=`` or ``>=``."""
    return str(declared(source, finding).get("sense", "<="))


def two_sided(source: Source, finding: Finding) -> bool:
    """Whether the finding was decided on both bounds of a two-sided interval."""
    return declared(source, finding).get("sided") == Sided.TWO.value


def declared(source: Source, finding: Finding) -> Mapping[str, Json]:
    """The requirement as the spec has it."""
    requirements = rows_of(source.result.spec.get("requirements"))
    return next((asked for asked in requirements if asked.get("name") == finding.requirement), {})


def _strip(source: Source, finding: Finding, record: Record | None, reach: float) -> Strip | None:
    if record is None or record.estimate.value is None:
        return None
    value = record.estimate.value
    ends, interval = [value, *_bar(source, finding, reach)], [value, *_interval(record)]

    def place(end: float) -> float:
        return round(HALF + REACH * max(-1.0, min(1.0, (end - finding.limit) / reach)), 2)

    bad_from, bad_to = (0.0, HALF) if sense(source, finding) == ">=" else (HALF, 100.0)
    return Strip(
        dot=place(value),
        low=place(min(ends)),
        high=place(max(ends)),
        ci_low=place(min(interval)),
        ci_high=place(max(interval)),
        bad_from=bad_from,
        bad_to=bad_to,
    )


def _interval(record: Record) -> list[float]:
    """Both ends of the two-sided interval for the population."""
    bound = record.bound(Target.POPULATION)
    ends = () if bound is None else (bound.interval.low, bound.interval.high)
    return [end for end in ends if end is not None]


def _bar(source: Source, finding: Finding, reach: float) -> list[float]:
    """Where the bar ends: at the bound that decides; at both, where each kept the finding from a decision.

    A finding that fails unadjusted has a bound beyond the limit. After adjustment it lies on the other side, how far is
    not stored: the bar ends just there.
    """
    if finding.fails_unadjusted:
        step = ACROSS * reach
        return [finding.limit - step if sense(source, finding) == "<=" else finding.limit + step]
    return [bound for bound in (finding.near_bound, finding.bound) if bound is not None]
