from pathlib import Path

import numpy as np
import pytest

from frtaudit.errors import DataError
from frtaudit.inputs.pairlist import said_mated
from frtaudit.inputs.score_lists.scorelist import ScoreList, read_scores

HEAD = "probe,reference,probe_subject,reference_subject,score,failure\n"


def read(tmp_path: Path, text: str) -> ScoreList:
    (tmp_path / "vendor.csv").write_text(text)
    return read_scores(tmp_path / "vendor.csv", "vendor.csv")


def semicolons(scores: list[str]) -> str:
    """The lines of these scores, as a spreadsheet with decimal commas writes them."""
    return HEAD.replace(",", ";") + "".join(f"a;{k};A;B;{score};\n" for k, score in enumerate(scores))


def test_a_line_has_a_score_or_a_code(tmp_path: Path) -> None:
    """A missing or NaN score without a code is missing_score; a declared code stays."""
    found = read(tmp_path, HEAD + "a,b,A,B,0.5,\na,c,A,C,,no_face\nb,c,B,C,NaN,\nb,d,B,D,,\n")
    assert found.failure.texts().tolist() == ["", "no_face", "missing_score", "missing_score"]
    assert np.isfinite(found.score).tolist() == [True, False, False, False]
    assert found.provider.texts().tolist() == ["vendor"] * 4


def test_words_for_nothing_are_no_code(tmp_path: Path) -> None:
    """What R and pandas write for nothing is none beside a score, and without one the reason is not known."""
    words = ["NA", "none", "nan", "-", "N/A", ""]
    found = read(tmp_path, HEAD + "".join(f"a,{k},A,B,0.5,{word}\n" for k, word in enumerate(words)))
    assert not any(found.failure.texts())
    found = read(tmp_path, HEAD + "a,b,A,B,,NA\na,c,A,C,NA,no_face\na,d,A,D,0.5,NA\n")
    assert found.failure.texts().tolist() == ["missing_score", "no_face", ""]


def test_other_words_are_accepted(tmp_path: Path) -> None:
    """Columns under their other names, genuine and impostor, and class columns of both sides."""
    text = (
        "image_id_1,image_id_2,subject_1,subject_2,similarity,genuine,system,probe_sex,reference_sex\n"
        "a,b,A,A,0.9,genuine,x,f,f\na,c,A,C,0.1,impostor,y,f,m\n"
    )
    found = read(tmp_path, text)
    assert found.provider.texts().tolist() == ["x", "y"]
    assert found.columns["sex"][1].texts().tolist() == ["f", "m"]
    assert said_mated(found.table).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "a,b,A,B,high,\n",
            "vendor.csv line 2: the score is not a number: 'high'; accepted: a finite number",
        ),
        ("a,b,A,B,1_0,\n", "vendor.csv line 2: the score is not a number"),
        ('a,b,A,B,"0,5",\n', "line 2: the score has a decimal comma; accepted: a finite number such as 0.25"),
        (
            'a,b,A,B,"57,983",\n',
            "line 2: the score has a comma, of decimals or of thousands; accepted: a finite",
        ),
        ("a,b,A,B,0.5,\na,c,A,C,\uff11,\n", "vendor.csv line 3: the score is not a number"),
        ("a,b,A,B,inf,\n", "line 2: the score is infinite"),
        ("a,b,A,B,0.5,\na,c,A,C,0.5,no_face\n", "line 3: both a score and a failure code, 'no_face'"),
        ("a,,A,B,0.5,\n", "line 2: an id is empty"),
        ("a,b,A,,0.5,\n", "line 2: an id is empty"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, lines: str, message: str) -> None:
    """Each fault is one line that names file and line."""
    with pytest.raises(DataError, match=message):
        read(tmp_path, HEAD + lines)


