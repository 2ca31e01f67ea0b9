"""The synthetic cohort with traits and training sets: what it says of itself is so."""

from dataclasses import replace

import numpy as np
import pytest

from frtaudit.core import CohortData
from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.cohorts.traits import TrainingShape, Traits
from frtaudit.errors import SpecError
from frtaudit.stats.similarity.nearest import unit_rows

SHAPE = TrainingShape(identities=80, samples=5, overlap=0.5, copied=0.4, split=0.5, noise=0.2)
SOURCE = Traits(
    subjects=40, samples_per_subject=(2, 5), systems={"one": 0.1, "two": 0.2}, training={"wild": SHAPE}
)


def centres(held: CohortData) -> np.ndarray:
    """The unit mean template of each subject."""
    vectors = held.templates["one"]().vectors
    sums = [vectors[held.cohort.subject_of == k].mean(axis=0) for k in range(held.cohort.n_subjects)]
    return unit_rows(np.stack(sums))


def test_every_sample_has_its_traits() -> None:
    """Columns by sample in their ranges; names as LFW has them; one seed, one cohort."""
    made = SOURCE.load({"group": SchemaSpec(column="group")}, 3)
    assert sorted(made.attributes) == ["age", "exposure", "group", "hair", "hair_confidence"]
    assert set(made.attributes["hair"]) == {"none", "some", "full"}
    confidence = made.attributes["hair_confidence"].astype(float)
    assert 0 <= confidence.min() <= confidence.max() <= 1
    assert made.cohort.sample_ids[0] == "subject_00000_0001"
    again = SOURCE.load({}, 3)
    assert np.array_equal(made.templates["one"]().vectors, again.templates["one"]().vectors)
    assert not np.array_equal(made.templates["one"]().vectors, made.templates["two"]().vectors)


def test_traits_move_templates() -> None:
    """Images of full hair are nearer to each other, across subjects, than to images without."""
    made = Traits(subjects=100, systems={"one": 0.0}).load({}, 0)
    vectors, hair = made.templates["one"]().vectors, made.attributes["hair"]
    full, none = vectors[hair == "full"].mean(axis=0), vectors[hair == "none"].mean(axis=0)
    assert full @ none < 0


def test_training_sets_hold_what_they_say() -> None:
    """Half the subjects, some twice: as many training identities whose mean lies at a subject's."""
    plain = replace(
        SOURCE, effects=(0.0, 0.0), concentration=(200.0, 200.0), systems={"one": 0.0, "two": 0.0}
    )
    made = plain.load({}, 0)
    wild = made.training["wild"]
    assert wild.cohort.n_samples == 5 * wild.cohort.n_subjects
    assert sorted(wild.templates) == ["one", "two"]
    means, trained = (centres(held) for held in (made, wild))
    near = (means @ trained.T > 0.6).sum(axis=1)
    assert int((near > 0).sum()) == 20
    assert near.max() == 2


def test_a_copy_is_seen_as_its_image() -> None:
    """Every system scores a copy above 0.85 with the test image that it names, also under a wrong name."""
    made = replace(SOURCE, systems={"one": 0.3, "two": 0.6}, mislabelled=0.1).load({}, 0)
    wild = made.training["wild"]
    copied = wild.attributes["shows_image"]
    place = {name: n for n, name in enumerate(made.cohort.sample_ids)}
    at = np.flatnonzero(copied != "")
    assert at.size > 3
    for system in ("one", "two"):
        test, trained = (unit_rows(held.templates[system]().vectors) for held in (made, wild))
        source = [place[name] for name in copied[at]]
        assert (trained[at] * test[source]).sum(axis=1).min() > 0.85


def test_noise_shows_somebody_of_the_set() -> None:
    """The last image of a noisy identity is nearer to another identity than to its own, as its metadata say."""
    plain = replace(SOURCE, effects=(0.0, 0.0), concentration=(500.0, 500.0), systems={"one": 0.0})
    wild = plain.load({}, 0).training["wild"]
    shows = wild.attributes["shows"].reshape(-1, 5)
    vectors = unit_rows(wild.templates["one"]().vectors).reshape(len(shows), 5, -1)
    own = unit_rows(vectors[:, :4].mean(axis=1))
    scores = vectors[:, 4] @ own.T
    noisy = np.flatnonzero(np.diag(scores) < 0.5)
    assert 4 <= noisy.size <= 30
    nearest = scores.argmax(axis=1)
    assert [shows[n, 4] for n in noisy] == [shows[nearest[n], 0] for n in noisy]
    assert any(shows[n, 4] for n in noisy)


def test_mislabelled_samples_stand_under_another_name() -> None:
    """Samples change their subject and never their class."""
    clean, noisy = Traits(subjects=60).load({}, 0), Traits(subjects=60, mislabelled=0.2).load({}, 0)
    assert clean.cohort.n_samples == noisy.cohort.n_samples
    sizes = [np.bincount(made.cohort.subject_of) for made in (clean, noisy)]
    assert not np.array_equal(*sizes)


@pytest.mark.parametrize(
    "wrong",
    [
        {"subjects": 3},
        {"samples_per_subject": (3, 2)},
        {"dimension": 1},
        {"concentration": (0.0, 1.0)},
        {"classes": ()},
        {"mislabelled": 1.0},
        {"training": {"x": TrainingShape(samples=1)}},
    ],
)
def test_numbers_that_no_cohort_has(wrong: dict[str, object]) -> None:
    """Refused at birth, naming the field."""
    with pytest.raises(SpecError, match=r"^cohort\."):
        Traits(**wrong)  # type: ignore[arg-type]  # the point of the test
