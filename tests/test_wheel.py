"""The wheel holds all that frtaudit needs, and works from an empty folder."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import frtaudit

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
TINY = ["cohort.subjects=24", "bootstrap.B=199", "report.pdf=false"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout without a network."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return next(out.glob("frtaudit-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The frtaudit command of a fresh environment that holds the wheel; its dependencies are lent by this one."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*install, str(wheel)], check=True)
    inputs = next((home / "lib").glob("python*")) / "site-packages"
    (inputs / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin" / "frtaudit"


def call(command: Path, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, with nothing of the checkout in sight."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "FRTAUDIT"))
    }
    return subprocess.run(
        [str(command), *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_wheel_holds_presets_templates_and_type_marker(wheel: Path) -> None:
    """conf/ and templates/ of the checkout stand in the wheel file for file, and py.typed with them."""
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    for folder in ("conf", "templates"):
        shipped = {
            f"frtaudit/{path.relative_to(ROOT).as_posix()}"
            for path in (ROOT / folder).rglob("*")
            if path.is_file()
        }
        assert shipped
        assert shipped <= inside
    assert "frtaudit/py.typed" in inside


def test_version_answers_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    """`frtaudit --version` of the wheel names the version, from an empty folder."""
    answer = call(installed, "--version", folder=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert frtaudit.__version__ in answer.stdout
    assert not list(tmp_path.iterdir())


def test_version_loads_nothing_slow(installed: Path, tmp_path: Path) -> None:
    """`frtaudit --version` answers at once: it loads no numerical library, no Hydra, no renderer."""
    code = "import sys; from frtaudit.cli.main import main; main(['--version']); print(*sys.modules)"
    answer = call(installed.parent / "python", "-c", code, folder=tmp_path)
    assert answer.returncode == 0, answer.stderr
    loaded = set(answer.stdout.split())
    assert "frtaudit.cli.main" in loaded
    assert not loaded & {
        "numpy",
        "scipy",
        "numba",
        "pandas",
        "pyarrow",
        "hydra",
        "omegaconf",
        "matplotlib",
        "pyhanko",
    }


def test_list_finds_the_shipped_presets(installed: Path, tmp_path: Path) -> None:
    """`frtaudit list` of the wheel shows the shipped audits and plug-ins."""
    answer = call(installed, "list", folder=tmp_path)
    assert answer.returncode == 0, answer.stderr
    for name in ("demo", "templates", "scores", "lfw", "all_pairs", "cosine"):
        assert name in answer.stdout


def test_audit_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    """A small audit of the wheel, started in an empty folder, writes its result and its report there."""
    out = tmp_path / "out"
    answer = call(installed, "run", "audit=demo", *TINY, f"hydra.run.dir={out}", folder=tmp_path)
    assert answer.returncode in (0, 3), answer.stdout + answer.stderr
    result = json.loads((out / "result.json").read_text())
    assert result["estimates"]
    assert "<html" in (out / "report.html").read_text()
