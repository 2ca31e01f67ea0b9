"""Cards of test sets: counts by loops, files that read back, certificates."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from goldilocks_audits import RULES, curate_audit, curate_spec
from small_audits import audit, one, pick, spec

from frtaudit.analyses.dataset_card import DatasetCard
from frtaudit.core import Comparisons
from frtaudit.core.spec import Bootstrap, Folds, FoldSource, PairSetSpec, SchemaSpec, Thresholds
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.pair_selection import curate
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.inputs.pairlist import read_pairs
from frtaudit.pipeline.components import comparisons_of, load_cohort


def pairs() -> Comparisons:
    """The curated pairs."""
    made = curate_spec()
    return comparisons_of(made, load_cohort(made))


def test_sizes_by_a_loop() -> None:
    """Images, identities, pairs of each kind and the most pairs of one image, said once."""
    result, held = curate_audit().result, pairs()
    cohort = load_cohort(curate_spec()).cohort
    ends = [*held.probe.tolist(), *held.reference.tolist()]
    want = {
        "card_images": len(set(ends)),
        "card_identities": len({int(cohort.subject_of[n]) for n in ends}),
        "card_mated": 24,
        "card_non_mated": 24,
        "card_max_occurrence": max(ends.count(n) for n in ends),
    }
    for metric, value in want.items():
        found = one(result, metric, at={"pairs": "curated"})
        assert (found.value, found.provider) == (value, "one")
    assert {item.at["pairs"] for item in pick(result, "card_images")} == {"curated", "control"}


def test_classes_values_and_training_overlap() -> None:
    """Identities and pairs of each class, identities with a value, identities that stand in a training set."""
    result, held = curate_audit().result, pairs()
    cohort_data = load_cohort(curate_spec())
    subject = cohort_data.cohort.subject_of
    samples = np.unique(np.concatenate([held.probe, held.reference]))
    people = np.unique(subject[samples])
    code = cohort_data.cohort.classifications["group"].codes
    for place, group in enumerate(("amber", "birch")):
        found = one(result, "card_class_identities", group=group, at={"pairs": "curated"})
        assert (found.numerator, found.denominator) == (int((code[people] == place).sum()), people.size)
        assert one(result, "card_class_pairs", group=group, at={"pairs": "curated"}).numerator == 24
    full = np.unique(subject[samples][cohort_data.attributes["hair"][samples] == "full"]).size
    found = one(
        result, "card_value_identities", at={"pairs": "curated", "attribute": "hair", "value": "full"}
    )
    assert found.numerator == full
    assert one(
        result, "card_attribute_quantile", at={"pairs": "control", "attribute": "age", "quantile": 0.5}
    ).value
    hit = one(result, "card_training_overlap", at={"pairs": "curated", "training": "wild"})
    assert hit.denominator == people.size


def test_the_certificate_of_a_curated_set_holds() -> None:
    """Every rule is kept by every case; the control has the claims that any list has."""
    result = curate_audit().result
    found = [item for item in pick(result, "certificate") if item.at["pairs"] == "curated"]
    assert len(found) >= 14
    assert all(item.value == 1 for item in found)
    assert not any("do not keep" in note for note in result.notes)
    steps = [item for item in pick(result, "pairs_left") if item.at["pairs"] == "curated"]
    assert [item.at["step"] for item in steps] == sorted(item.at["step"] for item in steps)


def test_files_read_back(tmp_path: Path) -> None:
    """Both lists of pairs give the same pairs and folds; the review file is one that curate takes back."""
    files, held = curate_audit().files, pairs()
    cohort_data = load_cohort(curate_spec())
    found = []
    for name in ("pairs.csv", "pairs.txt"):
        (tmp_path / name).write_bytes(files[f"test_sets/curated/{name}"])
        read = read_pairs(tmp_path / name, cohort_data.cohort)
        assert read.fold is not None
        found.append(set(zip(read.probe.tolist(), read.reference.tolist(), read.fold.tolist(), strict=True)))
    assert held.fold is not None
    want = set(zip(held.probe.tolist(), held.reference.tolist(), held.fold.tolist(), strict=True))
    assert found == [want, want]
    review = tmp_path / "review.csv"
    review.write_bytes(files["test_sets/curated/review.csv"])
    rows = list(csv.DictReader(io.StringIO(review.read_text())))
    assert len(rows) == 48
    same = curate(cohort_data, RULES, str(review))
    assert np.array_equal(same.probe, held.probe)
    assert "test_sets/control/pairs.csv" in files
    assert "test_sets/control/review.csv" not in files


def test_a_listed_protocol_has_a_card_without_test_sets() -> None:
    """The audit's own list is a set too; all pairs are none."""
    made = replace(curate_spec(test_sets={}), analyses={"dataset_card": DatasetCard(attributes=("hair",))})
    assert {item.at["pairs"] for item in pick(audit(made).result, "card_images")} == {"protocol"}
    plain = replace(spec(), analyses={"dataset_card": DatasetCard()})
    assert not audit(plain).result.estimates


@pytest.mark.data
def test_lfw_as_table_3_of_the_paper_has_it(face_data: Path) -> None:
    """7,701 images of 4,281 identities; the paper prints 12 as the most pairs of an image, the file has 6."""
    made = spec(
        cohort=TemplateFolder(root=str(face_data / "lfw")),
        protocol=Listed(),
        schemas={"gender": SchemaSpec(column="subject_gender_majority")},
        providers=("mobilefacenet_foamliu",),
        thresholds=Thresholds(fmr=(0.1,)),
        bootstrap=Bootstrap(B=39),
        test_sets={"lfw": PairSetSpec(folds=Folds(source=FoldSource.OFFICIAL))},
    )
    result = audit(replace(made, analyses={"dataset_card": DatasetCard()})).result
    at = {"pairs": "lfw"}
    assert one(result, "card_images", at=at).value == 7701
    assert one(result, "card_identities", at=at).value == 4281
    assert one(result, "card_max_occurrence", at=at).value == 6
