"""AdaFace's and face.evoLVe's evaluation arrays: images in ``mem_file.dat``, labels in ``NAME_list.npy``."""

import json
from dataclasses import dataclass
from typing import Any  # what a JSON file holds

import numpy as np

from frtaudit.core.registry import register
from frtaudit.inputs.importing.array_files import arrays, headers
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.lists import two_by_two
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Samples

LIST, CONF = "_list.npy", ".conf"
IMAGES = "images stay in the file: float32, normalised; AdaFace's are BGR, face.evoLVe's RGB"


@register("known_set", "image_memory")
@dataclass(frozen=True)
class ImageMemory:
    """AdaFace's memfile with NAME_list.npy (lfw, agedb_30, ...): labels of pairs by position; no subject ids."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """An array of truth values, and a description of an array of twice as many images."""
        sets = _sets(folder)
        if not sets:
            return None
        return Evidence(file=next(iter(sets)), found=f"{len(sets)} lists of labels with their images")

    def read(self, folder: Contents, options: Options) -> KnownSet:
        """Pair i is of images 2i and 2i + 1."""
        chosen = options.chosen(list(_sets(folder)), "sets")
        mated = np.asarray(arrays(folder.path(chosen), chosen, {"": ""})[""], dtype=np.bool_)
        pairs, fold_note = two_by_two(chosen, mated)
        return KnownSet(
            name="image_memory",
            title=f"{chosen.rpartition('/')[2].removesuffix(LIST)} as arrays",
            terms="those of the set that it was made from: mostly research only",
            samples=Samples(ids=[f"{row:06d}" for row in range(2 * mated.size)], subjects=None),
            pairs=pairs,
            notes=(fold_note, IMAGES),
        )


def _sets(folder: Contents) -> dict[str, int]:
    """Lists of labels to their number, where images of twice that number are described beside or below them."""
    counts = {name: _images(folder, name) for name in folder.ending(CONF)}
    sizes: dict[str, int] = {}
    for name in folder.ending(LIST):
        header = headers(folder.path(name), name)[""]
        above = name.removesuffix(LIST)
        beside = [
            count
            for conf, count in counts.items()
            if conf.startswith((f"{above}/", f"{name.rpartition('/')[0]}/mem"))
        ]
        if header.dtype.kind == "b" and len(header.shape) == 1 and 2 * header.shape[0] in beside:
            sizes[name] = header.shape[0]
    return sizes


def _images(folder: Contents, name: str) -> int:
    """The number of images in a description, 0 if it is not a description."""
    try:
        description: Any = json.loads("\n".join(folder.head(name)))
        shape = description["shape"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0
    fits = (
        isinstance(shape, list)
        and len(shape) == 4
        and all(isinstance(size, int) and size > 0 for size in shape)
    )
    return int(shape[0]) if fits else 0
