import json
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_audits import COHORT, SCHEMAS, TARGETS, B, put, score_lines, spec, system_of, whole

from frtaudit.core import ScoreTail
from frtaudit.core.canonical import pseudonym
from frtaudit.core.spec import FailureScore
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.evaluation.system import SystemData
from frtaudit.pipeline import tables as parquet
from frtaudit.pipeline.tables import (
    REPLICATE_SCHEMA,
    SCORE_SCHEMA,
    Rows,
    replicate_rows,
    score_rows,
    tail_rows,
    write,
)

MATERIAL = COHORT.load(SCHEMAS, 0)
CONTRACT = [
    "provider",
    "probe",
    "reference",
    "probe_subject",
    "reference_subject",
    "mated",
    "score",
    "failure",
    "fold",
]


def frame(table: pa.Table | Rows) -> Any:
    """A table as pandas, dictionaries as text."""
    found = (table.whole() if isinstance(table, Rows) else table).to_pandas()
    for name in found.columns:
        if str(found[name].dtype) == "category":
            found[name] = found[name].astype(object).where(found[name].notna(), None)
    return found


def named(ids: tuple[str, ...]) -> dict[str, str]:
    """Pseudonym to name."""
    return {pseudonym(MATERIAL.pseudonym_key, name): name for name in ids}


def test_the_columns_are_the_contracts() -> None:
    """Both score tables have the contract's columns, and so have the replicates."""
    assert SCORE_SCHEMA.names == CONTRACT
    assert score_rows(system_of()).schema == tail_rows(system_of()).schema == SCORE_SCHEMA
    assert REPLICATE_SCHEMA.names == [
        "provider",
        "plan",
        "replicate",
        "metric",
        "at",
        "schema",
        "group",
        "weighting",
        "value",
    ]
    assert replicate_rows(system_of()).schema == REPLICATE_SCHEMA


