import pytest

from frtaudit.core.provenance import Origin, Provenance, SystemOrigin, Use


@pytest.mark.parametrize(
    ("licence", "use", "restricted"),
    [
        ("CC BY-NC-SA 4.0", Use.NOT_DECLARED, True),
        ("Non-Commercial research", Use.NOT_DECLARED, True),
        ("noncommercial", Use.NOT_DECLARED, True),
        ("for research purposes only", Use.NOT_DECLARED, True),
        ("CC BY-NC 4.0", Use.COMMERCIAL, False),  # by another agreement
        ("MIT", Use.NON_COMMERCIAL, True),
        ("Apache-2.0", Use.NOT_DECLARED, False),
        ("Licence of INC Ltd", Use.NOT_DECLARED, False),
        (None, Use.NOT_DECLARED, False),
    ],
)
def test_non_commercial_is_what_is_declared_or_named(
    licence: str | None, use: Use, *, restricted: bool
) -> None:
    """The declared use decides; without one the licence's own words do."""
    assert Origin(name="x", licence=licence, use=use).non_commercial is restricted


def test_every_origin_has_its_place() -> None:
    """Systems in their order, each with its parts, then the test data."""
    one = Origin(name="x")
    made = Provenance(
        systems={"a/b": SystemOrigin(weights=one, model=one), "c": SystemOrigin()}, test_data=one
    )
    assert [(place, name) for place, name, _ in made.origins()] == [
        ("systems/a/b/model", "a/b"),
        ("systems/a/b/weights", "a/b"),
        ("test_data", ""),
    ]
