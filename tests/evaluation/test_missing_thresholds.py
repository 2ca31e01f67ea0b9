"""Systems without the threshold of a requirement; what is forged of them is in test_contradictions."""

from dataclasses import replace

from frtaudit.core import Estimate, Verdict
from frtaudit.core.spec import RequirementSpec, Weighting
from frtaudit.evaluation.missing_thresholds import without_threshold
from frtaudit.evaluation.requirements import JudgementContext, judge


def rate(system: str, at: dict[str, float | str], **changes: object) -> Estimate:
    """FMR of a system at a threshold of its own."""
    made = Estimate.of(
        system, "error_rates", "fmr", 0.001, "share", counts=(1, 1000), at=at, weighting="pooled"
    )
    return replace(made, **changes)


def context(*estimates: Estimate) -> JudgementContext:
    """What requirements are judged on."""
    ranked = {"group": ("x", "y")}
    return JudgementContext(estimates=estimates, ranked=ranked, alpha=0.05, weighting=Weighting.POOLED)


RATES = [
    rate("a", {"threshold": 0.3, "name": "op"}),
    rate("b", {"threshold": 0.25, "name": "op"}),
    rate("b", {"threshold": 0.2, "name": "low"}),
]


def test_a_system_that_lacks_the_threshold_is_not_left_out() -> None:
    """Of two systems with thresholds of their own, the one without that of the requirement is not testable."""
    groups = [replace(RATES[0], schema="group", group=name) for name in ("x", "y")]
    other = rate("c", {}, analysis="failures")  # its rates are estimated nowhere
    for at, system, number, where_read in (
        ({"threshold": 0.3}, "b", 3, "threshold 0.3"),
        ({"name": "low"}, "a", 1, "the threshold named low"),
    ):
        asked = RequirementSpec(name="r", metric="fmr", at=at, limit=0.02)
        each = replace(asked, name="e", group="each")
        where = context(*RATES, *groups, other)
        lacking = without_threshold([asked, each, asked], where)
        assert [(empty.provider, dict(empty.at), empty.value) for empty in lacking] == [
            (system, at, None)
        ] * number
        _, missing = judge([asked], context(*where.estimates, *lacking))
        assert (missing.verdict, missing.index, missing.family) == (
            Verdict.NOT_TESTABLE,
            len(where.estimates),
            2,
        )
        assert missing.sentence.startswith(f"{system}: FMR at {where_read} cannot be tested ")
        assert missing.sentence.endswith(f": {system} has no such threshold.")


def test_a_system_without_any_threshold_is_known_by_its_other_estimates() -> None:
    """Its EER is estimated, so that it is one of the systems; where all have the threshold nothing is missing."""
    asked = RequirementSpec(name="r", metric="fmr", at={"name": "op"}, limit=0.02)
    at_target = replace(asked, at={"fmr": 0.1})
    assert without_threshold([asked, at_target], context(*RATES)) == ()
    (lacking,) = without_threshold([asked], context(*RATES, rate("d", {}, metric="eer")))
    assert (lacking.provider, lacking.note) == ("d", "d has no such threshold")
    every = rate("every system", {}, metric="eer")
    assert without_threshold([asked], context(*RATES, every)) == ()
