import numpy as np
import pandas as pd
import pytest

from frtaudit.errors import DataError
from frtaudit.inputs.score_lists.arrays import score_arrays
from frtaudit.inputs.score_lists.frames import arrays_of_frame

TABLE = pd.DataFrame(
    {
        "score": [0.9, 0.2, np.nan],
        "y_true": [1, 0, 0],
        "probe": ["a1", "a1", "b1"],
        "reference": ["a2", "b1", "c1"],
        "probe_subject": ["a", "a", "b"],
        "reference_subject": ["a", "b", "c"],
        "probe_sex": ["f", "f", None],
        "reference_sex": ["f", "m", "m"],
        "site": ["x", "y", "y"],
    }
)
NOTHING = {
    "score": None,
    "mated": None,
    "samples": (None, None),
    "subjects": None,
    "groups": (),
    "system": "s",
}


def test_usual_names_are_found_and_groups_have_one_or_two_columns() -> None:
    """The arrays of the columns; a class column of its own is of both sides; equal people are mated."""
    made = arrays_of_frame(TABLE, **{**NOTHING, "groups": ["sex", "site"]})
    sides = {
        name: (TABLE[f"probe{end}"], TABLE[f"reference{end}"])
        for name, end in (("samples", ""), ("subjects", "_subject"), ("sex", "_sex"))
    }
    groups = {"sex": sides.pop("sex"), "site": (TABLE["site"], TABLE["site"])}
    wanted = score_arrays(TABLE["score"], [1, 0, 0], groups=groups, system="s", **sides)
    assert made.texts == wanted.texts
    assert made.texts["probe_sex"] == ["f", "f", ""]
    for table in (TABLE, TABLE.drop(columns="y_true")):
        assert arrays_of_frame(table, **NOTHING).mated.tolist() == [True, False, False]


def test_samples_of_nobody_are_not_looked_for() -> None:
    """Images without people say nothing of dependence: they are left out unless they are named, and then refused."""
    bare = TABLE[["score", "y_true", "probe", "reference"]]
    assert not arrays_of_frame(bare, **NOTHING).named
    with pytest.raises(DataError, match="subjects: None, but samples or groups are given"):
        arrays_of_frame(bare, **{**NOTHING, "samples": ("probe", "reference")})


def test_rows_of_several_systems_are_refused() -> None:
    """They would be taken for one; following the advice works, and one system's name is no hindrance."""
    twice = pd.concat([TABLE.assign(vendor="b"), TABLE.assign(vendor="a")])
    line = r"column 'vendor' names 2 systems: a, b; accepted: rows of one system: table\[table\['vendor'\] == 'a'\]"
    with pytest.raises(DataError, match=line):
        arrays_of_frame(twice, **NOTHING)
    assert arrays_of_frame(twice[twice["vendor"] == "a"], **NOTHING).score.size == len(TABLE)
