"""``frtaudit explain``: FMR and FNMR of a finished run at thresholds, or at the default thresholds of libraries."""

import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine.command_line import Parser
from frtaudit.core.text import formatting
from frtaudit.errors import DataError, SpecError, printable
from frtaudit.inputs.places import need_run
from frtaudit.inputs.thresholds.default_thresholds import Scale
from frtaudit.planning.values import Cell, Section, page
from frtaudit.report.files import refuse_sweep

if TYPE_CHECKING:
    from frtaudit.pipeline.explain import Explanation, Meaning, Rate

DOES = (
    "FMR and FNMR of a finished run at thresholds (default: those of libraries), with intervals and by group."
)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
OWN = "a default threshold is meant for its own model only"
CI = "CI for the population that the test subjects were sampled from"
EQUAL = {
    "identity": "weighting identity: every subject, or pair of subjects, counts the same",
    "pooled": "weighting pooled: every comparison counts the same",
}


def main(argv: Sequence[str]) -> int:
    """Print a table, or with ``--json`` canonical JSON; the exit code is 0.

    Raises :class:`DataError` where no threshold that was asked for has rates.
    """
    parser = Parser(prog="frtaudit explain", description=DOES)
    parser.add_argument("run", metavar="RUN", help="the folder of a finished run")
    above = "match if the score is above X; can be repeated"
    parser.add_argument("thresholds", nargs="*", metavar="threshold=X", help=above)
    scores = "scale of the scores of a score list, for default thresholds of libraries"
    parser.add_argument("--scores", choices=[scale.value for scale in Scale], help=scores)
    parser.add_argument("--json", action="store_true", help="print canonical JSON")
    options = parser.parse_intermixed_args(argv)
    scale = Scale(options.scores) if options.scores else None
    run, numbers = Path(options.run), [_number(word) for word in options.thresholds]
    refuse_sweep(run)
    need_run(run)  # before what audits is loaded
    from frtaudit.pipeline.explain import explain

    explanation = explain(run, numbers, scale)
    if options.thresholds and not explanation.meanings:
        raise DataError("threshold", "; ".join(explanation.untold))
    if options.json:
        text = to_bytes(
            {
                "level": explanation.level,
                "target": "population",
                "weighting": explanation.weighting.value,
                "thresholds": [asdict(meaning) for meaning in explanation.meanings],
                "untold": list(explanation.untold),
            }
        ).decode()
    else:
        text = "\n\n".join(map(page, _sections(explanation))) + "\n"
    sys.stdout.write(text)
    return 0


def _number(word: str) -> float:
    key, _, value = word.partition("=")
    number = float(value) if key == "threshold" and _NUMBER.fullmatch(value) else None
    if number is None:
        raise SpecError("command line", f"found {printable(word)!r}", "threshold=0.363")
    return number


def _sections(explanation: "Explanation") -> list[Section]:
    """A table for each system, one line for each threshold and group; then the thresholds without rates."""
    from frtaudit.pipeline.explain import ASKED

    sections = []
    for system in dict.fromkeys(meaning.system for meaning in explanation.meanings):
        meanings = [meaning for meaning in explanation.meanings if meaning.system == system]
        shipped = any(meaning.origin != ASKED for meaning in meanings)
        between = f"{100 * explanation.level:g} % CI"
        sections.append(
            Section(
                name="explain",
                title=f"{system}: match if the score is above the threshold",
                columns=("threshold", "origin", "group", "FMR", between, "FNMR", f"{between} "),
                rows=tuple(_row(meaning) for meaning in meanings),
                notes=(*((OWN,) if shipped else ()), EQUAL[explanation.weighting.value], CI),
            )
        )
    if explanation.untold:
        sections.append(Section(name="untold", title="Thresholds without rates", notes=explanation.untold))
    return sections


def _row(meaning: "Meaning") -> tuple[Cell, ...]:
    """A threshold that was asked for has all its digits: beside six of them stands another rate."""
    from frtaudit.pipeline.explain import ASKED

    group = meaning.group if meaning.schema is None else f"{meaning.schema}: {meaning.label}"
    whole = float(f"{meaning.threshold:.6g}") == meaning.threshold or meaning.origin != ASKED
    threshold = formatting.score(meaning.threshold) if whole else repr(meaning.threshold)
    return threshold, meaning.origin, group, *_cells(meaning.fmr), *_cells(meaning.fnmr)


def _cells(rate: "Rate") -> tuple[str, str]:
    if rate.value is None:
        return "-", rate.note or "-"
    if rate.low is None or rate.high is None:
        return _percent(rate.value), rate.note or "-"
    return _percent(rate.value), f"{_percent(rate.low)} to {_percent(rate.high)}"


def _percent(rate: float) -> str:
    """A rate in the unit of every rate of the table."""
    return formatting.rate(rate, style=formatting.Style.PERCENT)
