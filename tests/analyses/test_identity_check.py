"""Tests of frtaudit.analyses.identity_check, and of its way through an audit to the verdict and the review file."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from small_audits import audit, one, pick, spec

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.identity_check import IdentityCheck
from frtaudit.core import Finding, Verdict
from frtaudit.core.spec import Bootstrap, Grid, GridKind, RequirementSpec, Thresholds
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.errors import DataError
from frtaudit.pipeline.audit import Audited
from frtaudit.testing.study import planted_duplicates
from frtaudit.testing.study.sets import superpopulation

PEOPLE, IMAGES, SPLIT, SWAPPED = 110, 3, 5, 3
THRESHOLD = 0.7
LIMITS = {
    "low": 1e-5,
    "between": 0.001,
    "high": 0.05,
}  # FMR is 0.0004 to 0.0008 with the duplicates, 0 without


@dataclass(frozen=True)
class People:
    """A folder of 110 people of 3 images in classes x and y, and their cosines."""

    root: Path
    names: tuple[str, ...]
    scores: np.ndarray


def made(root: Path, noise: float = 0.4, *, swapped: int = 0) -> People:
    """The first 5 people stand under two labels each; the first images of the last people under their neighbour's."""
    rng = np.random.default_rng(5)
    vectors = np.repeat(rng.normal(size=(PEOPLE, 64)), IMAGES, axis=0)
    spread = np.full((PEOPLE, 1), noise)  # these are more alike than the lowest quarter
    spread[:SPLIT] = spread[PEOPLE - 2 * SWAPPED :] = 0.6 * noise
    vectors = vectors + np.repeat(spread, IMAGES, axis=0) * rng.normal(size=vectors.shape)
    vectors = vectors.astype(np.float32)
    names = [f"p{k // IMAGES:03}" for k in range(PEOPLE * IMAGES)]
    for k in range(SPLIT * IMAGES):
        names[k] += "ab"[k % IMAGES > 0]
    for k in range(PEOPLE - 2 * swapped, PEOPLE, 2):
        names[IMAGES * k] = names[IMAGES * (k + 1)]
    rows = [f"{n:03},{name},{'xy'[name >= 'p030']}" for n, name in enumerate(names)]
    (root / "templates").mkdir(parents=True)
    (root / "metadata.csv").write_text("\n".join(["image_id,subject_id,group", *rows]) + "\n")
    ids = np.array([f"{n:03}" for n in range(len(names))])
    np.savez(root / "templates" / "one.npz", embedding=vectors, image_id=ids)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return People(root=root, names=tuple(names), scores=(unit @ unit.T).astype(np.float64))


def audited(people: People, *, reviewed: Path | None = None) -> Audited:
    """Error rates and the identity check, FMR judged at a fixed threshold under three limits."""
    analysis = IdentityCheck(reviewed=None if reviewed is None else str(reviewed))
    asked = tuple(
        RequirementSpec(name=name, metric="fmr", limit=limit, at={"threshold": THRESHOLD})
        for name, limit in LIMITS.items()
    )
    return audit(
        spec(
            cohort=TemplateFolder(root=str(people.root)),
            analyses={"error_rates": ErrorRates(curve_points=9), "identity_check": analysis},
            requirements=asked,
            thresholds=Thresholds(fmr=(0.01,), grid=Grid(kind=GridKind.EXPLICIT, values=(THRESHOLD,))),
            bootstrap=Bootstrap(B=99),
        )
    )


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> People:
    """Five planted duplicates."""
    return made(tmp_path_factory.mktemp("people") / "data")


@pytest.fixture(scope="module")
def found(people: People) -> Audited:
    """Its audit."""
    return audited(people)


def verdicts(audit: Audited) -> dict[str, Finding]:
    """Findings by the name of their requirement."""
    return {item.requirement: item for item in audit.result.findings}


def review(audit: Audited) -> list[dict[str, str]]:
    """Lines of the review file."""
    return list(csv.DictReader(io.StringIO(audit.files["identity_check/review.csv"].decode())))


