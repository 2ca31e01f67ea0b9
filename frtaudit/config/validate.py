"""What makes a spec one that can be run: every check on values that needs no data, in one place."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from itertools import pairwise

from frtaudit.core.machine import limits
from frtaudit.core.methods import DECIDING, OF_THEIR_OWN, Method
from frtaudit.core.metrics import D_L2, INDICES, METRICS, RATES, SPACES, TO_REQUIRE
from frtaudit.core.plain.structure import closest
from frtaudit.core.provenance import Provenance
from frtaudit.core.spec import (
    AuditSpec,
    Bootstrap,
    FoldClaim,
    Folds,
    FoldSource,
    Grid,
    GridKind,
    IntervalSpec,
    Report,
    RequirementSpec,
    Thresholds,
    ThresholdSource,
    Weighting,
)
from frtaudit.core.spec_values import FOLDS, PROTOCOL, UNKNOWN
from frtaudit.core.text.kinds import Kind
from frtaudit.core.text.names import ASCII, LONGEST, is_name, is_title
from frtaudit.errors import SpecError
from frtaudit.evaluation.answerable import BY_RATE, ESTIMATED, POINT_KEYS, RATIO
from frtaudit.inputs.class_rules import as_read, check_schemas

# Rates whose intervals the spec lists; other metrics bring their own.
BY_ASKING = ("fmr", "fnmr", "fnmr_at_fmr")
SENSES = ("<=", ">=")
MINIMA = ("subjects", "comparisons", "transactions")
NUMBERS = ("fmr", "far", "threshold", "attempts")  # what a point may name as a number, and never as a text
ALL, EACH, MAX = "all", "each", "max"
NOT_STRATIFIED = "none"
FILE = ThresholdSource.FILE.value  # as of folds
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def check_spec(spec: AuditSpec) -> None:
    """Raise :class:`SpecError` for the first value of ``spec`` that cannot be run, whatever the data.

    Checked: names, alpha, B, FMR targets, thresholds, schemas, folds, requirements, targets of interval methods.
    """
    if not _NAME.fullmatch(spec.name) or len(spec.name) > LONGEST:
        raise SpecError("name", f"found {spec.name[:LONGEST]!r}", f"1 to {LONGEST} {ASCII}")
    _check_whole("seed", spec.seed, 0)
    _check_whole("threads", spec.threads, 0)
    _check_whole("tail_budget", spec.tail_budget, 1)
    _check_some("analyses", spec.analyses)
    for schema in spec.schemas:
        _check_words("schemas", schema)
    check_schemas(spec.schemas)
    as_read(spec.schemas, spec.sanitize)
    check_bootstrap(spec.bootstrap, spec.schemas)
    if not spec.requirements:  # else the data say how many findings B must be enough for
        check_resamples(spec.bootstrap)
    check_thresholds(spec.thresholds)
    check_intervals(spec.intervals)
    check_folds(spec.folds, spec.schemas)
    for name, test_set in spec.test_sets.items():
        _check_words("test_sets", name)
        if name in {FOLDS, PROTOCOL}:
            raise SpecError("test_sets", f"found {name!r}, which names the spec's own pairs", "another name")
        check_folds(test_set.folds, spec.schemas, f"test_sets.{name}.folds")
    if spec.providers is not None:
        _check_some("providers", spec.providers)
        _check_unique("providers", [str(getattr(provider, "name", provider)) for provider in spec.providers])
    check_requirements(spec)
    check_report(spec.report)
    check_provenance(spec.provenance)


def check_provenance(provenance: Provenance) -> None:
    """Raise :class:`SpecError` for a value that is too long for a line, or a digest that is none."""
    for place, _, origin in provenance.origins():
        where = f"provenance.{place.replace('/', '.')}"
        for name in ("name", "version", "licence", "creator", "source"):
            value = getattr(origin, name)
            if value is not None and not (0 < len(value) <= LONGEST and value.isprintable()):
                text = "empty, long, or not on one line"
                raise SpecError(f"{where}.{name}", text, f"text of 1 to {LONGEST} characters")
        if origin.digest is not None and not _SHA256.fullmatch(origin.digest):
            accepted = "a SHA-256: 64 hexadecimal digits, lower case"
            raise SpecError(f"{where}.digest", f"found {origin.digest[:20]!r}", accepted)


def enough_resamples(alpha: float) -> int:
    """The smallest B for which quantiles at alpha/2 and 1 - alpha/2 exist: 2/alpha - 1, alpha read as a decimal.

    >>> enough_resamples(0.05)
    39
    """
    return math.ceil(2 / Fraction(str(alpha)) - 1)


def check_bootstrap(bootstrap: Bootstrap, schemas: Iterable[str] = ()) -> None:
    """Refuse alpha outside (0, 1), one that no B is large enough for, and strata that no schema makes."""
    if not 0 < bootstrap.alpha < 1:
        accepted = "a number between 0 and 1, both excluded"
        raise SpecError("bootstrap.alpha", f"found {bootstrap.alpha:g}", accepted)
    enough = enough_resamples(bootstrap.alpha)
    if enough > limits.LARGEST["B"]:
        text = f"{bootstrap.alpha:g} needs B = {enough:.3g}, and {limits.LARGEST['B']} is the largest"
        raise SpecError("bootstrap.alpha", text, f"{2 / limits.LARGEST['B']:g} or more")
    known = [*schemas, NOT_STRATIFIED]
    if bootstrap.stratify is not None and bootstrap.stratify not in known:
        text = f"no schema is named {bootstrap.stratify!r}{closest(bootstrap.stratify, known)}"
        raise SpecError("bootstrap.stratify", text, ", ".join(known))


def check_resamples(
    bootstrap: Bootstrap, adjusting: int = 0, alpha: float | None = None, family: str = ""
) -> None:
    """Refuse a B too small for alpha, or for findings whose adjustment needs ``adjusting``.

    ``alpha``, ``family``: the error of these findings, and what the line says of them.
    """
    enough = enough_resamples(bootstrap.alpha)
    if max(enough, adjusting) > bootstrap.B:
        error, of_family = (bootstrap.alpha, "") if alpha is None or enough > adjusting else (alpha, family)
        text = f"B = {bootstrap.B} is too small for alpha = {error:g}{of_family}"
        raise SpecError("bootstrap.B", text, f"{max(enough, adjusting)} or more")


def check_thresholds(thresholds: Thresholds) -> None:
    """Refuse FMR targets outside (0, 1), an inconsistent grid, and a source that does not fit the rest."""
    for target in thresholds.fmr:
        if not 0 < target < 1:
            accepted = "FMR targets between 0 and 1, both excluded"
            raise SpecError("thresholds.fmr", f"found {target:g}", accepted)
    if thresholds.curve.per_decade < 1:
        text = f"found {thresholds.curve.per_decade}"
        raise SpecError("thresholds.curve.per_decade", text, "a number of targets from 1")
    _check_unique("thresholds.fmr", [f"{target!r}" for target in thresholds.fmr])
    check_grid(thresholds.grid)
    _check_file("thresholds", thresholds.source, thresholds.file)
    if thresholds.source is ThresholdSource.OTHER_COHORT and thresholds.grid.kind is not GridKind.EXPLICIT:
        text = f"{thresholds.grid.kind.value!r} with thresholds from another cohort"
        accepted = "explicit: thresholds from elsewhere are given by value"
        raise SpecError("thresholds.grid.kind", text, accepted)


def check_grid(grid: Grid) -> None:
    """Refuse a grid whose fields contradict its kind."""
    if any(not math.isfinite(value) for value in (*grid.values, grid.low or 0.0, grid.high or 0.0)):
        raise SpecError("thresholds.grid", "a value is not finite", "finite numbers")
    if grid.kind is GridKind.EXPLICIT:
        _check_some("thresholds.grid.values", grid.values)
        if any(low >= high for low, high in pairwise(grid.values)):
            text = "the values do not ascend"
            raise SpecError("thresholds.grid.values", text, "each value once, ascending")
        if grid.low is not None or grid.high is not None:
            raise SpecError("thresholds.grid", "low or high with explicit values", "values only")
    elif grid.values:
        raise SpecError("thresholds.grid.values", f"found with kind {grid.kind.value}", "kind: explicit")
    else:
        _check_span(grid)


def check_intervals(intervals: Iterable[IntervalSpec]) -> None:
    """Refuse a method that does not serve its target, naming those that do, and an interval asked for twice.

    Nor can a method be asked for that gives no interval of a rate: the analyses that need one make it by themselves.
    """
    wanted = list(intervals)
    for index, interval in enumerate(wanted):
        method, target = interval.method, interval.target
        serving = [other.value for other in Method if target in other.serves and other not in OF_THEIR_OWN]
        if target not in method.serves:
            text = f"method {method.value} does not serve target {target.value}"
            raise SpecError(f"intervals[{index}]", text, f"methods {', '.join(serving) or 'none'}")
        if method in OF_THEIR_OWN:
            text = f"method {method.value} is not for rates: the analyses that need it compute it by default"
            raise SpecError(f"intervals[{index}]", text, f"methods {', '.join(serving) or 'none'}")
    _check_unique("intervals", [f"{each.method.value} for {each.target.value}" for each in wanted])


def check_folds(folds: Folds, schemas: Iterable[str] = (), where: str = "folds") -> None:
    """Refuse fewer than two folds, a file without ``source: file`` or the reverse, and settings that nothing uses."""
    _check_whole(f"{where}.k", folds.k, 2)
    _check_file(where, folds.source, folds.file)
    given = folds.source in (FoldSource.OFFICIAL, FoldSource.FILE)
    if folds.claim is not FoldClaim.NONE and not given:
        raise SpecError(f"{where}.claim", f"a claim on {folds.source.value} folds", "official or file folds")
    if folds.per_subject is not None:
        _check_whole(f"{where}.per_subject", folds.per_subject, 1)
    if folds.stratify is not None:
        _check_choice(f"{where}.stratify", folds.stratify, list(schemas))
    if folds.overlap and folds.source is FoldSource.STRICT:
        text = "found with folds that share no subject"
        raise SpecError(f"{where}.overlap", text, "disjoint, official or file")


def _check_file(where: str, source: FoldSource | ThresholdSource, file: str | None) -> None:
    """Refuse ``source: file`` without a file, and a file with another source."""
    if source.value == FILE and file is None:
        accepted = f"the file that {where.rpartition('.')[2]}.source: file reads"
        raise SpecError(f"{where}.file", "no value", accepted)
    if source.value != FILE and file is not None:
        raise SpecError(f"{where}.source", f"found {source.value!r} together with a file", FILE)


def check_requirements(spec: AuditSpec) -> None:
    """Refuse a requirement on a metric, sense, weighting, schema or group that cannot be, or that nothing decides."""
    _check_unique("requirements", [requirement_spec.name for requirement_spec in spec.requirements])
    if spec.requirements and spec.bootstrap.alpha >= 0.5:
        text = f"{spec.bootstrap.alpha:g} with requirements, which are judged on one-sided bounds"
        raise SpecError("bootstrap.alpha", text, "less than 0.5")
    for index, requirement in enumerate(spec.requirements):
        _check_requirement(f"requirements[{index}]", requirement, spec)
    # One of the intervals that are listed decides about a rate that is required (FORMULAS 8.8).
    deciding = [method for method in DECIDING if method not in OF_THEIR_OWN]
    open_ = [requirement.name for requirement in spec.requirements if requirement.metric in BY_ASKING]
    if open_ and spec.intervals and not any(interval.method in deciding for interval in spec.intervals):
        text = f"none of them decides about requirement {open_[0]!r}"
        names = ", ".join(method.value for method in deciding)
        raise SpecError("intervals", text, f"one of {names}, which need subjects in the data")


def check_report(report: Report) -> None:
    """Refuse a date that is none."""
    if report.date is None:
        return
    try:
        known = bool(_DATE.fullmatch(report.date)) and bool(date.fromisoformat(report.date))
    except ValueError:
        known = False
    if not known:
        raise SpecError("report.date", f"found {report.date!r}", "a day as YYYY-MM-DD")


def known_metrics(spec: AuditSpec) -> tuple[str, ...]:
    """The metrics that can be named, those that a plug-in analysis declares as ``metrics`` included."""
    declared = (getattr(analysis, "metrics", ()) for analysis in spec.analyses.values())
    return tuple(sorted({*TO_REQUIRE, *(metric for metrics in declared for metric in metrics)}))


def _check_requirement(where: str, requirement: RequirementSpec, spec: AuditSpec) -> None:
    if not is_title(requirement.name):
        raise SpecError(f"{where}.name", f"found {requirement.name!r}", "a visible name on one line")
    _check_choice(f"{where}.metric", requirement.metric, known_metrics(spec))
    _check_choice(f"{where}.sense", requirement.sense, SENSES)
    if requirement.metric == D_L2 and "space" in requirement.at:
        _check_choice(f"{where}.at.space", str(requirement.at["space"]), SPACES)
    _check_point(f"{where}.at", requirement)
    if not math.isfinite(requirement.limit):
        raise SpecError(f"{where}.limit", f"found {requirement.limit}", "a finite number")
    if requirement.metric in RATES and not 0 <= requirement.limit <= 1:
        raise SpecError(f"{where}.limit", f"found {requirement.limit:g} of a rate", "a number from 0 to 1")
    if requirement.metric in (D_L2, *INDICES) and requirement.limit < 0:
        raise SpecError(f"{where}.limit", f"found {requirement.limit:g} of {requirement.metric}", "0 or more")
    _check_terms(where, requirement)
    if requirement.weighting is not None:
        known = [weighting.value for weighting in Weighting]
        _check_choice(f"{where}.weighting", requirement.weighting, known)
    if requirement.schema is not None:
        _check_choice(f"{where}.schema", requirement.schema, list(spec.schemas))
    if requirement.group not in (ALL, EACH, MAX):
        _check_group(f"{where}.group", requirement, spec)


def check_reach(spec: AuditSpec) -> None:
    """Refuse, in a new spec, a limit that every value of its metric keeps, or none: a percentage, or the other side."""
    for index, requirement in enumerate(spec.requirements):
        _check_reach(f"requirements[{index}].limit", requirement)


def _check_reach(where: str, requirement: RequirementSpec) -> None:
    metric, limit, upper = METRICS.get(requirement.metric), requirement.limit, requirement.sense == "<="
    if metric is None:
        return
    text, least, most = f"found {limit:g} of {metric.name}", metric.least, metric.most
    if least is not None and (limit < least or (limit == least and upper == requirement.strict)):
        raise SpecError(where, text, f"above {least:g}: no value is smaller")
    if most is not None and (limit > most or (limit == most and upper != requirement.strict)):
        percent = ", and 1 % is 0.01" if metric.kind is Kind.RATE else ""
        raise SpecError(where, text, f"below {most:g}: no value is larger{percent}")


def _check_point(where: str, requirement: RequirementSpec) -> None:
    """Refuse a key that no point has, a text, and a value beyond all scores, where it has a number."""
    known = requirement.metric in ESTIMATED  # else a plug-in's, with keys of its own
    for key in requirement.at if known else ():
        _check_choice(where, key, POINT_KEYS)
    for key in NUMBERS:
        value = requirement.at.get(key, 0.0)
        if isinstance(value, str) or not math.isfinite(value):
            raise SpecError(f"{where}.{key}", f"found {value!r}", "a finite number")
    target = requirement.at.get("fmr", 0.5)
    if known and isinstance(target, float) and not 0 < target < 1:
        raise SpecError(f"{where}.fmr", f"found {target:g}", "a number between 0 and 1, both excluded")


def _check_terms(where: str, requirement: RequirementSpec) -> None:
    """Refuse a rate, a level, a strict limit or a minimum that the metric and the sense do not allow."""
    _check_of(where, requirement)
    limit, level = requirement.limit, requirement.level
    if requirement.metric == RATIO and requirement.group == ALL:
        text = f"found {ALL!r}: the ratio of all subjects is 1"
        raise SpecError(f"{where}.group", text, f"{EACH}, or a class")
    if requirement.metric == RATIO and limit <= 0:
        raise SpecError(f"{where}.limit", f"found {limit:g} of a ratio", "a number above 0")
    end = 0 if requirement.sense == "<=" else 1
    if requirement.strict and limit == end and requirement.metric in RATES:
        raise SpecError(f"{where}.strict", f"no rate meets a strict limit of {limit:g}", "strict: false")
    if level is not None and not 0.5 < level < 1:
        raise SpecError(f"{where}.level", f"found {level:g}", "a number between 0.5 and 1, both excluded")
    for kind, least in requirement.minimum.items():
        _check_choice(f"{where}.minimum", kind, MINIMA)
        _check_whole(f"{where}.minimum.{kind}", least, 1)


def _check_of(where: str, requirement: RequirementSpec) -> None:
    """Refuse a rate of a metric that is of none or of both, a rate named twice, and a ratio without one."""
    ratio, rate = requirement.metric == RATIO, requirement.of
    if rate is None:
        if ratio and "rate" not in requirement.at:
            raise SpecError(f"{where}.of", "no value", ", ".join(BY_ASKING))
        return
    if not (ratio or requirement.metric in BY_RATE):
        accepted = ", ".join((RATIO, *BY_RATE))
        raise SpecError(f"{where}.of", f"found {rate!r} with metric {requirement.metric}", accepted)
    _check_choice(f"{where}.of", rate, BY_ASKING)
    if "rate" in requirement.at:
        raise SpecError(f"{where}.of", "found together with at.rate", "one of the two")
    if rate == "fnmr_at_fmr" and "fmr" not in requirement.at:
        raise SpecError(f"{where}.of", f"found {rate!r} without an FMR target", "at: {fmr: ...}, or of: fnmr")


def _check_group(where: str, requirement: RequirementSpec, spec: AuditSpec) -> None:
    """A group is a class of the named schema, or of any; schemas whose classes come from the data are left to it."""
    schemas = [spec.schemas[requirement.schema]] if requirement.schema else list(spec.schemas.values())
    if not schemas:
        text = f"found {requirement.group!r} in an audit without schemas"
        raise SpecError(where, text, f"{ALL}, or a schema=...")
    if any(not schema.classes for schema in schemas):
        return
    known = [*(name for schema in schemas for name in schema.classes), UNKNOWN]
    for name in requirement.group.split("|"):
        _check_choice(where, name, [ALL, EACH, MAX, *known])


def _check_span(grid: Grid) -> None:
    _check_whole("thresholds.grid.num", grid.num, 2)
    inside = {GridKind.QUANTILE: "[0, 1]", GridKind.FMR_DECADES: "(0, 1]"}.get(grid.kind)
    for name, value in (("low", grid.low), ("high", grid.high)):
        if value is None or inside is None:
            continue
        if not 0 <= value <= 1 or (value == 0 and grid.kind is GridKind.FMR_DECADES):
            raise SpecError(f"thresholds.grid.{name}", f"found {value:g}", f"a number in {inside}")
    if grid.low is not None and grid.high is not None and grid.low >= grid.high:
        text = f"low {grid.low:g} is not below high {grid.high:g}"
        raise SpecError("thresholds.grid", text, "low below high")


def _check_words(where: str, name: str) -> None:
    """A name that is printed and never a path: words of any script."""
    if not is_name(name):
        accepted = f"1 to {LONGEST} characters without &, |, control characters and outer spaces"
        raise SpecError(where, f"found {name[:LONGEST]!r}", accepted)


def _check_whole(where: str, value: int, least: int) -> None:
    if value < least:
        raise SpecError(where, f"found {value}", f"{least} or more")


def _check_some(where: str, values: Iterable[object]) -> None:
    if not list(values):
        raise SpecError(where, "names nothing", "one or more")


def _check_choice(where: str, value: str, accepted: Iterable[str]) -> None:
    known = list(accepted)
    if value not in known:
        text = f"found {value!r}{closest(value, known)}"
        raise SpecError(where, text, ", ".join(known) or "none is declared")


def _check_unique(where: str, shown: list[str]) -> None:
    if twice := [name for name, count in Counter(shown).items() if count > 1]:
        raise SpecError(where, f"{twice[0]} appears twice", "each once")
