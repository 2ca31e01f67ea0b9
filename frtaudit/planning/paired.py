"""Differences of systems on the same people: the detectable difference, and the number of people for another one."""

from collections.abc import Iterator, Sequence

import numpy as np

from frtaudit.analyses.comparison import measures
from frtaudit.analyses.comparison.contrasts import Judged, judged
from frtaudit.analyses.comparison.support import support_of
from frtaudit.evaluation.system import SystemData
from frtaudit.planning.sizes import PlanContext
from frtaudit.planning.values import Cell, Section

DIFFERENCE = 0.01  # without another one
ALONE = (
    "none planned: that takes a pilot of two systems or more, and an analysis that compares them, such as "
    "+analyses.vendor_comparison={}"
)
PAIRED = "both systems are tested on the same subjects; all pairs of a target are compared simultaneously"


def differences(systems: Sequence[SystemData], context: PlanContext) -> Iterator[Section]:
    """For each FMR target and pair of systems: the difference in FNMR, the detectable one, and numbers of people.

    For fewer than two systems a note what it takes, where a difference was asked for.
    """
    asked = context.settings.difference
    if len(systems) < 2:
        if asked is not None:
            yield Section(name="pilot_difference", title="Differences between systems", notes=(ALONE,))
        return
    common = support_of(systems)
    wanted = DIFFERENCE if asked is None else asked
    for measure in measures.fnmr(common):
        if measure.schema is not None:
            continue
        outcome = judged(measure, common, context.alpha)
        pairs = outcome.family.pairs if outcome.family else ()
        yield Section(
            name="pilot_difference",
            title=f"Pilot: differences in FNMR at FMR {measure.at['fmr']} between {len(systems)} systems",
            columns=(
                "systems",
                "difference",
                "detectable",
                f"subjects: for {wanted:g}",
                "subjects: there are",
            ),
            rows=tuple(_row(outcome, place, wanted) for place in range(len(pairs))),
            notes=(PAIRED, *(f"{_named(outcome, pair)}: {why}" for pair, why in outcome.untested.items())),
        )


def _row(outcome: Judged, place: int, wanted: float) -> tuple[Cell, ...]:
    if outcome.family is None:
        return ()
    return (
        _named(outcome, outcome.family.pairs[place]),
        float(outcome.family.value[place]),
        float(outcome.detectable()[place]),
        int(np.ceil(outcome.subjects_for(wanted)[place])),
        outcome.measure.subjects,
    )


def _named(outcome: Judged, pair: tuple[int, int]) -> str:
    return f"{outcome.names[pair[0]]} - {outcome.names[pair[1]]}"
