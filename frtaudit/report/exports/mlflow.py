"""A finished run as a run of MLflow, in the user's own store."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from frtaudit.core.canonical import dumps, to_bytes
from frtaudit.core.machine.extras import need
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.errors import SpecError
from frtaudit.report.exports.run_folder import FinishedRun

LONGEST = 250  # characters of a parameter
FILE = "mlflow.json"


@register("export", "mlflow")
@dataclass(frozen=True, slots=True, kw_only=True)
class Mlflow:
    """A run of MLflow in ``into`` (a folder or a tracking address), and mlflow.json, which names it.

    Metrics: value, low and high of each rate; parameters: the parts of the spec; tags: digests and verdicts; artifacts:
    result.json, report and statement. ``experiment``: its name. Nothing is sent anywhere if ``into`` is a folder.
    """

    into: str | None = None
    experiment: str = "frtaudit"

    ON_REQUEST: ClassVar[bool] = True

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Log the run; write ``mlflow.json``."""
        if self.into is None:
            raise SpecError("into", "no value", "a folder or a tracking address: --as mlflow into=DIR")
        attached = run.attached()
        need("mlflow", "mlflow", where="--as mlflow")
        from mlflow import MlflowClient

        address, artifacts = self.into, None  # where artifacts go the server knows
        if "://" not in self.into:
            store = Path(self.into).absolute()
            store.mkdir(parents=True, exist_ok=True)
            address, artifacts = f"sqlite:///{store}/mlflow.db", (store / "artifacts").as_uri()
        client = MlflowClient(tracking_uri=address)
        known = client.get_experiment_by_name(self.experiment)
        experiment = known.experiment_id if known else client.create_experiment(self.experiment, artifacts)
        name = str(run.result.spec.get("name", "audit"))
        number = client.create_run(experiment, run_name=name, tags=run.labels()).info.run_id
        for key, value in run.result.spec.items():
            client.log_param(number, key, dumps(value)[:LONGEST])
        for name, value in run.metrics().items():
            client.log_metric(number, name, value)
        for path in attached:
            client.log_artifact(number, str(path))
        client.set_terminated(number, "FINISHED")
        OutputFolder(folder).write(FILE, to_bytes({"experiment": self.experiment, "run": number}))
