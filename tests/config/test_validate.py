"""Tests of frtaudit.config.validate."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.config import validate
from frtaudit.core import Method, Target
from frtaudit.core.methods import DECIDING, OF_THEIR_OWN
from frtaudit.core.spec import (
    AuditSpec,
    Bootstrap,
    CurveGrid,
    Folds,
    FoldSource,
    Grid,
    GridKind,
    IntervalSpec,
    PairSetSpec,
    Report,
    RequirementSpec,
    SchemaSpec,
    Thresholds,
    ThresholdSource,
)
from frtaudit.errors import SpecError

GENDER = {"gender": SchemaSpec(column="gender", classes=("female", "male"))}
BASE = AuditSpec(name="mine", cohort=object(), protocol=object(), analyses={"a": object()}, schemas=GENDER)


def need(**changes: object) -> RequirementSpec:
    """A requirement that can be, with changes."""
    fields: dict[str, object] = {"name": "r", "metric": "fnmr_at_fmr", "limit": 0.01, **changes}
    return RequirementSpec(**fields)  # type: ignore[arg-type]  # the point of the test


def ratio(**changes: object) -> RequirementSpec:
    """A requirement on a ratio that can be, with changes."""
    asked: dict[str, object] = {"metric": "ratio_to_overall", "of": "fmr", "group": "each", "limit": 1.25}
    return need(**{**asked, "at": {"fmr": 0.001}, **changes})


def test_a_plain_spec_passes() -> None:
    """A spec of defaults can be run."""
    validate.check_spec(BASE)


@given(st.integers(2, 1000))
def test_enough_resamples_is_the_smallest_b(number: int) -> None:
    """B is enough iff B >= 2/alpha - 1, alpha read as a decimal."""
    alpha = number / 1000
    enough = validate.enough_resamples(alpha)
    validate.check_resamples(Bootstrap(B=enough, alpha=alpha))
    with pytest.raises(SpecError):
        validate.check_resamples(Bootstrap(B=enough - 1, alpha=alpha))
    assert enough * number >= 2000 - number > (enough - 1) * number


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"name": "a/b"}, "name: found 'a/b'"),
        ({"seed": -1}, "seed: found -1; accepted: 0 or more"),
        ({"threads": -1}, "threads: found -1"),
        ({"tail_budget": 0}, "tail_budget: found 0"),
        ({"analyses": {}}, "analyses: names nothing"),
        ({"schemas": {"a|b": SchemaSpec(column="x")}}, "schemas: found 'a|b'"),
        ({"schemas": {"a": SchemaSpec(column="x", classes=("u&v", "w"))}}, "schemas.a.classes: 'u&v' holds & or |"),
        ({"schemas": {"a": SchemaSpec(cross=("b", "c"))}}, "schemas.a: no schema is named 'b'"),
        ({"test_sets": {"folds": PairSetSpec()}}, "test_sets: found 'folds', which names the spec's own pairs"),
        ({"test_sets": {"protocol": PairSetSpec()}}, "test_sets: found 'protocol', which names the spec's own pairs"),
        ({"bootstrap": Bootstrap(alpha=0.0)}, "bootstrap.alpha: found 0"),
        ({"bootstrap": Bootstrap(alpha=1.0)}, "bootstrap.alpha: found 1"),
        ({"bootstrap": Bootstrap(alpha=float("nan"))}, "bootstrap.alpha: found nan"),
        ({"bootstrap": Bootstrap(B=38)}, "bootstrap.B: B = 38 is too small for alpha = 0.05; accepted: 39 or more"),
        ({"bootstrap": Bootstrap(stratify="gendre")}, "bootstrap.stratify: no schema is named 'gendre' (did"),
        ({"thresholds": Thresholds(fmr=(0.0,))}, "thresholds.fmr: found 0"),
        ({"thresholds": Thresholds(fmr=(1.0,))}, "thresholds.fmr: found 1"),
        ({"thresholds": Thresholds(fmr=(0.1, 0.1))}, "thresholds.fmr: 0.1 appears twice"),
        ({"thresholds": Thresholds(source=ThresholdSource.FILE)}, "thresholds.file: no value"),
        (
            {"thresholds": Thresholds(file="x")},
            "thresholds.source: found 'same_data' together with a file; accepted: file",
        ),
        ({"thresholds": Thresholds(curve=CurveGrid(per_decade=0))}, "thresholds.curve.per_decade: found 0"),
        ({"thresholds": Thresholds(source=ThresholdSource.OTHER_COHORT)}, "thresholds.grid.kind: 'fmr_decades' with"),
        ({"folds": Folds(k=1)}, "folds.k: found 1"),
        ({"folds": Folds(source=FoldSource.FILE)}, "folds.file: no value"),
        ({"folds": Folds(file="x")}, "folds.source: found 'none' together with a file"),
        ({"providers": ()}, "providers: names nothing"),
        ({"providers": ("a", "a")}, "providers: a appears twice"),
        ({"report": Report(date="2026-02-30")}, "report.date: found '2026-02-30'; accepted: a day as YYYY-MM-DD"),
        ({"requirements": (need(), need())}, "requirements: r appears twice"),
        ({"requirements": (need(name=""),)}, "requirements[0].name: found ''; accepted: a visible name on one line"),
        ({"requirements": (need(name="\u200b "),)}, "requirements[0].name: found '\\u200b '"),
        ({"requirements": (need(name="a\nb"),)}, "requirements[0].name: found 'a\\nb'"),
        ({"requirements": (need(metric="fnmr_at_fnr"),)}, "requirements[0].metric: found 'fnmr_at_fnr' (did you mean"),
        ({"requirements": (need(metric="d_l2", at={"space": "tra"}),)}, "requirements[0].at.space: found 'tra'"),
        ({"requirements": (need(at={"threshold": "high"}),)}, "requirements[0].at.threshold: found 'high'"),
        ({"requirements": (need(at={"fmr": float("nan")}),)}, "requirements[0].at.fmr: found nan; accepted: a finite"),
        ({"requirements": (need(sense="<"),)}, "requirements[0].sense: found '<'"),
        ({"requirements": (need(limit=float("inf")),)}, "requirements[0].limit: found inf"),
        ({"requirements": (need(limit=-1.0),)}, "requirements[0].limit: found -1 of a rate"),
        ({"requirements": (need(limit=1.5),)}, "requirements[0].limit: found 1.5 of a rate"),
        ({"requirements": (need(metric="d_l2", limit=-0.1),)}, "requirements[0].limit: found -0.1 of d_l2"),
        ({"requirements": (need(weighting="both"),)}, "requirements[0].weighting: found 'both'; accepted: pooled"),
        ({"requirements": (need(schema="race"),)}, "requirements[0].schema: found 'race'; accepted: gender"),
        ({"requirements": (need(group="femal"),)}, "requirements[0].group: found 'femal' (did you mean 'female'?)"),
        ({"requirements": (need(of="fnmr"),)}, "requirements[0].of: found 'fnmr' with metric fnmr_at_fmr"),
        ({"requirements": (ratio(of=None),)}, "requirements[0].of: no value; accepted: fmr, fnmr, fnmr_at_fmr"),
        ({"requirements": (ratio(of="fnr"),)}, "requirements[0].of: found 'fnr' (did you mean 'fnmr'?)"),
        ({"requirements": (ratio(of="eer"),)}, "requirements[0].of: found 'eer'"),
        (
            {"requirements": (ratio(at={"rate": "fmr"}),)},
            "requirements[0].of: found together with at.rate; accepted: one of the two",
        ),
        (
            {"requirements": (ratio(of="fnmr_at_fmr", at={"threshold": 0.5}),)},
            "requirements[0].of: found 'fnmr_at_fmr' without an FMR target; accepted: at: {fmr: ...}, or of: fnmr",
        ),
        ({"requirements": (ratio(group="all"),)}, "requirements[0].group: found 'all': the ratio of all subjects is 1"),
        ({"requirements": (ratio(limit=0.0),)}, "requirements[0].limit: found 0 of a ratio; accepted: a number"),
        ({"requirements": (ratio(limit=-1.25),)}, "requirements[0].limit: found -1.25 of a ratio"),
        ({"requirements": (ratio(group="femal"),)}, "requirements[0].group: found 'femal' (did you mean 'female'?)"),
        ({"requirements": (need(limit=0.0, strict=True),)}, "requirements[0].strict: no rate meets a strict limit"),
        (
            {"requirements": (need(limit=1.0, sense=">=", strict=True),)},
            "requirements[0].strict: no rate meets a strict limit of 1; accepted: strict: false",
        ),
        ({"requirements": (need(level=0.5),)}, "requirements[0].level: found 0.5; accepted: a number between"),
        ({"requirements": (need(level=1.0),)}, "requirements[0].level: found 1; accepted: a number between 0.5 and 1"),
        ({"requirements": (need(level=80.0),)}, "requirements[0].level: found 80; accepted: a number between"),
        ({"requirements": (need(level=float("nan")),)}, "requirements[0].level: found nan"),
        (
            {"requirements": (need(minimum={"people": 245}),)},
            "requirements[0].minimum: found 'people'; accepted: subjects, comparisons, transactions",
        ),
        ({"requirements": (need(minimum={"subjects": 0}),)}, "requirements[0].minimum.subjects: found 0; accepted"),
        ({"requirements": (need(minimum={"comparisons": -1}),)}, "requirements[0].minimum.comparisons: found -1"),
        ({"requirements": (ratio(), ratio())}, "requirements: r appears twice"),
        ({"requirements": (need(group="x"),), "schemas": {}}, "requirements[0].group: found 'x' in an audit without"),
    ],
)  # fmt: skip
def test_refusals_name_the_place(changes: dict[str, object], line: str) -> None:
    """A value that cannot be run is refused with its place and what would be accepted."""
    with pytest.raises(SpecError) as caught:
        validate.check_spec(replace(BASE, **changes))  # type: ignore[arg-type]  # the point of the test
    assert str(caught.value).startswith(line)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("group", ["all", "each", "max", "female", "unknown", "female|male"])
def test_known_groups_pass(group: str) -> None:
    """A requirement may name a class, a pair, unknown, all, each and max."""
    validate.check_requirements(replace(BASE, requirements=(need(group=group, schema="gender"),)))


def test_groups_of_undeclared_classes_are_left_to_the_data() -> None:
    """Where the data define the classes, any group may be named."""
    spec = replace(BASE, schemas={"race": SchemaSpec(column="race")}, requirements=(need(group="anything"),))
    validate.check_requirements(spec)


@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize("target", list(Target))
def test_intervals_serve_their_target(method: Method, target: Target) -> None:
    """A method of rates passes for the targets that it serves; any other is refused with those that would pass."""
    wanted = [IntervalSpec(method=method, target=target)]
    rates = [other for other in Method if target in other.serves and other not in OF_THEIR_OWN]
    if method in rates:
        validate.check_intervals(wanted)
        return
    why = f"does not serve target {target.value}" if target not in method.serves else "is not for rates"
    with pytest.raises(SpecError, match=rf"method {method.value} {why}") as caught:
        validate.check_intervals(wanted)
    assert caught.value.accepted == f"methods {', '.join(other.value for other in rates) or 'none'}"


@pytest.mark.parametrize("metric", ["fmr", "fnmr", "fnmr_at_fmr", "fta"])
@pytest.mark.parametrize("method", [method for method in Method if method not in OF_THEIR_OWN])
def test_required_rates_have_an_interval_that_decides(metric: str, method: Method) -> None:
    """A list without an interval that decides about a required rate is refused; FTA brings its own."""
    asked = (IntervalSpec(method=method, target=method.serves[0]),)
    spec = replace(BASE, requirements=(need(metric=metric),), intervals=asked)
    if metric == "fta" or method in DECIDING:
        validate.check_requirements(spec)
        return
    with pytest.raises(
        SpecError, match="^intervals: none of them decides about requirement 'r'; .* one of wilson, v"
    ):
        validate.check_requirements(spec)


def test_an_interval_stands_once() -> None:
    """The same method and target twice is a slip."""
    wanted = [IntervalSpec(method=Method.VERTEX, target=Target.POPULATION)] * 2
    with pytest.raises(SpecError, match="vertex for population appears twice"):
        validate.check_intervals(wanted)


@pytest.mark.parametrize(
    "grid",
    [
        Grid(kind=GridKind.EXPLICIT),
        Grid(kind=GridKind.EXPLICIT, values=(0.2, 0.1)),
        Grid(kind=GridKind.EXPLICIT, values=(0.1, 0.1)),
        Grid(kind=GridKind.EXPLICIT, values=(0.1, float("nan"))),
        Grid(kind=GridKind.EXPLICIT, values=(0.1,), low=0.0),
        Grid(kind=GridKind.LINEAR, values=(0.1,)),
        Grid(kind=GridKind.LINEAR, low=1.0, high=0.0),
        Grid(kind=GridKind.LINEAR, num=1),
        Grid(kind=GridKind.LINEAR, low=float("inf")),
        Grid(kind=GridKind.QUANTILE, low=-0.1),
        Grid(kind=GridKind.QUANTILE, high=1.1),
        Grid(kind=GridKind.FMR_DECADES, low=0.0),
    ],
)
def test_inconsistent_grids_are_refused(grid: Grid) -> None:
    """A grid whose fields contradict its kind is refused."""
    with pytest.raises(SpecError, match=r"^thresholds\.grid"):
        validate.check_grid(grid)


@pytest.mark.parametrize(
    "grid",
    [
        Grid(),
        Grid(kind=GridKind.EXPLICIT, values=(-0.1, 0.2)),
        Grid(kind=GridKind.LINEAR, low=-50.0, high=50.0, num=5),
        Grid(kind=GridKind.QUANTILE, low=0.0, high=1.0),
        Grid(kind=GridKind.FMR_DECADES, low=1e-6, high=0.1),
    ],
)
def test_consistent_grids_pass(grid: Grid) -> None:
    """Each kind has grids that can be."""
    validate.check_grid(grid)


def test_an_analysis_may_bring_metrics() -> None:
    """A plug-in's own metrics can be required."""

    class Plugin:
        metrics = ("beauty",)

    spec = replace(BASE, analyses={"x": Plugin()}, requirements=(need(metric="beauty"),))
    validate.check_requirements(spec)
