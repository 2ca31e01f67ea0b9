"""Of each service that was collected from: what it was asked with, how far it came, what it refused."""

from collections.abc import Iterator, Mapping

from frtaudit.core.canonical import Json, escape, mapping
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Part, Table, Text, TextSpan, listed, spans
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import rows_of
from frtaudit.report.words import display_name, words

AT = "/cohort/collection"
LONG = 40  # letters from which a setting is a digest
Facts = Mapping[str, Json]


def services_of(collection: Facts) -> dict[str, Facts]:
    """Name to facts of each service of a collection."""
    return {name: mapping(facts) for name, facts in mapping(collection.get("services")).items()}


def place_of(name: str) -> str:
    """Where the facts of a service stand."""
    return f"{AT}/services/{escape(name)}"


def service_name(name: str, pointer: str = "") -> TextSpan:
    """A service's name."""
    return phrases.bold(name, pointer or place_of(name))


def counted(facts: Facts, at: str, key: str) -> TextSpan:
    """A count among facts that stand ``at`` a place; null is one that a publishable variant withholds."""
    value, pointer = facts.get(key), f"{at}/{escape(key)}"
    if not isinstance(value, (int, float)):
        return TextSpan(text="withheld", pointer=pointer, kind="none")
    return phrases.whole(value, pointer)


def settings(facts: Facts, pointer: str) -> Text:
    """Names and values in one line."""
    known = words().collected
    parts: list[Part] = []
    for name, value in facts.items():
        if value == "":  # left to the service
            continue
        text = f"{value:g}" if isinstance(value, float) else str(value)
        kind = "code" if len(text) > LONG else "n" if text.replace(".", "").isdigit() else ""
        piece = TextSpan(text=known.get(text, text), pointer=f"{pointer}/{escape(name)}", kind=kind)
        parts += [*(["; "] if parts else []), f"{name if '.' in name else display_name(known, name)} ", piece]
    return spans(*parts)


def reason(row: Facts, pointer: str) -> TextSpan:
    """Why something is not there, in words."""
    text = display_name(words().collected_code, str(row.get("code")))
    return TextSpan(text=text.replace("http ", "HTTP "), pointer=f"{pointer}/code")


def tables(collection: Facts) -> Iterator[Table]:
    """What came of it, where some comparison has no score and counts are not withheld."""
    services = services_of(collection)
    if any(_short(service) for service in services.values()):
        yield _calls(collection, services)
    if any(service.get("refused") for service in services.values()):
        yield _refusals(services)


def all_scored(collection: Facts) -> bool:
    """Whether every service gave a score for every comparison."""
    return collection.get("pairs") is not None and not any(map(_short, services_of(collection).values()))


def _short(service: Facts) -> bool:
    return bool(service.get("missing")) or any(mapping(service.get("by_kind")).values())


def recorded_settings(collection: Facts) -> Iterator[tuple[str, Text]]:
    """Of each service what it was asked with, and the versions that its answers stated."""
    for name, service in services_of(collection).items():
        key = "settings" if "settings" in service else "asked"  # as version 0.1 called them
        parameters = settings(mapping(service.get(key)), f"{place_of(name)}/{key}")
        counts, pointer = mapping(service.get("versions")), f"{place_of(name)}/versions"
        versions: list[Part] = []
        for version, count in counts.items():
            answers = "" if count is None else spans(" (", counted(counts, pointer, version), " answers)")
            stated = spans("version ", phrases.bold(version, pointer)) if version else "no version stated"
            versions.append(spans(stated, answers))
        yield name, spans(parameters, phrases.BREAK if parameters else "", listed(versions))


def _calls(collection: Facts, services: Mapping[str, Facts]) -> Table:
    """How far each service came; columns of what never happened are left out."""
    by_kinds = [mapping(facts.get("by_kind")) for facts in services.values()]
    kinds = [kind for kind in words().refusal if any(counts.get(kind) for counts in by_kinds)]
    missing = any(facts.get("missing") for facts in services.values())
    rows = []
    for name, service in services.items():
        at, by_kind = place_of(name), mapping(service.get("by_kind"))
        cells = [spans(counted(service, at, "scored"), " / ", counted(collection, AT, "pairs"))]
        cells += [(counted(by_kind, f"{at}/by_kind", kind),) for kind in kinds]
        cells += [(counted(service, at, "missing"),)] if missing else []
        rows.append(((service_name(name),), *cells))
    reasons = [*(words().refusal[kind] for kind in kinds), *(["not asked for"] if missing else [])]
    columns = header(["Service"], ["scored / pairs", *reasons])
    caption = phrases.titled(
        "Comparisons.",
        "Each has a score or a stated reason why not.",
        " Not requested: the budget was not sufficient." if missing else "",
    )
    return build_table("collected-calls", caption, columns, [Block(rows=tuple(rows))], Footnotes())


def _refusals(services: Mapping[str, Facts]) -> Table:
    """Each reason, and whose it is: the service's that could not, its policy, or nobody's."""
    notes = Footnotes()
    rows = []
    for name, service in services.items():
        for number, row in enumerate(rows_of(service.get("refused"))):
            at = f"{place_of(name)}/refused/{number}"
            when = TextSpan(text=display_name(words().collected, str(row.get("call"))), pointer=f"{at}/call")
            kind, pointer = str(row.get("refusal")), f"{at}/refusal"
            whose = TextSpan(text=display_name(words().refusal, kind), pointer=pointer, kind="soft")
            mark = notes.mark(words().refusal_means.get(kind), pointer)
            why = spans(reason(row, at), " (", whose, ")", mark)
            rows.append(((service_name(name),), (when,), why, (counted(row, at, "count"),)))
    columns = (*header(["Service", "when"], wide=["why"]), *header([], ["how many"]))
    caption = phrases.titled(
        "Why there is no score, or no face.", "Counted by comparison, or by call where faces were looked for."
    )
    return build_table("collected-refusals", caption, columns, [Block(rows=tuple(rows))], notes)
