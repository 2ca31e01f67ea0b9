"""docs/ci: an action of GitHub and a job of GitLab that run an audit as a gate, their steps run as they stand there."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

CI = Path(__file__).resolve().parents[1] / "docs" / "ci"
QUICK = [
    "audit=scores",
    "cohort.root=scores.csv",
    "analyses=[error_rates]",
    "thresholds.fmr=[0.1]",
    "bootstrap.B=99",
    "report=draft",
    "report.html=false",
    "report.pdf=false",
]
ASKED = ["requirements=[{name: fnmr, metric: fnmr_at_fmr, at: {fmr: 0.1}, limit: 0.9, sense: 'SENSE'}]"]


def gitlab() -> dict[str, Any]:
    """The job."""
    found: dict[str, Any] = yaml.safe_load((CI / "gitlab.yml").read_text())[".frtaudit"]
    return found


def action() -> dict[str, Any]:
    """The action."""
    found: dict[str, Any] = yaml.safe_load((CI / "action.yml").read_text())
    return found


def run(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A step in an empty folder, in the shell and with the flags that GitHub names."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder, env={**os.environ, "PATH": path, **home, **environment},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def write_scores(path: Path) -> None:
    """Every pair of two images of each of forty people."""
    rng = np.random.default_rng(3)
    faces = np.repeat(rng.normal(size=(40, 16)), 2, axis=0) + rng.normal(0, 0.3, (80, 16))
    cosine = np.corrcoef(faces)
    lines = [
        f"{one},{other},{one // 2},{other // 2},{cosine[one, other]:.6f}"
        for one, other in combinations(range(80), 2)
    ]
    path.write_text("\n".join(["probe,reference,probe_subject,reference_subject,score", *lines]) + "\n")


def test_inputs_reach_the_steps_as_data() -> None:
    """No expression stands in a script: what a caller writes is never part of a command."""
    steps = action()["runs"]["steps"]
    assert not any("${{" in step["run"] for step in steps)
    used = " ".join(str(step["env"]) for step in steps)
    assert all(f"inputs.{name} " in used for name in action()["inputs"])
    assert gitlab()["artifacts"]["reports"]["junit"] == "$OUT/exports/junit.xml"


def test_an_artifact_has_no_list_and_no_table_of_people(tmp_path: Path) -> None:
    """GitLab keeps the exports and the files that stand in the run's folder, and none of its lists and tables."""
    kept = {
        "exports/junit.xml",
        "run/annex.pdf",
        "run/report.html",
        "run/result.json",
        "run/statement.dsse.json",
    }
    for name in kept | {"run/lists/robustness/review.csv", "run/tables/samples.parquet"}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    paths = [tmp_path.glob(path.removeprefix("$OUT/")) for path in gitlab()["artifacts"]["paths"]]
    files = [
        file for found in paths for path in found for file in ([path] if path.is_file() else path.rglob("*"))
    ]
    assert {str(file.relative_to(tmp_path)) for file in files} == kept
    assert not any("upload" in str(step) for step in action()["runs"]["steps"])


def test_nothing_is_installed_by_a_name_that_nobody_gave(tmp_path: Path) -> None:
    """Without a package both end before pip is called, with a line that says what to name."""
    for step in (action()["runs"]["steps"][0]["run"], gitlab()["before_script"][0]):
        done = run(step, tmp_path, PACKAGE="")
        assert done.returncode != 0
        assert "name a wheel" in done.stderr
    assert "default" not in action()["inputs"]["package"]
    assert gitlab()["variables"]["PACKAGE"] == ""


def test_what_is_no_audit_fails_the_gate(tmp_path: Path) -> None:
    """A spec that is refused ends both with its own code and line, and exports nothing."""
    step = action()["runs"]["steps"][1]
    environment = {
        "CONFIG_DIR": "",
        "FAIL_ON": "fail",
        "OUT": "audit",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }
    done = run(step["run"], tmp_path, OVERRIDES="audit=nobody\n", **environment)
    assert (done.returncode, "nobody" in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "audit" / "exports").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("host", "sense", "code"), [("gitlab", "<=", 0), ("github", ">=", 3)])
def test_the_gate_ends_as_the_audit_does(tmp_path: Path, host: str, sense: str, code: int) -> None:
    """A requirement that fails fails the job, after the run was exported for the host; one that passes does not."""
    write_scores(tmp_path / "scores.csv")
    words = [*QUICK, *(word.replace("SENSE", sense) for word in ASKED)]
    if host == "github":
        summary = tmp_path / "summary.md"
        environment = {
            "CONFIG_DIR": "",
            "FAIL_ON": "fail",
            "OUT": "audit",
            "GITHUB_STEP_SUMMARY": str(summary),
        }
        done = run(action()["runs"]["steps"][1]["run"], tmp_path, OVERRIDES="\n".join(words), **environment)
    else:
        variables = {name: str(value) for name, value in gitlab()["variables"].items()}
        short = " ".join(word.replace(": ", ":").replace(", ", ",") for word in words)
        done = run("\n".join(gitlab()["script"]), tmp_path, **(variables | {"OVERRIDES": short}))
    assert done.returncode == code, done.stdout + done.stderr
    made = {path.name for path in (tmp_path / "audit" / "exports").iterdir()}
    assert made == {"junit.xml", "summary.md", "in_toto", "findings.sarif"}
    assert host == "gitlab" or summary.read_text().startswith("# Audit")
