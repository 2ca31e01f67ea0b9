"""Tests of frtaudit.pipeline.publishable.overlaps."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frtaudit.core import AuditResult
from frtaudit.errors import DataError
from frtaudit.pipeline.publishable.overlaps import People, nested, people_of
from frtaudit.pipeline.publishable.withheld import withheld_in

MINIMUM = 10


def drawn(**classes: list[int]) -> People:
    """Subjects by the number of their class in each schema, all with two images."""
    codes = {name: np.array(numbers, dtype=np.int32) for name, numbers in classes.items()}
    return People(codes=codes, several=np.ones(len(next(iter(classes.values()))), dtype=bool))


def result_of(people: People) -> AuditResult:
    """A result that counts them."""
    schemas = {
        name: {
            "groups": [
                {
                    "group": f"{name}{group}",
                    "label": f"{name}{group}",
                    "subjects": int(np.sum(codes == group)),
                    "subjects_with_two_samples": int(np.sum(people.several[codes == group])),
                    "samples": 2 * int(np.sum(codes == group)),
                }
                for group in range(codes.max() + 1)
            ]
        }
        for name, codes in people.codes.items()
    }
    total, two = people.several.size, int(people.several.sum())
    counts = {"subjects": total, "subjects_with_two_samples": two, "samples": 2 * total}
    return AuditResult(
        spec={"schemas": {name: {"column": name} for name in schemas}}, digests={}, versions={}, estimates=(),
        curves=(), findings=(), failures=(), cohort={**counts, "schemas": schemas},
    )  # fmt: skip


def small_differences(people: People, withheld: dict[str, frozenset[str]]) -> list[tuple[str, str]]:
    """Published classes of two schemas, one inside a union of the other's, that leave 1 to 9 people over."""
    found = []
    for first, second in combinations(people.codes, 2):
        for outer, inner in ((first, second), (second, first)):
            shown = [
                [g for g in range(people.codes[name].max() + 1) if f"{name}{g}" not in withheld.get(name, ())]
                for name in (outer, inner)
            ]
            for group in shown[0]:
                inside = people.codes[outer] == group
                for size in range(1, len(shown[1]) + 1):
                    for parts in combinations(shown[1], size):
                        union = np.isin(people.codes[inner], parts)
                        over = int(np.sum(inside & ~union))
                        if not np.any(union & ~inside) and 0 < over < MINIMUM:
                            found.append((f"{outer}{group}", str(parts)))
    return found


def test_a_ward_in_a_house_is_not_what_the_house_has_beyond_its_other_ward() -> None:
    """Both on columns of their own: the wards are withheld, the houses stand, and no difference is a few people."""
    people = drawn(ward=[0] * 45 + [1] + [2] * 24, house=[0] * 46 + [1] * 24)
    alone = withheld_in(result_of(people), MINIMUM)
    assert small_differences(people, dict(alone.classes))
    withheld = withheld_in(result_of(people), MINIMUM, people).classes
    assert withheld["ward"] == {"ward0", "ward1", "ward2", "unknown"}
    assert not withheld.get("house")
    assert small_differences(people, dict(withheld)) == []


def test_two_schemas_that_differ_by_a_person_are_not_published_side_by_side() -> None:
    """No class is small, but the difference of two classes is one person."""
    people = drawn(site=[0] * 46 + [1] * 24, ward=[0] * 45 + [1] * 10 + [2] * 15)
    assert not withheld_in(result_of(people), MINIMUM).classes
    assert withheld_in(result_of(people), MINIMUM, people).classes["ward"] >= {"ward0", "ward1", "ward2"}


def test_schemas_that_have_nothing_to_do_with_each_other_stand() -> None:
    """Crossed as chance has it, and nested without a small class: nothing more is withheld."""
    rng = np.random.default_rng(0)
    people = drawn(sex=rng.integers(0, 2, 200).tolist(), age=rng.integers(0, 4, 200).tolist())
    assert list(nested(people, MINIMUM)) == []
    large = drawn(house=[0] * 40 + [1] * 40, ward=[0] * 20 + [1] * 20 + [2] * 20 + [3] * 20)
    assert list(nested(large, MINIMUM)) == [("ward", "house", False)]
    assert not withheld_in(result_of(large), MINIMUM, large).classes


