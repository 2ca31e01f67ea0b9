"""Tests of frtaudit.config.presets."""

import pytest

from frtaudit.config.presets import resolve_presets
from frtaudit.errors import SpecError

SELECTED = "schema=NAME on the command line, or - override /schema: NAME in a file's defaults"
PROFILE = {
    "source": "A standard",
    "rule": "an upper bound",
    "date": "2024-05-22",
    "requirements": [{"name": "r", "metric": "eer", "limit": 0.1}],
}


def test_short_form_means_the_one_schema() -> None:
    """With one schema, ``schema.column`` is its column; other fields stay."""
    spec = resolve_presets({"schemas": {"a": {"column": "x", "classes": ["u"]}}, "schema": {"column": "y"}})
    assert spec == {"schemas": {"a": {"column": "y", "classes": ["u"]}}}


@pytest.mark.parametrize(
    ("schemas", "line"),
    [
        (
            {"a": {}, "b": {}},
            "schema.column: 2 schemas are selected; accepted: schemas.a.column, schemas.b.column",
        ),
        ({}, f"schema.column: no schema is selected; accepted: {SELECTED}"),
        (None, f"schema.column: no schema is selected; accepted: {SELECTED}"),
    ],
)
def test_short_form_needs_one_schema(schemas: object, line: str) -> None:
    """With none or several schemas the short form is refused, naming the long ones."""
    with pytest.raises(SpecError) as caught:
        resolve_presets({"schemas": schemas, "schema": {"column": "y"}})
    assert str(caught.value) == line


def test_selected_providers_join_the_list() -> None:
    """Providers of presets come after those that the spec lists, called as their presets unless they have a name."""
    chosen = {"b": {"type": "cosine", "name": "???"}, "a": {"type": "cosine", "name": "given"}}
    spec = resolve_presets({"providers": ["x"], "provider": chosen})
    assert spec["providers"] == ["x", {"type": "cosine", "name": "given"}, {"type": "cosine", "name": "b"}]


def test_profiles_become_requirements() -> None:
    """A requirement of a profile carries the profile and its dated source."""
    spec = resolve_presets({"requirements": [{"name": "own"}], "profiles": {"p": PROFILE}})
    assert spec["requirements"] == [
        {"name": "own"},
        {"name": "r", "metric": "eer", "limit": 0.1, "profile": "p", "source": "A standard (2024-05-22)"},
    ]


@pytest.mark.parametrize(
    ("profile", "line"),
    [
        ({**PROFILE, "sauce": "x"}, "profiles.p: unknown key 'sauce' (did you mean 'source'?)"),
        ({**PROFILE, "date": None}, "profiles.p.date: no value"),
        ({**PROFILE, "requirements": "x"}, "profiles.p.requirements: found 'x'; accepted: a list"),
        ({**PROFILE, "requirements": ["x"]}, "profiles.p.requirements[0]: found 'x'; accepted: a mapping"),
        ("x", "profiles.p: found 'x'; accepted: a mapping"),
    ],
)
def test_profiles_state_their_source(profile: object, line: str) -> None:
    """A profile without source and date, or of another form, is refused."""
    with pytest.raises(SpecError) as caught:
        resolve_presets({"profiles": {"p": profile}})
    assert str(caught.value).startswith(line)


@pytest.mark.parametrize("key", ["providers", "requirements"])
def test_lists_stay_lists(key: str) -> None:
    """A text where a list is joined is refused."""
    selected = {"provider": {"a": {}}} if key == "providers" else {"profiles": {"p": PROFILE}}
    with pytest.raises(SpecError, match=f"^{key}: found 'x'; accepted: a list"):
        resolve_presets({key: "x", **selected})


def test_nothing_selected_changes_nothing() -> None:
    """Without presets the spec stays as it is."""
    assert resolve_presets({"name": "x", "schema": None, "provider": None, "profiles": None}) == {"name": "x"}


def test_a_preset_named_where_its_fields_belong_is_told_how_to_select_it() -> None:
    """``schema: group`` in a file."""
    with pytest.raises(
        SpecError, match="^schema: found 'group'; accepted: schema=group on the command line, or - ov"
    ):
        resolve_presets({"schema": "group"})
