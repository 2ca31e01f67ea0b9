"""A finished run in trackers of experiments: mlflow and wandb, read back by their own clients."""

import json
import logging
import os
import platform
import sys
from pathlib import Path

import pytest
from finished_runs import finished_run

from frtaudit.config.plugins import load_plugins
from frtaudit.errors import DataError, ProviderError, SpecError
from frtaudit.report.exports.run_folder import read_run
from frtaudit.report.exports.write import every_format, export

load_plugins()
PACKAGES = ("mlflow", "wandb")


def test_metrics_are_rates_with_bounds_under_plain_paths(tmp_path: Path) -> None:
    """Every path is one that trackers take, and low <= value <= high."""
    found = finished_run(tmp_path).metrics()
    assert found["northgate/fnmr_at_fmr/fmr 0.01/all/value"] == pytest.approx(0.002028778)
    assert all(
        set(path) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. /")
        for path in found
    )
    for path in found:
        if path.endswith("/low"):
            stem = path.removesuffix("low")
            assert found[path] <= found[f"{stem}value"] <= found[f"{stem}high"]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_tracker_is_asked_for(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not among all formats; a store must be named; without the package one line says how to get it."""
    run = finished_run(tmp_path)
    assert name not in every_format()
    with pytest.raises(SpecError, match=f"into: no value; accepted: .*--as {name} into=DIR"):
        export(run, [name], tmp_path / "out")
    with pytest.raises(SpecError, match="no format of these has 'onto'"):
        export(run, [name], tmp_path / "out", {"onto": "x"})
    monkeypatch.setattr("frtaudit.core.machine.extras.find_spec", lambda _: None)
    with pytest.raises(
        ProviderError,
        match=rf"--as {name}: {name} is not installed; accepted: pip install 'frtaudit\[{name}\]'",
    ):
        export(run, [name], tmp_path / "out", {"into": str(tmp_path / "store")})
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_mlflow_holds_the_run(tmp_path: Path) -> None:
    """Metrics, tags and the files of the run, read back from the store by its client."""
    from mlflow import MlflowClient

    logging.getLogger("mlflow").setLevel(logging.ERROR)
    run = finished_run(tmp_path)
    (named,) = export(run, ["mlflow"], tmp_path / "out", {"into": str(tmp_path / "store")})
    client = MlflowClient(tracking_uri=f"sqlite:///{tmp_path}/store/mlflow.db")
    found = client.get_run(json.loads(named.read_text())["run"])
    assert found.data.metrics == pytest.approx(run.metrics())
    assert found.data.tags["result_sha256"] == run.result.sha256
    assert {item.path for item in client.list_artifacts(found.info.run_id)} == {"report.html", "result.json"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_wandb_holds_the_run_offline(tmp_path: Path) -> None:
    """The run's own file lies in the folder that was named, with the digest of the result in it; nothing was sent."""
    run = finished_run(tmp_path)
    wandb = pytest.importorskip("wandb")
    (named,) = export(run, ["wandb"], tmp_path / "out", {"into": str(tmp_path / "store")})
    wandb.teardown()  # its service writes until then; a command tears it down as it ends
    number = json.loads(named.read_text())["run"]
    (log,) = (tmp_path / "store").glob(f"wandb/offline-run-*-{number}/run-{number}.wandb")
    data = log.read_bytes()
    assert run.result.sha256.encode() in data
    assert b"northgate/fnmr_at_fmr/fmr 0.01/all/value" in data


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_wandb_writes_below_its_folder_and_records_no_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No host, kernel, command, working folder or packages in what is sent; copies of the files lie in the folder."""
    run = finished_run(tmp_path)
    wandb = pytest.importorskip("wandb")
    wandb.teardown()  # a service of an earlier test has its own folder of logs
    home = tmp_path / "home"
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setattr("socket.gethostname", lambda: "name-of-the-host")
    monkeypatch.setattr("sys.argv", ["/place/of/the-command", "word-of-the-command"])
    export(run, ["wandb"], tmp_path / "out", {"into": str(tmp_path / "store")})
    wandb.teardown()
    files = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert not [path for path in home.rglob("*") if path.is_file()]
    assert not any(path.name == "requirements.txt" for path in files)
    assert len([path for path in files if path.parent.name == "staging"]) == 2
    everything = b"".join(path.read_bytes() for path in files)
    words = ("name-of-the-host", platform.release(), str(Path.cwd()), sys.executable, *sys.argv)
    assert [word for word in words if word.encode() in everything] == []
    assert "WANDB_DATA_DIR" not in os.environ


@pytest.mark.parametrize("name", PACKAGES)
def test_a_link_is_not_sent(tmp_path: Path, name: str) -> None:
    """A report that leads to another file of this machine: one line, before anything is logged."""
    finished_run(tmp_path)
    report, secret = tmp_path / "run" / "report.html", tmp_path / "secret"
    secret.write_text("x")
    report.unlink()
    report.symlink_to(secret)
    with pytest.raises(DataError, match=r"report\.html: is a symbolic link"):
        export(read_run(tmp_path / "run"), [name], tmp_path / "out", {"into": str(tmp_path / "store")})
    assert not (tmp_path / "store").exists()
