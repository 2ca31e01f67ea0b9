"""The result as the report reads it: every value with the JSON pointer that leads to it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from frtaudit.core import UNKNOWN, AuditResult, Curve, Estimate, Interval, Method, Target
from frtaudit.core.canonical import Json, entries, escape, mapping
from frtaudit.core.metrics import EVERY_SYSTEM
from frtaudit.core.result import Previous
from frtaudit.core.spec import Report
from frtaudit.core.text.formatting import count
from frtaudit.report.pieces import HUES, TextSpan

PRINTED_FIRST = (
    Method.WILSON,
    Method.VERTEX,
    Method.DOUBLE_OR_NOTHING,
    Method.WILSON_PLUGIN,
    Method.RECENTERED,
    Method.GAUSSIAN,
    Method.TWO_LEVEL,
    Method.T,
    Method.T_BOOTSTRAP,
    Method.NAIVE,
    Method.WILSON_IID,
    Method.LABELS,
    Method.TAIL_MODEL,
    Method.MONTE_CARLO,
)
OF_SUBJECTS = (Target.POPULATION, Target.FIXED_IDENTITIES, Target.COMPARISONS_IID)
TARGETS_FIRST = (*OF_SUBJECTS, Target.SIMULATION, Target.MODEL)
T = TypeVar("T")
K = TypeVar("K")
AtKey = tuple[tuple[str, "float | str"], ...]

ALL_SUBJECTS = "all subjects"
PEN_OF_ALL = len(HUES) - 1  # the grey one


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """An interval and where it stands; ``limits``: those that judge its estimate."""

    interval: Interval
    pointer: str
    limits: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One number of the result: an estimate, where it stands, and every interval any analysis gives for it.

    ``limits``: those of the findings that judge it, so that no rounding crosses a verdict wherever it is printed.
    """

    estimate: Estimate
    pointer: str
    bounds: tuple[Bounds, ...]
    limits: tuple[float, ...] = ()

    @property
    def at(self) -> AtKey:
        """The operating point as a sortable key."""
        return at_key(self.estimate.at)

    def bound(self, *targets: Target) -> Bounds | None:
        """The interval printed first for the first of ``targets`` that has one; with bounds before without."""
        for target in targets or TARGETS_FIRST:
            serving = [bound for bound in self.bounds if bound.interval.target is target]
            if serving:
                return min(serving, key=_rank)
        return None


def _rank(bounds: Bounds) -> tuple[bool, int]:
    method = bounds.interval.method
    place = PRINTED_FIRST.index(method) if method in PRINTED_FIRST else len(PRINTED_FIRST)
    return bounds.interval.low is None, place


def _band_rank(curve: Curve) -> tuple[int, int]:
    target = len(TARGETS_FIRST) if curve.target is None else TARGETS_FIRST.index(curve.target)
    method = PRINTED_FIRST.index(curve.method) if curve.method in PRINTED_FIRST else len(PRINTED_FIRST)
    return target, method


def at_key(at: Mapping[str, float | str]) -> AtKey:
    """A mapping ``at`` as a hashable key."""
    return tuple(sorted(at.items()))


