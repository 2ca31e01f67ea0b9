"""Small real audits, made once and shared: specs, what they find, and the plain numbers behind it."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from frtaudit.analyses.accuracy import Accuracy
from frtaudit.analyses.differentials import Differentials
from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.failures import Failures
from frtaudit.analyses.interclass import Interclass
from frtaudit.analyses.same_class import SameClass
from frtaudit.analyses.similarity_roc import SimilarityRoc
from frtaudit.analyses.tail_model import TailModelAnalysis
from frtaudit.config.plugins import load_plugins
from frtaudit.core import AuditResult, CohortData, Estimate, Method, Target
from frtaudit.core.spec import (
    AuditSpec,
    Bootstrap,
    Folds,
    FoldSource,
    Grid,
    GridKind,
    IntervalSpec,
    Report,
    RequirementSpec,
    SchemaSpec,
    Thresholds,
)
from frtaudit.datasets.cohorts.synthetic import Synthetic, SyntheticClass, SyntheticSystem
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.evaluation.system import SystemData
from frtaudit.pipeline.audit import Audited, audit
from frtaudit.pipeline.components import comparisons_of, load_cohort, load_providers
from frtaudit.pipeline.evaluate import evaluate_system, groups_of

load_plugins()

Floats = npt.NDArray[np.float64]
B = 199
TARGETS = (0.1, 0.03)
CLASSES = ("x", "y")
ANALYSES: dict[str, Any] = {
    "accuracy": Accuracy(),
    "differentials": Differentials(),
    "error_rates": ErrorRates(curve_points=20),
    "failures": Failures(),
    "interclass": Interclass(B=99, curve_points=9),
    "similarity_roc": SimilarityRoc(),
}
COHORT = Synthetic(
    subjects=24,
    samples_per_subject=(2, 5),
    dimension=16,
    concentration=(8.0, 16.0),
    classes={"x": SyntheticClass(), "y": SyntheticClass(concentration=0.7)},
    systems={"one": SyntheticSystem(noise=0.3, failure_rate=0.1), "two": SyntheticSystem(noise=0.5)},
)
SCHEMAS = {"group": SchemaSpec(column="group", classes=CLASSES)}
REQUIREMENTS = (
    RequirementSpec(name="eer", metric="eer", limit=0.5),
    RequirementSpec(name="low", metric="fnmr_at_fmr", limit=0.999, at={"fmr": 0.1}),
    RequirementSpec(
        name="each", metric="fnmr_at_fmr", limit=0.01, at={"fmr": 0.1}, schema="group", group="each"
    ),
)
EXPLICIT = Grid(kind=GridKind.EXPLICIT, values=(0.1, 0.2, 0.3))


def interval(method: str, target: str) -> IntervalSpec:
    """An interval that a spec asks for."""
    return IntervalSpec(method=Method(method), target=Target(target))


def spec(*analyses: str, **changes: Any) -> AuditSpec:
    """The small audit with the named analyses (default: error_rates), and with other fields changed."""
    made = AuditSpec(
        name="small",
        cohort=COHORT,
        protocol=AllPairs(),
        analyses={name: ANALYSES[name] for name in sorted(analyses or ("error_rates",))},
        schemas=SCHEMAS,
        thresholds=Thresholds(fmr=TARGETS, grid=EXPLICIT),
        bootstrap=Bootstrap(B=B),
        threads=1,
        report=Report(date="2026-01-02", sign=False),
    )
    return replace(made, **changes)


def whole_spec(**changes: Any) -> AuditSpec:
    """Every analysis, two systems, one schema, constructed folds, requirements."""
    folds = Folds(source=FoldSource.DISJOINT, k=3)
    return replace(spec(*ANALYSES), folds=folds, requirements=REQUIREMENTS, **changes)


@cache
def whole() -> Audited:
    """The audit of :func:`whole_spec`."""
    return audit(whole_spec())


@cache
def system_of(provider: str = "one") -> SystemData:
    """One system of :func:`whole_spec` audited."""
    return put(whole_spec(), provider)


def put(made: AuditSpec, provider: str) -> SystemData:
    """One system of a spec audited."""
    cohort_data = load_cohort(made)
    (system,) = [item for item in load_providers(made, cohort_data) if item.name == provider]
    return evaluate_system(
        made, system, cohort_data, comparisons_of(made, cohort_data), groups_of(cohort_data.cohort)
    )


def pick(result: AuditResult, metric: str, **where: Any) -> list[Estimate]:
    """The estimates of a metric; ``where`` are their fields, ``at`` the part of ``at`` that must agree."""
    at = where.pop("at", {})
    return [
        item
        for item in result.estimates
        if item.metric == metric
        and all(getattr(item, name) == value for name, value in where.items())
        and all(item.at.get(name) == value for name, value in at.items())
    ]


def one(result: AuditResult, metric: str, **where: Any) -> Estimate:
    """The only such estimate; ``at`` must agree whole where it is given."""
    found = [
        item for item in pick(result, metric, **where) if "at" not in where or dict(item.at) == where["at"]
    ]
    assert len(found) == 1, f"{len(found)} estimates of {metric} at {where}"
    return found[0]


class Plain:
    """Scores of one provider of a cohort with templates, in numpy: what every number is checked against."""

    def __init__(self, cohort_data: CohortData, provider: str, schema: str | None = None) -> None:
        """All unordered pairs of acquired samples: cosine, subjects, classes."""
        templates = cohort_data.templates[provider]()
        vectors = templates.vectors.astype(np.float64)
        vectors /= np.sqrt((vectors**2).sum(axis=1))[:, None]
        i, j = np.triu_indices(len(vectors), 1)
        self.subject = cohort_data.cohort.subject_of[templates.rows]
        self.first, self.second = self.subject[i], self.subject[j]
        self.score = (vectors @ vectors.T)[i, j].astype(np.float32).astype(np.float64)
        self.mated = self.first == self.second
        self.code = None if schema is None else cohort_data.cohort.classifications[schema].codes

    def inside(self, code: int | None) -> npt.NDArray[np.bool_]:
        """Pairs with both subjects in the class; all pairs for None."""
        if code is None or self.code is None:
            return np.ones(len(self.score), dtype=bool)
        return (self.code[self.first] == code) & (self.code[self.second] == code)

    def threshold(self, target: float) -> float:
        """inf{t: pooled FMR(t) <= target} by going through every score."""
        scores = np.sort(self.score[~self.mated])
        for t in scores:
            if np.count_nonzero(scores > t) <= target * len(scores):
                return float(t)
        raise AssertionError

    def rate(self, rate: str, threshold: float, code: int | None = None) -> tuple[int, int]:
        """Pooled errors and trials of fmr or fnmr at a threshold."""
        kind = self.mated if rate == "fnmr" else ~self.mated
        scores = self.score[kind & self.inside(code)]
        wrong = scores <= threshold if rate == "fnmr" else scores > threshold
        return int(wrong.sum()), len(scores)

    def identity(self, rate: str, threshold: float, code: int | None = None) -> float:
        """Mean over subjects (fnmr) or pairs of subjects (fmr) of the share of errors among their comparisons."""
        kind = (self.mated if rate == "fnmr" else ~self.mated) & self.inside(code)
        shares = []
        for pair in sorted(set(zip(self.first[kind].tolist(), self.second[kind].tolist(), strict=True))):
            scores = self.score[kind & (self.first == pair[0]) & (self.second == pair[1])]
            shares.append(np.mean(scores <= threshold if rate == "fnmr" else scores > threshold))
        return float(np.mean(shares))


@cache
def plain(provider: str = "one") -> Plain:
    """The scores behind :func:`whole`."""
    return Plain(COHORT.load(SCHEMAS, 0), provider, "group")


def folder_of(root: Path, order: npt.NDArray[np.int64] | None = None, **columns: list[str]) -> TemplateFolder:
    """The synthetic cohort written as a folder of templates, metadata rows and template rows in any order."""
    cohort_data = COHORT.load(SCHEMAS, 0)
    cohort = cohort_data.cohort
    codes = cohort.classifications["group"].codes
    rows = [
        [
            cohort.sample_ids[n],
            cohort.subject_ids[k],
            CLASSES[codes[k]],
            *(texts[k] for texts in columns.values()),
        ]
        for n, k in enumerate(cohort.subject_of)
    ]
    chosen = np.arange(len(rows)) if order is None else order
    text = [",".join(["image_id", "subject_id", "group", *columns])] + [",".join(rows[n]) for n in chosen]
    (root / "templates").mkdir(parents=True)
    (root / "metadata.csv").write_text("\n".join(text) + "\n")
    for name, load in cohort_data.templates.items():
        templates = load()
        here = [n for n in chosen if n in set(templates.rows.tolist())]
        at = np.searchsorted(templates.rows, here)
        ids = np.array([cohort.sample_ids[n] for n in here])
        np.savez(root / "templates" / f"{name}.npz", embedding=templates.vectors[at], image_id=ids)
    return TemplateFolder(root=str(root))


def score_lines(provider: str = "one", failed: tuple[int, ...] = ()) -> list[dict[str, Any]]:
    """The same comparisons as lines of a score list, some of them failed."""
    cohort_data = COHORT.load(SCHEMAS, 0)
    rows = cohort_data.templates[provider]().rows
    made = plain(provider)
    i, j = np.triu_indices(len(rows), 1)
    cohort = cohort_data.cohort
    codes = cohort.classifications["group"].codes
    return [
        {
            "probe": cohort.sample_ids[rows[a]],
            "reference": cohort.sample_ids[rows[b]],
            "probe_subject": cohort.subject_ids[made.first[n]],
            "reference_subject": cohort.subject_ids[made.second[n]],
            "score": "" if n in failed else repr(float(made.score[n])),
            "failure": "no_face" if n in failed else "",
            "probe_group": CLASSES[codes[made.first[n]]],
            "reference_group": CLASSES[codes[made.second[n]]],
        }
        for n, (a, b) in enumerate(zip(i, j, strict=True))
    ]


@cache
def tail_audit(*, decides: bool = True) -> AuditResult:
    """An audit of 120 people whose FMR beyond the data is limited: once where people are enough, once where not."""
    asked = tuple(
        RequirementSpec(name=name, metric="fmr_model", limit=limit, at={"threshold": 0.85})
        for name, limit in (("enough", 1e-3), ("too-few", 1e-4))
    )
    cohort = replace(
        COHORT,
        subjects=120,
        samples_per_subject=(2, 2),
        concentration=(90.0, 120.0),
        systems={"one": SyntheticSystem(noise=0.02)},
    )
    grid = Grid(kind=GridKind.EXPLICIT, values=(0.3, 0.75, 0.85, 0.99))
    model = TailModelAnalysis(exceedances=(500, 250, 125), draws=19, decides=decides, fmr=(1e-5, 3e-6, 0.1))
    made = spec("error_rates", cohort=cohort, requirements=asked, providers=("one",))
    made = replace(made, thresholds=Thresholds(fmr=(0.03,), grid=grid))
    return audit(replace(made, analyses=made.analyses | {"tail_model": model})).result


@cache
def same_class_audit() -> AuditResult:
    """An audit that limits FMR among all people and within classes; two schemas."""
    schemas = SCHEMAS | {"twin": SchemaSpec(column="group")}
    asked = (
        RequirementSpec(name="all", metric="fmr", limit=1e-4, at={"threshold": 0.2}),
        RequirementSpec(
            name="alike", metric="fmr_same_class", limit=1e-4, at={"threshold": 0.2}, schema="group"
        ),
    )
    made = spec("error_rates", schemas=schemas, requirements=asked, providers=("one",))
    return audit(replace(made, analyses=made.analyses | {"same_class": SameClass()})).result
