"""Tables of attempts for tests, written and audited."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.transactions import TransactionRates
from frtaudit.config.plugins import load_plugins
from frtaudit.core import AuditResult
from frtaudit.core.spec import (
    AuditSpec,
    Bootstrap,
    Grid,
    GridKind,
    Report,
    RequirementSpec,
    SchemaSpec,
    Thresholds,
)
from frtaudit.datasets.cohorts.attempts import Attempts
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.pipeline.audit import audit

load_plugins()

HEAD = "transaction,attempt,claimed_subject,subject,score,failure\n"
TIMED = """transaction,attempt,claimed_subject,subject,score,seconds
t1,1,p00,p00,0.2,4
t1,2,p00,p00,0.9,31
t2,1,p01,p01,0.9,30.0
t3,1,p01,p00,0.6,30.5
t4,1,p00,p01,0.1,2
"""
AT = 0.5
PEOPLE, K = 20, 3
SCHEMAS = {"group": SchemaSpec(column="group", classes=("x", "y"))}


def lines(seed: int = 5) -> list[tuple[str, int, str, str, str, str]]:
    """Two genuine transactions of each person and one impostor transaction against each other person, with failures."""
    rng = np.random.default_rng(seed)
    made = []
    claims = [(a, b) for a in range(PEOPLE) for b in range(PEOPLE) for _ in range(2 if a == b else 1)]
    for number, (a, b) in enumerate(claims):
        for attempt in range(1, 1 + int(rng.integers(1, K + 1))):
            lost = rng.random() < 0.1
            score = "" if lost else f"{rng.beta(*((4, 3) if a == b else (2, 6))):.4f}"
            made.append((f"t{number}", attempt, f"p{b:02d}", f"p{a:02d}", score, "no_face" if lost else ""))
    return made


def stored_attempts(folder: Path, text: str | None = None, people: str | None = None) -> Attempts:
    """A folder with the table and a table of people, of whom two were not enrolled."""
    rows = "".join(",".join(map(str, line)) + "\n" for line in lines())
    (folder / "lab.csv").write_text(HEAD + rows if text is None else text)
    known = "".join(f"p{n:02d},{'xy'[n % 2]},{int(n < PEOPLE)}\n" for n in range(PEOPLE + 2))
    (folder / "people.csv").write_text("subject,group,enrolled\n" + known if people is None else people)
    return Attempts(root=str(folder / "lab.csv"), people="people.csv")


def attempts_spec(
    folder: Path,
    *requirements: RequirementSpec,
    far: tuple[float, ...] = (0.1,),
    schemas: Mapping[str, SchemaSpec] = SCHEMAS,
    k: int | None = None,
    text: str | None = None,
    fmr: tuple[float, ...] = (0.1,),
    **settings: Any,
) -> AuditSpec:
    """A spec of the table, which is written; by default claims in both directions count, as in the table."""
    settings = {"ordered": True} | settings
    return AuditSpec(
        name="attempts",
        cohort=stored_attempts(folder, text),
        protocol=Listed(),
        analyses={"error_rates": ErrorRates(), "transactions": TransactionRates(far=far, k=k, **settings)},
        schemas=schemas,
        thresholds=Thresholds(fmr=fmr, grid=Grid(kind=GridKind.EXPLICIT, values=(AT,))),
        bootstrap=Bootstrap(B=99),
        requirements=requirements,
        threads=1,
        report=Report(date="2026-01-02", sign=False),
    )


def audited(folder: Path, *requirements: RequirementSpec, **changes: Any) -> AuditResult:
    """An audit of the table."""
    return audit(attempts_spec(folder, *requirements, **changes)).result
