import re
from contextlib import nullcontext
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from small_audits import audit, one, pick, put, spec

from frtaudit.analyses.quality import Quality
from frtaudit.core import AuditResult
from frtaudit.core.metrics import EVERY_SYSTEM
from frtaudit.core.spec import AuditSpec, SchemaSpec
from frtaudit.datasets.cohorts.synthetic_releases import ReleaseClass, ReleaseSystem, SyntheticReleases
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline.components import load_cohort

COHORT = SyntheticReleases(
    subjects=160,
    samples=(3, 6),
    dimension=16,
    concentration=(20.0, 30.0),
    tones={
        "light": ReleaseClass(brightness=66, brightness_sd=16),
        "dark": ReleaseClass(brightness=50, brightness_sd=16),
    },
    systems={"even": ReleaseSystem(noise=0.3), "blind": ReleaseSystem(noise=0.3, dark=3.0)},
)


def made(quality: Quality, **changes: object) -> AuditSpec:
    """An audit of people in two tones, the darker in darker images, which one system sees worse."""
    schemas = {"tone": SchemaSpec(column="tone", classes=("light", "dark"))}
    return spec(cohort=COHORT, schemas=schemas, analyses={"quality": quality}, **changes)


@cache
def result() -> AuditResult:
    """The audit with two strata."""
    return audit(made(Quality(strata=2))).result


def test_means_and_boxes_are_of_the_cohorts_samples() -> None:
    """Each class's mean and box are those of its column; they stand once, whatever the systems are."""
    cohort_data = load_cohort(made(Quality()))
    values = np.array([float(text) for text in cohort_data.attributes["brightness"]])
    codes = cohort_data.cohort.classifications["tone"].codes[cohort_data.cohort.subject_of]
    for code, name in enumerate(("light", "dark")):
        found = one(result(), "quality_mean", group=name)
        assert (found.provider, found.value) == (EVERY_SYSTEM, pytest.approx(values[codes == code].mean()))
        assert found.intervals[0].low < found.value < found.intervals[0].high
        (box,) = [c for c in result().curves if (c.analysis, c.group) == ("quality_box", name)]
        assert box.y[1:4] == pytest.approx(np.quantile(values[codes == code], [0.25, 0.5, 0.75]))
    spread = one(result(), "quality_spread")
    assert spread.test is not None
    assert spread.test.p == pytest.approx(1 / 200)


def test_a_differential_that_goes_with_quality_shrinks_within_it() -> None:
    """The system that sees dark images worse treats tones unlike; within strata of brightness much less so."""
    values = {
        str(e.at["stratum"]): e.value for e in pick(result(), "d_l2_within", provider="blind", group="max")
    }
    assert set(values) == {"all", "1 of 2", "2 of 2"}
    assert (values["1 of 2"] + values["2 of 2"]) / 2 < 0.7 * values["all"]
    whole = [e.test for e in pick(result(), "d_l2_within", group="max", at={"stratum": "all"})]
    assert whole == [None, None]
    dark = one(result(), "d_l2_within", provider="blind", group="dark", at={
        "attribute": "brightness", "space": "quantile", "stratum": "all"})  # fmt: skip
    assert dark.note == "below overall on average"


def test_strata_hold_equally_many_comparisons() -> None:
    """Their edges are quantiles of the lower brightness of both samples."""
    parts = pick(result(), "d_l2_within", provider="even", group="max")[1:]
    assert parts[0].at["high"] == parts[1].at["low"]
    system = put(made(Quality(strata=2)), "even")
    values = np.array([float(text) for text in system.cohort_data.attributes["brightness"]])
    tail = system.tail
    worse = values[np.stack([tail.rows[tail.mated_i], tail.rows[tail.mated_j]])].min(axis=0)
    assert parts[0].at["high"] == pytest.approx(np.quantile(worse, 0.5))


def test_a_stratum_with_few_people_is_not_tested() -> None:
    """Fewer than ten subjects of a class in a stratum: no value, and the note says whose."""
    few = audit(made(Quality(strata=12))).result
    notes = {e.note for e in pick(few, "d_l2_within", group="max") if e.value is None}
    assert notes
    assert all(
        re.fullmatch(r"(light|dark) has \d subjects in this stratum; 10 are needed", str(n)) for n in notes
    )


def test_no_such_column_and_no_numbers() -> None:
    """No brightness is a note; a column that was asked for and is absent, or of texts, is an error in one line."""
    system = put(made(Quality()), "even")
    rest = {name: text for name, text in system.cohort_data.attributes.items() if name != "brightness"}
    dim = replace(system, cohort_data=replace(system.cohort_data, attributes=rest))
    assert Quality().estimates(dim, 0.05).notes == (
        "quality: the cohort has no column 'brightness'; it has tone, gender, face_width, face_height",
    )
    with pytest.raises(
        DataError,
        match=r"quality\.attribute: the cohort has no column 'sharpness'; accepted: one of its columns: tone",
    ):
        Quality(attribute="sharpness").survey(system.spec, system.cohort_data)
    with pytest.raises(
        DataError,
        match="column 'tone' holds 'light', which is no finite number; accepted: a column of numbers",
    ):
        Quality(attribute="tone").survey(system.spec, system.cohort_data)
    with pytest.raises(SpecError, match=r"analyses\.quality\.strata: found 0; accepted: 1 or more"):
        Quality(strata=0)


@pytest.mark.parametrize(("text", "refused"), [("1e400", True), ("inf", True), ("NA", False), ("", False)])
def test_what_is_no_finite_number_is_refused(text: str, *, refused: bool) -> None:
    """A number beyond float64 as well, with what stands there; a word for a missing value is none."""
    system = put(made(Quality()), "even")
    columns = dict(system.cohort_data.attributes)
    columns["brightness"] = np.array([text, *columns["brightness"][1:]], dtype=object)
    cohort_data = replace(system.cohort_data, attributes=columns)
    with (
        pytest.raises(DataError, match=f"'brightness' holds '{text}', which is") if refused else nullcontext()
    ):
        Quality(attribute="brightness").survey(system.spec, cohort_data)


def test_few_subjects_have_no_interval_and_no_test() -> None:
    """A class of fewer than ten subjects: mean without interval, no p."""
    small = replace(made(Quality()), cohort=replace(COHORT, subjects=14))
    found = audit(small).result
    assert all(e.intervals[0].low is None for e in pick(found, "quality_mean"))
    spread = one(found, "quality_spread")
    assert spread.test is not None
    assert spread.test.p is None


def test_no_interval_of_few_subjects_by_weight() -> None:
    """Fifteen subjects of each class, fewer than twenty by weight: means without intervals, the classes are tested."""
    found = audit(replace(made(Quality()), cohort=replace(COHORT, subjects=30))).result
    for row in pick(found, "quality_mean"):
        (interval,) = row.intervals
        assert interval.low is None
        assert re.fullmatch(
            r"withheld: by weight these are 1\d(\.\d)? subjects; a bootstrap of subjects needs 20",
            str(interval.note),
        )
    spread = one(found, "quality_spread")
    assert spread.test is not None
    assert spread.test.p is not None
