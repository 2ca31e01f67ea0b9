import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.spec import ConflictRule, SchemaSpec
from frtaudit.errors import DataError
from frtaudit.inputs.roster import Roster, enrol, missing_notes

IDS = ["a1", "a2", "b1", "c1", "c2"]
SUBJECTS = ["a", "a", "b", "c", "c"]
GENDER = ["f", "m", "m", "f", "f"]
SCHEMA = {"g": SchemaSpec(column="g", conflicts=ConflictRule.DROP)}


def roster(order: list[int]) -> Roster:
    return Roster(
        sample_ids=[IDS[i] for i in order],
        subjects=[SUBJECTS[i] for i in order],
        columns={"g": np.array([GENDER[i] for i in order], dtype=object)},
        places=[f"line {i}" for i in order],
    )


@given(st.permutations(range(5)))
def test_the_order_of_the_roster_changes_nothing(order: list[int]) -> None:
    """Any order of lines gives the same cohort, digest included."""
    first, second = enrol(roster(list(range(5))), SCHEMA), enrol(roster(order), SCHEMA)
    assert (first.sample_ids, first.subject_ids, first.digest) == (
        second.sample_ids,
        second.subject_ids,
        second.digest,
    )
    assert first.subject_of.tolist() == second.subject_of.tolist() == [0, 1, 1]


def test_dropped_subjects_leave_with_their_samples() -> None:
    """A conflict rule that drops takes the samples too, and a line of exclusions says how many subjects."""
    cohort = enrol(roster([0, 1, 2, 3, 4]), SCHEMA)
    assert cohort.sample_ids == ("b1", "c1", "c2")
    assert [(entry.code, entry.count) for entry in cohort.ledger] == [("conflicting_classes_dropped", 1)]


def test_the_digest_knows_classes() -> None:
    """Another classification is another cohort."""
    whole = enrol(roster([0, 1, 2, 3, 4]), {})
    assert whole.digest != enrol(roster([0, 1, 2, 3, 4]), SCHEMA).digest
    assert whole.n_samples == 5


@pytest.mark.parametrize(
    ("ids", "subjects", "message"),
    [
        (["x", "x"], ["a", "b"], "line 1: duplicate id: the sample id is already at line 0"),
        (["x", ""], ["a", "b"], "line 1: no sample id"),
        (["x", "y"], ["a", ""], "line 1: no subject id"),
        (["x", "x\0"], ["a", "b"], "line 1: a zero byte in the sample id; accepted: ids without zero bytes"),
        (["x", "y"], ["a", "a\0"], "line 1: a zero byte in the subject id"),
        (["x", "y"], ["a", "a"], "1 subject"),
        (
            ["x", "y"],
            ["a", "nan"],
            r"line 1: .* a missing value \(nan\); accepted: the subject's id; leave samples",
        ),
        (["x", "y"], ["N/A", "a"], "line 0: the subject id is a word for a missing value"),
    ],
)
def test_bad_rosters_name_the_line(ids: list[str], subjects: list[str], message: str) -> None:
    """Repeated and missing ids, and one subject only, are refused without naming anybody."""
    with pytest.raises(DataError, match=message):
        enrol(Roster(sample_ids=ids, subjects=subjects, columns={}, places=["line 0", "line 1"]), {})


def test_people_may_be_called_as_a_missing_value_is() -> None:
    """None and Null are names; several samples of one are noted, as they may be of nobody."""
    people = ["Null", "None", "na", "na", "a"]
    made = Roster(sample_ids=list("vwxyz"), subjects=people, columns={}, places=["line"] * 5)
    (note,) = missing_notes(enrol(made, {}))
    assert note.startswith("subject 'na' has 2 samples and counts as one person: if this stands for")
