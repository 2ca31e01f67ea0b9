"""Random test sets: caps, equal groups, folds of equal size."""

from dataclasses import replace

import numpy as np
import pytest

from frtaudit.core import CohortData
from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.cohorts.synthetic import Synthetic, SyntheticClass
from frtaudit.datasets.protocols.sampled import Sampled
from frtaudit.errors import DataError, SpecError


def cohort_data(seed: int = 0, samples: tuple[int, int] = (1, 6)) -> CohortData:
    """Sixty subjects of two classes."""
    source = Synthetic(
        subjects=60, samples_per_subject=samples, classes={"a": SyntheticClass(), "b": SyntheticClass()}
    )
    return replace(source.load({"g": SchemaSpec(column="group")}, 0), seed=seed)


def test_all_mated_pairs_up_to_a_cap() -> None:
    """Without a number: every mated pair that the cap per subject leaves, and as many distinct non-mated pairs."""
    held = cohort_data()
    found = Sampled(per_subject=4).comparisons(held)
    samples = np.bincount(held.cohort.subject_of)
    expected = np.minimum(samples * (samples - 1) // 2, 4)
    subject = held.cohort.subject_of[found.probe]
    assert np.array_equal(np.bincount(subject[found.mated], minlength=60), expected)
    assert int((~found.mated).sum()) == int(expected.sum())
    assert len(set(zip(found.probe.tolist(), found.reference.tolist(), strict=True))) == found.n_listed
    assert found.fold is None


def test_balanced_sets_in_equal_folds() -> None:
    """Equal numbers of both kinds from each class and in each fold; non-mated pairs within a class; caps hold."""
    held = cohort_data(samples=(3, 6))
    found = Sampled(mated=60, per_image=2, per_subject=3, balance="g", k=5).comparisons(held)
    cohort = held.cohort
    code = cohort.classifications["g"].codes
    ends = cohort.subject_of[found.probe], cohort.subject_of[found.reference]
    assert found.fold is not None
    for kind in (found.mated, ~found.mated):
        for group in (0, 1):
            own = kind & (code[ends[0]] == group)
            assert np.array_equal(np.bincount(found.fold[own], minlength=5), [6] * 5)
        images = np.concatenate([found.probe[kind], found.reference[kind]])
        assert np.bincount(images).max() <= 2
    assert np.array_equal(code[ends[0]], code[ends[1]])
    homes = {(int(k), int(f)) for k, f in zip(ends[0][found.mated], found.fold[found.mated], strict=True)}
    assert len(homes) == len({k for k, _ in homes})
    assert np.bincount(ends[0][found.mated]).max() <= 3
    assert {(step.kind, step.group, step.left) for step in found.steps} == {
        (kind, group, 30) for kind in ("mated", "non_mated") for group in ("a", "b")
    }


def test_the_seed_decides_the_draw() -> None:
    """One seed, one list; another seed, another."""
    one, again, other = (Sampled(per_subject=1).comparisons(cohort_data(seed)) for seed in (0, 0, 1))
    assert np.array_equal(one.reference, again.reference)
    assert not np.array_equal(one.reference, other.reference)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Sampled(mated=999, balance=None), "protocol.mated: 999 pairs are required, "),
        (
            Sampled(mated=31, balance="g"),
            "protocol.mated: 31 pairs do not divide into 2 groups and 1 folds; accepted: a multiple",
        ),
        (Sampled(mated=30, balance="h"), "protocol.balance: no schema is named 'h'; accepted: g"),
    ],
)
def test_what_cannot_be_is_refused(rule: Sampled, said: str) -> None:
    """Too few pairs, numbers that do not divide, and unknown schemas: one line each."""
    with pytest.raises((DataError, SpecError), match=said):
        rule.comparisons(cohort_data())


def test_numbers_that_no_list_has() -> None:
    """A count below 1, one fold, and a balance without a number are refused at birth."""
    for wrong in ({"mated": 0}, {"mated": 4, "k": 1}, {"balance": "g"}, {"per_image": 0}):
        with pytest.raises(SpecError, match=r"^protocol\."):
            Sampled(**wrong)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(DataError, match="no subject has two samples"):
        Sampled().comparisons(cohort_data(samples=(1, 1)))


def test_a_control_of_as_many_people_and_images() -> None:
    """Pairs stand on exactly so many subjects and images, half of each class, where there are pairs enough for them."""
    held = cohort_data(samples=(3, 6))
    found = Sampled(mated=20, balance="g", k=2, identities=20, images=50, per_image=3).comparisons(held)
    samples = np.unique(np.concatenate([found.probe, found.reference]))
    subjects = np.unique(held.cohort.subject_of[samples])
    code = held.cohort.classifications["g"].codes[subjects]
    assert samples.size == 50
    assert np.bincount(code).tolist() == [10, 10]
    few = Sampled(mated=4, balance="g", k=2, identities=20, images=50).comparisons(held)
    assert np.unique(np.concatenate([few.probe, few.reference])).size <= 16
    with pytest.raises(
        DataError, match="^protocol.identities: 40 subjects of a with two samples are required, 30 are"
    ):
        Sampled(mated=20, balance="g", identities=80).comparisons(held)
