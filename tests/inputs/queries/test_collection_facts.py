"""What a result says of a collection."""

import json
from pathlib import Path

from collected_audits import result, stored_collection
from jsonschema import Draft202012Validator

from frtaudit.core.result_schema import result_schema
from frtaudit.inputs.queries.collected import read_collected


def test_no_list_and_no_address_of_a_source_is_told(tmp_path: Path) -> None:
    """A list may hold queries, an address a key: of the one nothing stands, of the other its host; no endpoint."""
    found = read_collected(stored_collection(tmp_path))
    assert found is not None
    text = json.dumps(found.facts)
    assert found.facts["spec"]["source"] == {"feed": "feed.example.org", "type": "news_search"}  # type: ignore[index,call-overload]  # JSON
    assert not [word for word in ("Ada", "key=1", "customer", "abcdefgh") if word in text]


def test_refusals_are_told_by_kind_and_code(tmp_path: Path) -> None:
    """The prefix of a collection's code is its kind; a pair without score or refusal is missing."""
    found = read_collected(stored_collection(tmp_path))
    assert found is not None
    acme = found.facts["services"]["acme"]  # type: ignore[index,call-overload]  # JSON
    assert acme["by_kind"] == {"failure_to_acquire": 1, "policy": 0, "transport": 0}
    assert acme["missing"] == 1
    assert [(one["call"], one["refusal"], one["code"], one["count"]) for one in acme["refused"]] == [
        ("compare", "failure_to_acquire", "no_face", 1),
        ("detect", "transport", "timeout", 2),
    ]
    assert acme["canaries"]["later"][0]["more_than_chance"]
    left_out = found.facts["images"]["left_out"]  # type: ignore[index,call-overload]  # JSON
    assert [(one["code"], one["refusal"]) for one in left_out] == [
        ("robots", "policy"),
        ("unreadable_image", None),
    ]


def test_facts_of_a_real_collection_reach_the_result() -> None:
    """Counts of a collection that was made stand in result.json, which keeps its schema; another audit has none."""
    found = json.loads(result().to_bytes())
    Draft202012Validator(result_schema({"type": "object"})).validate(found)
    collection = found["cohort"]["collection"]
    assert collection["images"] == {
        "found": 72,
        "listed": 70,
        "left_out": [{"code": "unreadable_image", "refusal": None, "count": 2, "unit": "images"}],
    }
    assert [one["canaries"]["changed"] for one in collection["services"].values()] == [False, True, False]
    for one in collection["services"].values():
        assert one["scored"] + sum(one["by_kind"].values()) == collection["pairs"]
    assert sum("changed during the collection" in note for note in found["notes"]) == 1
    assert not any("no change of scores" in note for note in found["notes"])
