import json
from pathlib import Path

import hypothesis.strategies as st
import oracles_formats as oracle
import pytest
from hypothesis import HealthCheck, example, given, settings
from malformed import CSV, GOOD, MALFORMED, READ, ROWS

from frtaudit.cli import main
from frtaudit.core.cohort import CohortData
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import Nan
from frtaudit.datasets.cohorts.bob import BobScores
from frtaudit.errors import DataError

FORMATS = Path(__file__).resolve().parents[2] / "formats"
OTHERS = json.loads((FORMATS / "as_read_by_others.json").read_text())
READERS = {"four": oracle.four, "five.txt": oracle.five, "scores.csv": oracle.table}


def rows(cohort_data: CohortData, provider: str) -> list[oracle.Row]:
    """The comparisons of a system, in the order of its file."""
    cohort, (comparisons, table) = cohort_data.cohort, cohort_data.tables[provider]
    subjects = [cohort.subject_ids[index] for index in cohort.subject_of]
    return [
        (cohort.sample_ids[r], subjects[r], cohort.sample_ids[p], subjects[p], score)
        for r, p, score in zip(comparisons.reference, comparisons.probe, table.score.tolist(), strict=True)
    ]


@pytest.mark.parametrize("name", READERS)
def test_a_file_reads_as_a_plain_reader_reads_it(name: str) -> None:
    """Each layout gives the rows that splitting its lines gives; mated means one subject."""
    cohort_data = BobScores(root=str(FORMATS / name)).load({}, 0)
    found = rows(cohort_data, Path(name).stem)
    assert found == READERS[name](FORMATS / name)
    mated = cohort_data.tables[Path(name).stem][0].mated
    assert mated.tolist() == [row[1] == row[3] for row in found]


def test_a_file_reads_as_bob_reads_it() -> None:
    """What bob's own functions returned for these files is what stands in the table."""
    four = [(claimed, real, label, score) for _, claimed, label, real, score in oracle.four(FORMATS / "four")]
    assert [list(row) for row in four] == OTHERS["four"]
    read = {name: rows(BobScores(root=str(FORMATS / name)).load({}, 0), Path(name).stem) for name in READERS}
    assert [[claimed, real, label, score] for _, claimed, label, real, score in read["four"]] == OTHERS[
        "four"
    ]
    assert [[c, model, real, label, score] for model, c, label, real, score in read["five.txt"]] == OTHERS[
        "five.txt"
    ]
    for kind, wanted in (("pos", True), ("neg", False)):
        own = [
            [claimed, model, real, label, score]
            for model, claimed, label, real, score in read["scores.csv"]
            if (claimed == real) == wanted
        ]
        assert own == OTHERS["scores.csv"][kind]


@pytest.mark.parametrize("case", READ)
def test_harmless_differences_are_read(case: str, tmp_path: Path) -> None:
    """A byte order mark, Windows line ends, tabs and blank lines at the end change nothing."""
    write, header = READ[case]
    path = write(tmp_path)
    (tmp_path / "plain").write_text(CSV + ROWS if header else GOOD)
    wanted = oracle.table(tmp_path / "plain") if header else oracle.four(tmp_path / "plain")
    assert rows(BobScores(root=str(path)).load({}, 0), path.stem) == wanted


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_files_get_one_line(case: str, tmp_path: Path) -> None:
    """Each malformed file is refused with one line that names the file and the row."""
    write, message = MALFORMED[case]
    with pytest.raises(DataError) as caught:
        BobScores(root=str(write(tmp_path))).load({}, 0)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) < 400


