from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_audits import COHORT, EXPLICIT, SCHEMAS, audit, interval, one, pick, plain, put, score_lines, spec

from frtaudit.core import NonMated
from frtaudit.core.canonical import seed_of
from frtaudit.core.spec import Bootstrap, Plan, RequirementSpec, SchemaSpec, Thresholds
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.datasets.protocols.round_robin import RoundRobin
from frtaudit.datasets.providers.precomputed import Precomputed
from frtaudit.datasets.providers.simulated import Simulated
from frtaudit.errors import DataError, SpecError
from frtaudit.evaluation.system import strata_of
from frtaudit.pipeline.evaluate import groups_of, planned_non_mated, plans_of, refuse_unresolved, request_of

MATERIAL = COHORT.load(SCHEMAS, 0)


def test_groups_are_flattened_with_unknown_last() -> None:
    """Groups of all schemas in order; subjects without a class form an unranked group."""
    schemas = {
        "a": SchemaSpec(column="group", classes=("x",), unknown=("y",)),
        "b": SchemaSpec(column="group", classes=("x", "y")),
    }
    groups = groups_of(COHORT.load(schemas, 0).cohort)
    assert groups.names == (("a", "x"), ("a", "unknown"), ("b", "x"), ("b", "y"))
    assert groups.ranked == (True, False, True, True)
    assert set(groups.of[0].tolist()) == {0, 1}
    assert set(groups.of[1].tolist()) == {2, 3}
    assert groups_of(COHORT.load({}, 0).cohort).of.shape == (0, 24)


def test_plans_are_what_intervals_need() -> None:
    """Each method brings its plan once; the spec's own list goes before."""
    assert plans_of(spec()) == (Plan.SUBJECTS, Plan.IMAGES)
    wanted = (interval("naive", "fixed_identities"), interval("gaussian", "fixed_identities"))
    assert plans_of(spec(intervals=wanted)) == (Plan.IMAGES,)
    assert plans_of(spec(intervals=(interval("wilson_iid", "comparisons_iid"),))) == ()
    assert plans_of(spec(bootstrap=Bootstrap(plans=()))) == ()


def test_strata() -> None:
    """Subjects are resampled within the first schema's groups, another's, or not at all; unknown names are refused."""
    groups = groups_of(MATERIAL.cohort)
    assert np.array_equal(strata_of(spec(), groups), groups.of[0])  # type: ignore[arg-type]  # not None here
    assert strata_of(spec(bootstrap=Bootstrap(stratify="none")), groups) is None
    assert strata_of(spec(schemas={}), groups_of(COHORT.load({}, 0).cohort)) is None
    with pytest.raises(
        SpecError, match="bootstrap.stratify: no schema is named 'age'; accepted: group, none"
    ):
        strata_of(spec(bootstrap=Bootstrap(stratify="age")), groups)


def test_the_request_covers_what_is_read() -> None:
    """The scoring pass keeps exact what the largest target or decade, the thresholds and the EER need."""
    request = request_of(spec(tail_budget=77), [0.3, 0.1, 0.3])
    assert (request.fmr, request.thresholds, request.eer, request.budget) == (0.1, (0.1, 0.3), True, 77)
    assert not request_of(spec("failures"), []).eer


@pytest.mark.parametrize("kind", list(NonMated))
def test_planned_comparisons_by_counting(kind: NonMated) -> None:
    """The planned non-mated comparisons are the pairs of samples of two subjects of one cell."""
    comparisons = AllPairs(non_mated=kind).comparisons(MATERIAL)
    subject = MATERIAL.cohort.subject_of
    cells = comparisons.cells
    counted = sum(
        subject[i] != subject[j] and cells[subject[i]] == cells[subject[j]] >= 0
        for i in range(len(subject))
        for j in range(i)
    )
    assert planned_non_mated(MATERIAL.cohort, comparisons) == counted


def test_a_whole_cohort_that_cannot_resolve_is_refused() -> None:
    """An FMR target below the cohort's resolution stops the audit, naming the smallest attainable."""
    with pytest.raises(
        DataError, match=r"^thresholds.fmr: FMR 0.001 of 2825 .*; accepted: at least 0.00177$"
    ):
        audit(spec(thresholds=Thresholds(fmr=(1e-3,))))
    refuse_unresolved(spec(thresholds=Thresholds(fmr=(0.00177,))), MATERIAL, AllPairs().comparisons(MATERIAL))


