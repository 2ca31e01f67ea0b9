"""Folds to take away: the files read back as the folds that accuracy was computed on."""

import csv
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from small_audits import COHORT, audit, put, spec

from frtaudit.analyses.accuracy import Accuracy
from frtaudit.analyses.dataset_card import DatasetCard
from frtaudit.analyses.shared.pair_files import fold_files, lfw_layout
from frtaudit.core import Comparisons
from frtaudit.core.spec import AuditSpec, FailureScore, Folds, FoldSource, PairSetSpec, Thresholds
from frtaudit.datasets.protocols.sampled import Sampled
from frtaudit.evaluation.system import FoldPairs, SystemData
from frtaudit.inputs.pairlist import read_pairs
from frtaudit.pipeline.audit import Audited
from frtaudit.pipeline.components import lists_of, load_providers
from frtaudit.pipeline.tables import pair_rows, score_rows
from frtaudit.pipeline.test_sets import scored_sets


def folded_spec() -> AuditSpec:
    """Constructed folds of capped pairs, and the same pairs in the folds of their list; one system lost samples."""
    base = spec(protocol=Sampled(per_subject=2), thresholds=Thresholds(fmr=()))
    own = PairSetSpec(pairs=Sampled(mated=18, per_image=2, k=3), folds=Folds(source=FoldSource.OFFICIAL))
    return replace(
        base,
        failures=FailureScore.APART,
        analyses={"accuracy": Accuracy(deals=2), "dataset_card": DatasetCard()},
        test_sets={
            "capped": PairSetSpec(
                folds=Folds(source=FoldSource.DISJOINT, k=3, overlap=True, stratify="group")
            ),
            "given": own,
            "strict": PairSetSpec(folds=Folds(source=FoldSource.STRICT, k=2)),
        },
    )


@cache
def folded() -> Audited:
    """The audit."""
    return audit(folded_spec())


def pairs() -> Comparisons:
    """Twelve mated and twelve non-mated pairs in three folds."""
    held = Sampled(mated=12, per_image=2, k=3).comparisons(COHORT.load({}, 0))
    assert held.fold is not None
    return held


def read(tmp_path: Path, name: str) -> set[tuple[int, int, int]]:
    """A list of the audit, as the reader of lists reads it."""
    path = tmp_path / "list.csv"
    path.write_bytes(folded().files[f"test_sets/{name}.csv"])
    found = read_pairs(path, COHORT.load({}, 0).cohort)
    assert found.fold is not None
    return set(zip(found.probe.tolist(), found.reference.tolist(), found.fold.tolist(), strict=True))


def folds_of(made: FoldPairs, folds: np.ndarray) -> set[tuple[int, int, int]]:
    """Pairs that a system scored, with their folds."""
    probe, reference = made.listed.probe[made.at], made.listed.reference[made.at]
    return set(zip(probe.tolist(), reference.tolist(), folds.tolist(), strict=True))


@cache
def system(provider: str) -> SystemData:
    """One system of the audit, with its test sets."""
    made, of = folded_spec(), put(folded_spec(), provider)
    (scorer,) = [one for one in load_providers(made, of.cohort_data) if one.name == provider]
    lists = lists_of(made, of.cohort_data, of.comparisons)
    return replace(of, test_sets=scored_sets(made, scorer, of.cohort_data, lists))


@pytest.mark.parametrize(("provider", "ending"), [("two", ""), ("one", "_one")])
def test_constructed_folds_read_back(tmp_path: Path, provider: str, ending: str) -> None:
    """Disjoint and overlapping folds are those of the accuracy; a system without some scores has files of its own."""
    made = system(provider).test_sets["capped"]
    assert (made.failed > 0) == (provider == "one")
    assert made.overlap is not None
    assert read(tmp_path, f"capped/pairs{ending}") == folds_of(made, made.folds)
    assert read(tmp_path, f"capped/overlapping{ending}") == folds_of(made, made.overlap)


