"""Tables of attempts: what they become, and one line for each bad row."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from attempt_files import HEAD, SCHEMAS, stored_attempts

from frtaudit.datasets.cohorts.attempts import Attempts
from frtaudit.errors import DataError

GOOD = "t1,1,p00,p00,0.25,\nt1,2,p00,p00,,no_face\nt2,1,p00,p01,0.5,\n"
PEOPLE = "subject,group,enrolled\np00,x,yes\np01,y,1\np02,y,no\n"


def test_attempts_become_transactions(tmp_path: Path) -> None:
    """Scores by attempt, none where one failed or was not made; people without attempts stand in the cohort."""
    found = stored_attempts(tmp_path, HEAD + GOOD, PEOPLE).load(SCHEMAS, 0)
    made = found.transactions["lab"]
    assert (made.subject.tolist(), made.claimed.tolist(), made.made.tolist()) == ([0, 1], [0, 0], [2, 1])
    assert np.array_equal(made.score, [[0.25, np.nan], [0.5, np.nan]], equal_nan=True)
    assert found.cohort.subject_ids == ("p00", "p01", "p02")
    comparisons, table = found.tables["lab"]
    assert comparisons.mated.tolist() == [True, True, False]
    assert table.codes == ("no_face",)
    assert list(found.inputs) == ["lab.csv", "people.csv"]


TIMED = "transaction,attempt,claimed_subject,subject,score,seconds\nt1,1,a,a,0.25,2.5\nt1,2,a,a,0.5,4\nt2,1,a,b,0.5,\n"


def test_times_of_attempts(tmp_path: Path) -> None:
    """From the start of the transaction; not known where none stands. The same from Parquet."""
    (tmp_path / "lab.csv").write_text(TIMED)
    pd.read_csv(tmp_path / "lab.csv").to_parquet(tmp_path / "lab.parquet")
    for name in ("lab.csv", "lab.parquet"):
        made = Attempts(root=str(tmp_path / name)).load({}, 0).transactions["lab"]
        assert made.seconds is not None
        assert np.array_equal(made.seconds, [[2.5, 4], [np.nan, np.nan]], equal_nan=True)


def test_times_of_a_spreadsheet(tmp_path: Path) -> None:
    """Semicolons and decimal commas, a word for nothing, and the number of an attempt as pandas may write it."""
    text = TIMED.replace(",", ";").replace(".", ",").replace("t1;2;", "t1;2.0;") + "t2;2;a;b;0,5;NA\n"
    (tmp_path / "lab.csv").write_text(text)
    made = Attempts(root=str(tmp_path / "lab.csv")).load({}, 0).transactions["lab"]
    assert made.seconds is not None
    assert np.array_equal(made.seconds, [[2.5, 4], [np.nan, np.nan]], equal_nan=True)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "t3,1,a,a,0.5,soon\n",
            "line 5: the time of an attempt is not a number: 'soon'; accepted: seconds from the start",
        ),
        ("t3,1,a,a,0.5,-1\n", "line 5: the time of an attempt is not a number"),
        ("t3,1,a,a,0.5,1e999\n", "line 5: the time of an attempt is not a number"),
        (
            "t1,3,a,a,0.5,3.9\n",
            "line 5: the attempt ends before an earlier one of its transaction; accepted: sec",
        ),
    ],
)
def test_a_bad_time_is_one_line(tmp_path: Path, row: str, said: str) -> None:
    """No number, or before the end of an earlier attempt."""
    (tmp_path / "lab.csv").write_text(TIMED + row)
    with pytest.raises(DataError) as caught:
        Attempts(root=str(tmp_path / "lab.csv")).load({}, 0)
    assert str(caught.value).startswith(f"lab.csv {said}")


def test_parquet_and_no_people_read_alike(tmp_path: Path) -> None:
    """The same table as Parquet, of two systems in one file, without a table of people."""
    first = stored_attempts(tmp_path, HEAD + GOOD, PEOPLE).load({}, 0)
    frame = pd.read_csv(tmp_path / "lab.csv")
    both = pd.concat([frame.assign(provider=name) for name in ("a", "b")])
    both.to_parquet(tmp_path / "lab.parquet")
    second = Attempts(root=str(tmp_path / "lab.parquet")).load({}, 0)
    assert set(second.transactions) == {"a", "b"}
    for made in second.transactions.values():
        assert np.array_equal(made.score, first.transactions["lab"].score, equal_nan=True)
    assert second.cohort.subject_ids == ("p00", "p01")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "t3,0,p00,p00,0.5,\n",
            "line 5: the attempt is not an attempt number: '0'; accepted: a whole number from 1",
        ),
        ("t3,1.5,p00,p00,0.5,\n", "line 5: the attempt is not an attempt number"),
        ("t3,5000,p00,p00,0.5,\n", "line 5: the attempt is not an attempt number"),
        (f"t3,{'9' * 5000},p00,p00,0.5,\n", "line 5: the attempt is not an attempt number"),
        (",1,p00,p00,0.5,\n", "line 5: an id is empty; accepted: ids of transaction, claimed_subject"),
        ("t3,1,p00,,0.5,\n", "line 5: an id is empty"),
        ("t1,1,p00,p00,0.5,\n", "line 5: the attempt of lab.csv line 2 again; accepted: each attempt"),
        (
            "t1,3,p00,p01,0.5,\n",
            "line 5: gives a transaction a different subject than lab.csv line 2; accepted: one",
        ),
        (
            "t1,3,p01,p00,0.5,\n",
            "line 5: gives a transaction a different claimed subject than lab.csv line 2",
        ),
        (
            "t3,1,p00,p00,high,\n",
            "line 5: the score is not a number: 'high'; accepted: a finite number such as 0.25, or nothing",
        ),
        ("t3,1,p00,p00,inf,\n", "line 5: the score is infinite"),
        (
            "t3,1,p00,p00,0.5,no_face\n",
            "line 5: both a score and a failure code, 'no_face'; accepted: one of them",
        ),
        (
            "t3,1,p00,p09,0.5,\n",
            "line 5: a person that the table of people lacks; accepted: people of people.csv",
        ),
        (
            "t3,1,p02,p00,0.5,\n",
            "line 5: claims a person who was not enrolled; accepted: claims of people with",
        ),
    ],
)
def test_a_bad_row_is_one_line(tmp_path: Path, rows: str, said: str) -> None:
    """Where it stands, what was found, what is accepted."""
    with pytest.raises(DataError) as caught:
        stored_attempts(tmp_path, HEAD + GOOD + rows, PEOPLE).load(SCHEMAS, 0)
    assert str(caught.value).startswith(f"lab.csv {said}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("people", "said"),
    [
        ("p00,x,maybe\n", "people.csv line 5: column 'enrolled' says neither; accepted: 1 or 0, yes or no"),
        (
            "p01,y,1\n",
            "people.csv line 5: a person without an id, or a duplicate; accepted: one row for each person",
        ),
    ],
)
def test_a_bad_person_is_one_line(tmp_path: Path, people: str, said: str) -> None:
    """Of the table of people, a person that appears twice or is neither enrolled nor not."""
    with pytest.raises(DataError) as caught:
        stored_attempts(tmp_path, HEAD + GOOD, PEOPLE + people.replace("p00", "p03")).load(SCHEMAS, 0)
    assert str(caught.value) == said


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    """A list of scores is no table of attempts."""
    with pytest.raises(
        DataError, match=r"^lab.csv: no column transaction or transaction_id among .*; accepted"
    ):
        stored_attempts(tmp_path, "probe,reference,score\na,b,0.5\n").load({}, 0)
