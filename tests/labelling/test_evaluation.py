from dataclasses import replace

import numpy as np
from searches import labelling, search

from frtaudit.core.labelling import Service
from frtaudit.labelling import evaluation
from frtaudit.labelling.settings import How, Several
from frtaudit.stats.rates.censoring import censoring_of


def test_persons_by_whose_labels() -> None:
    """Annotated: every face of its query; achievable: those of them that the estimate kept; estimated: label 1."""
    of = labelling()
    found = evaluation.persons(of)
    assert list(found) == ["estimated", "annotated", "achievable"]
    assert ((found["annotated"] >= 0) == (of.faces.annotated == 1)).all()
    kept = of.labelled.label != -1
    assert ((found["achievable"] >= 0) == ((of.faces.annotated == 1) & kept)).all()
    blank = replace(of, faces=replace(of.faces, annotated=np.full(len(kept), -2, dtype=np.int8)))
    assert list(evaluation.persons(blank)) == ["estimated"]


def test_scores_are_split_as_the_paper_has_it() -> None:
    """Mated: one query, both of its person; non-mated: two queries, each of its person; counted one by one."""
    of = labelling()
    person = evaluation.persons(of)["annotated"]
    service = of.services[2]
    found = evaluation.split(of.faces, service, person)
    mated, non_mated = [], []
    for i, j, score in zip(service.first, service.second, service.score, strict=True):
        if person[i] == 0 == person[j] and not np.isnan(score):
            (mated if of.faces.query_of[i] == of.faces.query_of[j] else non_mated).append(score)
    assert found.mated.tolist() == mated
    assert found.non_mated.tolist() == non_mated
    half = np.arange(len(of.faces.queries)) % 2 == 0
    own = found.of(half)
    assert (own.mated_query % 2 == 0).all()
    assert (own.non_mated_queries % 2 == 0).all()
    assert 0 < own.non_mated.size < found.non_mated.size / 3


def test_agreement_counts_every_answered_face_once() -> None:
    """The table sums to the annotated faces; those that agree are nearly all."""
    of = labelling()
    found = evaluation.agreement(of.faces, of.labelled)
    assert sum(found.table.values()) == len(of.faces.names)
    assert found.right / found.both > 0.98


def test_second_people_are_no_wrong_labels() -> None:
    """Where several people of a query are used, no label says who of them it names: none is right or wrong."""
    used = search(several=Several.USE).labelling
    assert used is not None
    several = evaluation.by_several(used, How(several=Several.USE))
    assert list(several) == [Several.DROP, Several.USE]
    found = evaluation.agreement(used.faces, used.labelled)
    dropped = evaluation.agreement(used.faces, several[Several.DROP])
    assert sum(found.table.values()) == len(used.faces.names)
    twins = np.isin(used.faces.query_of, used.faces.query_of[used.labelled.identity > 0])
    assert found.table[1, evaluation.ONE_OF_SEVERAL] + found.table[0, evaluation.ONE_OF_SEVERAL] == (
        np.count_nonzero(twins & (used.labelled.identity >= 0))
    )
    assert (1, evaluation.ONE_OF_SEVERAL) not in dropped.table
    assert found.right / found.both > 0.98


def test_one_person_a_query_leaves_nothing_to_compare() -> None:
    """Without queries of several people there are not two settings."""
    of = labelling()
    reasons = tuple("none" if name in ("several", "disagree") else name for name in of.labelled.reason)
    assert evaluation.by_several(replace(of, labelled=replace(of.labelled, reason=reasons)), How()) == {}


def test_subsets_leave_out_services() -> None:
    """Three of four services, each subset once; none of three, none beyond six."""
    of = labelling()
    assert list(evaluation.subsets(of, How())) == []
    four = replace(of, services=(*of.services, replace(of.services[0], name="delta")))
    modes = {**of.labelled.modes, "delta": of.labelled.modes["acme"]}
    four = replace(four, labelled=replace(of.labelled, modes=modes))
    names = [chosen for chosen, _ in evaluation.subsets(four, How())]
    assert len(names) == len(set(names)) == 4
    seven = [replace(of.services[0], name=f"s{n}") for n in range(7)]
    assert list(evaluation.subsets(replace(of, services=tuple(seven)), How())) == []


