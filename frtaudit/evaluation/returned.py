"""What analyses of other wheels return, held against the rules of a result before anything is made of it.

The rules are those of ``frtaudit verify``, and the names that an analysis may give. Those of frtaudit are not checked.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from numbers import Real
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any  # Any: what code of others returned

from frtaudit.core import Estimate, LedgerEntry
from frtaudit.core.canonical import to_bytes
from frtaudit.core.curves import Curve
from frtaudit.core.metrics import METRICS
from frtaudit.core.plain.records import to_json, written_as
from frtaudit.core.plain.structure import hints_of
from frtaudit.core.registry import names_of, of_other_wheel
from frtaudit.core.result_schema import result_schema
from frtaudit.errors import FrtauditError
from frtaudit.evaluation.system import AnalysisOutput

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

KINDS: Mapping[str, type] = {"estimates": Estimate, "curves": Curve, "failures": LedgerEntry, "notes": str}
NUMBERS = ("low", "high", "n_eff", "mc_error")  # of an interval


def check_returned(
    key: str, analysis: object, output: AnalysisOutput, systems: Collection[str] | None = None
) -> None:
    """Refuse what the analysis that a spec calls ``key`` may not return.

    ``systems``: those that it may name; None: any. Raises :class:`FrtauditError` that names the plug-in, the analysis,
    the estimate and the field.
    """
    kind = type(analysis)
    if not of_other_wheel(kind):
        return
    declared = [str(metric) for metric in getattr(analysis, "metrics", ())]
    check = _Check(f"plug-in {kind.__module__}", f"analysis {key!r}", {key, *names_of("analysis", kind)})
    check.kinds(output)
    check.schema(output)
    for estimate in output.estimates:
        check.numbers(estimate)
        check.names(estimate, declared, systems)
    for curve in output.curves:
        check.system(f"curve {curve.analysis!r}", curve.provider, systems)
    check.once(output.estimates)
    if output.per_system_state is not None and not hasattr(analysis, "across"):
        check.refuse("per_system_state", "is given to an analysis without a method across", "None")


@dataclass(frozen=True, slots=True)
class _Check:
    where: str
    analysis: str
    names_of_it: Collection[str]

    def refuse(self, place: str, problem: str, accepted: str) -> None:
        raise FrtauditError(self.where, f"{self.analysis} returned {place}: {problem}", accepted)

    def kinds(self, output: Any) -> None:  # noqa: ANN401  what code of others returned
        """Its parts are of the classes that they must be."""
        if not isinstance(output, AnalysisOutput):
            text = f"{self.analysis} returned a {type(output).__name__}"
            raise FrtauditError(self.where, text, "an AnalysisOutput")
        for part, kind in KINDS.items():
            entries = getattr(output, part)
            wrong = [] if isinstance(entries, tuple | list) else [entries]
            wrong += [entry for entry in entries if not isinstance(entry, kind)] if not wrong else []
            if wrong:
                self.refuse(part, f"a {type(wrong[0]).__name__}", f"a tuple of {kind.__name__}")
        files: Any = output.files
        if not isinstance(files, Mapping) or any(
            not isinstance(name, str) or not isinstance(data, bytes) for name, data in files.items()
        ):
            self.refuse("files", "not all are bytes under a name", "a mapping of str to bytes")
        for name in map(PurePosixPath, files):
            if name.is_absolute() or ".." in name.parts:
                self.refuse("files", f"{str(name)!r} leads out of the folder", "a name below lists/")

    def schema(self, output: AnalysisOutput) -> None:
        """They can be written, and what is written follows the schema of results."""
        written: dict[str, list[Any]] = {"notes": list(output.notes)}
        for part in ("estimates", "curves", "failures"):
            for entry in getattr(output, part):
                self._written(part, entry)
            written[part] = [to_json(entry) for entry in getattr(output, part)]
        error = next(_rules().iter_errors(written), None)
        if error is None:
            return
        part, index, *steps = error.absolute_path
        message = (error.context or [error])[0].message[:80]
        self.refuse(
            _named(getattr(output, str(part))[int(index)]), f"{_path(steps)} {message}", _help(str(part))
        )

    def _written(self, part: str, entry: Any) -> None:  # noqa: ANN401  what code of others returned
        kind: Any = type(entry)
        hints = hints_of(kind)
        for field in fields(entry):
            value = getattr(entry, field.name)
            try:
                if field.compare:
                    to_bytes(written_as(hints[field.name], value))
            except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
                text = f"{field.name}, a {type(value).__name__}, cannot be written ({error})"
                self.refuse(_named(entry), text, _help(part))

    def numbers(self, estimate: Estimate) -> None:
        """What a number must be is one: neither a text nor undefined."""
        for field, value in _numbers(estimate):
            if not isinstance(value, Real) or math.isnan(value):
                shown = "nan" if isinstance(value, Real) else repr(value)
                self.refuse(_named(estimate), f"{field} {shown}", "a number; None with a note: not estimated")

    def names(self, estimate: Estimate, declared: Collection[str], systems: Collection[str] | None) -> None:
        """An estimate has the name of the analysis, of a system that is audited, and of a metric of its own."""
        place = _named(estimate)
        if estimate.analysis not in self.names_of_it:
            self.refuse(place, f"analysis {estimate.analysis!r}", " or ".join(sorted(self.names_of_it)))
        if estimate.metric in METRICS:
            self.refuse(place, "the metric is one of frtaudit", "a name that is not in use")
        if estimate.metric not in declared:
            accepted = ", ".join(declared) or "metrics = {name: what it is} in the class"
            self.refuse(place, "a metric that the analysis does not declare", accepted)
        self.system(place, estimate.provider, systems)

    def system(self, place: str, named: str, systems: Collection[str] | None) -> None:
        """It is of a system that is audited."""
        if systems is not None and named not in systems:
            self.refuse(place, f"provider {named!r}", ", ".join(systems))

    def once(self, estimates: Collection[Estimate]) -> None:
        """Nothing is estimated twice."""
        seen: set[tuple[object, ...]] = set()
        for estimate in estimates:
            identity = (estimate.metric, *estimate.place)
            if identity in seen:
                self.refuse(_named(estimate), "it is estimated twice", "each once, or at another point")
            seen.add(identity)


@cache
def _rules() -> "Draft202012Validator":
    """The schema of results, as far as an analysis returns its parts."""
    from jsonschema import Draft202012Validator

    schema: Any = result_schema({"type": "object"})
    parts = {part: schema["properties"][part] for part in KINDS}
    return Draft202012Validator({"properties": parts, "$defs": schema["$defs"]})


def _numbers(estimate: Estimate) -> Iterator[tuple[str, Any]]:
    """Every number of an estimate that is given, with its place."""
    given = {"value": estimate.value}
    given |= {f"at.{key}": value for key, value in estimate.at.items() if not isinstance(value, str)}
    for index, interval in enumerate(estimate.intervals):
        given |= {f"intervals[{index}].{name}": getattr(interval, name) for name in NUMBERS}
    yield from ((place, value) for place, value in given.items() if value is not None)


def _named(entry: Any) -> str:  # noqa: ANN401  what code of others returned
    """An entry as an error names it."""
    if isinstance(entry, Estimate):
        return f"an estimate of {entry.metric!r}"
    if isinstance(entry, Curve):
        return f"a curve {entry.analysis!r}"
    return f"a failure {entry.code!r}" if isinstance(entry, LedgerEntry) else "a note"


def _path(steps: Collection[object]) -> str:
    """Where in an entry: a field, perhaps of one of its intervals."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")


def _help(part: str) -> str:
    return f"as help(frtaudit.plugin.{KINDS[part].__name__}) has it"
