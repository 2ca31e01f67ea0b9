from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_audits import COHORT, EXPLICIT, SCHEMAS, audit, interval, one, pick, plain, put, score_lines, spec

from frtaudit.canonical import seed_of
from frtaudit.cohorts.scores import ScoreLists
from frtaudit.core import NonMated
from frtaudit.core.spec import (
    Bootstrap,
    CurveGrid,
    Grid,
    GridKind,
    Plan,
    Reach,
    SchemaSpec,
    Thresholds,
    Weighting,
)
from frtaudit.errors import DataError, SpecError
from frtaudit.protocols.all_pairs import AllPairs
from frtaudit.protocols.listed import Listed
from frtaudit.protocols.round_robin import RoundRobin
from frtaudit.providers.cosine import Cosine
from frtaudit.providers.precomputed import Precomputed
from frtaudit.providers.simulated import Simulated
from frtaudit.scoring import (
    decades_of,
    declared_thresholds,
    groups_of,
    needs_more,
    planned_non_mated,
    plans_of,
    refuse_unresolved,
    request_of,
    targets_of,
)
from frtaudit.trial import strata_of

MATERIAL = COHORT.load(SCHEMAS, 0)
VENDOR = Cosine(name="one", recommended={"high": 0.4, "low": 0.15}, thresholds_version="3")


def grid(kind: GridKind, **changes: Any) -> Thresholds:
    """Targets of the small audit and a grid."""
    return Thresholds(fmr=(0.1, 0.03), grid=Grid(kind=kind, **changes))


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


@given(st.lists(st.integers(-6, -1), min_size=1, max_size=4, unique=True))
def test_targets_hold_the_declared_ones(powers: list[int]) -> None:
    """Targets ascend, hold every declared one where `declared` says, and stay between the declared extremes."""
    declared = [10.0**power for power in powers]
    targets, places = targets_of(spec(thresholds=Thresholds(fmr=tuple(declared))))
    assert list(targets) == sorted(set(targets))
    assert [targets[place] for place in places] == sorted(declared)
    assert (targets[0], targets[-1]) == (min(declared), max(declared))


def test_no_targets_at_all() -> None:
    """An audit without FMR targets has none to draw."""
    assert targets_of(spec(thresholds=Thresholds(fmr=()))) == ((), ())
    result = audit(spec(thresholds=Thresholds(fmr=(), grid=EXPLICIT))).result
    assert not pick(result, "fnmr_at_fmr")
    assert len(pick(result, "fnmr", group="all", provider="one", weighting="pooled")) == 3


def test_curve_targets_go_down_to_the_resolution() -> None:
    """Below the largest declared target stand so many a decade, the last at 5 expected false matches or just above."""
    curve = CurveGrid(per_decade=10, reach=Reach.RESOLUTION)
    made = spec(thresholds=Thresholds(fmr=(0.1, 0.02), curve=curve))
    targets, places = targets_of(made, 5_000)
    assert [targets[place] for place in places] == [0.02, 0.1]
    assert targets[0] == 0.001
    assert targets_of(made, 4_990)[0][0] == 0.00125893
    between = [value for value in targets if value != 0.02]
    assert np.diff(np.log10(between)) == pytest.approx([0.1] * 20, abs=1e-5)
    assert targets_of(made)[0] == (0.02, 0.1)
    alone = spec(thresholds=Thresholds(fmr=(0.01, 0.1), curve=CurveGrid(per_decade=2)))
    assert targets_of(alone)[0] == (0.01, 0.0316228, 0.1)


def test_plans_are_what_intervals_need() -> None:
    """Each method brings its plan once; the spec's own list goes before."""
    assert plans_of(spec()) == (Plan.SUBJECTS, Plan.IMAGES)
    wanted = (interval("naive", "fixed_identities"), interval("gaussian", "fixed_identities"))
    assert plans_of(spec(intervals=wanted)) == (Plan.IMAGES,)
    assert plans_of(spec(intervals=(interval("wilson_iid", "comparisons_iid"),))) == ()
    assert plans_of(spec(bootstrap=Bootstrap(plans=()))) == ()


