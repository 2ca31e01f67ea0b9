"""Files of a folder that no embeddings are read from, and why."""

from collections.abc import Collection

from frtaudit.core.text.quoting import choices
from frtaudit.errors import DataError, column_names
from frtaudit.inputs.importing.array_files import ARRAYS, headers, is_converted
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.stored_embeddings import KINDS, described, possible


def nothing_read(folder: Contents) -> DataError:
    """No file surely has embeddings: what ``embedding`` or ``file`` could name in the first that may have some."""
    unsure = {name: arrays for name in folder.ending(*KINDS) if (arrays := possible(folder, name))}
    if not unsure:
        return DataError("the folder", "no file with embeddings", f"rows of numbers in {', '.join(KINDS)}")
    name, arrays = next(iter(unsure.items()))
    if not all(arrays):
        return DataError(
            name, "rows of whole numbers, which may be labels or images", choices("file", [name])
        )
    problem = f"no array or column that is surely embeddings; it has {column_names(arrays)}"
    return DataError(name, problem, choices("embedding", arrays))


def check_file(folder: Contents, file: str, used: Collection[str]) -> None:
    """Raise :class:`DataError` for a ``file`` that the user names and that is not read."""
    if not file or file in used:
        return
    if file not in folder.files:
        raise DataError("file", f"the folder has no {file!r}", "the name of one of its files")
    problem = f"{file} has no rows of numbers, no ids of the embeddings and no pairs"
    if file.endswith(ARRAYS):
        shapes = [
            f"{key} {'x'.join(map(str, header.shape)) or 'one value'} {header.dtype}".strip()
            for key, header in headers(folder.path(file), file).items()
        ]
        problem += f": {', '.join(shapes[:4])}"
    raise DataError("file", problem, "a file with rows of numbers, or without file=")


def not_read(folder: Contents, used: Collection[str]) -> tuple[str, ...]:
    """A note on array files and tables of embeddings that were left out."""
    others = [
        name
        for name in folder.ending(*KINDS)
        if name not in used
        and not is_converted(name, folder.files)
        and (name.endswith(ARRAYS) or described(folder, name))
    ]
    return (
        (f"not read: {column_names(others)} (file=NAME reads one alone, or says why not)",) if others else ()
    )
