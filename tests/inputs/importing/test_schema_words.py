"""Columns as words of a command: what is proposed composes, and gives the classes of the column."""

import shlex

import pytest

from frtaudit.config.load import load_spec
from frtaudit.inputs.importing.schema_words import schema_words

PEOPLE = [f"p{number:02d}" for number in range(40)]
COLUMNS = {
    "gender": ["female", "male"] * 20,
    "tone": ["tone_1", "tone_6"] * 20,
    "site": ["18-35", "on", "a b", "\u05d0 1"] * 10,
    "age": [str(20 + number) for number in range(40)],
    "two words": ["a", "b"] * 20,
    "odd": ["it's", "b"] * 20,
    "note": [f"text {number}" for number in range(40)],
}
SHIPPED = {"gender": ["female", "male"], "tone": [f"tone_{number}" for number in range(1, 7)]}


def test_what_is_proposed_composes() -> None:
    """Shipped schemas by name, others with their classes, numbers in two bins; what needs more quotes is left out."""
    words = schema_words(COLUMNS, PEOPLE, SHIPPED)
    spec = load_spec(["audit=templates", "cohort.root=x", *shlex.split(" ".join(words))])
    assert set(spec.schemas) == {"gender", "tone", "site", "age", "two_words"}
    assert spec.schemas["site"].classes == ("18-35", "a b", "on", "\u05d0 1")
    assert spec.schemas["two_words"].column == "two words"
    assert spec.schemas["age"].bins is not None
    assert spec.schemas["age"].bins.edges == (40,)
    assert schema_words({"gender": ["f", "m"]}, ["a", "b"], SHIPPED)[0].startswith("'+schemas.gender=")
    assert schema_words({"note": ["text"]}, ["a"], SHIPPED) == []


def test_numbers_of_a_person_may_lie_near_each_other() -> None:
    """An age at capture becomes groups, a person on both sides by most of the images; an angle of the head does not."""
    people = [f"p{number // 2:02d}" for number in range(40)]
    columns = {
        "age": [str(20 + number) for number in range(40)],
        "yaw": [str(number // 2 + 20 * (number % 2)) for number in range(40)],
    }
    words = schema_words(columns, people, {})
    assert words == ["'+schemas.age={column: age, bins: {edges: [40]}, conflicts: majority}'"]
    spec = load_spec(["audit=templates", "cohort.root=x", *shlex.split(words[0])])
    assert spec.schemas["age"].conflicts is not None


@pytest.mark.parametrize("name", ["Größe", "Büro", "\u0627\u0644\u0639\u0645\u0631", "2x", "%", "schema_1"])
def test_a_name_that_no_key_can_be_has_a_key_that_can_be_typed(name: str) -> None:
    """The words of a column of classes and of one of numbers compose, and each schema reads its column."""
    columns = {name: ["0", "1"] * 20, f"{name} 3": [str(20 + number) for number in range(40)]}
    words = schema_words(columns, PEOPLE, {})
    spec = load_spec(["audit=templates", "cohort.root=x", *shlex.split(" ".join(words))])
    assert [schema.column for schema in spec.schemas.values()] == [name, f"{name} 3"]
