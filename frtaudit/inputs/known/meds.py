"""MEDS-II (NIST SD 32): subject, encounter and pose are in the names of the images."""

import re
from dataclasses import dataclass

from frtaudit.core.registry import register
from frtaudit.inputs.importing.contents import Contents, stem
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Samples

NAME = re.compile(r"(?P<who>S\d{3})-(?P<encounter>\d{2})-(?P<pose>t\d+)_(?P<number>\d{2})")
SHARE = 0.9  # of the images that are called so


@register("known_set", "meds")
@dataclass(frozen=True)
class Meds:
    """MEDS-II: images named S001-01-t10_01; subject, encounter and pose from the name; all pairs."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """Nearly all images are named subject-encounter-pose_number."""
        images = folder.images()
        fitting = [name for name in images if NAME.fullmatch(stem(name))]
        if len(fitting) < 2 or len(fitting) < SHARE * len(images):
            return None
        return Evidence(file=min(fitting), found=f"{len(fitting)} images named subject-encounter-pose_number")

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """One sample for each image; duplicates are read once."""
        paths = {name: path for name, path in folder.by_stem().items() if NAME.fullmatch(name)}
        ids = sorted(paths)
        parts = [match.groupdict() for name in ids if (match := NAME.fullmatch(name))]
        people = [part["who"] for part in parts]
        single = sum(people.count(who) == 1 for who in set(people))
        return KnownSet(
            name="meds",
            title="MEDS-II",
            terms="public: NIST Special Database 32, photographs of deceased people who were arrested",
            samples=Samples(
                ids=ids,
                subjects=people,
                columns={
                    "path": [paths[name] for name in ids],
                    "encounter": [part["encounter"] for part in parts],
                    "pose": [part["pose"] for part in parts],
                },
            ),
            notes=(
                f"people with one image, in non-mated comparisons only: {single}",
                "race and sex are in NIST's table: table=FILE adds them",
            ),
        )
