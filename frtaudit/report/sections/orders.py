"""Both orders: how far A against B is from B against A, by system, and that a pair counts once."""

from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, header, provider
from frtaudit.report.source import Source

METRICS = ("order_differing", "order_gap_mean", "order_gap_max")


@section("orders", "Both orders", after="quality", annex=True)
def build(source: Source) -> View | None:
    """None where no system compared in both orders."""
    records = source.select(*METRICS)
    if not records:
        return None
    notes = Footnotes()
    rows = []
    for name in source.providers:
        here = {record.estimate.metric: record for record in records if record.estimate.provider == name}
        if here:
            rows.append(
                (
                    (provider(next(iter(here.values()))),),
                    phrases.counts(here.get(METRICS[0])),
                    *(phrases.value(here.get(m)) for m in METRICS[1:]),
                )
            )
    columns = header(
        ["System"], ["differ / pairs with both orders", "mean difference (score)", "largest (score)"]
    )
    caption = phrases.titled(
        "A against B, and B against A.",
        "Each pair of samples was compared in both orders. The two count as one comparison with the mean score: "
        "with a symmetric system the second order adds no information.",
    )
    return View(tables=(build_table("orders", caption, columns, [Block(rows=tuple(rows))], notes),))
