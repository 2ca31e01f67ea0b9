from bisect import bisect_right
from dataclasses import replace

import pytest
from rapid_audits import made, result
from searches import SEARCH, SERVICES
from small_audits import EXPLICIT, put, spec

from frtaudit.analyses.identity_labels import IdentityLabels
from frtaudit.core import Estimate
from frtaudit.core.labelling import Labelling
from frtaudit.core.spec import Thresholds
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticService
from frtaudit.errors import SpecError


def pick(metric: str, **at: object) -> list[Estimate]:
    """Estimates of a metric of everybody at these places."""
    return [
        item
        for item in result().estimates
        if item.metric == metric
        and item.group == "all"
        and all(item.at.get(key) == value for key, value in at.items())
    ]


def test_labels_are_counted_once() -> None:
    """Queries and faces sum to all of them; the confusion table stands with the first service."""
    queries = pick("label_queries")
    assert sum(item.numerator or 0 for item in queries) == queries[0].denominator == 24
    faces = pick("label_faces")
    assert sum(item.numerator or 0 for item in faces) == faces[0].denominator
    assert len(pick("label_confusion")) == 9
    assert {item.provider for item in pick("label_confusion")} == {"acme"}
    assert pick("label_agreement")[0].value > 0.98  # type: ignore[operator]  # there is one


def test_rates_stand_under_each_kind_of_label() -> None:
    """Estimated is what the audit itself reports, pooled; annotated, achievable and without a vote beside it."""
    for provider in ("acme", "bolt", "crest"):
        (own,) = [
            item for item in pick("fnmr_by_labels", labels="estimated", fmr=0.1) if item.provider == provider
        ]
        (main,) = [
            item
            for item in result().estimates
            if (item.metric, item.provider, item.group, item.weighting, dict(item.at))
            == ("fnmr_at_fmr", provider, "all", "pooled", {"fmr": 0.1})
        ]
        assert (own.numerator, own.denominator) == (main.numerator, main.denominator)
    assert {item.at["labels"] for item in pick("fnmr_by_labels")} == {
        "several_drop",
        "several_use",
        "estimated",
        "annotated",
        "achievable",
        "no_vote",
    }


def test_groups_have_their_own_equal_error_rate() -> None:
    """Each class, under both kinds of label."""
    found = [item for item in result().estimates if item.metric == "eer_by_labels" and item.schema == "group"]
    assert {item.group for item in found} == {"amber", "birch"}
    assert all(item.value is not None for item in found)


def test_curves_and_examples_are_kept() -> None:
    """A curve for each service and label, dots of queries, one matrix of each kind that there is."""
    kinds = {item.analysis for item in result().curves}
    assert {
        "labels_det",
        "labels_scores",
        "labels_rates",
        "label_counts",
        "label_sizes",
        "label_shares",
    } <= kinds
    assert {"confidence_matrix", "confidence_vectors"} <= kinds
    matrices = [item for item in result().curves if item.analysis == "confidence_matrix"]
    kinds_of = {
        name: [item.group for item in matrices if item.provider == name] for name in ("acme", "bolt", "crest")
    }
    assert "used" in kinds_of["acme"]
    assert kinds_of["acme"] == kinds_of["bolt"] == kinds_of["crest"]
    for item in matrices:
        assert len(item.replicates) == len(item.x)
        assert list(item.x) == list(range(len(item.x)))
        assert list(item.y) == sorted(item.y, reverse=True)


def test_the_band_is_that_of_the_labels_that_the_cohort_has() -> None:
    """Wilson's, around the estimated curve alone, and as printed for a fixed threshold: pooled rate within it."""
    drawn = [item for item in result().curves if item.analysis == "labels_det" and item.schema is None]
    assert {str(item.metric) for item in drawn if item.low is not None} == {"estimated"}
    for item in drawn:
        for low, y, high in zip(item.low or (), item.y, item.high or (), strict=False):
            assert low <= y <= high


def test_no_rate_is_read_off_hidden_scores() -> None:
    """Of a service with a floor amid its non-mated scores FMR 0.9 is refused under every label, and why is said."""
    services = {**SERVICES, "acme": SyntheticService(noise=0.25, floor=50.0)}
    asked = made(
        cohort=replace(SEARCH, services=services),
        analyses={"identity_labels": IdentityLabels(matrices=False)},
        thresholds=Thresholds(fmr=(0.9, 0.1), grid=EXPLICIT),
        schemas={},
    )
    system = put(asked, "acme")
    system = replace(system, surveys={"identity_labels": IdentityLabels().survey(asked, system.cohort_data)})
    found = IdentityLabels().estimates(system, 0.05)
    at = {
        item.at["labels"]: item
        for item in found.estimates
        if item.metric == "fnmr_by_labels" and item.at["fmr"] == 0.9
    }
    assert set(at) == {"estimated", "annotated", "achievable", "no_vote", "several_drop", "several_use"}
    assert all(item.value is None and "lies in the floor" in str(item.note) for item in at.values())
    assert all(max(item.x) < 0.9 for item in found.curves if item.analysis == "labels_det")


