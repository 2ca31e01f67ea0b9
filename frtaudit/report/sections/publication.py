"""What a publishable variant withholds, by which rule, and which full report it was made from."""

from dataclasses import dataclass

from frtaudit.core.canonical import entries, escape, mapping
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table, Text, TextSpan, listed, spans
from frtaudit.report.section import section
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import Source

AT = "/cohort/publication"
COUNTS = {
    "subjects": "subjects",
    "samples": "images",
    "subjects_with_two_samples": "subjects with two images or more",
}
LEFT_OUT = {
    "estimates": ("estimate", "estimates"),
    "curves": ("curve", "curves"),
    "findings": ("finding", "findings"),
    "failures": (
        "line of the list of failures and exclusions",
        "lines of the list of failures and exclusions",
    ),
    "notes": ("note on the method", "notes on the method"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """The view: the rule, what it left out, the classes, and the link to the full report."""

    rule: Text
    left_out: Text
    tables: tuple[Table, ...]
    link: Text


@section("publication", "What is withheld")
def build(source: Source) -> Publication | None:
    """None in a full report."""
    publication = mapping(source.result.cohort.get("publication"))
    if not publication:
        return None
    minimum = phrases.whole(int(str(publication["minimum"])), f"{AT}/minimum")
    return Publication(
        rule=spans(
            "This is the publishable variant of a longer report. A class of fewer than ",
            minimum,
            " subjects is withheld completely, and further classes with it, until every withheld count could still "
            "have at least ",
            minimum,
            " different values given the printed numbers. Zero is printed as zero. Subjects without a label are a "
            "class like the others. Errors and failures of printed classes are printed: they count decisions, not "
            "subjects. The group with the highest error rate is the highest of the groups in this variant.",
        ),
        left_out=_left_out(source),
        tables=tuple(_table(source)),
        link=spans(
            "Made from the run whose ",
            phrases.code(STATEMENT),
            " has sha256 ",
            TextSpan(text=str(source.result.digests.get("full")), pointer="/digests/full", kind="code long"),
            ". Readers with access to that run can compare: ",
            phrases.code(f"sha256sum {STATEMENT}"),
            ". Digests of spec and cohort in this variant are those of its own content.",
        ),
    )


def findings_left_out(source: Source) -> Text:
    """How many verdicts the variant leaves out; empty in a full report and where all stand."""
    publication = mapping(source.result.cohort.get("publication"))
    count = mapping(publication.get("left_out")).get("findings")
    if not isinstance(count, int) or not count:
        return ()
    more = f" more {'verdict is' if count == 1 else 'verdicts are'} withheld with their classes: "
    shown = phrases.whole(count, f"{AT}/left_out/findings")
    return spans(shown, f"{more}the outcome is in the full report only.")


def _left_out(source: Source) -> Text:
    publication = mapping(source.result.cohort.get("publication"))
    counts = mapping(publication.get("left_out"))
    parts = []
    for name, (singular, many) in LEFT_OUT.items():
        count = counts.get(name)
        if isinstance(count, int) and count:
            shown = phrases.whole(count, f"{AT}/left_out/{name}")
            parts.append(spans(shown, f" {singular if count == 1 else many}"))
    hidden = [COUNTS[str(name)] for name in entries(publication.get("by_no_class"))]
    text_spans = [spans("Left out of the full report: ", listed(parts), ". ")] if parts else []
    text_spans += [spans("Counted for no class: ", listed(hidden), ".")] if hidden else []
    return spans(*text_spans)


def _table(source: Source) -> list[Table]:
    withheld = mapping(mapping(source.result.cohort.get("publication")).get("withheld"))
    rows = []
    for schema, groups in withheld.items():
        for index, group in enumerate(entries(groups)):
            at = f"{AT}/withheld/{escape(schema)}/{index}"
            name = TextSpan(text=source.label(schema, str(group)), pointer=at)
            rows.append((spans(schema.replace("_", " ")), (name,)))
    if not rows:
        return []
    caption = phrases.titled(
        "Withheld classes.", "Small classes and those withheld to protect them, without distinction."
    )
    columns = header(["Schema", "Class"])
    return [build_table("withheld", caption, columns, [Block(rows=tuple(rows))], Footnotes())]