def test_declared_thresholds() -> None:
    """An explicit or linear grid, then the vendor's thresholds by name; the other grids wait for the scores."""
    vendor = [(0.4, {"recommended": "high", "version": "3"}), (0.15, {"recommended": "low", "version": "3"})]
    assert declared_thresholds(spec(), VENDOR) == [(0.1, {}), (0.2, {}), (0.3, {}), *vendor]
    linear = declared_thresholds(spec(thresholds=grid(GridKind.LINEAR, num=5)), VENDOR)
    assert [value for value, _ in linear[:5]] == [-1.0, -0.5, 0.0, 0.5, 1.0]
    part = declared_thresholds(spec(thresholds=grid(GridKind.LINEAR, low=0.0, high=0.2, num=3)), VENDOR)
    assert [value for value, _ in part[:3]] == [0.0, 0.1, 0.2]
    for kind in (GridKind.QUANTILE, GridKind.FMR_DECADES):
        assert declared_thresholds(spec(thresholds=grid(kind)), VENDOR) == vendor


@pytest.mark.parametrize("value", [-1.01, 1.5])
def test_thresholds_out_of_range_are_refused(value: float) -> None:
    """A threshold outside the provider's range stops the audit and names the range."""
    made = spec(thresholds=grid(GridKind.EXPLICIT, values=(value,)))
    with pytest.raises(
        SpecError, match=f"^thresholds: {value:g} lies outside the score range of one; accepted: -1 to 1$"
    ):
        audit(made)
    with pytest.raises(SpecError, match="lies outside the score range"):
        audit(spec(thresholds=grid(GridKind.LINEAR, low=min(value, 0.0), high=max(value, 0.0))))


def test_recommended_thresholds_are_always_reported() -> None:
    """FMR and FNMR at the vendor's thresholds stand in every audit, with name and version, whatever the grid."""
    result = audit(spec(providers=(VENDOR,), thresholds=grid(GridKind.QUANTILE, num=3))).result
    for name, threshold in VENDOR.recommended.items():
        for rate in ("fmr", "fnmr"):
            at = {"threshold": threshold, "recommended": name, "version": "3"}
            found = one(result, rate, group="all", weighting="pooled", at=at)
            assert (found.numerator, found.denominator) == plain().rate(rate, threshold)


def test_a_quantile_grid_lies_on_the_mated_scores() -> None:
    """Thresholds of a quantile grid are quantiles of the mated scores."""
    found = put(spec(thresholds=grid(GridKind.QUANTILE, low=0.1, high=0.9, num=5)), "one").points.thresholds
    scores = plain().score[plain().mated]
    assert found == pytest.approx(np.quantile(scores, np.linspace(0.1, 0.9, 5)), abs=2e-7)


def test_an_fmr_grid_has_the_plain_thresholds() -> None:
    """Thresholds of an FMR grid are those at each decade that these data resolve."""
    thresholds = Thresholds(fmr=(0.03,), grid=Grid(kind=GridKind.FMR_DECADES, low=1e-4, high=0.1))
    made = spec(thresholds=thresholds)
    assert decades_of(made) == [0.1, 0.01, 0.001, 0.0001]
    found = put(made, "one").points.thresholds
    assert found == pytest.approx([plain().threshold(0.1), plain().threshold(0.01)], abs=2e-7)


@pytest.mark.parametrize(
    ("thresholds", "decades"),
    [
        (Thresholds(fmr=(0.01, 0.001)), [0.01, 0.001]),
        (Thresholds(fmr=(0.03,)), []),
        (Thresholds(fmr=(0.2, 0.0005)), [0.1, 0.01, 0.001]),
        (Thresholds(fmr=()), []),
        (Thresholds(fmr=(0.1,), grid=EXPLICIT), []),
    ],
)
def test_decades_span_the_targets(thresholds: Thresholds, decades: list[float]) -> None:
    """By default the decades are those between the largest and the smallest declared target."""
    assert decades_of(spec(thresholds=thresholds)) == decades


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
    trial = put(made, "s")
    seed = seed_of(0, "provider", "s")
    ordered = RoundRobin().comparisons(MATERIAL)
    request = request_of(made, [])
    table = skewed.scores(MATERIAL, ordered, trial.groups, request, seed)
    scores = {
        (int(a), int(b)): value
        for a, b, value in zip(ordered.probe, ordered.reference, table.score, strict=True)
    }  # type: ignore[union-attr]  # listed
    means = sorted((scores[a, b] + scores[b, a]) / 2 for a, b in scores if a < b)
    assert trial.tail.mated_score.tolist() == pytest.approx(means)
    gaps = [abs(scores[a, b] - scores[b, a]) for a, b in scores if a < b]
    said = (
        f"s: {len(gaps)} comparisons in both orders; |s(A,B) - s(B,A)| is {np.mean(gaps):.6g} on average and "
        f"{max(gaps):.6g} at most; 0 comparisons have one order only"
    )
    assert trial.notes == (said,)
    assert max(gaps) > 0.1
    result = audit(made).result
    assert trial.notes[0] in result.notes
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


