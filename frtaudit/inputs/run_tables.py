"""The tables that a run leaves beside its result, read back: who was tested, what each system scored."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Shorts
from frtaudit.core.canonical import Json, mapping, read_json, sha256, sha256_file
from frtaudit.core.cohort import Classification, Cohort, StoredSystem
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.machine.files import check_regular, read_regular
from frtaudit.core.machine.run_files import CLASS, RESULT, STATEMENT, TABLE_NAMES, TABLES, VERDICT
from frtaudit.core.result import AuditResult, refuse_unnamed
from frtaudit.core.scores import ScoreTable, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.core.spec_values import FOLDS
from frtaudit.errors import DataError, why
from frtaudit.inputs.acquisition import acquired_rows
from frtaudit.inputs.pairing import implied_comparisons
from frtaudit.inputs.places import need_run
from frtaudit.inputs.tables import unreadable
from frtaudit.stats.rates.histogram import edges_over, histogram_of_sorted
from frtaudit.stats.rates.trials import complete_pairs

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTables:
    """A run folder as it was read: the result's mapping, its tables by name, the digest of every file read.

    ``signer``: whom its statement names, None where there is none.
    """

    folder: str
    result: Mapping[str, Json]
    signer: str | None
    tables: Mapping[str, "pd.DataFrame"]
    digests: Mapping[str, str]

    @property
    def systems(self) -> list[str]:
        """The systems audited, in the run's order."""
        return [str(name) for name in self.tables["systems"]["provider"]]

    @property
    def spec(self) -> Mapping[str, Json]:
        """The spec that the result holds."""
        return mapping(self.result.get("spec"))


