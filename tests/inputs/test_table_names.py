"""Tests of frtaudit.inputs.table_names."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_audits import put, score_lines, spec, system_of

from frtaudit.analyses.vendor_comparison import VendorComparison
from frtaudit.core import AuditResult
from frtaudit.core.canonical import pseudonym
from frtaudit.core.spec import Report
from frtaudit.datasets.cohorts.runs import Runs
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.protocols.finished_runs import AsFinished
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.evaluation.system import SystemData
from frtaudit.inputs.table_names import names_of
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.run import run
from frtaudit.pipeline.tables import Rows, pair_rows, sample_rows, score_rows, tail_rows, write

TABLES = (sample_rows, score_rows, tail_rows, pair_rows)


def secretly(system: SystemData) -> SystemData:
    """The same system where the key came from a file."""
    return replace(system, cohort_data=replace(system.cohort_data, secret=True))


def frame(table: pa.Table | Rows) -> Any:
    """A table as pandas, with texts."""
    found = (table.whole() if isinstance(table, Rows) else table).to_pandas()
    texts = [name for name in found.columns if str(found[name].dtype) == "category"]
    return found.astype(dict.fromkeys(texts, object))


@pytest.fixture(scope="module", params=["pairs", "list"])
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SystemData:
    """A system of all pairs, or of listed comparisons of which two failed."""
    if request.param == "pairs":
        return system_of()
    path = tmp_path_factory.mktemp("listed") / "one.csv"
    pd.DataFrame(score_lines(failed=(0, 7))).to_csv(path, index=False)
    return put(spec(cohort=ScoreLists(root=str(path)), protocol=Listed()), "one")


@pytest.mark.parametrize("rows_of", TABLES)
def test_a_secret_key_changes_nothing_but_the_order(system: SystemData, rows_of: Any) -> None:
    """The same rows: each sample's subject, failure and class, each comparison's score, failure and fold."""
    usual, secret = frame(rows_of(system)), frame(rows_of(secretly(system)))
    sides = ["probe", "reference", "probe_subject", "reference_subject"]
    if system.table is None and sides[0] in usual.columns:  # a pair has no order
        for rows in (usual, secret):
            swapped = rows["probe"] > rows["reference"]
            rows.loc[swapped, sides] = rows.loc[swapped, [*sides[1::-1], *sides[:1:-1]]].to_numpy()
    lines = [sorted(map(str, rows.itertuples(index=False))) for rows in (usual, secret)]
    assert lines[0] == lines[1]


def test_the_order_is_that_of_the_pseudonyms(system: SystemData, tmp_path: Path) -> None:
    """Samples subject by subject, comparisons of one score, and the names that a file lists, all by pseudonym."""
    for rows_of in TABLES:
        write([rows_of(secretly(system))], tmp_path / "table.parquet")
        for chunk in pq.read_table(tmp_path / "table.parquet").itercolumns():
            if pa.types.is_dictionary(chunk.type) and len(chunk) and len(chunk.chunk(0).dictionary) > 8:
                names = chunk.chunk(0).dictionary.to_pylist()
                whose = dict(zip(*map(tuple, owners(system)), strict=True))
                assert names == sorted(names, key=lambda name: (whose.get(name, name), name))
    samples = frame(sample_rows(secretly(system)))
    assert samples["subject"].is_monotonic_increasing
    assert all(part["sample"].is_monotonic_increasing for _, part in samples.groupby("subject"))
    place = {name: number for number, name in enumerate(samples["sample"])}
    for rows in map(frame, (score_rows(secretly(system)), tail_rows(secretly(system)))):
        first, second = (rows[side].map(place).to_numpy(dtype=np.int64) for side in ("probe", "reference"))
        level = np.zeros(len(rows)) if system.table else np.abs(rows["score"] - rows["score"].iloc[0])
        assert np.array_equal(np.lexsort((second, first, level)), np.arange(len(rows)))


def owners(system: SystemData) -> tuple[list[str], list[str]]:
    """Pseudonyms of samples, and of their subjects."""
    key, cohort = system.cohort_data.pseudonym_key, system.cohort
    return (
        [pseudonym(key, name) for name in cohort.sample_ids],
        [pseudonym(key, cohort.subject_ids[subject]) for subject in cohort.subject_of],
    )


def test_without_a_secret_the_order_is_the_cohorts() -> None:
    """Runs are compared as one audit would be: subjects are drawn in the order in which they stand."""
    names, cohort = names_of(system_of().cohort_data), system_of().cohort
    assert names.sample_place.tolist() == list(range(cohort.n_samples))
    assert names.samples.to_pylist() == owners(system_of())[0]


def test_drawn_pairs_do_not_follow_the_ids() -> None:
    """The tool puts the earlier id first; in the table of folds the earlier pseudonym is."""
    rows = frame(pair_rows(secretly(system_of())))
    assert len(rows) > 50
    place = {name: number for number, name in enumerate(frame(sample_rows(secretly(system_of())))["sample"])}
    assert (rows["probe"].map(place) < rows["reference"].map(place)).all()


def test_runs_under_one_secret_are_compared(tmp_path: Path) -> None:
    """Their rates are those of each run, on all comparisons."""
    (tmp_path / "key").write_bytes(b"a secret of thirty-two bytes ....")
    folders = []
    for provider, power in (("one", 1), ("two", 3)):
        path = tmp_path / f"{provider}.csv"
        lines = [line | {"score": float(line["score"]) ** power} for line in score_lines()]
        pd.DataFrame(lines).to_csv(path, index=False)
        cohort = ScoreLists(root=str(path), pseudonym_key=str(tmp_path / "key"))
        made = spec(cohort=cohort, protocol=Listed(), report=Report(sign=False, html=False, pdf=False))
        run(made, tmp_path / f"run_{provider}", lambda _: 0)
        folders.append(str(tmp_path / f"run_{provider}"))
    compared = spec(
        cohort=Runs(runs=tuple(folders)),
        protocol=AsFinished(),
        schemas={},
        providers=("one", "two"),
        analyses={"vendor_comparison": VendorComparison()},
    )
    result = audit(compared).result
    assert any(estimate.metric == "vendor_difference" for estimate in result.estimates)
    assert "no bootstrap replicates of the runs to compare with these scores: one, two" in result.notes
    for provider, folder in zip(("one", "two"), folders, strict=True):
        whole = AuditResult.from_json(json.loads((Path(folder) / "result.json").read_bytes()))
        rates = [
            estimate.value
            for estimate in whole.estimates
            if (estimate.metric, estimate.group, estimate.weighting) == ("fnmr_at_fmr", "all", "pooled")
        ]
        again = put(compared, provider)
        assert again.comparisons.n_listed == len(score_lines())
        assert again.rates[0].fnmr[again.operating_points.declared[0], 0] in rates
