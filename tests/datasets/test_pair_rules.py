"""Rules: what contradicts itself or names what no image has is refused; each can be left out."""

from dataclasses import replace

import pytest
from curated_sets import BASE, EXPOSURE, HAIR, LIGHT, cohort_data

from frtaudit.datasets.pair_rules import Rules, relaxed
from frtaudit.datasets.pair_selection import curate
from frtaudit.errors import DataError, SpecError


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            replace(BASE, mated_values=("bald", "full")),
            "rules.mated_values: no image has hair 'bald'; accepted: full",
        ),
        (
            replace(EXPOSURE, non_mated_values=(("dark", "low"),)),
            "rules.non_mated_values: no image has light 'dark'",
        ),
        (
            replace(EXPOSURE, only={"hair": "red"}),
            "rules.only.hair: no image has hair 'red'; accepted: full, none",
        ),
    ],
)
def test_values_that_no_image_has(rules: Rules, said: str) -> None:
    """Refused with the values that there are: a typing error is no lack of images."""
    with pytest.raises(DataError, match=said):
        curate(cohort_data(), rules)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"trait": "beard"}, "rules.traits: no trait is named 'beard'; accepted: hair, light"),
        ({"non_mated_values": ()}, "rules.non_mated_values: names nothing"),
        ({"k": 1}, "rules: k below 2"),
        ({"non_mated": 0}, "rules: 80 mated pairs, 0 non-mated ones; accepted: 1 or more"),
        ({"lowest_mated": 2.0}, "rules: a score bound outside"),
        ({"traits": {"hair": HAIR, "light": replace(LIGHT, tail=60.0)}}, "rules.traits.light.tail: found 60"),
        ({"matcher": "x"}, "rules.matcher: the cohort holds no templates named 'x'; accepted: m"),
        ({"balance": "race"}, "rules.balance: no schema is named 'race'; accepted: group"),
        (
            {"mated": 81},
            "rules.mated: 81 pairs do not divide into 2 groups, 1 mixes and 4 folds; accepted: a multiple of 8",
        ),
        ({"age": "years"}, "rules.traits: the cohort has no column 'years'; accepted: age, exposure"),
        ({"age": "hair"}, "column hair: a value is not a number"),
    ],
)
def test_contradictions_are_one_line_each(change: dict[str, object], said: str) -> None:
    """Rules that cannot be are refused, naming the rule and what would do."""
    with pytest.raises((SpecError, DataError), match=f"^{said}"):
        curate(cohort_data(), replace(BASE, **change))  # type: ignore[arg-type]  # fields of Rules


def test_what_is_relaxed_is_each_rule() -> None:
    """Every declared rule is tried, the review too."""
    names = [said for said, _, _ in relaxed(replace(BASE, per_subject=2), "mated", frozenset({"x"}))]
    assert names == [
        "score at least 0.3",
        "age gap at most 5",
        "at most 2 pairs of a subject",
        "at most 3 pairs of an image",
        "4 identity-disjoint folds of equal size",
        "hair_confidence at least 0.8",
        "tails of exposure",
        "review",
    ]
