"""Synthetic people with labels, images and errors, the full result that counts them, and a reader who sums."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from frtaudit.core import AuditResult, Curve, Estimate, Finding, LedgerEntry, Verdict
from frtaudit.core.canonical import sha256
from frtaudit.core.spec_values import UNKNOWN

SEXES, TONES = ("f", "m"), ("dark", "light")
IDS = tuple(f"person-{number:03d}" for number in range(400))
FILES = ("labels-of-people.csv", "northgate.npz")
SYSTEM = "northgate"
AT: dict[str, float | str] = {"fmr": 0.01}


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One person: classes (``unknown`` where there is none), images, false non-matches among all mated pairs."""

    sex: str
    tone: str
    images: int
    errors: int

    @property
    def mated(self) -> int:
        """Mated comparisons: every two images."""
        return self.images * (self.images - 1) // 2

    def group(self, schema: str) -> str:
        """The person's class under a schema."""
        if schema == "both":
            return UNKNOWN if UNKNOWN in (self.sex, self.tone) else f"{self.sex}&{self.tone}"
        return self.sex if schema == "sex" else self.tone


GROUPS = {
    "sex": (*SEXES, UNKNOWN),
    "tone": (*TONES, UNKNOWN),
    "both": (*(f"{one}&{other}" for one, other in product(SEXES, TONES)), UNKNOWN),
}


def drawn(rng: np.random.Generator, number: int, shares: Sequence[float] = (0.5, 0.45, 0.05)) -> list[Person]:
    """People with random labels, 1 to 4 images and few errors."""
    made = []
    for _ in range(number):
        images = int(rng.integers(1, 5))
        pairs = images * (images - 1) // 2
        made.append(
            Person(
                sex=str(rng.choice((*SEXES, UNKNOWN), p=shares)),
                tone=str(rng.choice((*TONES, UNKNOWN), p=sorted(shares))),
                images=images,
                errors=int(rng.binomial(pairs, 0.2)),
            )
        )
    return made


def result_of(people: Sequence[Person]) -> AuditResult:
    """The full result: counts, rates by class with their counts, an index, curves, findings, failures with names."""
    estimates = [*_rates(people, None, "all")]
    curves, findings, ledger = [_curve(None, "all", 0.1)], [], []
    for schema, groups in GROUPS.items():
        for group in groups:
            own = [item for item in people if item.group(schema) == group]
            if not own or group == UNKNOWN:
                continue
            findings.append(_finding(len(estimates), group))
            estimates += _rates(own, schema, group)
            curves.append(_curve(schema, group, 0.2))
            ledger.append(_line(schema, group, len(own) % 4, (IDS[len(own)],)))
        estimates.append(_index(schema))
    ledger.append(LedgerEntry(code="conflicting_label", count=2, unit="subjects", names=IDS[:2]))
    return AuditResult(
        spec={"name": "border", "schemas": _schemas(), "cohort": {"type": "templates", "files": [FILES[1]]}},
        digests={
            "spec": sha256(b"spec"),
            "cohort": sha256(b"cohort"),
            "inputs": {name: sha256(name.encode()) for name in FILES},
        },
        versions={"numpy": "2.4.0"},
        estimates=tuple(estimates),
        curves=tuple(curves),
        findings=tuple(findings),
        failures=tuple(ledger),
        cohort=_cohort(people),
        notes=("folds share no subject", f"{SYSTEM}: 3 people of f&dark were left out", f"read {FILES[0]}"),
    )


def _schemas() -> dict[str, Any]:
    simple: dict[str, Any] = {
        name: {"column": name, "classes": list(found), "conflicts": "error"}
        for name, found in (("sex", SEXES), ("tone", TONES))
    }
    return {**simple, "both": {"cross": ["sex", "tone"], "conflicts": "error"}}


def _cohort(people: Sequence[Person]) -> dict[str, Any]:
    schemas = {
        schema: {
            "groups": [
                {"group": group, "label": group.upper(), **_counts(people, schema, group)} for group in groups
            ],
            "super_classes": {},
        }
        for schema, groups in GROUPS.items()
    }
    return {**_counts(people, "sex", None), "schemas": schemas}


