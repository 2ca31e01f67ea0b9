"""What the page asks: queries in their order, their faces in theirs, and what the estimate says of each."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from frtaudit.core.canonical import Json
from frtaudit.core.labelling import LEFT_OUT, NOT_OF_QUERY, OF_QUERY, UNSAID, Faces, Labelled
from frtaudit.labelling.asking import asking

WHY = {
    "disagree": "the services disagree how many people are here",
    "several": "several people are as common here",
    "none": "no person prevails here",
    "negative": "no clear person here",
    "faces": "too few faces here",
    "positives": "too few faces of one person here",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One face: ``suggestion`` of the estimate (1, 0, None), what the list of faces says, and whether it is asked."""

    face: int
    suggestion: int | None
    given: int | None
    to_ask: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The faces of one query; ``why``: the estimate leaves it out, in words, else empty."""

    query: str
    why: str
    questions: tuple[Question, ...]


def sheets(faces: Faces, labelled: Labelled, tau: float, most: int | None = None) -> tuple[Sheet, ...]:
    """Queries in the order in which their first face is asked; those that ask nothing are left out.

    ``most``: ask only so many faces; the others of the same queries are shown, after those that are asked, in the
    order of asking, and last those that have an answer already.
    """
    order = asking(faces, labelled, tau).order
    asked = order if most is None else order[:most]
    rank = np.full(len(faces.names), len(faces.names))
    rank[order] = np.arange(order.size)
    wanted = set(asked.tolist())
    starts = faces.starts.tolist()
    made = []
    for q in dict.fromkeys(faces.query_of[asked].tolist()):
        rows = np.arange(starts[q], starts[q + 1])
        rows = rows[np.lexsort((rows, rank[rows]))]
        several = bool(np.any(labelled.identity[rows] > 0))
        questions = tuple(
            Question(
                face=row,
                suggestion=None if several else _suggestion(int(labelled.label[row])),
                given=None if faces.annotated[row] == UNSAID else int(faces.annotated[row]),
                to_ask=row in wanted,
            )
            for row in rows.tolist()
        )
        reason = labelled.reason[q]
        made.append(Sheet(query=faces.queries[q], why=WHY.get(reason, reason), questions=questions))
    return tuple(made)


def _suggestion(label: int) -> int | None:
    return {OF_QUERY: OF_QUERY, NOT_OF_QUERY: NOT_OF_QUERY, LEFT_OUT: None}[label]


def to_json(
    made: tuple[Sheet, ...], faces: Faces, pictures: tuple[str, ...], answers: Mapping[int, int]
) -> dict[str, Json]:
    """What the page reads: sheets, and of each face the answer that stands in the file."""
    return {
        "answers": len(answers),
        "sheets": [
            {
                "query": sheet.query,
                "why": sheet.why,
                "faces": [
                    {
                        "face": question.face,
                        "name": faces.names[question.face],
                        "picture": bool(pictures[question.face]),
                        "suggestion": question.suggestion,
                        "given": question.given,
                        "asked": question.to_ask,
                        "answer": answers.get(question.face),
                    }
                    for question in sheet.questions
                ],
            }
            for sheet in made
        ],
    }
