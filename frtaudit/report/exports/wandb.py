"""A finished run as an offline run of Weights & Biases."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine.extras import need
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.errors import SpecError
from frtaudit.report.exports.run_folder import FinishedRun

FILE = "wandb.json"


@contextmanager
def _data_below(folder: Path) -> Iterator[None]:
    """Let the client put its copies of attached files and its own logs below ``folder``, not in the user's home."""
    names = ("WANDB_DATA_DIR", "WANDB_CACHE_DIR")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, str(folder.resolve() / "wandb")))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@register("export", "wandb")
@dataclass(frozen=True, slots=True, kw_only=True)
class Wandb:
    """A run of Weights & Biases below the folder ``into``, and wandb.json, which names it.

    Summary: value, low and high of each rate; configuration: the spec, digests and verdicts; an artifact of type
    evaluation: result.json, report and statement. It is offline: ``wandb sync`` sends it. ``project``: its name.
    """

    into: str | None = None
    project: str = "frtaudit"

    ON_REQUEST: ClassVar[bool] = True

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Log the run; write ``wandb.json``."""
        if self.into is None:
            raise SpecError("into", "no value", "a folder: --as wandb into=DIR")
        attached = run.attached()
        need("wandb", "wandb", where="--as wandb")
        import wandb

        Path(self.into).mkdir(parents=True, exist_ok=True)
        settings = wandb.Settings(
            mode="offline",
            silent=True,
            console="off",
            disable_git=True,
            save_code=False,
            x_disable_stats=True,
            x_disable_meta=True,
            x_disable_machine_info=True,
            x_save_requirements=False,
            host="",
        )
        name = str(run.result.spec.get("name", "audit"))
        config = {"spec": dict(run.result.spec), **run.labels()}
        with (
            _data_below(Path(self.into)),
            wandb.init(
                project=self.project, name=name, dir=self.into, config=config, settings=settings
            ) as tracker_run,
        ):
            tracker_run.summary.update(run.metrics())
            artifact = wandb.Artifact(f"audit-{run.sha256[:16]}", type="evaluation")
            for path in attached:
                artifact.add_file(str(path))
            tracker_run.log_artifact(artifact)
            number = tracker_run.id
        OutputFolder(folder).write(FILE, to_bytes({"project": self.project, "run": number}))
