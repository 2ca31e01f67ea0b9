"""What was sealed before the scores were seen, and every departure of the run from it."""

from dataclasses import dataclass

from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.seal import Departure
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Table, Text, TextSpan, spans
from frtaudit.report.section import section
from frtaudit.report.sections.tables import header
from frtaudit.report.source import Source

NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """The view: who sealed when, whether the run kept to it, how many departures, and the table of them."""

    made: Text
    upheld: bool
    count: Text
    tables: tuple[Table, ...]


@section("sealed", "Departures from the sealed spec", after="robustness")
def build(source: Source) -> Sealed | None:
    """None where the run had no seal."""
    seal = source.result.seal
    if seal is None:
        return None
    rows = tuple(_row(index, departure) for index, departure in enumerate(seal.departures))
    time = spans(", by that signer's clock")
    if seal.stamped_at is not None:
        time = spans("; time stamp of an authority: ", phrases.code(seal.stamped_at, "/seal/stamped_at"))
    tables: tuple[Table, ...] = ()
    if rows:  # every one: a departure is never cut, so that none hides behind a hundred others
        columns = header(["Place"], wide=["Sealed", "As run"])
        caption = phrases.titled(
            "Departures from the seal.", "Paths are those of ", phrases.code(RESULT), "."
        )
        tables = (Table(name="departures", caption=caption, columns=columns, blocks=(Block(rows=rows),)),)
    return Sealed(
        made=spans(
            phrases.code(seal.signer, "/seal/signer"),
            " on ",
            phrases.code(seal.signed_at, "/seal/signed_at"),
            time,
        ),
        upheld=not rows,
        count=spans(TextSpan(text=f"{len(rows)}", kind="n"), " departure" + ("" if len(rows) == 1 else "s")),
        tables=tables,
    )


def _row(index: int, departure: Departure) -> tuple[Text, ...]:
    at = f"/seal/departures/{index}"
    values = (
        (phrases.code(value, f"{at}/{key}"),) if value is not None else spans(NOTHING)
        for key, value in (("sealed", departure.sealed), ("run", departure.run))
    )
    return ((phrases.code(departure.place, f"{at}/place"),), *values)
