"""Small audits that compare systems, made once and shared: three vendors, a twin, and the same from finished runs."""

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from small_audits import COHORT, EXPLICIT, TARGETS, put, spec

from frtaudit.analyses.comparison.support import CommonSupport, support_of
from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.two_systems import TwoSystems
from frtaudit.analyses.vendor_comparison import VendorComparison
from frtaudit.core import AuditResult, Estimate
from frtaudit.core.spec import AuditSpec, CurveGrid, Folds, FoldSource, Report, Thresholds
from frtaudit.datasets.cohorts.runs import Runs
from frtaudit.datasets.cohorts.synthetic import SyntheticSystem
from frtaudit.datasets.protocols.finished_runs import AsFinished
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.evaluation.system import SystemData
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.run import run

SYSTEMS = {
    "one": SyntheticSystem(noise=0.2, failure_rate=0.05),
    "two": SyntheticSystem(noise=0.25),
    "three": SyntheticSystem(noise=0.9),
}
PEOPLE = replace(COHORT, subjects=70, concentration=(30.0, 60.0), systems=SYSTEMS)
TWIN = Cosine(name="twin", templates="one")
VENDORS = ("one", "two", "three")
ASKED = VendorComparison(margins={"fnmr_at_fmr": 0.25}, services={"maker": ("one", "twin")})
AT = Thresholds(fmr=TARGETS, grid=EXPLICIT, curve=CurveGrid(per_decade=2))


def made(*providers: Any, asked: VendorComparison = ASKED, **changes: Any) -> AuditSpec:
    """The spec of a comparison of systems (default: all three and a twin of the first)."""
    analyses: dict[str, Any] = {"vendor_comparison": asked}
    if not providers:
        analyses["two_systems"] = TwoSystems(first="one", second="three")
    found = spec(
        cohort=PEOPLE,
        providers=providers or (*VENDORS, TWIN),
        analyses=analyses,
        thresholds=AT,
        folds=Folds(source=FoldSource.DISJOINT, k=3),
    )
    return replace(found, **changes)


@cache
def result() -> AuditResult:
    """The audit of :func:`made`."""
    return audit(made()).result


@cache
def trials() -> tuple[SystemData, ...]:
    """The three vendors audited."""
    return tuple(put(made(*VENDORS), name) for name in VENDORS)


@cache
def common() -> CommonSupport:
    """The three vendors on a common support."""
    return support_of(trials())


@cache
def runs() -> Path:
    """A folder with a finished run of each vendor."""
    folder = Path(tempfile.mkdtemp(prefix="frtaudit-runs-"))
    for name in VENDORS:
        alone = replace(
            made(name),
            analyses={"error_rates": ErrorRates(curve_points=5)},
            report=Report(sign=False, html=False, pdf=False),
        )
        run(alone, folder / name, lambda _: 0)
    return folder


def from_runs(*names: str, asked: VendorComparison | None = None) -> AuditSpec:
    """The spec that compares finished runs."""
    paths = tuple(str(runs() / name) for name in names or VENDORS)
    return replace(
        made(asked=asked or VendorComparison()),
        cohort=Runs(runs=paths),
        protocol=AsFinished(),
        providers=None,
        schemas={},
        folds=Folds(source=FoldSource.OFFICIAL),
    )


def pick(found: AuditResult, metric: str, of: str | None = None, **where: Any) -> list[Estimate]:
    """Estimates of a metric; ``of``: the measure; ``where``: fields, or keys of ``at``."""
    fields = {"provider", "schema", "group"}
    return [
        item
        for item in found.estimates
        if item.metric == metric
        and (of is None or item.at.get("of") == of)
        and all(
            (getattr(item, key) if key in fields else item.at.get(key)) == value
            for key, value in where.items()
        )
    ]
