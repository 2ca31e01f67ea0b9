"""Tests of frtaudit.core.seal."""

import copy
import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_audits import whole_spec

from frtaudit.core.canonical import dumps
from frtaudit.core.identity import to_plain
from frtaudit.core.plain.records import from_json, to_json
from frtaudit.core.plain.structure import silent
from frtaudit.core.seal import Departure, SealRecord, departures, sealed_content

LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-1, 1) | st.text("ab/~", max_size=2)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~", max_size=2), inner),
    max_leaves=8,
)
PLAIN = json.loads(dumps(sealed_content(to_plain(whole_spec()), "0" * 64, {"metadata.csv": "1" * 64})))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to everything in a tree that holds nothing more."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = list(items)
    if not inner:
        yield path
    for key, item in inner:
        yield from leaves(item, (*path, key))


@given(TREES, TREES)
def test_equal_if_and_only_if_nothing_departs(one: Any, other: Any) -> None:
    """Two trees have no departure exactly where their canonical bytes are the same."""
    assert (departures(one, other) == ()) == (dumps(one) == dumps(other))
    assert len(departures(one, other)) == len(departures(other, one))


@pytest.mark.parametrize("path", list(leaves(PLAIN)), ids=lambda path: "/".join(str(step) for step in path))
def test_a_changed_field_always_shows(path: tuple[Any, ...]) -> None:
    """Every field of a spec with all there is, and every digest: changed or left out, it is the one departure."""
    changed, shorter = copy.deepcopy(PLAIN), copy.deepcopy(PLAIN)
    inner, outer = changed, shorter
    for step in path[:-1]:
        inner, outer = inner[step], outer[step]
    inner[path[-1]] = "something else"
    (found,) = departures(PLAIN, changed)
    assert found.place == "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
    assert (found.sealed, found.run) != (None, None)
    assert found.run == '"something else"'
    del outer[path[-1]]
    assert len(departures(PLAIN, shorter)) == 1


@given(st.sets(st.sampled_from(list(leaves(PLAIN))), min_size=1, max_size=5), st.integers(0, 10**6))
def test_every_departure_of_a_random_edit_shows(paths: set[tuple[Any, ...]], value: int) -> None:
    """Several fields changed at once: each shows, and nothing else does."""
    changed = copy.deepcopy(PLAIN)
    for path in paths:
        inner = changed
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = f"edited {value}"
    places = {
        "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path) for path in paths
    }
    assert {item.place for item in departures(PLAIN, changed)} == places


def test_what_is_new_or_gone_shows_as_nothing() -> None:
    """A value on one side only has None on the other; a null is not nothing."""
    assert departures({"a": None}, {}) == (Departure(place="/a", sealed="null", run=None),)
    assert departures([1], [1, 2]) == (Departure(place="", sealed="[1]", run="[1,2]"),)


def test_every_field_of_a_spec_is_sealed_or_no_part_of_the_audit() -> None:
    """What a seal leaves out are paths, machine settings, the report's own words, and new fields at their default."""
    spec = whole_spec()
    fields = [item for item in dataclasses.fields(spec) if not silent(item, getattr(spec, item.name))]
    names = {item.name for item in fields if "role" not in item.metadata} - {"report"}
    assert set(PLAIN["spec"]) == names
    assert "inputs" not in sealed_content({"inputs": {}, "seed": 1}, "", {})["spec"]  # type: ignore[operator]  # a mapping


def test_a_record_reads_back() -> None:
    """from_json(to_json(x)) == x."""
    record = SealRecord(
        sha256="0" * 64, signer="A", keyid="1" * 64, signed_at="2026-01-01T00:00:00Z", stamped_at=None,
        departures=(Departure(place="/spec/seed", sealed="0", run=None),),
    )  # fmt: skip
    assert from_json(SealRecord, json.loads(dumps(to_json(record)))) == record
