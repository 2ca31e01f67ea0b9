"""JSON Schema of ``result.json``: the contract that other tools rely on; no further keys wherever names are fixed.

It comes from the types of the result; what the result holds as plain data has its types here.
"""

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict  # Literal: a word of plain data, which no Enum stands for

from frtaudit.core.canonical import Json, mapping
from frtaudit.core.cohort import LedgerEntry, Sanitized
from frtaudit.core.collecting import Refusal
from frtaudit.core.curves import Curve
from frtaudit.core.estimates import Estimate, Interval, Test
from frtaudit.core.findings import Finding
from frtaudit.core.plain.records import Contract, Count, Level, Schema, Sha256, Share
from frtaudit.core.result import SCHEMA_VERSION, AuditResult
from frtaudit.core.rows import RowDigests

Some = Count | None  # None where a publishable variant withholds the count


class _Digests(TypedDict):
    """Only where they apply: ``outputs`` (lists were written), ``rows`` (inputs have rows), ``full`` (a variant)."""

    spec: Sha256
    cohort: Sha256
    inputs: Mapping[str, Sha256]
    outputs: NotRequired[Mapping[str, Sha256]]
    rows: NotRequired[Mapping[str, RowDigests]]
    full: NotRequired[Sha256]


class _Counts(TypedDict):
    samples: Some
    subjects: Some
    subjects_with_two_samples: Some


class _Group(_Counts):
    group: str
    label: str


class _Classes(TypedDict):
    groups: list[_Group]
    super_classes: Mapping[str, list[str]]


class _LeftOut(TypedDict):
    code: str
    refusal: Refusal | None
    count: Count
    unit: str


class _Images(TypedDict):
    found: Count
    listed: Count
    left_out: list[_LeftOut]


class _Refused(TypedDict):
    call: Literal["compare", "detect"]
    refusal: Refusal
    code: str
    count: Count


class _Later(TypedDict):
    round: Count
    apart: Count
    open: Count
    p: Share
    more_than_chance: bool


class _BothWays(TypedDict):
    pairs: Count
    apart: Count
    largest: float | None


class _Canaries(TypedDict):
    items: Count
    answered: Count
    rounds: Count
    repeats: Count
    noise: Share
    alpha: Level
    power: Level
    least_share_found: Share | None
    changed: bool
    later: list[_Later]
    both_ways: _BothWays


class _ByKind(TypedDict):
    failure_to_acquire: Some
    policy: Some
    transport: Some


class _Service(TypedDict):
    settings: Mapping[str, str]
    versions: Mapping[str, Some]
    scored: Some
    by_kind: _ByKind
    refused: list[_Refused]
    missing: Some
    detects: bool
    canaries: _Canaries | None


class _Collection(TypedDict):
    """Stands only where ``frtaudit collect`` gathered the scores."""

    finished: bool
    spec: Mapping[str, object]
    images: _Images | None
    queries: Some
    faces: Some
    pairs: Some
    services: Mapping[str, _Service]


class _Publication(TypedDict):
    """Stands only in a publishable variant: its rule, the classes withheld by schema, how much was left out."""

    minimum: Count
    withheld: Mapping[str, list[str]]
    by_no_class: list[str]
    left_out: Mapping[str, Count]


class _Embedded(TypedDict):
    listed: Count
    embedded: Count
    several_faces: Count


class _Templates(TypedDict):
    """Stands only where ``frtaudit embed`` made templates; a publishable variant has none of the counts."""

    settings: Mapping[str, str]
    source: str
    licence: str
    images: NotRequired[_Embedded]
    failures: NotRequired[Mapping[str, Count]]
    checks: NotRequired[Mapping[str, bool | float]]


class _Cohort(_Counts):
    schemas: Mapping[str, _Classes]
    collection: NotRequired[_Collection]
    sanitized: NotRequired[Sanitized]
    templates: NotRequired[Mapping[str, _Templates]]
    publication: NotRequired[_Publication]


def result_schema(spec: Mapping[str, Json]) -> Schema:
    """The schema of a result whose ``spec`` follows the given schema."""
    contract = Contract(
        named={kind: kind.__name__.lower() for kind in (Interval, Test, Estimate, Curve, Finding)}
        | {LedgerEntry: "failure"}
    )
    parts: Schema = {
        "spec": dict(spec),
        "digests": contract.of(_Digests),
        "cohort": contract.of(_Cohort),
        "schema_version": {"const": SCHEMA_VERSION},
    }
    defs: Schema = {name: contract.record(kind) for kind, name in contract.named.items()}
    return {"title": "frtaudit result", **contract.record(AuditResult, parts), "$defs": defs}


def with_present_keys(result: Json) -> Json:
    """A result whose stages and services have the keys of today: ``said`` became ``rule``, ``asked`` ``settings``."""
    cohort = mapping(mapping(result).get("cohort"))
    sanitized, collection = mapping(cohort.get("sanitized")), mapping(cohort.get("collection"))
    stages, services = sanitized.get("stages"), collection.get("services")
    changes: dict[str, Json] = {}
    if isinstance(stages, list):
        changes["sanitized"] = {**sanitized, "stages": [_renamed(stage, "said", "rule") for stage in stages]}
    if isinstance(services, dict):
        renamed = {name: _renamed(service, "asked", "settings") for name, service in services.items()}
        changes["collection"] = {**collection, "services": renamed}
    return {**mapping(result), "cohort": {**cohort, **changes}} if changes else result


def _renamed(record: Json, old: str, new: str) -> Json:
    if not isinstance(record, dict) or old not in record or new in record:
        return record
    return {new if key == old else key: value for key, value in record.items()}
