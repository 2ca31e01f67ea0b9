import pytest
from rapid_audits import made, result
from small_audits import put, spec

from frtaudit.analyses.identity_labels import IdentityLabels
from frtaudit.core import Estimate
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
    assert {"labels_det", "label_counts", "confidence_matrix"} <= kinds
    for item in result().curves:
        if item.analysis == "confidence_matrix":
            assert len(item.replicates) == len(item.x)


def test_a_cohort_whose_subjects_are_known_is_refused() -> None:
    """One line names the cohort that is accepted."""
    with pytest.raises(
        SpecError,
        match="analyses.identity_labels: a cohort whose subjects are known; accepted: cohort=queries",
    ):
        IdentityLabels().survey(spec(), put(spec(), "one").material)
    assert "identity_labels" in made().analyses
