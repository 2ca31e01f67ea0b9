import os
from pathlib import Path

import pandas as pd
import pytest

from frtaudit.core.spec import ConflictRule, SchemaSpec
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.errors import DataError

HEAD = "probe,reference,probe_subject,reference_subject,score,failure,probe_sex,reference_sex\n"
LINES = "a2,a1,A,A,0.9,,f,f\na1,b1,A,B,0.2,,f,m\nb1,c1,B,C,,no_face,m,\na1,c1,A,C,,,f,\n"
SEX = {"sex": SchemaSpec(column="sex", classes=("f", "m"))}


def score_file(tmp_path: Path, text: str = HEAD + LINES, name: str = "vendor.csv") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_a_list_is_a_cohort(tmp_path: Path) -> None:
    """Samples, subjects and classes come from the lines; scores and failures keep their order."""
    cohort_data = ScoreLists(root=str(score_file(tmp_path))).load(SEX, 0)
    assert cohort_data.cohort.sample_ids == ("a1", "a2", "b1", "c1")
    assert cohort_data.cohort.classifications["sex"].codes.tolist() == [0, 1, -1]
    comparisons, table = cohort_data.tables["vendor"]
    assert comparisons.probe.tolist() == [1, 0, 2, 0]
    assert comparisons.mated.tolist() == [True, False, False, False]
    assert not comparisons.ordered
    assert [table.codes[code] if code >= 0 else "" for code in table.failure] == [
        "",
        "",
        "no_face",
        "missing_score",
    ]
    assert list(cohort_data.inputs) == ["vendor.csv"]
    assert len(cohort_data.pseudonym_key) == 32


def test_a_class_of_one_side_is_told(tmp_path: Path) -> None:
    """The column that is missing is named; one that no schema asks for may stand alone."""
    path = score_file(tmp_path, HEAD.replace("reference_sex", "else") + LINES)
    assert ScoreLists(root=str(path)).load({}, 0).cohort.classifications == {}
    with pytest.raises(
        DataError, match="^vendor.csv: a column probe_sex without reference_sex; accepted: both"
    ):
        ScoreLists(root=str(path)).load(SEX, 0)


def test_parquet_reads_alike(tmp_path: Path) -> None:
    """The same list as Parquet, with real numbers and nulls, gives the same cohort and scores."""
    first = ScoreLists(root=str(score_file(tmp_path))).load(SEX, 0)
    pd.read_csv(tmp_path / "vendor.csv").to_parquet(tmp_path / "vendor.parquet")
    second = ScoreLists(root=str(tmp_path / "vendor.parquet")).load(SEX, 0)
    assert first.cohort.digest == second.cohort.digest
    for one, other in zip(first.tables["vendor"], second.tables["vendor"], strict=True):
        assert str(one) == str(other)


def test_several_systems(tmp_path: Path) -> None:
    """A provider column splits a file; in a folder each other file is one more provider, named by its stem."""
    score_file(
        tmp_path, "probe,reference,provider,score\na1,a2,x,0.9\na1,b1,y,0.1\na1,a2,y,0.8\n", "both.csv"
    )
    score_file(tmp_path, "probe,reference,score\na1,b1,0.3\n", "z.csv")
    score_file(tmp_path, "image_id,subject_id,sex\na1,A,f\na2,A,f\nb1,B,m\nc1,C,m\n", "metadata.csv")
    cohort_data = ScoreLists(root=str(tmp_path)).load(SEX, 0)
    assert {name: table.score.tolist() for name, (_, table) in cohort_data.tables.items()} == {
        "x": [0.9],
        "y": [0.1, 0.8],
        "z": [0.3],
    }
    assert cohort_data.cohort.sample_ids == ("a1", "a2", "b1")  # c1 stands in no list
    assert sorted(cohort_data.inputs) == ["both.csv", "metadata.csv", "z.csv"]
    assert list(ScoreLists(root=str(tmp_path), files=("z.csv",)).load({}, 0).tables) == ["z"]


