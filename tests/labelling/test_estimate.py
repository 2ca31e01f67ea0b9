from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searches import labelling
from web_search import lfw, web_search

from frtaudit.core.labelling import Faces, Service
from frtaudit.core.spec_values import Limits, Rule
from frtaudit.errors import SpecError
from frtaudit.labelling.estimate import labelled
from frtaudit.labelling.settings import How, Several


def test_labels_of_a_made_up_search_are_right() -> None:
    """99 of 100 labels of included queries; the others have none."""
    found = labelling()
    label, truth = found.labelled.label, found.faces.annotated
    assert (label[label >= 0] == truth[label >= 0]).mean() >= 0.99
    left_out = np.array([bool(reason) for reason in found.labelled.reason])
    assert left_out.any()
    assert (label[left_out[found.faces.query_of]] == -1).all()


def _moved(
    faces: Faces, services: tuple[Service, ...], seed: int
) -> tuple[Faces, tuple[Service, ...], np.ndarray]:
    """The same search with other names, so that faces and queries stand in another order; ``place`` of each face."""
    rng = np.random.default_rng(seed)
    query = rng.permutation(len(faces.queries))
    order = np.lexsort((rng.permutation(len(faces.names)), query[faces.query_of]))
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size)
    moved = replace(
        faces,
        names=tuple(f"f{i:05d}" for i in range(order.size)),
        query_of=query[faces.query_of][order].astype(np.int32),
        annotated=faces.annotated[order],
    )
    turned = [
        replace(one, first=place[one.second], second=place[one.first]) if k % 2 else
        replace(one, first=place[one.first], second=place[one.second])
        for k, one in enumerate(services)
    ]  # fmt: skip
    return moved, tuple(turned[::-1]), place


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 9999), rule=st.sampled_from(Rule), several=st.sampled_from(Several))
def test_no_order_changes_a_label(seed: int, rule: Rule, several: Several) -> None:
    """Faces, queries, services and the two sides of a pair in any order: the same label for every face."""
    found = labelling()
    how = How(rule=rule, several=several)
    before = labelled(found.faces, found.services, how)
    faces, services, place = _moved(found.faces, found.services, seed)
    after = labelled(faces, services, how)
    assert after.label[place].tolist() == before.label.tolist()
    assert np.array_equal(after.z[place][:, ::-1], before.z, equal_nan=True) or np.allclose(
        after.z[place][:, ::-1], before.z, equal_nan=True, atol=1e-9
    )


def test_several_identities_may_be_used() -> None:
    """Queries with two people as common are left out as published, or give two people."""
    found = labelling()
    used = labelled(found.faces, found.services, How(several=Several.USE))
    several = [q for q, reason in enumerate(found.labelled.reason) if reason == "several"]
    assert several
    for q in several:
        own = used.identity[found.faces.query_of == q]
        assert used.reason[q] == ""
        assert set(own.tolist()) == {0, 1}


def test_a_face_that_a_service_could_not_score_has_no_label() -> None:
    """It leaves, the others of its query stay."""
    found = labelling()
    service = found.services[0]
    gone = (service.first == 0) | (service.second == 0)
    lost = replace(
        service,
        score=np.where(gone, np.nan, service.score),
        failure=np.where(gone, 0, -1).astype(np.int16),
        codes=("lost",),
    )
    again = labelled(found.faces, (lost, *found.services[1:]), How())
    assert again.label[0] == -1
    assert np.isnan(again.z[0]).all()
    assert again.label[1:].tolist() == found.labelled.label[1:].tolist() or found.labelled.reason[0]


def test_services_that_label_may_be_named() -> None:
    """A subset; one that gave no scores is refused."""
    found = labelling()
    how = How(services=("bolt", "acme"))
    assert [one.name for one in how.labelling_services(found.services)] == ["acme", "bolt"]
    with pytest.raises(SpecError, match="no scores of 'nobody'; accepted: acme, bolt, crest"):
        How(services=("nobody",)).labelling_services(found.services)


def test_limits_move_what_is_left_out() -> None:
    """More faces asked for: more queries left out for too few."""
    found = labelling()
    strict = labelled(found.faces, found.services, How(limits=Limits(min_faces=18)))
    assert strict.reason.count("faces") > found.labelled.reason.count("faces")


@pytest.mark.slow
@pytest.mark.skipif(not lfw().is_dir(), reason="no LFW: set FRTAUDIT_DATA")
def test_labels_of_lfw_as_a_web_search() -> None:
    """Five models, 217 people, a tenth to three fifths of the faces strangers: 99 of 100 labels are right."""
    faces, services, _ = web_search()
    found = labelled(faces, services, How())
    kept = found.label >= 0
    assert kept.mean() > 0.7
    assert (found.label[kept] == faces.annotated[kept]).mean() >= 0.99
