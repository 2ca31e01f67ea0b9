"""Planted overlaps are found, merged, cleaned and reviewed; tests also analyses/train_test_overlap through audits."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from frtaudit.analyses.shared.nearest_matches import Cleaning, Engine, Rules, matcher_of, review_rows, survey
from frtaudit.core import Cohort, CohortData, Templates
from frtaudit.core.cohort import Classification
from frtaudit.datasets.cohorts.traits import TrainingShape, Traits
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.review import as_csv
from frtaudit.stats.similarity.nearest import unit_rows

RULES = Rules(k=5, overlap_at=0.5, review_from=0.4, engine=Engine.BLOCKED, clean=None, reviewed=None)
CLEANED = replace(RULES, clean=Cleaning())
D = 256


def cohort(subjects: list[int], prefix: str) -> Cohort:
    """A cohort of samples of these subjects, in order."""
    names = sorted(set(subjects))
    none: dict[str, Classification] = {}
    return Cohort(
        sample_ids=tuple(f"{prefix}{i}" for i in range(len(subjects))),
        subject_ids=tuple(f"{prefix}s{k}" for k in names),
        subject_of=np.array([names.index(k) for k in subjects], dtype=np.int32),
        classifications=none,
        digest=prefix,
    )


def planted() -> CohortData:
    """Test people 0..3. Training: 0 as identities 0 and 1; 1's very image in 2; a stranger's image of 2 in 3; others.

    Identity 3 shows somebody else but for one image of test person 2; identities 4 to 9 are strangers.
    """
    rng = np.random.default_rng(1)
    faces = unit_rows(rng.normal(size=(20, D)).astype(np.float32))

    def face_like(face: int, noise: float = 0.03) -> np.ndarray:
        return unit_rows(faces[face : face + 1] + noise * rng.normal(size=(1, D)).astype(np.float32))[0]

    test = [
        (0, face_like(0)),
        (0, face_like(0)),
        (1, face_like(1)),
        (1, face_like(1)),
        (2, face_like(2)),
        (3, face_like(3)),
    ]
    held = [(k, face_like(0)) for k in (0, 0, 0, 1, 1)]
    held += [(2, face_like(1)), (2, test[2][1]), (2, face_like(1))]
    held += [(3, face_like(10)), (3, face_like(10)), (3, face_like(10)), (3, face_like(2))]
    held += [(k, face_like(k + 7)) for k in range(4, 10) for _ in range(3)]

    def cohort_data(rows: list[tuple[int, np.ndarray]], prefix: str) -> CohortData:
        vectors = np.stack([vector for _, vector in rows])
        templates = Templates(rows=np.arange(len(rows), dtype=np.int32), vectors=vectors)
        return CohortData(cohort=cohort([k for k, _ in rows], prefix), templates={"m": lambda: templates})

    return replace(cohort_data(test, "t"), training={"wild": cohort_data(held, "w")})


def test_planted_overlaps_are_found() -> None:
    """People 0, 1 and 2 overlap and 3 does not; 1's copied image is above 0.9; identities 0 and 1 are merged."""
    found = survey(planted(), "m", RULES).raw["wild"]
    assert found.overlapping.tolist() == [True, True, True, False]
    assert found.edges()[0].tolist() == [0, 0, 1, 2]
    assert found.edges()[1].tolist() == [0, 1, 2, 3]
    assert found.merged() == [(1, 0)]
    assert found.above(0.5) == (5, 3, 4)
    assert found.above(0.999) == (1, 1, 1)


def test_noise_within_an_identity_is_taken_out_and_matches_change() -> None:
    """The stranger's image in identity 3 goes, and with it person 2's overlap; nothing else does."""
    done = survey(planted(), "m", CLEANED).cleaned["wild"]
    assert np.flatnonzero(done.removed).tolist() == [11]
    assert (done.looked_at, done.images) == (4, 12)
    assert done.found.overlapping.tolist() == [True, True, False, False]
    assert 11 not in done.found.index


def test_both_engines_find_the_same() -> None:
    """Faiss gives the same matches."""
    pytest.importorskip("faiss")
    one, other = (survey(planted(), "m", replace(RULES, engine=engine)).raw["wild"] for engine in Engine)
    assert np.array_equal(one.index, other.index)


