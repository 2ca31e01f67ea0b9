"""The audit of train/test overlap: counts, lists, violins, and accuracy without the overlap."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from goldilocks_audits import curate_audit
from goldilocks_audits import overlap_audit as whole
from goldilocks_audits import overlap_spec as made
from small_audits import audit, one, pick, put

from frtaudit.analyses.shared.nearest_matches import Overlap
from frtaudit.core.canonical import seed_of
from frtaudit.core.identity import plugin
from frtaudit.errors import SpecError
from frtaudit.inputs.review import as_csv
from frtaudit.pipeline.components import load_cohort, surveys_of
from frtaudit.stats.folds import fold_assignment, kfold_accuracy


def survey() -> Overlap:
    """What the audit found out once."""
    found = surveys_of(made(), load_cohort(made()))["overlap"]
    assert isinstance(found, Overlap)
    return found


def test_counts_of_images_and_identities() -> None:
    """At every threshold and training set, before and after cleaning, with the matcher alone; counts as a loop's."""
    result, found = whole().result, survey().raw["wild"]
    assert {item.provider for item in pick(result, "overlap_images")} == {"one"}
    assert len(pick(result, "overlap_images")) == 2 * 2 * 3
    for threshold in (0.5, 0.7, 0.9):
        at = {"training": "wild", "above": threshold, "stage": "found"}
        rows = [n for n in range(found.rows.size) if max(found.score[n]) > threshold]
        item = one(result, "overlap_images", at=at)
        assert (item.numerator, item.denominator) == (len(rows), found.rows.size)
        people = {int(found.subject[n]) for n in rows}
        assert one(result, "overlap_identities", at=at).numerator == len(people)
    assert one(result, "overlap_identities", at={"training": "tame", "stage": "found"}).numerator == 0
    assert one(result, "overlap_identities", at={"training": "wild", "stage": "found"}).numerator == 24


def test_lists_to_act_on() -> None:
    """To remove: matching identities; control: as many others; merges, noise, test identities, the review file."""
    files, last = whole().files, survey().last["wild"]
    remove = files["overlap/wild/remove.txt"].decode().split()
    control = files["overlap/wild/random_control.txt"].decode().split()
    assert len(remove) == np.unique(last.edges()[1]).size == len(control)
    assert not set(remove) & set(control)
    assert set(control) <= set(last.training.subject_ids)
    assert len(files["overlap/wild/test_identities.txt"].split()) == int(last.overlapping.sum())
    merges = list(csv.reader(io.StringIO(files["overlap/wild/merge.csv"].decode())))
    assert merges[0] == ["training_identity", "merge_into"]
    assert len(merges) - 1 == len(last.merged()) > 0
    assert files["overlap/tame/remove.txt"] == b""
    lines = files["overlap/review.csv"].decode().splitlines()
    assert lines[0] == "pair,training_set,test_image,training_image,rank,score,verdict"
    assert "overlap/wild/noise_images.txt" in files
    assert sorted(whole().result.digests["outputs"]) == sorted(files)  # type: ignore[arg-type]  # a mapping


def test_where_every_best_match_counts_more_may_match() -> None:
    """With one best match each, the identities listed are some of those that five list, and a note says so."""
    notes, people = {}, {}
    for k in (1, 5, 40):
        asked = replace(made().analyses["overlap"], k=k)
        found = audit(replace(made(), analyses={**made().analyses, "overlap": asked}))
        people[k] = set(found.files["overlap/wild/remove.txt"].decode().split())
        notes[k] = [note for note in found.result.notes if "further training identities may match" in note]
    assert people[1] <= people[5] <= people[40]
    assert notes[1][0].startswith("overlap with wild: the 1 best matches of ")
    assert notes[1][0].endswith(
        "counts and lists are at least these, and a larger analyses.train_test_overlap.k extends them"
    )
    assert notes[40] == []  # no test image has so many
    full = int(survey().last["wild"].same.all(axis=1).sum())
    assert bool(full) == any(f" of {full} test image" in note for note in whole().result.notes)


