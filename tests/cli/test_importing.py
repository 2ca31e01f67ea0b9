from pathlib import Path

import pytest

from frtaudit.cli.main import main
from frtaudit.config.plugins import load_plugins
from frtaudit.core.registry import names


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{}"], "into: no value; accepted: into=FOLDER"),
        (["{}", "into=x", "sbject=y"], "'sbject=y'; accepted: into=..., as=..."),
        (["{}", "into=x", "into=y"], "'into=y'; accepted: into=..."),
        (["{}/nowhere", "into=x"], "no such folder or file"),
        (["{}", "into=x", "as=nothing"], "no known_set is named 'nothing'"),
        (
            ["{}", "into=x", "as=rfw"],
            "not the layout of rfw: 0 files; accepted: RFW: RACE_pairs.txt for up to four",
        ),
        (["{}", "into=x", "mated=maybe"], "mated: 'maybe'; accepted: labels"),
    ],
)
def test_words_that_say_nothing_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    """Usage errors are one line each and write nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert main(["import", *(word.format("empty") for word in words)]) in (1, 2)
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_every_reader_has_a_line_in_the_guide() -> None:
    """The table of the guide names every layout."""
    load_plugins()
    page = (Path(__file__).parents[2] / "docs" / "guides" / "test_sets.md").read_text()
    assert [name for name in names("known_set") if f"`{name}`" not in page] == []
