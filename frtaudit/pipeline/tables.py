"""The big tables beside the result: scores, tail, replicates, samples, systems as Parquet, ids as pseudonyms."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from frtaudit.core.arrays import Flags, Floats, Index, Integers, Ints, Shorts
from frtaudit.core.machine.run_files import CLASS
from frtaudit.evaluation.system import WEIGHTINGS, FoldPairs, SystemData
from frtaudit.inputs.table_names import Names, names_of
from frtaudit.stats.rates.sums import first_not_above

SCORES, TAIL, REPLICATES = "scores.parquet", "tail.parquet", "replicates.parquet"
SYSTEMS, SAMPLES, PAIRS = "systems.parquet", "samples.parquet", "pairs.parquet"
ROW_GROUP = 1 << 20  # rows; the most that pyarrow puts into one
_ID = pa.dictionary(pa.int32(), pa.string())

SCORE_SCHEMA = pa.schema(
    [
        ("provider", _ID),
        ("probe", _ID),
        ("reference", _ID),
        ("probe_subject", _ID),
        ("reference_subject", _ID),
        ("mated", pa.bool_()),
        ("score", pa.float64()),
        ("failure", _ID),
        ("fold", pa.int32()),
    ]
)
REPLICATE_SCHEMA = pa.schema(
    [
        ("provider", _ID),
        ("plan", _ID),
        ("replicate", pa.int32()),
        ("metric", _ID),
        ("at", _ID),
        ("schema", _ID),
        ("group", _ID),
        ("weighting", _ID),
        ("value", pa.float64()),
    ]
)
SYSTEM_SCHEMA = pa.schema(
    [
        ("provider", _ID),
        ("score_low", pa.float64()),
        ("score_high", pa.float64()),
        ("floor", pa.float64()),
        ("all_pairs", pa.bool_()),
        ("failures_of", _ID),
    ]
)
PAIR_SCHEMA = SCORE_SCHEMA.append(pa.field("k", pa.int32())).append(pa.field("test_set", _ID))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a large table, made where they are written; ``part`` makes those from one number up to another."""

    num_rows: int
    part: Callable[[int, int], pa.Table] = field(compare=False)

    @property
    def schema(self) -> pa.Schema:
        """Columns and their types."""
        return self.part(0, 0).schema

    def whole(self) -> pa.Table:
        """Every row at once."""
        return self.part(0, self.num_rows)

    def equals(self, other: "Rows") -> bool:
        """Whether all rows are the same."""
        return bool(self.whole().equals(other.whole()))


def score_rows(system: SystemData) -> Rows:
    """Mated comparisons of an all-pairs protocol, or each listed comparison with its score or failure, and its fold."""
    if system.table is None:
        tail = system.tail
        mated = np.broadcast_to(np.True_, tail.mated_i.size)
        return _rows(system, tail.mated_i, tail.mated_j, mated, tail.mated_score, None, sample=tail.rows)
    pairs, table = system.comparisons, system.table
    same = [folded for folded in system.pair_sets.values() if folded.listed is pairs]
    given = None if pairs.fold is None else pairs.fold.astype(np.int32)
    fold = _folds(same[0]) if same else given
    return _rows(system, pairs.probe, pairs.reference, pairs.mated, table.score, table.failure, fold)


def _folds(folded: FoldPairs) -> Index:
    """The fold of every listed pair; -1: in none."""
    fold = np.full(folded.listed.n_listed, -1, dtype=np.int32)
    fold[folded.at] = folded.folds
    return fold


def tail_rows(system: SystemData) -> Rows:
    """Non-mated comparisons from the highest score down to the lowest threshold, of the data or of a replicate."""
    if system.table is not None:
        return Rows(num_rows=0, part=_no_rows)
    tail, (keep, _) = system.tail, _kept(system)
    i, j, score = tail.tail_i[:keep], tail.tail_j[:keep], tail.tail_score[:keep]
    return _rows(system, i, j, np.broadcast_to(np.False_, keep), score, None, sample=tail.rows)


def _kept(system: SystemData) -> tuple[int, float]:
    """How many comparisons of the tail are written, and their floor: at or above it no comparison is missing.

    With fewer, no replicate's threshold could be found again. The lowest threshold is a score or lies between two.
    """
    drawn = [replicate.t_star.ravel() for replicate in system.replicates.values()]
    used = np.concatenate(
        [system.operating_points.at_target.ravel(), system.operating_points.thresholds, *drawn]
    )
    used = used[np.isfinite(used) & (used > system.tail.cutoff)]
    score = system.tail.tail_score
    count = first_not_above(score, float(np.nextafter(used.min(), -np.inf))) if used.size else 0
    if not count:
        return 0, float("inf")
    return count, min(float(np.nextafter(score[count - 1], score.dtype.type(-np.inf))), float(used.min()))


