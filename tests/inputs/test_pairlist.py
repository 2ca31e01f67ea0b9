import re
from pathlib import Path

import numpy as np
import pytest

from frtaudit.core.cohort import Cohort
from frtaudit.core.spec import ConflictRule, SchemaSpec
from frtaudit.errors import DataError
from frtaudit.inputs.pairlist import read_pairs
from frtaudit.inputs.roster import Roster, enrol

IDS = ["A_B_0001", "A_B_0002", "C_0001", "C_0010", "D_0001"]
LFW = "2\t1\nA_B\t1\t2\nA_B\t1\tD\t1\nC\t1\t10\nC\t10\tA_B\t2\n"


def cohort(drop: str = "") -> Cohort:
    """Three subjects; ``drop`` names one whose samples disagree and who is dropped."""
    subjects = [name.rpartition("_")[0] for name in IDS]
    label = np.array(
        [f"{name}" if subject == drop else "x" for name, subject in zip(IDS, subjects, strict=True)]
    )
    roster = Roster(sample_ids=IDS, subjects=subjects, columns={"g": label.astype(object)}, places=IDS)
    return enrol(
        roster, {"g": SchemaSpec(column="g", classes=("x",), unknown=("*",))} if not drop else _dropping()
    )


def _dropping() -> dict[str, SchemaSpec]:
    return {"g": SchemaSpec(column="g", conflicts=ConflictRule.DROP)}


def pair_file(tmp_path: Path, text: str, name: str = "pairs.txt") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_lfw_folds(tmp_path: Path) -> None:
    """The header's folds are numbered from 0; image ids are name_%04d."""
    pairs = read_pairs(pair_file(tmp_path, LFW), cohort())
    assert pairs.probe.tolist() == [0, 0, 2, 3]
    assert pairs.reference.tolist() == [1, 4, 3, 1]
    assert pairs.fold is not None
    assert pairs.fold.tolist() == [0, 0, 1, 1]


def test_lists_without_folds(tmp_path: Path) -> None:
    """One count, or no header at all, is one list without folds; spaces do as well as tabs."""
    body = "A_B 1 2\nA_B 1 D 1\n"
    for text in (f"1\n{body}", body):
        pairs = read_pairs(pair_file(tmp_path, text), cohort())
        assert pairs.fold is None
        assert pairs.probe.size == 2


def test_tables_of_pairs(tmp_path: Path) -> None:
    """A CSV needs probe and reference, under either name, and may number folds, from any number, with any step."""
    text = "fold,image_id_1,image_id_2\n30,A_B_0001,A_B_0002\n10,C_0001,D_0001\n20,C_0001,A_B_0001\n"
    pairs = read_pairs(pair_file(tmp_path, text, "p.csv"), cohort())
    assert pairs.fold is not None
    assert pairs.fold.tolist() == [2, 0, 1]
    floats = pair_file(tmp_path, text.replace("0,A", "0.0,A"), "floats.csv")
    assert str(read_pairs(floats, cohort())) == str(pairs)
    assert read_pairs(pair_file(tmp_path, "probe,reference\nC_0001,D_0001\n", "q.csv"), cohort()).fold is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no pair"),
        ("2\t2\nA_B\t1\t2\n", "1 pairs; accepted: 8, as the first line says"),
        ("1\t1\nA_B\t1\tD\t1\nA_B\t1\t2\n", "line 2: a line of the other kind"),
        ("x\t1\nA_B\t1\t2\n", "line 1: 'x' is not a count"),
        ("KEY=" + "s" * 40, "line 1: 'KEY=ssss'... .44 characters. is not a count"),
        ("A_B\t1\t9\n", "line 1: names a sample that the cohort does not hold"),
        (
            "A_B\t1\ttwo\n",
            "line 1: an image number is not an integer; accepted: .*; lists of file names: a .csv with",
        ),
        ("A_B\t1\t2\t3\t4\n", "line 1: 5 fields"),
        ("A_B\t1\t1\n", "line 1: compares a sample with itself"),
        ("A_B\t1\tA_B\t2\n", "line 1: a non-mated line disagrees with the metadata"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, text: str, message: str) -> None:
    """Each fault is one line that names file and line, and nobody."""
    with pytest.raises(DataError, match=message) as caught:
        read_pairs(pair_file(tmp_path, text), cohort())
    assert "A_B" not in str(caught.value)


def test_a_fold_is_a_number(tmp_path: Path) -> None:
    """A fold that is no small integer is refused, also when it is missing."""
    for fold in ("x", "", "-1", "40000"):
        path = pair_file(tmp_path, f"fold,probe,reference\n0,C_0001,D_0001\n{fold},C_0001,D_0001\n", "p.csv")
        with pytest.raises(
            DataError, match=rf"p.csv line 3: the fold is not an integer from 0 to 32767: '{fold}'"
        ):
            read_pairs(path, cohort())


def test_pairs_of_dropped_subjects_are_counted(tmp_path: Path) -> None:
    """Where a conflict rule dropped a subject, its pairs are left out and counted."""
    pairs = read_pairs(pair_file(tmp_path, LFW), cohort(drop="C"))
    assert pairs.left_out == 2
    assert pairs.probe.size == 2


def test_a_missing_list_is_named(tmp_path: Path) -> None:
    """A list that is not there, or is not text, is one line."""
    with pytest.raises(DataError, match=r"^pairs.txt: no file"):
        read_pairs(tmp_path / "pairs.txt", cohort())
    (tmp_path / "pairs.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not a readable text file"):
        read_pairs(tmp_path / "pairs.txt", cohort())


def test_what_a_table_calls_mated_is_compared_with_the_subjects(tmp_path: Path) -> None:
    """The first line that disagrees is named; one that says nothing is refused too, as in score lists."""
    head = "probe,reference,mated\nA_B_0001,A_B_0002,yes\n"
    assert read_pairs(pair_file(tmp_path, f"{head}C_0001,D_0001,0\n", "p.csv"), cohort()).probe.size == 2
    for line, message in (
        (
            "C_0001,C_0010,no",
            "p.csv line 3: a non-mated line disagrees with the metadata; accepted: pairs that agree",
        ),
        ("C_0001,D_0001,1", "p.csv line 3: a mated line disagrees with the metadata"),
        ("C_0001,D_0001,?", "p.csv line 3: column 'mated' says neither; accepted: 1 or 0"),
    ):
        with pytest.raises(DataError, match=re.escape(message)):
            read_pairs(pair_file(tmp_path, f"{head}{line}\n", "p.csv"), cohort())
    labels = head.replace("mated", "label").replace("yes", "kin")
    assert read_pairs(pair_file(tmp_path, labels, "p.csv"), cohort()).probe.size == 1
