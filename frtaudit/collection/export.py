"""What an audit reads of a collection: faces, boxes, a score list of each service, and how it was collected.

The same bytes whether the collection was interrupted or not: what differs (request ids, times, calls that were made
again, what was spent) stands in the store and in ``runs.json``, which no audit reads.
"""

import json
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from frtaudit.collection.canaries import answers_of, both_ways, drawn, finding, reassurance, sentences
from frtaudit.collection.chosen import BEYOND, BOXES, FEW, Chosen, crop_id
from frtaudit.collection.rows import COMPARE, PLACES
from frtaudit.collection.single import looked_for
from frtaudit.collection.spec import CollectionSpec, identity
from frtaudit.collection.store import Store
from frtaudit.core.canonical import Json, digest, mapping, sha256_file, to_bytes
from frtaudit.core.collecting import Refusal
from frtaudit.core.machine import signals
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.text.columns import csv_bytes
from frtaudit.inputs.places import COLLECTION, COLLECTION_FORMAT

RUNS, FACES, IMAGES = "runs.json", "faces.csv", "images"
RUNS_BEFORE = "sittings.json"  # the name of runs.json in folders of before
ROWS = 50_000  # of a score list in memory
_ID = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [("provider", _ID), ("probe", _ID), ("reference", _ID), ("score", pa.float64()), ("failure", _ID)]
)


def check_files(into: Path, spec: CollectionSpec) -> None:
    """Raise :class:`DataError` where what will be exported cannot be written, before a call is paid for."""
    tables = (f"{name}.parquet" for name in spec.services)
    OutputFolder(into).check((FACES, BOXES, *tables, COLLECTION, RUNS))


def export(
    into: Path, store: Store, spec: CollectionSpec, chosen: Chosen, *, finished: bool
) -> tuple[str, ...]:
    """Write it all, ``collection.json`` last, each file whole or not; what who collects has to know, as sentences."""
    out = OutputFolder(into)
    signals.check()
    out.replace(FACES, _faces(chosen, _kept_images(into, store) if spec.keep_images else {}))
    files = [FACES]
    if chosen.boxes is not None:
        out.replace(BOXES, chosen.boxes.to_csv(index=False, lineterminator="\n").encode())
        files.append(BOXES)
    services: dict[str, Json] = {}
    taken, missed = len(chosen.faces.queries) + chosen.left_out.get(FEW, 0), chosen.left_out.get(BEYOND, 0)
    text = f"the budget was enough for {taken} of {taken + missed} queries, drawn at random"
    warnings = [text] if missed else []
    shown = [*warnings]
    for number, name in enumerate(sorted(spec.services)):
        signals.check()
        with out.drafted(f"{name}.parquet") as draft:
            _scores(draft, store, number, name, chosen)
        files.append(f"{name}.parquet")
        services[name], noticed, calm = _service(store, number, name, spec, chosen, finished=finished)
        warnings += noticed
        shown += [*calm, *noticed]
    signals.check()
    listed = {name: sha256_file(into / name) for name in sorted(files)}
    content = _about(store, spec, chosen) | {
        "finished": finished,
        "partial": spec.budget.partial and not finished,
        "notes": [*warnings],
        "services": services,
        "files": listed,
    }
    out.replace(COLLECTION, to_bytes(content))
    return tuple(shown)


def _about(store: Store, spec: CollectionSpec, chosen: Chosen) -> dict[str, Json]:
    """What was asked for, and of how many images, faces and pairs."""
    stored = store.meta("spec")  # of a folder of before, under the keys of then: its file stays as it was
    known = identity(spec) if stored is None else dict(mapping(json.loads(stored)))
    return {
        "format": COLLECTION_FORMAT,
        "spec": known,
        "spec_digest": digest(known),
        "images": {
            "found": sum(1 for _ in store.images()),
            "listed": len(chosen.images),
            "left_out": dict(chosen.left_out),
        },
        "queries": len(chosen.faces.queries),
        "faces": len(chosen.faces.names),
        "pairs": int(chosen.pairs.shape[1]),
        "boxes": None if chosen.boxes is None else BOXES,
        "detected": str(spec.detected),
    }


def write_runs(into: Path, store: Store, spec: CollectionSpec) -> None:
    """What differs from one run of the same collection to another: attempts, ambiguous calls, money."""
    names = sorted(spec.services)
    attempts: list[Json] = [
        {"service": "source" if number < 0 else names[number], "kind": kind, "each": price, "attempts": n}
        for (number, kind, price), n in sorted(store.attempts().items())
    ]
    lost: list[Json] = [
        {"service": names[number], "kind": kind, "calls": n}
        for (number, kind), n in sorted(store.ambiguous().items())
    ]
    extra = ((name, store.extra_detections(number)) for number, name in enumerate(names))
    again: dict[str, Json] = {name: count for name, count in extra if count}
    content: dict[str, Json] = {
        "runs": store.run_number,
        "spent": float(store.spent()),
        "currency": spec.budget.currency,
        "attempts": attempts,
        "ambiguous": lost,
        "detected_again": again,
    }
    OutputFolder(into).replace(RUNS, to_bytes(content))
    (into / RUNS_BEFORE).unlink(missing_ok=True)


