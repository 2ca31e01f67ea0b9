"""Rows of the store."""

from frtaudit.collection.rows import Key, facts_of, plain_id, plain_version


def test_a_key_says_of_what_kind_its_call_is() -> None:
    """Without a second crop faces are looked for."""
    assert (Key(0, 0, 256, 0).kind, Key(0, 0, 256, 512).kind) == ("detect", "compare")


def test_facts_are_canonical() -> None:
    """The same facts are the same text, whatever their order; none are no text."""
    assert facts_of({"b": 1.0, "a": "x"}) == facts_of({"a": "x", "b": 1.0}) == '{"a":"x","b":1.0}'
    assert facts_of({}) == ""


def test_free_text_is_left_out() -> None:
    """Ids and versions as services have them stay; sentences, line breaks, long texts and other letters do not."""
    assert plain_id("1469761507,07174361-027c-46e1-811f-ba0909760b18").startswith("1469761507,")
    assert plain_version("onnxruntime 1.20.0+cpu (x/y)") == "onnxruntime 1.20.0+cpu (x/y)"
    for text in ("unknown key abc", "a\n", "a" * 101, "é", "\ud800", "<b>"):
        assert plain_id(text) == ""
    for text in ("a\nb", "a" * 101, "é", "\ud800", "<b>"):
        assert plain_version(text) == ""
    assert facts_of({"said": "key \ud800", "key \ud800": 1.0, "similar": "true"}) == '{"similar":"true"}'
