"""A folder for each person: any set of photographs that is laid out so, also MEDS-II's names in one folder."""

from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

from frtaudit.core.registry import register
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.values import UNKNOWN, Evidence, KnownSet, Options, Samples

MIN_PEOPLE = 2
MIN_OF_ONE = 2  # images of somebody: mated pairs
MAX_NAMED = 3  # files that are not read


@register("known_set", "people_folders")
@dataclass(frozen=True)
class PeopleFolders:
    """A folder for each person, images in it: every pair is compared."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """Images in at least two folders of one depth, two of them in one; without a list, a folder is a person."""
        images = folder.images()
        people = Counter(str(PurePosixPath(name).parent) for name in images)
        depths = {name.count("/") for name in images}
        if len(people) < MIN_PEOPLE or depths == {0} or len(depths) > 1 or max(people.values()) < MIN_OF_ONE:
            return None
        return Evidence(file=min(images), found=f"{len(images)} images in {len(people)} folders", rank=2)

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """Image ids are paths without their endings, or, if these are not unique, with them."""
        images = sorted(folder.images())
        people = [PurePosixPath(name).parent for name in images]
        ids = [str(PurePosixPath(name).with_suffix("")) for name in images]
        ids = images if len(set(ids)) < len(ids) else ids
        above = {str(person.parent) for person in people}
        names = [person.name for person in people] if len(above) == 1 else [str(person) for person in people]
        columns, notes = {"path": images}, []
        if len(above) > 1:
            columns["part"] = [str(person.parent) for person in people]
            notes.append(f"people are in {len(above)} folders; a person in two of them counts as two")
        if len(set(names)) < MIN_PEOPLE:
            raise DataError(str(folder.root), "images of one person", "images of two people or more")
        single = sum(count == 1 for count in Counter(names).values())
        if single:
            notes.append(f"people with one image, in non-mated comparisons only: {single}")
        lists = folder.texts()
        if lists:
            more = f" and {len(lists) - MAX_NAMED} more" if len(lists) > MAX_NAMED else ""
            notes.append(f"lists and tables that are not read: {', '.join(lists[:MAX_NAMED])}{more}")
        return KnownSet(
            name="people",
            title="a folder of people",
            terms=UNKNOWN,
            samples=Samples(ids=ids, subjects=names, columns=columns),
            notes=tuple(notes),
        )
