"""Licence and origin of systems and data, as declared: a table of the record, and a notice on page 1."""

from collections.abc import Iterator, Mapping

from frtaudit.core.canonical import escape, mapping
from frtaudit.core.plain.records import from_json
from frtaudit.core.provenance import Origin, Provenance
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table, Text, TextSpan, listed, spans
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import Source

OF_SYSTEM: Mapping[str, str] = {"model": "model", "weights": "weights", "training_data": "training data"}
TEST_DATA = "test data"
USES: Mapping[str, str] = {"commercial": "commercial use allowed", "non_commercial": "non-commercial"}


def declared(source: Source) -> Provenance | None:
    """What the spec declares, None where it declares nothing."""
    spec = mapping(source.result.spec.get("provenance"))
    provenance: Provenance | None = from_json(Provenance, spec) if spec else None
    return provenance


def table(source: Source) -> Iterator[Table]:
    """One line for each model, its weights, its training data, and the test data; no table without a declaration."""
    provenance = declared(source)
    if provenance is None:
        return
    rows = [_row(place, system, origin) for place, system, origin in provenance.origins()]
    columns = header(["Of", "Name, version", "Licence", "Use", "Source, creator"], wide=["SHA-256"])
    caption = phrases.titled("Licence and origin.", "As declared in the spec; not verified by the audit.")
    yield build_table("licences", caption, columns, [Block(rows=tuple(rows))], Footnotes())


def notice(source: Source) -> Text:
    """What is for non-commercial use only, as declared or as a preset of templates says; empty where nothing is."""
    provenance = declared(source)
    origins = [] if provenance is None else list(provenance.origins())
    named = []
    for place, system, origin in origins:
        if origin.non_commercial:
            at = f"{_pointer(place)}/{'licence' if origin.licence else 'name'}"
            named.append(spans(f"{_of(place, system)}: ", phrases.bold(origin.licence or origin.name, at)))
    stated = {system for _, system, _ in origins}
    for name, facts in sorted(mapping(source.result.cohort.get("templates")).items()):
        licence = str(mapping(facts).get("licence") or "")
        if name not in stated and Origin(name=name, licence=licence).non_commercial:
            at = f"/cohort/templates/{escape(name)}/licence"
            named.append(spans(f"{name}, preset of the templates: ", phrases.bold(licence, at)))
    if not named:
        return ()
    return phrases.titled("Non-commercial use only.", listed(named), ".")


def _row(place: str, system: str, origin: Origin) -> tuple[Text, ...]:
    at = _pointer(place)
    use = "non-commercial" if origin.non_commercial else USES.get(origin.use.value, "not declared")
    return (
        spans(_of(place, system)),
        spans(*_texts(at, origin, "name", "version")),
        spans(*_texts(at, origin, "licence")),
        spans(TextSpan(text=use, kind="b" if origin.non_commercial else "n")),
        spans(*_texts(at, origin, "source", "creator")),
        (phrases.code(origin.digest or "not declared", f"{at}/digest"),),
    )


def _texts(at: str, origin: Origin, *names: str) -> Iterator[TextSpan | str]:
    """The declared ones of some fields, joined by commas."""
    known = [name for name in names if getattr(origin, name)]
    for place, name in enumerate(known):
        yield ", " if place else ""
        yield TextSpan(text=str(getattr(origin, name)), pointer=f"{at}/{name}", kind="n")
    if not known:
        yield "not declared"


def _of(place: str, system: str) -> str:
    part = place.rsplit("/", 1)[-1]
    return f"{system}, {OF_SYSTEM[part]}" if system else TEST_DATA


def _pointer(place: str) -> str:
    """The pointer of a place, of which the first and the last part are keys: a system's name may hold a slash."""
    head, _, rest = place.partition("/")
    name, _, part = rest.rpartition("/")
    return "/spec/provenance/" + "/".join([head, *([escape(name), part] if rest else [])])
