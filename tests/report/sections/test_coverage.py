import json
from dataclasses import replace
from functools import cache

from jsonschema import Draft202012Validator
from report_fixture import DATE, SETTINGS, result
from small_audits import audit, interval, spec

from frtaudit.analyses.coverage import Coverage
from frtaudit.config.json_schema import schema_text
from frtaudit.core import AuditResult, Estimate, Interval, Method, Target
from frtaudit.core.spec import Grid, GridKind, Report, Thresholds, Weighting
from frtaudit.report.context import Context, Status, context
from frtaudit.report.pieces import Table, plain_text
from frtaudit.report.section import View

LEVEL = 0.95


def simulated(method: str, share: float, scenario: str = "estimate", **changes: object) -> list[Estimate]:
    """Coverage of one interval, with its misses, of 1000 cohorts."""
    covered = round(1000 * share)
    made = Estimate(
        provider="northgate",
        analysis="coverage",
        metric="simulated_coverage",
        schema=None,
        group="all",
        weighting="identity",
        at={"rate": "fmr", "fmr": 0.001, "method": method, "scenario": scenario, "true_rate": 0.001},
        value=covered / 1000,
        numerator=covered,
        denominator=1000,
        unit="share of simulated cohorts",
        intervals=(
            Interval(
                low=share - 0.014,
                high=share + 0.014,
                level=LEVEL,
                method=Method.MONTE_CARLO,
                target=Target.SIMULATION,
                n_resamples=1000,
            ),
        ),
    )
    made = replace(made, **changes)  # type: ignore[arg-type]  # of known fields
    missed = (1000 - covered) // 3
    lower = replace(
        made, metric="simulated_lower_misses", intervals=(), numerator=missed, value=missed / 1000
    )
    above = 1000 - covered - missed
    return [made, lower, replace(lower, metric="simulated_upper_misses", numerator=above, value=above / 1000)]


def of(*estimates: Estimate) -> AuditResult:
    """The synthetic result with these beside its own."""
    base = result()
    return replace(base, estimates=(*base.estimates, *estimates), curves=())


def page(*estimates: Estimate) -> Context:
    """The report of :func:`of`."""
    return context(of(*estimates), SETTINGS, DATE, Status.UNSIGNED)


def test_a_report_without_the_analysis_has_no_appendix() -> None:
    """No simulation, no section and no warning."""
    view = page()
    assert all(item.name != "coverage" for item in view.annex)
    assert view.summary.warnings == ()


def test_a_scenario_in_which_an_interval_fails_is_no_warning() -> None:
    """Scenarios are no forecast: page 1 warns of what stands in the data alone (FORMULAS 8.22)."""
    view = page(*simulated("wilson", 0.40, "three_look_alikes"), *simulated("wilson", 0.71, "wolves"))
    assert view.summary.warnings == ()
    assert any(item.name == "coverage" for item in view.annex)


def test_for_whom_on_the_first_page_leaves_the_simulation_out() -> None:
    """The Monte Carlo interval speaks for no people."""
    terms = dict(page(*simulated("wilson", 0.95)).summary.terms)
    assert "simulation" not in plain_text(terms["Targets"])


def table(view: Context, place: int) -> Table:
    """A table of the appendix."""
    section = next(item.view for item in view.annex if item.name == "coverage")
    assert isinstance(section, View)
    return section.tables[place]


def test_the_table_has_a_line_for_each_rate_group_and_method() -> None:
    """Columns are the cases that occur; a cell says share, Monte Carlo interval, misses of either side."""
    fewer = simulated("vertex", 0.9, denominator=100, numerator=90)
    found = table(page(*simulated("wilson", 0.94), *simulated("wilson", 0.7, "wolves"), *fewer), 0)
    assert [column.title for column in found.columns] == [
        "Group, method, target",
        "as estimated",
        "some wolves",
    ]
    lines = [[plain_text(cell) for cell in row] for block in found.blocks for row in block.rows]
    assert [line[0] for line in lines] == [
        "all subjects Wilson, effective sample size, for the population of the test subjects",
        "all subjects bootstrap of subjects, for the population of the test subjects",
    ]
    assert lines[0][1] == "94.0 % 92.6 % to 95.4 % 20 + 40"
    assert lines[1][1].endswith(" of 100")
    assert lines[1][2] == "–"
    assert plain_text(found.blocks[0].head) == "northgate  FMR at FMR 0.1 %"
    assert "in 1,000 cohorts" in plain_text(found.caption)


def test_what_is_not_simulated_is_said_once() -> None:
    """The same reason for two systems stands once; the entry names method and rate."""
    (first, *_) = simulated("recentered", 0.5)
    left_out = replace(
        first,
        at={"rate": "fnmr", "method": "recentered"},
        value=None,
        numerator=None,
        denominator=None,
        intervals=(),
        note="not simulated: it holds for fixed identities",
    )
    view = page(left_out, replace(left_out, provider="quill_2"))
    section = next(item.view for item in view.annex if item.name == "coverage")
    assert isinstance(section, View)
    assert [plain_text(text) for text in section.left_out] == [
        "bootstrap of images, recentred, FNMR: it holds for fixed identities."
    ]
    assert section.tables == ()


@cache
def real() -> AuditResult:
    """A small audit of unlike people whose report prints i.i.d. intervals of pooled rates."""
    made = spec(
        providers=("two",),
        weighting=Weighting.POOLED,
        intervals=(interval("wilson", "population"), interval("wilson_iid", "comparisons_iid")),
        thresholds=Thresholds(fmr=(0.1,), grid=Grid(kind=GridKind.EXPLICIT, values=(0.3,))),
    )
    return audit(replace(made, analyses={**made.analyses, "coverage": Coverage()})).result


def test_every_number_of_the_appendix_is_in_the_result() -> None:
    """Each pointer of the tables leads to a value of result.json; the model's spreads stand in the second table."""
    view = context(real(), Report(), DATE, Status.UNSIGNED)
    plain = real().to_json()
    for place in (0, 1):
        for block in table(view, place).blocks:
            for piece in (piece for row in block.rows for cell in row for piece in cell if piece.pointer):
                value: object = plain
                for step in str(piece.pointer).strip("/").split("/"):
                    value = value[int(step)] if isinstance(value, list) else value[step]  # type: ignore[index]  # JSON
                assert value is not None
    spreads = [item for item in real().estimates if item.metric == "simulated_spread"]
    assert len(table(view, 1).blocks[0].rows) == sum(item.at["of"] == "subjects" for item in spreads) > 0


def test_the_result_fits_its_schema() -> None:
    """Method and target of the simulation are part of the published contract."""
    Draft202012Validator(json.loads(schema_text("result"))).validate(json.loads(real().to_bytes()))
