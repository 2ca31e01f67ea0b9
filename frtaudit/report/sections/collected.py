"""How scores were collected: what was searched and asked, what was refused, whether a service changed meanwhile."""

from collections.abc import Iterator
from dataclasses import dataclass

from frtaudit.core.canonical import Json, mapping
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Part, Table, Text, TextSpan, listed, spans
from frtaudit.report.section import section
from frtaudit.report.sections import collected_canaries, collected_services
from frtaudit.report.sections.collected_services import (
    AT,
    Facts,
    counted,
    place_of,
    reason,
    service_name,
    services_of,
    settings,
)
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import Source, rows_of
from frtaudit.report.words import display_name, words

SEE = TextSpan(text="How scores were collected", kind="#collected")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """The view: what was gathered and asked for, what was left out; of services what they were asked with, tables."""

    lead: Text
    requested: tuple[tuple[str, Text], ...]
    left_out: tuple[Table, ...]
    services: tuple[tuple[str, Text], ...]
    tables: tuple[Table, ...]


@section("collected", "How scores were collected", after="profile_facts", annex=True)
def build(source: Source) -> Collected | None:
    """None where ``frtaudit collect`` did not gather the scores."""
    collection = mapping(source.result.cohort.get("collection"))
    if not collection:
        return None
    return Collected(
        lead=spans(*_lead(collection)),
        requested=tuple(_spec(mapping(collection.get("spec")))),
        left_out=tuple(_left_out(collection)),
        services=tuple(collected_services.recorded_settings(collection)),
        tables=(*collected_services.tables(collection), *collected_canaries.tables(services_of(collection))),
    )


def notice(source: Source) -> tuple[Text, ...]:
    """For the first page: a service that changed, or of which that is not known, and a budget that did not reach."""
    collection = mapping(source.result.cohort.get("collection"))
    services = services_of(collection)
    text_spans: list[Text] = []
    changed = [name for name, service in services.items() if mapping(service.get("canaries")).get("changed")]
    if changed:
        named = listed([service_name(name, f"{place_of(name)}/canaries/changed") for name in changed])
        text_spans.append(
            spans(named, " changed during the collection: the same comparisons had other scores later.")
        )
    several = [name for name, service in services.items() if len(mapping(service.get("versions"))) > 1]
    if several:
        named = listed([service_name(name, f"{place_of(name)}/versions") for name in several])
        text_spans.append(spans(named, " stated several versions during the collection."))
    silent = []  # of which too few canaries have an answer of every round to show any change
    for name, service in services.items():
        canaries = mapping(service.get("canaries"))
        if canaries and not canaries.get("changed") and canaries.get("least_share_found") is None:
            silent.append(name)
    if silent:
        named = listed([service_name(name, f"{place_of(name)}/canaries/answered") for name in silent])
        unknown = " changed during the collection is not known: too few canaries were answered."
        text_spans.append(spans("Whether ", named, unknown))
    if collection and not collection.get("finished"):
        text = "The budget was not sufficient for all comparisons."
        text_spans.append((TextSpan(text=text, pointer=f"{AT}/finished"),))
    return (*text_spans[:-1], spans(*text_spans[-1], " See ", SEE, ".")) if text_spans else ()


def _lead(collection: Facts) -> Iterator[Part]:
    yield "The scores were collected by "
    yield phrases.code("frtaudit collect")
    yield " before this audit, which called no service. "
    images = mapping(collection.get("images"))
    if images:
        yield counted(images, f"{AT}/images", "found")
        yield " images were found; "
        yield counted(images, f"{AT}/images", "listed")
        yield " of them belong to the "
        yield counted(collection, AT, "queries")
        yield " queries that were compared, with "
        yield counted(collection, AT, "faces")
        yield " faces that can be used. Each service was to compare the same "
        yield counted(collection, AT, "pairs")
        yield " pairs of faces"
        yield ", and gave a score for each. " if collected_services.all_scored(collection) else ". "
    else:
        yield "How many queries, images, faces and comparisons there were is withheld. "
    if not collection.get("finished"):
        text = "The budget was not sufficient for all of them: the collection is partial."
        yield from (phrases.bold(text, f"{AT}/finished"), " ")
    if all(service.get("canaries") is None for service in services_of(collection).values()):
        yield "No comparison was repeated (canaries), so only the version that a service states could have shown a "
        yield "change during the collection."


def _spec(spec: Facts) -> Iterator[tuple[str, Text]]:
    """What was searched, which faces and pairs were taken, as the collection's spec says."""
    at = f"{AT}/spec"
    source = mapping(spec.get("source"))
    kind = display_name(words().collected_source, str(source.get("type")))
    rest = {name: value for name, value in source.items() if name != "type"}
    searched = settings(rest, f"{at}/source")
    yield (
        "Images",
        spans(TextSpan(text=kind, pointer=f"{at}/source/type"), "; " if searched else "", searched),
    )
    least: list[Part] = []
    if "least" in spec:
        least = ["; of queries with at least ", counted(spec, at, "least")]
    yield "Faces", spans(_word(spec.get("detected"), f"{at}/detected"), *least)
    pairs = mapping(spec.get("pairs"))
    if pairs:
        group: list[Part] = []
        if pairs.get("group") is not None:
            column = TextSpan(text=str(pairs["group"]), pointer=f"{at}/pairs/group")
            group = [" of one group, by the column ", column]
        yield "Pairs", spans(_word(f"{pairs.get('between')}_pairs", f"{at}/pairs/between"), *group)
    duplicates = mapping(spec.get("duplicates"))
    if duplicates:
        yield "Duplicates", settings(duplicates, f"{at}/duplicates")
    if "seed" in spec:
        yield "Seed", (phrases.number(str(spec["seed"]), f"{at}/seed"),)


def _word(code: Json, pointer: str) -> TextSpan:
    return TextSpan(text=display_name(words().collected, str(code)), pointer=pointer)


def _left_out(collection: Facts) -> Iterator[Table]:
    """What was left out before anything was compared, and why."""
    left = rows_of(mapping(collection.get("images")).get("left_out"))
    if not left:
        return
    rows = []
    for index, row in enumerate(left):
        at = f"{AT}/images/left_out/{index}"
        unit = TextSpan(text=str(row.get("unit")), pointer=f"{at}/unit")
        rows.append((spans(counted(row, at, "count"), " ", unit), (reason(row, at),)))
    columns = header(["Left out"], wide=["why"])
    caption = phrases.titled(
        "What was left out.", "Each image is counted under the first reason that applies."
    )
    yield build_table("collected-images", caption, columns, [Block(rows=tuple(rows))], Footnotes())
