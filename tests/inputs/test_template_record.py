"""The record beside templates, whatever stands in it."""

from pathlib import Path

import pytest

from frtaudit.core.canonical import Json, to_bytes
from frtaudit.errors import DataError
from frtaudit.inputs.template_record import FORMAT, read_record

RECORD: dict[str, Json] = {
    "format": FORMAT,
    "templates": "aa",
    "settings": {"size": "112 112"},
    "source": "a paper",
    "licence": "free",
    "images": {"listed": 3, "embedded": 2, "several_faces": 0, "sha256": "bb"},
    "failures": {"no_face": 1},
    "checks": {"separation": 2.5, "unit_length": True, "length": [1, 2, 3], "text": "<script>"},
    "notes": ["one thing"],
}


def test_a_record_tells_facts_and_notes(tmp_path: Path) -> None:
    """Settings as text, counts as numbers; of checks numbers alone; nothing where there is no file."""
    path = tmp_path / "x.json"
    assert read_record(path, "x.json", "aa") is None
    path.write_bytes(to_bytes(RECORD))
    read = read_record(path, "x.json", "aa")
    assert read is not None
    assert read.notes == ("one thing",)
    assert read.facts["images"] == {"listed": 3, "embedded": 2, "several_faces": 0}
    assert read.facts["checks"] == {"separation": 2.5, "unit_length": True}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"format": "other/1"}, "the format 'other/1'; accepted: frtaudit-templates/1"),
        ({"templates": "cc"}, "is the record of templates other than those in its .npz file"),
        ({"settings": []}, "not readable as a record"),
        ({"images": {"listed": "many"}}, "not readable as a record"),
        ({"notes": 5}, "not readable as a record"),
        ({"checks": None}, "not readable as a record"),
    ],
)
def test_a_record_of_another_shape_is_refused(tmp_path: Path, change: dict[str, Json], line: str) -> None:
    """One line: the file, what was found, what would be accepted."""
    path = tmp_path / "x.json"
    path.write_bytes(to_bytes(RECORD | change))
    with pytest.raises(DataError) as caught:
        read_record(path, "templates/x.json", "aa")
    assert str(caught.value).startswith("templates/x.json: ")
    assert line in str(caught.value)