def system_rows(system: SystemData) -> pa.Table:
    """One row: range and floor of the written scores, whether all pairs were compared, and what it is that fails."""
    tail, (count, floor) = system.tail, _kept(system)
    whole = system.table is not None or (count == tail.tail_score.size and np.isneginf(tail.cutoff))
    listed = system.provider in system.cohort_data.tables
    columns = [
        _constant(system.provider, 1),
        pa.array([tail.score_range[0]]),
        pa.array([tail.score_range[1]]),
        pa.array([float("-inf") if whole else floor]),
        pa.array([system.table is None]),
        _constant("comparisons" if listed else "samples", 1),
    ]
    return pa.Table.from_arrays(columns, schema=SYSTEM_SCHEMA)


def sample_rows(system: SystemData) -> pa.Table:
    """Every sample of the cohort: subject, cell, failure, and the subject's class under each schema."""
    names = names_of(system.cohort_data)
    order = np.argsort(names.sample_place)
    of = system.cohort.subject_of[order]
    codes = sorted(set(system.failed.values()))
    failed = np.full(of.size, -1, dtype=np.int32)
    failed[names.sample_place[list(system.failed)]] = [codes.index(code) for code in system.failed.values()]
    columns = {
        "provider": _constant(system.provider, of.size),
        "sample": _coded(np.arange(of.size), names.samples),
        "subject": _coded(names.subject_place[of], names.subjects),
        "cell": pa.array(np.asarray(system.comparisons.cells, dtype=np.int32)[of]),
        "failure": _masked(failed, codes),
    }
    for name, schema in system.cohort.classifications.items():
        columns[f"{CLASS}{name}"] = _masked(schema.codes.astype(np.int32)[of], schema.classes)
    return pa.table(columns)


def pair_rows(system: SystemData) -> pa.Table:
    """The pairs of the folds and of every test set with their scores and folds; -1: in no fold."""
    parts = [_pairs_of(system, name, folded) for name, folded in system.pair_sets.items()]
    return pa.concat_tables(parts) if parts else PAIR_SCHEMA.empty_table()


def _pairs_of(system: SystemData, name: str, folded: FoldPairs) -> pa.Table:
    listed = folded.listed
    score = np.full(listed.n_listed, np.nan)
    score[folded.at] = folded.score
    secret = system.cohort_data.secret  # the first of a drawn pair has the earlier id
    rows = _rows(
        system, listed.probe, listed.reference, listed.mated, score, None, _folds(folded), symmetric=secret
    ).whole()
    k = pa.array(np.full(listed.n_listed, folded.k, dtype=np.int32))
    return rows.append_column("k", k).append_column("test_set", _constant(name, listed.n_listed))


def _masked(codes: Index, names: Sequence[str]) -> pa.Array:
    """Names by their numbers, null where the number is negative."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(names, type=pa.string()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Comparisons:
    """Comparisons of the cohort's samples, which come in parts, as :class:`Rows` makes them.

    ``place``: where the samples that ``probe`` and ``reference`` number stand in the tables; ``subject_at``: whose each
    place is; ``order``: the comparisons in the order of the rows, where that is another; ``codes`` of failures. Of
    the system, what is kept until they are written is what stands here.
    """

    provider: str
    names: Names
    place: Index
    subject_at: Index
    order: Ints | None
    codes: pa.Array
    probe: Index
    reference: Index
    mated: Flags
    score: npt.NDArray[np.floating]
    failure: Shorts | None
    fold: Index | None
    symmetric: bool

    def sides(self, here: slice | Ints) -> tuple[Index, Index]:
        """Both samples of some comparisons, by their places in the tables' order; of a pair the first comes first."""
        first, second = self.place[self.probe[here]], self.place[self.reference[here]]
        return (np.minimum(first, second), np.maximum(first, second)) if self.symmetric else (first, second)

    def __call__(self, start: int, stop: int) -> pa.Table:
        """The rows from one number up to another."""
        names, of = self.names, self.subject_at
        here = slice(start, stop) if self.order is None else self.order[start:stop]
        first, second = self.sides(here)
        n = len(first)
        failed = (
            np.full(n, -1, dtype=np.int32) if self.failure is None else self.failure[here].astype(np.int32)
        )
        columns = [
            _constant(self.provider, n),
            _coded(first, names.samples),
            _coded(second, names.samples),
            _coded(of[first], names.subjects),
            _coded(of[second], names.subjects),
            pa.array(self.mated[here].copy()),
            pa.array(self.score[here].astype(np.float64), from_pandas=True),
            pa.DictionaryArray.from_arrays(pa.array(failed, mask=failed < 0), self.codes),
            pa.nulls(n, pa.int32()) if self.fold is None else pa.array(self.fold[here].astype(np.int32)),
        ]
        return pa.Table.from_arrays(columns, schema=SCORE_SCHEMA)


