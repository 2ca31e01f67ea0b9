from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from searches import search as shared_search

from frtaudit.core.labelling import NOT_OF_QUERY, OF_QUERY, UNSAID, Faces, Labelling, LabelSource, Service
from frtaudit.labelling import cost
from frtaudit.labelling.estimate import How, Several, labelled
from frtaudit.testing.web_searches import Truth, search

TARGET = np.array([0.01])


def labelling_of(faces: Faces, services: tuple[Service, ...], how: How | None = None) -> Labelling:
    """What an audit without annotation rests on, every labelled face a sample."""
    how = how or How()
    found = labelled(faces, how.asked(services), how)
    person = found.identity
    if how.source is LabelSource.COMBINED:
        person = np.where(faces.annotated == UNSAID, person, np.where(faces.annotated == OF_QUERY, 0, -1))
    return Labelling(
        faces=faces, services=services, labelled=found, source=how.source,
        sample_of=np.where(person >= 0, np.arange(person.size), -1).astype(np.int32),
    )  # fmt: skip


@cache
def made(truth: Truth, seed: int = 1, queries: int = 60) -> Labelling:
    """A made-up search, labelled."""
    return labelling_of(*search(truth, queries, np.random.default_rng(seed)))


def drawn(labelling: Labelling, count: int = 100, seed: int = 5) -> tuple[cost.Likely, cost.Truths]:
    """Who is who, and possible truths."""
    found = cost.likely(labelling)
    return found, cost.truths(labelling.faces, found, count, np.random.default_rng(seed))


@pytest.mark.parametrize("truth", list(Truth))
def test_who_is_who_is_told_better_than_by_the_labels(truth: Truth) -> None:
    """Faces on the wrong side are at most half of what labels get wrong or leave out, on three kinds of search."""
    labelling = made(truth)
    own = labelling.faces.annotated == OF_QUERY
    found = cost.likely(labelling)
    wrong = np.abs(found.own - own).sum()
    assert wrong < 0.5 * np.count_nonzero((cost.reported(labelling) >= 0) != own) + 2
    assert found.own.sum() == pytest.approx(own.sum(), rel=0.01)


def test_likelihoods_are_honest() -> None:
    """Among faces in doubt the expected number of own ones is the number there is, within three standard deviations."""
    expected, spread, count = 0.0, 0.0, 0
    for seed in range(4):
        labelling = made(Truth.HARD, seed)
        found = cost.likely(labelling)
        doubt = (found.own > 0.02) & (found.own < 0.98)
        expected += found.own[doubt].sum()
        spread += (found.own * (1 - found.own))[doubt].sum()
        count += int((labelling.faces.annotated[doubt] == OF_QUERY).sum())
    assert abs(count - expected) < 3 * np.sqrt(spread) + 2  # 2: the fit's own error


def test_relatives_who_are_like_each_other_are_told_from_hard_faces() -> None:
    """A face little like the person and much like another such face is nobody's; a bad image is not taken so."""
    faces, services = search(Truth.RELATIVES, 60, np.random.default_rng(1))
    found = cost.likely(labelling_of(faces, services))
    own = faces.annotated == OF_QUERY
    assert np.count_nonzero(np.isnan(found.place) & own) <= 2
    assert np.count_nonzero(np.isnan(found.place) & ~own) >= 10


def test_the_cost_is_that_of_what_is_left_out_and_that_of_wrong_labels() -> None:
    """Reported less true is the sum of both kinds in every truth, and each is what it says when one is absent."""
    labelling = made(Truth.HARD)
    found, truths = drawn(labelling)
    rates = cost.fnmr_at(
        labelling, cost.views(labelling, labelling.services[0], found, truths), truths, TARGET
    )
    parts = rates.cost
    assert parts["all"] == pytest.approx(parts["left_out"] + parts["wrong"])
    whole = replace(
        labelling, labelled=replace(labelling.labelled, label=np.maximum(labelling.labelled.label, 0))
    )
    seen = cost.views(whole, whole.services[0], found, truths)
    assert cost.fnmr_at(whole, seen, truths, TARGET).cost["left_out"] == pytest.approx(0)


