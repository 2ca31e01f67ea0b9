"""A sealed spec and what a run does otherwise: every departure, by its place in the result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from frtaudit.core.canonical import Json, dumps, escape
from frtaudit.core.plain.records import Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """One place where a run is not what was sealed; values as canonical JSON, None where there was nothing."""

    place: str
    sealed: str | None
    run: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SealRecord:
    """What a result says of the seal that it was run under.

    ``sha256``: of the seal's file; ``signer``, ``keyid``: who sealed; ``signed_at``: by that signer's clock (UTC, ISO);
    ``stamped_at``: by a time-stamping authority, None without one.
    """

    sha256: Sha256
    signer: str
    keyid: Sha256
    signed_at: str
    stamped_at: str | None
    departures: tuple[Departure, ...]


def sealed_content(spec: Mapping[str, Json], cohort: str, inputs: Mapping[str, str]) -> dict[str, Json]:
    """What a seal fixes: the identity of the spec, the digest of the cohort, and those of the inputs."""
    plain = {key: value for key, value in spec.items() if key != "inputs"}
    return {"spec": plain, "digests": {"cohort": cohort, "inputs": dict(inputs)}}


def departures(sealed: Json, run: Json, place: str = "") -> tuple[Departure, ...]:
    """Where ``run`` differs from ``sealed``: JSON pointers; lists of other lengths differ as a whole.

    >>> departures({"spec": {"seed": 0, "a": 1}}, {"spec": {"seed": 1, "a": 1}})
    (Departure(place='/spec/seed', sealed='0', run='1'),)
    """
    return tuple(_departures(sealed, run, place))


def _departures(sealed: Json, run: Json, place: str) -> Iterator[Departure]:
    if isinstance(sealed, Mapping) and isinstance(run, Mapping):
        for key in sorted({*sealed, *run}):
            inner = f"{place}/{escape(key)}"
            if key in sealed and key in run:
                yield from _departures(sealed[key], run[key], inner)
            else:
                yield Departure(
                    place=inner,
                    sealed=dumps(sealed[key]) if key in sealed else None,
                    run=dumps(run[key]) if key in run else None,
                )
    elif _is_list(sealed) and _is_list(run) and len(sealed) == len(run):  # type: ignore[arg-type]  # both are lists
        for index, (entry, other) in enumerate(zip(sealed, run, strict=True)):  # type: ignore[arg-type]  # both are lists
            yield from _departures(entry, other, f"{place}/{index}")
    elif dumps(sealed) != dumps(run):
        yield Departure(place=place, sealed=dumps(sealed), run=dumps(run))


def _is_list(value: Json) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
