"""JSON Schema of ``result.json``: the contract that other tools rely on; no further keys wherever names are fixed."""

from collections.abc import Mapping

from frtaudit.core.canonical import Json
from frtaudit.core.estimates import Method, Target, TestMethod
from frtaudit.core.findings import Verdict
from frtaudit.core.result import SCHEMA_VERSION

Schema = dict[str, Json]

_NUMBER: Schema = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]}
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_LEVEL: Schema = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
_WEIGHTING: Schema = {"enum": ["pooled", "identity", None]}
_METHOD: Schema = {"enum": [method.value for method in Method]}
_TEST_METHOD: Schema = {"enum": [method.value for method in TestMethod]}
_P: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_TARGET: Schema = {"enum": [target.value for target in Target]}


def result_schema(spec: Mapping[str, Json]) -> Schema:
    """The schema of a result whose ``spec`` follows the given schema."""
    parts: Schema = {
        "schema_version": {"const": SCHEMA_VERSION},
        "spec": dict(spec),
        "digests": _digests(),
        "versions": _map_of(_TEXT),
        "estimates": _list_of({"$ref": "#/$defs/estimate"}),
        "curves": _list_of({"$ref": "#/$defs/curve"}),
        "findings": _list_of({"$ref": "#/$defs/finding"}),
        "failures": _list_of({"$ref": "#/$defs/failure"}),
        "cohort": _cohort(),
        "notes": _list_of(_TEXT),
    }
    kinds = {
        "interval": _interval(),
        "test": _test(),
        "estimate": _estimate(),
        "curve": _curve(),
        "finding": _finding(),
        "failure": _failure(),
    }
    closed = _closed(parts) | {"properties": {**parts, "seal": _seal()}}
    return {"title": "frtaudit result", **closed, "$defs": dict(kinds)}


def _interval() -> Schema:
    return _closed(
        {
            "low": _or_null(_NUMBER),
            "high": _or_null(_NUMBER),
            "level": _LEVEL,
            "method": _METHOD,
            "target": _TARGET,
            "n_resamples": _or_null(_COUNT),
            "n_eff": _or_null(_NUMBER),
            "mc_error": _or_null(_NUMBER),
            "note": _or_null(_TEXT),
        }
    )


def _test() -> Schema:
    return _closed(
        {
            "p": _or_null(_P),
            "null_median": _or_null(_NUMBER),
            "null_edge": _or_null(_NUMBER),
            "alpha": _LEVEL,
            "n_resamples": _or_null(_COUNT),
            "method": _TEST_METHOD,
            "detectable": _or_null(_NUMBER),
            "detectable_unit": _TEXT,
            "power": _LEVEL,
            "p_adjusted": _or_null(_P),
            "family": _or_null(_COUNT),
            "note": _or_null(_TEXT),
        }
    )


def _estimate() -> Schema:
    return _closed(
        {
            "provider": _TEXT,
            "analysis": _TEXT,
            "metric": _TEXT,
            "schema": _or_null(_TEXT),
            "group": _TEXT,
            "weighting": _WEIGHTING,
            "at": _map_of({"anyOf": [{"type": "number"}, _TEXT]}),
            "value": _or_null(_NUMBER),
            "numerator": _or_null(_COUNT),
            "denominator": _or_null(_COUNT),
            "unit": _TEXT,
            "intervals": _list_of({"$ref": "#/$defs/interval"}),
            "note": _or_null(_TEXT),
            "test": _or_null({"$ref": "#/$defs/test"}),
        }
    )


def _curve() -> Schema:
    """What follows ``target`` stands only where it is set."""
    numbers = _list_of(_NUMBER)
    fields: dict[str, Schema] = {
        "provider": _TEXT,
        "analysis": _TEXT,
        "schema": _or_null(_TEXT),
        "group": _TEXT,
        "weighting": _WEIGHTING,
        "x": numbers,
        "y": numbers,
        "low": _or_null(numbers),
        "high": _or_null(numbers),
        "method": _or_null(_METHOD),
        "target": _or_null(_TARGET),
    }
    more: dict[str, Schema] = {
        "metric": _TEXT,
        "rate": _TEXT,
        "level": _LEVEL,
        "simultaneous": {"const": True},
        "replicates": _list_of(numbers),
        "notes": _list_of(_TEXT),
    }
    return _closed(fields) | {"properties": {**fields, **more}}


def _finding() -> Schema:
    return _closed(
        {
            "requirement": _TEXT,
            "estimate": _or_null({"type": "string", "pattern": "^/estimates/[0-9]+$"}),
            "verdict": {"enum": [verdict.value for verdict in Verdict]},
            "limit": _NUMBER,
            "bound": _or_null(_NUMBER),
            "bound_level": _or_null(_LEVEL),
            "sentence": {"type": "string", "minLength": 1},
            "p": _or_null(_P),
            "p_adjusted": _or_null(_P),
            "family": _or_null(_COUNT),
        }
    )


def _failure() -> Schema:
    """``names`` stands only where the spec asks for it."""
    fields: dict[str, Schema] = {
        "provider": _or_null(_TEXT),
        "code": _TEXT,
        "schema": _or_null(_TEXT),
        "group": _or_null(_TEXT),
        "count": _COUNT,
        "unit": _TEXT,
    }
    closed = _closed(fields)
    return closed | {"properties": {**fields, "names": _list_of(_TEXT)}}


