"""Throw-away keys, a configuration folder per test, and a signed run to tamper with."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_run import WHEN, write_run

from frtaudit.signing.key_folder import generate, read
from frtaudit.signing.signer import Signer


@pytest.fixture(autouse=True)
def own_config(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration folder of its own for each test, empty."""
    folder = tmp_path_factory.mktemp("config") / "frtaudit"
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(folder))
    monkeypatch.delenv("FRTAUDIT_PASSWORD_FILE", raising=False)
    return folder


@pytest.fixture(scope="session")
def key_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an auditor's key."""
    folder = tmp_path_factory.mktemp("keys") / "auditor"
    generate(folder, "Auditor", None, WHEN)
    return folder


@pytest.fixture(scope="session")
def signer(key_folder: Path) -> Signer:
    """The auditor's key."""
    return read(key_folder)


@pytest.fixture(scope="session")
def other_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of somebody else's key."""
    folder = tmp_path_factory.mktemp("keys") / "other"
    generate(folder, "Somebody else", None, WHEN)
    return folder


@pytest.fixture(scope="session")
def other(other_folder: Path) -> Signer:
    """Somebody else's key."""
    return read(other_folder)


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory, signer: Signer) -> Path:
    """A signed run that no test may change."""
    return write_run(tmp_path_factory.mktemp("runs") / "run", signer)


@pytest.fixture
def run(original: Path, tmp_path: Path) -> Path:
    """A signed run to tamper with."""
    return Path(shutil.copytree(original, tmp_path / "run"))


@pytest.fixture
def flip() -> Callable[[Path, int], None]:
    """Change one bit of a file, at a position counted from either end."""

    def change(path: Path, position: int, bit: int = 1) -> None:
        data = bytearray(path.read_bytes())
        data[position] ^= bit
        path.write_bytes(bytes(data))

    return change


@pytest.fixture(scope="session", autouse=True)
def once(reports_made_once: object) -> None:
    """No second process makes a run's report again, but where a test asks for it."""
