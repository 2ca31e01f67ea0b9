"""Commands ended at random moments: a few in CI, the whole campaign with FRTAUDIT_FAULTS=100,100,30,30,10,10."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.slow
def test_commands_ended_at_random_moments_lose_and_leave_nothing(tmp_path: Path) -> None:
    """Signals, full disks and no memory in runs, sweeps, comparisons and collections: see interrupted.py."""
    paths = os.pathsep.join([str(HERE), str(HERE.parent)])
    done = subprocess.run(
        [sys.executable, str(HERE / "interrupted.py"), str(tmp_path / "c")],
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    told = json.loads(done.stdout)
    assert told["wrong"] == []
    assert {*told["codes"]} >= {"SIGTERM", "SIGINT", "SIGHUP", "SIGKILL", "disk", "memory"}
    assert done.returncode == 0