def _rows(
    system: SystemData,
    probe: Index,
    reference: Index,
    mated: Flags,
    score: npt.NDArray[np.floating],
    failure: Shorts | None,
    fold: Index | None = None,
    *,
    sample: Index | None = None,
    symmetric: bool = False,
) -> Rows:
    """Rows of comparisons; ``sample``: which sample of the cohort each place is, of pairs that are sorted by score."""
    names, of = names_of(system.cohort_data), system.cohort.subject_of
    codes = system.table.codes if system.table else ()
    part = _Comparisons(
        provider=system.provider, names=names, codes=pa.array(codes, type=pa.string()), order=None,
        place=names.sample_place if sample is None else names.sample_place[sample],
        subject_at=names.subject_place[of][np.argsort(names.sample_place)], symmetric=symmetric or sample is not None,
        probe=probe, reference=reference, mated=mated, score=score, failure=failure, fold=fold,
    )  # fmt: skip
    if system.cohort_data.secret:
        level = np.zeros(len(probe)) if sample is None else np.cumsum(np.diff(score, prepend=score[:1]) != 0)
        part = replace(part, order=np.lexsort((*reversed(part.sides(slice(None))), level)))
    return Rows(num_rows=len(probe), part=part)


def _no_rows(_start: int, _stop: int) -> pa.Table:
    return SCORE_SCHEMA.empty_table()


def _constant(value: str | None, length: int) -> pa.Array:
    index = pa.array(np.zeros(length, np.int32), mask=np.full(length, value is None))
    return pa.DictionaryArray.from_arrays(index, pa.array([value or ""]))


def _coded(index: Integers, names: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), names)


def replicate_rows(system: SystemData) -> pa.Table:
    """Every replicate of every rate and threshold at the declared targets and fixed thresholds."""
    parts, points, constant = [], system.operating_points, cache(_constant)
    places = [(a, f"fmr={points.targets[a]:g}", "fnmr_at_fmr") for a in points.declared]
    fixed = enumerate(points.thresholds, len(points.targets))
    places += [(index, f"threshold={threshold!r}", "fnmr") for index, threshold in fixed]
    for drawn, (w, weighting) in product(system.replicates.values(), enumerate(WEIGHTINGS)):
        for point, at, fnmr in places:
            place = (system.provider, drawn.plan.value, at, weighting.value)
            if point in points.declared:
                values = drawn.t_star[w, :, point]
                parts.append(_series(constant, place, "threshold_at_fmr", (0, None, "all"), values))
            for group in system.every_group():
                parts.append(_series(constant, place, fnmr, group, drawn.fnmr[w, :, point, group[0]]))
                parts.append(_series(constant, place, "fmr", group, drawn.fmr[w, :, point, group[0]]))
    return pa.concat_tables(parts) if parts else REPLICATE_SCHEMA.empty_table()


def _series(
    constant: Callable[[str | None, int], pa.Array],
    place: tuple[str, str, str, str],
    metric: str,
    group: tuple[int, str | None, str],
    values: Floats,
) -> pa.Table:
    provider, plan, at, weighting = place
    n = len(values)
    texts = [constant(text, n) for text in (provider, plan, metric, at, *group[1:], weighting)]
    columns = [*texts[:2], pa.array(np.arange(n, dtype=np.int32)), *texts[2:], pa.array(values)]
    return pa.Table.from_arrays(columns, schema=REPLICATE_SCHEMA)


def write(tables: Sequence[pa.Table | Rows], to: Path | BinaryIO) -> None:
    """Write tables of one schema one after the other; those that are made part by part one row group at a time.

    A row group has :data:`ROW_GROUP` rows, whatever table they are of; the bytes are those of all tables in memory.
    """
    if not any(isinstance(table, Rows) for table in tables):
        tables = [_united(tables)]
    ends = np.cumsum([table.num_rows for table in tables])
    first = _stretch(tables, ends, 0, ROW_GROUP)
    repeated = [column.name for column in first.schema if pa.types.is_dictionary(column.type)]
    options = {"compression": "zstd", "use_dictionary": repeated, "write_statistics": False}
    with pq.ParquetWriter(to, first.schema, **options) as writer:
        writer.write_table(first, ROW_GROUP)
        del first
        for start in range(ROW_GROUP, int(ends[-1]), ROW_GROUP):
            writer.write_table(_stretch(tables, ends, start, start + ROW_GROUP), ROW_GROUP)


def _stretch(tables: Sequence[pa.Table | Rows], ends: Ints, start: int, stop: int) -> pa.Table:
    """The rows from ``start`` up to ``stop`` of all tables, with every table's names in the dictionaries."""
    parts = []
    for table, end in zip(tables, ends.tolist(), strict=True):
        begin = end - table.num_rows
        low, high = (min(max(place, begin), end) - begin for place in (start, stop))
        parts.append(table.part(low, high) if isinstance(table, Rows) else table.slice(low, high - low))
    return _united(parts)


def _united(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


TABLES: Mapping[str, Callable[[SystemData], pa.Table | Rows]] = {
    SCORES: score_rows,
    TAIL: tail_rows,
    REPLICATES: replicate_rows,
    SYSTEMS: system_rows,
    SAMPLES: sample_rows,
    PAIRS: pair_rows,
}
