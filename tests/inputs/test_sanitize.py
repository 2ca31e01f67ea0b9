from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_audits import COHORT, SCHEMAS, spec

from frtaudit.core import CohortData, Comparisons, ScoreTable, Templates
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import Sanitize, SanitizeStep
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.class_rules import as_read
from frtaudit.inputs.roster import Roster, attributes_of, enrol
from frtaudit.inputs.sanitize import rule_text, sanitized

TONES = {"tone": SchemaSpec(column="tone", classes=("light", "dark"))}


def step(name: str, **fields: Any) -> SanitizeStep:
    """A step by name."""
    return SanitizeStep(step=Sanitize(name), **fields)


def people(
    *counts: int, tone: str = "light", size: int = 80, start: int = 0
) -> list[tuple[str, str, str, str]]:
    """(sample, subject, tone, face size) of subjects with so many samples each."""
    return [
        (f"s{start + k:03d}_{i}", f"s{start + k:03d}", tone, str(size))
        for k, count in enumerate(counts)
        for i in range(count)
    ]


def cohort_data(rows: list[tuple[str, str, str, str]], steps: tuple[SanitizeStep, ...] = ()) -> CohortData:
    """What a source would hand over for these rows, read as the steps ask."""
    columns = {
        name: np.array([row[place] for row in rows], dtype=object)
        for name, place in (("tone", 2), ("face_width", 3), ("face_height", 3))
    }
    roster = Roster(
        sample_ids=[row[0] for row in rows],
        subjects=[row[1] for row in rows],
        columns=columns,
        places=["" for _ in rows],
    )
    cohort = enrol(roster, as_read(TONES, steps))
    return CohortData(cohort=cohort, attributes=attributes_of(roster, cohort))


def cleaned(rows: list[tuple[str, str, str, str]], *steps: SanitizeStep, seed: int = 0) -> CohortData:
    """The same after the steps."""
    made = spec(schemas=TONES, sanitize=steps, seed=seed)
    return sanitized(cohort_data(rows, steps), made)


ROWS = [
    *people(5, 4, 3, 6),
    *people(4, 4, 1, tone="dark", start=10),
    ("odd_0", "odd", "light", "80"),
    ("odd_1", "odd", "dark", "20"),
    ("odd_2", "odd", "light", "80"),
    ("s020_0", "s020", "dark", "49"),
    ("s020_1", "s020", "dark", ""),
    ("s020_2", "s020", "dark", "50"),
]

AGREED = [row for row in ROWS if row[1] != "odd"]


def test_each_step_takes_what_it_says() -> None:
    """Stages, counts by class and the exclusions say what a step took; they add up to what was read."""
    made = cleaned(ROWS, step("conflicting_labels"), step("min_face_size"), step("min_samples"))
    record = made.sanitized
    assert record is not None
    assert [(item.step, item.subjects, item.samples) for item in record.stages] == [
        ("read", 9, 33),
        ("conflicting_labels", 8, 30),
        ("min_face_size", 8, 28),
        ("min_samples", 5, 23),
    ]
    assert [(g.group, g.subjects, g.samples) for g in record.stages[-1].groups] == [
        ("light", 3, 15),
        ("dark", 2, 8),
    ]
    taken = {(entry.code, entry.unit): entry.count for entry in made.cohort.ledger}
    assert taken == {
        ("sanitize_conflicting_labels", "samples"): 3,
        ("sanitize_conflicting_labels", "subjects"): 1,
        ("sanitize_min_face_size", "samples"): 2,
        ("sanitize_min_samples", "samples"): 5,
        ("sanitize_min_samples", "subjects"): 3,
    }
    assert sum(count for (_, unit), count in taken.items() if unit == "samples") == 33 - made.cohort.n_samples
    assert (record.counted_at, record.stages[record.counted_at].step) == (2, "min_face_size")
    assert {item.group: item.left for item in record.required} == {
        "light": (4, 4, 4, 3, 2, 1),
        "dark": (4, 2, 2, 2),
    }


