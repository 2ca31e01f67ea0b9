"""What ``frtaudit collect`` left in a folder: which files an audit reads, what was refused, what changed."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any  # Any: JSON as it was read

from frtaudit.core.canonical import Json, sha256_file
from frtaudit.core.cohort import LedgerEntry, ledger_of
from frtaudit.core.machine.files import irregular, read_regular
from frtaudit.errors import DataError, excerpt
from frtaudit.inputs.places import COLLECTION, COLLECTION_FORMAT, STORE
from frtaudit.inputs.queries.collection_facts import QUERIES, facts_of

FACES = "faces.csv"
CHANGED, VERSIONS, MISSING = (
    "service_changed_while_collected",
    "versions_while_collected",
    "not_collected_budget",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """``faces``, ``boxes``, ``lists``: file names; ``ledger``: what was left out; ``notes``: what to warn a reader of.

    ``facts``: how it was collected, for the result; ``refused``: service to code to number of images.
    """

    faces: str
    boxes: str | None
    lists: tuple[str, ...]
    ledger: tuple[LedgerEntry, ...]
    notes: tuple[str, ...]
    facts: Mapping[str, Json]
    refused: Mapping[str, Mapping[str, int]]


def read_collected(folder: Path) -> Collected | None:
    """None for a folder that was not collected into.

    Raises :class:`DataError` for a collection that is not finished, unless its budget was to be partial, and for a file
    that is another one than it wrote.
    """
    path = folder / COLLECTION
    if not os.path.lexists(path):
        if os.path.lexists(folder / STORE):
            raise _unfinished()
        return None
    try:
        read: Any = json.loads(read_regular(path, COLLECTION))
        known = read["format"] == COLLECTION_FORMAT
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(COLLECTION, "not readable as a collection", "as frtaudit collect wrote it") from error
    if not known:
        raise DataError(COLLECTION, f"the format {excerpt(str(read['format']))}", COLLECTION_FORMAT)
    try:
        return _collected(folder, read)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise DataError(COLLECTION, f"no {excerpt(str(error))}", "as frtaudit collect wrote it") from error


def _collected(folder: Path, read: Mapping[str, Any]) -> Collected:
    if not read["finished"] and not read["partial"]:
        raise _unfinished()
    for name, digest in sorted(read["files"].items()):
        file = folder / name
        plain = Path(name).name == name and irregular(file) is None and file.is_file()
        if not plain or sha256_file(file) != digest:
            problem = "is not the file that frtaudit collect wrote"
            raise DataError(name, problem, "frtaudit collect with the same words")
    lists = tuple(sorted(f"{name}.parquet" for name in read["services"]))
    named = [FACES, *lists, *([] if read["boxes"] is None else [read["boxes"]])]
    stray = next((name for name in named if Path(name).name != name), None)
    if stray is not None:
        raise DataError(COLLECTION, f"names {excerpt(stray)}", "a file of its folder")
    return Collected(
        faces=FACES,
        boxes=read["boxes"],
        lists=lists,
        ledger=tuple(_ledger(read)),
        notes=tuple(read["notes"] if "notes" in read else read["said"]),
        facts=facts_of(read),
        refused={name: service.get("refused_images", {}) for name, service in read["services"].items()},
    )


def _ledger(read: Mapping[str, Any]) -> list[LedgerEntry]:
    entries: list[LedgerEntry] = []
    for code, count in sorted(read["images"]["left_out"].items()):
        entries += ledger_of({code: count}, "queries" if code in QUERIES else "images")
    for name, service in sorted(read["services"].items()):
        canaries = service["canaries"]
        missing = read["pairs"] - service["scores"] - sum(service["refusals"].values())
        changed = (
            max((entry["apart"] for entry in canaries["against_first_round"]), default=0) if canaries else 0
        )
        counted = (
            (MISSING, missing, "comparisons"),
            (CHANGED, changed if canaries and canaries["changed"] else 0, "canary comparisons"),
            (VERSIONS, len(service["versions"]) if len(service["versions"]) > 1 else 0, "versions"),
        )
        for code, count, unit in counted:
            entries += ledger_of({code: count}, unit, name)
    return entries


def _unfinished() -> DataError:
    return DataError(
        "cohort.root",
        "the collection in it is not finished",
        "frtaudit collect with the same words; or budget.partial=true",
    )
