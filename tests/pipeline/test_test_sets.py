from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from small_audits import COHORT, SCHEMAS, audit, folder_of, one, pick, plain, put, score_lines, spec

from frtaudit.core import NonMated
from frtaudit.core.spec import FoldClaim, Folds, FoldSource, PairSetSpec
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.datasets.protocols.sampled import Sampled
from frtaudit.errors import DataError, SpecError
from frtaudit.evaluation.system import FoldPairs

COHORT_OF = COHORT.load(SCHEMAS, 0).cohort
IDS, SUBJECT = COHORT_OF.sample_ids, COHORT_OF.subject_of


def pairs_of(made: Any, provider: str = "two") -> FoldPairs:
    """The fold pairs of a spec's provider."""
    found = put(made, provider).fold_pairs
    assert found is not None
    return found


def table(folds: bool = True) -> str:
    """Twelve mated and twelve non-mated pairs of subjects 0 to 11, three folds of four subjects."""
    lines = ["probe,reference" + (",fold" if folds else "")]
    for k in range(12):
        first, second = np.flatnonzero(k == SUBJECT)[:2]
        other = np.flatnonzero((k + 1) % 4 + 4 * (k // 4) == SUBJECT)[-1]
        for a, b in ((first, second), (first, other)):
            lines.append(f"{IDS[a]},{IDS[b]}" + (f",{k // 4}" if folds else ""))
    return "\n".join(lines) + "\n"


def pair_file(root: Path, text: str, name: str = "own.csv") -> str:
    (root / name).write_text(text)
    return str(root / name)


def test_no_folds() -> None:
    """Without declared folds there are no pairs."""
    assert put(spec(), "two").fold_pairs is None


def test_folds_from_a_file(tmp_path: Path) -> None:
    """The file's pairs in its folds, scored as the templates say."""
    found = pairs_of(spec(folds=Folds(source=FoldSource.FILE, file=pair_file(tmp_path, table()))))
    assert (found.k, found.origin, found.failed, found.dropped) == (3, "from a file", 0, 0)
    assert found.folds.tolist() == [k // 4 for k in range(12) for _ in range(2)]
    assert found.mated.tolist() == [True, False] * 12
    assert found.disjoint
    scores = {
        frozenset(pair): value
        for pair, value in zip(
            zip(*np.triu_indices(len(SUBJECT), 1), strict=True), plain("two").score.tolist(), strict=True
        )
    }
    first = frozenset((int(np.flatnonzero(SUBJECT == 0)[0]), int(np.flatnonzero(SUBJECT == 0)[1])))
    assert found.score[0] == pytest.approx(scores[first], abs=2e-7)


def test_official_folds_of_the_cohort(tmp_path: Path) -> None:
    """The cohort's own list, in LFW's layout or as a table, gives the folds."""
    source = replace(folder_of(tmp_path / "faces"), pairs="pairs.csv")
    pair_file(tmp_path / "faces", table(), "pairs.csv")
    found = pairs_of(spec(cohort=source, folds=Folds(source=FoldSource.OFFICIAL)))
    assert (found.k, found.origin, found.score.size) == (3, "official", 24)


def test_the_protocols_own_folds(tmp_path: Path) -> None:
    """A listed protocol with folds is the accuracy's list: nothing is scored twice."""
    listed = Listed(file=pair_file(tmp_path, table()))
    found = pairs_of(spec(protocol=listed, folds=Folds(source=FoldSource.OFFICIAL)))
    assert (found.k, found.origin) == (3, "as the list of comparisons gives them")


@pytest.mark.parametrize(
    ("source", "origin"),
    [
        (FoldSource.DISJOINT, "constructed identity-disjoint"),
        (FoldSource.STRICT, "constructed, sharing no subject"),
    ],
)
def test_constructed_folds(tmp_path: Path, source: FoldSource, origin: str) -> None:
    """Folds are constructed on the protocol's list, the cohort's list, or drawn pairs, and say on which."""
    folds = Folds(source=source, k=3)
    listed = Listed(file=pair_file(tmp_path, table(folds=False)))
    on_list = pairs_of(spec(protocol=listed, folds=folds))
    assert (on_list.origin, on_list.score.size, on_list.k) == (origin, 24, 3)
    cohort = replace(folder_of(tmp_path / "faces"), pairs="pairs.csv")
    pair_file(tmp_path / "faces", table(folds=False), "pairs.csv")
    on_official = pairs_of(spec(cohort=cohort, folds=folds))
    assert (on_official.origin, on_official.score.size) == (f"{origin} on the official pairs", 24)
    drawn = pairs_of(spec(folds=folds))
    assert drawn.origin == f"{origin} on drawn pairs"
    assert drawn.score.size > 100
    for found in (on_list, on_official, drawn):
        homes = [set(found.folds[found.mated & (found.first == k)].tolist()) for k in range(24)]
        assert max(map(len, homes)) == 1
        assert found.disjoint
        if source is FoldSource.STRICT:
            inside = found.folds >= 0
            ends = [
                set(found.folds[inside & ((found.first == k) | (found.second == k))].tolist())
                for k in range(24)
            ]
            assert max(map(len, ends)) == 1
            assert found.dropped == int((~inside).sum())


def test_drawn_pairs_are_distinct_and_within_cells() -> None:
    """Every mated pair, as many distinct non-mated ones, each within a cell where the protocol wants that."""
    made = spec(
        protocol=AllPairs(non_mated=NonMated.WITHIN_GROUP), folds=Folds(source=FoldSource.DISJOINT, k=2)
    )
    found = pairs_of(made)
    codes = COHORT_OF.classifications["group"].codes
    other = ~found.mated
    assert np.array_equal(codes[found.first[other]], codes[found.second[other]])
    assert np.all(found.first[found.mated] == found.second[found.mated])
    assert np.all(found.first[other] != found.second[other])
    assert len(np.unique(found.score[other])) == int(other.sum())
    assert np.array_equal(found.score, pairs_of(made).score)
    assert not np.array_equal(found.score, pairs_of(replace(made, seed=1)).score)


def test_failed_pairs_are_counted(tmp_path: Path) -> None:
    """Pairs with a failed sample are left out and counted."""
    found = pairs_of(spec(folds=Folds(source=FoldSource.FILE, file=pair_file(tmp_path, table()))), "one")
    lost = set(COHORT.load(SCHEMAS, 0).failures["one"])
    lines = [line.split(",")[:2] for line in table().splitlines()[1:]]
    failed = sum(any(IDS.index(name) in lost for name in line) for line in lines)
    assert failed > 0
    assert (found.failed, found.score.size) == (failed, 24 - failed)


def test_a_fold_that_lost_every_pair_is_refused(tmp_path: Path) -> None:
    """Where all pairs of a fold failed in one provider its accuracy is null with a note; another's stands."""
    lost = sorted(set(COHORT.load(SCHEMAS, 0).failures["one"]))
    kept = [n for n in range(len(IDS)) if n not in lost]
    lines = ["probe,reference,fold"]
    lines += [f"{IDS[lost[0]]},{IDS[n]},0" for n in kept[:5]]
    lines += [f"{IDS[a]},{IDS[b]},1" for a, b in pairwise(kept[:21])]
    folds = Folds(source=FoldSource.FILE, file=pair_file(tmp_path, "\n".join(lines)))
    result = audit(spec("accuracy", folds=folds)).result
    refused = one(result, "accuracy", provider="one")
    assert (refused.value, refused.note) == (None, "1 of 2 folds hold no pair with a score")
    assert one(result, "accuracy", provider="two").value is not None


@pytest.mark.parametrize(
    ("folds", "kind", "said"),
    [
        (Folds(source=FoldSource.FILE), SpecError, "^folds.file: no file"),
        (Folds(source=FoldSource.OFFICIAL), SpecError, "^folds.source: the cohort has no official pairs"),
        (Folds(source=FoldSource.FILE, file="nowhere.csv"), DataError, "nowhere.csv"),
    ],
)
def test_missing_lists_are_refused(folds: Folds, kind: type[Exception], said: str) -> None:
    """A source without its list is refused in one line."""
    with pytest.raises(kind, match=said):
        put(spec(folds=folds), "two")


def test_a_list_without_folds_is_no_source_of_folds(tmp_path: Path) -> None:
    """A file or an official list without folds is refused and names the alternatives."""
    file = pair_file(tmp_path, table(folds=False))
    with pytest.raises(
        SpecError, match="^folds.file: the list of pairs has no folds; accepted: two folds or more"
    ):
        put(spec(folds=Folds(source=FoldSource.FILE, file=file)), "two")
    cohort = replace(folder_of(tmp_path / "faces"), pairs="pairs.csv")
    pair_file(tmp_path / "faces", table(folds=False), "pairs.csv")
    with pytest.raises(SpecError, match="^pairs.csv: the list of pairs has no folds"):
        put(spec(cohort=cohort, folds=Folds(source=FoldSource.OFFICIAL)), "two")


def test_subjects_of_one_sample_have_no_mated_pairs_to_draw() -> None:
    """Where nobody has two samples, folds cannot be drawn, and the error says so."""
    single = replace(COHORT, samples_per_subject=(1, 1))
    with pytest.raises(SpecError, match="folds.source: no subject has two samples"):
        put(spec(cohort=single, folds=Folds(source=FoldSource.DISJOINT)), "two")


def test_score_lists_have_accuracy_too(tmp_path: Path) -> None:
    """Folds constructed on a score list use its scores."""
    pd.DataFrame(score_lines("two")).to_csv(tmp_path / "two.csv", index=False)
    made = spec(
        cohort=ScoreLists(root=str(tmp_path / "two.csv")),
        protocol=Listed(),
        folds=Folds(source=FoldSource.DISJOINT, k=3),
    )
    found = pairs_of(made)
    assert np.sort(found.score) == pytest.approx(np.sort(plain("two").score), abs=1e-12)


def test_a_file_that_leaks_identities_is_refused_in_one_line(tmp_path: Path) -> None:
    """Folds that are claimed to be disjoint, or to share no subject, are counted and refused where they are not."""
    lines = table().splitlines()
    first = np.flatnonzero(SUBJECT == 0)
    lines.append(f"{IDS[first[0]]},{IDS[first[-1]]},2")
    file = pair_file(tmp_path, "\n".join(lines) + "\n")
    for claim, kind in ((FoldClaim.DISJOINT, "mated pairs"), (FoldClaim.STRICT, "pairs")):
        folds = Folds(source=FoldSource.FILE, file=file, claim=claim)
        with pytest.raises(
            DataError, match=f"^folds.claim: the folds share identities: {kind} of 1 subject lie in more"
        ):
            put(spec(folds=folds), "two")
        good = Folds(source=FoldSource.FILE, file=pair_file(tmp_path, table(), "good.csv"), claim=claim)
        assert pairs_of(spec(folds=good)).strict


def test_a_cap_on_mated_pairs_per_subject(tmp_path: Path) -> None:
    """At most so many mated pairs of a subject, drawn by the seed, on drawn and on listed pairs; said in the origin."""
    made = spec(folds=Folds(source=FoldSource.DISJOINT, k=3, per_subject=2))
    found = pairs_of(made)
    assert np.bincount(found.first[found.mated]).max() == 2
    assert "at most 2 mated pairs of a subject" in found.origin
    assert not np.array_equal(found.score, pairs_of(replace(made, seed=5)).score)


def test_strata_lie_evenly_in_the_folds() -> None:
    """Stratified by class: mated and non-mated pairs of each class are as even as the subjects allow."""
    found = pairs_of(spec(folds=Folds(source=FoldSource.DISJOINT, k=3, stratify="group", overlap=True)))
    codes = COHORT_OF.classifications["group"].codes
    assert found.overlap is not None
    for code in (0, 1):
        own = found.mated & (codes[found.first] == code)
        largest = np.bincount(found.first[own]).max()
        counts = np.bincount(found.folds[own], minlength=3)
        assert counts.max() - counts.min() <= largest
        assert np.ptp(np.bincount(found.overlap[own], minlength=3)) <= 1
        other = ~found.mated & (codes[found.first] == code) & (codes[found.second] == code)
        assert np.ptp(np.bincount(found.folds[other], minlength=3)) <= 1
    assert np.array_equal(found.folds[~found.mated], found.overlap[~found.mated])
    with pytest.raises(SpecError, match="^folds.stratify: no schema is named 'x'"):
        put(spec(folds=Folds(source=FoldSource.DISJOINT, stratify="x")), "two")


def test_overlapping_folds_of_given_disjoint_ones(tmp_path: Path) -> None:
    """A file's folds stay; the overlapping ones split subjects, with non-mated pairs where they are."""
    folds = Folds(source=FoldSource.FILE, file=pair_file(tmp_path, table()), overlap=True)
    found = pairs_of(spec(folds=folds))
    assert found.overlap is not None
    assert found.folds.tolist() == [k // 4 for k in range(12) for _ in range(2)]
    assert np.array_equal(found.overlap[~found.mated], found.folds[~found.mated])


def test_test_sets_of_their_own(tmp_path: Path) -> None:
    """Each declared set has its pairs from its own protocol and its own folds; a set without folds is refused."""
    made = spec(
        "accuracy",
        test_sets={
            "drawn": PairSetSpec(pairs=Sampled(per_subject=3), folds=Folds(source=FoldSource.DISJOINT, k=4)),
            "listed": PairSetSpec(
                pairs=Listed(file=pair_file(tmp_path, table())), folds=Folds(source=FoldSource.OFFICIAL)
            ),
            "own": PairSetSpec(folds=Folds(source=FoldSource.STRICT, k=2)),
        },
    )
    result = audit(made).result
    found = {str(dict(item.at)["pairs"]): item for item in pick(result, "accuracy", provider="two")}
    assert sorted(found) == ["drawn", "listed", "own"]
    assert found["listed"].denominator == 24
    assert (
        "two, test set drawn: folds constructed identity-disjoint; they share subjects in non-mated pairs only"
        in result.notes
    )
    for wrong, said in (
        (PairSetSpec(), "test_sets.x.folds.source: no folds"),
        (
            PairSetSpec(pairs=AllPairs(), folds=Folds(source=FoldSource.DISJOINT)),
            "test_sets.x.pairs: all pairs",
        ),
        (
            PairSetSpec(pairs=Sampled(), folds=Folds(source=FoldSource.OFFICIAL)),
            "test_sets.x.pairs: the list of pairs has no folds",
        ),
    ):
        with pytest.raises(SpecError, match=said):
            audit(spec("accuracy", test_sets={"x": wrong}))
