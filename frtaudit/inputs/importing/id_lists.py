"""Ids of embeddings in another file, line by line: paths.txt, ids.npy."""

from dataclasses import replace

from frtaudit.core.text.quoting import choices
from frtaudit.errors import DataError
from frtaudit.inputs.importing.array_files import ARRAYS, arrays, headers, is_converted
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.stored_embeddings import Vectors
from frtaudit.inputs.importing.values import Options


def row_ids(vectors: Vectors, folder: Contents, options: Options) -> Vectors:
    """The same with ids, where it has none and one list beside it has as many lines.

    Raises :class:`DataError` where several lists have.
    """
    if vectors.ids is not None:
        return vectors
    rows = vectors.vectors.shape[0]
    lists = {name: ids for name in folder.ending(".txt", *ARRAYS) if (ids := _listed(folder, name, rows))}
    if len(lists) > 1 and options.file not in lists:
        raise DataError(vectors.file, f"{len(lists)} lists of {rows} ids", choices("file", list(lists)))
    name = options.file if options.file in lists else next(iter(lists), "")
    return replace(vectors, ids=lists.get(name), ids_file=name)


def _listed(folder: Contents, name: str, rows: int) -> list[str]:
    """The ids of a list of that many lines; none of any other."""
    if not name.endswith(ARRAYS):
        lines = [line.strip() for line in folder.lines(name)] if folder.head(name) else []
        return lines if len(lines) == rows and all(lines) and len(set(lines)) == rows else []
    if is_converted(name, folder.files):
        return []
    array_headers = headers(folder.path(name), name)
    if len(array_headers) != 1:  # the one array of texts of a file that holds nothing else
        return []
    ((key, header),) = array_headers.items()
    if header.shape != (rows,) or header.dtype.kind not in "US":
        return []
    return [str(text) for text in arrays(folder.path(name), name, {"ids": key})["ids"].tolist()]
