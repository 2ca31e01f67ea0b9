"""A Hugging Face model card for each system: metadata with ``model-index``, and the findings as sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from frtaudit.core.canonical import Json, mapping
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.core.text.file_names import file_name
from frtaudit.errors import printable
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.source import OF_SUBJECTS, Record, Source
from frtaudit.report.words import words

FOLDER = "model_index"
METRICS = ("fnmr_at_fmr", "fmr", "fnmr", "eer", "accuracy")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|0[xo][0-9a-fA-F]+")  # of YAML 1.2


class _Dumper(yaml.SafeDumper):
    """Quotes a name that YAML 1.2 reads as a number, as 1.1 does not: ``1e5``."""

    def text(self, text: str) -> yaml.ScalarNode:
        """A text, in quotes where it looks like a number."""
        return self.represent_scalar("tag:yaml.org,2002:str", text, "'" if _NUMBER.fullmatch(text) else None)


_Dumper.add_representer(str, _Dumper.text)


@register("export", "model-index")
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIndex:
    """model_index/SYSTEM.md: a model card with the rates as evaluation results, by group, for the Hugging Face Hub.

    The interval that the report prints first, its level, target and method are in a metric's args. Nothing is
    marked as verified: that is for the Hub to say.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write the folder ``model_index``."""
        out, source = OutputFolder(folder), Source(run.result)
        for system in source.providers:
            head = yaml.dump(
                _metadata(run, source, system), Dumper=_Dumper, sort_keys=False, allow_unicode=True
            )
            body = "\n".join(_lines(run, system))
            out.write(f"{FOLDER}/{file_name(system)}.md", f"---\n{head}---\n\n{body}\n".encode())


def _metadata(run: FinishedRun, source: Source, system: str) -> dict[str, Json]:
    provenance = mapping(run.result.spec.get("provenance"))
    origin = mapping(mapping(provenance.get("systems")).get(system))
    licence = mapping(origin.get("weights")).get("licence") or mapping(origin.get("model")).get("licence")
    named = mapping(provenance.get("test_data")).get("name")
    records = source.select(*METRICS, primary=True)
    metrics = [_metric(record) for record in records if record.estimate.provider == system]
    result: dict[str, Json] = {
        "task": {"type": "face-verification", "name": "Face verification (1:1)"},
        "dataset": {
            "type": "private",
            "name": str(named or f"cohort sha256 {run.result.digests.get('cohort')}"),
        },
        "metrics": [metric for metric in metrics if metric["value"] is not None],
    }
    declared: dict[str, Json] = {"license": "other", "license_name": licence} if licence else {}
    return {**declared, "model-index": [{"name": system, "results": [result] if result["metrics"] else []}]}


def _metric(record: Record) -> dict[str, Json]:
    estimate = record.estimate
    args: dict[str, Json] = dict(sorted(estimate.at.items()))
    args |= {"group": estimate.group if estimate.schema is None else f"{estimate.schema}={estimate.group}"}
    args |= {"weighting": estimate.weighting} if estimate.weighting else {}
    bound = record.bound(*OF_SUBJECTS)
    if bound is not None and bound.interval.low is not None:
        interval = bound.interval
        args |= {"low": interval.low, "high": interval.high, "level": interval.level}
        args |= {"interval_for": interval.target.value, "method": interval.method.value}
    at = [f"{key} {value}" for key, value in sorted(estimate.at.items())]
    name = ", ".join([estimate.metric, *at, str(args["group"])])
    return {"type": estimate.metric, "value": estimate.value, "name": name, "args": args}


def _lines(run: FinishedRun, system: str) -> Iterator[str]:
    """Plain lines: the name and the sentences are indented, so that no mark in them is read as Markdown."""
    yield "# Face verification audit"
    yield ""
    yield f"    {printable(system)}: audited by frtaudit, result sha256 {run.sha256}"
    for finding in run.result.findings:
        judged = run.estimate(finding)
        if judged is not None and judged.provider == system:
            yield f"    {words().verdict[finding.verdict.value]}: {printable(finding.sentence)}"
