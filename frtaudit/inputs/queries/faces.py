"""Faces grouped by query, and what services said of pairs of them, as files hold them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from frtaudit.core.arrays import Index, Ints, Signs, Texts
from frtaudit.core.labelling import LEFT_OUT, NOT_OF_QUERY, OF_QUERY, UNSAID, Faces, Service
from frtaudit.errors import DataError
from frtaudit.inputs.coded import Coded, joined
from frtaudit.inputs.pairing import both_orders
from frtaudit.inputs.roster import NOBODY
from frtaudit.inputs.score_lists.scorelist import ScoreList, refuse_repeats
from frtaudit.inputs.tables import Table

if TYPE_CHECKING:
    import pandas as pd

FACE = ("face_id", "sample_id", "image_id", "face", "image")
QUERY = ("query", "query_id", "name")
ANNOTATION = ("annotation", "of_query", "y")
_ANSWERS = {
    "": UNSAID,
    "1": OF_QUERY,
    "yes": OF_QUERY,
    "0": NOT_OF_QUERY,
    "no": NOT_OF_QUERY,
    "-1": LEFT_OUT,
    "unsure": LEFT_OUT,
}


def faces_of(table: Table) -> tuple[Faces, dict[str, Texts]]:
    """Faces sorted by query and name, and every other column by face, texts (F,).

    A column that could name faces and does not, such as ``image`` beside ``face_id``, is one of the others. Columns:
    face_id, query, perhaps annotation (1 of the query's person, 0 not, -1 not to be known, empty not
    said). Raises :class:`DataError` naming the line: an id that is empty or appears twice, an answer that is none.
    """
    import pandas as pd

    needed = (table.need(FACE), table.need(QUERY))
    names, queries = (table.texts(column) for column in needed)
    table.refuse((names == "") | (queries == ""), "no face or no query", "a face_id and a query in every row")
    table.refuse(
        np.isin(queries, [*NOBODY]), "the query is a word for a missing value", "the query in every row"
    )
    table.refuse(pd.Series(names).duplicated().to_numpy(), "the face is in an earlier row", "unique face ids")
    column = table.find(ANNOTATION)
    answers = answers_of(table, column) if column else np.full(names.size, UNSAID, dtype=np.int8)
    order = np.lexsort((names, queries))
    known = sorted(set(queries.tolist()))
    place = {name: q for q, name in enumerate(known)}
    faces = Faces(
        names=tuple(names[order].tolist()),
        query_of=np.array([place[name] for name in queries[order]], dtype=np.int32),
        queries=tuple(known),
        annotated=answers[order],
    )
    taken = {*needed, column}
    return faces, {name: table.texts(name)[order] for name in table.columns if name not in taken}


def answers_of(table: Table, column: str) -> Signs:
    """What a column answers, shape (R,): 1, 0, -1, or -2 for nothing. Raises :class:`DataError` naming the line."""
    texts = table.whole_texts(column)
    answers = [_ANSWERS.get(text.lower()) for text in texts]
    wrong = np.array([answer is None for answer in answers], dtype=np.bool_)
    accepted = "1 or yes, 0 or no, -1 or unsure, or nothing"
    table.refuse(wrong, f"column {column!r} holds no answer", accepted, texts)
    return np.array(answers, dtype=np.int8)


def services_of(
    faces: Faces, lists: Sequence[ScoreList], crops: Mapping[str, "pd.Index"] = MappingProxyType({})
) -> tuple[tuple[Service, ...], Mapping[str, int]]:
    """What each service said, in the order of their names, and how many lines compared a face with itself.

    ``crops``: service to what it calls its own crops, which its lines then name and its pairs count. Raises
    :class:`DataError` naming the line of a face that is not among ``faces``, or not among the service's crops, and of
    a pair that stands in an earlier line of the service in the same order.
    """
    import pandas as pd

    index = pd.Index(list(faces.names), dtype=object)
    saids: dict[str, list[_Said]] = {}
    for scores in lists:
        for place, name in sorted(enumerate(scores.provider.names.tolist()), key=lambda pair: pair[1]):
            rows = np.flatnonzero(scores.provider.code == place)
            first, second = (
                _numbered(side, crops.get(name, index))[rows] for side in (scores.probe, scores.reference)
            )
            unknown = np.flatnonzero((first < 0) | (second < 0))
            if unknown.size:
                problem = f"a face that the list of {'boxes' if name in crops else 'faces'} lacks"
                accepted = f"{name}'s own face ids" if name in crops else "faces of that list"
                raise DataError(scores.table.place(int(rows[unknown[0]])), problem, accepted)
            saids.setdefault(name, []).append(_Said(scores, rows, first, second))
    services = [_service(name, saids[name]) for name in sorted(saids)]
    lone = {service.name: alone for service, alone in services if alone}
    return tuple(service for service, _ in services), lone


@dataclass(frozen=True, slots=True)
class _Said:
    """Lines of one list that are of one service: ``rows`` (P,), and the indices of their two faces, (P,) each."""

    scores: ScoreList
    rows: Ints
    first: Index
    second: Index


def _numbered(side: Coded, index: "pd.Index") -> Index:
    """The place of each row's text in an index, shape (R,), -1 where it is not there; each text is sought once."""
    import pandas as pd

    return side.mapped(index.get_indexer(pd.Index(side.names, dtype=object)).astype(np.int32), -1)


def _service(name: str, parts: Sequence[_Said]) -> tuple[Service, int]:
    first, second = (np.concatenate([getattr(part, side) for part in parts]) for side in ("first", "second"))
    refuse_repeats(first, second, first != second, [(part.scores.table, part.rows) for part in parts])
    order = np.lexsort((first, np.maximum(first, second), np.minimum(first, second)))
    order = order[first[order] != second[order]]
    score = np.concatenate([part.scores.score[part.rows] for part in parts])[order]
    failure = joined([joined([part.scores.failure.at(part.rows) for part in parts]).at(order)])
    alone = first.size - order.size
    first, second = first[order], second[order]
    if not both_orders(first, second):  # else the order says which face was the probe
        first, second = np.minimum(first, second), np.maximum(first, second)
    service = Service(
        name=name,
        first=first,
        second=second,
        score=score,
        failure=failure.code.astype(np.int16),
        codes=tuple(failure.names.tolist()),
    )
    return service, alone
