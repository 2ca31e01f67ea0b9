import argparse
from datetime import UTC, datetime
from pathlib import Path

import pytest

from frtaudit.cli.options import (
    OVERRIDES,
    label_overrides,
    moment,
    parser_of,
    refuse_missing_answers,
    refuse_missing_search,
    run_options,
)
from frtaudit.config.load import load_typed
from frtaudit.core.machine.command_line import Parser
from frtaudit.errors import DataError, SpecError


def test_flags_and_overrides_stand_in_any_order() -> None:
    """Overrides keep their order; Hydra's flags come back as Hydra spells them."""
    options, flags = run_options(
        "run", "Run.", ["a=1", "-m", "--fail-on", "inconclusive", "b=2", "-c", "job"]
    )
    assert options.overrides == ["a=1", "b=2"]
    assert options.fail_on == "inconclusive"
    assert flags == ["--multirun", "--cfg", "job"]


def test_only_run_knows_hydras_flags() -> None:
    """A check takes no -m: one line says what shows the flags."""
    with pytest.raises(SpecError, match="unrecognized arguments: -m; accepted: frtaudit check --help"):
        run_options("check", "Check.", ["-m"])


def test_help_starts_with_what_the_command_does() -> None:
    """Description, then flags, then what may be set, then what the exit codes mean."""
    shown = parser_of("check", " Check a spec. ", OVERRIDES).format_help()
    assert "\n\nCheck a spec.\n\n" in shown
    assert shown.endswith(
        f"{OVERRIDES}\nexit codes: 0 done, 1 could not be done, 2 usage, 128 + n ended by signal n\n"
    )


def test_a_usage_error_is_a_spec_error() -> None:
    """One line, not argparse's two."""
    with pytest.raises(SpecError, match="unrecognized arguments: --x"):
        Parser(prog="p").parse_args(["--x"])


def test_moments_without_a_zone_are_utc() -> None:
    """ISO 8601, with a zone or without; anything else is refused."""
    assert moment("2026-03-04") == datetime(2026, 3, 4, tzinfo=UTC)
    assert moment("2026-03-04T05:06:07+02:00") == datetime(2026, 3, 4, 3, 6, 7, tzinfo=UTC)
    with pytest.raises(argparse.ArgumentTypeError, match="found 'soon'"):
        moment("soon")


@pytest.mark.parametrize(
    "words", [["missing"], ["./missing/1"], ["no.csv", "cohort.labels.rule=paper", "seed=3"]]
)
def test_a_missing_folder_of_a_search_is_told_as_its_cohort_tells_it(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same line, before a spec is composed."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError) as late:
        load_typed(label_overrides(words), None)
    with pytest.raises(DataError) as early:
        refuse_missing_search(words)
    assert str(early.value) == str(late.value)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("no/answers.csv", None, ()), "--answers: no folder 'no'"),
        ((None, "no.csv", ()), "no.csv: no file 'no.csv'"),
        ((None, None, (".", "no.csv")), "--reviews: no file '.'"),
    ],
)
def test_files_of_answers_and_names_that_are_not_there_are_one_line(
    words: tuple[str | None, str | None, tuple[str, ...]],
    error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before the faces are read; a file of answers may be new."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=f"^{error}"):
        refuse_missing_answers(*words)
    refuse_missing_answers("answers.csv", None, ())


@pytest.mark.parametrize(
    "words",
    [
        ["."],
        ["null"],
        ["True"],
        ["12"],
        ["1e3"],
        ["-x"],
        ["~x"],
        ["a b"],
        ["${name}"],
        ["missing", "audit=mine"],
        ["missing", "cohort=mine"],
        ["missing", "cohort.type=templates"],
        ["m" * 301],
        ["missing", "+cohort.root=."],
        ["missing", "++cohort={type: queries, root: .}"],
        ["one", "two"],
        ["seed=1"],
    ],
    ids=" ".join,
)
def test_what_may_be_another_cohort_or_no_path_is_left_to_the_spec(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that is there, values that YAML reads as no text, and words that choose another cohort pass."""
    monkeypatch.chdir(tmp_path)
    refuse_missing_search(words)
