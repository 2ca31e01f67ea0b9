import numpy as np
import pytest
from oracles_data import mean_cosine

from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.cohorts.synthetic import Synthetic, SyntheticClass, SyntheticSystem
from frtaudit.errors import DataError, SpecError

SCHEMA = {"g": SchemaSpec(column="group")}


def test_counts_are_as_declared() -> None:
    """Subjects, samples per subject in their range, classes by share, systems as providers."""
    classes = {"a": SyntheticClass(share=2.0), "b": SyntheticClass(share=1.0)}
    cohort = Synthetic(
        subjects=10, samples_per_subject=(2, 5), classes=classes, systems={"x": SyntheticSystem()}
    )
    cohort_data = cohort.load(SCHEMA, 1)
    sizes = np.bincount(cohort_data.cohort.subject_of)
    assert cohort_data.cohort.n_subjects == 10
    assert (sizes.min() >= 2, sizes.max() <= 5, len(set(sizes.tolist())) > 1) == (True, True, True)
    assert np.bincount(cohort_data.cohort.classifications["g"].codes).tolist() == [7, 3]
    assert list(cohort_data.templates) == ["x"]
    assert cohort_data.templates["x"]().vectors.shape == (sizes.sum(), 64)


def test_the_seed_decides_everything() -> None:
    """The same seed gives the same cohort and templates, another seed others; an added system moves nothing."""
    one = Synthetic(subjects=6, systems={"x": SyntheticSystem(noise=0.5)})
    two = Synthetic(subjects=6, systems={"a": SyntheticSystem(noise=0.5), "x": SyntheticSystem(noise=0.5)})
    drawn = [item.templates["x"]().vectors for item in (one.load({}, 1), two.load({}, 1), one.load({}, 2))]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_templates_concentrate_as_declared() -> None:
    """The mean cosine of two samples of a subject is the squared mean resultant of its class's kappa.

    1,500 subjects of two samples and class; the tolerance is five standard errors of each class's mean.
    """
    classes = {"a": SyntheticClass(), "b": SyntheticClass(concentration=0.5)}
    cohort = Synthetic(
        subjects=3000, samples_per_subject=(2, 2), dimension=32, concentration=(60.0, 60.0), classes=classes
    )
    vectors = cohort.load({}, 3).templates["synthetic"]().vectors.reshape(2, 1500, 2, 32)
    cosine = np.einsum("ckd,ckd->ck", vectors[:, :, 0], vectors[:, :, 1])
    truth = mean_cosine(np.array([60.0, 30.0]), 32) ** 2
    assert np.all(np.abs(cosine.mean(axis=1) - truth) < 5 * cosine.std(axis=1) / np.sqrt(1500))


def test_noise_lowers_mated_scores_and_systems_see_the_same_people() -> None:
    """A noisier system has lower mated scores; two systems' templates of one sample stay alike."""
    systems = {
        "clean": SyntheticSystem(),
        "noisy": SyntheticSystem(noise=0.7),
        "twin": SyntheticSystem(noise=0.7),
    }
    cohort_data = Synthetic(subjects=200, samples_per_subject=(2, 2), systems=systems).load({}, 4)
    seen = {name: load().vectors for name, load in cohort_data.templates.items()}
    mated = {name: float(np.mean(np.sum(x[::2] * x[1::2], axis=1))) for name, x in seen.items()}
    assert mated["clean"] > mated["noisy"] + 0.1
    assert abs(mated["noisy"] - mated["twin"]) < 0.03
    across = np.mean(np.sum(seen["noisy"] * seen["twin"], axis=1))
    assert across > 0.5
    assert not np.array_equal(seen["noisy"], seen["twin"])


def test_failures_are_declared() -> None:
    """A failing sample has a code and no template, at about the declared rate (five standard deviations)."""
    systems = {"x": SyntheticSystem(failure_rate=0.2), "y": SyntheticSystem()}
    cohort_data = Synthetic(subjects=500, samples_per_subject=(2, 2), systems=systems).load({}, 5)
    lost = cohort_data.failures["x"]
    assert abs(len(lost) - 200) < 5 * np.sqrt(1000 * 0.2 * 0.8)
    assert set(lost.values()) == {"synthetic_failure"}
    rows = cohort_data.templates["x"]().rows
    assert sorted([*rows.tolist(), *lost]) == list(range(1000))
    assert not cohort_data.failures["y"]


def test_schemas_read_the_declared_column() -> None:
    """Classes stand in the declared column; another column is refused with the one there."""
    classes = {"f": SyntheticClass(), "m": SyntheticClass()}
    cohort = Synthetic(subjects=4, column="gender", classes=classes)
    gender = {"gender": SchemaSpec(column="gender", classes=("f", "m"))}
    assert cohort.load(gender, 0).cohort.classifications["gender"].codes.tolist() == [0, 0, 1, 1]
    with pytest.raises(DataError, match="no column 'group'; accepted: gender"):
        cohort.load(SCHEMA, 0)


@pytest.mark.parametrize(
    "fields",
    [
        {"subjects": 1},
        {"samples_per_subject": (0, 2)},
        {"samples_per_subject": (3, 2)},
        {"dimension": 1},
        {"concentration": (0.0, 1.0)},
        {"concentration": (2.0, float("inf"))},
        {"classes": {"a": SyntheticClass(share=0.0)}},
        {"systems": {}},
        {"systems": {"x": SyntheticSystem(failure_rate=1.0)}},
        {"systems": {"x": SyntheticSystem(noise=-1.0)}},
    ],
)
def test_cohorts_that_cannot_be_are_refused(fields: dict[str, object]) -> None:
    """Each number out of its range is a usage error that names the field."""
    with pytest.raises(SpecError, match=f"cohort.{next(iter(fields))}"):
        Synthetic(**fields)  # type: ignore[arg-type]  # fields by name
