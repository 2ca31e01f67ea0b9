"""A table of images in any columns: the column of image ids, that of subject ids, and those of groups."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path

import numpy as np

from frtaudit.core.text.quoting import choices
from frtaudit.errors import DataError, column_names, excerpt
from frtaudit.inputs.importing.contents import Contents, rows_of, stem
from frtaudit.inputs.importing.stored_embeddings import IDS, id_columns
from frtaudit.inputs.importing.values import Options, Samples
from frtaudit.inputs.tables import SUFFIXES, Table, read_table

SUBJECTS = (
    *("subject_id", "subject", "person_id", "person", "individual", "individual_id", "identity_id", "id_num"),
    *("class_id", "user_id", "celebrity", "identity", "label", "name"),
)
CLASSES = range(2, 13)  # of a column of groups
FOLDER = "folder"  # subject=folder: people are the folders of the images
NOT_GROUPS = ("fold", "split", "set", "part", "path", "x", "y", "width", "height")
STEADY = 0.9  # share of people with one class, at least
NEAR = 0.25  # of a column's range: how far apart the numbers of one person are, at most (ages at capture)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """A column of numbers of people: the lowest and the highest; ``one``: each person has one number."""

    low: float
    high: float
    one: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageTable:
    """A table with the columns that were found: ``ids``, ``subjects`` (None where no column names people)."""

    table: Table
    id: str
    ids: list[str]
    subject: str | None

    @property
    def subjects(self) -> list[str] | None:
        """Who is shown in each row."""
        return None if self.subject is None else self.table.texts(self.subject).tolist()

    def columns(self) -> dict[str, list[str]]:
        """The other columns."""
        taken = {self.id, self.subject, "image_id", "subject_id"}
        return {name: self.table.texts(name).tolist() for name in self.table.columns if name not in taken}


def image_table(
    table: Table, wanted: Sequence[str] | None, options: Options, of: str = "the set"
) -> ImageTable:
    """Find the columns: that of ids by the ``wanted`` ids ``of`` a file where these are known, else by its name.

    Raises :class:`DataError` naming ``id=`` or ``subject=`` where several could be meant, and where no column has ids.
    """
    column = _id_column(table, wanted, options.id, of)
    return ImageTable(
        table=table,
        id=column,
        ids=table.texts(column).tolist(),
        subject=_subject_column(table, column, options.subject),
    )


def check_single(chosen: ImageTable) -> None:
    """Raise :class:`DataError` for an image id that an earlier row has."""
    first = {name: row for row, name in reversed([*enumerate(chosen.ids)])}
    again = np.array([first[name] != row for row, name in enumerate(chosen.ids)], dtype=np.bool_)
    problem = f"the image id, of column {column_names([chosen.id])}, stands in an earlier row"
    chosen.table.refuse(again, problem, "a row for each image, or id=COLUMN")


def tables_in(folder: Contents, taken: Sequence[str]) -> list[Table]:
    """Every table of the folder but those ``taken``."""
    return [read_table(folder.path(name), name) for name in folder.ending(*SUFFIXES) if name not in taken]


def named_table(folder: Contents, options: Options) -> Table | None:
    """The table that the user names, in the folder or elsewhere."""
    if not options.table:
        return None
    path = folder.path(options.table) if options.table in folder.files else Path(options.table)
    return read_table(path, options.table)


def overlap(table: Table, column: str, wanted: Sequence[str]) -> int:
    """How many of the wanted ids are in a column, unchanged or without folder and ending."""
    texts = set(table.texts(column))
    stems = {stem(text) for text in texts}
    return max(sum(name in texts for name in wanted), sum(stem(name) in stems for name in wanted))


def groups_among(columns: Mapping[str, Sequence[str]], subjects: Sequence[str]) -> tuple[str, ...]:
    """The columns with a few classes of people, each person nearly always in one."""
    groups = []
    for name, texts in columns.items():
        classes = {text for text in texts if text}
        if name.lower() in NOT_GROUPS or len(classes) not in CLASSES or set("&|") & set("".join(classes)):
            continue
        of = _by_person(texts, subjects)
        if of and sum(len(cells) == 1 for cells in of.values()) >= STEADY * len(of):
            groups.append(name)
    return tuple(groups)


def numbers_among(columns: Mapping[str, Sequence[str]], subjects: Sequence[str]) -> dict[str, Numbers]:
    """The columns with many numbers of people, those of a person near each other: an age, an age at capture."""
    parsed = {
        name: _numbers(texts, subjects)
        for name, texts in columns.items()
        if name.lower() not in NOT_GROUPS and len(set(texts)) > CLASSES[-1]
    }
    return {name: numbers for name, numbers in parsed.items() if numbers is not None}


def with_table(samples: Samples, table: ImageTable) -> Samples:
    """The samples with the people and the columns of a table of some of them."""
    place = rows_of(samples.ids, table.ids)
    columns = {
        name: [texts[row] if row >= 0 else "" for row in place] for name, texts in table.columns().items()
    }
    people = samples.subjects
    if people is None and table.subjects is not None:
        lost = sum(row < 0 for row in place)
        if lost:
            raise DataError(
                table.table.name, f"{lost} images of the set are not in the table", "a row for each image"
            )
        people = [table.subjects[row] for row in place]
    merged = {**columns, **samples.columns}
    groups = (*samples.groups, *groups_among(columns, people or ()))
    return replace(samples, subjects=people, columns=merged, groups=tuple(dict.fromkeys(groups)))


def unmatched(table: Table, wanted: Sequence[str], of: str, asked: str = "") -> DataError:
    """No column has the ids ``of`` a file: an id of each side, here of the column ``asked`` or most likely meant."""
    likely = [name for name in IDS if name in table.columns] or id_columns(table) or list(table.columns)
    column = asked or likely[0]
    ids = table.texts(column).tolist()
    missing = next((name for name in wanted if name not in set(ids)), wanted[0])
    other = f": column {column_names([column])} has {excerpt(ids[0])}" if ids else ""
    problem = f"no column has most of the image ids of {of}, such as {excerpt(missing)}{other}"
    return DataError(table.name, problem, f"image ids spelled as in {of}")


def _id_column(table: Table, wanted: Sequence[str] | None, asked: str, of: str) -> str:
    if asked:
        return _asked(table, asked, "id")
    if wanted:
        matching = matching_columns(table, wanted[:2000]) or matching_columns(table, wanted)
        if not matching:
            raise unmatched(table, wanted, of)
        known = [name for name in IDS if name in matching]
        return _single(known[:1] or matching, table, "id", "image ids")
    known = [name for name in table.columns if name.lower() in IDS] or id_columns(table)
    return _single(known[:1] if len(known) > 1 and known[0] in IDS[:2] else known, table, "id", "image ids")


def matching_columns(table: Table, wanted: Sequence[str]) -> list[str]:
    """The columns with most of the wanted ids, of them those with a name of ids, else those that repeat no value.

    Another that repeats values is taken only if it has more than half of the ids.
    """
    counts = {name: overlap(table, name, wanted) for name in table.columns}
    most = max(counts.values(), default=0)
    best = [name for name, count in counts.items() if count == most > 0]
    named = [name for name in best if name in IDS]
    single = [name for name in best if not _repeats(table, name)]
    return named or single or (best if most > len(wanted) // 2 else [])


def _repeats(table: Table, column: str) -> bool:
    texts = table.texts(column).tolist()
    return len(set(texts)) < len(texts)


def _subject_column(table: Table, id_column: str, asked: str) -> str | None:
    if asked == FOLDER and FOLDER not in table.columns:
        return None
    if asked:
        return _asked(table, asked, "subject")
    known = [name for name in table.columns if name.lower() in SUBJECTS and name != id_column]
    sure = [name for name in known if name.lower() in SUBJECTS[:2]]
    return _single(sure[:1] or known, table, "subject", "subject ids") if known else None


def _asked(table: Table, name: str, option: str) -> str:
    if name not in table.columns:
        raise DataError(option, f"{table.name} has no column {name!r}", column_names(table.columns))
    return name


def _single(candidates: Sequence[str], table: Table, option: str, kind: str) -> str:
    if len(candidates) == 1:
        return candidates[0]
    what = f"{len(candidates)} columns that could hold {kind}" if candidates else f"no column of {kind}"
    columns = candidates or table.columns
    listed = (
        choices(option, columns) if len(columns) < 6 else f"{option}=COLUMN, one of {column_names(columns)}"
    )
    raise DataError(table.name, what, listed)


def _numbers(texts: Sequence[str], subjects: Sequence[str]) -> Numbers | None:
    """A column as numbers of people; None where a text is not a number, or most people's are far apart."""
    of = _by_person(texts, subjects)
    try:
        values = [[value for text in cells if isfinite(value := float(text))] for cells in of.values()]
    except ValueError:
        return None
    spans = [max(numbers) - min(numbers) for numbers in values if numbers]
    every = {value for numbers in values for value in numbers}
    if len(every) <= CLASSES[-1]:
        return None
    low, high = min(every), max(every)
    near = sum(span <= NEAR * (high - low) for span in spans)
    return Numbers(low=low, high=high, one=not any(spans)) if near >= STEADY * len(spans) else None


def _by_person(texts: Sequence[str], subjects: Sequence[str]) -> dict[str, set[str]]:
    """The texts of each person, but the empty one."""
    of: dict[str, set[str]] = defaultdict(set)
    for who, text in zip(subjects, texts, strict=False):
        if text:
            of[who].add(text)
    return of
