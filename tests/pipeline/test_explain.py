import json
import shutil
from pathlib import Path

import pytest
from vendor_audits import runs

from frtaudit.core import AuditResult, Estimate
from frtaudit.core.canonical import digest, to_bytes
from frtaudit.errors import SpecError
from frtaudit.inputs.run_tables import read_run_tables
from frtaudit.inputs.thresholds.default_thresholds import Scale
from frtaudit.pipeline.explain import Explanation, explain, scale_of


@pytest.fixture(scope="module")
def explained() -> Explanation:
    """One run at a threshold that it was run with, at another, and at two that its tables cannot tell."""
    return explain(runs() / "one", [0.2, 0.25, -0.9, 7.0])


def known(metric: str, threshold: float) -> list[Estimate]:
    """What the run itself found there, in its primary weighting."""
    result = AuditResult.from_json(json.loads((runs() / "one" / "result.json").read_bytes()))
    weighting = result.spec["weighting"]
    return [
        item
        for item in result.estimates
        if item.metric == metric and dict(item.at) == {"threshold": threshold} and item.weighting == weighting
    ]


def test_rates_and_intervals_are_those_of_the_run(explained: Explanation) -> None:
    """At a threshold of the run every rate, count and bound of everybody and each group is the one in its result."""
    found = [meaning for meaning in explained.meanings if meaning.threshold == 0.2]
    assert [meaning.group for meaning in found] == ["all", "x", "y"]
    for metric in ("fmr", "fnmr"):
        for meaning, estimate in zip(found, known(metric, 0.2), strict=True):
            rate = getattr(meaning, metric)
            assert rate.value == pytest.approx(estimate.value, rel=1e-12)
            assert (rate.errors, rate.trials) == (estimate.numerator, estimate.denominator)
            interval = estimate.intervals[0]
            assert (rate.low, rate.high) == pytest.approx((interval.low, interval.high), rel=0.2)
            assert rate.low <= rate.value <= rate.high


def test_any_threshold_above_the_floor_has_rates(explained: Explanation) -> None:
    """Between two thresholds of the run the rates lie between theirs."""
    low, high = known("fnmr", 0.2)[0].value, known("fnmr", 0.3)[0].value
    (everybody,) = [item for item in explained.meanings if item.threshold == 0.25 and item.group == "all"]
    assert low is not None
    assert high is not None
    assert everybody.fnmr.value is not None
    assert low <= everybody.fnmr.value <= high


def test_a_threshold_that_the_tables_do_not_hold_says_what_to_run(explained: Explanation) -> None:
    """Below the floor: a setting that can be typed; outside the range: the range."""
    below, outside = explained.untold
    assert "kept non-mated scores from" in below
    assert "'thresholds.grid={kind: explicit, values: [-0.9]}'" in below
    assert outside == "asked (7): outside the scores of one, -1 to 1"


def test_defaults_of_libraries_are_told_on_the_scale_of_the_scores(tmp_path: Path) -> None:
    """Templates are cosines; a provider says otherwise; of a list the caller must; dlib's raw distance is left out."""
    found = explain(runs() / "one")
    assert {meaning.origin for meaning in found.meanings} >= {"DeepFace Facenet, cosine distance 0.4"}
    assert any(line.startswith("dlib, face_recognition dlib ResNet") for line in found.untold)
    assert all(meaning.source for meaning in found.meanings)
    shutil.copytree(runs() / "two", tmp_path / "two")
    content = json.loads((tmp_path / "two" / "result.json").read_bytes())

    def scale(**changes: object) -> Scale | None:
        written = {**content, "spec": {**content["spec"], **changes}}
        (tmp_path / "two" / "result.json").write_bytes(to_bytes(written))
        (tmp_path / "two" / "verdict.json").write_bytes(to_bytes({"result_sha256": digest(written)}))
        return scale_of(read_run_tables(tmp_path / "two"), "two")

    provider = {"name": "two", "type": "cosine", "metric": "euclidean"}
    assert scale(providers=[provider]) is Scale.MINUS_SQUARED_DISTANCE
    assert scale(providers=["two"]) is Scale.COSINE
    assert scale(cohort={"type": "scores"}, providers=None) is None
    with pytest.raises(
        SpecError,
        match=r"--scores: the scale of the scores of two is not known; accepted: cosine, .*; or threshold=X",
    ):
        explain(tmp_path / "two")
