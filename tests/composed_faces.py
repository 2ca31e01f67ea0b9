"""Templates of three people on a circle, so that a cosine is the cosine of the angle between two of them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from small_audits import spec

from frtaudit.analyses.transactions import TransactionRates
from frtaudit.core.spec import AuditSpec, Bootstrap, Grid, GridKind, Thresholds
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.transactions import ComposedTransactions

Faces = Mapping[str, tuple[int | None, ...]]
# degrees of each person's reference, then of the attempts; None: no template
FACES: Faces = {
    "a": (0, 70, 10, 80, 5),
    "b": (90, 40, 20, 95, None),
    "c": (180, None, None, None, 178),
}


def folder(root: Path, faces: Faces = FACES) -> TemplateFolder:
    """A folder of the templates; ``taken`` numbers a person's images in the other direction."""
    rows = [(f"{name}{n}", name, at, len(own) - n) for name, own in faces.items() for n, at in enumerate(own)]
    known = [(image, np.deg2rad(at)) for image, _, at, _ in rows if at is not None]
    (root / "templates").mkdir(parents=True)
    table = "".join(f"{image},{name},{'xy'[name > 'b']},{taken}\n" for image, name, _, taken in rows)
    (root / "metadata.csv").write_text("image_id,subject_id,group,taken\n" + table)
    vectors = np.array([[np.cos(at), np.sin(at)] for _, at in known], dtype=np.float32)
    np.savez(root / "templates" / "one.npz", embedding=vectors, image_id=[image for image, _ in known])
    return TemplateFolder(root=str(root))


def composed_spec(root: Path, k: int = 2, faces: Faces = FACES, **settings: Any) -> AuditSpec:
    """An audit of transactions that are composed of templates."""
    protocol, analysis = ComposedTransactions(k=k), TransactionRates(**settings)
    made = spec(cohort=folder(root, faces), protocol=protocol, providers=("one",))
    grid = Grid(kind=GridKind.EXPLICIT, values=(0.7,))
    analyses = made.analyses | {"transactions": analysis}
    return replace(
        made, analyses=analyses, thresholds=Thresholds(fmr=(), grid=grid), bootstrap=Bootstrap(B=99)
    )
