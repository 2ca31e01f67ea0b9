"""Finished runs on people whom they share, perhaps in part: brought to the same samples and the same comparisons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.canonical import mapping
from frtaudit.core.cohort import Classification, Cohort, StoredSystem
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import ScoreTable
from frtaudit.errors import DataError
from frtaudit.inputs.pairing import align, pair_keys
from frtaudit.inputs.roster import cohort_digest
from frtaudit.inputs.run_tables import RunTables, cohort_of, comparisons_of
from frtaudit.stats.rates.orders import pool_orders

ENDS = ("probe", "reference")
SAME_PEOPLE = "runs that share subjects"
SAME_CELLS = "runs that pair subjects by one rule (protocol.non_mated)"


def on_shared_samples(read: Sequence[RunTables]) -> list[RunTables]:
    """The runs, each with the samples alone that all have, in the first one's order and with its names of subjects.

    A run that loses nothing stays as it is; one that does has no bootstrap replicates any more: they were drawn from
    others. Raises :class:`DataError` where no two people are shared, or where runs give a sample to different people.
    """
    rosters = [_roster(run) for run in read]
    shared = set(rosters[0].index).intersection(*(roster.index for roster in rosters[1:]))
    order = [name for name in rosters[0].index if name in shared]
    of_first = rosters[0].loc[order]
    if of_first.nunique() < 2:
        problem = f"{len(order)} of the images of {read[0].folder} are in every run"
        of_others = next(
            (run.folder for run in read if mapping(run.spec.get("cohort")).get("type") == "runs"), None
        )
        accepted = SAME_PEOPLE if of_others is None else f"the runs that {of_others} compares, in its place"
        raise DataError("compare", problem, accepted)
    for run, roster in zip(read[1:], rosters[1:], strict=True):
        if not _one_to_one(of_first, roster.loc[order]):
            problem = f"gives images other subjects than {read[0].folder}"
            raise DataError(run.folder, problem, "the same subjects in all runs")
    return [
        run if list(roster.index) == order and roster.equals(of_first) else _restricted(run, order, of_first)
        for run, roster in zip(read, rosters, strict=True)
    ]


def translated(run: RunTables, names: Mapping[str, str]) -> RunTables:
    """The run with its samples under other names; those without one keep theirs."""
    tables = dict(run.tables)
    for table in ("samples", "scores", "tail", "pairs"):
        frame = tables[table]
        columns = ("sample",) if table == "samples" else ENDS
        texts = {column: frame[column].astype(object) for column in columns}
        tables[table] = frame.assign(
            **{column: text.map(names).fillna(text) for column, text in texts.items()}
        )
    return replace(run, tables=tables)


def shared_cohort(read: Sequence[RunTables]) -> Cohort:
    """The people of runs on the same samples, with the classes that any of the runs knows.

    Raises :class:`DataError` where two runs put a person into different classes of one schema.
    """
    first = cohort_of(read[0])
    known: dict[str, Classification] = {}
    for run in read:
        for name, of in cohort_of(run).classifications.items():
            before = known.setdefault(name, of)
            if before.classes != of.classes or not np.array_equal(before.codes, of.codes):
                number = int(np.count_nonzero(before.codes != of.codes))
                problem = f"puts {number} subject(s) into other classes of {name} than an earlier run"
                raise DataError(run.folder, problem, "one class of each subject")
    classifications = {name: of for name, of in known.items() if bool(np.any(of.codes >= 0))}
    digest = cohort_digest(first.sample_ids, first.subject_ids, first.subject_of.tolist(), classifications)
    return replace(first, classifications=classifications, digest=digest)


@dataclass(frozen=True, slots=True)
class SharedComparisons:
    """The comparisons that all runs on the same samples made; ``made``: how many each made of these samples."""

    comparisons: Comparisons
    made: tuple[int, ...]


def shared_comparisons(read: Sequence[RunTables], cohort: Cohort) -> SharedComparisons:
    """All pairs where every run compared all; else the lines of the first list that stand in every list, once."""
    by_run = [comparisons_of(run, cohort) for run in read]
    for run, comparisons in zip(read, by_run, strict=True):
        if not _one_to_one(pd.Series(by_run[0].cells), pd.Series(comparisons.cells)):
            raise DataError(run.folder, f"its non-mated pairs are not those of {read[0].folder}", SAME_CELLS)
    listed = [comparisons for comparisons in by_run if not comparisons.all_pairs]
    if not listed:
        return SharedComparisons(by_run[0], tuple(_all_pairs(cohort, by_run[0]) for _ in by_run))
    keys = [np.unique(_keys(comparisons)) for comparisons in listed]
    common = keys[0]
    for other in keys[1:]:
        common = common[np.isin(common, other, assume_unique=True)]
    probe, reference = (common >> 31).astype(np.int32), (common & ((1 << 31) - 1)).astype(np.int32)
    mated = cohort.subject_of[probe] == cohort.subject_of[reference]
    shared = Comparisons(
        all_pairs=False, probe=probe, reference=reference, mated=mated, cells=by_run[0].cells
    )
    counts = iter(keys)
    sizes = (_all_pairs(cohort, part) if part.all_pairs else next(counts).size for part in by_run)
    return SharedComparisons(shared, tuple(sizes))


def on_comparisons(
    system: StoredSystem, of_run: Comparisons, shared: Comparisons, failed: Mapping[int, str], floor: float
) -> StoredSystem:
    """One system's scores of the shared comparisons; ``of_run``: those of its run.

    Of a run of all pairs the scores below ``floor`` were not kept: they stand there as one value, which is below every
    score that was, and no threshold is read at it. ``failed``: cohort index to failure code.
    """
    if shared.all_pairs:
        return system
    keys = _keys(shared)
    if of_run.all_pairs:
        return replace(system, tail=None, table=_of_tail(system, shared, keys, failed, floor), replicates={})
    if system.table is None:
        raise ValueError("a listed run has a table")
    pooled = pool_orders(of_run, system.table)
    line = align(keys, _keys(pooled.comparisons))
    table = ScoreTable(
        score=pooled.table.score[line], failure=pooled.table.failure[line], codes=pooled.table.codes
    )
    return replace(system, table=table, replicates=system.replicates if line.size == of_run.n_listed else {})


def _of_tail(
    system: StoredSystem, shared: Comparisons, keys: Ints, failed: Mapping[int, str], floor: float
) -> ScoreTable:
    tail = system.tail
    if tail is None:
        raise ValueError("a run of all pairs has a tail")
    ends = [
        tail.rows[np.concatenate(sides)]
        for sides in ((tail.mated_i, tail.tail_i), (tail.mated_j, tail.tail_j))
    ]
    line = align(keys, pair_keys(ends[0], ends[1], ordered=False))
    scores = np.concatenate([tail.mated_score, tail.tail_score]).astype(np.float64)
    below = float(np.nextafter(floor, -np.inf)) if np.isfinite(floor) else floor
    score: Floats = np.maximum(np.where(line < 0, below, scores[line]), below)
    codes = tuple(sorted(set(failed.values())))
    of = np.full(
        int(max(shared.probe.max(initial=0), shared.reference.max(initial=0))) + 1, -1, dtype=np.int16
    )
    for sample, code in failed.items():
        if sample < of.size:
            of[sample] = codes.index(code)
    failure = np.where(of[shared.probe] >= 0, of[shared.probe], of[shared.reference])
    lost: Flags = failure >= 0
    return ScoreTable(score=np.where(lost, np.nan, score), failure=failure, codes=codes)


def _keys(comparisons: Comparisons) -> Ints:
    return pair_keys(comparisons.probe, comparisons.reference, ordered=False)


def _all_pairs(cohort: Cohort, comparisons: Comparisons) -> int:
    """Comparisons of all samples: within subjects, and of two subjects of one cell."""
    size = np.bincount(cohort.subject_of, minlength=cohort.n_subjects).astype(np.int64)
    inside = comparisons.cells >= 0
    rooms = np.bincount(comparisons.cells[inside], weights=size[inside]).astype(np.int64)
    mated = int((size * (size - 1)).sum())
    return (mated + int(np.square(rooms).sum()) - int(np.square(size[inside]).sum())) // 2


def _roster(run: RunTables) -> "pd.Series[str]":
    """The subject of each sample, by sample, in the run's order."""
    table = run.tables["samples"]
    table = table[table["provider"].astype(object) == run.systems[0]]
    return pd.Series(table["subject"].astype(str).to_numpy(), index=table["sample"].astype(str).to_numpy())


