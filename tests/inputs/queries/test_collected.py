from pathlib import Path

import pytest
from collected_audits import stored_collection

from frtaudit.errors import DataError
from frtaudit.inputs.queries.collected import read_collected


def test_what_was_left_out_and_what_changed_is_counted(tmp_path: Path) -> None:
    """Images by reason, missing comparisons, a change and several versions: a line of failures and exclusions each."""
    found = read_collected(stored_collection(tmp_path))
    assert found is not None
    assert {(entry.code, entry.count, entry.provider) for entry in found.ledger} == {
        ("unreadable_image", 2, None),
        ("policy_robots", 1, None),
        ("not_collected_budget", 1, "acme"),
        ("service_changed_while_collected", 5, "acme"),
        ("versions_while_collected", 2, "acme"),
    }
    assert found.notes == ("acme changed",)
    assert found.lists == ("acme.parquet",)


def test_other_folders_are_not_touched(tmp_path: Path) -> None:
    """A folder that nobody collected into is none."""
    assert read_collected(tmp_path) is None


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"finished": False}, "the collection in it is not finished"),
        ({"format": "other/2"}, "the format 'other/2'; accepted: frtaudit-collection/1"),
        ({"files": {"faces.csv": "00"}}, "faces.csv: is not the file that frtaudit collect wrote"),
        ({"files": {"../faces.csv": "00"}}, "is not the file"),
        ({"services": None}, "collection.json: no"),
    ],
)
def test_what_is_no_finished_collection_is_refused(
    tmp_path: Path, fields: dict[str, object], line: str
) -> None:
    """One line each; an unfinished one is read where its budget was to be partial."""
    with pytest.raises(DataError, match=line):
        read_collected(stored_collection(tmp_path, **fields))
    if "finished" in fields:
        assert read_collected(stored_collection(tmp_path, finished=False, partial=True)) is not None


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    """Text that is no JSON, and a store without a collection beside it."""
    (tmp_path / "collection.json").write_text("{")
    with pytest.raises(DataError, match="not readable as a collection"):
        read_collected(tmp_path)
    (tmp_path / "collection.json").unlink()
    (tmp_path / "store.sqlite").write_text("")
    with pytest.raises(DataError, match="not finished"):
        read_collected(tmp_path)
