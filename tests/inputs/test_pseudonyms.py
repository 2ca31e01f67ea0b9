from pathlib import Path

import pytest

from frtaudit.core.canonical import digest
from frtaudit.errors import DataError
from frtaudit.inputs.pseudonyms import pseudonym_key
from frtaudit.inputs.roster import Roster, enrol

SAMPLES, SUBJECTS = ["a1", "a2", "b1"], ["a", "a", "b"]


def test_a_key_file_goes_before_the_people(tmp_path: Path) -> None:
    """The file's bytes are the key."""
    (tmp_path / "key").write_bytes(b"\x01\x02")
    assert pseudonym_key(str(tmp_path / "key"), SAMPLES, SUBJECTS) == b"\x01\x02"


def test_the_key_is_of_who_gave_which_samples() -> None:
    """Order and names of subjects change nothing; one sample more or another person's does. No result holds it."""
    key = pseudonym_key(None, SAMPLES, SUBJECTS)
    assert len(key) == 32
    assert pseudonym_key(None, ["b1", "a2", "a1"], ["2", "1", "1"]) == key
    assert pseudonym_key(None, [*SAMPLES, "b2"], [*SUBJECTS, "b"]) != key
    assert pseudonym_key(None, SAMPLES, ["a", "b", "b"]) != key
    cohort = enrol(Roster(sample_ids=SAMPLES, subjects=SUBJECTS, columns={}, places=SAMPLES), {})
    assert key.hex() not in (cohort.digest, digest(SAMPLES), digest(list(cohort.sample_ids)))


def test_a_key_file_must_hold_a_key(tmp_path: Path) -> None:
    """A missing or empty key file is refused: pseudonyms never fall back silently."""
    (tmp_path / "empty").touch()
    for name in ("empty", "missing"):
        with pytest.raises(DataError, match="the key file is missing or empty"):
            pseudonym_key(str(tmp_path / name), SAMPLES, SUBJECTS)
