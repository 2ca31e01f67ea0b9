"""Two dates on a common support: what they share, which labels, which pairs."""

from dataclasses import replace

import numpy as np
import pytest
from two_collections import MODES, Date, labelling

from frtaudit.core.labelling import Labelling
from frtaudit.errors import DataError
from frtaudit.labelling.dates import By, Design, meet, scored_twice, sides

EARLIER = Date()
AGAIN, OTHERS = Date(scoring=2), Date(scoring=2, images=2, prefix="b")


def without(found: Labelling, rows: np.ndarray, name: str) -> Labelling:
    """The same where a service did not score the first face of those rows."""
    changed = []
    for one in found.services:
        keep = np.ones(one.first.size, dtype=bool)
        if one.name == name:
            keep = ~np.isin(one.first, rows)
        ends = (one.first[keep], one.second[keep])
        changed.append(
            replace(one, first=ends[0], second=ends[1], score=one.score[keep], failure=one.failure[keep])
        )
    return replace(found, services=tuple(changed))


def test_the_design_is_found_by_the_faces_ids() -> None:
    """Ids that stand in both: the same images, three kinds of labels; none: the same names, each its own labels."""
    same = meet(labelling(EARLIER), labelling(AGAIN), Design.FOUND, MODES)
    assert same.design is Design.SAME_IMAGES
    assert same.kinds == (By.JOINT, By.OWN, By.EARLIER)
    assert same.faces == (360, 360)
    other = meet(labelling(EARLIER), labelling(OTHERS), Design.FOUND, MODES)
    assert other.design is Design.SAME_NAMES
    assert other.kinds == (By.OWN,)


def test_joint_labels_do_not_know_which_date_came_first() -> None:
    """The dates exchanged, the labels of both together are the same, and each date keeps its own scores."""
    one, other = labelling(EARLIER), labelling(AGAIN)
    there, back = meet(one, other, Design.FOUND, MODES), meet(other, one, Design.FOUND, MODES)
    assert np.array_equal(there.earlier.person[By.JOINT], back.earlier.person[By.JOINT])
    assert np.array_equal(there.earlier.person[By.JOINT], there.later.person[By.JOINT])
    first, second = sides(there, By.JOINT, "acme"), sides(back, By.JOINT, "acme")
    assert np.array_equal(first.earlier.mated_score, second.later.mated_score)
    assert np.array_equal(first.later.tail_score, second.earlier.tail_score)


def test_earlier_labels_judge_both_dates() -> None:
    """Under them both dates show the same people, those of the earlier date."""
    met = meet(labelling(EARLIER), labelling(AGAIN), Design.FOUND, MODES)
    assert np.array_equal(met.earlier.person[By.EARLIER], met.later.person[By.EARLIER])
    assert np.array_equal(met.earlier.person[By.EARLIER], met.earlier.person[By.OWN])
    assert not np.array_equal(met.later.person[By.EARLIER], met.later.person[By.OWN])


def test_a_service_is_compared_on_pairs_scored_at_both_dates() -> None:
    """Pairs that one date lacks are of neither; of other images each date has its own."""
    gone = without(labelling(AGAIN), np.arange(40), "acme")
    met = meet(labelling(EARLIER), gone, Design.FOUND, MODES)
    one, other = scored_twice(met, "acme")
    assert one.key.tolist() == other.key.tolist()
    kept = next(item for item in gone.services if item.name == "acme")
    assert one.key.size == kept.first.size < met.earlier.of.services[0].first.size
    both = sides(met, By.JOINT, "acme")
    assert both.earlier.mated_score.size == both.later.mated_score.size
    assert both.earlier.tail_score.size == both.later.tail_score.size


def test_only_queries_with_a_person_at_both_dates_count() -> None:
    """A query that a date leaves out is of neither; subjects are the same queries at both."""
    earlier = labelling(EARLIER)
    person = earlier.labelled.identity.copy()
    person[earlier.faces.query_of == 3] = -1
    cut = replace(earlier, labelled=replace(earlier.labelled, identity=person))
    both = sides(meet(cut, labelling(OTHERS), Design.FOUND, MODES), By.OWN, "acme")
    assert 3 not in both.query
    assert both.earlier.n_samples.size == both.later.n_samples.size == both.query.size


def test_ids_that_name_other_images_are_refused() -> None:
    """The same ids, but scores that have nothing in common: said, unless the design is declared."""
    one, other = labelling(EARLIER), labelling(Date(scoring=2, images=2, people=2))
    with pytest.raises(DataError, match=r"360 faces have the ids .* correlate by .*same_names"):
        meet(one, scrambled(other), Design.FOUND, MODES)
    assert meet(one, scrambled(other), Design.SAME_NAMES, MODES).design is Design.SAME_NAMES
    assert meet(one, scrambled(other), Design.SAME_IMAGES, MODES).design is Design.SAME_IMAGES


def scrambled(found: Labelling) -> Labelling:
    """The same with the scores within each service dealt anew."""
    rng = np.random.default_rng(1)
    services = tuple(replace(one, score=rng.permutation(one.score)) for one in found.services)
    return replace(found, services=services)


def test_nothing_shared_is_said() -> None:
    """No service, no query, no face of both: one line each."""
    one = labelling(EARLIER)
    alien = labelling(Date(noise={"delta": 0.4, "ember": 0.4, "fjord": 0.4}))
    with pytest.raises(
        DataError, match=r"services are acme, bolt, crest; accepted: one of delta, ember, fjord"
    ):
        meet(one, alien, Design.FOUND, MODES)
    renamed = replace(one.faces, queries=tuple(f"other {q:03d}" for q in range(30)))
    with pytest.raises(DataError, match="no query is in both"):
        meet(one, replace(one, faces=renamed), Design.FOUND, MODES)
    with pytest.raises(DataError, match="no face is in both collections under one query"):
        meet(one, labelling(OTHERS), Design.SAME_IMAGES, MODES)
