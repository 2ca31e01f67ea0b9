"""A result as flat tables: one line per estimate, interval, test, curve point, finding, failure, class, recorded value.

Every line has the JSON pointer of what it was made of, so that it can be found in ``result.json``, and lines of several
sheets can be joined.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum

import pyarrow as pa

from frtaudit.core import AuditResult
from frtaudit.core.canonical import Json, dumps, escape

_TEXT, _REAL, _WHOLE, _YES = pa.string(), pa.float64(), pa.int64(), pa.bool_()
_WHERE = [("provider", _TEXT), ("analysis", _TEXT), ("schema", _TEXT), ("group", _TEXT), ("weighting", _TEXT)]
SCHEMAS: Mapping[str, pa.Schema] = {
    "estimates": pa.schema(
        [("pointer", _TEXT), *_WHERE, ("metric", _TEXT), ("at", _TEXT), ("value", _REAL), ("numerator", _WHOLE),
         ("denominator", _WHOLE), ("unit", _TEXT), ("note", _TEXT)]
    ),
    "intervals": pa.schema(
        [("pointer", _TEXT), ("estimate", _TEXT), ("method", _TEXT), ("target", _TEXT), ("level", _REAL),
         ("low", _REAL), ("high", _REAL), ("n_resamples", _WHOLE), ("n_eff", _REAL), ("mc_error", _REAL),
         ("note", _TEXT)]
    ),
    "tests": pa.schema(
        [("pointer", _TEXT), ("estimate", _TEXT), ("method", _TEXT), ("p", _REAL), ("null_median", _REAL),
         ("null_edge", _REAL), ("alpha", _REAL), ("detectable", _REAL), ("power", _REAL), ("p_adjusted", _REAL),
         ("detectable_unit", _TEXT), ("n_resamples", _WHOLE), ("family", _WHOLE), ("note", _TEXT)]
    ),
    "curves": pa.schema(
        [("pointer", _TEXT), *_WHERE, ("metric", _TEXT), ("rate", _TEXT), ("method", _TEXT), ("target", _TEXT),
         ("level", _REAL), ("simultaneous", _YES), ("point", _WHOLE), ("x", _REAL), ("y", _REAL), ("low", _REAL),
         ("high", _REAL)]
    ),
    "curve_replicates": pa.schema(
        [("curve", _TEXT), ("replicate", _WHOLE), ("point", _WHOLE), ("x", _REAL), ("y", _REAL)]
    ),
    "findings": pa.schema(
        [("pointer", _TEXT), ("requirement", _TEXT), ("verdict", _TEXT), ("estimate", _TEXT), ("limit", _REAL),
         ("bound", _REAL), ("bound_level", _REAL), ("p", _REAL), ("p_adjusted", _REAL), ("family", _WHOLE),
         ("sentence", _TEXT)]
    ),
    "failures": pa.schema(
        [("pointer", _TEXT), ("provider", _TEXT), ("code", _TEXT), ("schema", _TEXT), ("group", _TEXT),
         ("count", _WHOLE), ("unit", _TEXT)]
    ),
    "record": pa.schema([("pointer", _TEXT), ("value", _TEXT)]),
}  # fmt: skip
_RECORDED = ("schema_version", "spec", "digests", "versions", "cohort", "notes")


def sheets_of(result: AuditResult) -> dict[str, pa.Table]:
    """Name to table, those without a line left out.

    ``at`` is canonical JSON; an infinite number is one; ``record`` holds the spec, digests, versions, cohort and notes,
    value by value, as JSON.
    """
    estimates = [(f"/estimates/{index}", estimate) for index, estimate in enumerate(result.estimates)]
    rows: Mapping[str, Iterable[dict[str, object]]] = {
        "estimates": (_row("estimates", of, pointer=at, at=dumps(dict(of.at))) for at, of in estimates),
        "intervals": (
            _row("intervals", interval, pointer=f"{at}/intervals/{place}", estimate=at)
            for at, of in estimates
            for place, interval in enumerate(of.intervals)
        ),
        "tests": (
            _row("tests", of.test, pointer=f"{at}/test", estimate=at)
            for at, of in estimates
            if of.test is not None
        ),
        "curves": _curves(result),
        "curve_replicates": _replicates(result),
        **{
            name: [
                _row(name, entry, pointer=f"/{name}/{index}")
                for index, entry in enumerate(getattr(result, name))
            ]
            for name in ("findings", "failures")
        },
        "record": _record(result),
    }
    tables = {name: pa.Table.from_pylist(list(lines), schema=SCHEMAS[name]) for name, lines in rows.items()}
    return {name: table for name, table in tables.items() if table.num_rows}


def _row(sheet: str, record: object, **more: object) -> dict[str, object]:
    """What a record says of each column of a sheet; ``more``: what it does not say, or says otherwise."""
    row = {name: getattr(record, name, None) for name in SCHEMAS[sheet].names}
    return {name: value.value if isinstance(value, Enum) else value for name, value in (row | more).items()}


def _curves(result: AuditResult) -> Iterator[dict[str, object]]:
    for index, curve in enumerate(result.curves):
        shared = _row("curves", curve, pointer=f"/curves/{index}")
        for point, (x, y) in enumerate(zip(curve.x, curve.y, strict=True)):
            band = {"low": curve.low and curve.low[point], "high": curve.high and curve.high[point]}
            yield {**shared, "point": point, "x": x, "y": y, **band}


def _replicates(result: AuditResult) -> Iterator[dict[str, object]]:
    for index, curve in enumerate(result.curves):
        for number, drawn in enumerate(curve.replicates):
            for point, (x, y) in enumerate(zip(curve.x, drawn, strict=True)):
                yield {"curve": f"/curves/{index}", "replicate": number, "point": point, "x": x, "y": y}


def _record(result: AuditResult) -> Iterator[dict[str, object]]:
    whole = result.to_json()
    for name in _RECORDED:
        for pointer, value in leaves(whole[name], f"/{name}"):
            yield {"pointer": pointer, "value": dumps(value)}


def leaves(value: Json, pointer: str) -> Iterator[tuple[str, Json]]:
    """Every value that holds no other, with its JSON pointer (RFC 6901); an empty list or mapping is one.

    >>> list(leaves({"a": [1, {"b/c": "x"}], "d": []}, ""))
    [('/a/0', 1), ('/a/1/b~1c', 'x'), ('/d', [])]
    """
    if isinstance(value, Mapping) and value:
        for key, entry in value.items():
            yield from leaves(entry, f"{pointer}/{escape(key)}")
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for index, entry in enumerate(value):
            yield from leaves(entry, f"{pointer}/{index}")
    else:
        yield pointer, value
