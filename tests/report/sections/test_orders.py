"""The section on both orders, from a real small audit."""

from small_audits import audit, spec

from frtaudit.analyses.orders import Orders
from frtaudit.datasets.protocols.round_robin import RoundRobin
from frtaudit.datasets.providers.simulated import Simulated
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections.orders import build
from frtaudit.report.source import Source


def test_one_row_for_each_system() -> None:
    """Counts of differing pairs, mean and largest difference; the caption says that a pair counts once."""
    systems = ("two", Simulated(name="lopsided", asymmetry=0.1))
    made = spec(analyses={"orders": Orders()}, protocol=RoundRobin(), providers=systems)
    view = build(Source(audit(made).result))
    assert view is not None
    (table,) = view.tables
    rows = [[plain_text(cell) for cell in row] for row in table.blocks[0].rows]
    assert [row[0] for row in rows] == ["two", "lopsided"]
    assert rows[0][1].startswith("0 / ")
    assert rows[0][2:] == ["0", "0"]
    assert "the second order adds no information" in plain_text(table.caption)


def test_it_stands_only_where_orders_were_compared() -> None:
    """Without both orders there is no section."""
    assert build(Source(audit(spec(analyses={"orders": Orders()})).result)) is None
