import numpy as np
import pytest
from oracles_data import mean_cosine
from scipy import stats

from frtaudit.testing import HUBS, ISOTROPIC, POPULATIONS, WOLVES, Population, SubjectClass, simulate
from frtaudit.testing.populations import sizes_of

FEW = {"batches": 8, "subjects": 600}


def drawn(population: Population, seed: int, n: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Subjects' means and one template of each."""
    rng = np.random.default_rng(seed)
    subjects = population.subjects(rng, n)
    return subjects.means, subjects.samples(rng, [1] * n).vectors


@pytest.mark.parametrize("population", POPULATIONS)
def test_the_seed_decides(population: Population) -> None:
    """One seed draws the same people and templates; another draws others."""
    assert np.array_equal(drawn(population, 1)[1], drawn(population, 1)[1])
    assert not np.array_equal(drawn(population, 1)[1], drawn(population, 2)[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_templates_are_unit_vectors_of_the_asked_type(dtype: type) -> None:
    """Templates have length one in float32 and in float64, and stand sorted by subject."""
    rng = np.random.default_rng(3)
    sampled = HUBS.subjects(rng, 5).samples(rng, [1, 2, 3, 1, 2], dtype)
    assert sampled.vectors.dtype == dtype
    assert np.linalg.norm(sampled.vectors, axis=1) == pytest.approx(np.ones(9), abs=1e-6)
    assert sampled.subject_of.tolist() == [0, 1, 1, 2, 2, 2, 3, 4, 4]


def test_classes_are_dealt_in_turn_with_their_concentration() -> None:
    """Every class has its turn; its factor multiplies the drawn concentrations."""
    classes = (SubjectClass(name="a"), SubjectClass(name="b", concentration=0.5), SubjectClass(name="c"))
    people = Population(name="three", concentration=(100.0, 100.0), classes=classes)
    subjects = people.subjects(np.random.default_rng(4), 6)
    assert subjects.code.tolist() == [0, 1, 2, 0, 1, 2]
    assert subjects.kappa.tolist() == [100.0, 50.0, 100.0, 100.0, 50.0, 100.0]


def test_samples_are_as_near_to_their_mean_as_von_mises_fisher_says() -> None:
    """The mean cosine of samples and their subject's mean is I_{d/2}/I_{d/2-1} (FORMULAS 6), within five errors."""
    rng = np.random.default_rng(5)
    subjects = ISOTROPIC.subjects(rng, 400)
    sampled = subjects.samples(rng, [20] * 400, np.float64)
    cosine = (sampled.vectors * subjects.means[sampled.subject_of]).sum(axis=1)
    excess = cosine.reshape(400, 20).mean(axis=1) - mean_cosine(subjects.kappa, 16)
    assert abs(excess.mean()) < 5 * excess.std() / np.sqrt(400)


def test_isotropic_fmr_has_its_closed_form() -> None:
    """(cosine + 1)/2 of two isotropic subjects is Beta(7.5, 7.5): simulated FMR agrees within five errors."""
    truth = simulate(ISOTROPIC, **FEW)
    for threshold in (0.3, 0.5, 0.65):
        exact = float(stats.beta.sf((threshold + 1) / 2, 7.5, 7.5))
        found = truth.of(lambda scores, at=threshold: scores.fmr(at, 100))
        assert abs(found.value - exact) < 5 * found.error


def test_hubs_and_wolves_are_near_many() -> None:
    """The subjects' own FMR spreads more among hubs than in the isotropic population; wolves match thrice as often."""
    spread, ratio = {}, {}
    for population in POPULATIONS:
        rng = np.random.default_rng(6)
        subjects = population.subjects(rng, 2000)
        vectors = subjects.samples(rng, [1] * 2000, np.float64).vectors
        scores = vectors @ vectors.T
        np.fill_diagonal(scores, -1.0)
        own = (scores > np.quantile(scores, 0.99)).mean(axis=1)
        spread[population.name] = own.std() / own.mean()
        if subjects.wolf.any():
            ratio[population.name] = own[subjects.wolf].mean() / own[~subjects.wolf].mean()
    assert spread["hubs"] > 3 * spread["isotropic"]
    assert list(ratio) == [WOLVES.name]
    assert ratio[WOLVES.name] > 3


def test_sizes_are_the_pattern_shuffled() -> None:
    """Numbers of samples are the repeated pattern, whatever the order."""
    assert sorted(sizes_of([2, 5], 5, np.random.default_rng(7)).tolist()) == [2, 2, 2, 5, 5]


@pytest.mark.parametrize(
    "changes", [{"concentration": (2.0, 1.0)}, {"wolves": 2.0}, {"classes": ()}, {"dimension": 2}]
)
def test_impossible_populations_are_refused(changes: dict) -> None:
    """A population that cannot be drawn is refused at birth."""
    with pytest.raises(ValueError, match=r"\w"):
        Population(name="none", **changes)
