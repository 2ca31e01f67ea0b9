"""One run of ``frtaudit label``: from a spec to the answers in a file."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from frtaudit.cli.annotate.journal import Journal
from frtaudit.cli.annotate.pictures import Fetched, Pictures
from frtaudit.cli.annotate.questions import between, blind, sheets
from frtaudit.cli.annotate.reviewers import agreement_of
from frtaudit.cli.annotate.server import ReviewState, Server
from frtaudit.collection.chosen import BOXES, query_name
from frtaudit.collection.clients.people import NAME
from frtaudit.collection.clients.protocol import Source
from frtaudit.core.labelling import UNSAID
from frtaudit.core.machine import signals
from frtaudit.core.spec import AuditSpec
from frtaudit.datasets.cohorts.queries import ANSWERS, Queries
from frtaudit.errors import SpecError
from frtaudit.inputs.queries.boxes import boxes_of
from frtaudit.inputs.tables import read_table
from frtaudit.labelling.estimate import labelled

PICTURE = "image"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """``answers``: the file, by default ``answers.csv`` in the folder of the faces; ``most``: faces that are asked.

    ``blind``: without what the estimate and the list say; ``names``: a file of the queries' names; ``source``: that
    pictures are read from again; ``reviews``: files of two reviewers, between whom it is decided.
    """

    answers: Path | None = None
    most: int | None = None
    blind: bool = False
    names: Path | None = None
    source: Source | None = None
    reviews: tuple[Path, Path] | None = None


def review_of(
    spec: AuditSpec, wanted: Wanted = Wanted(), say: Callable[[str], object] = lambda _: None
) -> ReviewState:
    """Read, estimate, and lay out what is asked; of two reviewers first ``say`` how far they agree.

    Raises :class:`SpecError` for a cohort that is no search, :class:`DataError` for files that cannot be read.
    """
    cohort = spec.cohort
    if not isinstance(cohort, Queries):
        text = "not files of faces found by query"
        raise SpecError("cohort", text, "cohort=queries, as in audit=rapid_test")
    if wanted.most is not None and wanted.most < 1:
        raise SpecError("--first", f"found {wanted.most}", "1 or more")
    if wanted.reviews is not None and wanted.reviews[0].resolve() == wanted.reviews[1].resolve():
        raise SpecError("--reviews", f"{wanted.reviews[0].name} is named twice", "the files of two reviewers")
    search = cohort.search()
    signals.check()
    root = Path(cohort.root)
    journal = Journal(wanted.answers or root / ANSWERS, search.faces)
    journal.refuse_columns()
    how = cohort.labels
    estimated = labelled(search.faces, how.labelling_services(search.services), how)
    review_sheets = sheets(search.faces, estimated, how.limits.tau, wanted.most)
    if wanted.reviews is not None:
        answers, other = (Journal(path, search.faces).answers for path in wanted.reviews)
        say(agreement_of(search.faces, answers, other).text())
        agreed = {face: answer for face, answer in answers.items() if other.get(face) == answer}
        if differ := journal.add(agreed):
            number = f"{differ} face has" if differ == 1 else f"{differ} faces have"
            take = "delete the line of a face there to take the reviewers' answer"
            say(
                f"{number} another answer in {journal.path.name} than both reviewers gave, which stays: {take}"
            )
        review_sheets = between(review_sheets, answers, other)
    column = search.columns.get(PICTURE, np.full(len(search.faces.names), "", dtype=object))
    return ReviewState(
        faces=search.faces,
        sheets=blind(review_sheets) if wanted.blind else review_sheets,
        pictures=Pictures(root=root, names=tuple(column.tolist()))
        if wanted.source is None
        else Fetched(source=wanted.source, names=search.faces.names),
        journal=journal,
        names={} if wanted.names is None else _names(wanted.names),
        boxes=_boxes(root / (cohort.boxes or BOXES)),
    )


def _names(path: Path) -> dict[str, str]:
    """Query to name: by a column ``query``, else in the order of the list that was searched for."""
    table = read_table(path, path.name)
    names = table.texts(table.need((NAME,))).tolist()
    column = table.find(("query",))
    queries = (
        [query_name(row) for row in range(len(names))] if column is None else table.texts(column).tolist()
    )
    return dict(zip(queries, names, strict=True))


def _boxes(path: Path) -> dict[str, tuple[float, ...]]:
    """Face to its box by the first service that drew one: by the face's own name, or its image's where it is alone."""
    if not path.is_file():
        return {}
    boxes = boxes_of(read_table(path, path.name))
    first = boxes.provider == min(boxes.provider.tolist(), default="")
    alone = Counter(boxes.image[first].tolist())
    box_of: dict[str, tuple[float, ...]] = {}
    rows = zip(boxes.image[first], boxes.face[first], boxes.box[first].tolist(), strict=True)
    for image, face, box in rows:
        box_of[face] = tuple(box)
        if alone[image] == 1:
            box_of[image] = tuple(box)
    return box_of


def remaining(review: ReviewState) -> int:
    """How many queries have a face that is asked and not answered yet."""
    answers = review.journal.answers
    return sum(
        any(question.to_ask and question.face not in answers for question in sheet.questions)
        for sheet in review.sheets
    )


def serve_review(review: ReviewState, port: int, say: Callable[[str], object]) -> None:
    """Serve the page until Ctrl-C, then say how many answers stand where; one that came before is :class:`Stopped`.

    While it serves it says how many queries remain, a line for each that is finished or opened again.
    """
    asked = sum(question.to_ask for sheet in review.sheets for question in sheet.questions)
    known = int(np.count_nonzero(review.faces.annotated != UNSAID))
    counts = f"{asked} of {len(review.faces.names)} faces are to be labelled, in {len(review.sheets)} queries"
    left = remaining(review)

    def heard() -> None:
        nonlocal left
        before, left = left, remaining(review)
        if left != before:
            say(f"{left} of {len(review.sheets)} queries remain")

    signals.check()
    with Server(review, port, heard) as server, suppress(KeyboardInterrupt):  # a signal is how a run ends
        say(f"{counts}; {known} have an answer in the list of faces")
        say(f"open {server.address} in a browser on this machine, {left} queries remain; Ctrl-C ends")
        server.serve_forever(poll_interval=0.1)
    path, answers = review.journal.path, review.journal.answers
    say(f"{len(answers)} answers are in {path}" if path.exists() else f"no answers: there is no {path}")