@dataclass(frozen=True)
class Source:
    """The result with pointers; ``records``: its estimates, those that say the same thing merged.

    ``settings``: what the report says of itself; ``previous``: the last audit, where one was given; ``named``: the
    systems by whose places colours are chosen, where they are more than the result has; ``target``: the FMR target
    that headlines, where ``result`` is a part of the one that decides it; ``every_figure``: also those that a page
    leaves out; ``signed``: no draft.
    """

    result: AuditResult
    settings: Report = field(default_factory=Report)
    previous: Previous | None = None
    named: tuple[str, ...] = ()
    target: float | None = None
    every_figure: bool = False
    signed: bool = True
    records: tuple[Record, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", _merged(self.result))

    @cached_property
    def sha256(self) -> str:
        """The result's digest, which a big result takes seconds to compute."""
        return self.result.sha256

    @cached_property
    def providers(self) -> tuple[str, ...]:
        """Systems in the order in which the result names them."""
        if self.named:
            return self.named
        estimated = [estimate.provider for estimate in self.result.estimates]
        names = [*estimated, *(curve.provider for curve in self.result.curves)]
        return tuple(name for name in dict.fromkeys(names) if name != EVERY_SYSTEM)

    @cached_property
    def weighting(self) -> str:
        """The primary weighting that the spec declares."""
        return str(self.result.spec.get("weighting", "identity"))

    def analysis(self, name: str) -> Mapping[str, Json]:
        """The settings of an analysis, as the spec has them; empty where it was not asked for."""
        return mapping(mapping(self.result.spec.get("analyses")).get(name))

    @cached_property
    def trained_on(self) -> Mapping[str, str]:
        """System to the name of its training set, as the spec declares it."""
        return {name: str(of) for name, of in mapping(self.result.spec.get("trained_on")).items()}

    @cached_property
    def judged_schemas(self) -> list[str]:
        """Names of the schemas, those that a requirement judges first."""
        judged = filter(None, map(self.result.judged, self.result.findings))
        schemas = [estimate.schema for estimate in judged if estimate.schema is not None]
        return list(dict.fromkeys([*schemas, *self.schemas]))

    @cached_property
    def schemas(self) -> tuple[str, ...]:
        """Schemas in the spec's order, then others that the estimates name."""
        named = [estimate.schema for estimate in self.result.estimates if estimate.schema]
        return tuple(dict.fromkeys([*mapping(self.result.spec.get("schemas")), *named]))

    def select(
        self,
        *metrics: str,
        grouped: bool | None = None,
        schema: str | None = None,
        primary: bool = False,
    ) -> list[Record]:
        """Records of the metrics.

        ``grouped`` asks for those with or without a schema, ``schema`` for one schema, ``primary`` for the primary
        weighting and those that have none.
        """
        return [
            record
            for record in self.records
            if record.estimate.metric in metrics
            and grouped in (None, record.estimate.schema is not None)
            and schema in (None, record.estimate.schema)
            and (not primary or record.estimate.weighting in (self.weighting, None))
        ]

    def curves(self, *kinds: str, grouped: bool = False) -> list[Curve]:
        """Curves of the kinds in the primary weighting (or without one): of everybody, or of groups."""
        curves = [
            curve
            for curve in self.result.curves
            if curve.analysis in kinds and grouped == (curve.schema is not None or curve.group != "all")
        ]
        primary = [curve for curve in curves if curve.weighting in (self.weighting, None)]
        return primary or curves

    def banded(self, kind: str) -> list[Curve]:
        """Curves of everybody, one for each system: the one whose band stands first among methods and targets."""
        best: dict[str, Curve] = {}
        for curve in self.curves(kind):
            known = best.get(curve.provider)
            if known is None or _band_rank(curve) < _band_rank(known):
                best[curve.provider] = curve
        return [best[name] for name in self.providers if name in best]

    def place(self, curve: Curve) -> str:
        """The JSON pointer of one of the result's own curves; empty for one made of them."""
        return self._places.get(id(curve), "")

    @cached_property
    def _places(self) -> dict[int, str]:
        return {id(curve): f"/curves/{index}" for index, curve in enumerate(self.result.curves)}

    def people(self, schema: str, group: str) -> tuple[TextSpan, ...]:
        """How many subjects a class has, when the result says so."""
        row, pointer = self._counts_of(schema, group)
        return self.counted(row, pointer, "subjects")

    def with_two(self, schema: str, group: str) -> tuple[TextSpan, ...]:
        """How many subjects of a class have two samples or more, where not all have: others have no FNMR."""
        row, pointer = self._counts_of(schema, group)
        number, key = row.get("subjects"), "subjects_with_two_samples"
        return () if number is None or row.get(key, number) == number else self.counted(row, pointer, key)

    def _counts_of(self, schema: str, group: str) -> tuple[Mapping[str, Json], str]:
        """The counts of a class, or of all, and their pointer; no counts where the result has none."""
        if group == "all":
            return self.result.cohort, "/cohort"
        for index, row in enumerate(self.counts(schema)):
            if row.get("group") == group:
                return row, f"/cohort/schemas/{escape(schema)}/groups/{index}"
        return {}, ""

    @staticmethod
    def counted(row: Mapping[str, Json], pointer: str, key: str) -> tuple[TextSpan, ...]:
        """A count of the cohort, when the result has it; ``withheld`` where a publishable variant says null."""
        number = row.get(key)
        if key in row and number is None:
            return (TextSpan(text="withheld", pointer=f"{pointer}/{key}", kind="none"),)
        if not isinstance(number, (int, float)):
            return ()
        return (TextSpan(text=count(number), pointer=f"{pointer}/{key}", kind="n"),)

    def classes(self, schema: str, seen: Iterable[str] = ()) -> list[str]:
        """Classes of a schema in its order, then others that occur, ``unknown`` last."""
        known = dict.fromkeys([*(str(row.get("group")) for row in self.counts(schema)), *seen])
        return [*(name for name in known if name != UNKNOWN), *(name for name in known if name == UNKNOWN)]

    def pens(self, schema: str, seen: Iterable[str]) -> dict[str, int]:
        """The pen of each class that occurs, by its place in the schema: the same where only some are drawn.

        ``all`` has one pen in every schema, and no class has its hue.
        """
        seen = list(seen)
        known = [name for name in self.classes(schema, seen) if name not in ("all", UNKNOWN)]
        pens = {name: place + place // PEN_OF_ALL for place, name in enumerate([*known, UNKNOWN])}
        return {name: pen for name, pen in {**pens, "all": PEN_OF_ALL}.items() if name in seen}

    def label(self, schema: str | None, group: str) -> str:
        """What a class, or the pool of all subjects, is called in print."""
        if group == "all":
            return ALL_SUBJECTS
        if "|" in group:
            return " and ".join(self.label(schema, name) for name in group.split("|"))
        table = {str(row.get("group")): str(row.get("label")) for row in self.counts(schema or "")}
        names = {name: label.replace("&", " & ").replace("_", " ") for name, label in table.items()}
        shown = names.get(group, group.replace("&", " & ").replace("_", " "))
        return table[group] if list(names.values()).count(shown) > 1 and group in table else shown

    def counts(self, schema: str) -> list[Mapping[str, Json]]:
        """Rows of a schema's counts: group, label, subjects, samples."""
        return rows_of(mapping(mapping(self.result.cohort.get("schemas")).get(schema)).get("groups"))


def _merged(result: AuditResult) -> tuple[Record, ...]:
    estimates = result.estimates
    judged: dict[int, list[float]] = {}
    for finding in result.findings:
        if finding.index is not None:
            judged.setdefault(finding.index, []).append(finding.limit)
    places: dict[tuple[object, ...], list[int]] = {}
    for index, estimate in enumerate(estimates):
        places.setdefault((estimate.metric, *estimate.place), []).append(index)
    records = []
    for indices in places.values():
        limits = tuple(sorted({limit for index in indices for limit in judged.get(index, ())}))
        valued = [index for index in indices if estimates[index].value is not None] or indices
        first = next((index for index in valued if estimates[index].test is not None), valued[0])
        bounds: dict[tuple[Method, Target, float], Bounds] = {}
        for index in indices:
            for place, interval in enumerate(estimates[index].intervals):
                pointer = f"/estimates/{index}/intervals/{place}"
                key = (interval.method, interval.target, interval.level)
                bounds.setdefault(key, Bounds(interval=interval, pointer=pointer, limits=limits))
        estimate, pointer = estimates[first], f"/estimates/{first}"
        records.append(
            Record(estimate=estimate, pointer=pointer, bounds=tuple(bounds.values()), limits=limits)
        )
    return tuple(records)


def by_place(records: Iterable[Record]) -> dict[tuple[object, ...], dict[str, Record]]:
    """The records of each place, by metric."""
    places: dict[tuple[object, ...], dict[str, Record]] = {}
    for record in records:
        places.setdefault(record.estimate.place, {})[record.estimate.metric] = record
    return places


def grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Rows by what they have in common, in the order of the first of each."""
    groups: dict[K, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def rows_of(value: Json) -> list[Mapping[str, Json]]:
    """A list of the result's, as mappings."""
    return [mapping(row) for row in entries(value)]
