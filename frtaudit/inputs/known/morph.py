"""MORPH-2: the table of its non-commercial release."""

from dataclasses import dataclass

from frtaudit.core.registry import register
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents, stem
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Samples
from frtaudit.inputs.tables import read_table

NEEDED = ("id_num", "picture_num", "dob", "doa", "race", "gender", "photo")
KEPT = ("gender", "race", "age", "facial_hair", "glasses", "dob", "doa")
CODES = {
    "gender": {"M": "male", "F": "female"},
    "race": {"W": "white", "B": "black", "A": "asian", "H": "hispanic", "O": "other"},
}


@register("known_set", "morph")
@dataclass(frozen=True)
class Morph:
    """MORPH-2's table: people, gender, race, age of each image; all pairs; classes by majority of a person's images."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A header with id_num, picture_num, dob, doa, race, gender and photo."""
        file = folder.table(*NEEDED)
        return None if file is None else Evidence(file=file, found=f"columns {', '.join(NEEDED)}")

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """One image for each row; its id is its photo without folder and ending."""
        file = folder.table(*NEEDED) or ""
        table = read_table(folder.path(file), file)
        ids = [stem(text.replace("\\", "/")) for text in table.texts("photo")]
        people = table.texts("id_num").tolist()
        columns: dict[str, list[str]] = {}
        for name in (text for text in KEPT if text in table.columns):
            texts = table.texts(name).tolist()
            codes = CODES.get(name)
            columns[name] = texts if codes is None else [codes.get(text, "") for text in texts]
            unknown = [
                row for row, text in enumerate(texts) if codes is not None and text and text not in codes
            ]
            if unknown:
                raise DataError(table.place(unknown[0]), f"an unknown {name}", ", ".join(codes or ()))
        paths = folder.by_stem()
        if paths:
            columns["path"] = [paths.get(name, "") for name in ids]
        return KnownSet(
            name="morph",
            title="MORPH-2",
            terms="by licence of its university; no redistribution",
            samples=Samples(ids=ids, subjects=people, columns=columns, groups=("gender", "race")),
            notes=tuple(
                f"people with several values of {name}, of which the majority counts: {count}"
                for name, count in _conflicts(people, columns)
            ),
        )


def _conflicts(people: list[str], columns: dict[str, list[str]]) -> list[tuple[str, int]]:
    """Columns that are of a person, and how many people have several values."""
    conflicts = []
    for name in ("gender", "race", "dob"):
        of: dict[str, set[str]] = {}
        for who, text in zip(people, columns.get(name, []), strict=False):
            of.setdefault(who, set()).add(text)
        count = sum(len(texts) > 1 for texts in of.values())
        conflicts += [(name, count)] if count else []
    return conflicts
