"""Embeddings of a folder in no known layout: array files or wide tables, with a table of images."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from frtaudit.core.registry import register
from frtaudit.core.text.quoting import choices
from frtaudit.errors import DataError, column_names
from frtaudit.inputs.importing.attach import attached, systems_in
from frtaudit.inputs.importing.contents import Contents, rows_of
from frtaudit.inputs.importing.id_lists import row_ids
from frtaudit.inputs.importing.image_table import (
    CLASSES,
    FOLDER,
    SUBJECTS,
    ImageTable,
    check_single,
    groups_among,
    image_table,
    matching_columns,
    named_table,
    overlap,
    tables_in,
    unmatched,
)
from frtaudit.inputs.importing.left_out import check_file, not_read, nothing_read
from frtaudit.inputs.importing.pair_table import pairs_in
from frtaudit.inputs.importing.stored_embeddings import KINDS, Vectors, described, possible
from frtaudit.inputs.importing.values import UNKNOWN, Evidence, KnownSet, Options, Samples
from frtaudit.inputs.tables import Table


@register("known_set", "embeddings")
@dataclass(frozen=True)
class EmbeddingFolder:
    """Embeddings in .npz, .npy, .h5, wide .csv or .parquet, each a system; a table of images in any columns."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A file of rows of numbers; last, one that holds embeddings only if the user says so."""
        names = folder.ending(*KINDS)
        for name in names:
            description = described(folder, name)
            if description:
                return Evidence(file=name, found=description, rank=1)
        unsure = next((name for name in names if possible(folder, name)), None)
        return None if unsure is None else Evidence(file=unsure, found="rows of numbers", rank=3)

    def read(self, folder: Contents, options: Options) -> KnownSet:
        """The images of the table, or those that the embeddings name, with their people and groups."""
        systems = [row_ids(vectors, folder, options) for vectors in systems_in(folder, options)]
        if not systems:
            check_file(folder, options.file, used=())
            raise nothing_read(folder)
        chosen = _table(folder, systems, options)
        ids = chosen.ids if chosen else _named(systems)
        subjects, origin = _people(folder, chosen, systems, ids, options)
        columns = chosen.columns() if chosen else {}
        if folder.images():
            columns["path"] = _paths(folder, ids)
        samples = Samples(ids=ids, subjects=subjects, columns=columns, groups=groups_among(columns, subjects))
        taken = [*(vectors.file for vectors in systems), *([chosen.table.name] if chosen else [])]
        pairs, scored = pairs_in(folder, samples, taken, options)
        used = {*taken, *(vectors.ids_file for vectors in systems), *([pairs.file] if pairs else [])}
        check_file(folder, options.file, used)
        known = KnownSet(
            name="embeddings",
            title=f"embeddings of {len(systems)} {'system' if len(systems) == 1 else 'systems'}",
            terms=UNKNOWN,
            samples=samples,
            pairs=pairs,
            notes=(
                f"people: {origin}",
                *([f"table of images: {chosen.table.name}, column {chosen.id}"] if chosen else []),
                *scored,
                *not_read(folder, used),
            ),
        )
        return attached(known, systems)


def _paths(folder: Contents, ids: Sequence[str]) -> list[str]:
    """The image of each id, empty where there is none or it could be one of several."""
    images = folder.images()
    return [images[row] if row >= 0 else "" for row in rows_of(ids, images)]


def _named(systems: Sequence[Vectors]) -> list[str]:
    """The ids of all systems, in order of first appearance."""
    nameless = [vectors for vectors in systems if vectors.ids is None]
    if nameless:
        problem = f"{len(nameless[0].vectors)} rows without ids, and no table with as many rows"
        raise DataError(nameless[0].file, problem, "an array of image ids, or table=FILE")
    return list(dict.fromkeys(name for vectors in systems for name in vectors.ids or ()))


