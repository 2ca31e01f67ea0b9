"""CSV databases of bob (RFW, MORPH, MEDS, SCface, VGG2 as Idiap publishes them): references and probes."""

from dataclasses import dataclass

from frtaudit.core.registry import register
from frtaudit.core.text.formatting import counted
from frtaudit.core.text.quoting import choices
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents, columns_at
from frtaudit.inputs.importing.image_table import groups_among
from frtaudit.inputs.importing.lists import pairs_of
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Pairs, Samples
from frtaudit.inputs.tables import Table, read_table

ENROLLING, PROBING, MATCHING = "for_enrolling.csv", "for_probing.csv", "for_matching.csv"
ID, PERSON, TEMPLATE = ("key", "path"), ("subject_id", "reference_id"), ("template_id", "reference_id")
SIDES = ("enroll_template_id", "bio_ref_template_id"), ("probe_template_id", "probe_id")
MAX_PAIRS = 20_000_000  # of all against all, or of the images of a list of templates
TERMS = "those of the protocol's database"
ANNOTATIONS = ("leye_x", "leye_y", "reye_x", "reye_y", "topleft_x", "topleft_y", "size_x", "size_y")


@register("known_set", "bob_database")
@dataclass(frozen=True)
class BobDatabase:
    """bob's CSV database: PROTOCOL/dev or eval with for_enrolling.csv, for_probing.csv, optionally for_matching.csv."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """Two tables of one folder with key or path and a subject, named as in bob."""
        parts = _parts(folder)
        if not parts:
            return None
        return Evidence(file=f"{parts[0]}{ENROLLING}", found="tables of references and probes")

    def read(self, folder: Contents, options: Options) -> KnownSet:
        """Every image is a sample; all probes against all enrolled images, or the pairs of a list."""
        parts = _parts(folder)
        wanted = options.file.rstrip("/")
        chosen = [part for part in parts if not options.file or part.rstrip("/") == wanted]
        if len(chosen) != 1:
            raise DataError(
                "the folder", f"{len(parts)} parts", choices("file", [part.rstrip("/") for part in parts])
            )
        part = chosen[0]
        enrolled, probes = (
            read_table(folder.path(f"{part}{name}"), f"{part}{name}") for name in (ENROLLING, PROBING)
        )
        rows: dict[str, dict[str, str]] = {}
        sides = [_rows(table, rows) for table in (enrolled, probes)]
        ids = sorted(rows)
        names = sorted({name for row in rows.values() for name in row} - {"subject_id", *ANNOTATIONS})
        columns = {name: [rows[text].get(name, "") for text in ids] for name in names}
        people = [rows[text]["subject_id"] for text in ids]
        several = len(sides[0]) - len({template for template, _ in sides[0]})
        pairs, pair_note = _pairs(folder, part, sides, ids)
        note = f"{counted(several, 'enrolled image')} with the template of another: each image is compared separately"
        return KnownSet(
            name="bob_database",
            title=f"a database of bob ({part.rstrip('/') or folder.root.name})",
            terms=TERMS,
            samples=Samples(ids=ids, subjects=people, columns=columns, groups=groups_among(columns, people)),
            pairs=pairs,
            notes=(pair_note, *((note,) if several else ())),
        )


def _parts(folder: Contents) -> list[str]:
    """Folders that hold both tables."""
    parts = []
    for name in folder.texts(".csv"):
        above = name.removesuffix(ENROLLING)
        if above != name and all(_is_table(folder, above + other) for other in (ENROLLING, PROBING)):
            parts.append(above)
    return parts


def _is_table(folder: Contents, name: str) -> bool:
    head = folder.head(name) if name in folder.files else []
    fields = head[0].split(",") if head else []
    return any(columns_at(fields, text) for text in ID) and any(columns_at(fields, text) for text in PERSON)


Side = list[tuple[str, str]]


def _rows(table: Table, rows: dict[str, dict[str, str]]) -> Side:
    """Template and image of each row; the table's columns of each image are added to ``rows``."""
    ids, people = table.texts(table.need(ID)).tolist(), table.texts(table.need(PERSON)).tolist()
    templates = table.texts(table.find(TEMPLATE) or table.need(ID)).tolist()
    others = {
        name: table.texts(name).tolist() for name in table.columns if name not in {*ID, *PERSON, *TEMPLATE}
    }
    for row, (name, who) in enumerate(zip(ids, people, strict=True)):
        record = {"subject_id": who, **{column: texts[row] for column, texts in others.items()}}
        if rows.setdefault(name, record)["subject_id"] != who:
            raise DataError(table.place(row), "an image of two subjects", "one subject for each image")
    return list(zip(templates, ids, strict=True))


def _pairs(folder: Contents, part: str, sides: list[Side], ids: list[str]) -> tuple[Pairs | None, str]:
    """The matching list, else all probes against all enrolled images but themselves."""
    enrolled, probes = sides
    if f"{part}{MATCHING}" in folder.files:
        table = read_table(folder.path(f"{part}{MATCHING}"), f"{part}{MATCHING}")
        return _matched(table, sides, ids), "pairs of the matching list"
    if len(enrolled) * len(probes) > MAX_PAIRS:
        counts = f"{len(enrolled)} enrolled images against {len(probes)} probes"
        return None, f"{counts}: all pairs of all images are compared"
    both = [(probe, image) for _, image in enrolled for _, probe in probes if probe != image]
    listed = [probe for probe, _ in both], [image for _, image in both]
    return pairs_of(f"{part}{PROBING}", listed, ids), "every probe against every enrolled image"


def _matched(table: Table, sides: list[Side], ids: list[str]) -> Pairs:
    images: list[dict[str, list[str]]] = [{}, {}]
    for of, side in zip(images, sides, strict=True):
        for template, image in side:
            of.setdefault(template, []).append(image)
    wanted = [table.texts(table.need(names)) for names in SIDES]
    listed: tuple[list[str], list[str]] = ([], [])
    for row, (reference, probe) in enumerate(zip(*wanted, strict=True)):
        if reference not in images[0] or probe not in images[1]:
            raise DataError(
                table.place(row), "a template that is not enrolled, or not a probe", "templates of the tables"
            )
        if len(listed[0]) + len(images[0][reference]) * len(images[1][probe]) > MAX_PAIRS:
            raise DataError(
                table.place(row), f"more than {MAX_PAIRS} pairs of images", "fewer images a template"
            )
        for image in images[0][reference]:
            for other in images[1][probe]:
                listed[0].append(other)
                listed[1].append(image)
    return pairs_of(table.name, listed, ids)