@pytest.mark.parametrize("weighting", list(Weighting))
@pytest.mark.usefixtures("one_pass")
def test_a_threshold_below_the_floor_needs_more(weighting: Weighting) -> None:
    """Only thresholds below the floor that the scoring pass did not count ask for another pass."""
    trial = put(spec(tail_budget=1), "two")
    assert trial.tail.floor > 0.3
    assert not needs_more(trial.tail, [(0.1, {}), (0.9, {})])
    assert needs_more(trial.tail, [(0.11, {})])
    assert np.isnan(trial.points.at_target[list(Weighting).index(weighting)]).all()
    assert (
        sum("tail_budget of 1 bytes holds the scores of FMR targets up to" in note for note in trial.notes)
        == 1
    )


def test_measured_thresholds_below_the_floor_are_counted() -> None:
    """A quantile grid under a small budget is counted in a second pass: the same counts as with room for all."""
    small, large = (
        audit(spec(thresholds=grid(GridKind.QUANTILE, num=4), tail_budget=size)).result for size in (1, 10**9)
    )
    assert pick(small, "fmr", group="all", weighting="pooled")
    for item in pick(large, "fmr"):
        if "threshold" not in item.at:
            continue
        where = {"provider": item.provider, "group": item.group, "weighting": item.weighting}
        beside = one(small, "fmr", at=dict(item.at), **where)
        assert (beside.numerator, beside.denominator) == (item.numerator, item.denominator)


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


@pytest.mark.parametrize(("kind", "rate"), [(GridKind.QUANTILE, "fnmr"), (GridKind.FMR_DECADES, "fmr")])
def test_measured_thresholds_say_so(kind: GridKind, rate: str) -> None:
    """A grid threshold read off the data names them as its source, and the rate that it was read off (8.13)."""
    trial = put(spec(thresholds=grid(kind)), "two")
    assert trial.points.origin
    for at in trial.points.origin:
        assert at["source"] == "same_data"
        assert str(at["name"]).startswith(f"{rate}=")


def test_decades_below_a_small_tail_are_left_out() -> None:
    """Under a budget that cuts the tail short, decades that it does not reach are left out: no error."""
    assert put(spec(thresholds=grid(GridKind.FMR_DECADES), tail_budget=1), "two").points.origin == ()


def test_a_small_budget_moves_no_number() -> None:
    """Targets and thresholds below the floor have the values and bootstrap intervals of a whole tail, with a note."""
    small, large = (audit(spec(tail_budget=size)).result for size in (1, 10**9))
    assert len(small.estimates) == len(large.estimates)
    for found, whole in zip(small.estimates, large.estimates, strict=True):
        if found.metric == "eer":
            continue
        assert (found.metric, found.at, found.numerator) == (whole.metric, whole.at, whole.numerator)
        assert found.value == whole.value or found.value == pytest.approx(whole.value, rel=1e-12)
        for one_way, other in zip(found.intervals, whole.intervals, strict=True):
            assert one_way.method == other.method
            if (
                other.n_resamples is None
            ):  # Wilson borrows the dependence from the thresholds that the tail holds
                continue
            assert one_way.low == other.low or one_way.low == pytest.approx(other.low, rel=1e-9)
            assert one_way.high == other.high or one_way.high == pytest.approx(other.high, rel=1e-9)
    assert sum("all pairs were scored again" in note for note in small.notes) == len(
        {item.provider for item in small.estimates}
    )