def test_the_order_of_steps_is_the_specs() -> None:
    """A label that conflicts only on a face that is too small is gone once the face is."""
    first = cleaned(ROWS, step("min_face_size"), step("conflicting_labels"))
    second = cleaned(ROWS, step("conflicting_labels"), step("min_face_size"))
    assert "odd" in first.cohort.subject_ids
    assert "odd" not in second.cohort.subject_ids


@given(st.integers(0, 5), st.integers(1, 4))
def test_a_fixed_number_of_samples_is_drawn_without_replacement(seed: int, number: int) -> None:
    """Everybody left has the number, of their own samples, each once; others leave; another subject moves no draw."""
    made = cleaned(AGREED, step("fixed_samples", number=number), seed=seed)
    cohort = made.cohort
    assert set(np.bincount(cohort.subject_of).tolist()) == {number}
    assert len(set(cohort.sample_ids)) == cohort.n_samples
    assert set(cohort.sample_ids) <= {row[0] for row in AGREED}
    fewer = cleaned(
        [row for row in AGREED if row[1] != "s001"], step("fixed_samples", number=number), seed=seed
    )
    assert set(fewer.cohort.sample_ids) == {name for name in cohort.sample_ids if not name.startswith("s001")}


def test_the_draw_is_seeded_and_fair() -> None:
    """The same seed draws the same; over 400 seeds each of six samples is drawn as often as the others (p > 0.001)."""
    from scipy import stats

    rows = [*people(6, 6), *people(2, tone="dark", start=9)]
    one, again = (cleaned(rows, step("fixed_samples", number=2), seed=3).cohort.sample_ids for _ in range(2))
    assert one == again
    drawn = [
        cleaned(rows, step("fixed_samples", number=2), seed=seed).cohort.sample_ids for seed in range(400)
    ]
    counts = [sum(f"s000_{i}" in names for names in drawn) for i in range(6)]
    assert sum(counts) == 800  # two each time
    assert stats.chisquare(counts).pvalue > 0.001


def test_a_class_below_its_number_is_one_line_that_helps() -> None:
    """Which class, how many are left, how many were asked for, and with how many samples there would be enough."""
    steps = (step("min_samples", number=4), step("min_subjects", number=3))
    with pytest.raises(DataError) as caught:
        cleaned(AGREED, *steps)
    assert str(caught.value) == (
        "sanitize[1]: class dark of tone has 2 subjects left; accepted: 3 or more; it has 3 where 3 sample(s) of "
        "each are asked for"
    )
    assert cleaned(AGREED, steps[0], step("min_subjects", number=2)).cohort.n_subjects == 5
    with pytest.raises(
        DataError, match="class light of tone has 4 subjects left; accepted: 30 or more; it has 4 with"
    ):
        cleaned(AGREED, step("min_subjects"))


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        (
            (step("min_face_size", width_column="w"),),
            "sanitize\\[0\\]: no column 'w'; accepted: tone, face_width",
        ),
        (
            (step("min_face_size", width_column="tone"),),
            "sanitize\\[0\\]: column 'tone' holds a text that is no",
        ),
        (
            (step("min_samples", number=99),),
            "sanitize: 0 subject\\(s\\) are left; accepted: two subjects or more",
        ),
        ((step("min_samples", number=5),), "sanitize: class dark of tone has no subject left"),
    ],
)
def test_data_that_do_not_serve(steps: tuple[SanitizeStep, ...], line: str) -> None:
    """A missing column, texts for numbers, a cohort or a class emptied: one line each."""
    with pytest.raises(DataError, match=line):
        cleaned(AGREED, *steps)


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (step("min_subjects", schema="x"), "sanitize[0].schema: no schema is named 'x'; accepted: tone"),
        (
            step("min_face_size", number=3),
            "sanitize[0].number: min_face_size takes none; accepted: no number",
        ),
        (step("min_samples", number=0), "sanitize[0].number: found 0; accepted: 1 or more"),
        (
            step("min_face_size", width=0),
            "sanitize[0]: a face of 0 x 50; accepted: 1 or more pixels each way",
        ),
    ],
)
def test_steps_that_cannot_be(made: SanitizeStep, line: str) -> None:
    """What no data could satisfy is a usage error before anything is read."""
    with pytest.raises(SpecError) as caught:
        as_read(TONES, [made])
    assert str(caught.value) == line
    crossed = {**TONES, "both": SchemaSpec(cross=("tone", "tone2"))}
    with pytest.raises(SpecError, match="no schema reads a column of classes"):
        as_read(crossed, [step("conflicting_labels", schema="both")])


