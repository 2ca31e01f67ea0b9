import csv
import json
from pathlib import Path

from review_search import people, write_search

from frtaudit.cli.annotate.questions import to_json
from frtaudit.cli.annotate.reviewers import agreement_of
from frtaudit.cli.annotate.server import ReviewState
from frtaudit.cli.annotate.session import Wanted, review_of
from frtaudit.cli.options import label_overrides
from frtaudit.config.load import load_spec

TRUTH = {face: int(person == 0) for face, _, person in people()}
WRONG = {"first": ("ad_03", "bo_07"), "second": ("ad_03", "cy_09")}


def answers(folder: Path, name: str) -> Path:
    """A reviewer who answered all faces but one, two of them wrongly."""
    path = folder / f"answers_{name}.csv"
    with path.open("w", newline="") as stream:
        lines = csv.writer(stream)
        lines.writerow(("face_id", "query", "annotation"))
        for face, query, _ in people():
            if face != "cy_00":
                lines.writerow((face, query, 1 - TRUTH[face] if face in WRONG[name] else TRUTH[face]))
    return path


def reviewed(folder: Path, **changes: object) -> tuple[ReviewState, list[str]]:
    """A session between two reviewers, and what it said."""
    write_search(folder, pictures=False)
    said: list[str] = []
    wanted = Wanted(reviews=(answers(folder, "first"), answers(folder, "second")), **changes)  # type: ignore[arg-type]
    return review_of(load_spec(label_overrides([str(folder)])), wanted, said.append), said


def test_the_agreement_is_printed_as_a_table_with_kappa(tmp_path: Path) -> None:
    """Counts by hand: 31 faces, of which each reviewer calls 20 the person, and two differ; kappa of that table."""
    review, (text,) = reviewed(tmp_path / "search")
    lines = [line.split() for line in text.splitlines()]
    assert text.splitlines()[0] == "31 faces of 3 queries have two answers"
    assert [line[-3:] for line in lines[2:5]] == [["19", "1", "0"], ["1", "10", "0"], ["0", "0", "0"]]
    assert text.splitlines()[-1] == "2 differ"
    expected = (20 * 20 + 11 * 11) / 31**2
    assert f"Cohen's kappa {(29 / 31 - expected) / (1 - expected):.3f} (95 % CI " in text
    alike = dict.fromkeys(range(3), 1)
    assert "is not defined" in agreement_of(review.faces, alike, alike).text()
    constant = dict.fromkeys(range(len(review.faces.names)), 1)
    text = agreement_of(review.faces, constant, {**constant, 3: 0}).text()
    assert "Cohen's kappa 0.000 (no interval: one reviewer gave one answer to all faces)" in text


def test_only_what_they_differ_on_is_asked_and_what_they_agree_on_is_kept(tmp_path: Path) -> None:
    """The answers file begins with 29 answers; the page shows both answers to the two faces that it asks for."""
    review, _ = reviewed(tmp_path / "search")
    asked = {
        review.faces.names[question.face]: question.reviews
        for sheet in review.sheets
        for question in sheet.questions
        if question.to_ask
    }
    assert asked == {"bo_07": (1, 0), "cy_09": (0, 1)}
    assert len(review.journal.answers) == 29
    shown = to_json(review.sheets, review.faces, ("",) * 32, review.journal.answers)
    faces = {face["name"]: face for sheet in shown["sheets"] for face in sheet["faces"]}  # type: ignore[union-attr,index,call-overload]
    assert faces["bo_07"]["reviews"] == [1, 0]
    blind, _ = reviewed(tmp_path / "blind", blind=True)
    assert {question.reviews for sheet in blind.sheets for question in sheet.questions} == {()}


def test_agreed_answers_join_those_of_a_file(tmp_path: Path) -> None:
    """Faces without an answer get the agreed one; one with another answer keeps it, and a line says so."""
    write_search(tmp_path / "search", pictures=False)
    reviews = (answers(tmp_path / "search", "first"), answers(tmp_path / "search", "second"))
    (tmp_path / "search" / "answers.csv").write_text("face_id,query,annotation\nbo_01,Bo Tern,0\n")
    said: list[str] = []
    review = review_of(
        load_spec(label_overrides([str(tmp_path / "search")])), Wanted(reviews=reviews), said.append
    )
    answer_of = {review.faces.names[face]: answer for face, answer in review.journal.answers.items()}
    assert len(answer_of) == 29
    assert (TRUTH["bo_01"], answer_of["bo_01"]) == (1, 0)
    stays = "1 face has another answer in answers.csv than both reviewers gave, which stays: "
    assert said[1:] == [stays + "delete the line of a face there to take the reviewers' answer"]


def test_a_blind_review_has_no_suggestion(tmp_path: Path) -> None:
    """Nothing of the estimate or the list reaches the page, not the order either; the same faces are asked."""
    folder = write_search(tmp_path / "search", pictures=False)
    spec = load_spec(label_overrides([str(folder)]))
    seen, hidden = (review_of(spec, Wanted(blind=blind)).sheets for blind in (False, True))
    assert any(question.suggestion is not None for sheet in seen for question in sheet.questions)
    assert [sheet.query for sheet in hidden] == [*spec.cohort.search().faces.queries]
    of_query = {sheet.query: sheet for sheet in seen}
    assert list(of_query) != [sheet.query for sheet in hidden]
    for bare in hidden:
        sheet = of_query.pop(bare.query)
        assert (bare.query, bare.why) == (sheet.query, "")
        assert [question.face for question in bare.questions] == sorted(one.face for one in sheet.questions)
        assert {(one.suggestion, one.given) for one in bare.questions} == {(None, None)}
        assert sum(one.to_ask for one in bare.questions) == sum(one.to_ask for one in sheet.questions)
    assert not of_query


def test_names_are_those_of_a_list(tmp_path: Path) -> None:
    """By a column query."""
    folder = write_search(tmp_path / "search", pictures=False)
    names = tmp_path / "names.csv"
    names.write_text("query,name\nAda Quill,Ada B. Quill\n")
    spec = load_spec(label_overrides([str(folder)]))
    review = review_of(spec, Wanted(names=names))
    shown = to_json(review.sheets, review.faces, ("",) * 32, {}, review.names)
    assert {sheet["query"] for sheet in json.loads(json.dumps(shown))["sheets"]} == {
        "Ada B. Quill",
        "Bo Tern",
        "Cy Marsh",
    }
