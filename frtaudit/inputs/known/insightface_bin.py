"""insightface's verification sets (lfw.bin, agedb_30.bin, ...): images two by two, and whether they are mated."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from frtaudit.core.canonical import sha256_file
from frtaudit.core.registry import register
from frtaudit.inputs.importing.contents import Contents, stem
from frtaudit.inputs.importing.lists import two_by_two
from frtaudit.inputs.importing.pickled_images import (
    PLAIN,
    Stored,
    ending_of,
    is_image_pickle,
    read_pickled_images,
    stored_images,
)
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Samples

FLIPPED = "its authors compare the sum of the templates of image and mirrored image, as unit vectors"


@register("known_set", "insightface_bin")
@dataclass(frozen=True)
class InsightfaceBin:
    """insightface's .bin (lfw, cfp_fp, agedb_30, calfw, ...): pairs of images and labels; no subject ids."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A pickle that begins with a list; its opcodes are read, never run."""
        files = _files(folder)
        if not files:
            return None
        return Evidence(file=files[0], found="a pickle of images and labels, read without unpickling")

    def read(self, folder: Contents, options: Options) -> KnownSet:
        """Pairs by place, folds by order; images stay in the file unless they are asked for."""
        file = options.chosen(_files(folder), "sets")
        path = folder.path(file)
        places, mated = read_pickled_images(path, file)
        pairs, fold_note = two_by_two(file, mated)
        ids = [f"{row:06d}" for row in range(len(places))]
        return KnownSet(
            name="insightface_bin",
            title=f"insightface's {stem(file)}",
            terms="those of the set that it was made from (LFW, CFP, AgeDB-30, ...): mostly research only",
            samples=Samples(ids=ids, subjects=None),
            pairs=pairs,
            notes=(fold_note, f"sha256 {sha256_file(path)}: several files of one name are in use", FLIPPED),
            held=partial(_images, folder, file, places, ids),
        )


def _files(folder: Contents) -> list[str]:
    pickles = [name for name in folder.ending(".bin") if is_image_pickle(folder.path(name))]
    return [name for name in pickles if name.removesuffix(".bin") + PLAIN not in folder.files]


def _images(folder: Contents, file: str, places: list[Stored], ids: list[str]) -> Iterator[tuple[str, bytes]]:
    for name, data in zip(ids, stored_images(folder.path(file), file, places), strict=True):
        yield name + ending_of(data, f"{file} image {int(name)}"), data
