"""An imported test set on disk, in the layout that ``audit=templates`` and ``audit=scores`` read."""

import io
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from frtaudit.core.arrays import Index
from frtaudit.core.machine import signals
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.text.file_names import file_name, is_safe
from frtaudit.inputs.importing.starter import audit_name, spec_text
from frtaudit.inputs.importing.stored_embeddings import is_of_a_script
from frtaudit.inputs.importing.values import KnownSet, Pairs, PairScores, Samples

NO_ANSWER = "no_score"

Columns: TypeAlias = dict[str, Sequence[str] | Index | pa.Array]


def write(known: KnownSet, out: OutputFolder, folder: str) -> None:
    """All files of the set into ``out``; ``folder``: its name in the spec.

    metadata.csv; pairs.csv where there are pairs; ``templates/SYSTEM.npz``, or a score list for each system, or, where
    nobody is named, ``scores/SYSTEM.txt`` of two columns; failures.csv where some are known; the spec.
    """
    out.write("metadata.csv", metadata(known.samples))
    if known.pairs is not None:
        out.write("pairs.csv", pair_list(known.pairs, known.samples))
    for system, scores in known.scores.items():
        signals.check()
        if known.samples.subjects is None:
            out.write(f"scores/{stem_of(system)}.txt", two_columns(known, scores))
        else:
            out.write(f"{stem_of(system)}.csv", score_list(known, scores))
    if known.samples.subjects is not None and not known.scores:
        for system, embeddings in known.templates.items():
            signals.check()
            data = io.BytesIO()
            ids = np.asarray(known.samples.ids, dtype=np.str_)[embeddings.rows]
            np.savez(data, embedding=embeddings.vectors, image_id=ids)
            out.write(f"templates/{stem_of(system)}.npz", data.getvalue())
        failures = [
            (known.samples.ids[row], stem_of(system), reason)
            for system, embeddings in known.templates.items()
            for row, reason in sorted(embeddings.failed.items())
        ]
        if failures:
            images, systems, reasons = zip(*failures, strict=True)
            out.write("failures.csv", _csv({"image_id": images, "model": systems, "reason": reasons}))
    signals.check()
    out.write(f"audit/{audit_name(known)}.yaml", spec_text(known, folder).encode())


def stem_of(system: str) -> str:
    """What a system's file is called, and so the system when it is read: by its name, if every file system takes it.

    >>> stem_of("vendor_a"), stem_of("מדקק_2026"), stem_of("con")
    ('vendor_a', 'מדקק_2026', 'con-1143da2bc54c495c')
    """
    plain = "".join("a" if is_of_a_script(mark) else mark for mark in system)
    return system if is_safe(plain) else file_name(system)


def metadata(samples: Samples) -> bytes:
    """``image_id``, ``subject_id`` where people are named, and the columns."""
    columns: Columns = {"image_id": samples.ids}
    if samples.subjects is not None:
        columns["subject_id"] = samples.subjects
    return _csv(
        {**columns, **{name: texts for name, texts in samples.columns.items() if name not in columns}}
    )


def pair_list(pairs: Pairs, samples: Samples) -> bytes:
    """``probe``, ``reference``, and ``mated`` and ``fold`` where they are known."""
    columns: Columns = {
        "probe": _taken(samples.ids, pairs.probe),
        "reference": _taken(samples.ids, pairs.reference),
    }
    if pairs.mated is not None:
        columns["mated"] = pairs.mated.astype(np.int32)
    if pairs.fold is not None:
        columns["fold"] = pairs.fold.astype(np.int32)
    return _csv(columns)


def two_columns(known: KnownSet, scores: PairScores) -> bytes:
    """``1`` or ``-1`` and the score of each pair: a file of bob.measure, for comparisons without subject ids."""
    mated = known.pairs.mated if known.pairs is not None else None
    label = np.where(mated, 1, -1) if mated is not None else np.zeros(scores.score.size, dtype=np.int64)
    rows = zip(label.tolist(), scores.score.tolist(), strict=True)
    return "".join(f"{kind} {score!r}\n" for kind, score in rows).encode()


def score_list(known: KnownSet, scores: PairScores) -> bytes:
    """``probe``, ``reference``, ``score`` and ``failure``; the metadata has the subjects."""
    if known.pairs is None:
        raise ValueError("scores are of pairs")
    failed = np.isnan(scores.score).tolist()
    codes = [scores.failure.get(row, NO_ANSWER) if lost else "" for row, lost in enumerate(failed)]
    texts = ["" if lost else repr(number) for lost, number in zip(failed, scores.score.tolist(), strict=True)]
    return _csv(
        {
            "probe": _taken(known.samples.ids, known.pairs.probe),
            "reference": _taken(known.samples.ids, known.pairs.reference),
            "score": pa.array(texts, pa.string()),
            "failure": codes,
        }
    )


def _taken(texts: Sequence[str], rows: Index) -> pa.Array:
    return pa.array(texts, pa.string()).take(pa.array(rows))


def _csv(columns: Columns) -> bytes:
    import pandas as pd

    arrays = {  # texts as objects keep their own lengths, whatever the longest is
        name: np.asarray(values, dtype=None if isinstance(values, (np.ndarray, pa.Array)) else object)
        for name, values in columns.items()
    }
    return pd.DataFrame(arrays).to_csv(index=False, lineterminator="\n").encode()
