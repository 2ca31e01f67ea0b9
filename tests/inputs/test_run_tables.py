import shutil
from pathlib import Path

import numpy as np
import pytest
from vendor_audits import runs, trials

from frtaudit.errors import DataError
from frtaudit.inputs import run_tables


def test_a_tail_is_read_back_as_it_was() -> None:
    """Samples, mated scores and non-mated scores above the written floor; the planned total stays."""
    run = run_tables.read_run_tables(runs() / "one")
    cohort = run_tables.cohort_of(run)
    compared = run_tables.comparisons_of(run, cohort)
    found = run_tables.finished_of(run, "one", cohort, compared)
    tail, own = found.tail, trials()[0].tail
    assert tail is not None
    assert tail.rows.tolist() == own.rows.tolist()
    assert tail.mated_score.tolist() == own.mated_score.tolist()
    assert np.array_equal(tail.tail_score, own.tail_score[: tail.tail_score.size])
    assert int(tail.histogram.sum()) == int(own.histogram.sum())
    lowest = min(float(drawn.t_star.min()) for drawn in trials()[0].replicates.values())
    assert tail.cutoff < lowest


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    """No result, or a run of an older version without the tables that are needed."""
    with pytest.raises(DataError, match="no result.json"):
        run_tables.read_run_tables(tmp_path)
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(DataError, match="no tables/pairs.parquet"):
        run_tables.read_run_tables(tmp_path)
    shutil.copytree(runs() / "one", tmp_path / "run", ignore=shutil.ignore_patterns("verdict.json"))
    with pytest.raises(DataError, match=r"run: no verdict.json; accepted: a complete run"):
        run_tables.read_run_tables(tmp_path / "run")