def test_official_folds_hold_every_pair(tmp_path: Path) -> None:
    """A list's own folds do not depend on failures: one file, all of its pairs."""
    made = system("one").test_sets["given"].listed
    assert made.fold is not None
    assert system("one").test_sets["given"].failed > 0
    want = set(zip(made.probe.tolist(), made.reference.tolist(), made.fold.tolist(), strict=True))
    assert read(tmp_path, "given/pairs") == want
    assert not any("given/pairs_" in name for name in folded().files)


def test_constructed_folds_are_certified() -> None:
    """Caps, identities and balance within classes are counted again on the pairs, and hold."""
    found = {
        str(item.at["rule"]): item
        for item in folded().result.estimates
        if item.metric == "certificate" and item.at["pairs"] == "capped"
    }
    assert set(found) == {
        "each pair stands once",
        "each subject in at most 2 mated pairs",
        "mated pairs of a subject in one fold",
        "mated pairs of two folds differ by at most those of one subject, in each class of group",
        "non-mated pairs of two folds differ by at most one",
    }
    assert all(item.value == 1 for item in found.values())


def test_strict_folds_are_not_held_against_equal_sizes() -> None:
    """Strict folds promise no equal sizes: subjects in several folds are counted, and folds of both kinds."""
    found = {
        str(item.at["rule"]): item.value
        for item in folded().result.estimates
        if item.metric == "certificate" and item.at["pairs"] == "strict"
    }
    assert found["all pairs of a subject in one fold"] == 1
    assert found["pairs of both kinds in every fold"] == 1
    assert not any("differ by at most" in rule for rule in found)


@pytest.mark.parametrize("stem", ["pairs", "pairs_one", "overlapping", "overlapping_one"])
def test_every_list_has_its_certificate(tmp_path: Path, stem: str) -> None:
    """Beside each list, of that list: subjects with mated pairs, and how many of them lie in one fold."""
    subject, homes = COHORT.load({}, 0).cohort.subject_of, defaultdict[int, set[int]](set)
    for probe, reference, fold in read(tmp_path, f"capped/{stem}"):
        if subject[probe] == subject[reference]:
            homes[int(subject[probe])].add(fold)
    text = folded().files[f"test_sets/capped/certificate_{stem}.csv"].decode()
    rows = {row["rule"]: row for row in csv.DictReader(text.splitlines())}
    counts = rows["mated pairs of a subject in one fold"]
    assert int(counts["total"]) == len(homes)
    assert int(counts["satisfied"]) == sum(len(folds) == 1 for folds in homes.values())
    assert rows["each subject in at most 2 mated pairs"]["worst"] == "one has 2"


def test_the_tables_have_the_folds() -> None:
    """Scores carry the fold of their pair; pairs those of every test set."""
    audited = system("two")
    scores, made = score_rows(audited).whole().to_pandas(), audited.test_sets["capped"]
    assert scores["fold"].tolist() == made.folds.tolist()
    table = pair_rows(audited).to_pandas()
    assert table.groupby("test_set", observed=True).size().to_dict() == {
        name: one.listed.n_listed for name, one in audited.test_sets.items()
    }


def test_a_pair_in_no_fold_is_not_written() -> None:
    """Strict folds drop pairs across folds."""
    made = system("two").test_sets["capped"]
    dropped = replace(made, folds=np.where(np.arange(made.folds.size) == 0, -1, made.folds), overlap=None)
    (name,) = fold_files(system("two"), "x", dropped)
    assert fold_files(system("two"), "x", dropped)[name].count(b"\n") == made.folds.size


def test_names_unlike_lfws_have_no_such_layout() -> None:
    """Other names, or folds of other sizes, give no pairs.txt."""
    held = pairs()
    names = [f"n{i}" for i in range(COHORT.load({}, 0).cohort.n_samples)]
    assert lfw_layout(names, held) is None
    fine = [f"n_{i:04d}" for i in range(len(names))]
    assert (lfw_layout(fine, held) or b"").startswith(b"3\t4\n")
    assert lfw_layout(fine, replace(held, mated=np.ones(held.n_listed, dtype=bool))) is None
