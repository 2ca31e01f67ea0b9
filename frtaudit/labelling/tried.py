"""What services of a search were asked, of faces with a label and of faces left out, and what they failed on."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from frtaudit.core.arrays import Flags, Index, Ints, Texts
from frtaudit.core.cohort import Cohort
from frtaudit.core.labelling import Faces, Labelling, Service
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import UNKNOWN
from frtaudit.inputs.binning import by_edges
from frtaudit.inputs.schemas import number_of
from frtaudit.labelling.evaluation import pooled

Names = Sequence[tuple[str, str]]


def query_classes(
    faces: Faces,
    columns: Mapping[str, Texts],
    schemas: Mapping[str, SchemaSpec],
    cohort: Cohort,
    sample_of: Index,
) -> dict[str, tuple[str, ...]]:
    """Under each schema the class of each query: its person's, or, where it has none, that of people with its texts.

    ``columns``: of all faces, texts (F,); numbers between the same edges are one text. ``unknown`` where a query has no
    person and several texts, or texts that no person has, or people of several classes.
    """
    enrolled = np.flatnonzero(sample_of >= 0)
    by_schema = {}
    for name, schema in cohort.classifications.items():
        classes = (*schema.classes, UNKNOWN)
        # what the columns say of each query
        values: list[set[tuple[str | int, ...]]] = [set() for _ in faces.queries]
        read = [_binned(columns, part) for part in _read_by(name, schemas)]
        for query, *row in zip(faces.query_of.tolist(), *read, strict=True):
            values[query].add(tuple(row))
        code = schema.codes[cohort.subject_of[sample_of[enrolled]]].tolist()
        of_query = dict(zip(faces.query_of[enrolled].tolist(), code, strict=True))
        meant: dict[tuple[str | int, ...], set[int]] = {}
        for query, class_code in of_query.items():
            for texts in values[query]:
                meant.setdefault(texts, set()).add(class_code)
        for query, texts_of in enumerate(values):
            if query not in of_query and len(texts_of) == 1:
                codes = meant.get(next(iter(texts_of)), set())
                of_query[query] = next(iter(codes)) if len(codes) == 1 else -1
        by_schema[name] = tuple(classes[of_query.get(query, -1)] for query in range(len(faces.queries)))
    return by_schema


def _read_by(name: str, schemas: Mapping[str, SchemaSpec]) -> list[SchemaSpec]:
    """The schemas with a column that a schema is made of: itself, or those that it crosses."""
    schema = schemas[name]
    if schema.column is not None:
        return [schema]
    return [crossed for part in schema.cross for crossed in _read_by(part, schemas)]


def _binned(columns: Mapping[str, Texts], schema: SchemaSpec) -> Sequence[str | int]:
    """What a schema's column says of each face: its text, or the bin of a number between edges."""
    texts: list[str] = columns[str(schema.column)].tolist()
    if schema.bins is None or not schema.bins.edges:
        return texts
    code = {text: int(by_edges(np.array([number_of(text)]), schema.bins.edges)[0]) for text in set(texts)}
    return [text if code[text] < 0 else code[text] for text in texts]


def _pairs(labelling: Labelling, name: str) -> tuple[Service, Flags]:
    """A service, both orders of a pair as one, and which pairs count: of no face known to be of somebody else."""
    service = pooled(labelling.by_name[name])
    counts = (labelling.sample_of >= 0) | labelling.left_out
    return service, counts[service.first] & counts[service.second]


def _members(labelling: Labelling, groups: Names) -> Flags:
    """Which queries belong to everybody and to each (schema, class), shape (G+1, Q)."""
    rows = [np.ones(len(labelling.faces.queries), dtype=np.bool_)]
    rows += [np.array([label == name for label in labelling.classes[schema]]) for schema, name in groups]
    return np.stack(rows)


def tried(labelling: Labelling, name: str, groups: Names) -> tuple[Ints, Ints]:
    """Failed and attempted comparisons of a service, by group and query, shape (G+1, Q) each; row 0 is everybody.

    A comparison counts for a group iff both of its queries are of it, and there for the first of the two. Faces that
    are left out take part, so that a service that fails on them does not look as if it never failed; faces of somebody
    else do not.
    """
    service, counts = _pairs(labelling, name)
    left, two = (labelling.faces.query_of[side[counts]] for side in (service.first, service.second))
    first, lost = np.minimum(left, two), service.failure[counts] >= 0
    failed, asked = [], []
    for member in _members(labelling, groups):
        inside = member[left] & member[two]
        failed.append(np.bincount(first[inside & lost], minlength=member.size))
        asked.append(np.bincount(first[inside], minlength=member.size))
    return np.stack(failed).astype(np.int64), np.stack(asked).astype(np.int64)


def by_code(labelling: Labelling, name: str, groups: Names) -> Iterator[tuple[str, int, int]]:
    """Failure code, group (0 everybody) and count of the comparisons that :func:`tried` counts, without zeros."""
    service, counts = _pairs(labelling, name)
    left, two = (labelling.faces.query_of[side] for side in (service.first, service.second))
    for place, code in sorted(enumerate(service.codes), key=lambda pair: pair[1]):
        failed = counts & (service.failure == place)
        for group_index, member in enumerate(_members(labelling, groups)):
            count = int(np.count_nonzero(failed & member[left] & member[two]))
            if count:
                yield code, group_index, count