def test_a_refused_run_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints that line, exits with 1, and writes no folder."""
    write, message = MALFORMED["missing column"]
    out = tmp_path / "runs" / "one"
    words = ["run", "audit=scores", "cohort=bob", f"cohort.root={write(tmp_path)}", f"hydra.run.dir={out}"]
    assert main.main(words) == 1
    more = "or five, with model_label after claimed_id; or CSV with a header"
    assert capsys.readouterr().err.splitlines() == [f"frtaudit: {message}; {more}"]
    assert not out.parent.exists()


def test_nan_may_be_a_failure(tmp_path: Path) -> None:
    """With nan=failed a NaN is a failed comparison, counted, and every other score stays."""
    (tmp_path / "scores").write_text(GOOD + "a a a/3 nan\n")
    table = BobScores(root=str(tmp_path / "scores"), nan=Nan.FAILED).load({}, 0).tables["scores"][1]
    assert table.codes == ("missing_score",)
    assert table.failure.tolist() == [-1, -1, -1, -1, 0]
    assert table.score[:4].tolist() == [0.9, 0.1, 0.2, 0.8]


def test_a_folder_is_a_panel(tmp_path: Path) -> None:
    """Each file of a folder is a system; a table of subjects gives their classes."""
    (tmp_path / "x.txt").write_text(GOOD)
    (tmp_path / "y.txt").write_text(GOOD.replace("0.9", "0.95"))
    (tmp_path / "who.csv").write_text("subject_id,sex\na,f\nb,m\n")
    source = BobScores(root=str(tmp_path), metadata="who.csv")
    cohort_data = source.load({"sex": SchemaSpec(column="sex", classes=("f", "m"))}, 0)
    assert list(cohort_data.tables) == ["x", "y"]
    assert cohort_data.cohort.classifications["sex"].codes.tolist() == [0, 1]
    assert sorted(cohort_data.inputs) == ["who.csv", "x.txt", "y.txt"]
    (tmp_path / "who.csv").write_text("subject_id,sex\na,f\na,m\n")
    with pytest.raises(DataError, match="who.csv line 3: a subject twice, or none"):
        source.load({}, 0)


def test_columns_of_csv_are_classes(tmp_path: Path) -> None:
    """probe_X with bio_ref_X is a column X of the samples; lines that disagree about it are refused."""
    schema = {"gender": SchemaSpec(column="gender", classes=("f", "m"))}
    cohort_data = BobScores(root=str(FORMATS / "scores.csv")).load(schema, 0)
    names = dict(
        zip(cohort_data.cohort.subject_ids, cohort_data.cohort.classifications["gender"].codes, strict=True)
    )
    assert names == {"s0": 0, "s1": 1, "s2": 0, "s3": 1}
    head = CSV.replace("score", "probe_sex,bio_ref_sex,score")
    (tmp_path / "s.csv").write_text(head + "a/1,a,A,a,f,f,0.9\nb/1,b,A,a,m,f,0.1\na/1,a,B,b,m,m,0.1\n")
    with pytest.raises(DataError, match="s.csv line 4: gives a sample a different sex than an earlier line"):
        BobScores(root=str(tmp_path / "s.csv")).load({}, 0)


def test_a_sample_on_both_sides_is_one(tmp_path: Path) -> None:
    """Of five columns a model and a probe of one name are one sample: itself apart, both orders kept."""
    lines = ["a x a x 1", "a x b y 0.1", "b y a x 0.2", "a z a x 0.8"]
    (tmp_path / "s").write_text("\n".join(lines) + "\n")
    cohort_data = BobScores(root=str(tmp_path / "s")).load({}, 0)
    assert cohort_data.cohort.n_samples == 3
    assert cohort_data.tables["s"][0].ordered
    assert [(entry.code, entry.count) for entry in cohort_data.cohort.ledger] == [("self_comparison", 1)]


def assert_one_line(error: DataError) -> None:
    """An error that names its place and is one line."""
    assert str(error).startswith(("scores", "cohort"))
    assert "\n" not in str(error)


WORD = st.text("abcé\"',#0. ", min_size=1, max_size=4)
SCORE = st.floats(-1e6, 1e6).map(repr) | st.sampled_from(
    ["0,5", "x", "nan", "-inf", "1e999", "", "1_0", "+.5", "7."]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@example(rows=[("a", "a", '"', "0.5")])
@given(rows=st.lists(st.tuples(WORD, WORD, WORD, SCORE), min_size=1, max_size=6))
def test_what_is_read_is_what_stands_there(rows: list[tuple[str, ...]], tmp_path: Path) -> None:
    """Whatever the lines, they are refused in one line or read as splitting them gives."""
    path = tmp_path / "scores"
    path.write_text("".join(" ".join(row) + "\n" for row in rows))
    try:
        read = BobScores(root=str(path)).load({}, 0)
    except DataError as error:
        assert_one_line(error)
        return
    wanted = [] if '"' in path.read_text() else [line.split() for line in path.read_text().splitlines()]
    if wanted and len(wanted[0]) == 4:
        assert read.tables["scores"][1].score.tolist() == [float(row[-1]) for row in wanted]
