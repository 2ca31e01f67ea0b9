from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from frtaudit.core import CohortData
from frtaudit.core.spec import ConflictRule, SchemaSpec
from frtaudit.datasets.cohorts.synthetic_releases import ReleaseClass, ReleaseSystem, SyntheticReleases
from frtaudit.errors import SpecError

TONES = {"light": ReleaseClass(share=2.0, brightness=70), "dark": ReleaseClass(brightness=40)}
COHORT = SyntheticReleases(
    subjects=300,
    samples=(2, 5),
    tones=TONES,
    genders={"f": ReleaseClass(), "m": ReleaseClass()},
    systems={
        "x": ReleaseSystem(noise=0.4),
        "y": ReleaseSystem(noise=0.4, harder={"dark": 1.5}, failure_rate=0.2),
    },
)
SCHEMAS = {
    "tone": SchemaSpec(column="tone", conflicts=ConflictRule.MAJORITY),
    "gender": SchemaSpec(column="gender"),
}


def mated_mean(cohort_data: CohortData, system: str, code: int) -> float:
    """Mean cosine of the first two templates of each subject of a tone."""
    templates = cohort_data.templates[system]()
    subject = cohort_data.cohort.subject_of[templates.rows]
    first = np.flatnonzero((np.diff(subject, prepend=-1) > 0)[:-1] & (subject[:-1] == subject[1:]))
    own = cohort_data.cohort.classifications["tone"].codes[subject[first]] == code
    vectors = templates.vectors
    return float(np.mean(np.sum(vectors[first] * vectors[first + 1], axis=1)[own]))


def test_counts_and_columns() -> None:
    """Shares of the tones, samples with their mean, every column that the audit needs."""
    cohort_data = COHORT.load(SCHEMAS, 1)
    cohort = cohort_data.cohort
    assert np.bincount(cohort.classifications["tone"].codes).tolist() == [100, 200]
    sizes = np.bincount(cohort.subject_of)
    assert sizes.min() == 2
    assert sizes.mean() == pytest.approx(5, abs=5 * sizes.std() / np.sqrt(300))
    assert list(cohort_data.attributes) == ["tone", "gender", "face_width", "face_height", "brightness"]
    values = np.array([float(text) for text in cohort_data.attributes["brightness"]])
    codes = cohort.classifications["tone"].codes[cohort.subject_of]
    assert values[codes == 1].mean() > values[codes == 0].mean() + 20
    widths = np.array([float(text) for text in cohort_data.attributes["face_width"]])
    assert 0.05 < np.mean(widths < 50) < 0.4


def test_the_seed_decides_and_a_system_moves_nobody() -> None:
    """The same seed draws the same; another system leaves the templates of the first as they were."""
    one = COHORT.load(SCHEMAS, 1).templates["x"]().vectors
    assert np.array_equal(one, COHORT.load(SCHEMAS, 1).templates["x"]().vectors)
    more = replace(COHORT, systems={"a": ReleaseSystem(), **COHORT.systems})
    assert np.array_equal(one, more.load(SCHEMAS, 1).templates["x"]().vectors)
    assert not np.array_equal(one, COHORT.load(SCHEMAS, 2).templates["x"]().vectors)


def test_what_is_put_in_is_there() -> None:
    """A system that finds one tone harder gives it lower mated scores and leaves the other alone; dark images fail."""
    cohort_data = COHORT.load(SCHEMAS, 1)
    light, dark = (mated_mean(cohort_data, "x", code) - mated_mean(cohort_data, "y", code) for code in (1, 0))
    assert abs(light) < 0.03 < dark
    failed = np.array(sorted(cohort_data.failures["y"]))
    values = np.array([float(text) for text in cohort_data.attributes["brightness"]])
    assert 0.1 < failed.size / values.size < 0.3
    assert values[failed].mean() < values.mean() - 3


def test_conflicting_labels_are_planted() -> None:
    """So many subjects have one sample with another tone, which the strict rule refuses and majority settles."""
    odd = replace(COHORT, conflicts=0.1).load(SCHEMAS, 1)
    (entry,) = [e for e in odd.cohort.ledger if e.code.startswith("conflicting")]
    assert 10 <= entry.count <= 60


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"subjects": 1}, "cohort.subjects: 1 subject(s); accepted: 2 or more"),
        ({"samples": (2, 2)}, "cohort.samples: 2 and 2; accepted: least and mean, 1 <= least < mean"),
        ({"dimension": 1}, "cohort.dimension: 1; accepted: 2 or more"),
        (
            {"concentration": (0.0, 1.0)},
            "cohort.concentration: 0 to 1; accepted: low and high, 0 < low <= high",
        ),
        ({"conflicts": 1.0}, "cohort.conflicts: 1; accepted: a share in [0, 1)"),
        (
            {"genders": {"light": ReleaseClass()}},
            "cohort.genders: a name that a tone has too; accepted: names of",
        ),
        ({"tones": {"a": ReleaseClass(share=0)}}, "cohort.tones.a: a share, brightness or sd out of range"),
        (
            {"genders": {"f": ReleaseClass(share=-1)}},
            "cohort.genders.f: a share, brightness or sd out of range",
        ),
        ({"systems": {}}, "cohort.systems: no system; accepted: at least one"),
        (
            {"systems": {"s": ReleaseSystem(harder={"z": 2})}},
            "cohort.systems.s.harder: no class is named 'z'",
        ),
        (
            {"systems": {"s": ReleaseSystem(failure_rate=0.6)}},
            "cohort.systems.s: a negative number, or a failure",
        ),
    ],
)
def test_numbers_that_no_cohort_has(changes: dict[str, Any], line: str) -> None:
    """Each refused number is one line that names its place."""
    with pytest.raises(SpecError) as caught:
        replace(COHORT, **changes)
    assert str(caught.value).startswith(line)
