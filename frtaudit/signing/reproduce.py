"""``frtaudit reproduce``: derive a result again and say whether it is the same, and in which sense.

Floats are compared within RTOL because a score is a double-precision dot product rounded to single
precision: another BLAS may move it by one unit in the last place, 1.2e-7 relative, and thresholds and bounds
move with it. ATOL covers differences that cancel near zero. Counts, names, notes and verdicts must be equal.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeGuard

from frtaudit.core.canonical import Json, escape, mapping, read_json, sha256
from frtaudit.core.machine.command_line import CheckParser
from frtaudit.core.machine.files import read_regular
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.plain.records import from_json
from frtaudit.core.result import AuditResult
from frtaudit.core.result_schema import with_present_keys
from frtaudit.core.rows import RowDigests, changed
from frtaudit.core.text.formatting import counted
from frtaudit.errors import DataError, FrtauditError, printable, why
from frtaudit.report.files import jobs_in
from frtaudit.signing.pdf.marks import is_no_pdf

RTOL = 1e-6
ATOL = 1e-9
SHOWN = 10
ACCEPTED = "a run folder, its signed PDF, or the folder of a sweep: each job"

Rederive = Callable[[Mapping[str, Json], Path, Sequence[str]], AuditResult]
"""Runs the audit again: (content of result.json, run folder or PDF, overrides like ``cohort.root=PATH``)."""


class ReproductionStatus(Enum):
    """What came out; the value is the exit code."""

    SAME = 0
    DIFFERS = 2
    WITHIN_TOLERANCE = 3
    COULD_NOT = 4


SEVERITY = tuple(ReproductionStatus[name] for name in ("SAME", "WITHIN_TOLERANCE", "COULD_NOT", "DIFFERS"))
"""From the mildest: of a sweep the worst of its jobs counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two results compared: JSON pointers where they differ, and the largest relative deviation elsewhere."""

    differences: tuple[str, ...]
    largest: float
    largest_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """What was checked, in lines, and what came out."""

    status: ReproductionStatus
    lines: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 same, 2 differs, 3 within tolerance only, 4 could not."""
        return self.status.value


def compare_results(first: Json, second: Json, rtol: float = RTOL) -> Comparison:
    """Compare two JSON values: floats within the tolerance, all else for equality.

    >>> compare_results({"a": [1, 0.5]}, {"a": [1, 0.5 + 1e-9]}).differences
    ()
    >>> compare_results({"a": [1, 0.5]}, {"a": [2, 0.5]}).differences
    ('/a/0',)
    """
    differences: list[str] = []
    largest, place = 0.0, None
    for pointer, leaf, other in _leaves(first, second, ""):
        deviation = 0.0 if type(leaf) is type(other) and leaf == other else math.inf
        if _is_float(leaf) and _is_float(other):
            deviation = abs(leaf - other) / max(abs(leaf), abs(other), ATOL / rtol)
        if deviation > rtol:
            differences.append(pointer)
        elif deviation > largest:
            largest, place = deviation, pointer
    return Comparison(differences=tuple(differences), largest=largest, largest_at=place)


def changed_inputs(recorded: Mapping[str, Json], actual: Mapping[str, Json]) -> tuple[str, ...]:
    """Names of the inputs that hold something else. Raises DataError where there are other inputs."""
    wrong = [f"{name} is missing" for name in sorted(set(recorded) - set(actual))]
    wrong += [f"{name} is new" for name in sorted(set(actual) - set(recorded))]
    if wrong:
        raise DataError("inputs", "; ".join(wrong), "the files of the run, under the names that they had")
    return tuple(name for name in sorted(recorded) if actual[name] != recorded[name])


def reproduce(run: Path, rederive: Rederive, overrides: Sequence[str] = ()) -> Reproduction:
    """Derive the result of a run folder (or of a signed PDF) again and compare."""
    try:
        recorded = _recorded(run)
        value = read_json(recorded)
        published = "publication" in AuditResult.from_json(value).cohort
    except (OSError, ValueError, KeyError, TypeError, FrtauditError) as error:
        reason = error.strerror if isinstance(error, OSError) else why(error)
        return _could_not(f"{run}: holds no result that can be read ({reason}); accepted: {ACCEPTED}")
    if published:
        return _could_not(
            f"{run}: a publishable variant, whose classes no data have; reproduce the run it was made of"
        )
    try:
        again = rederive(value, run, overrides)
        other = changed_inputs(_named(value, "inputs"), _named(again.to_json(), "inputs"))
    except FrtauditError as error:
        return _could_not(str(error))
    if other:
        return _other_inputs(other, mapping(with_present_keys(value)), json.loads(again.to_bytes()))
    return _judge(recorded, again.to_bytes())


