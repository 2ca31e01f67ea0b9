"""Rates at operating points: what a note says of the heaviest pair of people (FORMULAS 8.18)."""

from itertools import product

import numpy as np
from small_audits import system_of

from frtaudit.evaluation.operating_points import HEAVY, MIN_HEAVY, ONE_PAIR, OperatingPoint, read
from frtaudit.evaluation.system import WEIGHTINGS
from frtaudit.stats.groups.influence import heaviest_pair


def test_a_note_names_the_heaviest_pair_where_it_is_heavy_and_nowhere_else() -> None:
    """At every target, weighting and group the note stands iff one pair has a tenth of the errors, two at least."""
    system = system_of()
    seen = set()
    groups = [group_index for group_index, _, _ in system.every_group()]
    points = range(len(system.operating_points.targets))
    for (w, weighting), group_index, point in product(enumerate(WEIGHTINGS), groups, points):
        threshold = float(system.operating_points.at_target[w, point])
        member = system.rule.spread.member[group_index]
        heaviest = heaviest_pair(system.tail, member, threshold, weighting)
        heavy = heaviest is not None and heaviest.share >= HEAVY and heaviest.errors >= MIN_HEAVY
        place = OperatingPoint(
            rate="fmr", weighting=weighting, group_index=group_index, threshold=threshold, point=point
        )
        rule = read(system, place).rule
        assert rule is not None
        assert np.isfinite(threshold)
        assert (ONE_PAIR in (rule(0.05).note or "")) == heavy
        seen.add(heavy)
    assert seen == {True, False}