def _table(folder: Contents, systems: Sequence[Vectors], options: Options) -> ImageTable | None:
    """The table of images: the named one, the one whose rows or ids match, or the rest of a wide table."""
    taken = [vectors.file for vectors in systems]
    source = next((vectors for vectors in systems if vectors.ids is not None), systems[0])
    named = named_table(folder, options)
    tables = [named] if named else _fitting(tables_in(folder, taken), source.ids, len(systems[0].vectors))
    if len(tables) > 1:
        accepted = choices("table", [table.name for table in tables])
        raise DataError("the folder", f"{len(tables)} tables of the images", accepted)
    rest = next((vectors.table for vectors in systems if vectors.table is not None), None)
    table = tables[0] if tables else rest
    if table is None:
        return None
    chosen = image_table(table, source.ids, options, source.file)
    if options.id and source.ids and not matching_columns(table, source.ids):
        raise unmatched(table, source.ids, source.file, options.id)
    check_single(chosen)
    return chosen


def _fitting(tables: Sequence[Table], ids: Sequence[str] | None, rows: int) -> list[Table]:
    """Tables with one row for each image: for embeddings without ids, as many rows; else a column of the ids."""
    if ids is None:
        return [table for table in tables if len(table.frame) == rows]
    few = list(ids)[:200]
    return [
        table
        for table in tables
        if len(columns := [name for name in table.columns if overlap(table, name, few) > len(few) // 2]) == 1
        or any(name.lower() in ("image_id", "sample_id") for name in columns)
    ]


def _people(
    folder: Contents,
    chosen: ImageTable | None,
    systems: Sequence[Vectors],
    ids: Sequence[str],
    options: Options,
) -> tuple[list[str], str]:
    """The subject of each image, and where it is from."""
    if chosen is not None and chosen.subjects is not None:
        return chosen.subjects, f"column {chosen.subject}"
    for vectors in systems:
        if vectors.subjects is not None and vectors.ids is not None:
            known = dict(zip(vectors.ids, vectors.subjects, strict=True))
            if set(ids) <= set(known):
                return [known[name] for name in ids], f"array of {vectors.file}"
    places = {"folder of the path in the id": ids, "folder of the image": _paths(folder, ids)}
    for origin, names in places.items() if options.subject in ("", FOLDER) else ():
        above = [PurePosixPath(name).parent.name for name in names]
        if all(above) and len(set(above)) > 1:
            if chosen is not None and options.subject != FOLDER:
                _check_alone(chosen, above)
            return above, origin
    raise _nobody(folder, chosen, systems, ids, options)


def _nobody(
    folder: Contents,
    chosen: ImageTable | None,
    systems: Sequence[Vectors],
    ids: Sequence[str],
    options: Options,
) -> DataError:
    """Why no subject ids were found: a table of people may have the ids in another spelling."""
    asked = options.subject not in ("", FOLDER)
    few, names = list(ids)[:200], {options.subject} if asked else set(SUBJECTS)
    files = [vectors.file for vectors in systems]
    for table in [] if chosen else tables_in(folder, files):
        most = max((overlap(table, column, few) for column in table.columns), default=0)
        if names & set(table.columns) and most <= len(few) // 2:
            return unmatched(table, ids, files[0])
    if asked:
        problem = f"no table and no array of the images has {options.subject!r}"
        return DataError("subject", problem, "table=FILE with this column, or subject=folder")
    columns_found = f", one of {column_names(chosen.table.columns)}" if chosen else ""
    where = chosen.table.name if chosen else files[0]
    return DataError(where, "no subject ids of the images", f"subject=COLUMN{columns_found}, or table=FILE")


def _check_alone(chosen: ImageTable, folders: Sequence[str]) -> None:
    """Raise :class:`DataError` where a column could be the people as well as the folders of the images.

    Its values stand in several rows, are more than a schema has classes or as many as the folders, and are not one for
    each folder.
    """
    n_folders = len(set(folders))

    def could_be(texts: Sequence[str]) -> bool:
        values, within = len(set(texts)), len(set(zip(folders, texts, strict=True)))
        least = min(n_folders, CLASSES[-1] + 1)
        return least <= values <= len(texts) // 2 and (within, values) != (n_folders, n_folders)

    columns = [name for name, texts in chosen.columns().items() if could_be(texts)]
    if columns:
        problem = f"people could be the {n_folders} folders of the images, or a column"
        raise DataError(chosen.table.name, problem, choices("subject", [FOLDER, *columns]))
