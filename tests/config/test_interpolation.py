"""Tests of frtaudit.config.interpolation.

tests/test_hostile_specs.py tests composition.
"""

import pytest

from frtaudit.config.interpolation import check_plain, resolve, value_at
from frtaudit.errors import SpecError

TREE = {"name": "demo", "seed": 3, "some": {"list": [1, {"a": "x"}], "text": "${name}"}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${name}", "demo"),
        ("${seed}", 3),
        ("${some.list}", [1, {"a": "x"}]),
        ("${some.list[1].a}-${seed}", "x-3"),
        ("the ${some.text} of ${name}", "the demo of demo"),
        ("$5 {a} $", "$5 {a} $"),
    ],
)
def test_keys_are_replaced_by_their_values(text: str, value: object) -> None:
    """A lone ${key} becomes the value of any type; in a text it becomes its text; all else stays."""
    assert resolve({**TREE, "x": [text]})["x"] == [value]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("${x}", "x: ${x} names itself"),
        ("${nope}", "x: Interpolation key 'nope' not found; accepted: a ${key} of the spec"),
        ("a ${some}", "x: ${some} inside a text has no single value"),
        ("${now:%H}", "x: the resolver '${now:%H}'; accepted: plain ${key} only"),
        ("${hydra.run.dir}", "x: the resolver"),
        ("${name", "x: the resolver"),
    ],
)
def test_what_names_no_value_is_refused(text: str, line: str) -> None:
    """Circles, unknown keys, sections inside a text and resolvers are told by the place that says them."""
    with pytest.raises(SpecError) as caught:
        resolve({**TREE, "x": text})
    assert str(caught.value).startswith(line)


def test_multiplying_references_are_refused() -> None:
    """Thirty doublings end at once."""
    tree: dict[str, object] = {"a0": "x" * 8}
    tree |= {f"a{n}": f"${{a{n - 1}}}" * 2 for n in range(1, 30)}
    with pytest.raises(SpecError, match="expands too far"):
        resolve(tree)


def test_values_are_found_by_key() -> None:
    """Names and positions; the empty key is the whole; what is not there is a KeyError."""
    assert value_at(TREE, "some.list[0]") == 1
    assert value_at(TREE, "") is TREE
    for key in ("nope", "some.list[9]", "name.x", "some.list.a"):
        with pytest.raises(KeyError):
            value_at(TREE, key)


def test_only_plain_keys_pass() -> None:
    """Spaces, dots in front and nested keys are no plain key."""
    for text in ("${ name }", "${.name}", "${a.${b}}", "${}"):
        with pytest.raises(SpecError):
            check_plain(text, "x")
