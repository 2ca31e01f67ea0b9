"""Logs of NIST's FRTE 1:1 validation: scores with return codes, templates that could not be made."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core.registry import register
from frtaudit.core.text.formatting import counted
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents, rows_of, stem
from frtaudit.inputs.importing.image_table import image_table, named_table
from frtaudit.inputs.importing.lists import pairs_of
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, PairScores, Samples

MATCH = ("enrollTempl", "verifTempl", "simScore", "returnCode")
ENROL = ("id", "image", "templateSizeBytes", "returnCode")
CODE = re.compile(r"-?\d{1,9}")
LOG = re.compile(r".*\.log(?:\.\d+)?")
MEDS = re.compile(r"(?P<who>S\d{3})-\d{2}-\w+")
CODES = (  # return codes of the test's interface (frvt_structs.h), 0 is success
    *("success", "unknown_error", "config_error", "refused_input", "extract_error", "parse_error"),
    *("template_creation_error", "verif_template_error", "face_detection_error", "num_data_error"),
    *("template_format_error", "enroll_dir_error", "input_location_error", "memory_error", "match_error"),
    *("quality_assessment_error", "not_implemented", "vendor_error"),
)
TERMS = "those of the images; the logs are yours"


@register("known_set", "frte")
@dataclass(frozen=True)
class FrteLogs:
    """match.log of NIST's FRTE 1:1 (match.log.0, ...), with enroll.log and verif.log: scores and failures by code."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A log whose first line is ``enrollTempl verifTempl simScore returnCode``."""
        files = _logs(folder, MATCH)
        if not files:
            return None
        return Evidence(file=files[0], found=f"header {' '.join(MATCH)}, {len(files)} parts")

    def read(self, folder: Contents, options: Options) -> KnownSet:
        """Scores of all parts; a return code that is not 0 is a failure, whatever the score."""
        files = _logs(folder, MATCH)
        places = {name.rpartition("/")[0] for name in files}
        if len(places) > 1:
            raise DataError("the folder", f"logs in {len(places)} folders", "the folder of one system")
        rows = [row for name in files for row in _rows(folder, name)]
        if not rows:
            raise DataError(files[0], "no comparison", "lines below the header")
        ids = sorted({side for row in rows for side in row[:2]})
        images = _images(folder)
        people, people_note = _people(folder, ids, images, options)
        lost = {row: code for row, (_, _, _, code, _) in enumerate(rows) if code}
        score = np.array([np.nan if row in lost else value for row, (_, _, value, _, _) in enumerate(rows)])
        failed = {name: code for name, (_, code) in images.items() if code}
        notes = [people_note, f"{counted(len(lost), 'comparison')} failed: {_counted(lost.values())}"]
        if failed:
            notes.append(f"{counted(len(failed), 'template')} not created: {_counted(failed.values())}")
        sizes = np.cumsum([0, *(len(folder.lines(name)) - 1 for name in files)]).tolist()
        system = (folder.root.name if places == {""} else places.pop().rpartition("/")[2]) or "system"
        return KnownSet(
            name="frte",
            title="logs of NIST's FRTE 1:1",
            terms=TERMS,
            samples=Samples(
                ids=ids, subjects=people, columns={"image": [images.get(name, ("", 0))[0] for name in ids]}
            ),
            pairs=replace(
                pairs_of(files[0], ([row[1] for row in rows], [row[0] for row in rows]), ids),
                lines=np.array([row[4] for row in rows], dtype=np.int64),
                starts=tuple(zip(sizes, files, strict=False)),
            ),
            scores={
                system.lower(): PairScores(
                    score=score, failure={row: name_of(code) for row, code in lost.items()}
                )
            },
            notes=tuple(notes),
        )


def name_of(code: int) -> str:
    """The name of a return code.

    >>> name_of(6), name_of(77)
    ('template_creation_error', 'return_code_77')
    """
    return CODES[code] if 0 <= code < len(CODES) else f"return_code_{code}"


def _counted(codes: Iterable[int]) -> str:
    counts = Counter(name_of(code) for code in codes)
    return ", ".join(f"{name} {counts[name]}" for name in sorted(counts)) or "none"


def _logs(folder: Contents, header: Sequence[str]) -> list[str]:
    """Logs with this header, their parts in order; a header may name a column more than its rows have."""

    def order(name: str) -> tuple[str, int]:
        return name.rpartition(".log")[0], int(name.rpartition(".")[2]) if name[-1].isdecimal() else -1

    heads = {name: folder.head(name) for name in folder.files if LOG.fullmatch(name)}
    names = [name for name, head in heads.items() if head and head[0].split()[: len(header)] == list(header)]
    return sorted(names, key=order)


Row = tuple[str, str, float, int, int]


def _rows(folder: Contents, name: str) -> Iterator[Row]:
    """Enrolled template, verification template, score, return code, line."""
    for number, line in enumerate(folder.lines(name)[1:], 2):
        fields = line.split()
        if len(fields) != len(MATCH):
            raise DataError(f"{name} line {number}", f"{len(fields)} fields", " ".join(MATCH))
        try:
            score, code = float(fields[2]), int(fields[3])
        except ValueError:
            raise DataError(
                f"{name} line {number}", "score or code is not a number", " ".join(MATCH)
            ) from None
        if not code and not np.isfinite(score):
            problem = "no finite score with return code 0"
            raise DataError(f"{name} line {number}", problem, "a score, or another code")
        yield _id(fields[0]), _id(fields[1]), score, code, number


def _id(template: str) -> str:
    return template.rpartition("/")[2].removesuffix(".template")


def _images(folder: Contents) -> dict[str, tuple[str, int]]:
    """Id to its image and to the return code of its template."""
    images: dict[str, tuple[str, int]] = {}
    for name in _logs(folder, ENROL):
        for number, line in enumerate(folder.lines(name)[1:], 2):
            fields = line.split()
            if len(fields) < len(ENROL) or not CODE.fullmatch(fields[3]):
                raise DataError(f"{name} line {number}", f"{len(fields)} fields", " ".join(ENROL))
            images[_id(fields[0])] = (fields[1], int(fields[3]))
    return images


def _people(
    folder: Contents, ids: Sequence[str], images: Mapping[str, tuple[str, int]], options: Options
) -> tuple[list[str], str]:
    """The subject of each template: the user's table, by id or by image, or the names that MEDS gives its images."""
    table = named_table(folder, options)
    files = [images.get(name, (name, 0))[0] for name in ids]
    if table is not None:
        people_table = image_table(table, ids, options)
        if people_table.subjects is None:
            raise DataError(table.name, "no column of subject ids", "subject=COLUMN")
        by_id, by_file = rows_of(ids, people_table.ids), rows_of(files, people_table.ids)
        rows = [first if first >= 0 else other for first, other in zip(by_id, by_file, strict=True)]
        people = [people_table.subjects[row] if row >= 0 else "" for row in rows]
        if not all(people):
            raise DataError(
                table.name, f"{people.count('')} templates are not in the table", "a row for each"
            )
        return people, f"people: column {people_table.subject} of {table.name}"
    names = [
        MEDS.fullmatch(stem(file)) or MEDS.fullmatch(name) for name, file in zip(ids, files, strict=True)
    ]
    if all(names):
        return [match["who"] for match in names if match], "people: the subject in the names of the images"
    accepted = "table=FILE with columns id and subject_id"
    raise DataError(_logs(folder, MATCH)[0], "no subject ids of the templates", accepted)
