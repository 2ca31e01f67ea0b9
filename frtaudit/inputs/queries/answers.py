"""A person's answers for faces, as ``frtaudit label`` writes them: they stand over what the list of faces says."""

from dataclasses import replace

import numpy as np

from frtaudit.core.labelling import UNSAID, Faces
from frtaudit.errors import DataError
from frtaudit.inputs.queries.faces import ANNOTATION, FACE, QUERY, answers_of
from frtaudit.inputs.tables import Table


def with_answers(faces: Faces, table: Table) -> Faces:
    """``faces`` with the answers of a table: columns face_id, annotation, perhaps query; an empty answer changes none.

    Raises :class:`DataError` naming file and line: a face that is not among ``faces`` or stands under another query
    there, a face with two different answers, an answer that is none.
    """
    import pandas as pd

    names, answers = table.texts(table.need(FACE)), answers_of(table, table.need(ANNOTATION))
    row = pd.Index(list(faces.names), dtype=object).get_indexer(pd.Index(names))
    table.refuse(row < 0, "a face that the list of faces lacks", "faces of that list")
    column = table.find(QUERY)
    if column is not None:
        query = np.array(faces.queries, dtype=object)[faces.query_of[row]]
        astray = (table.texts(column) != query) & (table.texts(column) != "")
        table.refuse(astray, "the face belongs to another query", "that of the list")
    given = np.flatnonzero(answers != UNSAID)
    annotated = np.array(faces.annotated)
    first = pd.Series(answers[given]).groupby(row[given]).transform("first").to_numpy()
    twice = given[first != answers[given]]
    if twice.size:
        problem = "another answer for a face of an earlier line"
        raise DataError(table.place(int(twice[0])), problem, "one answer per face")
    annotated[row[given]] = answers[given]
    return replace(faces, annotated=annotated)