def test_a_cohort_whose_subjects_are_known_is_refused() -> None:
    """One line names the cohort that is accepted."""
    with pytest.raises(
        SpecError,
        match="analyses.identity_labels: a cohort whose subjects are known; accepted: cohort=queries",
    ):
        IdentityLabels().survey(spec(), put(spec(), "one").cohort_data)
    assert "identity_labels" in made().analyses


def test_what_queries_of_several_people_change_is_told_both_ways() -> None:
    """More queries, people and faces are used than dropped; the rates of the setting in force are the audit's own."""
    for metric in ("label_several_queries", "label_several_people", "label_several_faces"):
        (drop,) = pick(metric, several="drop")
        (use,) = pick(metric, several="use")
        assert use.value > drop.value  # type: ignore[operator]  # both are there
    here = pick("fnmr_by_labels", labels="estimated")
    drop_rates = pick("fnmr_by_labels", labels="several_drop")
    assert {(i.provider, i.at["fmr"], i.numerator) for i in drop_rates} == {
        (i.provider, i.at["fmr"], i.numerator) for i in here if i.schema is None
    }


def test_annotated_rates_of_a_group_are_what_is_annotated() -> None:
    """One group loses its hard queries: its annotated rates are those of all its faces, to the last digit."""
    queries = 40
    cohort = replace(
        SEARCH, queries=queries, twins=0.1, concentration=(20, 300), classes={"amber": 1.0, "birch": 0.3}
    )
    asked = made(cohort=cohort, analyses={"identity_labels": IdentityLabels(subsets=False, matrices=False)})
    system = put(asked, "acme")
    system = replace(system, surveys={"identity_labels": IdentityLabels().survey(asked, system.cohort_data)})
    found = IdentityLabels().estimates(system, 0.05)
    value = {
        (item.metric, item.group, item.at["labels"], item.at.get("fmr")): item.value
        for item in found.estimates
        if item.schema == "group" and "labels" in item.at
    }
    labelling = system.cohort_data.labelling
    assert labelling is not None
    used = [reason == "" for reason in labelling.labelled.reason]
    assert sum(used[: queries // 2]) > sum(used[queries // 2 :]) + 2
    for group, own in (("amber", range(queries // 2)), ("birch", range(queries // 2, queries))):
        true = rates_on_truth(labelling, "acme", own)
        fmr, fnmr = min(
            true.values(), key=lambda pair: abs(pair[0] - pair[1])
        )  # of ties the smallest threshold
        assert value["eer_by_labels", group, "annotated", None] == (fmr + fnmr) / 2
        for target in (0.1, 0.05):
            expected = next(fnmr for fmr, fnmr in true.values() if fmr <= target)
            assert value["fnmr_by_labels", group, "annotated", target] == expected
        (drawn,) = (
            item
            for item in found.curves
            if (item.analysis, item.group, item.metric) == ("labels_det", group, "annotated")
        )
        assert set(zip(drawn.x, drawn.y, strict=True)) <= set(true.values())
    achievable, annotated = (
        value["eer_by_labels", "birch", kind, None] for kind in ("achievable", "annotated")
    )
    assert annotated > 1.2 * achievable  # type: ignore[operator]  # both are there
    shares = {item.group: len(item.x) for item in found.curves if item.analysis == "label_shares"}
    assert shares == {"all": queries, "amber": queries // 2, "birch": queries // 2}


def rates_on_truth(labelling: Labelling, name: str, queries: range) -> dict[float, tuple[float, float]]:
    """Score to FMR and FNMR there (match iff above), of the annotated faces of some queries, ascending; by counting."""
    faces = labelling.faces
    (service,) = (one for one in labelling.services if one.name == name)
    mated, non_mated = [], []
    for one, two, score in zip(
        service.first.tolist(), service.second.tolist(), service.score.tolist(), strict=True
    ):
        query = [int(faces.query_of[face]) for face in (one, two)]
        if all(faces.annotated[face] == 1 for face in (one, two)) and all(q in queries for q in query):
            (mated if query[0] == query[1] else non_mated).append(score)
    return {
        cut: (
            (len(non_mated) - bisect_right(non_mated, cut)) / len(non_mated),
            bisect_right(mated, cut) / len(mated),
        )
        for mated, non_mated in [(sorted(mated), sorted(non_mated))]
        for cut in sorted({*mated, *non_mated})
    }
