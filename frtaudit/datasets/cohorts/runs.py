"""Finished runs as a cohort: who they tested, and every system that they audited."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.canonical import sha256
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import PATH
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.places import need_run

if TYPE_CHECKING:
    from frtaudit.core.cohort import Cohort, CohortData, StoredSystem
    from frtaudit.core.comparisons import Comparisons
    from frtaudit.core.scores import ScoreTable
    from frtaudit.inputs.run_tables import RunTables

SAME = ("failures", "sanitize")  # what the specs of runs must agree on, beside people and comparisons


@register("cohort", "runs")
@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """``runs``: folders of finished runs; ``names``: what their systems are called.

    Runs that do not have the same people and comparisons are read on those that all share.

    A name stands for the system of a run that has one, or before a colon and the system's own name. Without a name, or
    with an empty one, the systems keep their own. All must differ.
    """

    runs: tuple[str, ...] = field(metadata=PATH)
    names: tuple[str, ...] = ()

    def check_files(self) -> None:
        """Raise :class:`DataError` for a folder that is no finished run, before anything is read."""
        if not self.runs:
            raise SpecError("cohort.runs", "no run", "folders of finished runs")
        if self.names and len(self.names) != len(self.runs):
            problem = f"{len(self.names)} for {len(self.runs)} runs"
            raise SpecError("cohort.names", problem, "one for each run, or none")
        for path in self.runs:
            need_run(Path(path))

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":  # noqa: ARG002  sources share a signature
        """Read all runs. Raises :class:`DataError` naming the run that shares too little with the first."""
        try:
            return self._read()
        except (
            ValueError,
            KeyError,
            TypeError,
            IndexError,
        ) as error:  # a broken invariant, a column not there
            problem = f"tables that do not fit together ({type(error).__name__}: {error})"
            raise DataError("cohort.runs", problem, "unchanged runs") from None

    def _read(self) -> "CohortData":
        from frtaudit.inputs import run_tables

        self.check_files()
        read = [run_tables.read_run_tables(Path(path)) for path in self.runs]
        _refuse_unlike(read)
        inputs = {  # under the run's place and folder: no path, and no two alike
            f"{n}/{run.folder}/{name}": value
            for n, run in enumerate(read, 1)
            for name, value in run.digests.items()
        }
        cohort = run_tables.cohort_of(read[0])
        compared = run_tables.comparisons_of(read[0], cohort)
        if all(_is_on(run, cohort, compared) for run in read[1:]):
            return self._loaded(read, cohort, compared, inputs)
        return self._on_shared(read, inputs)

    def _on_shared(self, read: "Sequence[RunTables]", inputs: Mapping[str, str]) -> "CohortData":
        """The runs on the people and comparisons that all share; notes and ledger say how much of each that is."""
        from frtaudit.inputs import run_tables, shared_runs

        known = _under_one_naming(read)
        runs = shared_runs.on_shared_samples(known)
        cohort = shared_runs.shared_cohort(runs)
        shared = shared_runs.shared_comparisons(runs, cohort)
        classes = list(cohort.classifications)
        stratified = [  # replicates stay where subjects are drawn in the strata in which the run drew them
            run
            if list(run_tables.cohort_of(run).classifications) == classes
            else shared_runs.without_replicates(run)
            for run in runs
        ]
        cohort_data = self._loaded(stratified, cohort, shared.comparisons, inputs)
        count = shared.comparisons.n_listed or shared.made[0]
        lines = zip(known, runs, shared.made, strict=True)
        notes = [_share(before, after, count, total) for before, after, total in lines]
        cut = [] if shared.comparisons.all_pairs else [run for run in runs if run_tables.all_pairs_of(run)]
        return replace(cohort_data, notes=(*notes, *(note for run in cut for note in _cut(run))))

    def _loaded(
        self,
        read: "Sequence[RunTables]",
        cohort: "Cohort",
        compared: "Comparisons",
        inputs: Mapping[str, str],
    ) -> "CohortData":
        """Every system of the runs, all on ``cohort``, with its scores of ``compared``."""
        from frtaudit.core.cohort import CohortData
        from frtaudit.inputs import run_tables

        read = [_with_replicates_to_find(run) for run in read]
        mixed = len({run_tables.all_pairs_of(run) for run in read}) > 1
        systems: dict[str, StoredSystem] = {}
        failures: dict[str, dict[int, str]] = {}
        tables: dict[str, tuple[Comparisons, ScoreTable]] = {}
        for name, run, system in self._systems(read):
            systems[name] = _stored_system(run, system, cohort, compared)
            failures[name] = run_tables.failures_of(run, system)
            table = systems[name].table
            if table is not None and (mixed or run_tables.fails_by_comparison(run, system)):
                tables[name] = (compared, table)
        return CohortData(
            cohort=cohort,
            failures=failures,
            tables=tables,
            inputs=inputs,
            pseudonym_key=sha256(cohort.digest.encode()).encode(),
            stored_systems=systems,
            compared=compared,
            folded=run_tables.folded_of(read, cohort),
        )

    def _systems(self, read: "Sequence[RunTables]") -> "list[tuple[str, RunTables, str]]":
        """What each system is called, its run, and its own name."""
        systems: list[tuple[str, RunTables, str]] = []
        for place, run in enumerate(read):
            given = self.names[place] if self.names else ""
            for system in run.systems:
                called = system if not given else given if len(run.systems) == 1 else f"{given}:{system}"
                systems.append((called, run, system))
        names = [name for name, _, _ in systems]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            accepted = "a name for each run: NAME=RUN NAME=RUN; in Python {'NAME': RUN, 'NAME': RUN}"
            raise SpecError("cohort.names", f"{twice!r} is in two runs", accepted)
        return systems


def _with_replicates_to_find(run: "RunTables") -> "RunTables":
    """The run; without its replicates where its subjects stand in another order than they were drawn in."""
    from frtaudit.inputs import run_tables, shared_runs

    return run if run_tables.is_in_drawing_order(run) else shared_runs.without_replicates(run)


def _stored_system(
    run: "RunTables", system: str, cohort: "Cohort", compared: "Comparisons"
) -> "StoredSystem":
    from frtaudit.inputs import run_tables, shared_runs

    try:
        comparisons = run_tables.comparisons_of(run, cohort)
        stored = run_tables.finished_of(run, system, cohort, comparisons)
        if _same(comparisons, compared):
            return stored
        failed, floor = run_tables.failures_of(run, system), run_tables.floor_of(run, system)
        return shared_runs.on_comparisons(stored, comparisons, compared, failed, floor)
    except (ValueError, KeyError) as error:  # a broken invariant, a column that is not there
        text = f"its tables do not fit together ({type(error).__name__}: {error})"
        raise DataError(run.folder, text, "an unchanged run") from None


def _refuse_unlike(read: "Sequence[RunTables]") -> None:
    """Scores of nobody in particular; other ways of making scores of failures, and of leaving samples out."""
    from frtaudit.inputs.score_lists import nameless

    for run in read:
        notes = run.result.get("notes")
        if isinstance(notes, list) and nameless.SAID in notes:
            accepted = "runs with subjects: a comparison resamples them"
            raise DataError(run.folder, "its files name no subjects", accepted)
    for run in read[1:]:
        for key in SAME:
            if run.spec.get(key) != read[0].spec.get(key):
                problem = f"its spec has another {key} than {read[0].folder}"
                raise DataError(run.folder, problem, "the same in all runs")


def _is_on(run: "RunTables", cohort: "Cohort", compared: "Comparisons") -> bool:
    """Whether a run is on exactly these people, classes and comparisons."""
    from frtaudit.inputs import run_tables

    run_cohort = run_tables.cohort_of(run)
    same = run_cohort.digest == cohort.digest and run_cohort.sample_ids == cohort.sample_ids
    return same and _same(run_tables.comparisons_of(run, run_cohort), compared)


def _same(first: "Comparisons", second: "Comparisons") -> bool:
    import numpy as np

    parts = ("cells", "probe", "reference")
    return first.all_pairs == second.all_pairs and all(
        np.array_equal(getattr(first, part), getattr(second, part)) for part in parts
    )


def _under_one_naming(read: "Sequence[RunTables]") -> "list[RunTables]":
    """The runs with one pseudonym for each sample: their own where they are the same, else found by the names.

    Names come from the data of the runs and go again: what stands in the tables are pseudonyms of the first run.
    """
    from frtaudit.datasets import run_people
    from frtaudit.inputs import shared_runs

    samples = [set(run.tables["samples"]["sample"].astype(str)) for run in read]
    if all(samples[0] & other for other in samples[1:]):
        return list(read)
    pseudonym_of = {name: known for known, name in run_people.names_of(read[0]).items()}
    runs = [read[0]]
    for run, run_samples in zip(read[1:], samples[1:], strict=True):
        if samples[0] & run_samples:
            runs.append(run)
            continue
        names = run_people.names_of(run)
        same = {known: pseudonym_of[name] for known, name in names.items() if name in pseudonym_of}
        runs.append(shared_runs.translated(run, same))
    return runs


def _share(before: "RunTables", after: "RunTables", compared: int, total: int) -> str:
    """How much of a run is compared, in numbers."""
    from frtaudit.inputs import run_tables

    shared, whole = run_tables.sizes_of(after), run_tables.sizes_of(before)
    if shared == whole and compared == total:
        return f"{before.folder}: all {shared[0]} images of {shared[1]} people and all {total} comparisons are compared"
    return (
        f"{before.folder}: all runs share {shared[0]} of its {whole[0]} images, "
        f"of {shared[1]} of its {whole[1]} people, and {compared} of the {total} comparisons that it "
        "made of these images; systems are compared on them"
    )


def _cut(run: "RunTables") -> Iterator[str]:
    """What is said of the scores that a run of all pairs did not keep."""
    import numpy as np

    from frtaudit.inputs import run_tables

    for system in run.systems:
        floor = run_tables.floor_of(run, system)
        if np.isfinite(floor):
            yield (
                f"{run.folder}: its run kept the non-mated scores of {system} from {floor:g} up; all below count as "
                "one value, at which no threshold is read"
            )