def _counts(people: Sequence[Person], schema: str, group: str | None) -> dict[str, int]:
    own = [item for item in people if group in (None, item.group(schema))]
    return {
        "subjects": len(own),
        "samples": sum(item.images for item in own),
        "subjects_with_two_samples": sum(item.images > 1 for item in own),
    }


def _rates(people: Sequence[Person], schema: str | None, group: str) -> Iterator[Estimate]:
    images = sum(item.images for item in people)
    mated, errors = sum(item.mated for item in people), sum(item.errors for item in people)
    non_mated = math.comb(images, 2) - mated
    for metric, numerator, denominator in (
        ("fnmr_at_fmr", errors, mated),
        ("fmr", non_mated // 50, non_mated),
        ("fta", 0, images),
        ("card_class_identities", len(people), 1000),
    ):
        yield Estimate(
            provider=SYSTEM,
            analysis="error_rates",
            metric=metric,
            schema=schema,
            group=group,
            weighting="pooled",
            at=AT,
            value=numerator / denominator if denominator else None,
            numerator=numerator if denominator else None,
            denominator=denominator or None,
            unit="share",
            note=None if denominator else "no comparison in this group",
        )


def _index(schema: str) -> Estimate:
    return Estimate(
        provider=SYSTEM,
        analysis="differentials",
        metric="max_min",
        schema=schema,
        group="all",
        weighting="pooled",
        at={**AT, "rate": "fnmr"},
        value=3.25,
        numerator=None,
        denominator=None,
        unit="index",
        note="F&DARK is the largest",
    )


def _curve(schema: str | None, group: str, y: float) -> Curve:
    return Curve(
        provider=SYSTEM,
        analysis="roc",
        schema=schema,
        group=group,
        weighting="pooled",
        x=(0.01, 0.1),
        y=(y, y / 2),
    )


def _finding(index: int, group: str) -> Finding:
    return Finding(
        requirement="each",
        estimate=f"/estimates/{index}",
        verdict=Verdict.FAIL,
        limit=0.01,
        bound=0.02,
        bound_level=0.99,
        sentence=f"{SYSTEM}: FNMR of {group} is at least 2 %, which breaks the limit (p 0.001, 0.01 among 9 findings).",
        p=0.001,
        p_adjusted=0.01,
        family=9,
    )


def _line(schema: str, group: str, count: int, names: tuple[str, ...]) -> LedgerEntry:
    return LedgerEntry(
        code="no_face", count=count, unit="samples", provider=SYSTEM, schema=schema, group=group, names=names
    )


# ----------------------------------------------------------------------------------------------- the reader
ATOMS = tuple(product((*SEXES, UNKNOWN), (*TONES, UNKNOWN)))


@cache
def tables_of(total: int) -> npt.NDArray[np.int64]:
    """Every way to spread ``total`` people over the nine combinations of sex and tone: shape (n, 9)."""

    def spread(left: int, cells: int) -> list[tuple[int, ...]]:
        if cells == 1:
            return [(left,)]
        return [(first, *rest) for first in range(left + 1) for rest in spread(left - first, cells - 1)]

    return np.array(spread(total, len(ATOMS)), dtype=np.int64)


def of_class(schema: str, group: str) -> npt.NDArray[np.bool_]:
    """Which of the nine combinations make up a class."""
    return np.array(
        [Person(sex=s, tone=t, images=1, errors=0).group(schema) == group for s, t in ATOMS], dtype=np.bool_
    )


def ranges(cohort: dict[str, Any]) -> dict[tuple[str, str], int]:
    """For every class whose count of people is withheld: largest minus least count in all tables that fit."""
    tables = tables_of(cohort["subjects"])
    rows = [
        (schema, row["group"], row["subjects"])
        for schema, found in cohort["schemas"].items()
        for row in found["groups"]
    ]
    for schema, group, count in rows:
        if count is not None:
            tables = tables[tables[:, of_class(schema, group)].sum(axis=1) == count]
    assert len(tables), "the published counts fit no table at all"
    found = {}
    for schema, group, count in rows:
        if count is None:
            sums = tables[:, of_class(schema, group)].sum(axis=1)
            found[schema, group] = int(sums.max() - sums.min())
    return found
