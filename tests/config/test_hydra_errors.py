"""Tests of frtaudit.config.hydra_errors."""

from pathlib import Path

import pytest
from hydra.errors import ConfigCompositionException, HydraException, MissingConfigException

from frtaudit.config.hydra_errors import OWN_SCHEMA, translated
from frtaudit.config.load import load_spec
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
            "audit/mine: selects a report preset; accepted: its fields, report: ...; typed, report=NAME",
        ),
        (ConfigCompositionException("Could not delete 'x'. No match\nmore"), "x: Could not delete 'x'. No match"),
        (
            ConfigCompositionException("Ambiguous value for argument 'a,b'\n1. To use it as a list"),
            (
                "command line: several values in 'a,b'; "
                "accepted: one value, 'key=\"a, b\"'; a list, [a,b]; or frtaudit run -m"
            ),
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


HERE = "accepted: fields as frtaudit schema spec shows them"
LISTED = "spec: a key or a number that a list does not have; accepted: a number that the list has"


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("requirements={a: 1}", "requirements: found a mapping; accepted: a list"),
        ("thresholds.fmr={a: 1}", "thresholds.fmr: found a mapping; accepted: a list"),
        ("cohort.classes=[1]", "cohort.classes: found a list; accepted: keys and values"),
        ("requirements.99.limit=1", LISTED),
        ("requirements.a=1", LISTED),
        ("+requirements.x.y=1", LISTED),
        ("~requirements.0", LISTED),
    ],
)
def test_a_list_for_a_mapping_is_told_with_its_place(word: str, line: str) -> None:
    """A word that takes a list for keys and values, or the reverse, says which stands there."""
    with pytest.raises(SpecError) as caught:
        load_spec(["audit=demo", word])
    assert str(caught.value).startswith(line)
    assert str(load_spec(["audit=demo", "requirements.0.limit=0.2"]).requirements[0].limit) == "0.2"


@pytest.mark.parametrize("text", ["requirements: {a: 1}", "cohort: [1]", "thresholds: {fmr: {a: 1}}"])
def test_a_list_for_a_mapping_in_a_file_names_the_file(text: str, tmp_path: Path) -> None:
    """OmegaConf names no key there; the audit is named, and what the mistake is."""
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit/mine.yaml").write_text(f"# @package _global_\ndefaults: [demo]\n{text}\n")
    with pytest.raises(SpecError, match=rf"^audit/mine: a list where .* or the reverse; {HERE}$"):
        load_spec(["audit=mine"], tmp_path)


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("requirements[0].limit=0.2", "cannot read 'requirements[0].limit=0.2'; accepted: requirements.0.limit=0.2"),
        ("~requirements[0]", "cannot read '~requirements[0]'; accepted: a list given whole: requirements=[...]"),
    ],
)  # fmt: skip
def test_an_index_in_brackets_is_told_as_the_command_line_writes_it(word: str, line: str) -> None:
    """An item of a list is named with a dot, and what is advised is accepted."""
    with pytest.raises(SpecError) as caught:
        load_spec(["audit=demo", word])
    assert str(caught.value) == f"command line: {line}"
    assert load_spec(["audit=demo", "requirements.0.limit=0.2"]).requirements[0].limit == 0.2


@pytest.mark.parametrize("key", ["name", "seed"])
def test_what_no_preset_sets_cannot_be_deleted(key: str) -> None:
    """The refusal says what is accepted instead."""
    with pytest.raises(SpecError) as caught:
        load_spec(["audit=demo", f"~{key}"])
    line = f"{key}: cannot be deleted with '~{key}': no preset sets it; accepted: a value, {key}=VALUE; or no '~{key}'"
    assert str(caught.value) == line
