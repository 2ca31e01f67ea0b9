"""Tests of frtaudit.core.machine.children."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from frtaudit.core.machine.children import DRAWING, SAFE_PATH, no_modules_of_the_folder

WAYS = (["-c", "import multiprocessing.spawn"], ["-m", "json.tool", "--help"])


def loaded(folder: Path, way: list[str]) -> bool:
    """Whether a Python that is started in a folder runs what lies there under the name of a library's module."""
    for name in ("multiprocessing", "importlib", "argparse"):
        (folder / f"{name}.py").write_text("open('ran', 'w').close()\n")
    subprocess.run([sys.executable, *way], cwd=folder, capture_output=True, check=False)
    return (folder / "ran").exists()


@pytest.mark.parametrize("way", WAYS, ids=["code", "module"])
def test_a_worker_runs_nothing_of_the_folder(
    way: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file named like a module is run by a Python that starts there, and by none that is started meanwhile."""
    monkeypatch.delenv(SAFE_PATH, raising=False)
    with no_modules_of_the_folder():
        assert not loaded(tmp_path, way)
    assert loaded(tmp_path, way)


@pytest.mark.parametrize("before", [None, "", "1"])
def test_the_environment_is_as_before(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it was, also after an error."""
    monkeypatch.delenv(SAFE_PATH, raising=False)
    if before is not None:
        monkeypatch.setenv(SAFE_PATH, before)
    held = dict(os.environ)
    with pytest.raises(KeyError), no_modules_of_the_folder():
        raise KeyError
    assert dict(os.environ) == held


@pytest.mark.parametrize(
    "code",
    [
        "from frtaudit.cli.main import main; main(['--version'])\nimport frtaudit.report.figures",
        "import frtaudit.report.fresh",
        "from frtaudit.cli import main\nmain._dispatch = __import__\nmain.main(['matplotlib'])",
    ],
    ids=["worker", "fresh", "command"],
)
def test_a_figure_setting_of_the_folder_is_not_opened(code: str, tmp_path: Path) -> None:
    """A FIFO as ``matplotlibrc`` is waited for by a bare import of Matplotlib, and by no process of a command."""
    os.mkfifo(tmp_path / "matplotlibrc")
    ended = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env=os.environ | {DRAWING: os.devnull},
        check=False,
        timeout=60,
        capture_output=True,
    )
    assert ended.returncode == 0


def test_who_imports_frtaudit_keeps_his_settings(tmp_path: Path) -> None:
    """Outside a command the working folder's ``matplotlibrc`` holds."""
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 7\n")
    code = "import frtaudit.report.figures, matplotlib; print(matplotlib.rcParams['lines.linewidth'])"
    own = {key: value for key, value in os.environ.items() if key != DRAWING}
    said = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=own, check=True, capture_output=True
    )
    assert said.stdout == b"7.0\n"
