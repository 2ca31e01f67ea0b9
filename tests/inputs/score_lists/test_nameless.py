import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from frtaudit.config.load import load_spec
from frtaudit.core import Target
from frtaudit.core.spec import AuditSpec, Report
from frtaudit.errors import SpecError
from frtaudit.inputs.score_lists.nameless import SAID
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.dry_run import check
from frtaudit.report import render
from frtaudit.report.pieces import sentence

RNG = np.random.default_rng(11)
MATED, NON_MATED = RNG.normal(0.6, 0.12, 400).round(4), RNG.normal(0.2, 0.1, 5000).round(4)


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of two columns."""
    path = tmp_path_factory.mktemp("scores") / "vendor"
    lines = [f"1 {value}" for value in MATED] + [f"-1 {value}" for value in NON_MATED]
    path.write_text("\n".join(lines) + "\n")
    return path


def spec_on(path: Path, *more: str) -> AuditSpec:
    """audit=nameless on a file."""
    words = ["audit=nameless", "cohort=bob_measure", f"cohort.root={path}", "thresholds.fmr=[0.01]", *more]
    return load_spec(words)


def test_intervals_hold_for_comparisons_only(scores: Path) -> None:
    """Every interval of such an audit has target comparisons_iid, in one weighting, and the result says why."""
    result = audit(spec_on(scores, "thresholds.grid.kind=explicit", "thresholds.grid.values=[0.45]")).result
    targets = {interval.target for item in result.estimates for interval in item.intervals}
    assert targets == {Target.COMPARISONS_IID}
    assert {item.weighting for item in result.estimates} == {"pooled"}
    assert {item.target for item in result.curves} <= {None, Target.COMPARISONS_IID}
    assert SAID in result.notes
    assert not [note for note in result.notes if "2 subjects" in note]
    assert result.cohort["subjects"] == result.cohort["samples"] == 0
    found = {item.metric: item for item in result.estimates if item.at == {"threshold": 0.45}}
    for metric, errors, trials in (
        ("fnmr", (MATED <= 0.45).sum(), 400),
        ("fmr", (NON_MATED > 0.45).sum(), 5000),
    ):
        assert (found[metric].numerator, found[metric].denominator) == (errors, trials)
        low, high = proportion_confint(errors, trials, 0.05, "wilson")
        assert (found[metric].intervals[0].low, found[metric].intervals[0].high) == pytest.approx((low, high))


def test_the_report_says_so(scores: Path) -> None:
    """The page prints why, counts nobody, and names no resampling."""
    page = render.html(audit(spec_on(scores)).result, Report(), "2026-01-02", "unsigned")
    text = " ".join(re.sub("<.*?>", " ", page).split())
    assert sentence(SAID) in text
    assert not {"0 people", "0 subjects"} & set(re.findall(r"\b0 \w+", text))
    assert "Subjects are resampled" not in text
    assert "comparisons treated as independent" in text


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("intervals=[]", "intervals: the files name no subjects; accepted: [{method: wilson_iid"),
        ("intervals=[{method: wilson, target: population}]", "intervals: the files name no subjects"),
        ("weighting=identity", "weighting: the files name no subjects; accepted: pooled"),
        ("analysis=differentials", "analyses.differentials: the files name no subjects"),
        ("analysis=similarity_roc", "analyses.similarity_roc: the files name no subjects"),
        ("schema=group", "schemas: the files name no subjects; accepted: none"),
    ],
)
def test_what_needs_people_is_refused(word: str, message: str, scores: Path) -> None:
    """An interval for people, a weighting, a schema or an analysis of them gets one line."""
    with pytest.raises(SpecError) as caught:
        check(spec_on(scores, word))
    assert str(caught.value).startswith(message)


def test_no_requirement_is_judged_without_people(scores: Path) -> None:
    """A limit cannot be decided on an interval for independent comparisons: the spec is refused."""
    limit = "requirements=[{name: r, metric: fnmr_at_fmr, at: {fmr: 0.01}, limit: 0.5}]"
    with pytest.raises(SpecError, match="none of them decides about requirement 'r'"):
        spec_on(scores, limit)


def test_check_says_that_nobody_is_named(scores: Path) -> None:
    """``frtaudit check`` counts comparisons, not stand-ins."""
    lines = check(spec_on(scores))
    assert lines[0] == "cohort: the files name no subjects"
    assert "5400 listed comparisons, 5000 of them non-mated" in lines[1]


def test_the_result_repeats(scores: Path) -> None:
    """Twice the same spec gives the same bytes."""
    first, second = (audit(spec_on(scores)).result for _ in range(2))
    assert first.to_bytes() == second.to_bytes()
    assert dataclasses.is_dataclass(first)
    assert json.loads(first.to_bytes())["cohort"]["schemas"] == {}
