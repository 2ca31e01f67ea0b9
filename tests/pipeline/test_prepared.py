"""What an audit refuses before it scores: ``check`` comes through the same door."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from attempt_files import attempts_spec
from small_audits import spec

from frtaudit.analyses.tail_model import TailModelAnalysis
from frtaudit.analyses.transactions import TransactionRates
from frtaudit.config.plugins import load_plugins
from frtaudit.core.registry import lookup, names
from frtaudit.core.spec import AuditSpec, RequirementSpec
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.errors import DataError, FrtauditError
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.dry_run import check

load_plugins()
DOORS: tuple[Callable[[AuditSpec], object], ...] = (check, audit)
SURVEYING = [name for name in names("analysis") if hasattr(lookup("analysis", name, "analyses"), "survey")]


@pytest.mark.parametrize("name", SURVEYING)
@pytest.mark.parametrize("door", DOORS)
def test_every_survey_is_asked(
    name: str, door: Callable[[AuditSpec], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the survey of an analysis refuses, whichever it is, ``check`` refuses as ``run`` does."""

    def refuse(self: object, spec: AuditSpec, cohort_data: object) -> object:
        raise DataError(f"analyses.{name}", "refused", "another")

    kind = lookup("analysis", name, "analyses")
    monkeypatch.setattr(kind, "survey", refuse)
    with pytest.raises(DataError, match=rf"^analyses\.{name}: refused; accepted: another$"):
        door(replace(spec(), analyses={"own": kind()}))


def named(**at: float | str) -> dict[str, Any]:
    """A requirement at a named threshold, of two systems of which one has thresholds of its vendor."""
    vendor = Cosine(name="two", recommended={"high": 0.35})
    asked = RequirementSpec(name="r", metric="fnmr", at=at, limit=1.0)
    return {"providers": ("one", vendor), "requirements": (asked,)}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"analyses": {"tail_model": TailModelAnalysis(fmr=(1e-30,))}},
            "analyses.tail_model.fmr: FMR 1e-30 lies more than 2 decades below what these data resolve; accepted",
        ),
        (
            {"analyses": {"transactions": TransactionRates()}},
            "analyses.transactions: these data hold comparisons, which give FMR and FNMR, and no transactions; ",
        ),
        (
            named(recommended="hihg"),
            "requirements.r.at.recommended: no system has a threshold named 'hihg' (did you mean 'high'?); accepted",
        ),
        (
            named(name="gate"),
            "requirements.r.at.name: no system has a threshold named 'gate'; accepted: a threshold by value",
        ),
    ],
)
@pytest.mark.parametrize("door", DOORS)
def test_the_doors_say_the_same(
    door: Callable[[AuditSpec], object], changes: dict[str, Any], said: str
) -> None:
    """A target that no model reaches, transactions of comparisons, a threshold that nobody has: in both, one line."""
    with pytest.raises(FrtauditError) as caught:
        door(spec(**changes))
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("door", DOORS)
def test_no_model_of_attempts(door: Callable[[AuditSpec], object], tmp_path: Path) -> None:
    """FAR of transactions is not extrapolated, and that is said before anything is scored."""
    made = attempts_spec(tmp_path)
    with pytest.raises(DataError, match=r"^analyses\.tail_model: these data hold transactions"):
        door(replace(made, analyses={"tail_model": TailModelAnalysis()}))


def test_a_threshold_that_one_system_has_is_enough() -> None:
    """Of several systems, those without it are not estimated; nothing is refused."""
    assert check(spec(**named(recommended="high")))
