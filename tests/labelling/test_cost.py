from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from searches import search as shared_search

from frtaudit.core.labelling import NOT_OF_QUERY, OF_QUERY, UNSAID, Faces, Labelling, Service
from frtaudit.core.spec_values import LabelSource
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticQueries, SyntheticService
from frtaudit.labelling import cost
from frtaudit.labelling.cost import End, Rate
from frtaudit.labelling.estimate import labelled
from frtaudit.labelling.settings import How, Several
from frtaudit.testing.label_study import rate_on_truth
from frtaudit.testing.web_searches import Truth, search

TARGET = np.array([0.01])


def labelling_of(faces: Faces, services: tuple[Service, ...], how: How | None = None) -> Labelling:
    """The facts behind an audit without annotation: every labelled face a sample."""
    how = how or How()
    found = labelled(faces, how.labelling_services(services), how)
    person = found.identity
    if how.source is LabelSource.COMBINED:
        person = np.where(faces.annotated == UNSAID, person, np.where(faces.annotated == OF_QUERY, 0, -1))
    return Labelling(
        faces=faces, services=services, labelled=found, source=how.source,
        sample_of=np.where(person >= 0, np.arange(person.size), -1).astype(np.int32),
    )  # fmt: skip


@cache
def made(truth: Truth, seed: int = 1, queries: int = 60) -> Labelling:
    """A synthetic search, labelled."""
    return labelling_of(*search(truth, queries, np.random.default_rng(seed)))


def drawn(
    labelling: Labelling, count: int = 100, seed: int = 5
) -> tuple[cost.Likely, dict[End, cost.Truths]]:
    """Identities, and possible truths at both ends."""
    found = cost.likely(labelling)
    return found, dict(cost.truths(labelling.faces, found, count, np.random.default_rng(seed)))


def fnmr(labelling: Labelling, seen: cost.Views, truths: cost.Truths) -> cost.Drawn:
    """FNMR at an FMR of 1 %, each truth with its own threshold."""
    return cost.rates_at(labelling, seen, truths, Rate.FNMR, cost.cuts_at(labelling, seen, truths, TARGET))


def bad_images(seed: int, bad: float = 0.08) -> Labelling:
    """A search of people on a sphere, an image in twelve of whom is so bad that it is like a stranger's."""
    services = {
        f"service_{place}": SyntheticService(noise=noise) for place, noise in enumerate((0.25, 0.35, 0.5))
    }
    found = SyntheticQueries(queries=60, twins=0.0, bad=bad, services=services).load({}, seed).labelling
    assert found is not None
    return found


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
    found, ends = drawn(labelling)
    truths = ends[End.MANY]
    rates = fnmr(labelling, cost.views(labelling, labelling.services[0], found, truths), truths)
    parts = rates.cost
    assert parts["all"] == pytest.approx(parts["left_out"] + parts["wrong"])
    whole = replace(
        labelling, labelled=replace(labelling.labelled, label=np.maximum(labelling.labelled.label, 0))
    )
    seen = cost.views(whole, whole.services[0], found, truths)
    assert fnmr(whole, seen, truths).cost["left_out"] == pytest.approx(0)


def test_labels_that_are_the_truth_cost_nothing() -> None:
    """Where the annotation of every face stands, each truth is the annotation, and so is the report."""
    faces, services = search(Truth.EASY, 40, np.random.default_rng(2))
    labelling = labelling_of(faces, services, How(source=LabelSource.COMBINED))
    found, ends = drawn(labelling)
    for truths in ends.values():
        assert (truths.own == (faces.annotated == OF_QUERY)).all()
        seen = cost.views(labelling, services[2], found, truths)
        fixed = cost.Drawn.fixed(np.array([0.3, 0.5]), len(truths.own))
        for rates in (
            fnmr(labelling, seen, truths),
            cost.rates_at(labelling, seen, truths, Rate.FMR, fixed),
        ):
            assert all(part == pytest.approx(0) for part in rates.cost.values())
            assert rates.anew.std() > 0
        doubts = cost.label_uncertainty(labelling, truths)
        assert (doubts.strangers, doubts.missed, doubts.left_out) == (0, 0, 0)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_truth_lies_between_the_ends(seed: int) -> None:
    """Own faces, and FNMR, where bad images pass for strangers: more than at the one end, fewer than at the other."""
    labelling = bad_images(seed)
    own = labelling.faces.annotated == OF_QUERY
    found, ends = drawn(labelling)
    few, many = (ends[end].own.sum(axis=1).mean() for end in (End.FEW, End.MANY))
    assert few < own.sum() < many
    for service in labelling.services:
        low, high = (
            fnmr(labelling, cost.views(labelling, service, found, one), one).true.mean()
            for one in ends.values()
        )
        assert low < rate_on_truth(labelling.faces, service) < high


def test_where_clusters_lie_apart_the_ends_nearly_agree() -> None:
    """Without bad images or relatives the ends differ by a few faces in a hundred, with bad ones by many more."""

    def gap(labelling: Labelling) -> float:
        _, ends = drawn(labelling)
        few, many = (ends[end].own.sum(axis=1).mean() for end in (End.FEW, End.MANY))
        return float((many - few) / labelling.faces.annotated.clip(0).sum())

    assert gap(made(Truth.EASY)) < 0.06
    assert gap(bad_images(1)) > gap(bad_images(1, bad=0.0)) + 0.02


def test_a_group_has_the_comparisons_of_its_queries() -> None:
    """With all queries the same rates as without a choice; with none there is no comparison."""
    labelling = made(Truth.EASY)
    found, ends = drawn(labelling)
    truths, service = ends[End.FEW], labelling.services[0]
    n = len(labelling.faces.queries)
    whole = cost.views(labelling, service, found, truths, queries=np.ones(n, dtype=bool))
    assert (
        whole.every.mated.score.tolist()
        == cost.views(labelling, service, found, truths).every.mated.score.tolist()
    )
    half = cost.views(labelling, service, found, truths, queries=np.arange(n) < n // 2)
    assert 0 < half.every.non_mated.score.size < whole.every.non_mated.score.size
    assert half.every.mated.query.max() < n // 2
    assert half.every.non_mated.other.max() < n // 2


def test_some_annotation_leaves_less_doubt() -> None:
    """With the answers of half of the faces fewer labels are uncertain, and the answers stand in every truth."""
    faces, services = search(Truth.HARD, 60, np.random.default_rng(1))
    half = np.where(np.arange(faces.annotated.size) % 2 == 0, faces.annotated, UNSAID).astype(np.int8)
    labelling = labelling_of(replace(faces, annotated=half), services, How(source=LabelSource.COMBINED))
    truths = drawn(labelling)[1][End.MANY]
    assert truths.own[:, half == NOT_OF_QUERY].sum() == 0
    assert truths.own[:, half == OF_QUERY].mean() > 0.995  # but for people of whom too few faces are due
    none = drawn(made(Truth.HARD))[1][End.MANY]
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
        ({"services": 1}, "its own labels"),
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
