"""The known layout of a folder: every reader is tried, and an ambiguity is an error."""

from collections import Counter
from typing import cast

from frtaudit.core.registry import lookup, names
from frtaudit.core.text.quoting import shell_word
from frtaudit.errors import DataError
from frtaudit.inputs.importing.array_files import PICKLES, refuse_pickle
from frtaudit.inputs.importing.contents import ARCHIVES, Contents
from frtaudit.inputs.importing.values import Evidence, Reader
from frtaudit.inputs.score_lists.scorelist import SCORE
from frtaudit.inputs.table_texts import separator_in
from frtaudit.inputs.tables import SUFFIXES

GROUP = "known_set"


def recognise(folder: Contents, named: str = "") -> tuple[Reader, Evidence]:
    """The reader of a folder, and the evidence for it. ``named``: the layout that the user names.

    Raises :class:`DataError` where no layout is recognised, or several.
    """
    if named:
        reader = cast("Reader", lookup(GROUP, named, "as")())
        evidence = reader.recognise(folder)
        if evidence is None:
            accepted = (
                f"{(type(reader).__doc__ or named).splitlines()[0].rstrip('.')}; without as= all are tried"
            )
            raise DataError(str(folder.root), f"not the layout of {named}: {_about(folder)}", accepted)
        return reader, evidence
    readers = {name: cast("Reader", lookup(GROUP, name, "as")()) for name in names(GROUP)}
    recognised = {name: why for name, reader in readers.items() if (why := reader.recognise(folder))}
    lowest = min((why.rank for why in recognised.values()), default=0)
    chosen = {name: why for name, why in recognised.items() if why.rank == lowest}
    if not chosen:
        pickles = folder.ending(*PICKLES)
        if pickles:
            raise refuse_pickle(pickles[0])
        lists = [name for name in folder.ending(*SUFFIXES) if set(SCORE) & set(_header(folder, name))]
        if lists:
            where = shell_word("cohort.root", str(folder.path(lists[0])))
            accepted = f"frtaudit run audit=scores {where}: it is read as it is"
            raise DataError(lists[0], "a list of scores, no templates", accepted)
        archives = folder.ending(*ARCHIVES)
        if archives:
            raise DataError(archives[0], "is an archive", "the folder of its files, unpacked")
        accepted = (
            f"one of: {', '.join(readers)}; or a table of images with embeddings (docs/guides/test_sets.md)"
        )
        raise DataError(str(folder.root), f"no known layout: {_about(folder)}", accepted)
    if len(chosen) > 1:
        layouts = ", ".join(f"{name} ({why.file})" for name, why in chosen.items())
        raise DataError(
            str(folder.root), f"several layouts: {layouts}", " or ".join(f"as={name}" for name in chosen)
        )
    name, evidence = next(iter(chosen.items()))
    return readers[name], evidence


def _header(folder: Contents, name: str) -> list[str]:
    head = "".join(folder.head(name)[:1])
    return [text.strip().strip('"') for text in head.split(separator_in(head))]


def _about(folder: Contents) -> str:
    """What the folder holds, in a few words."""
    endings = Counter(dot + ending[:12] for _, dot, ending in (name.rpartition(".") for name in folder.files))
    common = sorted(endings.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
    listed = ", ".join(f"{count} {ending}" for ending, count in common)
    return f"{len(folder.files)} files{f' ({listed})' if listed else ''}"