def test_a_copy_of_a_list_is_noted(tmp_path: Path) -> None:
    """As a second download makes it: another name, the same scores. One other score is another system."""
    for name, score in (("a", "0.9"), ("a (1)", "0.90"), ("b", "0.8")):
        score_file(tmp_path, (HEAD + LINES).replace("0.9", score), f"{name}.csv")
    cohort_data = ScoreLists(root=str(tmp_path)).load(SEX, 0)
    assert cohort_data.notes == ("a (1) has the same scores as a: check that its list is no copy",)


@pytest.mark.parametrize("kind", ["fifo", "loop", "device"])
def test_a_root_that_is_no_regular_file_is_called_what_it_is(kind: str, tmp_path: Path) -> None:
    """It is there: the error does not say that nothing is."""
    path = tmp_path / "s.csv"
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(path if kind == "loop" else "/dev/null")
    said = "is a FIFO" if kind == "fifo" else "is a symbolic link"
    with pytest.raises(DataError, match=f"^cohort.root: {said}; accepted: a regular file"):
        ScoreLists(root=str(path)).check_files()


def test_hidden_files_are_no_lists(tmp_path: Path) -> None:
    """What macOS and spreadsheets leave; what else may hold a list and is not read is named, a spec in JSON is not."""
    score_file(tmp_path)
    for name in ("._vendor.csv", "~$vendor.csv", "b.feather", "c.csv.zip", "d.json"):
        (tmp_path / name).write_bytes(b"junk")
    cohort_data = ScoreLists(root=str(tmp_path)).load({}, 0)
    assert (list(cohort_data.tables), cohort_data.unread) == (["vendor"], ("b.feather", "c.csv.zip"))


def test_a_suffix_may_be_upper_case(tmp_path: Path) -> None:
    """A list that a spreadsheet named in capitals is a system as any other."""
    score_file(tmp_path, name="a.csv")
    score_file(tmp_path, name="b.CSV")
    assert list(ScoreLists(root=str(tmp_path)).load({}, 0).tables) == ["a", "b"]


def test_both_orders_make_an_ordered_list(tmp_path: Path) -> None:
    """A list that holds some pair in both orders is ordered."""
    path = score_file(tmp_path, HEAD + LINES + "b1,a1,B,A,0.3,,m,f\n")
    assert ScoreLists(root=str(path)).load({}, 0).tables["vendor"][0].ordered


def test_a_comparison_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """In one list or in two of one system: both lines are named. The other order, and another system, may stand."""
    head = "provider,probe,reference,probe_subject,reference_subject,score\n"
    (tmp_path / "a.csv").write_text(
        head + "v,a1,a2,a,a,0.5\nv,a2,a1,a,a,0.25\nw,a1,a2,a,a,0.5\nv,a1,b1,a,b,0\n"
    )
    assert set(ScoreLists(root=str(tmp_path)).load({}, 0).tables) == {"v", "w"}
    (tmp_path / "b.csv").write_text(head + "w,a2,a1,a,a,0.5\nv,a1,a2,a,a,0.5\n")
    with pytest.raises(
        DataError, match=r"^b.csv line 3: the comparison of a.csv line 2 again; accepted: each"
    ):
        ScoreLists(root=str(tmp_path)).load({}, 0)


