import pytest
from annotated_search import result

from frtaudit.analyses import annotation
from frtaudit.analyses.annotation import Annotation
from frtaudit.config.load import load_spec
from frtaudit.core.estimates import Estimate
from frtaudit.core.result import AuditResult
from frtaudit.errors import SpecError
from frtaudit.pipeline.audit import audit


def rates(found: AuditResult, metric: str, **at: float) -> dict[tuple[str, float], Estimate]:
    """Pooled estimates for everybody by system and FMR target."""
    return {
        (item.provider, float(item.at["fmr"])): item
        for item in found.estimates
        if item.metric == metric
        and item.weighting == "pooled"
        and item.schema is None
        and "threshold_of" not in item.at
        and all(item.at[key] == value for key, value in at.items())
    }


@pytest.mark.parametrize(("share", "source"), [(0.0, "estimated"), (1.0, "annotated")])
def test_both_ends_are_the_audits_own_rates(share: float, source: str) -> None:
    """With nobody asked the rate of estimated labels, with everybody that of annotated ones, count for count."""
    found = rates(result("analysis=annotation"), "fnmr_by_annotation", annotated=share)
    own = rates(result(f"cohort.labels.source={source}"), "fnmr_at_fmr")
    assert len(found) == 3 * 2
    for key, item in found.items():
        assert (item.numerator, item.denominator) == (own[key].numerator, own[key].denominator)


def test_curves_stand_for_each_share() -> None:
    """Six curves of each system, FNMR over FMR, that end where the estimates say."""
    found = result("analysis=annotation")
    curves = [item for item in found.curves if item.analysis == "annotation" and item.provider == "acme"]
    assert [item.group for item in curves] == ["0 %", "10 %", "20 %", "30 %", "50 %", "100 %"]
    for share, curve in zip((0.0, 0.1, 0.2, 0.3, 0.5, 1.0), curves, strict=True):
        at = rates(found, "fnmr_by_annotation", annotated=share)["acme", 0.1]
        assert curve.y[curve.x.index(max(x for x in curve.x if x <= 0.1))] == at.value
        assert list(curve.y) == sorted(curve.y, reverse=True)
    assert curves[0].y != curves[-1].y


def test_an_answered_search_asks_nobody() -> None:
    """The note counts; nothing is left to ask."""
    found = result("analysis=annotation")
    (note,) = [text for text in found.notes if text.startswith("annotation")]
    assert note.endswith("faces have a person's answer, 0 have none")


def test_without_annotation_the_list_is_counted() -> None:
    """No rate, no curve: how many faces to ask first, by reason, and how many next; no name of a face or a query."""
    found = result("analysis=annotation", "cohort.annotated=false")
    assert not [item for item in found.estimates if item.analysis == "annotation"]
    assert not [item for item in found.curves if item.analysis == "annotation"]
    notes = [text for text in found.notes if text.startswith("annotation")]
    assert notes[0].startswith("annotation: 0 of ")
    assert any("query left out (several)" in text for text in notes)
    assert "ask next" in notes[-1]
    assert not any("face_" in text or "query_" in text for text in notes)
    counts = [int(text.split(": ")[2].split()[0]) for text in notes[1:]]
    assert sum(counts) == int(notes[0].split(" of ")[1].split()[0])


def test_an_audit_of_named_people_has_nobody_to_ask() -> None:
    """Where faces were not found by query the analysis says nothing."""
    spec = load_spec(["audit=demo", "analyses=[annotation]", "cohort.subjects=40", "bootstrap.B=199"])
    found = audit(spec).result
    assert not [item for item in found.estimates if item.analysis == "annotation"]
    assert not [text for text in found.notes if text.startswith("annotation")]


@pytest.mark.parametrize("shares", [(), (0.5, 0.1), (0.1, 0.1), (-0.1,), (0.5, 1.5)])
def test_shares_ascend_from_0_to_1(shares: tuple[float, ...]) -> None:
    """Anything else is refused in one line."""
    with pytest.raises(SpecError, match=r"analyses\.annotation\.shares"):
        Annotation(shares=shares)


def test_the_metric_that_is_read_from_the_source_is_the_one_that_is_made() -> None:
    """A spec is checked before the module is imported: its metrics stand there as texts."""
    assert annotation.Annotation.metrics == (annotation.METRIC,)
