"""How long labels take: 2,755 queries of 20 faces, five services, all pairs within queries and as many between.

``python -m benchmarks.labels [QUERIES]`` prints seconds of the clock and of the processor, the highest memory and how
many labels are right, and ends with 1 beyond 60 s of the processor, all threads together, or 2 GB. Synthetic templates,
from a fixed seed.
"""

import resource
import sys
import time

import numpy as np

from frtaudit.core.labelling import LEFT_OUT, NOT_OF_QUERY, OF_QUERY, Faces, Service
from frtaudit.labelling.estimate import How, labelled
from frtaudit.labelling.pairs import Between, pairs_of

QUERIES, FACES, RIGHT, DIMENSION = 2755, 20, 13, 64
NOISE = (0.25, 0.4, 0.5, 0.6, 0.7)
SECONDS, MEGABYTES = 60.0, 2000.0


def search(queries: int) -> tuple[Faces, tuple[Service, ...]]:
    """Queries of 20 faces, 13 of them their person's, in random places; what five services say of the pairs."""
    rng = np.random.default_rng(9)
    query = np.repeat(np.arange(queries, dtype=np.int32), FACES)
    own = rng.permuted(np.tile(np.arange(FACES) < RIGHT, (queries, 1)), axis=1).ravel()
    person = _unit(rng.standard_normal((queries, DIMENSION)))
    others = _unit(rng.standard_normal((query.size, DIMENSION)))
    images = _unit(np.where(own[:, None], person[query], others) + _noise(rng, query.size, 0.5))
    faces = Faces(
        names=tuple(f"{row:06d}" for row in range(query.size)),
        query_of=query,
        queries=tuple(f"{q:05d}" for q in range(queries)),
        annotated=np.where(own, OF_QUERY, NOT_OF_QUERY).astype(np.int8),
    )
    first, second = pairs_of(faces, np.zeros(queries, dtype=np.int64), Between.MATCHED, rng)
    services = []
    for place, level in enumerate(NOISE):
        seen = _unit(images + _noise(rng, query.size, level))
        score = np.einsum("pd,pd->p", seen[first], seen[second])
        failure = np.full(score.size, -1, dtype=np.int16)
        name = f"service_{place}"
        services.append(
            Service(name=name, first=first, second=second, score=score, failure=failure, codes=())
        )
    return faces, tuple(services)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _noise(rng: np.random.Generator, size: int, level: float) -> np.ndarray:
    return np.asarray(level * rng.standard_normal((size, DIMENSION)) / np.sqrt(DIMENSION))


def main(queries: int) -> int:
    """Print what it took; 1 beyond the limits."""
    faces, services = search(queries)
    before = _memory()
    clock, processor = time.perf_counter(), time.process_time()
    found = labelled(faces, services, How())
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    kept = found.label != LEFT_OUT
    right = float((found.label[kept] == faces.annotated[kept]).mean())
    print(
        f"{queries:,} queries of {FACES} faces, {len(services)} services, "
        f"{sum(one.score.size for one in services):,} scores\n"
        f"labels in {clock:.1f} s ({processor:.1f} s of the processor), {_memory():.0f} MB at most "
        f"({before:.0f} MB before, data included)\n"
        f"{kept.mean():.1%} of the faces kept, {right:.2%} of their labels right"
    )
    return int(processor > SECONDS or _memory() > MEGABYTES)


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else QUERIES))
