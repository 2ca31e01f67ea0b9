"""Rows of the store."""

from frtaudit.collection.rows import Key, facts_of


def test_a_key_says_of_what_kind_its_call_is() -> None:
    """Without a second crop faces are looked for."""
    assert (Key(0, 0, 256, 0).kind, Key(0, 0, 256, 512).kind) == ("detect", "compare")


def test_facts_are_canonical() -> None:
    """The same facts are the same text, whatever their order; none are no text."""
    assert facts_of({"b": 1.0, "a": "x"}) == facts_of({"a": "x", "b": 1.0}) == '{"a":"x","b":1.0}'
    assert facts_of({}) == ""
