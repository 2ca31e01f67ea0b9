"""IJB-C as NIST publishes it: templates by person with their images, pairs of templates, labels of each image."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from frtaudit.core.registry import register
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents, columns_at
from frtaudit.inputs.importing.lists import pairs_of
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Samples
from frtaudit.inputs.tables import read_table

NEEDED = ("template_id", "subject_id", "filename")
LABELS = {"GENDER": "gender", "SKINTONE": "skin_tone"}
TERMS = "by agreement with NIST; no redistribution"
HARD = "pairs of test 1 are of one gender and skin tone: its FMR is that of similar people"


@register("known_set", "ijb_nist")
@dataclass(frozen=True)
class IjbNist:
    """IJB-C as NIST publishes it: enroll_templates, verif_templates, match.csv; gender and skin tone by person."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """Tables with TEMPLATE_ID, SUBJECT_ID and FILENAME, and a list of two numbers a line without a header."""
        templates, matches = _files(folder)
        if not templates or len(matches) != 1:
            return None
        return Evidence(file=matches[0], found=f"pairs of templates of {', '.join(templates)}")

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """Samples are templates; a person's class is the one that most images have."""
        templates, (file,) = _files(folder)
        who = _people(folder, templates)
        sides: tuple[list[str], list[str]] = ([], [])
        for number, line in enumerate(folder.lines(file), 1):
            fields = [text.strip() for text in line.split(",")]
            if len(fields) != 2 or not all(text in who for text in fields):
                raise DataError(
                    f"{file} line {number}", "not a pair of templates of the tables", "template,template"
                )
            for side, text in zip(sides, fields, strict=True):
                side.append(text)
        ids = sorted(who, key=lambda text: (len(text), text))
        columns = {name: [of.get(who[text], "") for text in ids] for name, of in _labels(folder).items()}
        return KnownSet(
            name="ijb_nist",
            title="IJB-C, test 1",
            terms=TERMS,
            samples=Samples(
                ids=ids, subjects=[who[text] for text in ids], columns=columns, groups=tuple(columns)
            ),
            pairs=pairs_of(file, sides, ids),
            notes=(HARD,),
        )


def _files(folder: Contents) -> tuple[list[str], list[str]]:
    """Tables of the templates that are compared, and lists of pairs."""
    heads = {name: folder.head(name) for name in folder.texts(".csv")}
    matches = [name for name, head in heads.items() if head and _is_pair(head[0])]
    tables = [name for name, head in heads.items() if head and columns_at(head[0].split(","), *NEEDED)]
    beside = {name.rpartition("/")[0] for name in matches}
    return [name for name in tables if name.rpartition("/")[0] in beside], matches


def _is_pair(line: str) -> bool:
    fields = [text.strip() for text in line.split(",")]
    return len(fields) == 2 and all(text.isdecimal() for text in fields)


def _people(folder: Contents, names: list[str]) -> dict[str, str]:
    """Template to person."""
    of: dict[str, str] = {}
    for name in names:
        table = read_table(folder.path(name), name)
        template, person = (table.texts(table.need((text.upper(),))) for text in NEEDED[:2])
        for row, (text, who) in enumerate(zip(template, person, strict=True)):
            if not text or not who or of.setdefault(text, who) != who:
                raise DataError(
                    table.place(row), "a template of two people, or of none", "one person for each template"
                )
    return of


def _labels(folder: Contents) -> dict[str, dict[str, str]]:
    """Label to person to the class that most images have; empty cells are ignored."""
    name = folder.table("subject_id", *(text.lower() for text in LABELS))
    if name is None:
        return {}
    table = read_table(folder.path(name), name)
    people = table.texts(table.need(("SUBJECT_ID",)))
    return {
        label: _majority(people.tolist(), table.texts(table.need((column,))).tolist())
        for column, label in LABELS.items()
    }


def _majority(people: list[str], texts: list[str]) -> dict[str, str]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for who, text in zip(people, texts, strict=True):
        if text:
            counts[who][text] += 1
    return {who: min(counter, key=lambda text: (-counter[text], text)) for who, counter in counts.items()}
