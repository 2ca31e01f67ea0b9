from dataclasses import replace

from rapid_audits import result

from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import label_modes
from frtaudit.report.source import Source


def test_every_service_has_a_row_and_a_panel() -> None:
    """The modes as printed are those of the result."""
    table = label_modes.table(Source(result()))
    assert table is not None
    rows = [[plain_text(cell) for cell in row] for block in table.blocks for row in block.rows]
    assert [row[0] for row in rows] == ["acme", "bolt", "crest"]
    assert all(len(row) == len(table.columns) for row in rows)
    (mode,) = (
        item.value
        for item in result().estimates
        if (item.provider, item.metric, item.at.get("part")) == ("acme", "label_mode", "mated")
    )
    assert mode is not None
    assert abs(float(rows[0][4]) - mode) < 0.01
    (figure,) = label_modes.figures(Source(result()))
    assert [panel.alt.split(":")[0] for panel in figure.panels] == ["acme", "bolt", "crest"]


def test_a_result_without_modes_has_neither() -> None:
    """As an earlier version's has not."""
    bare = Source(replace(result(), estimates=(), curves=()))
    assert label_modes.table(bare) is None
    assert not list(label_modes.figures(bare))
