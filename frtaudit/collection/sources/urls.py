"""Images by their addresses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from frtaudit.collection.clients.fetch import Fetch
from frtaudit.collection.clients.gate import Pace
from frtaudit.collection.clients.protocol import UNKEPT, Notes, SourceImage, Unpaid
from frtaudit.collection.clients.queries import Query, beyond, found_in, queries_of
from frtaudit.core.collecting import Picture
from frtaudit.core.machine.extras import need
from frtaudit.core.registry import register
from frtaudit.core.spec_values import MACHINE, PATH
from frtaudit.errors import SpecError
from frtaudit.inputs.tables import need_table


@register("source", "urls")
@dataclass(frozen=True, slots=True, kw_only=True)
class Urls(Unpaid):
    """``file``: a CSV of query, url and columns, such as a group; ``limit``: images of a query.

    ``rate``: calls a second to one host; ``most_bytes``: of one image. Addresses are http or https of the public
    internet; redirects are followed up to five times, each checked.
    """

    file: str = field(metadata=PATH)
    limit: int = 100
    rate: float = field(default=5.0, metadata=MACHINE)
    most_bytes: int = field(default=20_000_000, metadata=MACHINE)
    fetch: Fetch = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a limit below 1, or a rate of 0."""
        if self.limit < 1:
            raise SpecError("source.limit", f"{self.limit}", "1 or more")
        if not self.rate > 0:
            raise SpecError("source.rate", f"{self.rate:g}", "above 0")
        object.__setattr__(self, "fetch", Fetch(pace=Pace(rate=self.rate)))

    def check_files(self) -> None:
        """Raise :class:`~frtaudit.errors.DataError` for a table that is not there, before anything is read."""
        need_table(Path(self.file), Path(self.file).name)

    def finds(self, notes: Notes = UNKEPT) -> Iterator[SourceImage]:  # noqa: ARG002  it makes no call that is kept
        """Images by query, in the order of the lines."""
        need("collect", "PIL", "httpcore")
        return found_in(self._queries(), self.limit)

    def read(self, source_image: SourceImage) -> Picture:
        """Fetched into memory."""
        from frtaudit.collection.clients.pictures import picture_of

        return picture_of(self.fetch.image(source_image.address, self.most_bytes), self.most_bytes)

    def cautions(self) -> tuple[str, ...]:
        """Images beyond the limit."""
        return beyond(self._queries(), self.limit)

    def at_most(self) -> Sequence[int]:
        """As many as the file has."""
        return [min(len(query.images), self.limit) for query in self._queries()]

    def _queries(self) -> list[Query]:
        return queries_of(Path(self.file), "url")