def returned(path: Path, audit: Audited, say: Callable[[dict[str, str]], str]) -> Path:
    """The review file with verdicts, as it comes back."""
    lines = [{**row, "verdict": say(row)} for row in review(audit)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return path


def by_hand(people: People, *, without: bool, weighting: str, group: str) -> tuple[int, int, float]:
    """False matches, comparisons and FMR at the threshold, from every pair of images."""
    names = np.array(people.names)
    inside = sorted(set(people.names)) if group == "all" else sorted(n for n in set(names) if n < "p030")
    errors = trials = 0
    shares = []
    for n, second in enumerate(inside):
        for first in inside[:n]:
            if without and first[:4] == second[:4]:
                continue
            block = people.scores[np.ix_(names == first, names == second)] > THRESHOLD
            errors, trials = errors + int(block.sum()), trials + block.size
            shares.append(block.mean())
    return errors, trials, errors / trials if weighting == "pooled" else float(np.mean(shares))


def test_planted_duplicates_are_found_and_no_others(found: Audited) -> None:
    """Each of the 5 split people stands in the review file, with names and medians."""
    lines = review(found)
    assert {row["kind"] for row in lines} == {"people"}
    people = {(row["subject"], row["other_subject"]) for row in lines}
    assert people == {(f"p{k:03}a", f"p{k:03}b") for k in range(SPLIT)}
    counted = one(found.result, "suspected_duplicates")
    assert (counted.numerator, counted.denominator) == (SPLIT, 115 * 114 // 2)
    assert one(found.result, "suspected_images").numerator == 0
    for row in lines:
        assert float(row["median"].removeprefix("one: ")) >= float(row["cut"].removeprefix("one: "))


def test_misplaced_images_are_found_with_the_person_they_look_like(tmp_path: Path) -> None:
    """Three images under another's label: image, own label and the person that it matches, and no other image."""
    lines = [
        row for row in review(audited(made(tmp_path / "data", swapped=SWAPPED))) if row["kind"] == "image"
    ]
    places = range(PEOPLE - 2 * SWAPPED, PEOPLE, 2)
    expected = {(f"{IMAGES * k:03}", f"p{k + 1:03}", f"p{k:03}") for k in places}
    assert {(row["sample"], row["subject"], row["other_subject"]) for row in lines} == expected


@pytest.mark.parametrize("weighting", ["pooled", "identity"])
@pytest.mark.parametrize("group", ["all", "x"])
def test_fmr_with_and_without_is_that_computed_by_hand(
    people: People, found: Audited, weighting: str, group: str
) -> None:
    """Counts and rates in both weightings, for everybody and a class, with the planted duplicates and without."""
    for metric, without in (("fmr", False), ("fmr_without_suspected", True)):
        made = one(
            found.result, metric, weighting=weighting, group=group, at={"threshold": THRESHOLD},
        )  # fmt: skip
        errors, trials, rate = by_hand(people, without=without, weighting=weighting, group=group)
        assert (made.numerator, made.denominator) == (errors, trials)
        assert made.value == pytest.approx(rate, abs=1e-12)


def test_a_pass_holds_as_labelled_and_a_failure_only_where_it_stands_without_them(found: Audited) -> None:
    """Under the high limit a pass both ways; under the low one a failure that falls without them: inconclusive."""
    judged = verdicts(found)
    assert judged["high"].verdict is Verdict.PASS
    assert judged["low"].verdict is Verdict.INCONCLUSIVE
    assert "only after a person has confirmed them" in judged["low"].sentence
    assert judged["low"].p_adjusted is not None
    assert judged["low"].p_adjusted <= 0.05
    assert judged["low"].set_aside
    assert not judged["low"].fails_unadjusted
    assert not judged["high"].set_aside


def test_confirmed_duplicates_are_left_out_of_what_is_judged(
    found: Audited, people: People, tmp_path: Path
) -> None:
    """With every pair confirmed the verdict is that of the corrected data, and the list says whom to merge."""
    path = returned(tmp_path / "review.csv", found, lambda _: "same_identity")
    again = audited(people, reviewed=path)
    assert not pick(again.result, "fmr_without_suspected")
    finding = verdicts(again)["between"]
    place = int((finding.estimate or "").rsplit("/", 1)[1])
    assert again.result.estimates[place].metric == "fmr_without_confirmed"
    assert finding.verdict is Verdict.PASS
    assert verdicts(found)["between"].verdict is not Verdict.PASS
    merge = list(csv.DictReader(io.StringIO(again.files["identity_check/label_errors.csv"].decode())))
    assert len(merge) == SPLIT
    assert {"sample": "", "subject": "p000a", "same_person_as": "p000b"} in merge


def test_pairs_that_are_different_are_suspected_no_more(
    found: Audited, people: People, tmp_path: Path
) -> None:
    """Called different by a person, the pairs stay and the failure stands."""
    again = audited(people, reviewed=returned(tmp_path / "review.csv", found, lambda _: "different"))
    assert not pick(again.result, "fmr_without_suspected")
    assert not pick(again.result, "fmr_without_confirmed")
    assert verdicts(again)["low"].verdict is Verdict.FAIL


def test_a_review_whose_names_were_changed_is_refused(found: Audited, people: People, tmp_path: Path) -> None:
    """A row whose names do not make the pair's id is named with its line."""
    path = returned(tmp_path / "review.csv", found, lambda _: "same_identity")
    path.write_text(path.read_text().replace("p000b", "p007"))
    with pytest.raises(DataError, match="line 2|was not selected for review"):
        audited(people, reviewed=path)


def test_a_weak_system_flags_nothing(tmp_path: Path) -> None:
    """Where more than 0.1 % of pairs of people reach the cut, it says that it is too weak to tell."""
    weak = audited(made(tmp_path / "data", noise=4.0))
    counted = one(weak.result, "suspected_duplicates")
    assert counted.numerator is None
    assert "too weak to tell" in (counted.note or "")
    assert not review(weak)
    assert not pick(weak.result, "fmr_without_suspected")


@pytest.mark.slow
def test_known_faults_of_a_real_set_are_found(face_data: Path) -> None:
    """Two images that stand under two names each are flagged among 16.5 million pairs of people, with 30 at most."""
    found = superpopulation.real_set(face_data / "lfw", "mobilefacenet_insightface")
    cohort = TemplateFolder(root=str(face_data / "lfw")).load({}, 0).cohort
    pairs = planted_duplicates.suspects(found.tail)
    names = [
        {cohort.subject_ids[a], cohort.subject_ids[b]} for a, b in zip(pairs.first, pairs.second, strict=True)
    ]
    assert {"Carlos_Beltran", "Raul_Ibanez"} in names
    assert {"Bart_Hendricks", "Ricky_Ray"} in names
    assert len(names) <= 30


@pytest.mark.slow
def test_split_people_of_a_real_set_are_found(face_data: Path) -> None:
    """Of 20 people of ten images or more, split at random, 16 are found in each draw, and two others at most."""
    found = planted_duplicates.flagged(face_data / "lfw", "mobilefacenet_insightface", draws=3)
    assert found.holds, found