def _one_to_one(first: "pd.Series[str]", second: "pd.Series[str]") -> bool:
    """Whether two namings part the same things alike."""
    pairs = pd.DataFrame({"first": first.to_numpy(), "second": second.to_numpy()}).drop_duplicates()
    return not (pairs["first"].duplicated().any() or pairs["second"].duplicated().any())


def _restricted(run: RunTables, order: Sequence[str], subjects: "pd.Series[str]") -> RunTables:
    place = pd.Series(np.arange(len(order)), index=list(order))
    tables = dict(run.tables)
    samples = tables["samples"]
    at = samples["sample"].astype(object).map(place)
    rows = samples[at.notna().to_numpy()].assign(place=at.dropna().astype(int))
    rows = rows.sort_values(["provider", "place"], kind="stable")
    tables["samples"] = rows.assign(subject=subjects.to_numpy()[rows["place"]]).drop(columns="place")
    for name in ("scores", "tail", "pairs"):
        frame = tables[name]
        inside = [frame[end].astype(object).isin(place.index).to_numpy() for end in ENDS]
        tables[name] = frame[inside[0] & inside[1]]
    return without_replicates(replace(run, tables=tables))


def without_replicates(run: RunTables) -> RunTables:
    """The run without its bootstrap replicates: they were drawn from other people, or in other strata."""
    return replace(run, tables={**run.tables, "replicates": run.tables["replicates"].iloc[:0]})
