"""Tests of frtaudit.evaluation.returned: what analyses of other wheels may not return."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from small_audits import spec

from frtaudit.config.plugins import naming
from frtaudit.core import Curve, Estimate, Interval, Method, registry
from frtaudit.core.canonical import read_json
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import DataError, FrtauditError
from frtaudit.evaluation.returned import check_returned
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.pipeline.audit import audit
from frtaudit.signing.contents import against_schema

Make = Callable[[SystemData], Any]
WHERE = r"^plug-in tests\.evaluation\.test_returned: analysis 'brought' returned "


@dataclass(frozen=True)
class Brought:
    """An analysis of another wheel: ``make`` is what it returns of a system."""

    make: Make
    metrics: Any = ("mine",)

    def estimates(self, system: SystemData, alpha: float) -> Any:
        """What was given."""
        return self.make(system)


@dataclass(frozen=True)
class Silent:
    """No analysis at all."""


def read(analysis: object) -> AnalysisOutput:
    """What that analysis returns of the system ``one``."""
    with naming(analysis):
        output: AnalysisOutput = analysis.estimates(SimpleNamespace(provider="one"), 0.05)  # type: ignore[attr-defined]
        check_returned("brought", analysis, output, ["one"])
    return output


def estimate(system: SystemData, **changes: Any) -> Estimate:
    """A good estimate, some of its fields changed."""
    interval = Interval.of(0.1, 0.4, 0.05, Method.WILSON)
    good = Estimate.of(
        system.provider, "brought", "mine", 0.25, "things", counts=(1, 4), intervals=(interval,)
    )
    return replace(good, **changes)


def changed(**changes: Any) -> Make:
    """An output with that estimate."""
    return lambda system: AnalysisOutput(estimates=(estimate(system, **changes),))


def test_what_is_right_is_kept_and_valid() -> None:
    """Also as a list, and with numbers of NumPy that are doubles; None with a note is what cannot be estimated."""
    for make in (
        changed(),
        changed(value=np.float64(0.25)),
        changed(value=np.float32(0.25)),
        changed(value=None, note="nothing was tried"),
        lambda system: AnalysisOutput(estimates=[estimate(system), estimate(system, at={"fmr": 0.1})]),  # type: ignore[arg-type]
    ):
        assert {item.metric for item in read(Brought(make)).estimates} == {"mine"}


MINE = "an estimate of 'mine': "
REFUSED: Mapping[str, tuple[Make, str]] = {
    "a fraction as a count": (changed(numerator=3.5), MINE + "numerator 3.5 is not of type 'integer'"),
    "no unit": (changed(unit=None), MINE + "unit None is not of type 'string'"),
    "a note that is no text": (changed(note=5), MINE + "note 5 is not of type 'string'"),
    "no group": (changed(group=None), MINE + "group None is not of type 'string'"),
    "a level that is none": (
        lambda system: AnalysisOutput(
            estimates=(estimate(system, weighting="double"),),
        ),
        MINE + "weighting 'double' does not match",
    ),
    "a count of NumPy": (
        changed(numerator=np.int64(1)),
        MINE + r"numerator, a int64, cannot be written \(Object of type int64",
    ),
    "a number beyond all doubles": (changed(value=10**400), MINE + "value, a int, cannot be written"),
    "a list in a point": (changed(at={"fmr": [1, 2]}), MINE + "at, a mappingproxy, cannot be written"),
    "half a character": (changed(unit="\ud800"), MINE + "unit, a str, cannot be written"),
    "undefined": (
        changed(value=float("nan")),
        MINE + "value nan; accepted: a number; None with a note: not estimated",
    ),
    "undefined of NumPy": (changed(value=np.float32("nan")), MINE + "value nan; "),
    "an undefined error": (
        lambda system: AnalysisOutput(
            estimates=(
                estimate(
                    system, intervals=(Interval.of(0.1, 0.4, 0.05, Method.WILSON, mc_error=float("nan")),)
                ),
            )
        ),
        MINE + r"intervals\[0\]\.mc_error nan; ",
    ),
    "an undefined point": (changed(at={"fmr": float("nan")}), MINE + r"at\.fmr nan; "),
    "a text as a number": (changed(value="7"), MINE + "value '7'; accepted: a number"),
    "one estimate twice": (
        lambda system: AnalysisOutput(estimates=(estimate(system), estimate(system, value=0.3))),
        MINE + "it is estimated twice",
    ),
    "another metric": (
        changed(metric="zzz"),
        "an estimate of 'zzz': a metric that the analysis does not declare; accepted: mine$",
    ),
    "another analysis": (
        changed(analysis="error_rates"),
        MINE + "analysis 'error_rates'; accepted: brought$",
    ),
    "another system": (changed(provider="ghost"), MINE + "provider 'ghost'; accepted: one$"),
    "a curve of another system": (
        lambda _: AnalysisOutput(curves=(Curve.of("ghost", "det", [0.1], [0.2]),)),
        "curve 'det': provider 'ghost'; accepted: one$",
    ),
    "nothing": (lambda _: None, "a NoneType; accepted: an AnalysisOutput$"),
    "a list": (lambda _: [1, 2], "a list; accepted: an AnalysisOutput$"),
    "an estimate alone": (
        lambda system: AnalysisOutput(estimates=estimate(system)),  # type: ignore[arg-type]
        "estimates: a Estimate; accepted: a tuple of Estimate$",
    ),
    "an estimate that is none": (
        lambda _: AnalysisOutput(estimates=(1,)),  # type: ignore[arg-type]
        "estimates: a int; accepted: a tuple of Estimate$",
    ),
    "one note alone": (lambda _: AnalysisOutput(notes="a"), "notes: a str; accepted: a tuple of str$"),  # type: ignore[arg-type]
    "a file that is no bytes": (
        lambda _: AnalysisOutput(files={"a.txt": "x"}),  # type: ignore[dict-item]
        "files: not all are bytes under a name",
    ),
    "a file elsewhere": (
        lambda _: AnalysisOutput(files={"../../a.txt": b"x"}),
        r"files: '\.\./\.\./a\.txt' leads out of the folder; accepted: a name below lists/",
    ),
    "a state without a comparison": (
        lambda _: AnalysisOutput(per_system_state=1),
        "per_system_state: is given to an analysis without a method across",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_refused_in_a_line(case: str) -> None:
    """Before anything is made of it, with the analysis, the metric and the field."""
    make, line = REFUSED[case]
    with pytest.raises(FrtauditError, match=WHERE + line) as caught:
        read(Brought(make))
    assert "\n" not in str(caught.value)


def test_a_metric_of_frtaudit_is_refused_though_an_instance_declares_it() -> None:
    """What only an instance knows is seen once it has run."""
    analysis = Brought(changed(metric="fnmr"), metrics=["fnmr"])
    with pytest.raises(FrtauditError, match="an estimate of 'fnmr': the metric is one of frtaudit"):
        read(analysis)


def raising(error: BaseException) -> Make:
    """What raises that."""

    def make(_: SystemData) -> AnalysisOutput:
        raise error

    return make


def test_what_its_code_raises_names_it() -> None:
    """Also SystemExit, which would end the process, and a method that is not there; a line of frtaudit's stays."""
    for error in (ValueError("x"), SystemExit(7)):
        with pytest.raises(
            FrtauditError, match=rf"^plug-in tests\.evaluation\.test_returned: {type(error).__name__}: "
        ) as caught:
            read(Brought(raising(error)))
        assert caught.value.__cause__ is error
    with pytest.raises(
        FrtauditError, match=r"^plug-in tests\.evaluation\.test_returned: AttributeError: .* 'estimates'"
    ):
        read(Silent())
    with pytest.raises(
        FrtauditError,
        match=r"^plug-in tests\.evaluation\.test_returned: TypeError: 'int' object is not iterable",
    ):
        read(Brought(changed(), metrics=5))
    with pytest.raises(DataError, match="^a: b; accepted: c$"):
        read(Brought(raising(DataError("a", "b", "c"))))
    with pytest.raises(KeyboardInterrupt):
        read(Brought(raising(KeyboardInterrupt())))


