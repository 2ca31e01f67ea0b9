"""Photos in a folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from frtaudit.collection.clients.protocol import UNKEPT, Notes, SourceImage, Unpaid
from frtaudit.collection.clients.queries import Query, beyond, found_in, queries_of
from frtaudit.core.collecting import CallError, Picture, Refusal
from frtaudit.core.machine.extras import need
from frtaudit.core.machine.files import check_below, check_regular, open_regular
from frtaudit.core.registry import register
from frtaudit.core.spec_values import MACHINE, PATH
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.tables import need_table

KINDS = (".jpg", ".jpeg", ".png")


@register("source", "folder")
@dataclass(frozen=True, slots=True, kw_only=True)
class Folder(Unpaid):
    """``root``: a folder for each query with its images, or ``files``: a CSV of query, file below root and columns.

    ``queries``: a CSV of query (a folder's name) and columns, such as a group, in the order in which they are taken;
    without it folders are taken by name. ``limit``: images of a query.
    """

    root: str = field(metadata=PATH)
    files: str | None = field(default=None, metadata=PATH)
    queries: str | None = field(default=None, metadata=PATH)
    limit: int = 100
    most_bytes: int = field(default=20_000_000, metadata=MACHINE)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a limit below 1, or both files at once."""
        if self.limit < 1:
            raise SpecError("source.limit", f"{self.limit}", "1 or more")
        if self.files is not None and self.queries is not None:
            problem = "source.files already names the queries"
            raise SpecError("source.queries", problem, "one of files and queries")

    def check_files(self) -> None:
        """Raise :class:`DataError` for a folder or a table that is not there, before anything is read."""
        if not Path(self.root).is_dir():
            raise DataError("source.root", f"no folder {self.root!r}", "a folder of images")
        for path in (self.files, self.queries):
            if path is not None:
                need_table(Path(path), Path(path).name)

    def finds(self, notes: Notes = UNKEPT) -> Iterator[SourceImage]:  # noqa: ARG002  it makes no call
        """Images by query, then by line or by name of the file."""
        need("collect", "PIL")
        return found_in(self._queries(), self.limit)

    def read(self, source_image: SourceImage) -> Picture:
        """No byte more than allowed is read."""
        from frtaudit.collection.clients.pictures import picture_of

        try:
            with open_regular(Path(self.root) / source_image.address) as stream:
                return picture_of(stream.read(self.most_bytes + 1), self.most_bytes)
        except (OSError, DataError):
            pass
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "unreadable_image")

    def cautions(self) -> tuple[str, ...]:
        """Images beyond the limit, and files of the folder that are not used."""
        listed = self._queries()
        return (*beyond(listed, self.limit), *(self._unused(listed) if self.files is None else ()))

    def at_most(self) -> Sequence[int]:
        """As many as there are."""
        return [min(len(query.images), self.limit) for query in self._queries()]

    def _queries(self) -> list[Query]:
        self.check_files()
        root = Path(self.root)
        if self.files is None:
            listed = self._folders(root)
        else:
            listed = queries_of(Path(self.files), "file")
            for address, place in (image for query in listed for image in query.images):
                check_below(root, address, place, "source.root")
        if not any(query.images for query in listed):
            raise DataError("source.root", "no image below the folder", f"files ending in {', '.join(KINDS)}")
        return listed

    def _unused(self, listed: Sequence[Query]) -> tuple[str, ...]:
        root = Path(self.root)
        read = {Path(self.queries).resolve()} if self.queries else set()
        files = sum(
            not path.is_dir()
            and not any(part[0] == "." for part in path.relative_to(root).parts)
            and path.resolve() not in read
            for path in root.rglob("*")
        )
        number = files - sum(len(query.images) for query in listed)
        are = "1 file of the folder is" if number == 1 else f"{number} files of the folder are"
        return (f"{are} not used: no {', '.join(KINDS)} in a folder directly below it",) if number > 0 else ()

    def _folders(self, root: Path) -> list[Query]:
        there = {path.name: path for path in sorted(root.iterdir()) if path.is_dir() and path.name[0] != "."}
        if self.queries is None:
            known = [Query(name=name, columns={}, images=()) for name in there]
        else:
            known = queries_of(Path(self.queries), None)
            named = {query.name for query in known}
            for number, name in enumerate(there, 1):
                if name not in named:
                    where, problem = f"source.root folder {number}", f"is not in {Path(self.queries).name}"
                    raise DataError(where, problem, "a line for each folder")
        places = {name: f"folder {number}" for number, name in enumerate(there, 1)}
        for name, path in there.items():
            if path.is_symlink():
                where = f"source.root {places[name]}"
                raise DataError(where, "is a symbolic link", "no link, but the images")
        return [
            replace(query, images=_images(root, there.get(query.name), places.get(query.name, "")))
            for query in known
        ]


def _images(root: Path, folder: Path | None, place: str) -> list[tuple[str, str]]:
    """Images of a folder by name; none where a query has no folder."""
    paths = [] if folder is None else sorted(folder.iterdir())
    named = [path for path in paths if path.suffix.lower() in KINDS and path.name[0] != "."]
    files = [path for path in named if not path.is_dir()]
    for number, path in enumerate(files, 1):
        check_regular(path, f"{place} image {number}")
    return [(str(path.relative_to(root)), f"{place} image {number}") for number, path in enumerate(files, 1)]