def test_a_reviewer_decides(tmp_path: Path) -> None:
    """A verdict beats the score, either way; matches without one keep their score's."""
    base = survey(planted(), "m", RULES).raw["wild"]
    rows = review_rows(base, RULES.review_from)
    assert [row[5] for row in rows] == sorted((row[5] for row in rows), reverse=True)
    verdicts = [
        (row[0], "different" if row[2] in {"t0", "t1"} else "same_image" if row[2] == "t2" else "")
        for row in rows
    ]
    (tmp_path / "review.csv").write_bytes(as_csv(("pair", "verdict"), verdicts))
    told = survey(planted(), "m", replace(CLEANED, reviewed=str(tmp_path / "review.csv")))
    assert told.raw["wild"].overlapping.tolist() == [False, True, True, False]
    assert [row[6] for row in review_rows(told.raw["wild"], 0.4)] == [word for _, word in verdicts]
    (tmp_path / "review.csv").write_bytes(as_csv(("pair", "verdict"), [("f" * 16, "different")]))
    with pytest.raises(DataError, match="^review.csv line 2: names a pair that was not selected for review"):
        survey(planted(), "m", replace(RULES, reviewed=str(tmp_path / "review.csv")))


def test_the_planted_people_of_the_made_up_cohort() -> None:
    """Every subject of the synthetic training set is found, and no other, at a score that parts them."""
    shape = TrainingShape(identities=150, samples=4, overlap=0.4, split=0.5, copied=0.5, noise=0.0)
    source = Traits(
        subjects=50,
        effects=(0.0, 0.0),
        concentration=(260.0, 300.0),
        systems={"m": 0.0},
        training={"w": shape},
    )
    found = survey(source.load({}, 0), "m", RULES).raw["w"]
    assert int(found.overlapping.sum()) == 20
    assert len(found.merged()) == np.unique(found.edges()[1]).size - 20


def test_a_matcher_needs_templates_on_both_sides() -> None:
    """Without a training set, without shared templates, or of another length: one line each."""
    held = planted()
    assert matcher_of(held, ["m"], None, "here") == "m"
    with pytest.raises(SpecError, match="^here: the cohort has no training set"):
        matcher_of(replace(held, training={}), ["m"], None, "here")
    with pytest.raises(SpecError, match="^here.matcher: no templates of 'x' on both sides; accepted: m"):
        matcher_of(held, ["m"], "x", "here")
    bare = replace(held, training={"wild": replace(held.training["wild"], templates={})})
    with pytest.raises(SpecError, match="^here.matcher: no system audited has templates on both sides"):
        matcher_of(bare, ["m"], None, "here")
    short = Templates(rows=np.arange(30, dtype=np.int32), vectors=np.ones((30, 5), dtype=np.float32))
    other = replace(held, training={"wild": replace(held.training["wild"], templates={"m": lambda: short})})
    with pytest.raises(DataError, match="^training set wild: templates of 5 numbers"):
        survey(other, "m", RULES)


def test_known_names_stand_for_a_review() -> None:
    """A column of the training metadata that says whom an image shows, and which it copies, gives the verdicts."""
    shape = TrainingShape(identities=120, samples=4, overlap=0.4, split=0.3, copied=0.6, noise=0.2)
    source = Traits(
        subjects=40, dimension=128, concentration=(500.0, 700.0), systems={"m": 0.1}, training={"w": shape}
    )
    held = source.load({}, 0)
    found = survey(held, "m", replace(RULES, known="shows")).raw["w"]
    put = found.score > RULES.review_from
    assert np.array_equal(found.verdict >= 0, put)
    assert np.all(found.score[found.verdict == 0] > 0.9)
    shown = held.training["w"].attributes["shows"]
    for row, place in zip(*np.nonzero(found.verdict == 1), strict=True):
        assert shown[found.index[row, place]] == held.cohort.subject_ids[found.subject[row]]
    assert (found.verdict == 0).sum() > 0
    with pytest.raises(DataError, match="^training set w: no column 'who'; accepted: shows, shows_image"):
        survey(held, "m", replace(RULES, known="who"))
