from pathlib import Path

import pytest
from attempt_files import HEAD, stored_attempts

from frtaudit.datasets.cohorts.attempts import Attempts
from frtaudit.errors import DataError

ROWS = "t1,1,a,a,0.5,\nt2,1,a,b,0.25,\n"


def test_a_table_of_people_that_is_not_there(tmp_path: Path) -> None:
    """The setting is named."""
    stored_attempts(tmp_path, HEAD + ROWS)
    with pytest.raises(DataError, match=r"cohort.people"):
        Attempts(root=str(tmp_path / "lab.csv"), people="nobody.csv").load({}, 0)


def test_the_file_names_the_system(tmp_path: Path) -> None:
    """Where no column says whose attempts they are; the files are recorded with their digests."""
    stored_attempts(tmp_path, HEAD + ROWS)
    found = Attempts(root=str(tmp_path / "lab.csv")).load({}, 0)
    assert list(found.transactions) == ["lab"]
    assert [len(digest) for digest in found.inputs.values()] == [64]
