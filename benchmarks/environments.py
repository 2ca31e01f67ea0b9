"""The peers' own environments: ``benchmarks/.envs/<peer>``, versions pinned in ``benchmarks/peers/<peer>.txt``."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVS = HERE / ".envs"
OURS = "frtaudit"
NEWEST = {"bob": (3, 12), "pyeer": (3, 12)}  # NumPy before 2 has wheels up to this Python


def python_of(peer: str) -> Path | None:
    """The interpreter of a peer whose environment stands at the pinned versions, else None."""
    if peer == OURS:
        return Path(sys.executable)
    folder = ENVS / peer
    mark = folder / "installed"
    if mark.is_file() and mark.read_text() == _digest(peer):
        return folder / "bin" / "python"
    return None


def install(peer: str) -> Path | None:
    """Make the environment of a peer unless it stands; None, with a line that says why, where that fails."""
    found = python_of(peer)
    if found is not None:
        return found
    print(f"installing {peer} into {ENVS.relative_to(HERE.parent) / peer}", file=sys.stderr, flush=True)
    folder = ENVS / peer
    interpreter = _interpreter(peer)
    if interpreter is None:
        print(f"{peer} needs Python {NEWEST[peer][0]}.{NEWEST[peer][1]} or older", file=sys.stderr)
        return None
    requirements = str(HERE / "peers" / f"{peer}.txt")
    made = subprocess.run([interpreter, "-m", "venv", "--clear", str(folder)], check=False)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-qq", "--no-deps", "-r", requirements]
    if made.returncode or subprocess.run(pip, check=False).returncode:
        print(f"{peer} could not be installed", file=sys.stderr)
        return None
    (folder / "installed").write_text(_digest(peer))
    return folder / "bin" / "python"


def _digest(peer: str) -> str:
    return hashlib.sha256((HERE / "peers" / f"{peer}.txt").read_bytes()).hexdigest()


def _interpreter(peer: str) -> str | None:
    newest = NEWEST.get(peer)
    if newest is None or sys.version_info[:2] <= newest:
        return sys.executable
    return next((found for minor in (12, 11) if (found := shutil.which(f"python3.{minor}"))), None)