def main(argv: Sequence[str], rederive: Rederive) -> int:
    """``frtaudit reproduce RUN [overrides]``; the exit code is the outcome's, 4 also for wrong usage."""
    parser = CheckParser(
        prog="frtaudit reproduce",
        description="Compute a result again and compare.",
        epilog="exit codes: 0 identical, 2 it differs, 3 equal within rounding only, 4 could not be computed, or usage",
    )
    parser.add_argument("run", metavar="RUN", help=ACCEPTED)
    settings = "overrides such as cohort.root=PATH"
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help=settings)
    options = parser.parse_args(argv)
    if not options.run:
        parser.error("an argument is empty")
    try:
        jobs = jobs_in(Path(options.run))
    except FrtauditError as error:
        sys.stdout.write(f"could not reproduce: {printable(str(error))}\n")
        return ReproductionStatus.COULD_NOT.value
    reproductions = []
    for run in [Path(options.run)] if jobs is None else jobs:
        reproductions.append(reproduce(run, rederive, options.overrides))
        before = "" if jobs is None else f"{run.name}: "
        for line in reproductions[-1].lines:
            sys.stdout.write(printable(before + line) + "\n")
    return max(reproductions, key=lambda reproduction: SEVERITY.index(reproduction.status)).exit_code


def _recorded(run: Path) -> bytes:
    if run.is_dir():
        return read_regular(run / RESULT)
    data = read_regular(run)
    if is_no_pdf(data):
        raise DataError(run.name, "is no PDF")
    from frtaudit.signing.pdf.signature import read_signed_pdf  # takes half a second to load

    return read_signed_pdf(data, (), run.name).attachments[RESULT]


def _named(value: Mapping[str, Json], part: str) -> dict[str, Json]:
    """A part of the digests, by file name."""
    digests = value["digests"]
    named = digests.get(part, {}) if isinstance(digests, Mapping) else {}
    return dict(named) if isinstance(named, Mapping) else {}


def _other_inputs(
    names: Sequence[str], first: Mapping[str, Json], second: Mapping[str, Json]
) -> Reproduction:
    """Which rows of which inputs were changed, and what that moves in the result."""
    before, after = _named(first, "rows"), _named(second, "rows")
    lines = ["checked: inputs, then numbers"]
    for name in names:
        old, new = before.get(name), after.get(name)
        text = "is another file than the one that the report was made from"
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            text = changed(from_json(RowDigests, old), from_json(RowDigests, new))
        lines.append(f"differs: {name}: {text}")
    apart: dict[str, Json] = {"digests": {}, "spec": {}, "versions": {}}
    comparison = compare_results({**first, **apart}, {**second, **apart})
    unmoved = ("no number of the result moves",)
    moved = _differing(comparison.differences) if comparison.differences else unmoved
    return Reproduction(status=ReproductionStatus.DIFFERS, lines=(*lines, *moved))


def _could_not(line: str) -> Reproduction:
    return Reproduction(status=ReproductionStatus.COULD_NOT, lines=(f"could not reproduce: {line}",))


def _judge(recorded: bytes, again: bytes) -> Reproduction:
    if recorded == again:
        same = f"same: {RESULT} is identical (sha256 {sha256(again)})"
        return Reproduction(status=ReproductionStatus.SAME, lines=("checked: bytes", same))
    first: Any = with_present_keys(json.loads(recorded))
    second = json.loads(again)
    before, after = first.pop("versions", {}), second.pop("versions", {})
    others = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    changes = [f"{name} {before.get(name, 'absent')} -> {after.get(name, 'absent')}" for name in others]
    versions = (f"versions: {', '.join(changes)}",) if changes else ()
    comparison = compare_results(first, second)
    checked = f"checked: bytes differ, so numbers to {RTOL:g} relative, counts, names and verdicts exactly"
    if comparison.differences:
        lines = (checked, *versions, *_differing(comparison.differences))
        return Reproduction(status=ReproductionStatus.DIFFERS, lines=lines)
    where = f" at {comparison.largest_at}" if comparison.largest_at else ""
    text = f"within tolerance: the largest deviation is {comparison.largest:.1e}{where}"
    return Reproduction(status=ReproductionStatus.WITHIN_TOLERANCE, lines=(checked, *versions, text))


def _differing(pointers: Sequence[str]) -> tuple[str, ...]:
    more = (f"  and {len(pointers) - SHOWN} more",) if len(pointers) > SHOWN else ()
    return (
        f"differs at {counted(len(pointers), 'place')}:",
        *(f"  {pointer}" for pointer in pointers[:SHOWN]),
        *more,
    )


def _leaves(first: Json, second: Json, pointer: str) -> Iterator[tuple[str, Json, Json]]:
    """Pairs of leaves with their JSON pointer (RFC 6901); a branch of another shape is one pair."""
    if isinstance(first, Mapping) and isinstance(second, Mapping) and set(first) == set(second):
        for key in sorted(first):
            yield from _leaves(first[key], second[key], f"{pointer}/{escape(key)}")
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for index, (child, other) in enumerate(zip(first, second, strict=True)):
            yield from _leaves(child, other, f"{pointer}/{index}")
    else:
        yield pointer, first, second


def _is_float(value: Json) -> TypeGuard[float]:
    return isinstance(value, float) and math.isfinite(value)
