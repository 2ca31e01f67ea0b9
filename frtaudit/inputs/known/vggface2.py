"""VGGFace2: a folder for each person, and a table of names and genders whose header has spaces."""

import csv
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from frtaudit.core.registry import register
from frtaudit.core.text.quoting import choices
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Samples

NEEDED = ("class_id", "name", "sample_num", "flag", "gender")
PERSON = re.compile(r"n\d{6}")
GENDERS = {"f": "female", "m": "male"}


@register("known_set", "vggface2")
@dataclass(frozen=True)
class VggFace2:
    """VGGFace2: n000001/0001_01.jpg with identity_meta.csv; gender as group; all pairs; people's names are left out."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A header with Class_ID, Name, Sample_Num, Flag and Gender, spaces before the names or not."""
        file = folder.table(*NEEDED)
        return None if file is None else Evidence(file=file, found=f"columns {', '.join(NEEDED)}")

    def read(self, folder: Contents, options: Options) -> KnownSet:
        """The images of one part, the test part where there are both."""
        file = folder.table(*NEEDED) or ""
        of = _genders(file, folder.lines(file))
        images = [
            name for name in sorted(folder.images()) if PERSON.fullmatch(PurePosixPath(name).parent.name)
        ]
        parts = sorted({str(PurePosixPath(name).parent.parent) for name in images})
        wanted = options.file or ("test" if "test" in parts else parts[0] if len(parts) == 1 else "")
        if wanted not in parts:
            accepted = choices("file", parts) or "images named n000001/0001_01.jpg"
            raise DataError("the folder", f"{len(parts)} parts with images of people", accepted)
        chosen = [PurePosixPath(name) for name in images if str(PurePosixPath(name).parent.parent) == wanted]
        people = [place.parent.name for place in chosen]
        unknown = len(set(people) - set(of))
        return KnownSet(
            name="vggface2",
            title=f"VGGFace2, {wanted}",
            terms="no longer offered by its authors; published under CC BY, images of the web",
            samples=Samples(
                ids=[f"{place.parent.name}/{place.stem}" for place in chosen],
                subjects=people,
                columns={
                    "path": [str(place) for place in chosen],
                    "gender": [GENDERS.get(of.get(who, "").lower(), "") for who in people],
                },
                groups=("gender",),
            ),
            notes=(f"people of unknown gender, in no line of {file}: {unknown}",) if unknown else (),
        )


def _genders(file: str, lines: list[str]) -> dict[str, str]:
    """Person to gender; names are quoted behind a space, where other readers see a comma too many."""
    try:
        header, *rows = csv.reader(lines, skipinitialspace=True)
    except csv.Error as error:
        raise DataError(file, f"not a readable CSV file ({error})", f"columns {', '.join(NEEDED)}") from None
    place = {name.strip().lower(): column for column, name in enumerate(header)}
    wrong = next((row for row, fields in enumerate(rows) if len(fields) != len(header)), None)
    if wrong is not None:
        raise DataError(
            f"{file} line {wrong + 2}", f"{len(rows[wrong])} fields", f"{len(header)}, as the first line has"
        )
    return {fields[place["class_id"]].strip(): fields[place["gender"]].strip() for fields in rows}
