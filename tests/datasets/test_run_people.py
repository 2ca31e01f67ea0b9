from pathlib import Path

import pandas as pd
import pytest
from small_audits import spec

from frtaudit.core.identity import to_plain
from frtaudit.core.machine.run_files import RESULT
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.datasets.run_people import names_of
from frtaudit.errors import DataError
from frtaudit.inputs.run_tables import RunTables
from frtaudit.inputs.table_names import names_of as pseudonyms_of
from frtaudit.pipeline.rederive import note_paths

LINES = "probe,reference,probe_subject,reference_subject,score\na1,a2,a,a,0.9\na1,b1,a,b,0.2\na2,b2,a,b,0.1\n"


def test_names_come_from_the_data_that_the_run_read(tmp_path: Path) -> None:
    """Every sample by its pseudonym; other data in their place, or none known, are one line that names no sample."""
    (tmp_path / "vendor.csv").write_text(LINES)
    made = spec(cohort=ScoreLists(root=str(tmp_path / "vendor.csv")), protocol=Listed(), schemas={})
    loaded = made.cohort.load({}, 0)  # type: ignore[attr-defined]  # a cohort source
    samples = pd.DataFrame({"sample": pseudonyms_of(loaded).samples.to_pylist()})
    run = RunTables(
        folder="vendor",
        result={"spec": to_plain(made)},
        signer=None,
        tables={"samples": samples},
        digests={RESULT: "0"},
    )
    with pytest.raises(DataError, match=r"vendor: its pseudonyms differ, .*cohort.root"):
        names_of(run)
    note_paths(made, "0")
    assert sorted(names_of(run).values()) == ["a1", "a2", "b1", "b2"]
    assert set(names_of(run)) == set(samples["sample"])
    (tmp_path / "vendor.csv").write_text(LINES.replace("b2", "b3"))
    with pytest.raises(DataError, match="vendor: its data or its pseudonym key have changed since the run"):
        names_of(run)
