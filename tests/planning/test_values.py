"""A plan as text and as JSON."""

import json

from frtaudit.core.canonical import to_bytes
from frtaudit.planning.values import Plan, Section, Settings, page, shown

TABLE = Section(
    name="needs",
    title="Needs",
    columns=("group", "one way: subjects", "there are"),
    rows=(("all", 1200, 0.25), ("f", None, 3.0)),
    notes=("a note",),
)


def test_page_is_aligned() -> None:
    """Words stand left, numbers right; a column of two names has its head in 2 lines; nothing is -."""
    assert page(TABLE).splitlines() == [
        "Needs",
        "          one way",
        "  group  subjects  there are",
        "  all        1200       0.25",
        "  f             -          3",
        "  a note",
    ]
    assert page(Section(name="x", title="Alone")) == "Alone"
    noted = Section(name="x", title="Alone", columns=("a", "b: c"), notes=("no pair can be planned",))
    assert page(noted).splitlines() == ["Alone", "  no pair can be planned"]


def test_numbers_keep_three_digits() -> None:
    """A whole number is never shortened, another keeps three digits, or all before the point."""
    assert [shown(cell) for cell in (1234567, 0.0123456, 12345.6, "word", None)] == [
        "1234567",
        "0.0123",
        "12346",
        "word",
        "-",
    ]


def test_json_keeps_every_cell_by_its_column() -> None:
    """The canonical JSON holds full numbers under the columns' names."""
    plan = Plan(sections=(TABLE,), alpha=0.05, settings=Settings())
    found = json.loads(to_bytes(plan.to_json()))
    assert found["sections"][0]["rows"][0] == {"group": "all", "one way: subjects": 1200, "there are": 0.25}
    assert found["sections"][0]["notes"] == ["a note"]
    assert (found["alpha"], found["power"], found["ratio"]) == (0.05, 0.8, 2.0)
    assert plan.text() == page(TABLE)
