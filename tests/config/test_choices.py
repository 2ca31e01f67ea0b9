"""Tests of frtaudit.config.choices."""

from frtaudit.config.choices import first_comment, line_about, options
from frtaudit.config.plugins import load_plugins

load_plugins()


def test_presets_and_plugins_stand_in_one_list() -> None:
    """A group's options are its shipped presets and its plug-ins, sorted, each with one line."""
    cohorts = options("cohort")
    assert list(cohorts) == sorted(cohorts)
    assert {"demo", "synthetic", "templates"} <= set(cohorts)
    assert cohorts["synthetic"] == line_about("cohort", "synthetic") != ""


def test_a_preset_says_what_it_is_in_its_first_comment() -> None:
    """Hydra's header is no comment of that kind; a file without one says nothing."""
    assert first_comment("# @package x\n# What it is.\n# More.\na: 1\n") == "What it is."
    assert first_comment("a: 1\n") == ""
