"""Algorithm 1: which images hold one face, told by refusals of several."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from frtaudit.core.labelling import Service
from frtaudit.labelling.single import MORE, MULTIPLE, ONE, UNASKED, UNTOLD, Answer, ask_singles, told_by

Pair = tuple[str, str]


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


def test_pairs_of_an_image_with_several_faces_are_spared() -> None:
    """Once b is known to hold two faces no pair with b is asked."""
    asked: list[Pair] = []

    def ask(one: str, other: str) -> Answer:
        asked.append((one, other))
        return Answer.SEVERAL if "b" in (one, other) else Answer.SCORED

    found = ask_singles([("a", "c"), ("b", "c"), ("a", "b"), ("b", "d"), ("c", "d")], ask)
    assert asked == [("a", "c"), ("b", "c"), ("c", "d")]
    assert found.single == {"a", "c", "d"}
    assert found.several == {"b"}
    assert found.spared == 2


def test_two_unknown_images_stay_unknown() -> None:
    """A refusal of two images of which nothing is known says nothing of either, nor does a lost connection."""
    answers = {("a", "b"): Answer.SEVERAL, ("c", "d"): Answer.FAILED}
    found = ask_singles(answers, lambda one, other: answers[one, other])
    assert (found.single, found.several) == (frozenset(), frozenset())


def test_a_service_that_contradicts_itself_is_not_believed() -> None:
    """Images scored with others and then refused together hold several faces, as the paper's procedure has it."""
    answers = {
        ("a", "b"): Answer.SCORED,
        ("c", "d"): Answer.SCORED,
        ("a", "c"): Answer.SEVERAL,
        ("b", "d"): Answer.SCORED,
    }
    found = ask_singles(answers, lambda one, other: answers[one, other])
    assert (found.single, found.several) == ({"b", "d"}, {"a", "c"})
    rows = [(ord(one) - 97, ord(other) - 97, said) for (one, other), said in answers.items()]
    assert told_by(service(rows), 4).tolist() == [MORE, ONE, MORE, ONE]


def test_finished_answers_tell_more_than_a_stream() -> None:
    """A refusal that stands before the score that explains it counts all the same."""
    rows = [(0, 1, Answer.SEVERAL), (0, 2, Answer.SCORED), (3, 4, Answer.SEVERAL), (5, 6, Answer.FAILED)]
    assert told_by(service(rows), 8).tolist() == [ONE, MORE, ONE, UNTOLD, UNTOLD, *[UNASKED] * 3]


@settings(max_examples=100, deadline=None)
@given(alone=st.lists(st.booleans(), min_size=2, max_size=7), data=st.data())
def test_stream_and_list_agree_on_a_service_that_tells_the_truth(
    alone: list[bool], data: st.DataObject
) -> None:
    """Whatever the order of pairs, both find the same single images, and no image that is single is left out."""
    names = [str(number) for number in range(len(alone))]
    pairs = data.draw(st.permutations(list(combinations(names, 2))))

    def ask(one: str, other: str) -> Answer:
        return Answer.SCORED if alone[int(one)] and alone[int(other)] else Answer.SEVERAL

    found = ask_singles(pairs, ask)
    told = told_by(service([(int(one), int(other), ask(one, other)) for one, other in pairs]), len(alone))
    singles = {name for name, one in zip(names, alone, strict=True) if one and sum(alone) > 1}
    assert found.single == singles == {names[k] for k in np.flatnonzero(told == ONE)}
    assert found.several <= {names[k] for k in np.flatnonzero(told == MORE)}
