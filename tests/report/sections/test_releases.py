"""The sections on releases, densities, quality and failure_scores, and the section interclass beside them.

From one real small audit of two releases of synthetic people.
"""

from dataclasses import replace
from functools import cache
from types import ModuleType

import pytest
from one_scale import unequal
from small_audits import audit, spec

from frtaudit.analyses.densities import Densities
from frtaudit.analyses.failure_scores import FailureScores
from frtaudit.analyses.interclass import Interclass
from frtaudit.analyses.quality import Quality
from frtaudit.analyses.releases import Release, Releases
from frtaudit.analyses.tar_curves import TarCurves
from frtaudit.core import AuditResult
from frtaudit.core.spec import FailureScore, SchemaSpec
from frtaudit.datasets.cohorts.synthetic_releases import ReleaseClass, ReleaseSystem, SyntheticReleases
from frtaudit.report.pieces import Table, plain_text
from frtaudit.report.sections import densities, failure_scores, interclass, quality, releases, tar_curves
from frtaudit.report.source import Source

COHORT = SyntheticReleases(
    subjects=120,
    samples=(3, 5),
    dimension=16,
    concentration=(20.0, 30.0),
    tones={"light": ReleaseClass(brightness=75), "dark": ReleaseClass(brightness=45)},
    systems={
        "v1": ReleaseSystem(noise=0.3, harder={"dark": 4.0}, failure_rate=0.05),
        "v2": ReleaseSystem(noise=0.3),
    },
)
FAMILY = {
    "v1": Release(detection="d1", recognition="r1", released="2020"),
    "v2": Release(detection="d1", recognition="r2", released="2022-05-01"),
}
ANALYSES = {
    "densities": Densities(points=51),
    "failure_scores": FailureScores(),
    "interclass": Interclass(B=99, curve_points=5),
    "quality": Quality(strata=2),
    "releases": Releases(families={"v": FAMILY}),
    "tar_curves": TarCurves(points=5),
}
SECTIONS = (densities, failure_scores, quality, releases)


@cache
def result() -> AuditResult:
    """The audit."""
    schema = SchemaSpec(column="tone", classes=("light", "dark"), labels=("Light", "Dark"))
    made = spec(cohort=COHORT, analyses=ANALYSES, schemas={"tone": schema}, failures=FailureScore.SCORE_ZERO)
    return audit(made).result


def rows(table: Table) -> list[list[str]]:
    """The cells of a table as text."""
    return [[plain_text(cell) for cell in row] for block in table.blocks for row in block.rows]


@pytest.mark.parametrize("section", SECTIONS)
def test_they_stand_only_where_their_analysis_ran(section: object) -> None:
    """Without their estimates there are no such sections."""
    assert section.build(Source(audit(spec()).result)) is None  # type: ignore[attr-defined]  # modules


def test_the_grid_the_course_and_the_changes() -> None:
    """Recognition down, detection across, dated releases in bold; bias went down; one line by release."""
    view = releases.build(Source(result()))
    assert view is not None
    grid, changed = view.tables
    assert [column.title for column in grid.columns] == ["Recognition", "d1"]
    assert [row[0] for row in rows(grid)] == ["r1", "r2"]
    assert all("published" in row[1] for row in rows(grid))
    assert grid.blocks[0].rows[0][1][0].kind == "b"
    (step,) = rows(changed)
    assert (step[0], step[1]) == ("v1 – v2", "tone")
    assert step[4].startswith("Bias decreased, significant before adjustment (p 0.0")
    (layout,) = view.figures
    assert [panel.alt.split(",")[0] for panel in layout.panels] == [
        "For comparisons treated as independent",
        "For the population",
    ]
    assert [key.name for key in layout.keys] == ["tone"]


def test_the_caption_of_a_course_says_for_whom_and_at_which_level() -> None:
    """Each panel by itself, without the annex."""
    view = releases.build(Source(result()))
    assert view is not None
    texts = {name: plain_text(text) for name, text in view.figures[0].alone.items()}
    assert (
        "for comparisons treated as independent (Peña-Alcántara 2022), level 90 %"
        in texts["d-l2-by-release-comparisons-iid-v"]
    )
    assert "for the population, level 95 %" in texts["d-l2-by-release-population-v"]
    assert not [text for text in texts.values() if "annex" in text]
    assert (
        "left for comparisons treated as independent (Peña-Alcántara 2022), level 90 %; right for the population, "
        "level 95 %;" in plain_text(view.figures[0].caption)
    )


def test_densities_and_normality() -> None:
    """A panel for each system; the table has bandwidths, scores on an end, both tests of normality."""
    view = densities.build(Source(result()))
    assert view is not None
    (figure,) = view.figures
    assert [panel.alt.split(":")[0] for panel in figure.panels] == ["v1", "v2"]
    assert "highest at" in figure.panels[0].alt
    assert "Each system has scales of its own." in plain_text(figure.caption)
    (table,) = view.tables
    assert [row[0] for row in rows(table)] == ["Light", "Dark", "Light", "Dark"]
    assert rows(table)[1][2] != "–"
    assert rows(table)[2][2] == "–"


def test_boxes_and_d_l2_at_like_quality() -> None:
    """One figure of boxes; means once for all systems with the test in words; strata with signs."""
    view = quality.build(Source(result()))
    assert view is not None
    (figure,) = view.figures
    assert figure.panels[0].alt.startswith("brightness of the samples by tone, medians: Light")
    means, within = view.tables
    (row,) = rows(means)
    assert row[0] == "every system"
    assert row[3].startswith("Significant before adjustment (p ")
    assert rows(within)[0][0] == "all of known quality"
    assert rows(within)[0][2].startswith("−")
    assert rows(within)[0][4] == "see Interclass bias"


def test_failures_read_both_ways() -> None:
    """Each class and the largest, with what failed and the difference."""
    view = failure_scores.build(Source(result()))
    assert view is not None
    (table,) = view.tables
    assert [row[0] for row in rows(table)][:3] == ["Light", "Dark", "largest of the classes"]
    assert rows(table)[5][4] == "0"
    assert all(" / " in row[1] for row in rows(table)[:2])


def test_curves_are_drawn_once() -> None:
    """Where the section on curves draws them with bands, the section on d_l2 does not draw them again."""
    view = interclass.build(Source(result()))
    assert view is not None
    assert view.figures == ()


def test_the_cohorts_samples_are_no_system() -> None:
    """What is said of every system stands for none in lists of systems."""
    assert Source(result()).providers == ("v1", "v2")


def test_the_first_page_says_what_each_release_changed() -> None:
    """The steps of a family by schema, with the size where a test is significant, and its p values."""
    base = result()
    (change,) = [item for item in base.estimates if item.metric == "d_l2_change"]
    assert change.test is not None
    others = tuple(item for item in base.estimates if item is not change)
    for p, change_said in ((0.01, "changed by \N{MINUS SIGN}1.25"), (0.9, "change not established")):
        one = replace(change, value=-1.25, test=replace(change.test, p=p, p_adjusted=None))
        (line,) = map(plain_text, releases.answers(Source(replace(base, estimates=(*others, one)))))
        assert line.startswith(f"Releases of v, largest d_l2 by tone: {change_said} from v1 to v2 (p ")


@pytest.mark.parametrize("section", [releases, tar_curves])
def test_panels_of_one_figure_have_one_scale(section: ModuleType) -> None:
    """Both intervals of a release, both bands of the curves by class."""
    assert not unequal(lambda: section.build(Source(result())))