def test_scores_of_a_spreadsheet_are_read(tmp_path: Path) -> None:
    """Semicolons, decimal commas, and what spreadsheets write for nothing."""
    scores = read(tmp_path, semicolons(["0,25", "1e-5", "-", "#N/A", "n/a"]))
    np.testing.assert_array_equal(scores.score, [0.25, 1e-5, np.nan, np.nan, np.nan])
    assert scores.failure.texts().tolist() == ["", "", *["missing_score"] * 3]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            ["0,25", "0.25"],
            "line 3: column 'score': numbers with a comma and with a point; accepted: one of them",
        ),
        (["0.25", "0,25"], "line 3: column 'score': numbers with a comma"),
        (["1", "1.234,5"], "line 3: column 'score': numbers with a comma"),
        (
            ["1,250", "987"],
            "line 2: column 'score': a comma that may separate thousands; accepted: 1234 or 1.2340",
        ),
        (["57,983"], "line 2: column 'score': a comma that may separate thousands"),
        (["987", "1.234"], "line 3: column 'score': a point that may separate thousands"),
        (["0,25", "n.a."], "line 3: the score is not a number"),
    ],
)
def test_unsure_numbers_of_a_spreadsheet_are_refused(tmp_path: Path, scores: list[str], message: str) -> None:
    """Commas beside points, and what may separate thousands: named with the line that shows it."""
    with pytest.raises(DataError, match=message):
        read(tmp_path, semicolons(scores))


@pytest.mark.parametrize(
    "scores", [["1234", "57.983"], ["0.123", "1"], ["1.2340", "7"], ["57.983"], ["1,2340", "7"]]
)
def test_what_errors_advise_is_read(tmp_path: Path, scores: list[str]) -> None:
    """Decimals that are not three, no number below a thousand without them, or no separator at all."""
    found = read(tmp_path, semicolons(scores))
    np.testing.assert_array_equal(found.score, [float(score.replace(",", ".")) for score in scores])


def test_missing_columns_are_named(tmp_path: Path) -> None:
    """Without score, or with the subjects of one side only, the error lists the columns."""
    with pytest.raises(DataError, match="no column score or similarity"):
        read(tmp_path, "probe,reference\na,b\n")
    with pytest.raises(DataError, match="no column reference_subject or"):
        read(tmp_path, "probe,reference,score,probe_subject\na,b,1,A\n")


def test_all_missing_columns_are_named_at_once(tmp_path: Path) -> None:
    """A list whose columns have names of their own is refused once, with every name that it needs."""
    with pytest.raises(
        DataError,
        match="vendor.csv: no columns probe, reference, score among 'Bild A', 'Bild B', Wert; "
        "accepted: columns probe, reference, score, and probe_subject, reference_subject unless",
    ):
        read(tmp_path, "Bild A,Bild B,Wert\na,b,1\n")


def test_mated_says_yes_or_no(tmp_path: Path) -> None:
    """A word that is neither is refused by line; no column says nothing."""
    words = read(tmp_path, "probe,reference,score,mated\na,b,1,1.0\na,c,1,N\n").table
    assert said_mated(words).tolist() == [1, 0]
    table = read(tmp_path, "probe,reference,score,mated\na,b,1,1\na,c,1,perhaps\n").table
    with pytest.raises(DataError, match="line 3: column 'mated' says neither"):
        said_mated(table)
    assert said_mated(read(tmp_path, HEAD + "a,b,A,B,0.5,\n").table).tolist() == [-1]


def test_a_label_may_be_another_word(tmp_path: Path) -> None:
    """A column label says whether lines are mated only where it holds such a word; mated always does."""
    rows = "a,b,1,door\na,c,1,hall\n"
    assert said_mated(read(tmp_path, "probe,reference,score,label\n" + rows).table).tolist() == [-1, -1]
    for head, line in (("label", "a,d,1,1\n"), ("mated", "")):
        with pytest.raises(DataError, match=f"line 2: column '{head}' says neither"):
            said_mated(read(tmp_path, f"probe,reference,score,{head}\n{rows}{line}").table)
