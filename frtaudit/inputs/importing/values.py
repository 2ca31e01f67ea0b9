"""What is known of a test set: images, people, pairs with folds, groups, templates, scores, failures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from frtaudit.core.arrays import Flags, Floats, Index, Ints, Shorts, Singles
from frtaudit.core.text.quoting import choices
from frtaudit.errors import DataError, SpecError

if TYPE_CHECKING:
    from frtaudit.inputs.importing.contents import Contents

UNKNOWN = "not known: declare source and licence of the images in the spec, under provenance"
RESEARCH = "for research only; the pages of its authors have the terms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why a reader recognises a folder.

    ``file``: the file that decided, below the folder; ``found``: its contents; ``rank``: 0 of a known layout; a
    layout that any folder may have gives way to those of lower rank.
    """

    file: str
    found: str
    rank: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the user, each empty if not given: an error that needs one names it.

    ``file``: which file, of several; ``id``, ``subject``, ``embedding``: columns of a table, or arrays; ``table``: one
    of images that says whose they are, or their groups; ``images``: where to write the images that a file holds;
    ``templates``: files of embeddings elsewhere; ``mated``: ``names`` where names decide against labels.
    """

    file: str = ""
    id: str = ""
    embedding: str = ""
    subject: str = ""
    table: str = ""
    images: str = ""
    templates: str = ""
    mated: str = ""

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a value of ``mated`` that is not allowed."""
        if self.mated not in ("", "labels", "names"):
            raise SpecError("mated", f"{self.mated!r}", "labels (then a contradiction is an error), or names")

    def chosen(self, names: Sequence[str], what: str) -> str:
        """The one of ``names`` that ``file`` says, or the only one; ``what`` they are, in an error.

        Raises :class:`DataError` for a ``file`` that is none of them, and for several without one.
        """
        if self.file and self.file not in names:
            raise DataError("file", f"{self.file!r} is not one of the {what}", " or ".join(names))
        if not self.file and len(names) > 1:
            raise DataError("the folder", f"{len(names)} {what}", choices("file", names))
        return self.file or names[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """N images: ``ids``, unique; ``subjects``: of each image, None if not known; ``columns``: name to N texts.

    ``groups``: those of the columns with classes of people.
    """

    ids: Sequence[str]
    subjects: Sequence[str] | None
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """P comparisons of ``file``; of several, ``starts`` has the first pair and the name of each.

    ``probe``, ``reference``: (P,) int32 into the samples; ``mated``: (P,) bool, the labels of the file, or None;
    ``fold``: (P,) int16 from 0, or None; ``lines``: (P,) int64, numbers of their lines from 1.
    """

    file: str
    probe: Index
    reference: Index
    lines: Ints
    mated: Flags | None = None
    fold: Shorts | None = None
    starts: tuple[tuple[int, str], ...] = ()

    def place(self, pair: int) -> str:
        """The place of a pair, for an error."""
        file = next((name for start, name in reversed(self.starts) if start <= pair), self.file)
        return f"{file} line {int(self.lines[pair])}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Embeddings:
    """One system's templates: ``rows`` (M,) int32 into the samples, ``vectors`` (M, D) float32, as stored.

    ``failed``: sample to the reason for which it has no template, where one is known; ``notes``: what was noticed.
    """

    rows: Index
    vectors: Singles
    failed: Mapping[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairScores:
    """One system's scores of the pairs: ``score`` (P,), NaN where it failed; ``failure``: pair to its code."""

    score: Floats
    failure: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownSet:
    """A test set as it was read.

    ``name``: of its spec and files; ``title``: what people call it; ``terms``: what its authors allow; ``notes``: what
    a reader of the audit must know; ``held``: gives the name and the bytes of each image that a file holds.
    """

    name: str
    title: str
    terms: str
    samples: Samples
    pairs: Pairs | None = None
    templates: Mapping[str, Embeddings] = field(default_factory=dict)
    scores: Mapping[str, PairScores] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    held: Callable[[], Iterator[tuple[str, bytes]]] | None = None


class Reader(Protocol):
    """One known layout."""

    def recognise(self, folder: "Contents") -> Evidence | None:
        """Why the folder is of this layout, or None; only the beginnings of files are read."""
        ...

    def read(self, folder: "Contents", options: Options) -> KnownSet:
        """The test set. Raises :class:`DataError` naming file and line."""
        ...
