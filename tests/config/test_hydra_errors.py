"""Tests of frtaudit.config.hydra_errors."""

import pytest
from hydra.errors import ConfigCompositionException, HydraException, MissingConfigException

from frtaudit.config.hydra_errors import OWN_SCHEMA, translated
from frtaudit.errors import DataError, SpecError


def test_our_own_errors_stay() -> None:
    """An error of frtaudit is told as it is."""
    error = DataError("a", "b")
    assert translated(error) is error


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            MissingConfigException("Could not find 'audit/demoo'\n\nAvailable options in 'audit':\n\tdemo\n\tlfw", "x"),
            "audit: no option is named 'demoo' (did you mean 'demo'?); accepted: demo, lfw",
        ),
        (
            MissingConfigException("In 'config': Could not load 'schema/x'.\n\nConfig search path:", "x"),
            f"schema: no option is named 'x'; accepted: gender, group, tone, {OWN_SCHEMA}",
        ),
        (
            ConfigCompositionException("You must specify 'audit', e.g\nAvailable options:\n\tdemo\n\tlfw"),
            "audit: nothing is selected; accepted: audit=demo, lfw",
        ),
        (
            ConfigCompositionException("In 'audit/mine': Could not override 'report'.\nDid you mean"),
            "audit/mine: selects a report preset; accepted: its fields, report: ...; presets are selected above them",
        ),
        (ConfigCompositionException("Could not delete 'x'. No match\nmore"), "x: Could not delete 'x'. No match"),
        (
            ConfigCompositionException("Ambiguous value for argument 'audit=demo,lfw'\n1. To use it as a list"),
            "command line: several values in 'audit=demo,lfw'; accepted: one value; a list, [a,b]; or --multirun",
        ),
        (
            ValueError("Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits"),
            "spec: a whole number of more than 4300 digits; accepted: at most 15 digits",
        ),
        (HydraException("Something\nover several\nlines"), "spec: Something"),
        (ValueError("--resolve needs --cfg"), "spec: --resolve needs --cfg"),
    ],
)  # fmt: skip
def test_hydra_is_told_in_one_line(error: Exception, line: str) -> None:
    """What Hydra says over many lines becomes one line with place and alternatives, as a usage error."""
    told = translated(error)
    assert isinstance(told, SpecError)
    assert str(told) == line