@pytest.mark.parametrize("provider", ["one", "two"])
def test_mated_scores_stand_under_pseudonyms(provider: str) -> None:
    """Every mated comparison once, both ends under HMAC pseudonyms of the right sample and subject, with its score."""
    rows = frame(score_rows(system_of(provider)))
    samples, subjects = named(MATERIAL.cohort.sample_ids), named(MATERIAL.cohort.subject_ids)
    subject_of = dict(zip(MATERIAL.cohort.sample_ids, MATERIAL.cohort.subject_of, strict=True))
    templates = MATERIAL.templates[provider]()
    vectors = {
        MATERIAL.cohort.sample_ids[row]: vector / np.linalg.norm(vector)
        for row, vector in zip(templates.rows, templates.vectors.astype(np.float64), strict=True)
    }
    assert set(rows["provider"]) == {provider}
    assert rows["mated"].all()
    assert rows["failure"].isna().all()
    pairs = set()
    for row in rows.itertuples():
        probe, reference = samples[row.probe], samples[row.reference]
        assert MATERIAL.cohort.subject_ids[subject_of[probe]] == subjects[row.probe_subject]
        assert row.probe_subject == row.reference_subject
        assert row.score == pytest.approx(float(vectors[probe] @ vectors[reference]), abs=2e-7)
        pairs.add(frozenset((probe, reference)))
    sizes = np.bincount(MATERIAL.cohort.subject_of[templates.rows])
    assert len(pairs) == len(rows) == int((sizes * (sizes - 1) // 2).sum())


def test_the_tail_reaches_the_lowest_threshold() -> None:
    """The tail table holds the non-mated comparisons from the top down to the lowest threshold that has replicates."""
    system = system_of()
    rows = frame(tail_rows(system))
    assert not rows["mated"].any()
    assert (rows["probe_subject"] != rows["reference_subject"]).all()
    assert np.all(np.diff(rows["score"]) <= 0)
    lowest = min(
        threshold for threshold in system.operating_points.thresholds if threshold > system.tail.cutoff
    )
    above = system.tail.tail_score[system.tail.tail_score > lowest]
    assert np.array_equal(rows["score"].to_numpy()[: len(above)], above.astype(np.float64))
    assert len(rows) >= len(above) > 0


def test_listed_comparisons_stand_whole(tmp_path: Path) -> None:
    """Every listed comparison stands with its score or its failure; there is no tail table."""
    lines = score_lines(failed=(0, 7))
    pd.DataFrame(lines).to_csv(tmp_path / "one.csv", index=False)
    made = spec(cohort=ScoreLists(root=str(tmp_path / "one.csv")), protocol=Listed())
    system = put(made, "one")
    rows = frame(score_rows(system))
    assert len(rows) == len(lines)
    assert rows["score"].isna().sum() == 2
    assert rows.loc[rows["score"].isna(), "failure"].tolist() == ["no_face", "no_face"]
    assert rows.loc[rows["score"].notna(), "failure"].isna().all()
    key = system.cohort_data.pseudonym_key
    assert rows["probe"].tolist() == [pseudonym(key, line["probe"]) for line in lines]
    assert rows["mated"].tolist() == [line["probe_subject"] == line["reference_subject"] for line in lines]
    assert tail_rows(system).num_rows == 0
    zero = put(spec(cohort=made.cohort, protocol=Listed(), failures=FailureScore.SCORE_ZERO), "one")
    assert frame(score_rows(zero))["score"].min() == -1.0


def test_replicates_are_those_of_the_intervals() -> None:
    """For each plan, weighting, group and point the B values that the intervals were made of, in order of replicate."""
    system = system_of("two")
    rows = frame(replicate_rows(system))
    group_indices, points = 3, len(TARGETS)
    per_plan = 2 * B * (points * (1 + 2 * group_indices) + 3 * 2 * group_indices)
    assert rows.groupby("plan").size().to_dict() == {"subjects": per_plan, "images": per_plan}
    for plan, drawn in system.replicates.items():
        for a in system.operating_points.declared:
            here = rows[
                (rows["plan"] == plan.value)
                & (rows["metric"] == "fnmr_at_fmr")
                & (rows["at"] == f"fmr={system.operating_points.targets[a]:g}")
                & (rows["group"] == "y")
                & (rows["weighting"] == "identity")
            ]
            assert here["replicate"].tolist() == list(range(B))
            assert np.array_equal(here["value"].to_numpy(), drawn.fnmr[1, :, a, 2], equal_nan=True)
            assert set(here["schema"]) == {"group"}
    everybody = rows[rows["group"] == "all"]
    assert everybody["schema"].isna().all()


def test_no_plan_no_replicates() -> None:
    """Without bootstrap plans the table is empty and keeps its columns."""
    from frtaudit.core.spec import Bootstrap

    table = replicate_rows(put(spec(bootstrap=Bootstrap(B=39, plans=())), "two"))
    assert table.num_rows == 0
    assert table.schema == REPLICATE_SCHEMA


def test_files_read_back(tmp_path: Path) -> None:
    """What is written reads back equal, several providers in one file; the same tables give the same bytes."""
    for name, tables in whole().tables.items():
        write(tables, tmp_path / name)
        again = pd.read_parquet(tmp_path / name)
        assert len(again) == sum(table.num_rows for table in tables)
        write(tables, tmp_path / f"again_{name}")
        assert (tmp_path / name).read_bytes() == (tmp_path / f"again_{name}").read_bytes()
    rows = pd.read_parquet(tmp_path / parquet.SCORES)
    assert set(rows["provider"]) == {"one", "two"}


def test_large_tables_are_written_a_row_group_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more than one row group is in memory, also across systems; the bytes are those of whole tables."""
    for name in (parquet.SCORES, parquet.TAIL):
        tables, asked = whole().tables[name], []

        def noted(start: int, stop: int, part: Any, asked: list[int] = asked) -> pa.Table:
            asked.append(stop - start)
            return part(start, stop)

        assert all(isinstance(table, Rows) for table in tables)
        size = max(table.num_rows for table in tables) // 2 + 1
        monkeypatch.setattr(parquet, "ROW_GROUP", size)
        write(
            [Rows(num_rows=rows.num_rows, part=partial(noted, part=rows.part)) for rows in tables],
            tmp_path / name,
        )
        assert max(asked) == size
        at_once = pa.concat_tables([rows.whole() for rows in tables]).unify_dictionaries().combine_chunks()
        repeated = [field.name for field in at_once.schema if pa.types.is_dictionary(field.type)]
        pq.write_table(
            at_once, tmp_path / "at_once", row_group_size=size, compression="zstd", use_dictionary=repeated,
            write_statistics=False,
        )  # fmt: skip
        assert (tmp_path / name).read_bytes() == (tmp_path / "at_once").read_bytes()


def test_rows_that_wait_hold_no_system() -> None:
    """What is kept of a system until its rows are written has its scores, not its templates or replicates."""
    system = system_of()
    for rows in (score_rows(system), tail_rows(system)):
        assert isinstance(rows.part, parquet._Comparisons)
        kept = [getattr(rows.part, field.name) for field in fields(rows.part)]
        assert not any(isinstance(value, SystemData | ScoreTail) for value in kept)


def test_no_name_in_any_file(tmp_path: Path) -> None:
    """Neither result.json nor any table holds the name of a sample or a subject."""
    texts = [json.dumps(whole().result.to_json())]
    for name, tables in whole().tables.items():
        write(tables, tmp_path / name)
        rows = pd.read_parquet(tmp_path / name)
        texts += [
            str(value) for column in rows.columns for value in rows[column].unique() if isinstance(value, str)
        ]
    said = "\n".join(texts)
    names = [*MATERIAL.cohort.sample_ids, *MATERIAL.cohort.subject_ids]
    assert not [name for name in names if name in said]