@pytest.mark.parametrize(("profile", "where"), [(None, "requirement few at.fmr"), ("p", "profiles.p.fmr")])
def test_a_target_that_a_requirement_adds_is_named_where_it_is_written(
    profile: str | None, where: str
) -> None:
    """Another thresholds.fmr would not take it away."""
    few = RequirementSpec(name="few", metric="fnmr_at_fmr", at={"fmr": 1e-3}, limit=0.1, profile=profile)
    asked = spec(thresholds=Thresholds(fmr=(0.1, 1e-3)), requirements=(few,))
    with pytest.raises(DataError, match=rf"^{where}: FMR 0.001 of 2825 .*; accepted: at least 0.00177$"):
        refuse_unresolved(asked, MATERIAL, AllPairs().comparisons(MATERIAL))


def test_a_cohort_that_resolves_no_target_is_told_so() -> None:
    """Of five non-mated comparisons no target below 1 expects five false matches."""
    five = np.zeros(5, dtype=np.int32)
    few = replace(
        AllPairs().comparisons(MATERIAL), all_pairs=False, probe=five, reference=five + 1, mated=five > 0
    )
    with pytest.raises(DataError, match=r"expects .*; accepted: \[\], or more subjects$"):
        refuse_unresolved(spec(), MATERIAL, few)


def test_within_group_counts_only_groups() -> None:
    """With non_mated=within_group everybody's FMR is over pairs within a class."""
    result = audit(spec(protocol=AllPairs(non_mated=NonMated.WITHIN_GROUP))).result
    for threshold in (0.1, 0.3):
        where = {"provider": "one", "weighting": "pooled", "at": {"threshold": threshold}}
        everybody = one(result, "fmr", group="all", **where)
        counts = [plain().rate("fmr", threshold, code) for code in (0, 1)]
        assert (everybody.numerator, everybody.denominator) == tuple(map(sum, zip(*counts, strict=True)))


def test_vendors_share_subject_weights() -> None:
    """Replicate b resamples the same subjects for every provider; a further provider moves no other's numbers."""
    alone = put(spec(providers=("two",)), "two")
    both = put(spec(providers=("one", "two")), "two")
    for plan, drawn in alone.replicates.items():
        assert np.array_equal(drawn.fnmr, both.replicates[plan].fnmr, equal_nan=True)
    twin = Simulated(name="a", mated_mean=0.2)
    named = [
        put(spec(providers=(replace(twin, name=name),)), name).replicates[Plan.SUBJECTS]
        for name in ("a", "b")
    ]
    assert not np.array_equal(named[0].fnmr, named[1].fnmr, equal_nan=True)


def test_round_robin_takes_the_mean_of_both_orders() -> None:
    """With an asymmetric system estimates take the mean of both orders, and a note says how far they are apart."""
    skewed = Simulated(name="s", asymmetry=0.05)
    made = spec(protocol=RoundRobin(), providers=(skewed,), thresholds=Thresholds(fmr=(), grid=EXPLICIT))
    system = put(made, "s")
    seed = seed_of(0, "provider", "s")
    ordered = RoundRobin().comparisons(MATERIAL)
    table = skewed.score_table(MATERIAL, ordered, seed)
    scores = {
        (int(a), int(b)): value
        for a, b, value in zip(ordered.probe, ordered.reference, table.score, strict=True)
    }
    means = sorted((scores[a, b] + scores[b, a]) / 2 for a, b in scores if a < b)
    assert system.tail.mated_score.tolist() == pytest.approx(means)
    gaps = [abs(scores[a, b] - scores[b, a]) for a, b in scores if a < b]
    said = (
        f"s: {len(gaps)} comparisons in both orders; |s(A,B) - s(B,A)| is {np.mean(gaps):.6g} on average and "
        f"{max(gaps):.6g} at most; 0 comparisons have a score in one order only"
    )
    assert system.notes == (said,)
    assert max(gaps) > 0.1
    result = audit(made).result
    assert system.notes[0] in result.notes
    found = one(result, "fnmr", group="all", weighting="pooled", at={"threshold": 0.3})
    assert (found.numerator, found.denominator) == (sum(value <= 0.3 for value in means), len(means))
    assert all(item.value is None for item in pick(result, "fmr"))


def test_one_order_only_is_said(tmp_path: Path) -> None:
    """Where no comparison was scored in both orders the note says so."""
    lines = [line for line in score_lines() if line["probe_subject"] == line["reference_subject"]]
    turned = {
        **lines[0],
        "probe": lines[0]["reference"],
        "reference": lines[0]["probe"],
        "score": "",
        "failure": "x",
    }
    pd.DataFrame([*lines, turned]).to_csv(tmp_path / "one.csv", index=False)
    made = spec(
        cohort=ScoreLists(root=str(tmp_path / "one.csv")),
        protocol=Listed(),
        thresholds=Thresholds(fmr=(), grid=EXPLICIT),
    )
    assert put(made, "one").notes == ("one: no comparison was scored in both orders",)


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small cohort's comparisons as a score list."""
    folder = tmp_path_factory.mktemp("lists")
    pd.DataFrame(score_lines()).to_csv(folder / "one.csv", index=False)
    return folder


