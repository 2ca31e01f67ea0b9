import json
from pathlib import Path

import pytest
from vendor_audits import runs

from frtaudit.cli import explain, main
from frtaudit.pipeline.explain import Rate


def test_a_table_or_json_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each threshold and group, with both rates and intervals; the same numbers as JSON."""
    words = ["explain", str(runs() / "one"), "threshold=0.2"]
    assert main.main(words) == 0
    table = capsys.readouterr().out
    assert "one: match if the score is above the threshold" in table
    assert "group: x" in table
    assert "95 % CI" in table
    assert table.count(" to ") == 6
    assert table.count(" % to ") == 6  # each bound has its unit, and all have the same
    assert main.main([*words[:2], "--json", *words[2:]]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [item["group"] for item in found["thresholds"]] == ["all", "x", "y"]
    assert (found["level"], found["weighting"]) == (0.95, "identity")
    assert "weighting identity: every subject, or pair of subjects, counts the same" in table


def test_a_threshold_is_printed_as_it_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """All its digits: six of them may be another threshold, at which a score lies."""
    words = ["threshold=0.2500001", "threshold=0.25"]
    assert main.main(["explain", str(runs() / "one"), *words]) == 0
    table = capsys.readouterr().out
    assert table.count("0.2500001 ") == 3
    assert table.count("0.25 ") == 3


def test_groups_are_called_as_in_the_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class is printed by its label, as the verdicts of the run were; JSON has both."""
    monkeypatch.setattr("frtaudit.pipeline.explain.labels_of", lambda _: {"group": {"x": "under 30"}})
    words = ["explain", str(runs() / "one"), "threshold=0.2"]
    assert main.main(words) == 0
    assert "group: under 30" in capsys.readouterr().out
    assert main.main([*words[:2], "--json", *words[2:]]) == 0
    found = json.loads(capsys.readouterr().out)["thresholds"]
    assert [(item["group"], item["label"]) for item in found] == [
        ("all", "all"),
        ("x", "under 30"),
        ("y", "y"),
    ]


@pytest.mark.parametrize("command", ["explain", "compare"])
def test_a_sweep_is_no_run(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line names what is accepted in its place, also where the folder is the working folder."""
    (tmp_path / "sweep.json").touch()
    monkeypatch.chdir(tmp_path)
    assert main.main([command, "."]) == 1
    line = "frtaudit: .: is the folder of a sweep; accepted: the folder of one of its jobs\n"
    assert capsys.readouterr().err == line


def test_all_rates_are_in_percent() -> None:
    """3.43e-5 stands below 0.0444 % in the same unit."""
    cells = explain._cells(Rate(value=0.0, low=0.0, high=3.43e-5, errors=0, trials=99))
    assert cells == ("0 %", "0 % to 0.00343 %")
    assert explain._cells(Rate(value=2e-5, low=None, high=None, errors=1, trials=50_000))[0] == "0.00200 %"


@pytest.mark.parametrize("word", ["0.2", "threshold=high", "threshold=nan", "threshold=", "limit=3"])
def test_what_is_no_threshold_is_one_line(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and an example."""
    assert main.main(["explain", str(runs() / "one"), word]) == 2
    assert capsys.readouterr().err == f"frtaudit: command line: found '{word}'; accepted: threshold=0.363\n"


def test_thresholds_without_rates_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1 and the reason where nothing that was asked for has rates; beside one that has, a note."""
    assert main.main(["explain", str(runs() / "one"), "threshold=7"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("frtaudit: threshold: asked (7): outside the scores of one")
    assert main.main(["explain", str(runs() / "one"), "threshold=7", "threshold=0.2"]) == 0
    assert "asked (7): outside the scores of one" in capsys.readouterr().out
