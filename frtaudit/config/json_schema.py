"""JSON Schema (2020-12) of a resolved spec and of ``result.json``, generated from the types that they are made of."""

import dataclasses
import json
import types
from collections.abc import Mapping
from enum import Enum
from typing import Union, get_args

from frtaudit.config.plugins import load_plugins
from frtaudit.core.canonical import Json
from frtaudit.core.identity import INPUTS, SPEC_VERSION, TYPE, identifies
from frtaudit.core.registry import lookup, names
from frtaudit.core.result_schema import result_schema
from frtaudit.core.spec import AuditSpec, Folds
from frtaudit.core.structure import Field, Keep, Kind, hints_of, origin, required

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCALARS: Mapping[object, dict[str, Json]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]},
    str: {"type": "string"},
    type(None): {"type": "null"},
}
_SHA256: dict[str, Json] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def schema_text(of: str) -> str:
    """The schema of ``spec`` or ``result`` as indented JSON."""
    load_plugins()
    schema = spec_schema() if of == "spec" else result_schema(spec_schema(identity=True))
    return json.dumps({"$schema": DIALECT, **schema}, indent=2, ensure_ascii=False)


def spec_schema(*, identity: bool = False) -> dict[str, Json]:
    """The schema of a whole spec, or of its identity: without report, paths and machine settings, with ``inputs``."""
    keep: Keep = identifies if identity else _every
    schema = _dataclass(AuditSpec, keep)
    properties: dict[str, Json] = {**_mapping(schema["properties"]), **_plugins(keep)}
    if identity:
        properties[INPUTS] = {"type": "object", "additionalProperties": _SHA256}
    properties["spec_version"] = {"const": SPEC_VERSION}
    return {"title": "frtaudit spec", **schema, "properties": properties}


def of_type(kind: Kind, keep: Keep) -> dict[str, Json]:
    """The schema of plain data that :func:`frtaudit.core.structure.build` accepts for a type.

    >>> of_type(tuple[int, int], lambda field: True)
    {'type': 'array', 'prefixItems': [{'type': 'integer'}, {'type': 'integer'}], 'minItems': 2, 'items': False}
    """
    if kind in _SCALARS:
        return dict(_SCALARS[kind])
    if origin(kind) in (Union, types.UnionType):
        return {"anyOf": [of_type(item, keep) for item in get_args(kind)]}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if origin(kind) is tuple:
        return _tuple(get_args(kind), keep)
    if origin(kind) in (dict, Mapping):
        return {"type": "object", "additionalProperties": of_type(get_args(kind)[1], keep)}
    return _dataclass(kind, keep) if dataclasses.is_dataclass(kind) else {}


def _every(field: Field) -> bool:  # noqa: ARG001  the form of typed.Keep
    return True


def _dataclass(kind: Kind, keep: Keep, **more: Json) -> dict[str, Json]:
    fields = [field for field in dataclasses.fields(kind) if field.init and keep(field)]
    hints = hints_of(kind)
    properties = {field.name: of_type(hints[field.name], keep) for field in fields}
    needed = [field.name for field in fields if required(field)]
    return {
        "type": "object",
        "properties": {**more, **properties},
        "required": [*more, *needed],
        "additionalProperties": False,
    }


def _tuple(items: tuple[Kind, ...], keep: Keep) -> dict[str, Json]:
    if len(items) == 2 and items[1] is Ellipsis:
        return {"type": "array", "items": of_type(items[0], keep)}
    prefix: list[Json] = [of_type(item, keep) for item in items]
    return {"type": "array", "prefixItems": prefix, "minItems": len(items), "items": False}


def _plugins(keep: Keep) -> dict[str, Json]:
    """The fields of a spec that hold plug-ins."""
    provider: Json = {"anyOf": [{"type": "string"}, _any_of("provider", keep)]}
    listed: list[Json] = [{"type": "null"}, {"type": "array", "items": provider, "minItems": 1}]
    return {
        "cohort": _any_of("cohort", keep),
        "protocol": _any_of("protocol", keep),
        "analyses": {"type": "object", "additionalProperties": _any_of("analysis", keep), "minProperties": 1},
        "providers": {"anyOf": listed},
        "test_sets": {"type": "object", "additionalProperties": _test_set(keep)},
    }


def _test_set(keep: Keep) -> dict[str, Json]:
    pairs: Json = {"anyOf": [{"type": "null"}, _any_of("protocol", keep)]}
    properties: dict[str, Json] = {"pairs": pairs, "folds": _dataclass(Folds, keep)}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _any_of(group: str, keep: Keep) -> dict[str, Json]:
    kinds: list[Json] = [
        _dataclass(lookup(group, name, group), keep, **{TYPE: {"const": name}}) for name in names(group)
    ]
    return {"anyOf": kinds}


def _mapping(value: Json) -> dict[str, Json]:
    return dict(value) if isinstance(value, Mapping) else {}