@dataclass(frozen=True)
class Across:
    """An analysis that compares systems, as it is registered: no fields."""

    metrics: ClassVar = ("mine",)
    good: ClassVar[object] = AnalysisOutput(
        estimates=(Estimate.of("one - two", "brought", "mine", 0.1, "things"),)
    )
    state: ClassVar[object] = good

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """One estimate of the system, and a state."""
        return AnalysisOutput(estimates=(estimate(system),), per_system_state=self.state)

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> Any:
        """What was given as the state."""
        return next(iter(states.values()))


def test_an_audit_checks_both_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is made of it; what passes is a result that is valid. A comparison names systems as it likes."""
    monkeypatch.setitem(registry._registered, ("analysis", "brought"), Across)
    asked = replace(spec(), analyses={"brought": Across()}, providers=("one",))
    result = audit(asked).result
    assert [item.provider for item in result.estimates] == ["one", "one - two"]
    assert against_schema(read_json(result.to_bytes())) is None
    monkeypatch.setattr(Across, "state", 5)
    with pytest.raises(FrtauditError, match=WHERE + "a int; accepted: an AnalysisOutput"):
        audit(asked)
    monkeypatch.setattr(Across, "metrics", ())
    with pytest.raises(
        FrtauditError, match=WHERE + "an estimate of 'mine': a metric that the analysis does not"
    ):
        audit(asked)
