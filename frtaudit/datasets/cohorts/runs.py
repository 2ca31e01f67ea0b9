"""Finished runs as a cohort: who they tested, and every system that they put on trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from frtaudit.core.canonical import sha256
from frtaudit.core.cohort import Cohort, CohortData, StoredSystem
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.registry import register
from frtaudit.core.scores import ScoreTable
from frtaudit.core.spec import PATH, SchemaSpec
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs import nameless, run_tables
from frtaudit.inputs.run_tables import RunTables

SAME = ("failures", "sanitize")  # what the specs of runs must agree on, beside people and comparisons


@register("cohort", "runs")
@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """``runs``: folders of finished runs on the same people and comparisons; ``names``: what their systems are called.

    A name stands for the system of a run that has one, or before a colon and the system's own name. Without names the
    systems keep their own, which then must differ.
    """

    runs: tuple[str, ...] = field(metadata=PATH)
    names: tuple[str, ...] = ()

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> CohortData:  # noqa: ARG002  sources share a signature
        """Read all runs. Raises :class:`DataError` naming the run and what it does not share with the first."""
        if not self.runs:
            raise SpecError("cohort.runs", "no run", "folders of finished runs")
        if self.names and len(self.names) != len(self.runs):
            raise SpecError(
                "cohort.names", f"{len(self.names)} for {len(self.runs)} runs", "one for each run, or none"
            )
        read = [run_tables.read_run_tables(Path(path)) for path in self.runs]
        _refuse_nameless(read)
        cohort = run_tables.cohort_of(read[0])
        compared = run_tables.comparisons_of(read[0], cohort)
        for other in read[1:]:
            _agree(read[0], other, cohort, compared)
        systems: dict[str, StoredSystem] = {}
        failures: dict[str, dict[int, str]] = {}
        tables: dict[str, tuple[Comparisons, ScoreTable]] = {}
        for name, run, system in self._systems(read):
            systems[name] = _stored_system(run, system, cohort, compared)
            failures[name] = run_tables.failures_of(run, system)
            table = systems[name].table
            if table is not None and run_tables.fails_by_comparison(run, system):
                tables[name] = (compared, table)
        return CohortData(
            cohort=cohort,
            failures=failures,
            tables=tables,
            inputs=_inputs(read),
            pseudonym_key=sha256(cohort.digest.encode()).encode(),
            stored_systems=systems,
            compared=compared,
            folded=run_tables.folded_of(read, cohort),
        )

    def _systems(self, read: Sequence[RunTables]) -> list[tuple[str, RunTables, str]]:
        """What each system is called, its run, and its own name."""
        found: list[tuple[str, RunTables, str]] = []
        for place, run in enumerate(read):
            given = self.names[place] if self.names else ""
            for system in run.systems:
                called = system if not given else given if len(run.systems) == 1 else f"{given}:{system}"
                found.append((called, run, system))
        names = [name for name, _, _ in found]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise SpecError("cohort.names", f"{twice!r} stands in two runs", "a name for each run: NAME=RUN")
        return found


def _stored_system(run: RunTables, system: str, cohort: Cohort, compared: Comparisons) -> StoredSystem:
    try:
        return run_tables.finished_of(run, system, cohort, compared)
    except (ValueError, KeyError) as error:  # a broken invariant, a column that is not there
        text = f"its tables do not fit together ({type(error).__name__}: {error})"
        raise DataError(run.folder, text, "an unchanged run") from None


def _refuse_nameless(read: Sequence[RunTables]) -> None:
    """A comparison draws people: scores of nobody in particular have none."""
    for run in read:
        notes = run.result.get("notes")
        if isinstance(notes, list) and nameless.SAID in notes:
            raise DataError(
                run.folder, "its files name no subjects", "runs on people: a comparison draws them"
            )


def _agree(first: RunTables, other: RunTables, cohort: Cohort, compared: Comparisons) -> None:
    """The same people, classes, comparisons, and ways of making scores of failures."""
    again = run_tables.cohort_of(other)
    said = "the same people, so that differences are of the systems"
    if again.digest != cohort.digest or again.sample_ids != cohort.sample_ids:
        raise DataError(other.folder, f"its cohort is not that of {first.folder}", said)
    made = run_tables.comparisons_of(other, again)
    same = made.all_pairs == compared.all_pairs and np.array_equal(made.cells, compared.cells)
    if (
        not same
        or not np.array_equal(made.probe, compared.probe)
        or not np.array_equal(made.reference, compared.reference)
    ):
        raise DataError(other.folder, f"its comparisons are not those of {first.folder}", "the same protocol")
    for key in SAME:
        if first.spec.get(key) != other.spec.get(key):
            raise DataError(
                other.folder, f"its spec has another {key} than {first.folder}", "the same in all runs"
            )


def _inputs(read: Sequence[RunTables]) -> dict[str, str]:
    """Digest of every file, under the run's place and folder: no path, and no two alike."""
    return {
        f"{n}/{run.folder}/{name}": value
        for n, run in enumerate(read, 1)
        for name, value in run.digests.items()
    }
