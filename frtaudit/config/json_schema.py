"""JSON Schema (2020-12) of a resolved spec and of ``result.json``, generated from the types that they are made of."""

import json
from collections.abc import Mapping

from frtaudit.config.plugins import load_plugins
from frtaudit.core.canonical import Json, mapping
from frtaudit.core.identity import INPUTS, SPEC_VERSION, TYPE, identifies
from frtaudit.core.plain.records import Contract, Sha256
from frtaudit.core.plain.structure import required
from frtaudit.core.registry import lookup, names
from frtaudit.core.result_schema import result_schema
from frtaudit.core.spec import AuditSpec, Folds

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_text(of: str) -> str:
    """The schema of ``spec`` or ``result`` as indented JSON."""
    load_plugins()
    schema = spec_schema() if of == "spec" else result_schema(spec_schema(identity=True))
    return json.dumps({"$schema": DIALECT, **schema}, indent=2, ensure_ascii=False)


def spec_schema(*, identity: bool = False) -> dict[str, Json]:
    """The schema of a whole spec, or of its identity: without report, paths and machine settings, with ``inputs``."""
    contract = Contract(keep=identifies if identity else lambda _: True, needed=required)
    schema = contract.record(AuditSpec)
    provider: Json = {"anyOf": [{"type": "string"}, _any_of("provider", contract)]}
    listed: list[Json] = [{"type": "null"}, {"type": "array", "items": provider, "minItems": 1}]
    pairs: Json = {"anyOf": [{"type": "null"}, _any_of("protocol", contract)]}
    test_set: dict[str, Json] = {"pairs": pairs, "folds": contract.of(Folds)}
    test_sets: Json = {"type": "object", "properties": test_set, "additionalProperties": False}
    properties: dict[str, Json] = {
        **mapping(schema["properties"]),
        "cohort": _any_of("cohort", contract),
        "protocol": _any_of("protocol", contract),
        "analyses": {
            "type": "object",
            "additionalProperties": _any_of("analysis", contract),
            "minProperties": 1,
        },
        "providers": {"anyOf": listed},
        "test_sets": {"type": "object", "additionalProperties": test_sets},
    }
    if identity:
        properties[INPUTS] = contract.of(Mapping[str, Sha256])
    properties["spec_version"] = {"const": SPEC_VERSION}
    return {"title": "frtaudit spec", **schema, "properties": properties}


def _any_of(group: str, contract: Contract) -> dict[str, Json]:
    kinds: list[Json] = [
        contract.record(lookup(group, name, group), {TYPE: {"const": name}}) for name in names(group)
    ]
    return {"anyOf": kinds}
