"""Tests of frtaudit.config.json_schema."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from full_specs import to_full
from jsonschema import Draft202012Validator

from frtaudit.config.json_schema import schema_text, spec_schema
from frtaudit.config.load import load_spec
from frtaudit.core.identity import INPUTS, to_plain


def spec_plain(**changes: Any) -> dict[str, Any]:
    """The whole demo spec as plain data, with changes."""
    return {**to_full(load_spec(["audit=demo"])), **changes}


@pytest.mark.parametrize("of", ["spec", "result"])
def test_schemas_are_schemas(of: str) -> None:
    """Both are valid JSON Schema 2020-12."""
    schema = json.loads(schema_text(of))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")


@pytest.mark.parametrize(
    "overrides",
    [
        ["audit=demo"],
        ["audit=lfw", "cohort.root=x"],
        ["audit=scores", "cohort.root=x", "providers=[a,{name: b, type: precomputed}]"],
        ["audit=similarity_uncertainty", "requirement=[nist_800_63a_4]"],
    ],
)
def test_specs_follow_the_schema(overrides: list[str]) -> None:
    """A spec, and its identity with inputs, validate."""
    spec = load_spec(overrides)
    Draft202012Validator(spec_schema()).validate(to_full(spec))
    identity = to_plain(spec) | {INPUTS: {"a.csv": "0" * 64}}
    Draft202012Validator(spec_schema(identity=True)).validate(json.loads(json.dumps(identity)))


@pytest.mark.parametrize(
    "changes",
    [
        {"sed": 3},
        {"seed": "x"},
        {"seed": 1.5},
        {"cohort": {"type": "nope"}},
        {"cohort": {"type": "templates"}},
        {"weighting": "both"},
        {"analyses": {}},
        {"providers": []},
        {"spec_version": "2"},
        {"bootstrap": {"B": 1000, "beta": 1}},
        {"schemas": {"a": {"columns": "x"}}},
    ],
)
def test_what_is_no_spec_fails_the_schema(changes: Mapping[str, Any]) -> None:
    """Unknown keys, wrong types and unknown names do not validate."""
    assert not Draft202012Validator(spec_schema()).is_valid(spec_plain(**changes))
