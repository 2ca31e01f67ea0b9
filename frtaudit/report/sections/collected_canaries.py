"""Canaries: whether a service changed during the collection, and the minimum detectable change."""

from collections.abc import Iterator, Mapping

from frtaudit.core.canonical import Json, mapping
from frtaudit.core.text import formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table, Text, TextSpan, spans
from frtaudit.report.sections.collected_services import Facts, counted, place_of, service_name
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import rows_of


def tables(services: Mapping[str, Facts]) -> Iterator[Table]:
    """Nothing where none were asked for."""
    asked = {
        name: mapping(service.get("canaries"))
        for name, service in services.items()
        if service.get("canaries")
    }
    if asked:
        yield _rounds(asked)
        yield _reach(asked)


def _real(value: Json) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _rounds(asked: Mapping[str, Facts]) -> Table:
    """A row for each later round of each service."""
    rows = []
    for name, facts in asked.items():
        for number, later in enumerate(rows_of(facts.get("later"))):
            at = f"{place_of(name)}/canaries/later/{number}"
            more, pointer = later.get("more_than_chance"), f"{at}/more_than_chance"
            rows.append(
                (
                    (service_name(name),),
                    (counted(later, at, "round"),),
                    spans(counted(later, at, "apart"), " / ", counted(later, at, "open")),
                    (phrases.number(formatting.p_value(_real(later.get("p"))), f"{at}/p"),),
                    (phrases.bold("yes", pointer) if more else TextSpan(text="no", pointer=pointer),),
                )
            )
    first, facts = next(iter(asked.items()))
    alpha = phrases.number(formatting.exact(_real(facts.get("alpha"))), f"{place_of(first)}/canaries/alpha")
    columns = (
        *header(["Service"], ["round", "changed / able to change", "p"]),
        *header(["more than chance"]),
    )
    caption = phrases.titled(
        "Did a service change during the collection?",
        "The same comparisons (canaries) were requested in rounds, before, during and after all others, several "
        "times in each. A comparison has changed if all its scores of a round exceed all those of the first round, "
        "or all are lower; where both rounds gave equal scores it is not counted as able to change. Significance: "
        "at a rate of ",
        alpha,
        " false alarms over all rounds of a service.",
    )
    return build_table("collected-rounds", caption, columns, [Block(rows=tuple(rows))], Footnotes())


def _reach(asked: Mapping[str, Facts]) -> Table:
    """A row for each service: how much its canaries would have shown."""
    first, facts = next(iter(asked.items()))
    power = phrases.number(formatting.exact(_real(facts.get("power"))), f"{place_of(first)}/canaries/power")
    titles = ("answered / requested", "times each", "answers vary", "detectable change")
    columns = header(["Service"], [*titles, "order matters / pairs", "by at most (score)"])
    caption = phrases.titled(
        "What canaries can show.",
        "Answers vary: the share of comparisons and rounds whose answers differ from time to time. Detectable change: "
        "the minimum detectable share of changed answers, with power ",
        power,
        ". Order matters: in the first round all scores of A against B are on one side of those of B against A.",
    )
    rows = tuple(((service_name(name),), *_reached(name, service)) for name, service in asked.items())
    return build_table("collected-canaries", caption, columns, [Block(rows=rows)], Footnotes(), "dense")


def _reached(name: str, facts: Facts) -> tuple[Text, ...]:
    at = f"{place_of(name)}/canaries"
    ways = mapping(facts.get("both_ways"))
    share, largest = facts.get("least_share_found"), ways.get("largest")
    return (
        spans(counted(facts, at, "answered"), " / ", counted(facts, at, "items")),
        (counted(facts, at, "repeats"),),
        (phrases.number(formatting.rate(_real(facts.get("noise"))), f"{at}/noise"),),
        (_or_absent(share, formatting.fixed(_real(share), 1), f"{at}/least_share_found"),),
        spans(counted(ways, f"{at}/both_ways", "apart"), " / ", counted(ways, f"{at}/both_ways", "pairs")),
        (_or_absent(largest, formatting.score(_real(largest)), f"{at}/both_ways/largest"),),
    )


def _or_absent(value: Json, text: str, pointer: str) -> TextSpan:
    return TextSpan(text=phrases.ABSENT, pointer=pointer) if value is None else phrases.number(text, pointer)