def test_lines_that_compare_nothing_are_counted(tmp_path: Path) -> None:
    """Self-comparisons, and those of subjects whom a conflict rule dropped, are listed as exclusions."""
    path = score_file(tmp_path, HEAD + LINES + "c1,c1,C,C,1,,,\na3,b1,A,B,0.1,,m,m\nd1,b1,D,B,0.1,,m,m\n")
    rule = {"sex": SchemaSpec(column="sex", conflicts=ConflictRule.DROP)}
    cohort_data = ScoreLists(root=str(path)).load(rule, 0)
    assert [(entry.code, entry.count, entry.provider) for entry in cohort_data.cohort.ledger] == [
        ("conflicting_classes_dropped", 1, None),
        ("empty_class", 0, None),
        ("comparison_of_dropped_subject", 4, "vendor"),
        ("self_comparison", 1, "vendor"),
    ]
    assert cohort_data.tables["vendor"][1].score.size == 2


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            "a1,b1,Z,B,0.1,,f,m\n",
            "vendor.csv line 6: gives a sample a different subject than vendor.csv line 3",
        ),
        ("a1,b1,A,B,0.1,,m,m\n", "vendor.csv line 6: gives a sample a different sex than"),
        ("a1,b1,A,B,x,,f,m\n", "vendor.csv line 6: the score is not a number"),
    ],
)
def test_lines_that_disagree_are_named(tmp_path: Path, more: str, message: str) -> None:
    """A sample has one subject and one value of a class column; a score is a number."""
    with pytest.raises(DataError, match=message):
        ScoreLists(root=str(score_file(tmp_path, HEAD + LINES + more))).load({}, 0)


def test_mated_lines_are_checked(tmp_path: Path) -> None:
    """A line said to be mated whose subjects differ is refused."""
    path = score_file(
        tmp_path, "probe,reference,probe_subject,reference_subject,score,genuine\na,b,A,B,1,1\n"
    )
    with pytest.raises(DataError, match="vendor.csv line 2: a mated line disagrees with the subjects"):
        ScoreLists(root=str(path)).load({}, 0)


def test_subjects_must_come_from_somewhere(tmp_path: Path) -> None:
    """Without subject columns and metadata there is no cohort; metadata must hold each sample once."""
    path = score_file(tmp_path, "probe,reference,score\na1,b1,0.1\n")
    advice = "accepted: columns probe_subject .*; scores without subjects: audit=nameless"
    with pytest.raises(DataError, match=f"line 2: no subject for a sample; {advice}"):
        ScoreLists(root=str(path)).load({}, 0)
    score_file(tmp_path, "sample_id,subject_id\na1,A\na1,A\n", "metadata.csv")
    with pytest.raises(DataError, match="metadata.csv line 3: duplicate ids"):
        ScoreLists(root=str(path)).load({}, 0)
    with pytest.raises(DataError, match="cohort.metadata: no file 'who.csv' in the working folder"):
        ScoreLists(root=str(path), metadata="who.csv").load({}, 0)


def test_there_must_be_comparisons(tmp_path: Path) -> None:
    """No root, an empty folder, or a list of self-comparisons is refused."""
    with pytest.raises(DataError, match="cohort.root: no file or folder"):
        ScoreLists(root=str(tmp_path / "none")).load({}, 0)
    with pytest.raises(DataError, match="the folder holds no score list"):
        ScoreLists(root=str(tmp_path)).load({}, 0)
    path = score_file(tmp_path, HEAD + "a1,a1,A,A,1,,,\nb1,b1,B,B,1,,,\n")
    with pytest.raises(DataError, match="provider vendor: no line compares two samples"):
        ScoreLists(root=str(path)).load({}, 0)


@pytest.mark.data
def test_official_scores_of_lfw_are_read(face_data: Path, tmp_path: Path) -> None:
    """LFW's 6,000 published scores of one model, with subjects from the metadata: 5,995 scores, 5 failures."""
    scores = pd.read_csv(face_data / "lfw" / "pairs_scores.csv", dtype=str, keep_default_na=False)
    chosen = scores[["image_id_1", "image_id_2", "genuine"]].assign(score=scores["dlib_resnet"])
    chosen.to_csv(tmp_path / "dlib.csv", index=False)
    (tmp_path / "metadata.csv").write_bytes((face_data / "lfw" / "metadata.csv").read_bytes())
    comparisons, table = ScoreLists(root=str(tmp_path)).load({}, 0).tables["dlib"]
    assert comparisons.mated.sum() == 3000
    assert (table.failure >= 0).sum() == 5
    assert table.codes == ("missing_score",)