def test_labels_that_are_the_truth_cost_nothing() -> None:
    """Where the annotation of every face stands, each truth is the annotation, and so is the report."""
    faces, services = search(Truth.EASY, 40, np.random.default_rng(2))
    labelling = labelling_of(faces, services, How(source=LabelSource.COMBINED))
    found, truths = drawn(labelling)
    assert (truths.own == (faces.annotated == OF_QUERY)).all()
    seen = cost.views(labelling, services[2], found, truths)
    for rates in (
        cost.fnmr_at(labelling, seen, truths, TARGET),
        cost.fmr_at(labelling, seen, truths, np.array([0.3, 0.5])),
    ):
        assert all(part == pytest.approx(0) for part in rates.cost.values())
        assert rates.anew.std() > 0
    doubts = cost.doubts(labelling, truths)
    assert (doubts.strangers, doubts.missed, doubts.left_out) == (0, 0, 0)


def test_some_annotation_leaves_less_doubt() -> None:
    """With the answers of half of the faces fewer labels are in doubt, and the answers stand in every truth."""
    faces, services = search(Truth.HARD, 60, np.random.default_rng(1))
    half = np.where(np.arange(faces.annotated.size) % 2 == 0, faces.annotated, UNSAID).astype(np.int8)
    labelling = labelling_of(replace(faces, annotated=half), services, How(source=LabelSource.COMBINED))
    _, truths = drawn(labelling)
    assert truths.own[:, half == NOT_OF_QUERY].sum() == 0
    assert truths.own[:, half == OF_QUERY].mean() > 0.995  # but for people of whom too few faces are due
    none = drawn(made(Truth.HARD))[1]
    assert truths.own.std(axis=0).sum() < none.own.std(axis=0).sum()


def test_the_order_of_services_and_comparisons_changes_nothing() -> None:
    """The same likelihoods to rounding."""
    labelling = made(Truth.EASY)
    rng = np.random.default_rng(0)
    order = rng.permutation(labelling.services[0].score.size)
    turned = tuple(
        replace(
            one, first=one.second[order], second=one.first[order],
            score=one.score[order], failure=one.failure[order],
        )
        for one in labelling.services[::-1]
    )  # fmt: skip
    other = labelling_of(labelling.faces, turned)
    assert cost.likely(other).own == pytest.approx(cost.likely(labelling).own, abs=1e-6)


def test_several_people_of_a_query_each_keep_their_faces() -> None:
    """Where queries with several identities are used, a face is of the one it is most alike to, as its label says."""
    labelling = shared_search(several=Several.USE).labelling
    assert labelling is not None
    identity = labelling.labelled.identity
    several = np.zeros(len(labelling.faces.queries), dtype=np.bool_)
    several[labelling.faces.query_of[identity > 0]] = True
    faces = several[labelling.faces.query_of] & (identity >= 0)
    found = cost.likely(labelling)
    assert faces.sum() > 40
    assert (found.person[faces] == identity[faces]).mean() > 0.98
    assert found.own[faces].mean() > 0.98


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"source": LabelSource.ANNOTATED}, "annotated"),
        ({"services": 1}, "its own judge"),
        ({"queries": 12}, "12 queries have labels: 20 or more are needed"),
    ],
)
def test_what_cannot_be_drawn_says_why(change: dict[str, object], said: str) -> None:
    """Annotated labels, one service, too few queries."""
    faces, services = search(Truth.EASY, int(str(change.get("queries", 25))), np.random.default_rng(1))
    labelling = labelling_of(faces, services[: int(str(change.get("services", 5)))])
    if "source" in change:
        labelling = replace(labelling, source=LabelSource.ANNOTATED)
    assert said in str(cost.obstacle(labelling))
    assert cost.obstacle(made(Truth.EASY)) is None
