"""A model card for each system, as JSON of Google's Model Card Toolkit (schema 0.0.2, as in its version 2.0.0)."""

from dataclasses import dataclass
from pathlib import Path

from frtaudit.core import Target
from frtaudit.core.canonical import Json, dumps, mapping, to_bytes
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.core.text.file_names import file_name
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.source import OF_SUBJECTS, Record, Source
from frtaudit.report.words import words

FOLDER = "model_card"
VERSION = "0.0.2"


@register("export", "model-card")
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """model_card/SYSTEM.json: rates with their intervals by group, the data, the limits; a file for each system.

    A slice is written schema=class; the interval is the one that the report prints first, and its target, method and
    level are in the metric's type, because the schema has no field for them.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write the folder ``model_card``."""
        out, source = OutputFolder(folder), Source(run.result)
        for provider in source.providers:
            out.write(f"{FOLDER}/{file_name(provider)}.json", to_bytes(_card(run, source, provider)))


def _card(run: FinishedRun, source: Source, provider: str) -> dict[str, Json]:
    spec = run.result.spec
    metrics: list[Json] = [
        _metric(record)
        for record in source.records
        if record.estimate.provider == provider and record.estimate.value is not None
    ]
    sentences = [
        f"{words().verdict[finding.verdict.value]}: {finding.sentence}"
        for finding in run.result.findings
        if (judged := run.estimate(finding)) is not None and judged.provider == provider
    ]
    overview = f"Audit {spec.get('name')} by frtaudit. {spec.get('question') or ''}".strip()
    details: dict[str, Json] = {
        "name": provider,
        "overview": overview,
        "documentation": f"Result sha256 {run.sha256}; every number is in result.json.",
    }
    return {
        "schema_version": VERSION,
        "model_details": details,
        "model_parameters": {
            "data": [_data(run)],
            "output_format": "comparison score; match if above the threshold",
        },
        "quantitative_analysis": {"performance_metrics": metrics},
        "considerations": {
            "use_cases": [{"description": "face verification (1:1)"}],
            "limitations": [{"description": text} for text in (*words().cannot_show, *run.result.notes)],
            "tradeoffs": [{"description": text} for text in sentences],
        },
    }


def _data(run: FinishedRun) -> dict[str, Json]:
    cohort = run.result.cohort
    schemas = mapping(cohort.get("schemas"))
    counts = f"{cohort.get('subjects')} subjects, {cohort.get('samples')} samples"
    named = counts if cohort.get("subjects") else "the data have no subject ids"
    data: dict[str, Json] = {
        "name": f"cohort sha256 {run.result.digests.get('cohort')}",
        "description": f"Evaluation data: {named}.",
    }
    return data | ({"sensitive": {"sensitive_data": list(schemas)}} if schemas else {})


def _metric(record: Record) -> dict[str, Json]:
    estimate = record.estimate
    best = record.bound(*OF_SUBJECTS, Target.SIMULATION)
    parts: list[str] = [estimate.metric]
    parts += [f"{key}={value}" for key, value in sorted(estimate.at.items())]
    parts += [f"weighting={estimate.weighting}"] if estimate.weighting else []
    metric: dict[str, Json] = {"value": _digits(estimate.value)}
    if best is not None and best.interval.low is not None:
        interval = best.interval
        low, high = _digits(interval.low), _digits(interval.high)
        metric["confidence_interval"] = {"lower_bound": low, "upper_bound": high}
        parts += [f"interval={interval.method.value}", f"for={interval.target.value}"]
        parts.append(f"level={dumps(interval.level)}")
    if estimate.schema is not None or estimate.group != "all":
        metric["slice"] = "=".join(part for part in (estimate.schema, estimate.group) if part)
    return {"type": " ".join(parts), **metric}


def _digits(value: float | None) -> str:
    """The shortest text that reads back as the number."""
    return repr(float("nan") if value is None else float(value))