def _service(
    store: Store, number: int, name: str, spec: CollectionSpec, chosen: Chosen, *, finished: bool
) -> tuple[dict[str, Json], list[str], list[str]]:
    """What stands of a service in the file, what to warn every reader of, and what only who collects is told."""
    service = spec.services[name]
    versions = store.versions(number)
    pairs = drawn(chosen, spec.canaries, spec.seed)
    answers = answers_of(store, number, spec.canaries, *both_ways(pairs, chosen.crops[name]))
    canaries = finding(answers, versions) if pairs.shape[1] else None
    counts = store.counts(number, COMPARE)
    seen = looked_for(store, number, spec.least, detects=service.detects)
    refusals = {failure(refusal, code): n for (refusal, code), n in counts.items() if refusal}
    unseen = {failure(refusal, code): n for (refusal, code), n in seen.items() if refusal}
    low, high = service.score_range
    content: dict[str, Json] = {
        "settings": dict(service.recorded_settings()),
        "score_range": [low, high],
        "versions": versions,
        "scores": counts.get(("", ""), 0),
        "refusals": refusals,
        "detects": service.detects,
        "detection_refusals": unseen,
        "canaries": canaries,
        **_refused_images(store, number, chosen),
    }
    warnings = [] if canaries is None else sentences(name, canaries, list(versions))
    calm = [] if canaries is None else reassurance(name, canaries)
    if not finished:
        asked, pairs = sum(counts.values()), chosen.pairs.shape[1]
        warnings.append(f"{name}: the budget was enough for {asked} of {pairs} comparisons")
    for failed, what, then in (
        (_codes(seen, Refusal.TRANSPORT), *_UNSEEN[service.detects]),
        (_codes(counts, Refusal.TRANSPORT), *_FAILED),
        (_codes(counts, Refusal.POLICY), *_BY_POLICY),
    ):
        if failed:
            why = ", ".join(failed)
            count = sum(failed.values())
            warnings.append(f"{name}: {count} {what} ({why}){then}")
    return content, warnings, calm


def _refused_images(store: Store, number: int, chosen: Chosen) -> dict[str, Json]:
    """Of the images listed: how many a service would not look for faces in, by the reason; empty for none."""
    why = (
        failure(refusal, code)
        for image, refusal, code in store.refused_images(number)
        if image in chosen.images
    )
    counts = Counter(why)
    return {"refused_images": dict(sorted(counts.items()))} if counts else {}


_UNSEEN = {
    True: ("images could not be processed because of transport errors", "; they are left out"),
    False: (
        "comparisons for finding faces failed because of transport errors",
        "; images without a result are left out",
    ),
}
_FAILED = "comparisons failed because of transport errors", "; frtaudit collect tries them again"
_BY_POLICY = "comparisons have no score: the service refused them by policy", ""


def _codes(counts: Mapping[tuple[str, str], int], kind: Refusal) -> dict[str, int]:
    """Codes of refusals of a kind."""
    return {code: n for (refusal, code), n in counts.items() if refusal == kind}


def failure(refusal: str, code: str) -> str:
    """What stands for a score: the code, with the kind of refusal before it where it is no failure to acquire.

    >>> failure("failure_to_acquire", "no_face"), failure("transport", "throttled")
    ('no_face', 'transport_throttled')
    """
    return code if refusal == Refusal.FAILURE_TO_ACQUIRE else f"{refusal}_{code}"


def _kept_images(into: Path, store: Store) -> dict[int, str]:
    """Images by number to their files below ``into``."""
    files = {path.stem: f"{IMAGES}/{path.name}" for path in sorted((into / IMAGES).glob("*"))}
    return {row.image: files[row.digest] for row in store.images() if row.digest in files}


def _faces(chosen: Chosen, image_files: Mapping[int, str]) -> bytes:
    """Every image of the queries that are compared: face_id, query, columns of its query, its file if kept."""
    names = sorted({key for columns in chosen.columns.values() for key in columns})
    rows = [("face_id", "query", *names, *(("image",) if image_files else ()))]
    for image, name in chosen.images.items():
        query = chosen.queries[image]
        file = (image_files.get(image, ""),) if image_files else ()
        rows.append((name, query, *(chosen.columns[query].get(column, "") for column in names), *file))
    return csv_bytes(rows)


def _scores(to: BinaryIO, store: Store, number: int, name: str, chosen: Chosen) -> None:
    """A service's score list: a line for each comparison that has a result or a stated failure."""
    crops = np.unique(chosen.crops[name])
    called = [chosen.images[crop // PLACES] for crop in crops.tolist()]
    if chosen.boxes is not None and (chosen.boxes["provider"] == name).any():
        called = [crop_id(image, crop % PLACES) for image, crop in zip(called, crops.tolist(), strict=True)]
    names = pa.array(called, type=pa.string())
    codes = sorted({failure(refusal, code) for refusal, code in store.counts(number, COMPARE) if refusal})
    place, coded = {code: at for at, code in enumerate(codes)}, pa.DictionaryArray.from_arrays
    with pq.ParquetWriter(to, SCHEMA, compression="zstd") as writer:
        answers = store.answers(number)
        while rows := list(islice(answers, ROWS)):
            signals.check()
            ends = np.array([(first, second) for _, first, second, *_ in rows], dtype=np.int64).T
            probe, reference = (np.searchsorted(crops, side).astype(np.int32) for side in ends)
            failed = [place[failure(row[4], row[5])] if row[4] else None for row in rows]
            columns = [
                coded(np.zeros(len(rows), dtype=np.int32), pa.array([name])),
                coded(probe, names),
                coded(reference, names),
                pa.array([row[3] for row in rows], type=pa.float64()),
                coded(pa.array(failed, type=pa.int32()), pa.array(codes, type=pa.string())),
            ]
            writer.write_batch(pa.record_batch(columns, schema=SCHEMA))
