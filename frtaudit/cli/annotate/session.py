"""One sitting of ``frtaudit label``: from a spec to the answers in a file."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from frtaudit.cli.annotate.journal import Journal
from frtaudit.cli.annotate.pictures import Pictures
from frtaudit.cli.annotate.questions import sheets
from frtaudit.cli.annotate.server import ReviewState, Server
from frtaudit.core.labelling import UNSAID
from frtaudit.core.machine import signals
from frtaudit.core.spec import AuditSpec
from frtaudit.datasets.cohorts.queries import ANSWERS, Queries
from frtaudit.errors import DataError, SpecError
from frtaudit.labelling.estimate import labelled

PICTURE = "image"
PRESET = "audit=rapid_test"


def overrides_of(words: list[str]) -> list[str]:
    """A folder stands for the rapid test on it.

    >>> overrides_of(["faces", "cohort.labels.rule=paper"])
    ['audit=rapid_test', 'cohort.root=faces', 'cohort.labels.rule=paper']
    """
    folders = [word for word in words if "=" not in word]
    if len(folders) > 1:
        raise SpecError("command line", f"{len(folders)} folders", "one folder, and key=value")
    named = any(word.startswith("audit=") for word in words)
    first = [] if named else [PRESET]
    return [*first, *(f"cohort.root={name}" for name in folders), *(word for word in words if "=" in word)]


def review_of(spec: AuditSpec, answers: Path | None = None, most: int | None = None) -> ReviewState:
    """Read, estimate, and lay out what is asked; ``answers``: by default ``answers.csv`` in the folder of the faces.

    Raises :class:`SpecError` for a cohort that is no search, :class:`DataError` for files that cannot be read.
    """
    cohort = spec.cohort
    if not isinstance(cohort, Queries):
        raise SpecError("cohort", "no faces found by query in files", "cohort=queries, as audit=rapid_test")
    if most is not None and most < 1:
        raise SpecError("--first", f"found {most}", "1 or more")
    search = cohort.search()
    signals.check()
    root = Path(cohort.root)
    journal = Journal(answers or root / ANSWERS, search.faces)
    if not journal.path.parent.is_dir():
        raise DataError("--answers", f"no folder {str(journal.path.parent)!r}", "a file in a folder")
    how = cohort.labels
    made = sheets(
        search.faces,
        labelled(search.faces, how.labelling_services(search.services), how),
        how.limits.tau,
        most,
    )
    column = search.columns.get(PICTURE, np.full(len(search.faces.names), "", dtype=object))
    pictures = Pictures(root=root, names=tuple(column.tolist()))
    return ReviewState(faces=search.faces, sheets=made, pictures=pictures, journal=journal)


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
    counts = f"{asked} of {len(review.faces.names)} faces are asked, in {len(review.sheets)} queries"
    left = remaining(review)

    def heard() -> None:
        nonlocal left
        before, left = left, remaining(review)
        if left != before:
            say(f"{left} of {len(review.sheets)} queries remain")

    signals.check()
    with Server(review, port, heard) as server, suppress(KeyboardInterrupt):  # a signal is how a sitting ends
        say(f"{counts}; {known} have an answer in the list of faces")
        say(f"open {server.address} in a browser on this machine, {left} queries remain; Ctrl-C ends")
        server.serve_forever(poll_interval=0.1)
    path, answers = review.journal.path, review.journal.answers
    say(f"{len(answers)} answers stand in {path}" if path.exists() else f"no answers: there is no {path}")
