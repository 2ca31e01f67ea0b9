"""A small synthetic search with many faults: two people, nobody, services that disagree, hidden scores."""

from functools import cache
from pathlib import Path

import numpy as np
from web_search import write

from frtaudit.config.load import load_spec
from frtaudit.core import AuditResult
from frtaudit.core.labelling import UNSAID, Faces, Service
from frtaudit.labelling.pairs import pairs_of
from frtaudit.labelling.settings import Between
from frtaudit.pipeline.audit import audit
from frtaudit.report import render

SIZE, PLAIN = 14, 30  # faces of a query, queries with one person and strangers
KINDS = (*("one",) * PLAIN, "two", "two", "nobody", "disagree")
LABELLING = ("bits", "floored", "plain")
ASKED = (
    "audit=rapid_test", "schemas=[]", "thresholds.fmr=[0.5,0.1]", "bootstrap.B=99",
    "+analyses.identity_labels={subsets: false, matrices: false}", "+analyses.error_rates={curve_points: 5}",
    f"cohort.labels.services=[{','.join(LABELLING)}]",
)  # fmt: skip


def search() -> tuple[Faces, tuple[Service, ...]]:
    """Faces without annotation and four services: eight bits, a floor, a plain one, one that fails on half the faces.

    To the plain service the second person of the query ``disagree`` is many.
    """
    rng = np.random.default_rng(4)
    query = np.repeat(np.arange(len(KINDS), dtype=np.int32), SIZE)
    place = np.tile(np.arange(SIZE), len(KINDS))
    stranger = 1000 + np.arange(query.size)
    kind = np.array(KINDS)[query]
    first = np.where(place < 9, query, stranger)
    both = np.where(place < SIZE // 2, query, 500 + query)
    person = np.select([kind == "one", kind == "nobody"], [first, stranger], both)
    alone = np.where((kind == "disagree") & (person >= 500), stranger, person)
    faces = Faces(
        names=tuple(f"face{row:04d}" for row in range(query.size)), query_of=query,
        queries=tuple(f"name{q:02d}" for q in range(len(KINDS))),
        annotated=np.full(query.size, UNSAID, dtype=np.int8),
    )  # fmt: skip
    one, two = pairs_of(faces, np.zeros(len(KINDS), dtype=np.int64), Between.MATCHED, rng)
    gone = rng.random(query.size) < 0.5
    services = []
    for name in (*LABELLING, "weak"):
        who = alone if name == "plain" else person
        score = np.where(who[one] == who[two], 80.0, 40.0) + 5 * rng.standard_normal(one.size)
        if name == "bits":
            score = np.round(score.clip(0, 100) * 2.55)
        if name == "floored":
            score = np.maximum(score, 42.0)
        failed = (gone[one] | gone[two]) & (name == "weak")
        services.append(
            Service(
                name=name, first=one, second=two, score=np.where(failed, np.nan, score),
                failure=np.where(failed, 0, -1).astype(np.int16), codes=("no_face",),
            )
        )  # fmt: skip
    return faces, tuple(services)


@cache
def result(folder: Path) -> AuditResult:
    """The audit of that search, read from files in a folder."""
    faces, services = search()
    write(folder, faces, services, np.full(len(KINDS), "all"), annotated=False)
    return audit(load_spec([*ASKED, f"cohort.root={folder}"])).result


def page(found: AuditResult) -> str:
    """Its report, as HTML."""
    from report_fixture import DATE, SETTINGS

    return render.html(found, SETTINGS, DATE, "unsigned")