def test_violins_by_training_set_and_by_verdict(tmp_path: Path) -> None:
    """One density for each training set; with a review also one for each verdict that was given often enough."""
    kinds = [
        (curve.group, curve.metric) for curve in whole().result.curves if curve.analysis == "match_scores"
    ]
    assert kinds == [("wild", "all"), ("tame", "all")]
    rows = list(csv.DictReader(io.StringIO(whole().files["overlap/review.csv"].decode())))
    said = [(row["pair"], "same_identity" if float(row["score"]) > 0.6 else "different") for row in rows]
    (tmp_path / "r.csv").write_bytes(as_csv(("pair", "verdict"), said))
    result = audit(made(reviewed=str(tmp_path / "r.csv"))).result
    kinds = [(curve.group, curve.metric) for curve in result.curves if curve.analysis == "match_scores"]
    assert ("wild", "same_identity") in kinds
    same = one(result, "reviewed_same_identity", at={"training": "wild", "above": 0.7})
    assert same.numerator == same.denominator
    assert "r.csv" in result.digests["inputs"]  # type: ignore[operator]  # a mapping


def test_accuracy_with_and_without_overlapping_identities() -> None:
    """For every system: folds as they are, pairs with an overlapping person left out, those pairs alone, in one mix."""
    flags = survey().last["wild"].overlapping
    for provider in ("one", "two"):
        pairs = put(made(), provider).fold_pairs
        assert pairs is not None
        hit = flags[pairs.first] | flags[pairs.second]
        at = {"pairs": "folds", "training": "wild"}
        rng = np.random.default_rng(seed_of(made().seed, "train_test_overlap", "mix", "folds", "wild"))
        for metric, part in (("accuracy_without_overlap", ~hit), ("accuracy_of_overlap", hit)):
            found = one(whole().result, metric, provider=provider, at=at)
            keep = fold_assignment.of_one_mix(pairs.mated, pairs.folds, part, rng)
            want = kfold_accuracy.k_fold_accuracy(pairs.score[keep], pairs.mated[keep], pairs.folds[keep], 3)
            assert not (keep & ~part).any()
            mated = np.bincount(pairs.folds[keep & pairs.mated], minlength=3)
            assert np.abs(mated - np.bincount(pairs.folds[keep & ~pairs.mated], minlength=3)).max() <= 1
            assert found.value == pytest.approx(want.mean)
            assert found.denominator == int(keep.sum())
        delta = one(whole().result, "delta_accuracy_overlap", provider=provider, at=at)
        every = kfold_accuracy.k_fold_accuracy(pairs.score, pairs.mated, pairs.folds, 3).mean
        rest = one(whole().result, "accuracy_without_overlap", provider=provider, at=at).value or 0
        assert delta.value == pytest.approx(every - rest)
    nobody = one(
        whole().result, "delta_accuracy_overlap", provider="one", at={"pairs": "folds", "training": "tame"}
    )
    assert nobody.value == 0
    assert (nobody.intervals[0].low, nobody.intervals[0].high) == (None, None)


def test_few_wrong_pairs_carry_no_interval() -> None:
    """Below ten wrong pairs, or ten subjects in them, on either side: no interval, and it says on which."""
    for pairs, said in (("curated", "no overlap"), ("control", "overlap")):
        at = {"pairs": pairs, "training": "wild"}
        item = one(curate_audit().result, "delta_accuracy_overlap", provider="one", at=at)
        assert (item.value or 0) > 0
        assert (item.intervals[0].low, item.intervals[0].high) == (None, None)
        assert item.intervals[0].note == f"fewer than 10 wrong pairs, or 10 subjects in them, with {said}"


def test_numbers_that_no_search_has() -> None:
    """Refused at birth, naming the field."""
    for wrong in ({"k": 0}, {"thresholds": ()}, {"clean": {"reach": 0}}):
        with pytest.raises(SpecError, match=r"^analyses\.train_test_overlap\."):
            plugin("analysis", {"type": "train_test_overlap", **wrong}, "analyses.train_test_overlap")