def test_a_service_alone_labels_without_a_vote() -> None:
    """Its own labels are those of the estimate with it alone."""
    of = labelling()
    fit = evaluation.fit_of(of, of.services[1], How())
    assert fit.modes == of.labelled.modes["bolt"]
    person = evaluation.alone(of, of.services[1], How(), fit.modes)
    assert person.shape == of.labelled.label.shape
    assert (person >= 0).any()


def test_faces_without_any_score_are_counted() -> None:
    """By service: asked and never answered."""
    of = labelling()
    found = evaluation.lost(of.faces, of.services)
    assert found["acme"] == found["bolt"] == 0
    service = of.services[2]
    scored = np.zeros(len(of.faces.names), dtype=bool)
    for side in (service.first, service.second):
        scored[side[~np.isnan(service.score)]] = True
    assert found["crest"] == np.count_nonzero(~scored)


def test_confidences_are_symmetric_and_scaled() -> None:
    """Ones on the diagonal, nothing outside 0 to 1."""
    of = labelling()
    found = evaluation.confidences(of.faces, of.services[0], 3, of.labelled.modes["acme"])
    assert np.array_equal(found, found.T)
    assert (np.diag(found) == 1).all()
    assert 0 <= found.min() <= found.max() <= 1


def test_both_orders_are_one_comparison() -> None:
    """A-B and B-A have the mean of their scores, a failure leaves the other order's score; one order stays as it is."""
    service = Service(
        name="s", first=np.int32([0, 1, 0, 2, 1]), second=np.int32([1, 0, 2, 0, 2]),
        score=np.array([0.5, 0.75, np.nan, 0.25, np.nan]), failure=np.int16([-1, -1, 0, -1, 0]), codes=("gone",),
    )  # fmt: skip
    found = evaluation.pooled(service)
    assert (found.first.tolist(), found.second.tolist()) == ([0, 0, 1], [1, 2, 2])
    assert found.score[:2].tolist() == [0.625, 0.25]
    assert found.failure.tolist() == [-1, -1, 0]
    assert evaluation.pooled(found) is found


def test_a_list_of_both_orders_has_each_comparison_once() -> None:
    """Every pair listed twice: the same scores of either kind, in number and value."""
    of = labelling()
    person, one = evaluation.persons(of)["estimated"], of.services[0]
    both = replace(
        one,
        first=np.r_[one.first, one.second],
        second=np.r_[one.second, one.first],
        score=np.r_[one.score, one.score],
        failure=np.r_[one.failure, one.failure],
    )
    before, after = (evaluation.split(of.faces, service, person) for service in (one, both))
    assert np.sort(after.mated).tolist() == np.sort(before.mated).tolist()
    assert np.sort(after.non_mated).tolist() == np.sort(before.non_mated).tolist()


def test_a_target_in_a_floor_is_hidden() -> None:
    """Half of the non-mated scores at the floor: FMR 0.6 is refused with the largest target allowed, 0.4 is not."""
    nobody = np.zeros(100, dtype=np.int32)
    scores = evaluation.Scores(
        mated=np.linspace(5, 9, 100), non_mated=np.r_[np.zeros(50), np.linspace(1, 6, 50)],
        mated_query=nobody, non_mated_queries=np.stack([nobody, nobody], axis=1),
    )  # fmt: skip
    found = censoring_of(scores.mated, scores.non_mated)
    assert found.floor is not None
    assert "the largest target allowed is 0.5" in str(evaluation.hidden(scores, 0.6, found))
    assert evaluation.hidden(scores, 0.4, found) is None
