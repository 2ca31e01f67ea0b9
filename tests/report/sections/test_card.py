"""The section on test sets; tests also bars through it."""

from goldilocks_audits import curate_audit
from small_audits import whole

from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import card
from frtaudit.report.source import Source


def test_cards_figures_steps_and_certificates() -> None:
    """A row for each set with its sizes and balance, bars of classes, what rules left, and what is certain."""
    view = card.build(Source(curate_audit().result))
    assert view is not None
    names = [table.name for table in view.tables]
    assert names == [
        "cards",
        "card-values",
        "card-quartiles",
        "steps-curated",
        "steps-control",
        "certificate-curated",
        "certificate-control",
        "lists-test_sets",
    ]
    cards = view.tables[0]
    assert [column.title for column in cards.columns][-2:] == ["identities in wild", "pairs by group"]
    rows = {plain_text(row[0]): [plain_text(cell) for cell in row] for row in cards.blocks[0].rows}
    assert rows["curated"][3:5] == ["24", "24"]
    assert rows["curated"][-1] == "amber: 24 · birch: 24"
    figure = view.figures[0]
    assert figure.panels[0].alt.startswith("Identities by group. curated: amber: ")
    assert [key.name for key in figure.keys] == ["amber", "birch"]
    steps = view.tables[3]
    assert [plain_text(block.head) for block in steps.blocks] == ["images", "mated pairs", "non-mated pairs"]
    certificate = view.tables[5]
    assert all(plain_text(row[2]) == "100 %" for row in certificate.blocks[0].rows)


def test_no_section_without_cards() -> None:
    """Other audits have no such section."""
    assert card.build(Source(whole().result)) is None
