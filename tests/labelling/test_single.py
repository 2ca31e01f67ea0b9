"""Algorithm 1: which images hold one face, told by refusals of several."""

from enum import Enum, auto
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from frtaudit.core.labelling import Service
from frtaudit.labelling.single import MORE, MULTIPLE, ONE, UNASKED, UNTOLD, told_by


class Answer(Enum):
    """What a service says of two images: a score, several faces in one of them or both, or another failure."""

    SCORED = auto()
    SEVERAL = auto()
    FAILED = auto()


def service(answers: list[tuple[int, int, Answer]]) -> Service:
    """Finished answers about images by number."""
    code = {Answer.SCORED: -1, Answer.FAILED: 0, Answer.SEVERAL: 1}
    failure = np.array([code[said] for _, _, said in answers], dtype=np.int16)
    return Service(
        name="s",
        first=np.array([one for one, _, _ in answers], dtype=np.int32),
        second=np.array([other for _, other, _ in answers], dtype=np.int32),
        score=np.where(failure < 0, 0.5, np.nan),
        failure=failure,
        codes=("connection_lost", MULTIPLE),
    )


def test_a_service_that_contradicts_itself_is_not_believed() -> None:
    """Images scored with others and then refused together hold several faces, as the paper's procedure has it."""
    rows = [(0, 1, Answer.SCORED), (2, 3, Answer.SCORED), (0, 2, Answer.SEVERAL), (1, 3, Answer.SCORED)]
    assert told_by(service(rows), 4).tolist() == [MORE, ONE, MORE, ONE]


def test_finished_answers_tell_more_than_a_stream() -> None:
    """A refusal that stands before the score that explains it counts too."""
    rows = [(0, 1, Answer.SEVERAL), (0, 2, Answer.SCORED), (3, 4, Answer.SEVERAL), (5, 6, Answer.FAILED)]
    assert told_by(service(rows), 8).tolist() == [ONE, MORE, ONE, UNTOLD, UNTOLD, *[UNASKED] * 3]


@settings(max_examples=100, deadline=None)
@given(alone=st.lists(st.booleans(), min_size=2, max_size=7), data=st.data())
def test_a_service_that_tells_the_truth_is_read_right(alone: list[bool], data: st.DataObject) -> None:
    """Whatever the order of pairs, single images are found where there are two, and others are told to hold more."""
    pairs = data.draw(st.permutations(list(combinations(range(len(alone)), 2))))
    rows = [(i, j, Answer.SCORED if alone[i] and alone[j] else Answer.SEVERAL) for i, j in pairs]
    known = [ONE if single else MORE for single in alone] if sum(alone) > 1 else [UNTOLD] * len(alone)
    assert told_by(service(rows), len(alone)).tolist() == known
