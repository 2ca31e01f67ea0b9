"""What the page asks: queries in their order, their faces in theirs, and what the estimate says of each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any  # Any: of an empty mapping

import numpy as np

from frtaudit.core.canonical import Json
from frtaudit.core.labelling import LEFT_OUT, UNSAID, Faces, Labelled
from frtaudit.labelling.asking import asking

NONE: Mapping[str, Any] = MappingProxyType({})
WHY = {
    "disagree": "the services disagree on how many people are here",
    "several": "several people are equally frequent here",
    "none": "no person prevails here",
    "negative": "no clear person here",
    "faces": "too few faces here",
    "positives": "too few faces of one person here",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One face: ``suggestion`` of the estimate (1, 0, None), what the list of faces says, and whether it is asked.

    ``reviews``: what two reviewers said, where it is to be decided between them.
    """

    face: int
    suggestion: int | None
    given: int | None
    to_ask: bool
    reviews: tuple[int, ...] = ()


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
    review_sheets = []
    for q in dict.fromkeys(faces.query_of[asked].tolist()):
        rows = np.arange(starts[q], starts[q + 1])
        rows = rows[np.lexsort((rows, rank[rows]))]
        several = bool(np.any(labelled.identity[rows] > 0))
        questions = tuple(
            Question(
                face=row,
                suggestion=None if several or labelled.label[row] == LEFT_OUT else int(labelled.label[row]),
                given=None if faces.annotated[row] == UNSAID else int(faces.annotated[row]),
                to_ask=row in wanted,
            )
            for row in rows.tolist()
        )
        reason = labelled.reason[q]
        review_sheets.append(Sheet(query=faces.queries[q], why=WHY.get(reason, reason), questions=questions))
    return tuple(review_sheets)


def blind(review_sheets: tuple[Sheet, ...]) -> tuple[Sheet, ...]:
    """The same questions without what the estimate, the list or others say, queries and faces in the list's order."""
    hidden = []
    for sheet in review_sheets:
        ordered = sorted(sheet.questions, key=lambda question: question.face)
        questions = [replace(question, suggestion=None, given=None, reviews=()) for question in ordered]
        hidden.append(replace(sheet, why="", questions=tuple(questions)))
    return tuple(sorted(hidden, key=lambda sheet: sheet.questions[0].face))


def between(
    review_sheets: tuple[Sheet, ...], answers: Mapping[int, int], other: Mapping[int, int]
) -> tuple[Sheet, ...]:
    """Of the queries with a face that two reviewers answered differently all faces; those faces are asked."""
    sheets_of = (
        replace(
            sheet,
            questions=tuple(
                replace(
                    question,
                    to_ask=answers.get(question.face) != other.get(question.face, answers.get(question.face))
                    and question.face in answers,
                    reviews=tuple(
                        given[question.face] for given in (answers, other) if question.face in given
                    ),
                )
                for question in sheet.questions
            ),
        )
        for sheet in review_sheets
    )
    return tuple(sheet for sheet in sheets_of if any(question.to_ask for question in sheet.questions))


def to_json(
    review_sheets: tuple[Sheet, ...],
    faces: Faces,
    pictures: tuple[str, ...],
    answers: Mapping[int, int],
    names: Mapping[str, str] = NONE,
    boxes: Mapping[str, tuple[float, ...]] = NONE,
) -> dict[str, Json]:
    """What the page reads: sheets, and of each face the answer that stands in the file.

    ``names``: of queries, for who reads them; ``boxes``: of faces in their pictures.
    """
    return {
        "answers": len(answers),
        "sheets": [
            {
                "query": names.get(sheet.query, sheet.query),
                "why": sheet.why,
                "faces": [
                    {
                        "face": question.face,
                        "name": faces.names[question.face],
                        "picture": bool(pictures[question.face]),
                        "suggestion": question.suggestion,
                        "given": question.given,
                        "reviews": [*question.reviews],
                        "box": [*boxes.get(faces.names[question.face], ())],
                        "asked": question.to_ask,
                        "answer": answers.get(question.face),
                    }
                    for question in sheet.questions
                ],
            }
            for sheet in review_sheets
        ],
    }