def read_run_tables(path: Path) -> RunTables:
    """Read a run folder. Raises :class:`DataError` for one that is no finished run, or lacks a table.

    ``verdict.json`` names the digest of the result: another result beside it is refused.
    """
    name = path.name or str(path)
    need_run(path)
    files = {f"{TABLES}/{table}.parquet": path / TABLES / f"{table}.parquet" for table in TABLE_NAMES}
    missing = [file for file, at in files.items() if not at.is_file()]
    if missing:
        accepted = "a run of this version of frtaudit, and not its publishable variant"
        raise DataError(name, f"no {missing[0]}", accepted)
    if not (path / VERDICT).exists():
        raise DataError(name, f"no {VERDICT}", "a complete run")
    data = read_regular(path / RESULT, f"{name}/{RESULT}")
    for file, at in files.items():
        check_regular(at, f"{name}/{file}")
    try:
        result = read_json(data)
        AuditResult.from_json(result)
        _check_numbers(result["spec"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise DataError(name, f"{RESULT} cannot be read ({why(error)})", "a complete run") from None
    refuse_unnamed(path, name, data)
    digests = {RESULT: sha256(data)} | {file: sha256_file(at) for file, at in files.items()}
    return RunTables(
        folder=name,
        result=result,
        signer=_signer(path, name, digests),
        tables={table: _read(path / TABLES / f"{table}.parquet", name) for table in TABLE_NAMES},
        digests=digests,
    )


def _check_numbers(spec: Mapping[str, Json]) -> None:
    """Raise ValueError or TypeError where what a comparison takes over of a spec is none of its kind."""
    Weighting(spec.get("weighting", Weighting.IDENTITY.value))
    bootstrap, thresholds = mapping(spec.get("bootstrap")), mapping(spec.get("thresholds"))
    targets = thresholds.get("fmr", ())
    if not isinstance(targets, (list, tuple)) or not all(type(target) in (int, float) for target in targets):
        raise TypeError("thresholds.fmr")
    if not all(type(number) is int for number in (spec.get("seed", 0), bootstrap.get("B", 0))):
        raise TypeError("seed, bootstrap.B")


def _read(path: Path, name: str) -> "pd.DataFrame":
    """A table; of pairs those of ``spec.folds``, which are all that runs of version 0.1 have."""
    import pandas as pd

    try:
        table = pd.read_parquet(path)
    except unreadable():
        where = f"{name}/{TABLES}/{path.name}"
        raise DataError(where, "not a readable Parquet file", "an unchanged run") from None
    return table if "test_set" not in table.columns else table[table["test_set"].astype(object) == FOLDS]


def _signer(path: Path, name: str, digests: Mapping[str, str]) -> str | None:
    """Whom the run's statement names as its signer, None where it has none; what is read must be as it was signed.

    Whether the signature holds is for ``frtaudit verify`` and ``frtaudit compare`` to say.
    """
    at = path / STATEMENT
    if not at.is_file():
        return None
    try:
        payload = json.loads(base64.b64decode(json.loads(read_regular(at))["payload"]))
        recorded = {entry["name"]: entry["digest"]["sha256"] for entry in payload["subject"]}
        signer = str(payload["predicate"]["signer"]["name"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{name}/{STATEMENT}", f"cannot be read ({why(error)})", "an unchanged run") from None
    for file, digest in digests.items():
        if recorded.get(file) != digest:
            raise DataError(f"{name}/{file}", "is not the file that was signed", "an unchanged run")
    return signer


def cohort_of(run: RunTables) -> Cohort:
    """Who the run tested, under the pseudonyms of its tables, in its order: subjects are drawn as they were there."""
    import pandas as pd

    table = _of(run, "samples", run.systems[0])
    subjects = table["subject"].astype(str).to_numpy()
    first = pd.unique(subjects)
    place = {name: k for k, name in enumerate(first)}
    subject_of = np.array([place[name] for name in subjects], dtype=np.int32)
    starts = np.flatnonzero(np.diff(subject_of, prepend=-1))
    named = [str(column).removeprefix(CLASS) for column in table.columns if str(column).startswith(CLASS)]
    labels = labels_of(run)
    schemas = {}
    for name in named:
        groups = labels.get(name, {})
        texts = table[f"{CLASS}{name}"].astype(object).to_numpy()[starts]
        codes = [list(groups).index(text) if text in groups else -1 for text in texts]
        schemas[name] = Classification(
            name=name,
            classes=tuple(groups),
            labels=tuple(groups.values()),
            codes=np.array(codes, dtype=np.int16),
        )
    return Cohort(
        sample_ids=tuple(table["sample"].astype(str)),
        subject_ids=tuple(str(name) for name in first),
        subject_of=subject_of,
        classifications=schemas,
        digest=str(mapping(run.result.get("digests")).get("cohort", "")),
    )


def is_in_drawing_order(run: RunTables) -> bool:
    """Whether the tables have the subjects as the run drew them; under a secret key they have another order."""
    subjects = _of(run, "samples", run.systems[0])["subject"].astype(str)
    return not subjects.is_monotonic_increasing


def comparisons_of(run: RunTables, cohort: Cohort) -> Comparisons:
    """What the run compared: all pairs within cells, or its list."""
    cell = _of(run, "samples", run.systems[0])["cell"].to_numpy(np.int32)
    cells = cell[np.flatnonzero(np.diff(cohort.subject_of, prepend=-1))]
    if all_pairs_of(run):
        return implied_comparisons(cells)
    return _listed(_of(run, "scores", run.systems[0]), cohort, cells)


def folded_of(read: Sequence[RunTables], cohort: Cohort) -> Comparisons | None:
    """The folds' pairs with the fold of each, None where a run declared none. A pair in no fold has fold -1.

    Folds are dealt to the pairs that a system scored, and so may differ: of the pairs that all scored, those that come
    first in order of their numbers serve, as in an audit of all systems at once.
    """
    tables = [_of(run, "pairs", system) for run in read for system in run.systems]
    if not all(len(table) for table in tables):
        return None
    folds = [table["fold"].to_numpy(np.int16) for table in tables]
    chosen = 0
    if len({fold.size for fold in folds}) == 1:
        common = np.all([fold >= 0 for fold in folds], axis=0)
        chosen = min(range(len(folds)), key=lambda place: folds[place][common].tolist())
    return _listed(tables[chosen], cohort, np.zeros(cohort.n_subjects, dtype=np.int32), folds[chosen])


def finished_of(run: RunTables, system: str, cohort: Cohort, comparisons: Comparisons) -> StoredSystem:
    """One system's scores, as its tables hold them."""
    (low, high), floor = range_of(run, system), floor_of(run, system)
    scores, pairs = _of(run, "scores", system), _of(run, "pairs", system)
    every = comparisons.all_pairs
    listed = _listed(pairs, cohort, np.zeros(cohort.n_subjects, dtype=np.int32)) if len(pairs) else None
    return StoredSystem(
        score_range=(low, high),
        tail=_tail(run, system, cohort, comparisons, (low, high), floor) if every else None,
        table=None if every else _table(scores),
        pairs=None if listed is None else (listed, _table(pairs)),
        replicates=_replicates(run, system),
        seed=int(str(run.spec.get("seed", 0))),
        resamples=int(str(mapping(run.spec.get("bootstrap")).get("B", 0))),
        signer=run.signer,
    )


def all_pairs_of(run: RunTables) -> bool:
    """Whether the run compared all pairs, and not a list."""
    return bool(run.tables["systems"]["all_pairs"].iloc[0])


def range_of(run: RunTables, system: str) -> tuple[float, float]:
    """The lowest and the highest score that a system can give."""
    row = _of(run, "systems", system)
    return float(row["score_low"].to_numpy()[0]), float(row["score_high"].to_numpy()[0])


def floor_of(run: RunTables, system: str) -> float:
    """At or above it no comparison of a system is missing."""
    return float(_of(run, "systems", system)["floor"].to_numpy()[0])


def sizes_of(run: RunTables) -> tuple[int, int]:
    """How many samples and subjects a run has."""
    table = _of(run, "samples", run.systems[0])
    return len(table), int(table["subject"].nunique())


def failures_of(run: RunTables, system: str) -> dict[int, str]:
    """Cohort index to failure code of the samples that the system lost."""
    codes = _of(run, "samples", system)["failure"].astype(object).to_numpy()
    return {row: str(code) for row, code in enumerate(codes) if isinstance(code, str)}


def fails_by_comparison(run: RunTables, system: str) -> bool:
    """Whether the system's scores came as lists, so that comparisons fail and not samples."""
    return str(_of(run, "systems", system)["failures_of"].to_numpy()[0]) == "comparisons"


def _of(run: RunTables, table: str, system: str) -> "pd.DataFrame":
    frame = run.tables[table]
    return frame[frame["provider"].astype(object) == system]


def _indices(table: "pd.DataFrame", side: str, cohort: Cohort) -> Index:
    """Raises :class:`ValueError` for a sample that the run does not have."""
    import pandas as pd

    indexer = pd.Index(cohort.sample_ids).get_indexer(pd.Index(table[side].astype(str)))
    if (indexer < 0).any():
        raise ValueError(f"a {side} that is not a sample")
    return np.asarray(indexer, dtype=np.int32)


def _check_mated(cohort: Cohort, probe: Index, reference: Index, mated: Flags) -> None:
    """Raise :class:`ValueError` where a comparison counts as mated and is of two people, or the other way round."""
    if np.any((cohort.subject_of[probe] == cohort.subject_of[reference]) != mated):
        raise ValueError("a comparison whose label and subjects disagree")


def _listed(table: "pd.DataFrame", cohort: Cohort, cells: Index, fold: Shorts | None = None) -> Comparisons:
    probe, reference = (_indices(table, side, cohort) for side in ("probe", "reference"))
    mated = table["mated"].to_numpy(np.bool_)
    _check_mated(cohort, probe, reference, mated)
    return Comparisons(all_pairs=False, probe=probe, reference=reference, mated=mated, cells=cells, fold=fold)


def _table(scores: "pd.DataFrame") -> ScoreTable:
    """Scores and failures of listed comparisons; one without either is named after nothing known."""
    score = scores["score"].to_numpy(np.float64)
    texts = np.where(np.isfinite(score), "", scores["failure"].astype(object).fillna("no_score").to_numpy())
    codes = tuple(sorted(set(texts.tolist()) - {""}))
    number = {"": -1} | {code: place for place, code in enumerate(codes)}
    return ScoreTable(
        score=score, failure=np.array([number[text] for text in texts], dtype=np.int16), codes=codes
    )


def _tail(
    run: RunTables,
    system: str,
    cohort: Cohort,
    comparisons: Comparisons,
    score_range: tuple[float, float],
    floor: float,
) -> ScoreTail:
    failed = failures_of(run, system) if run.spec.get("failures") != "score_zero" else {}
    rows = acquired_rows(cohort.n_samples, failed)
    place = (np.searchsorted(rows, np.arange(cohort.n_samples), side="right") - 1).astype(np.int32)
    of = cohort.subject_of[rows]
    n_samples = np.bincount(of, minlength=cohort.n_subjects).astype(np.int64)
    mated, above = _of(run, "scores", system), _of(run, "tail", system)
    ends = []
    for part, kind in ((mated, True), (above, False)):
        sides = [_indices(part, side, cohort) for side in ("probe", "reference")]
        _check_mated(cohort, sides[0], sides[1], np.full(len(part), kind))
        ends += [place[side] for side in sides]
    edges = edges_over(score_range)
    mated_score = mated["score"].to_numpy(np.float64)
    tail_score = above["score"].to_numpy(np.float64)
    histogram = histogram_of_sorted(tail_score[::-1], edges)
    histogram[0] += complete_pairs(n_samples, comparisons.cells) - tail_score.size
    return ScoreTail(
        n_samples=n_samples,
        subject_of=of,
        rows=rows,
        mated_i=ends[0],
        mated_j=ends[1],
        mated_score=mated_score.astype(np.float32),
        tail_i=ends[2],
        tail_j=ends[3],
        tail_score=tail_score.astype(np.float32),
        cutoff=floor,
        edges=edges,
        histogram=histogram,
        mated_histogram=histogram_of_sorted(mated_score, edges),
        cells=comparisons.cells,
        score_range=score_range,
    )


def _replicates(run: RunTables, system: str) -> dict[tuple[float, str], Floats]:
    """FNMR of everybody at each declared target in each replicate of subjects, by target and weighting."""
    table = _of(run, "replicates", system)
    chosen = (table["plan"].astype(object) == "subjects") & (table["metric"].astype(object) == "fnmr_at_fmr")
    chosen &= table["group"].astype(object) == "all"
    replicates: dict[tuple[float, str], Floats] = {}
    for (at, weighting), part in table[chosen].groupby(["at", "weighting"], observed=True):
        values = part.sort_values("replicate")["value"].to_numpy(np.float64)
        replicates[float(str(at).partition("=")[2]), str(weighting)] = values
    return replicates


def labels_of(run: RunTables) -> dict[str, dict[str, str]]:
    """Schema to its classes in order, each with its label, as the result counts them; ``unknown`` apart."""
    schemas = mapping(mapping(run.result.get("cohort")).get("schemas"))
    labels: dict[str, dict[str, str]] = {}
    for name, schema in schemas.items():
        rows = mapping(schema).get("groups")
        groups = [mapping(row) for row in rows] if isinstance(rows, list) else []
        labels[name] = {str(row["group"]): str(row["label"]) for row in groups if row["group"] != "unknown"}
    return labels
