"""A table of images by query: what stands beside a query must be the same on each of its lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from frtaudit.collection.clients.protocol import SourceImage
from frtaudit.errors import DataError
from frtaudit.inputs.tables import read_table

QUERY = "query"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Who was searched for: ``name`` as the file has it, ``columns`` beside it, its images as (address, place)."""

    name: str = field(repr=False)
    columns: Mapping[str, str]
    images: Sequence[tuple[str, str]] = field(repr=False)


def queries_of(path: Path, address: str | None) -> list[Query]:
    """The queries of a table with a column ``query``, in the order in which they first stand there.

    ``address``: the column that images are found by; None for a table of queries alone, each once. Raises
    :class:`DataError` for an empty field, a line that disagrees with one before, a repeated image or query.
    """
    table = read_table(path, path.name)
    names = table.texts(table.need((QUERY,))).tolist()
    where = None if address is None else table.texts(table.need((address,))).tolist()
    others = [column for column in table.columns if column not in (QUERY, address)]
    beside = {column: table.texts(column).tolist() for column in others}
    queries: dict[str, Query] = {}
    first: dict[tuple[str, str], str] = {}
    images: dict[str, list[tuple[str, str]]] = {}
    for row, name in enumerate(names):
        place, text = table.place(row), "" if where is None else where[row]
        if not name or (where is not None and not text):
            raise DataError(place, f"no {QUERY if not name else address}", "a value")
        before = first.setdefault((name, text), place)
        if before != place:
            kind, line = "query" if where is None else "image", " ".join(before.split()[-2:])
            raise DataError(place, f"the {kind} of {line} again", "each once")
        columns = {column: values[row] for column, values in beside.items()}
        query = Query(name=name, columns=columns, images=images.setdefault(name, []))
        known = queries.setdefault(name, query)
        if known.columns != columns:
            other = next(column for column in columns if known.columns[column] != columns[column])
            problem = f"gives a query a different {other} than an earlier line"
            raise DataError(place, problem, "the same on each line")
        images[name].append((text, place))
    return list(queries.values())


def found_in(queries: Sequence[Query], limit: int) -> Iterator[SourceImage]:
    """The first ``limit`` images of each query."""
    for number, query in enumerate(queries):
        for address, place in query.images[:limit]:
            yield SourceImage(query=number, place=place, columns=query.columns, address=address)


def beyond(queries: Sequence[Query], limit: int) -> tuple[str, ...]:
    """A line that says how many images lie beyond the limit, or none.

    >>> beyond([Query(name="a", columns={}, images=[("x", "line 2"), ("y", "line 3")])], 1)
    ('limit=1 leaves out 1 image of 1 query',)
    """
    over = [len(query.images) - limit for query in queries if len(query.images) > limit]
    if not over:
        return ()
    images = f"{sum(over)} image{'s' * (sum(over) > 1)}"
    return (f"limit={limit} leaves out {images} of {len(over)} quer{'ies' if len(over) > 1 else 'y'}",)
