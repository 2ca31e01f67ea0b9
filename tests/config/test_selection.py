from pathlib import Path

import pytest

from frtaudit.config.load import load_spec
from frtaudit.config.selection import NAMED, forms
from frtaudit.errors import SpecError

BASE = ["audit=interclass_demo"]


def analyses(*words: str, folder: Path | None = None) -> list[str]:
    """Names of the analyses of a spec."""
    return list(load_spec([*(words if folder else [*BASE, *words])], folder).analyses)


def test_a_list_is_only_these_a_plus_is_also_this_a_tilde_is_not() -> None:
    """The three forms, together and in any order; what a list keeps has the settings that the audit gives it."""
    every = analyses()
    assert "interclass" in every
    assert analyses("analyses=[interclass]") == ["interclass"]
    kept = load_spec([*BASE, "analyses=[interclass]"]).analyses["interclass"]
    assert kept == load_spec(BASE).analyses["interclass"]
    assert analyses("+analyses.annotation={}") == sorted([*every, "annotation"])
    assert analyses("~analyses.interclass") == [name for name in every if name != "interclass"]
    mixed = ["+analyses.annotation={}", "analyses=[error_rates]", "analysis=densities"]
    assert analyses(*mixed) == analyses(*mixed[::-1]) == ["annotation", "densities", "error_rates"]
    assert analyses("analyses=[failures,quality]", "~analyses.quality") == ["failures"]
    assert list(load_spec(["audit=demo", "schemas=[]", "requirements=[]"]).schemas) == []


@pytest.mark.parametrize("key", NAMED)
@pytest.mark.parametrize("value", ["{a: {}}", "{}", "a", "[1]"])
def test_what_would_be_merged_is_refused_with_the_forms_that_are_accepted(key: str, value: str) -> None:
    """A mapping reads as if it replaced: the line names the forms; so with any other value than a list of names."""
    with pytest.raises(SpecError, match=f"^{key}: .*accepted: ") as error:
        load_spec([*BASE, f"{key}={value}"])
    assert forms(key) in str(error.value)


def test_a_name_that_is_not_there_is_refused_with_those_that_are() -> None:
    """Only these, of none: the line names what there is, and how one is added."""
    with pytest.raises(SpecError, match=r"no 'site'; accepted: group; \+schemas.site=\{...\} adds one"):
        load_spec(["audit=demo", "schemas=[site]"])
    with pytest.raises(
        SpecError, match=r"no analysis is named 'error_rats' \(did you mean 'error_rates'\?\)"
    ):
        load_spec([*BASE, "analyses=[error_rats]"])
    for key, held in (("schemas", "group"), ("test_sets", "none")):
        with pytest.raises(SpecError, match=f"^{key}: the audit has no 'site'; accepted: {held}$"):
            load_spec(["audit=demo", f"~{key}.site"])
    with pytest.raises(
        SpecError, match=r"^analyses: the audit has no 'interclas' \(did you mean 'interclass'\?\)"
    ):
        load_spec([*BASE, "~analyses.interclas"])


@pytest.mark.parametrize("key", NAMED)
def test_a_list_with_a_plus_is_refused(key: str) -> None:
    """``+analyses=[quality]`` reads as "also these", and a list is "only these": the line names both forms."""
    with pytest.raises(SpecError, match=rf"^{key}: found '\+\+?{key}=\[a\]'; accepted: ") as error:
        load_spec([*BASE, f"+{key}=[a]"])
    assert forms(key) in str(error.value)


def test_what_a_line_offers_is_accepted() -> None:
    """No audit is without an analysis, so no line offers an empty list of them; of the others it does, and it works."""
    assert "[]" not in forms("analyses")
    for key in ("schemas", "test_sets"):
        assert "[]: none" in forms(key)
        assert not getattr(load_spec(["audit=demo", f"{key}=[]", "requirements=[]"]), key)


def test_files_say_it_in_their_own_form(tmp_path: Path) -> None:
    """A list in a file is only these, names below a file that goes on are these too, false is not this one."""
    head = "# @package _global_\n# x\ndefaults: [{}, _self_]\ncohort: {{root: x}}\n"
    files = {
        "few": ("templates", "analyses: [error_rates, interclass]"),
        "more": ("few", "analyses: {quality: {}, error_rates: {curve_points: 7}, interclass: false}"),
        "odd": ("templates", "analyses: [error_rates, {quality: {}}]"),
    }
    (tmp_path / "audit").mkdir()
    for name, (base, text) in files.items():
        (tmp_path / "audit" / f"{name}.yaml").write_text(head.format(base) + text + "\n")
    assert analyses("audit=few", folder=tmp_path) == ["error_rates", "interclass"]
    more = load_spec(["audit=more"], tmp_path)
    assert list(more.analyses) == ["error_rates", "quality"]
    assert more.analyses["error_rates"].curve_points == 7  # type: ignore[attr-defined]  # of the plug-in
    assert analyses("audit=more", "analyses=[failures]", folder=tmp_path) == ["failures"]
    with pytest.raises(SpecError, match="analyses: a list of more than names"):
        load_spec(["audit=odd"], tmp_path)
