"""Labels and confidences of every face as a table, names as pseudonyms."""

import math

from frtaudit.core.canonical import pseudonym
from frtaudit.core.labelling import Labelling
from frtaudit.inputs.review import as_csv
from frtaudit.labelling.asking import consolidated


def label_table(labelling: Labelling, key: bytes) -> bytes:
    """One line for each face, as CSV.

    Columns: face, query: pseudonyms under ``key``, as in the tables of samples; label: 1 of the query's person,
    0 not, -1 left out; person: which of a query's people, from 1, empty for none; left_out: why the query is, empty
    where it is used; z: the median over the services, near 1 or 0 where the label is sure, and z of each service that
    labels, empty where it gave too few scores.
    """
    faces, labelled = labelling.faces, labelling.labelled
    queries = [pseudonym(key, name) for name in faces.queries]
    columns = ("face", "query", "label", "person", "left_out", "z", *(f"z_{name}" for name in labelled.modes))
    rows = [
        (
            pseudonym(key, name),
            queries[query],
            label,
            person + 1 if person >= 0 else "",
            labelled.reason[query],
            *("" if math.isnan(value) else f"{value:z.6f}" for value in (median, *z)),
        )
        for name, query, label, person, median, z in zip(
            faces.names,
            faces.query_of.tolist(),
            labelled.label.tolist(),
            labelled.identity.tolist(),
            consolidated(labelled).tolist(),
            labelled.z.tolist(),
            strict=True,
        )
    ]
    return as_csv(columns, rows)
