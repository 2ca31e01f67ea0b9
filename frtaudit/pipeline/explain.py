"""FMR and FNMR of a finished run at any thresholds, with intervals, for all subjects and for each group.

The run's scores are read from its tables, and rates and intervals come from the audit of these scores at the thresholds
(FORMULAS 8.1): nothing is estimated here.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from frtaudit.config.plugins import load_plugins
from frtaudit.core.canonical import Json, mapping
from frtaudit.core.estimates import Estimate
from frtaudit.core.identity import from_plain
from frtaudit.core.methods import Target
from frtaudit.core.spec import Weighting
from frtaudit.errors import SpecError
from frtaudit.inputs.run_tables import RunTables, floor_of, labels_of, range_of, read_run_tables
from frtaudit.inputs.thresholds.default_thresholds import Scale, default_thresholds
from frtaudit.pipeline.audit import audit

ASKED = "asked"
SCALES = ", ".join(scale.value for scale in Scale)
WILSON: Json = {"method": "wilson", "target": Target.POPULATION.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A rate with its interval for the population: errors of trials; None if it cannot be estimated."""

    value: float | None
    low: float | None
    high: float | None
    errors: int | None
    trials: int | None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """The rates of one system and group, which reports call ``label``; ``origin``: the library, or ``asked``."""

    system: str
    origin: str
    threshold: float
    schema: str | None
    group: str
    label: str
    fmr: Rate
    fnmr: Rate
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All rates, each threshold without rates with its reason, the level of the intervals, how rates are weighted."""

    meanings: tuple[Meaning, ...]
    untold: tuple[str, ...]
    level: float
    weighting: Weighting


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A threshold on a system's own scale; ``key`` names it in the audit."""

    key: str
    origin: str
    threshold: float
    source: str | None


def explain(path: Path, asked: Sequence[float] = (), scale: Scale | None = None) -> Explanation:
    """The rates of a run at ``asked`` thresholds; without any, at the defaults of libraries.

    ``scale``: of the scores of a run on score lists; that of templates is known. Raises
    :class:`~frtaudit.errors.FrtauditError`.
    """
    load_plugins()
    run = read_run_tables(path)
    wanted: dict[str, list[_Wanted]] = {}
    untold: list[str] = []
    chosen = [
        _Wanted(key=f"{place:03d}", origin=ASKED, threshold=value, source=None)
        for place, value in enumerate(dict.fromkeys(asked))
    ]
    for system in run.systems:
        candidates = chosen or list(_shipped(run, system, scale, untold))
        wanted[system] = [cut for cut in candidates if _is_kept(run, system, cut, untold)]
    usable = {system: ones for system, ones in wanted.items() if ones}
    estimates = _estimates(run, path, usable) if usable else ()
    level = 1 - float(str(mapping(run.spec.get("bootstrap")).get("alpha", 0.05)))
    labels = labels_of(run)
    meanings: list[Meaning] = []
    for system, cuts in usable.items():
        rows = [row for row in estimates if row.provider == system and row.metric in ("fmr", "fnmr")]
        rates = {(row.at["name"], row.schema, row.group, row.metric): _rate(row) for row in rows}
        places = product(cuts, dict.fromkeys((row.schema, row.group) for row in rows))
        meanings += [
            Meaning(
                system=system,
                origin=cut.origin,
                threshold=cut.threshold,
                schema=schema,
                group=group,
                label=labels.get(schema or "", {}).get(group, group),
                fmr=rates[cut.key, schema, group, "fmr"],
                fnmr=rates[cut.key, schema, group, "fnmr"],
                source=cut.source,
            )
            for cut, (schema, group) in places
        ]
    weighting = Weighting(run.spec.get("weighting", Weighting.IDENTITY.value))
    return Explanation(
        meanings=tuple(meanings), untold=tuple(dict.fromkeys(untold)), level=level, weighting=weighting
    )


def _shipped(run: RunTables, system: str, scale: Scale | None, untold: list[str]) -> Iterator[_Wanted]:
    known = scale_of(run, system) or scale
    if known is None:
        raise SpecError(
            "--scores", f"the scale of the scores of {system} is not known", f"{SCALES}; or threshold=X"
        )
    for place, default in enumerate(default_thresholds()):
        value = default.on(known)
        if value is None:
            metric, scores = (text.replace("_", " ") for text in (default.metric, known.value))
            reason = f"{metric} cannot be converted to {scores}: the lengths of the templates are not known"
            untold.append(f"{default.name}: {reason}")
        else:
            yield _Wanted(key=f"{place:03d}", origin=default.name, threshold=value, source=default.source)


def scale_of(run: RunTables, system: str) -> Scale | None:
    """The scale of a system's scores: the cosine or that of its provider for templates; not known for lists."""
    providers = run.spec.get("providers")
    for provider in providers if isinstance(providers, list) else ():
        if isinstance(provider, Mapping) and provider.get("name") == system:
            metric = provider.get("metric")
            return {"cosine": Scale.COSINE, "euclidean": Scale.MINUS_SQUARED_DISTANCE}.get(str(metric))
    return Scale.COSINE if mapping(run.spec.get("cohort")).get("type") in ("templates", "synthetic") else None


def _is_kept(run: RunTables, system: str, cut: _Wanted, untold: list[str]) -> bool:
    low, high = range_of(run, system)
    floor = floor_of(run, system)
    if not low <= cut.threshold <= high:
        untold.append(
            f"{cut.origin} ({cut.threshold:.15g}): outside the scores of {system}, {low:g} to {high:g}"
        )
    elif cut.threshold < floor:
        untold.append(
            f"{cut.origin} ({cut.threshold:.15g}): the run of {system} kept non-mated scores from {floor:g}; run the "
            f"audit again with 'thresholds.grid={{kind: explicit, values: [{cut.threshold:.15g}]}}'"
        )
    return floor <= cut.threshold <= high and low <= cut.threshold


def _estimates(run: RunTables, path: Path, wanted: Mapping[str, Sequence[_Wanted]]) -> tuple[Estimate, ...]:
    """The rates of the run's scores at the thresholds, by an audit of them without replicates."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "thresholds.json"
        values = {name: {cut.key: cut.threshold for cut in cuts} for name, cuts in wanted.items()}
        file.write_text(json.dumps(values))
        declared = mapping(run.spec.get("bootstrap"))
        bootstrap = {key: declared[key] for key in ("B", "alpha") if key in declared}
        spec = from_plain(
            {
                "name": "explain",
                "cohort": {"type": "runs", "runs": [str(path)]},
                "protocol": {"type": "finished"},
                "providers": list(wanted),
                "analyses": {"error_rates": {"curve_points": 2}},
                "seed": run.spec.get("seed", 0),
                "weighting": run.spec.get("weighting", "identity"),
                "failures": run.spec.get("failures", "apart"),
                "thresholds": {"fmr": [], "source": "file", "file": str(file), "grid": {"kind": "explicit"}},
                "bootstrap": {**bootstrap, "plans": []},
                "intervals": [WILSON],
            }
        )
        estimates = audit(spec).result.estimates
    weighting = spec.weighting.value
    return tuple(
        estimate for estimate in estimates if "name" in estimate.at and estimate.weighting == weighting
    )


def _rate(estimate: Estimate) -> Rate:
    interval = estimate.intervals[0] if estimate.intervals else None
    return Rate(
        value=estimate.value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        errors=estimate.numerator,
        trials=estimate.denominator,
        note=estimate.note or (interval.note if interval else None),
    )
