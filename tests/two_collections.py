"""A synthetic search at two dates: the same images scored again, or the same names searched again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from web_search import write

from frtaudit.config.load import load_spec
from frtaudit.core import AuditResult
from frtaudit.core.labelling import Faces, Labelling, Service
from frtaudit.labelling.enrolment import labelling_of
from frtaudit.labelling.pairs import pairs_of
from frtaudit.labelling.settings import Between, How
from frtaudit.pipeline.audit import audit
from frtaudit.stats.von_mises_fisher import uniform_directions, unit, von_mises_fisher

NOISE: Mapping[str, float] = {"acme": 0.5, "bolt": 0.6, "crest": 0.7}
DIMENSION, WRONG = 24, 4
MODES = How(modes=dict.fromkeys(NOISE, (48.0, 73.0)))  # near those that the mixture finds


@dataclass(frozen=True, kw_only=True)
class Date:
    """``images``: their seed, the same for the same images; ``scoring``: that of the services' own noise.

    ``noise``: of each service; ``prefix``: before every face's id.
    """

    images: int = 1
    scoring: int = 1
    queries: int = 30
    each: int = 12
    noise: Mapping[str, float] = field(default_factory=lambda: dict(NOISE), hash=False)
    prefix: str = "a"
    people: int = 1


def collected(date: Date) -> tuple[Faces, tuple[Service, ...]]:
    """Faces of ``queries`` people, of which the last four of each show strangers; what services say of pairs."""
    means = uniform_directions(np.random.default_rng(date.people), date.queries, DIMENSION)
    rng = np.random.default_rng([2, date.images])
    query = np.repeat(np.arange(date.queries), date.each)
    own = np.arange(query.size) % date.each < date.each - WRONG
    kappa = np.random.default_rng([3, date.people]).uniform(25, 110, date.queries)
    whom = np.where(own[:, None], means[query], uniform_directions(rng, query.size, DIMENSION))
    base = von_mises_fisher(rng, whom, kappa[query])
    faces = Faces(
        names=tuple(f"{date.prefix}{row:05d}" for row in range(query.size)),
        query_of=query.astype(np.int32),
        queries=tuple(f"name {q:03d}" for q in range(date.queries)),
        annotated=own.astype(np.int8),
    )
    ends = pairs_of(faces, np.zeros(date.queries, dtype=np.int64), Between.MATCHED, np.random.default_rng(4))
    return faces, tuple(_service(name, date, base, ends) for name in sorted(date.noise))


def _service(name: str, date: Date, base: np.ndarray, ends: tuple[np.ndarray, np.ndarray]) -> Service:
    rng = np.random.default_rng([5, date.scoring, *name.encode()])
    seen = unit(base + date.noise[name] / np.sqrt(DIMENSION) * rng.standard_normal(base.shape))
    score = np.round(50 * (1 + np.einsum("pd,pd->p", seen[ends[0]], seen[ends[1]])), 4)
    none = np.full(score.size, -1, dtype=np.int16)
    return Service(name=name, first=ends[0], second=ends[1], score=score, failure=none, codes=())


@cache
def labelling(date: Date) -> Labelling:
    """The same, labelled, the modes of its scores given."""
    return labelling_of(*collected(date), How(modes=dict.fromkeys(date.noise, (48.0, 73.0))))


def folder(at: Path, date: Date) -> Path:
    """The same as files."""
    faces, services = collected(date)
    return write(at, faces, services, np.full(date.queries, "all"), annotated=False)


EARLIER, MODE = Date(), "{acme: [48, 73], bolt: [48, 73], crest: [48, 73]}"
LATERS = {
    "images": Date(scoring=2, noise={**NOISE, "crest": 0.2}),
    "names": Date(scoring=2, images=2, prefix="b"),
    "same": EARLIER,
}
ASKED = (
    "audit=two_dates", "analyses=[two_dates]", "schemas=[]", "thresholds.fmr=[0.1, 0.05]", "bootstrap.B=199",
    f"cohort.labels.modes={MODE}", "intervals=[]",
)  # fmt: skip


@cache
def result(later: str, *words: str) -> AuditResult:
    """The audit of one later collection against the earlier one."""
    with TemporaryDirectory() as where:
        roots = [
            folder(Path(where) / name, date) for name, date in (("one", EARLIER), ("two", LATERS[later]))
        ]
        spec = load_spec([*ASKED, f"cohort.root={roots[1]}", f"cohort.earlier={roots[0]}", *words])
        return audit(spec).result
