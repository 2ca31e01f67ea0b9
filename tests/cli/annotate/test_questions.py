import numpy as np

from frtaudit.cli.annotate.questions import sheets, to_json
from frtaudit.core.labelling import Faces, Labelled

FACES = Faces(
    names=("a", "b", "c", "d", "e"), query_of=np.int32([0, 0, 0, 1, 1]), queries=("p", "q"),
    annotated=np.int8([-2, 1, -2, -2, -2]),
)  # fmt: skip


def labelled(identity: int = 0) -> Labelled:
    """Query q is left out; p has one face sure, one answered, one ambiguous."""
    return Labelled(
        label=np.int8([1, 1, 0, -1, -1]), identity=np.int32([0, identity, -1, -1, -1]),
        z=np.array([[0.9], [0.5], [0.15], [0.5], [0.3]]), reason=("", "several"),
        clusters=np.int32([[1], [2]]), modes={},
    )  # fmt: skip


def test_sheets_stand_in_the_order_of_asking() -> None:
    """The query left out first, with its reason and no suggestion; an answered face last, shown and not asked."""
    first, second = sheets(FACES, labelled(), 0.2)
    assert (first.query, first.why) == ("q", "several people are equally frequent here")
    assert [(item.face, item.suggestion, item.to_ask) for item in first.questions] == [
        (4, None, True),
        (3, None, True),
    ]
    assert (second.query, second.why) == ("p", "")
    assert [(item.face, item.suggestion, item.given, item.to_ask) for item in second.questions] == [
        (2, 0, None, True), (0, 1, None, True), (1, 1, 1, False),
    ]  # fmt: skip


def test_fewer_may_be_asked() -> None:
    """With a limit the faces that are worth most are asked; their queries' other faces are shown."""
    first, second = sheets(FACES, labelled(), 0.2, most=3)
    assert [item.to_ask for item in (*first.questions, *second.questions)] == [True, True, True, False, False]
    assert [sheet.query for sheet in sheets(FACES, labelled(), 0.2, most=2)] == ["q"]


def test_several_identities_suggest_nothing() -> None:
    """Where the estimate uses several people of a query, it does not know whose name the query is."""
    _, second = sheets(FACES, labelled(identity=1), 0.2)
    assert {item.suggestion for item in second.questions} == {None}


def test_the_page_reads_the_files_answers() -> None:
    """An answer of the file stands beside what the list gave; a face without a picture is said."""
    made = to_json(sheets(FACES, labelled(), 0.2), FACES, ("a.png", "", "", "", ""), {0: -1})
    assert made["answers"] == 1
    faces = made["sheets"][1]["faces"]  # type: ignore[call-overload,index]  # JSON
    assert [(item["name"], item["picture"], item["given"], item["answer"]) for item in faces] == [
        ("c", False, None, None), ("a", True, None, -1), ("b", False, 1, None),
    ]  # fmt: skip
