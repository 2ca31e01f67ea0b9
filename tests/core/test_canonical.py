import hashlib
import hmac
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.canonical import (
    digest,
    dumps,
    number_in,
    number_out,
    plain,
    pseudonym,
    read_json,
    seed_of,
    sha256,
    sha256_file,
    to_bytes,
)

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
TREES = st.recursive(
    SCALARS,
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(), part, max_size=4),
    max_leaves=12,
)


@given(st.floats())
def test_every_double_survives(value: float) -> None:
    """number_in(number_out(x)) is x for every double, with -0.0 written as 0.0 and NaN as NaN."""
    again = number_in(number_out(value))
    assert again == value or (math.isnan(again) and math.isnan(value))
    assert math.copysign(1, again) == 1 or again < 0 or math.isnan(again)


@given(TREES)
def test_text_reads_back(tree: object) -> None:
    """json.loads undoes dumps, and dumps of what was read is the same text."""
    text = dumps(tree)  # type: ignore[arg-type]  # a JSON tree
    assert dumps(json.loads(text)) == text
    assert json.loads(text) == plain(tree)  # type: ignore[arg-type]  # the same


@given(st.dictionaries(st.text(), st.integers(), min_size=2, max_size=6))
def test_key_order_does_not_matter(mapping: dict[str, int]) -> None:
    """Two mappings with the same entries have the same bytes and digest."""
    turned = dict(reversed(mapping.items()))
    assert to_bytes(turned) == to_bytes(mapping)
    assert digest(turned) == digest(mapping)


def test_the_form_is_fixed() -> None:
    """Sorted keys, tight separators, UTF-8, one newline, tuples as lists, infinities as strings."""
    value = {"b": (1, 2.5), "a": "é", "c": [math.inf, -math.inf, math.nan, -0.0]}
    assert to_bytes(value) == '{"a":"é","b":[1,2.5],"c":["inf","-inf","nan",0.0]}\n'.encode()


def test_digests_are_sha256(tmp_path: Path) -> None:
    """Text, file and JSON digests are hashlib's, also for a file of more than one block."""
    data = bytes(range(256)) * 5000
    (tmp_path / "big").write_bytes(data)
    assert len(data) > 1 << 20
    assert sha256_file(tmp_path / "big") == sha256(data) == hashlib.sha256(data).hexdigest()
    assert digest([1]) == hashlib.sha256(b"[1]\n").hexdigest()


def test_pseudonyms_are_keyed() -> None:
    """A pseudonym is HMAC-SHA256 of the name and changes with the key."""
    assert pseudonym(b"key", "é") == hmac.new(b"key", "é".encode(), hashlib.sha256).hexdigest()
    assert pseudonym(b"key", "a") != pseudonym(b"other", "a")


@given(st.integers(0, 2**31), st.text(), st.text())
def test_seeds_are_keyed_by_name(seed: int, first: str, second: str) -> None:
    """A seed is 64 bits, the same for the same names, another for another name, order or seed."""
    assert 0 <= seed_of(seed, first, second) < 2**64
    assert seed_of(seed, first, second) == seed_of(seed, first, second)
    assert seed_of(seed, first, second) != seed_of(seed + 1, first, second)
    assert seed_of(seed, first, second) != seed_of(seed, first + second)
    if first != second:
        assert seed_of(seed, first, second) != seed_of(seed, second, first)


def test_no_bare_infinity_in_json() -> None:
    """What cannot be JSON is refused rather than written in a dialect."""
    with pytest.raises(TypeError):
        dumps({"a": object()})  # type: ignore[dict-item]  # that is the test


@pytest.mark.parametrize("data", [b'"\\ud800"', b"[" * 100_000])
def test_json_that_is_none_is_refused(data: bytes) -> None:
    """Half of a surrogate pair, and brackets beyond reason."""
    with pytest.raises(ValueError, match="surrogate|nested"):
        read_json(data)
