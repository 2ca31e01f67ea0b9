import pytest
from vendor_audits import made

from frtaudit.analyses.comparison.rules import Decision, Rule, Settings
from frtaudit.errors import SpecError

LINES = [
    (Settings(decision=Decision(metric="eer")), "decision.metric: found 'eer'"),
    (Settings(decision=Decision(rule=Rule.BETTER_THAN)), "decision.against: no incumbent"),
    (Settings(decision=Decision(rule=Rule.EQUIVALENT, against="a")), "margins: no margin of fnmr_at_fmr"),
    (Settings(margins={"fta": 0.0}), "margins.fta: found 0"),
    (Settings(margins={"max_min": 1.0}), "margins.max_min: found 1"),
    (Settings(margins={"speed": 1.0}), "margins: found 'speed'"),
    (Settings(services={"v": ("a",)}), "services.v: fewer than two systems"),
]
LATER = [
    (Settings(decision=Decision(against="c", rule=Rule.BETTER_THAN)), "decision.against: no system 'c'"),
    (Settings(services={"v": ("a", "c")}), "services.v: no system 'c'"),
    (Settings(decision=Decision(fmr=0.5)), "decision.fmr: 0.5 is not a target"),
    (Settings(decision=Decision(schema="tone")), "decision.schema: no schema 'tone'"),
]


@pytest.mark.parametrize(("settings", "line"), LINES)
def test_a_rule_that_no_data_could_serve_is_refused(settings: Settings, line: str) -> None:
    """One line that names the place."""
    with pytest.raises(SpecError) as error:
        settings.check()
    assert line in str(error.value)


@pytest.mark.parametrize(("settings", "line"), LATER)
def test_a_rule_that_this_panel_cannot_serve_is_refused_before_scoring(settings: Settings, line: str) -> None:
    """Systems, targets and schemas that are not there."""
    settings.check()
    with pytest.raises(SpecError) as error:
        settings.foresee(made(), ("a", "b"), ("group",))
    assert line in str(error.value)


def test_one_system_or_too_few_replicates_are_refused() -> None:
    """A comparison needs two systems, and B with which alpha can be reached (FORMULAS 8.9)."""
    from dataclasses import replace

    from frtaudit.core.spec import Bootstrap

    with pytest.raises(SpecError, match="two or more to compare"):
        Settings().foresee(made(), ("a",), ())
    Settings().foresee(made(), [f"system {number}" for number in range(13)], ())  # no cap
    few = replace(made(), bootstrap=Bootstrap(B=18, alpha=0.05))
    with pytest.raises(SpecError, match="19 or more"):
        Settings().foresee(few, ("a", "b"), ())


@pytest.mark.parametrize(
    ("metric", "line"),
    [
        ("gap", "gap without a schema"),
        ("d_l2", "d_l2 without a schema"),
        ("accuracy", "accuracy without folds"),
    ],
)
def test_a_measure_that_nothing_could_answer_is_refused(metric: str, line: str) -> None:
    """Classes need a schema, accuracy needs folds; with both every measure is accepted."""
    from frtaudit.core.spec import Folds, FoldSource

    settings = Settings(decision=Decision(metric=metric))
    with pytest.raises(SpecError, match=f"decision.metric: {line}"):
        settings.foresee(made(folds=Folds(source=FoldSource.NONE)), ("a", "b"), ())
    settings.foresee(made(), ("a", "b"), ("group",))
