"""Scores that fall with similarity, and lists that lack comparisons."""

from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

import frtaudit
from frtaudit.config.load import load_spec
from frtaudit.evaluation.score_notes import FALLING, LACKING
from frtaudit.pipeline.dry_run import check
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections.data_warnings import warnings
from frtaudit.report.source import Source


@pytest.mark.parametrize("sign", [1, -1])
def test_distances_are_noted(sign: int) -> None:
    """Where mated comparisons score lower than non-mated ones, the result and page 1 say so, and only then."""
    mated = np.arange(40) < 20
    scores = sign * np.where(mated, 0.8, 0.1) + 0.001 * np.arange(40)
    scores[[0, 39]] = np.nan
    report = frtaudit.evaluate(scores, mated, fmr=[0.5], system="door")
    assert (f"door: {FALLING}" in report.result.notes) == (sign < 0)
    warned = [plain_text(text) for text in warnings(Source(report.result))]
    assert (f"door: {FALLING}." in warned) == (sign < 0)


def test_check_warns_of_distances(tmp_path: Path) -> None:
    """Before anything is audited."""
    pairs = combinations([f"{subject}{shot}" for subject in "uvwxyz" for shot in "12"], 2)
    lines = "".join(f"{a},{b},{a[0]},{b[0]},{0.1 if a[0] == b[0] else 0.9}\n" for a, b in pairs)
    file = tmp_path / "door.csv"
    file.write_text("probe,reference,probe_subject,reference_subject,score\n" + lines)
    spec = load_spec(["audit=scores", f"cohort.root={file}", "thresholds.fmr=[0.5]"])
    assert f"warning: door: {FALLING}" in check(spec)


def test_a_list_that_lacks_comparisons_is_told_of(tmp_path: Path) -> None:
    """By check, among the notes and on page 1: what it lacks counts as failed, and FTA may break a limit by it."""
    pairs = list(combinations([f"{subject}{shot}" for subject in "uvwxyz" for shot in "12"], 2))
    for name, kept in (("all", pairs), ("few", pairs[:-5])):
        lines = "".join(f"{a},{b},{a[0]},{b[0]},{0.9 if a[0] == b[0] else 0.1}\n" for a, b in kept)
        (tmp_path / f"{name}.csv").write_text(
            "probe,reference,probe_subject,reference_subject,score\n" + lines
        )
    words = ["audit=scores", f"cohort.root={tmp_path}", "thresholds.fmr=[0.5]", "analyses=[failures]"]
    text = f"{LACKING}5"
    assert f"warning: few: {text}" in check(load_spec(words))
    result = frtaudit.audit(words).result
    assert [note for note in result.notes if LACKING in note] == [f"few: {text}"]
    assert f"few: {text}." in [plain_text(warning) for warning in warnings(Source(result))]
    fta = next(e for e in result.estimates if (e.provider, e.metric, e.schema) == ("few", "fta", None))
    assert (fta.numerator, fta.denominator) == (5, len(pairs))


@pytest.mark.parametrize(("orders", "lacking"), [("mean", 0), ("each", 1)])
def test_a_pair_in_one_order_is_lacking_only_where_orders_count(
    tmp_path: Path, orders: str, lacking: int
) -> None:
    """Both orders of a pair are one comparison where their mean is taken."""
    pairs = list(permutations([f"{subject}{shot}" for subject in "uvwxyz" for shot in "12"], 2))
    for name, kept in (("all", pairs), ("few", pairs[:-1])):
        lines = "".join(f"{a},{b},{a[0]},{b[0]},{0.9 if a[0] == b[0] else 0.1}\n" for a, b in kept)
        (tmp_path / f"{name}.csv").write_text(
            "probe,reference,probe_subject,reference_subject,score\n" + lines
        )
    words = ["audit=scores", f"cohort.root={tmp_path}", "thresholds.fmr=[0.5]", "analyses=[failures]"]
    spec = load_spec([*words, f"protocol.orders={orders}"])
    told = [f"few: {LACKING}{lacking}"] if lacking else []
    assert [line for line in check(spec) if LACKING in line] == [f"warning: {line}" for line in told]
    assert [note for note in frtaudit.audit(spec).result.notes if LACKING in note] == told


def test_nothing_is_noted_of_false_matches_at_a_target_between_two_steps() -> None:
    """There is no threshold, so no false match and nobody whom they come from: the refusal says why."""
    mated = np.arange(400) < 100
    scores = np.where(mated, 3.0, (np.arange(400) % 4 == 0).astype(float))
    probe = np.arange(400) % 20
    reference = np.where(mated, probe, (probe + 1 + np.arange(400) // 50) % 20)
    result = frtaudit.evaluate(scores, mated, subjects=(probe, reference), fmr=[0.1], system="door").result
    assert any("falls between two steps" in (estimate.note or "") for estimate in result.estimates)
    assert not [note for note in result.notes if "come from" in note]
