from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from vendor_audits import runs

from frtaudit.core.cohort import StoredSystem
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import ScoreTable
from frtaudit.errors import DataError
from frtaudit.inputs.run_tables import RunTables, cohort_of, comparisons_of, finished_of, read_run_tables
from frtaudit.inputs.shared_runs import (
    on_comparisons,
    on_shared_samples,
    shared_cohort,
    shared_comparisons,
    translated,
)


@cache
def tables_of(name: str) -> RunTables:
    """The tables of a run, read once."""
    return read_run_tables(runs() / name)


def changed(run: RunTables, **columns: object) -> RunTables:
    """The run with other columns in its table of samples."""
    return replace(run, tables={**run.tables, "samples": run.tables["samples"].assign(**columns)})


def _only(run: RunTables, names: set[str]) -> RunTables:
    samples = run.tables["samples"]
    return replace(run, tables={**run.tables, "samples": samples[samples["sample"].astype(str).isin(names)]})


def test_runs_on_the_same_samples_stay_as_they_are() -> None:
    """Nothing is left out, and nothing is copied: the replicates stay."""
    assert all(
        one is other
        for one, other in zip(
            (tables_of("one"), tables_of("two")),
            on_shared_samples([tables_of("one"), tables_of("two")]),
            strict=True,
        )
    )


def test_a_run_is_brought_to_the_samples_of_the_other() -> None:
    """All of its tables lose the others, it has no replicates any more, and its scores are those of the same pairs."""
    part = _only(tables_of("two"), set(tables_of("two").tables["samples"]["sample"].astype(str)[:20]))
    one, two = on_shared_samples([tables_of("one"), part])
    cohort = shared_cohort([one, two])
    assert cohort.sample_ids == cohort_of(two).sample_ids
    assert cohort.n_samples == 20
    assert cohort.digest not in (cohort_of(tables_of("one")).digest, cohort_of(tables_of("two")).digest)
    assert not len(one.tables["replicates"])
    shared = shared_comparisons([one, two], cohort)
    assert shared.comparisons.all_pairs
    size = np.bincount(cohort.subject_of)
    cells = shared.comparisons.cells
    within = sum(
        int(size[a] * size[b]) for a in range(len(size)) for b in range(a) if cells[a] == cells[b] >= 0
    )
    assert shared.made[0] == within + int((size * (size - 1) // 2).sum())
    whole = finished_of(
        tables_of("one"),
        "one",
        cohort_of(tables_of("one")),
        comparisons_of(tables_of("one"), cohort_of(tables_of("one"))),
    ).tail
    left = finished_of(one, "one", cohort, shared.comparisons).tail
    assert whole is not None
    assert left is not None
    assert set(left.tail_score) <= set(whole.tail_score)


def test_people_that_are_not_the_same_are_refused() -> None:
    """No two people in common; an image of another person; a person of another class; another rule for pairs."""
    renamed = {name: f"x{name}" for name in tables_of("two").tables["samples"]["sample"]}
    comparison = translated(tables_of("two"), renamed)
    comparison = replace(comparison, folder="both", result={"spec": {"cohort": {"type": "runs"}}})
    with pytest.raises(DataError, match="accepted: the runs that both compares, in its place$"):
        on_shared_samples([tables_of("one"), comparison])
    with pytest.raises(DataError, match="compare: 0 of the images of one are in every run"):
        on_shared_samples([tables_of("one"), translated(tables_of("two"), renamed)])
    subjects = tables_of("two").tables["samples"]["subject"].astype(str).to_numpy().copy()
    subjects[0] = subjects[-1]
    with pytest.raises(DataError, match="two: gives images other subjects than one"):
        on_shared_samples([tables_of("one"), changed(tables_of("two"), subject=subjects)])
    classes = tables_of("two").tables["samples"]["class_group"].astype(object).to_numpy().copy()
    classes[tables_of("two").tables["samples"]["subject"] == subjects[-1]] = (
        "x" if classes[-1] == "y" else "y"
    )
    with pytest.raises(DataError, match=r"two: puts 1 subject\(s\) into other classes of group"):
        shared_cohort([tables_of("one"), changed(tables_of("two"), class_group=classes)])
    rows = np.arange(len(tables_of("two").tables["samples"])) % 2
    with pytest.raises(DataError, match="two: its non-mated pairs are not those of one"):
        shared_comparisons(
            [tables_of("one"), changed(tables_of("two"), cell=rows)], cohort_of(tables_of("one"))
        )


def test_both_orders_are_one_comparison() -> None:
    """A list in both orders beside the pairs of another: the mean of the two scores, and the code of a failure."""
    cells = np.zeros(3, dtype=np.int32)
    pairs = [(0, 1), (1, 0), (2, 1), (0, 2)]
    probe, reference = (np.array(side, dtype=np.int32) for side in zip(*pairs, strict=True))
    own = Comparisons(
        all_pairs=False, probe=probe, reference=reference, mated=probe == -1, cells=cells, ordered=True
    )
    keep = np.array([0, 3])
    shared = Comparisons(
        all_pairs=False, probe=probe[keep], reference=reference[keep], mated=own.mated[keep], cells=cells
    )
    table = ScoreTable(
        score=np.array([0.2, 0.4, 0.9, np.nan]),
        failure=np.array([-1, -1, -1, 0], dtype=np.int16),
        codes=("lost",),
    )
    found = on_comparisons(
        StoredSystem(score_range=(0, 1), table=table), own, shared, {}, float("-inf")
    ).table
    assert found is not None
    assert found.score[0] == pytest.approx(0.3)
    assert found.failure.tolist() == [-1, 0]


def test_samples_without_another_name_keep_theirs() -> None:
    """In every table that names samples."""
    first, *_ = tables_of("two").tables["samples"]["sample"].astype(str)
    found = translated(tables_of("two"), {first: "renamed"})
    assert found.tables["samples"]["sample"].iloc[0] == "renamed"
    ends = pd.concat([found.tables["scores"][side].astype(str) for side in ("probe", "reference")])
    assert "renamed" in set(ends)
    assert first not in set(ends)
