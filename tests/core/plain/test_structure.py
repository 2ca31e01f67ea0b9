"""Tests of frtaudit.core.plain.structure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.machine import limits
from frtaudit.core.plain.structure import (
    build,
    check_kind,
    closest,
    construct,
    described,
    plain,
    refuse_unknown,
)
from frtaudit.core.spec import Bootstrap, GridKind, Plan
from frtaudit.errors import SpecError


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    size: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    name: str
    inner: Inner = field(default_factory=Inner)
    colours: tuple[Colour, ...] = ()
    pair: tuple[int, int] = (1, 2)
    table: Mapping[str, float | str] = field(default_factory=dict)
    maybe: int | None = None
    sure: bool = False
    source: str | None = field(default=None, metadata={"role": "path"})

    def __post_init__(self) -> None:
        if self.name == "bad":
            raise ValueError("the name is bad")
        if self.name.startswith("."):
            raise SpecError(self.name, "is no name")


wholes = st.integers(-limits.WHOLE, limits.WHOLE)
outers = st.builds(
    Outer,
    name=st.text().filter(lambda name: name not in ("bad", "???")),
    inner=st.builds(Inner, size=st.sampled_from([math.inf, -math.inf]) | st.floats(-1e15, 1e15)),
    colours=st.lists(st.sampled_from(Colour)).map(tuple),
    pair=st.tuples(wholes, wholes),
    table=st.dictionaries(
        st.text(),
        st.floats(-1e15, 1e15) | st.text().filter(lambda text: text != "???"),
    ),
    maybe=st.none() | wholes,
    sure=st.booleans(),
)


@given(outers)
def test_build_reads_what_plain_writes(value: Outer) -> None:
    """Plain data of a typed value within the limits builds the same value."""
    assert build(Outer, plain(value), "outer") == value


@pytest.mark.parametrize(
    ("kind", "data", "line"),
    [
        (int, "x", "a.b: found 'x'; accepted: a whole number"),
        (int, 1.0, "a.b: found 1.0 (a number); accepted: a whole number"),
        (int, True, "a.b: found true (a truth value); accepted: a whole number"),
        (float, "x", "a.b: found 'x'; accepted: a number"),
        (bool, 1, "a.b: found 1 (a number); accepted: true or false"),
        (int | None, "x", "a.b: found 'x'; accepted: a whole number"),
        (GridKind, "linaer", "a.b: found 'linaer' (did you mean 'linear'?); accepted: explicit, linear,"),
        (tuple[float, ...], 0.1, "a.b: found 0.1 (a number); accepted: a list: [a number, ...]"),
        (tuple[float, ...], [0.1, None], "a.b[1]: found null; accepted: a number"),
        (tuple[int, int], [1], "a.b: found 1 values; accepted: 2 values"),
        (Mapping[str, float], [1], "a.b: found a list; accepted: a mapping of keys to values"),
        (Bootstrap, "x", "a.b: found 'x'; accepted: a mapping of keys to values: B, alpha"),
        (float | str, None, "a.b: found null; accepted: a number or text; quote it"),
        (int, "???", "a.b: no value; accepted: a whole number"),
        (str, "???", "a.b: no value; accepted: text"),
        (Outer, "???", "a.b: no value; accepted: a mapping of keys to values, with name"),
    ],
)  # fmt: skip
def test_build_refuses_in_one_line(kind: object, data: object, line: str) -> None:
    """A wrong type names the place, the value and what would be accepted."""
    with pytest.raises(SpecError) as caught:
        build(kind, data, "a.b")
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [False, 8, 1.0, None])
def test_text_is_never_made_from_something_else(value: object) -> None:
    """What YAML reads out of a bare no, 010 or 1.0 is refused where text is asked for, with the advice to quote it."""
    with pytest.raises(SpecError, match="quote it"):
        build(str, value, "schemas.answer.classes[0]")


def test_int_is_a_float_and_reads_alike() -> None:
    """1 and 1.0 are the same value of a float field."""
    assert build(float, 1, "x") == 1.0
    assert type(build(float, 1, "x")) is float


def test_infinities_come_back() -> None:
    """The texts that canonical JSON writes for non-finite numbers are read as numbers."""
    assert build(float, "-inf", "x") == -math.inf
    assert math.isnan(build(float, "nan", "x"))


def test_mappings_are_kept_in_the_order_of_their_keys() -> None:
    """The order in which keys were given does not show."""
    assert list(build(Mapping[str, int], {"b": 1, "a": 2}, "x")) == ["a", "b"]


def test_unknown_and_missing_keys_are_named() -> None:
    """An unknown key and a missing one name the place and the alternatives."""
    with pytest.raises(
        SpecError, match=r"^outer: unknown key 'nam' \(did you mean 'name'\?\); accepted: name, inner"
    ):
        construct(Outer, {"nam": "x"}, "outer")
    with pytest.raises(SpecError, match=r"^outer\.name: no value; accepted: text"):
        construct(Outer, {}, "outer")
    with pytest.raises(SpecError, match=r"^outer\.source: no value; accepted: a path: outer\.source=PATH"):
        construct(Outer, {"name": "x", "source": "???"}, "outer")


def test_keys_that_are_no_text_are_refused() -> None:
    """A bare `no:` is a truth value and no key."""
    with pytest.raises(SpecError, match=r"^outer: the key false \(a truth value\) is not text"):
        build(Outer, {False: 1}, "outer")


def test_a_plugin_that_refuses_is_placed() -> None:
    """A ValueError of a class becomes an error that names the place."""
    with pytest.raises(SpecError, match=r"^outer: the name is bad$"):
        construct(Outer, {"name": "bad"}, "outer")


def test_unions_prefer_the_exact_type() -> None:
    """A text stays text where a number or text is accepted, and a whole number becomes a number."""
    assert build(float | str, "inf", "x") == "inf"
    assert build(float | str, 2, "x") == 2.0


def test_plain_leaves_out_fields() -> None:
    """Fields that are not kept are left out at every depth."""
    value = Outer(name="a", source="here")
    assert "source" not in plain(value, lambda kept: "role" not in kept.metadata)  # type: ignore[operator]


def test_plain_refuses_what_is_no_data() -> None:
    """An object that is no plain data is a bug, said loudly."""
    with pytest.raises(TypeError, match="object is not plain data"):
        plain(object())


def test_enums_are_written_by_value() -> None:
    """An Enum stands as its value."""
    assert plain({"plans": (Plan.IMAGES,)}) == {"plans": ["images"]}


def test_hints_are_close_or_absent() -> None:
    """A far name gets no hint; a name in other letters gets one."""
    assert closest("zzz", ["alpha"]) == ""
    assert closest("ALPHA", ["alpha"]) == " (did you mean 'alpha'?)"
    with pytest.raises(SpecError, match="^spec: unknown key 'x'; accepted: no key$"):
        refuse_unknown("", ["x"], [])


def test_described_values_are_short() -> None:
    """An error shows a mapping or a list by its kind, not by its content."""
    assert described({"a": 1}) == "a mapping"
    assert described([1]) == "a list"


def test_an_error_of_a_value_is_placed() -> None:
    """A value that does not know where it stands says so by a dot; the door completes the place."""
    for name, place in ((".inner", "a.b.inner"), (".", "a.b")):
        with pytest.raises(SpecError) as caught:
            build(Outer, {"name": name}, "a.b")
        assert caught.value.where == place
    with pytest.raises(SpecError, match=r"^spec: is no name"):
        build(Outer, {"name": "."}, "")


def test_values_made_in_python_of_their_types() -> None:
    """A whole number stands for a number, None where there may be nothing, a tuple of any length where it may be."""
    whole = Outer(name="a", inner=Inner(size=2), colours=(Colour.RED,), table={"k": 1, "l": "two"}, maybe=3)
    check_kind(Outer, whole, "outer")
    check_kind(Outer, replace(whole, maybe=None, colours=(), sure=True, source="x"), "outer")
    check_kind(Outer, replace(whole, colours=[Colour.RED]), "outer")  # type: ignore[arg-type]  # as a list in a spec
    check_kind(object, whole, "outer")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"source": 5}, "outer.source: found 5; accepted: text"),
        ({"inner": None}, "outer.inner: found None; accepted: Inner(...)"),
        ({"inner": Inner(size="x")}, "outer.inner.size: found 'x'; accepted: a number"),  # type: ignore[arg-type]  # what a test sets
        ({"inner": Inner(size=True)}, "outer.inner.size: found True; accepted: a number"),
        ({"colours": Colour.RED}, "outer.colours: found <Colour.RED: 'red'>; accepted: a tuple"),
        ({"colours": ("red",)}, "outer.colours[0]: found 'red'; accepted: Colour.RED, Colour.BLUE"),
        ({"pair": (1, 2, 3)}, "outer.pair: found (1, 2, 3); accepted: a tuple"),
        ({"pair": (1, 2.0)}, "outer.pair[1]: found 2.0; accepted: a whole number"),
        ({"table": {"k": None}}, "outer.table.k: found None; accepted: "),
        ({"table": {1: 1.0}}, "outer.table: found {1: 1.0}; accepted: "),
        ({"maybe": 1.5}, "outer.maybe: found 1.5; accepted: a whole number"),
        ({"sure": 1}, "outer.sure: found 1; accepted: "),
    ],
)
def test_values_made_in_python_of_other_types(fields: dict[str, object], error: str) -> None:
    """The place, what stands there, what would be right."""
    with pytest.raises(SpecError) as caught:
        check_kind(Outer, replace(Outer(name="a"), **fields), "outer")
    assert str(caught.value).startswith(error)