def _seal() -> Schema:
    """Stands only where the run had a seal."""
    departure = _closed({"place": _TEXT, "sealed": _or_null(_TEXT), "run": _or_null(_TEXT)})
    return _closed(
        {
            "sha256": _SHA256,
            "signer": _TEXT,
            "keyid": _SHA256,
            "signed_at": _TEXT,
            "stamped_at": _or_null(_TEXT),
            "departures": _list_of(departure),
        }
    )


def _digests() -> Schema:
    """Only where they apply: ``outputs`` (lists were written), ``rows`` (inputs have rows), ``full`` (a variant)."""
    fields: dict[str, Schema] = {"spec": _SHA256, "cohort": _SHA256, "inputs": _map_of(_SHA256)}
    rows = {
        "unit": _TEXT,
        "first": _COUNT,
        "count": _COUNT,
        "blocks": _list_of(_TEXT),
        "strides": _list_of(_TEXT),
    }
    more = {"outputs": _map_of(_SHA256), "rows": _map_of(_closed(rows)), "full": _SHA256}
    return _closed(fields) | {"properties": {**fields, **more}}


def _cohort() -> Schema:
    """A count is null where a publishable variant withholds it."""
    counts: Schema = dict.fromkeys(("samples", "subjects", "subjects_with_two_samples"), _or_null(_COUNT))
    group = _closed({"group": _TEXT, "label": _TEXT, **counts})
    schema = _closed({"groups": _list_of(group), "super_classes": _map_of(_list_of(_TEXT))})
    fields = {**counts, "schemas": _map_of(schema)}
    more = {"collection": _collection(), "sanitized": _sanitized(), "publication": _publication()}
    return _closed(fields) | {"properties": {**fields, **more}}


def _collection() -> Schema:
    """Stands only where ``frtaudit collect`` gathered the scores; a count is null where a variant withholds it."""
    kinds = ("failure_to_acquire", "policy", "transport")
    kind: Schema = {"enum": [*kinds]}
    left_out = _closed({"code": _TEXT, "refusal": _or_null(kind), "count": _COUNT, "unit": _TEXT})
    counts: Schema = dict.fromkeys(("queries", "faces", "pairs"), _or_null(_COUNT))
    images = _closed({"found": _COUNT, "listed": _COUNT, "left_out": _list_of(left_out)})
    call: Schema = {"enum": ["compare", "detect"]}
    service = _closed(
        {
            "asked": _map_of(_TEXT),
            "versions": _map_of(_or_null(_COUNT)),
            "scored": _or_null(_COUNT),
            "by_kind": _closed(dict.fromkeys(kinds, _or_null(_COUNT))),
            "refused": _list_of(_closed({"call": call, "refusal": kind, "code": _TEXT, "count": _COUNT})),
            "missing": _or_null(_COUNT),
            "detects": {"type": "boolean"},
            "canaries": _or_null(_canaries()),
        }
    )
    return _closed(
        {
            "finished": {"type": "boolean"},
            "spec": {"type": "object"},
            "images": _or_null(images),
            **counts,
            "services": _map_of(service),
        }
    )


def _canaries() -> Schema:
    flag: Schema = {"type": "boolean"}
    later = _closed(
        {"round": _COUNT, "apart": _COUNT, "open": _COUNT, "p": _SHARE, "more_than_chance": flag},
    )
    ways = _closed({"pairs": _COUNT, "apart": _COUNT, "largest": _or_null(_NUMBER)})
    return _closed(
        {
            **dict.fromkeys(("items", "answered", "rounds", "repeats"), _COUNT),
            "noise": _SHARE,
            "alpha": _LEVEL,
            "power": _LEVEL,
            "least_share_found": _or_null(_SHARE),
            "changed": flag,
            "later": _list_of(later),
            "both_ways": ways,
        }
    )


def _publication() -> Schema:
    """Stands only in a publishable variant: its rule, the classes withheld by schema, how much was left out."""
    return _closed(
        {
            "minimum": _COUNT,
            "withheld": _map_of(_list_of(_TEXT)),
            "by_no_class": _list_of(_TEXT),
            "left_out": _map_of(_COUNT),
        }
    )


def _sanitized() -> Schema:
    """Stands only where the spec declares steps of sanitization."""
    counted = {"subjects": _COUNT, "samples": _COUNT}
    group = _closed({"schema": _TEXT, "group": _TEXT, **counted})
    stage = _closed(
        {"step": _TEXT, "said": _TEXT, "reason": _TEXT, **counted, "groups": _list_of(group)},
    )
    required = _closed({"schema": _TEXT, "group": _TEXT, "left": _list_of(_COUNT)})
    return _closed(
        {"stages": _list_of(stage), "required": _list_of(required), "counted_at": _COUNT},
    )


def _closed(fields: Mapping[str, Json]) -> Schema:
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def _list_of(item: Json) -> Schema:
    return {"type": "array", "items": item}


def _map_of(item: Json) -> Schema:
    return {"type": "object", "additionalProperties": item}


def _or_null(item: Json) -> Schema:
    return {"anyOf": [item, {"type": "null"}]}