def test_a_class_of_nearly_everybody_is_no_union() -> None:
    """All classes of another schema are everybody: what is left of that the tables' sums say."""
    people = drawn(glasses=[0] * 115 + [1] * 5, tone=[0, 1, 2] * 40)
    assert list(nested(people, MINIMUM)) == []
    withheld = withheld_in(result_of(people), MINIMUM, people).classes
    assert "tone" not in withheld
    assert withheld["glasses"]


@pytest.mark.parametrize("left_over", [0, 3])
def test_blocks_of_classes_are_unions_too(left_over: int) -> None:
    """Two cameras see three wards, each camera people of each ward: the cameras less two wards are the third."""
    ward = np.repeat([0, 1, 2, 3], [40, 40, 4, 44])
    camera = np.where(ward == 3, 2 + np.arange(128) % 2, np.arange(128) % 2)
    camera[128 - left_over :] = 0
    people = drawn(camera=camera.tolist(), ward=ward.tolist())
    assert [pair[2] for pair in nested(people, MINIMUM)] == [left_over > 0]
    withheld = withheld_in(result_of(people), MINIMUM, people).classes
    assert {len(withheld.get("camera", ())), len(withheld.get("ward", ()))} >= {5}


def test_a_few_with_two_images_are_few() -> None:
    """Fifteen people are left over, of whom three have the two images that a false non-match needs."""
    people = drawn(site=[0] * 60 + [1] * 40, ward=[0] * 45 + [1] * 55)
    several = np.ones(100, dtype=bool)
    several[48:60] = False
    assert list(nested(people, MINIMUM)) == []
    assert [few for *_, few in nested(People(codes=people.codes, several=several), MINIMUM)] == [True]


def test_crossings_and_schemas_of_one_column_are_left_to_their_equations() -> None:
    """A crossing contains its parts: what it withholds is found from the equations, and no schema goes whole."""
    sex, age = [0] * 50 + [1] * 50, ([0] * 30 + [1] * 20) * 2
    people = drawn(sex=sex, age=age, both=[2 * a + b for a, b in zip(sex, age, strict=True)])
    full = result_of(people)
    spec = {
        "schemas": {"sex": {"column": "sex"}, "age": {"column": "age"}, "both": {"cross": ["sex", "age"]}}
    }
    crossed = AuditResult.from_json({**full.to_json(), "spec": spec})
    assert {("both", "sex"), ("both", "age")} <= {pair[:2] for pair in nested(people, MINIMUM)}
    assert withheld_in(crossed, MINIMUM, people).classes == withheld_in(crossed, MINIMUM).classes


@pytest.mark.parametrize("seed", range(40))
def test_no_difference_of_published_classes_is_a_few_people(seed: int) -> None:
    """Random wards in random houses, a few people in another: over all unions of classes."""
    rng = np.random.default_rng(seed)
    ward = rng.choice(5, 90, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    house = np.array([0, 0, 1, 1, int(rng.integers(2))])[ward]
    moved = rng.choice(90, int(rng.integers(4)), replace=False)
    house[moved] = 1 - house[moved]
    people = drawn(ward=ward.tolist(), house=house.tolist())
    withheld = withheld_in(result_of(people), MINIMUM, people).classes
    assert small_differences(people, dict(withheld)) == []


def test_people_come_from_the_table_of_samples(tmp_path: Path) -> None:
    """Each subject once, in no order of theirs, whatever the systems; a missing class is a class."""
    rows = pd.DataFrame(
        {
            "provider": ["a"] * 4 + ["b"] * 4,
            "sample": list("stuv") * 2,
            "subject": ["k", "k", "l", "m"] * 2,
            "class_ward": ["w", "w", None, "v"] * 2,
        }
    )
    rows.to_parquet(tmp_path / "samples.parquet")
    people = people_of(tmp_path / "samples.parquet")
    assert (people.codes["ward"].tolist(), people.several.tolist()) == ([0, 1, 2], [True, False, False])
    with pytest.raises(DataError, match="a run with its tables"):
        people_of(tmp_path / "none.parquet")
