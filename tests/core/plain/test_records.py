"""Tests of frtaudit.core.plain.records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from frtaudit.core.canonical import dumps
from frtaudit.core.plain.records import ADDED, Contract, Count, Level, from_json, to_json


class Colour(Enum):
    """A closed choice."""

    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a record holds several of."""

    size: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A record with a field of each kind."""

    level: Level
    colour: Colour | None
    parts: tuple[Part, ...]
    places: Mapping[str, float | str]
    later: tuple[float, ...] = field(default=(), metadata=ADDED)
    memo: object = field(default=None, compare=False)


WHOLE = Whole(level=0.95, colour=Colour.RED, parts=(Part(size=2),), places={"fmr": float("inf"), "name": "a"})


def test_a_record_is_written_by_its_types_and_read_back() -> None:
    """Numbers as doubles, choices by value, mappings and lists inside; what does not compare is not written."""
    written = to_json(WHOLE)
    assert written == {
        "level": 0.95,
        "colour": "red",
        "parts": [{"size": 2}],
        "places": {"fmr": "inf", "name": "a"},
    }
    assert to_json(from_json(Whole, written)) == written
    assert from_json(Whole, written).parts == WHOLE.parts


def test_an_added_field_stands_only_where_it_is_set() -> None:
    """So that results of before the field keep their bytes."""
    made = from_json(Whole, {**to_json(WHOLE), "later": [1, "nan"]})
    assert dumps(to_json(made)["later"]) == '[1.0,"nan"]'
    assert "later" not in to_json(WHOLE)


@pytest.mark.parametrize(
    "changes",
    [
        {"level": 1.0},
        {"colour": "blue"},
        {"parts": [{"size": -1}]},
        {"parts": [{}]},
        {"more": 1},
        {"level": None},
    ],
)
def test_the_schema_holds_a_record_to_its_types(changes: Mapping[str, Any]) -> None:
    """Limits, choices, missing and further keys; what is written follows it."""
    validator = Draft202012Validator(Contract().of(Whole))
    validator.validate(to_json(WHOLE))
    assert not validator.is_valid({**to_json(WHOLE), **changes})


def test_types_become_schemas() -> None:
    """Tuples, mappings, unions and Enums have their form."""
    of = Contract().of
    assert of(tuple[int, ...]) == {"type": "array", "items": {"type": "integer"}}
    assert of(tuple[int, int])["prefixItems"] == [{"type": "integer"}] * 2
    assert of(Mapping[str, Colour]) == {"type": "object", "additionalProperties": {"enum": ["red"]}}
    assert of(str | None) == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert of(object) == {}