def test_templates_tables_and_failures_move_with_their_samples() -> None:
    """What is left of a sample's template, scores and failures still belongs to it."""
    source = cohort_data(AGREED)
    ids = source.cohort.sample_ids
    rows = np.array([i for i, name in enumerate(ids) if not name.endswith("_1")], dtype=np.int32)
    vectors = np.arange(2.0 * rows.size, dtype=np.float32).reshape(-1, 2) + 1
    probe, reference = np.int32([0, 1, 5]), np.int32([1, 6, 0])
    listed = Comparisons(
        all_pairs=False,
        probe=probe,
        reference=reference,
        mated=source.cohort.subject_of[probe] == source.cohort.subject_of[reference],
        cells=np.zeros(source.cohort.n_subjects, np.int32),
    )
    whole = replace(
        source,
        templates={"t": lambda: Templates(rows=rows, vectors=vectors)},
        failures={"t": {i: "lost" for i, name in enumerate(ids) if name.endswith("_1")}},
        tables={"l": (listed, ScoreTable(score=np.array([0.1, 0.2, 0.3]), failure=np.int16([-1, -1, -1])))},
    )
    made = sanitized(whole, spec(schemas=TONES, sanitize=(step("min_samples"),)))
    templates = made.templates["t"]()
    was = dict(zip((ids[i] for i in rows), vectors.tolist(), strict=True))
    kept = [made.cohort.sample_ids[i] for i in templates.rows]
    assert templates.vectors.tolist() == [was[name] for name in kept]
    failed = {made.cohort.sample_ids[i] for i in made.failures["t"]}
    assert failed == {name for name in made.cohort.sample_ids if name.endswith("_1")}
    assert (list(made.failures), len(made.failures)) == (["t"], 1)
    comparisons, table = made.tables["l"]
    names = [
        (made.cohort.sample_ids[a], made.cohort.sample_ids[b])
        for a, b in zip(comparisons.probe, comparisons.reference, strict=True)
    ]
    old = [(ids[a], ids[b]) for a, b in zip(probe, reference, strict=True)]
    assert names == [pair for pair in old if set(pair) <= set(made.cohort.sample_ids)]
    assert table.score.size == len(names)
    assert made.attributes["tone"].size == made.cohort.n_samples


def test_without_steps_nothing_is_said_and_the_identity_stands() -> None:
    """An audit without sanitization has no record of it, and its plain spec does not name it."""
    from full_specs import to_full

    from frtaudit.core.identity import from_plain, to_plain

    assert COHORT.load(SCHEMAS, 0).sanitized is None
    assert "sanitize" not in to_plain(spec())
    stepped = spec(sanitize=(step("min_samples", number=3),))
    assert from_plain(to_full(stepped)) == stepped
    assert to_plain(stepped)["sanitize"] == [
        {
            "step": "min_samples", "number": 3, "width": 50, "height": 50, "width_column": "face_width",
            "height_column": "face_height", "schema": None, "reason": "",
        }
    ]  # fmt: skip


def test_every_step_says_its_rule() -> None:
    """Each step has words, with the numbers it uses."""
    assert [rule_text(SanitizeStep(step=kind)) for kind in Sanitize] == [
        "subjects whose samples agree on a class",
        "faces of at least 50 x 50 pixels",
        "subjects with at least 4 samples",
        "4 samples of each subject, drawn without replacement",
        "classes of at least 30 subjects",
    ]
