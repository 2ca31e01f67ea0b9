"""Specs as values. Tests also spec_values, what a spec names."""

import dataclasses
from enum import Enum

import pytest

from frtaudit.core import Method, Target, spec
from frtaudit.core.spec import (
    ADDED,
    AuditSpec,
    Bootstrap,
    IntervalSpec,
    Report,
    SchemaSpec,
    Thresholds,
)
from frtaudit.core.spec_values import MACHINE, PATH


def test_the_defaults_are_the_papers() -> None:
    """Alpha 0.05 and B 1000, identity weighting, failures kept apart, a tail of 2 GB."""
    made = AuditSpec(name="a", cohort=None, protocol=None, analyses={})
    assert (made.bootstrap.alpha, made.bootstrap.B) == (0.05, 1000)
    assert (made.weighting.value, made.failures.value, made.tail_budget) == (
        "identity",
        "apart",
        2_000_000_000,
    )
    assert made.report.sign
    assert made.providers is None


def test_a_spec_is_frozen() -> None:
    """No field of any spec type can be assigned."""
    for value in (Bootstrap(), Thresholds(), SchemaSpec(), Report()):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, dataclasses.fields(value)[0].name, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        IntervalSpec(method=Method.WILSON, target=Target.POPULATION).method = Method.NAIVE  # type: ignore[misc]  # the test


def test_paths_and_machine_settings_are_marked() -> None:
    """Input files and the thread count carry a role that keeps them out of the identity; later fields say so."""
    kinds = [kind for kind in vars(spec).values() if dataclasses.is_dataclass(kind)]
    roles = {
        f"{kind.__name__}.{field.name}": dict(field.metadata)
        for kind in kinds
        for field in dataclasses.fields(kind)
        if field.metadata
    }
    assert roles == {
        "Thresholds.file": PATH,
        "Folds.file": PATH,
        "AuditSpec.threads": MACHINE,
        "AuditSpec.dask": MACHINE,
        "AuditSpec.engine": MACHINE,
        "AuditSpec.checkpoint": MACHINE,
        "AuditSpec.seal": PATH,
        "AuditSpec.sanitize": ADDED,
        "AuditSpec.trained_on": ADDED,
        "AuditSpec.provenance": ADDED,
        "AuditSpec.profiles": ADDED,
        "RequirementSpec.of": ADDED,
        "RequirementSpec.strict": ADDED,
        "RequirementSpec.level": ADDED,
        "RequirementSpec.minimum": ADDED,
        "RequirementSpec.advisory": ADDED,
        "RequirementSpec.as_measured": ADDED,
        "Provenance.croissant": PATH,
        "Report.annex": ADDED,
        "Report.checklists": ADDED,
        "Report.templates": {**PATH, **ADDED},
        "Report.previous": PATH,
    }


def test_words_of_the_spec_are_plain() -> None:
    """Every value of every enumeration is a lower-case word that can stand in YAML unquoted, PAdES levels apart."""
    enums = [
        kind
        for kind in vars(spec).values()
        if isinstance(kind, type) and issubclass(kind, Enum) and kind not in (Enum, spec.PadesLevel)
    ]
    words = [member.value for kind in enums for member in kind]
    assert len(words) > 20
    assert all(word == word.lower() and word.replace("_", "").isalnum() for word in words)
