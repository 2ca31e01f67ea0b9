"""Many releases of a vendor: whether interclass bias went up or down from each to the next (thesis, "histology").

The grid and the dates stand in the spec; the report draws the matrix and the curve over dates from them and from
``interclass``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from itertools import pairwise
from typing import cast

import numpy as np

from frtaudit.core import Estimate, Interval, Method, Test, TestMethod
from frtaudit.core.canonical import seed_of
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import SpecError
from frtaudit.evaluation.class_scores import ClassScores, class_scores
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.stats.interclass import release_change
from frtaudit.stats.interclass.d_l2 import POWER, to_scale
from frtaudit.stats.interclass.release_change import Change

NAME = "releases"
METRIC = "d_l2_change"
_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}-[0-9]{2})?")  # so that dates as text stand in the order of their days
TIED = "identical by construction, or fewer than two subjects of a class in both: nothing to test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A system as one release: its place in the vendor's grid, and when it came (YYYY or YYYY-MM-DD)."""

    detection: str = ""
    recognition: str = ""
    released: str | None = None


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Releases:
    """Change of the largest d_l2 from each dated release to the next, by schema, with a paired test.

    ``families``: vendor to system to its :class:`Release`; systems without a date stand in the grid alone.
    """

    families: Mapping[str, Mapping[str, Release]] = field(default_factory=dict)
    metrics = ("d_l2_change",)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a date that is none, or two systems at one place of a grid."""
        for family, members in self.families.items():
            where = f"analyses.{NAME}.families.{family}"
            places = [(member.detection, member.recognition) for member in members.values()]
            if len(set(places)) < len(places):
                raise SpecError(where, "two systems have the same place in the grid", "each place once")
            for name, release in members.items():
                if release.released is not None and _day(release.released) is None:
                    raise SpecError(
                        f"{where}.{name}.released", f"found {release.released!r}", "YYYY or YYYY-MM-DD"
                    )

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:  # noqa: ARG002  analyses share a signature
        """Nothing of one system alone: its mated scores are kept if it is a dated release."""
        if not any(
            members[system.provider].released is not None
            for members in self.families.values()
            if system.provider in members
        ):
            return AnalysisOutput()
        return AnalysisOutput(
            per_system_state=tuple(class_scores(system, schema)[0] for schema in system.groups.schemas)
        )

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:
        """Every family's changes; releases of one day stand in the spec's order."""
        by_system = {name: cast("tuple[ClassScores, ...]", state) for name, state in states.items()}
        estimates: list[Estimate] = []
        notes = [
            f"{family}: no system named {name} was audited"
            for family, members in self.families.items()
            for name, release in members.items()
            if release.released is not None and name not in by_system
        ]
        for members in self.families.values():
            dated = [
                (day, name)
                for name, release in members.items()
                if name in by_system and release.released is not None
                if (day := _day(release.released)) is not None
            ]
            in_order = [name for _, name in sorted(dated, key=lambda pair: pair[0])]
            for old, new in pairwise(in_order):
                estimates += _changes(old, new, by_system, spec, alpha)
        return AnalysisOutput(estimates=tuple(estimates), notes=tuple(notes))


def _day(text: str) -> date | None:
    """The day that a release date names; a year is its first day."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(f"{text}-01-01" if len(text) == 4 else text)
    except ValueError:
        return None


def _changes(
    old: str, new: str, by_system: Mapping[str, tuple[ClassScores, ...]], spec: AuditSpec, alpha: float
) -> Iterator[Estimate]:
    """One estimate for each schema whose classes both releases have."""
    for before, after in zip(by_system[old], by_system[new], strict=True):
        if before.names != after.names or len(before.names) < 2:
            continue
        both = release_change.shared(
            *(
                ([to_scale(s, part.score_range) for s in part.scores], part.subjects)
                for part in (before, after)
            )
        )
        rng = np.random.default_rng(seed_of(spec.seed, NAME, before.schema))
        change = release_change.change(*both, alpha=alpha, n=spec.bootstrap.B, rng=rng)
        yield _estimate(old, new, before.schema, change, alpha)


def _estimate(old: str, new: str, schema: str, change: Change | None, alpha: float) -> Estimate:
    """The change under the new release's name; ``at`` names the old one."""
    make = partial(Estimate.of, new, NAME, METRIC, of=(schema, "max"), at={"from": old, "space": "quantile"})
    method, unit = TestMethod.PAIRED_PEOPLE, "change of the largest d_l2"
    test = Test(p=None, alpha=alpha, method=method, detectable_unit=unit, power=POWER, note=TIED)
    if change is None:
        return make(None, note=TIED, test=test)
    drawn = change.n_resamples
    return make(
        change.value,
        intervals=(Interval.of(change.low, change.high, alpha, Method.VERTEX, n_resamples=drawn),),
        note=f"of the {change.subjects} subjects with mated scores in both releases",
        test=replace(test, p=change.p_value, n_resamples=drawn, detectable=change.detectable, note=None),
    )
