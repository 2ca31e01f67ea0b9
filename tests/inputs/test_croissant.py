import json
from pathlib import Path

import pytest
from small_audits import spec

from frtaudit.core.provenance import Origin, Provenance
from frtaudit.errors import DataError
from frtaudit.inputs.croissant import read_origin, with_test_data

FACES = {
    "@type": "sc:Dataset",
    "name": "Faces",
    "version": 1.2,
    "license": ["https://creativecommons.org/licenses/by-nc/4.0/"],
    "creator": [
        {"@type": "Person", "name": "A. Person"},
        {"@type": "Organization", "url": "https://example.org"},
    ],
    "url": "https://example.org/faces",
}


def json_file(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_a_description_fills_what_the_spec_leaves_open(tmp_path: Path) -> None:
    """Licence, creator, version and address are taken over; what the spec says stands; no path is left."""
    path = json_file(tmp_path / "faces.json", FACES)
    origin = Origin(
        name="Faces",
        version="1.2",
        licence="https://creativecommons.org/licenses/by-nc/4.0/",
        creator="A. Person, https://example.org",
        source="https://example.org/faces",
    )
    made = with_test_data(spec(provenance=Provenance(croissant=str(path))))
    assert made.provenance == Provenance(test_data=origin)
    own = Provenance(test_data=Origin(name="Ours", licence="by contract"), croissant=str(path))
    found = with_test_data(spec(provenance=own)).provenance.test_data
    assert found is not None
    assert (found.name, found.licence, found.creator) == ("Ours", "by contract", origin.creator)
    assert with_test_data(spec()) == spec()


@pytest.mark.parametrize(
    "content",
    [[], {}, {"name": ""}, {"name": 0.5j}, {"name": ["\u202e"]}, {"name": {"name": {"name": None}}}],
    ids=str,
)
def test_what_is_no_description_is_one_line(tmp_path: Path, content: object) -> None:
    """Another file, none, one without a name, brackets beyond reason."""
    path = tmp_path / "faces.json"
    path.write_text("[" * 100_000 if content == {"name": 0.5j} else json.dumps(content))
    with pytest.raises(
        DataError, match=r"^provenance.croissant: faces.json: no data set with a name; accepted"
    ):
        read_origin(path)
    with pytest.raises(DataError, match="none.json: no data set"):
        read_origin(tmp_path / "none.json")


def test_values_are_one_short_line(tmp_path: Path) -> None:
    """Line ends become spaces; what is long is cut; what cannot be shown is left out."""
    found = read_origin(
        json_file(tmp_path / "x.json", {"name": "a\n b", "license": "L" * 999, "url": "\x1b[2J"})
    )
    assert (found.name, found.licence, found.source) == ("a b", "L" * 200, None)
