"""Faces found by comparing: which calls are made, and what they say of images."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import drawn_faces
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.collection.rows import ImageRow
from frtaudit.collection.run import CollectionRun, collect
from frtaudit.collection.single import Pair, candidates, following, judged, open_pairs, walked
from frtaudit.collection.spec import CollectionSpec, from_plain


@pytest.fixture(autouse=True)
def made_up() -> Iterator[None]:
    """A source and a service of this machine, for one test."""
    drawn_faces.registered()
    yield
    drawn_faces.forgotten()


def published(images: list[int], bad: set[int]) -> set[int]:
    """Algorithm 1 as it is printed: invalid images."""
    valid: set[int] = set()
    invalid: set[int] = set()
    for one, other in combinations(images, 2):
        if one in invalid or other in invalid:
            continue
        if one in bad or other in bad:
            invalid |= {other} if one in valid else set()
            invalid |= {one} if other in valid else set()
        else:
            valid |= {one, other}
    return invalid


def rounds(images: list[int], bad: set[int]) -> dict[Pair, bool | None]:
    """Our rounds, of a service that compares all but bad images."""
    told: dict[Pair, bool | None] = {}
    while pairs := following(images, told):
        assert len(set(pairs)) == len(pairs)
        assert not set(pairs) & told.keys()
        told |= {pair: not set(pair) & bad for pair in pairs}
    return told


@given(st.integers(2, 12), st.sets(st.integers(0, 11)))
def test_rounds_find_what_the_published_walk_finds(size: int, bad: set[int]) -> None:
    """Where two images are valid all are found, and bad ones as by the walk; a few bad ones cost two calls each."""
    images = list(range(size))
    good = set(images) - bad
    told = rounds(images, bad)
    valid, invalid = judged(told)
    if len(good) < 2:
        assert not valid
        return
    assert (valid, invalid) == (good, bad & set(images))
    assert published(images, bad) <= invalid
    if len(bad & set(images)) < size // 2:
        assert list(told.values()).count(False) <= 2 * len(bad & set(images))


def test_few_calls_are_made_where_all_is_well() -> None:
    """Of eight images of one face each, four comparisons find all; a bad one costs two more at most."""
    assert len(rounds(list(range(8)), set())) == 4
    assert len(rounds(list(range(8)), {3})) <= 6


def test_a_refusal_for_other_reasons_says_nothing() -> None:
    """A pair that the service will not compare leaves both images open, and each is tried with another one."""
    assert following([1, 2, 3], {(1, 2): None}) == [(1, 3)]
    assert judged({(1, 2): None}) == (set(), set())


@given(st.integers(2, 10), st.integers(0, 2**30), st.integers(1, 5))
def test_a_broken_walk_makes_the_calls_of_a_whole_one(size: int, seed: int, at_once: int) -> None:
    """Whatever pairs say: told a few at a time the same pairs are asked for, and no others."""
    images = list(range(size))
    says = {
        pair: (True, False, None)[np.random.default_rng([seed, *pair]).integers(3)]
        for pair in combinations(images, 2)
    }
    whole = walked(images, says)
    told: dict[Pair, bool | None] = {}
    rng = np.random.default_rng(seed)
    while pairs := open_pairs(images, told):
        some = rng.permutation(len(pairs))[:at_once].tolist()
        told |= {pairs[at]: says[pairs[at]] for at in some}
    assert told == whole == walked(images, told)


def test_an_image_that_never_answers_is_given_up() -> None:
    """Three pairs with it are tried, wherever it stands, and nothing is known of it; all others are found."""
    images = list(range(14))
    for bad in images:
        told = {pair: None if bad in pair else True for pair in combinations(images, 2)}
        known = walked(images, told)
        assert sum(said is None for said in known.values()) == 3
        assert judged(known) == (set(images) - {bad}, set())


def test_each_image_of_a_query_once() -> None:
    """Refused images and copies are no candidates; a query below the least is not asked about."""
    rows = [ImageRow(n, q, "{}", digest, why, "") for n, q, digest, why in (
        (1, 0, "b", ""), (2, 0, "a", ""), (3, 0, "a", ""), (4, 0, "", "transport"), (5, 1, "c", ""),
    )]  # fmt: skip
    assert candidates(rows, 1) == [[2, 1]]
    assert candidates(rows, 3) == []


def spec(into: Path, one_in: int, **fields: object) -> CollectionSpec:
    """Three queries of eight pictures, a service that finds faces by comparing beside one that looks."""
    limits = {"compare": 1.0}
    return from_plain(
        {
            "source": {"type": "drawn", "queries": 3},
            "services": {
                "acme": {
                    "type": "twin",
                    "detects": False,
                    "crowded": one_in,
                    "log": str(into) + ".log",
                    "limits": limits,
                },
                "bolt": {"type": "twin"},
            },
            "into": str(into),
            "canaries": {"pairs": 2, "rounds": 2, "repeats": 2},
            "duplicates": {"embedding": "none", "faces": "none"},
            "least": 4,
            **fields,
        }
    )


def test_a_crowded_image_is_left_out_and_spared(tmp_path: Path) -> None:
    """Images that it cannot compare are left out for all services, few calls are spent on them, and none twice."""
    source = drawn_faces.Drawn(queries=3)
    pictures = [source.read(found) for found in source.finds()]
    bad = {picture.digest for picture in pictures if drawn_faces.crowded(picture, 5)}
    assert 2 <= len(bad) <= 8
    assert collect(spec(tmp_path / "c", 5)).complete
    read = json.loads((tmp_path / "c" / "collection.json").read_text())
    assert read["images"]["left_out"] == {"not_one_face": len(bad)}
    for service in read["services"].values():
        assert (service["scores"], service["refusals"]) == (read["pairs"], {})
    assert read["services"]["acme"]["detection_refusals"].keys() == {"several_faces"}
    asked = Counter(drawn_faces.attempts(Path(f"{tmp_path / 'c'}.log")))
    spent = [line for line in asked.elements() if bad & set(line.split())]
    assert len(spent) <= 3 * len(bad)
    canaries = 2 * 2 * 2 * 2
    assert asked.total() == read["pairs"] + canaries + len(spent)
    assert sum(count > 1 for count in asked.values()) <= canaries


def test_an_image_that_always_fails_stops_nothing(tmp_path: Path) -> None:
    """It is left out as one of which nothing is known, after a second run; the others are compared."""
    source = drawn_faces.Drawn(queries=3)
    worst = max(source.read(found).digest for found in source.finds())
    one = spec(tmp_path / "c", 0)
    object.__setattr__(one.services["acme"], "fails", worst)
    assert [collect(one).complete for _ in range(2)] == [False, True]
    read = json.loads((tmp_path / "c" / "collection.json").read_text())
    assert read["images"]["left_out"] == {"not_looked_at_by_all": 1}
    assert read["services"]["acme"]["scores"] == read["pairs"]
    lines = drawn_faces.attempts(Path(f"{tmp_path / 'c'}.log"))
    assert sum(worst in line for line in lines) <= 4 * 3


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    """Stopped by the budget again and again, it makes the calls of an unbroken run, and writes its bytes."""
    whole = spec(tmp_path / "w", 5)
    assert collect(whole).complete
    broken = spec(tmp_path / "b", 5, budget={"limit": 3.0})
    for limit in np.arange(3.0, 400.0, 17.0):
        object.__setattr__(broken.budget, "limit", float(limit))
        with patch.object(CollectionRun, "_begin"):  # the limit is below the plan
            if collect(broken).complete:
                break
    logs = [sorted(drawn_faces.attempts(Path(f"{tmp_path / name}.log"))) for name in ("w", "b")]
    assert logs[0] == logs[1]
    for name in ("faces.csv", "boxes.csv", "acme.parquet", "bolt.parquet"):
        assert (tmp_path / "w" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
