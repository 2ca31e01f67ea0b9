"""Arrays as a cohort. Tests also score_cohort, which makes one of score lists and of arrays."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from frtaudit.core.spec import SchemaSpec
from frtaudit.errors import DataError
from frtaudit.inputs.score_lists.arrays import score_arrays

SEX = {"sex": SchemaSpec(column="sex", classes=("f", "m"))}
SUBJECTS = (["A", "A", "B", "A"], ["A", "B", "C", "C"])
SEXES = (["f", "f", "m", "f"], ["f", "m", None, float("nan")])


def test_arrays_are_a_cohort() -> None:
    """Samples, subjects and classes come from the arrays; a score that is NaN is a failed comparison."""
    samples = (["a2", "a1", "b1", "a1"], ["a1", "b1", "c1", "c1"])
    arrays = score_arrays(
        [0.9, 0.2, np.nan, 0.1],
        [True, False, False, False],
        subjects=SUBJECTS,
        samples=samples,
        groups={"sex": SEXES},
        system="one",
    )
    cohort_data = arrays.load(SEX, 0)
    assert cohort_data.cohort.sample_ids == ("a1", "a2", "b1", "c1")
    assert cohort_data.cohort.classifications["sex"].codes.tolist() == [0, 1, -1]
    comparisons, table = cohort_data.tables["one"]
    assert comparisons.mated.tolist() == [True, False, False, False]
    assert [table.codes[code] if code >= 0 else "" for code in table.failure] == ["", "", "missing_score", ""]
    assert not cohort_data.notes


def test_numbers_name_subjects_as_texts_do() -> None:
    """Whole numbers are names of subjects like any other; samples that nobody names are two for each comparison."""
    numbers = tuple(np.array([ord(name) for name in side]) for side in SUBJECTS)
    texts = tuple([str(ord(name)) for name in side] for side in SUBJECTS)
    found = [
        score_arrays(
            np.linspace(0, 1, 4), [1, 0, 0, 0], subjects=subjects, samples=None, groups={}, system="x"
        ).load({}, 0)
        for subjects in (numbers, texts)
    ]
    assert found[0].cohort.digest == found[1].cohort.digest
    assert found[0].cohort.subject_ids == ("65", "66", "67")
    assert found[0].cohort.n_samples == 8
    assert found[0].inputs == found[1].inputs


def test_another_score_is_another_input() -> None:
    """The digest of the inputs changes with one score, and with nothing else."""
    kinds = [1, 0, 0, 0]
    made = [
        score_arrays([last, 0.2, 0.3, 0.4], kinds, subjects=None, samples=None, groups={}, system="x")
        for last in (0.1, 0.1, 0.2)
    ]
    digests = [arrays.load({}, 0).inputs["scores"] for arrays in made]
    assert digests[0] == digests[1] != digests[2]


def test_what_a_mask_leaves_out_is_missing() -> None:
    """A masked score failed, a masked class is not known, a masked label is refused: what lies below is not read."""
    score = np.ma.array([0.9, -9.0, 0.3, 0.1], mask=[0, 1, 0, 0])
    kinds = np.ma.array([1, 0, 0, 0], mask=[0, 0, 0, 0])
    sexes = (SEXES[0], np.ma.array(["f", "m", "f", "f"], mask=[0, 0, 1, 1]))
    settings: Any = {"samples": None, "system": "x"}
    masked = score_arrays(score, kinds, subjects=SUBJECTS, groups={"sex": sexes}, **settings)
    plain = score_arrays(
        [0.9, np.nan, 0.3, 0.1], [1, 0, 0, 0], subjects=SUBJECTS, groups={"sex": SEXES}, **settings
    )
    assert masked.load(SEX, 0).inputs == plain.load(SEX, 0).inputs
    for labels in (kinds, np.ma.array(["mated", "no", "no", "no"])):
        labels[2] = np.ma.masked
        with pytest.raises(DataError, match=r"^mated row 2: no value;"):
            score_arrays(score, labels, subjects=SUBJECTS, groups={}, **settings)


@pytest.mark.parametrize(
    ("scores", "line"),
    [
        ([np.datetime64("2020-01-01")], "scores: an array of dates"),
        ([np.timedelta64(5, "D")], "scores: an array of durations"),
        (np.array([np.datetime64("2020-01-01"), 0.5], dtype=object), "scores row 0: .*2020-01-01"),
        (np.array([True, False], dtype=object), "scores: an array of booleans"),
        ([0.5, 10**400], "scores row 1: 1000"),
        (["0.9", "n/a"], "scores row 1: 'n/a' is not a number"),
    ],
)
def test_what_is_no_number_is_named(scores: Any, line: str) -> None:
    """With its row and its value where it is one of several."""
    with pytest.raises(DataError, match=f"^{line}"):
        score_arrays(scores, [1] * len(scores), subjects=None, samples=None, groups={}, system="x")


def test_a_missing_value_of_pandas_is_none() -> None:
    """A score that is NA failed."""
    given: Any = {"subjects": None, "samples": None, "groups": {}, "system": "x"}
    assert np.isnan(score_arrays([0.9, pd.NA], [1, 0], **given).score[1])


def test_subjects_are_compared_as_texts() -> None:
    """Blanks around a name are no part of it; numbers of two types are refused, with both texts."""
    given: Any = {"samples": None, "groups": {}, "system": "x"}
    made = score_arrays([0.9, 0.1], None, subjects=(["a ", "a"], ["a", "b"]), **given)
    assert made.mated.tolist() == [True, False]
    with pytest.raises(DataError, match=r"^subjects row 0: '0' and '0\.0' are equal as numbers"):
        score_arrays([0.9, 0.1], None, subjects=([0, 1], [0.0, 2.0]), **given)
    with pytest.raises(DataError, match="^subject of probe row 1: .*ud800"):
        score_arrays([0.9, 0.1], [1, 0], subjects=(["a", "\ud800"], ["a", "b"]), **given)