def listed(root: Path, **changes: Any) -> Any:
    return spec(cohort=ScoreLists(root=str(root / "one.csv")), protocol=Listed(), **changes)


def test_score_lists_give_what_templates_give(lists: Path) -> None:
    """The same comparisons as a list have the same counts, rates and thresholds as from templates."""
    from_list, from_templates = audit(listed(lists)).result, audit(spec(providers=("one",))).result
    checked = 0
    for item in from_templates.estimates:
        where = {
            "group": item.group,
            "weighting": item.weighting,
            "analysis": item.analysis,
            "schema": item.schema,
        }
        same = one(from_list, item.metric, at=dict(item.at), **where)
        assert same.value == pytest.approx(item.value, abs=2e-7)
        assert (same.numerator, same.denominator) == (item.numerator, item.denominator)
        checked += 1
    assert checked > 30


@settings(max_examples=6)
@given(st.sampled_from(["cube", "exp", "affine"]), st.floats(0.1, 3.0))
def test_increasing_transformations_change_no_rate(lists: Path, kind: str, scale: float) -> None:
    """A strictly increasing transformation of listed scores moves thresholds with it and no rate at a target."""
    move = {
        "cube": lambda s: scale * s**3,
        "exp": lambda s: np.exp(scale * s),
        "affine": lambda s: scale * s + 7,
    }[kind]
    table = pd.read_csv(lists / "one.csv", dtype=str, keep_default_na=False)
    scores = table["score"].to_numpy(dtype=float)
    moved = move(scores)
    assert len(np.unique(moved)) == len(np.unique(scores))
    folder = lists / f"{kind}{scale!r}"
    folder.mkdir(exist_ok=True)
    table.assign(score=[repr(float(value)) for value in moved]).to_csv(folder / "one.csv", index=False)
    bounds = (float(moved.min()) - 1, float(moved.max()) + 1)
    system = Precomputed(name="one", score_range=bounds)
    targets = Thresholds(fmr=(0.1, 0.03))
    few = Bootstrap(B=39)
    first = audit(listed(lists, thresholds=targets, bootstrap=few)).result
    second = audit(listed(folder, thresholds=targets, bootstrap=few, providers=(system,))).result
    for item in (
        pick(first, "fnmr_at_fmr")
        + [found for found in pick(first, "fmr") if "fmr" in found.at]
        + pick(first, "eer")
    ):
        where = {
            "group": item.group,
            "weighting": item.weighting,
            "analysis": item.analysis,
            "schema": item.schema,
        }
        same = one(second, item.metric, at=dict(item.at), **where)
        assert (same.value, same.numerator, same.denominator) == (
            item.value,
            item.numerator,
            item.denominator,
        )
        assert [(made.low, made.high) for made in same.intervals] == [
            (made.low, made.high) for made in item.intervals
        ]
    for item in pick(first, "threshold_at_fmr"):
        same = one(second, "threshold_at_fmr", weighting=item.weighting, at=dict(item.at))
        assert same.value == pytest.approx(float(move(np.float64(item.value or 0.0))), rel=1e-12)


def test_incomplete_lists_have_no_image_bootstrap(lists: Path) -> None:
    """Where some mated comparisons are missing, image and two-level intervals say what they need; vertex ones stand."""
    table = pd.read_csv(lists / "one.csv", keep_default_na=False)
    mated = table[table["probe_subject"] == table["reference_subject"]]
    folder = lists / "incomplete"
    folder.mkdir(exist_ok=True)
    table.drop(index=mated.index[:3]).to_csv(folder / "one.csv", index=False)
    wanted = (
        interval("vertex", "population"),
        interval("recentered", "fixed_identities"),
        interval("two_level", "population"),
    )
    result = audit(listed(folder, intervals=wanted)).result
    found = one(result, "fnmr", group="all", weighting="identity", at={"threshold": 0.3})
    vertex, recentered, two_level = found.intervals[:3]
    assert vertex.low is not None
    assert recentered.note == "needs every comparison within each subject"
    assert two_level.note == "needs every comparison within each subject"


def test_two_level_draws_subjects_within_strata() -> None:
    """Both plans that draw subjects keep each group's number of them: another stratification is another draw (8.2)."""
    wanted = (interval("two_level", "population"), interval("vertex", "population"))
    within, across = (
        put(spec(intervals=wanted, bootstrap=Bootstrap(B=39, stratify=name)), "two")
        for name in ("group", "none")
    )
    for plan in (Plan.TWO_LEVEL, Plan.SUBJECTS):
        pair = within.replicates[plan].fnmr, across.replicates[plan].fnmr
        assert not np.array_equal(*pair, equal_nan=True)
