"""Embeddings joined to the images of a set by their ids; without subject ids, scores of the pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Floats, Ints, Singles
from frtaudit.core.text.formatting import counted
from frtaudit.errors import DataError, excerpt
from frtaudit.inputs.importing.array_files import (
    ARRAYS,
    PICKLES,
    arrays,
    headers,
    is_converted,
    refuse_pickle,
)
from frtaudit.inputs.importing.contents import Contents, contents_of, stem
from frtaudit.inputs.importing.stored_embeddings import (
    KINDS,
    Vectors,
    refuse_shared_names,
    system_name,
    vectors_in,
)
from frtaudit.inputs.importing.values import Embeddings, KnownSet, Options, Pairs, PairScores, Samples

NO_EMBEDDING, NOT_FINITE, ZERO = "no_embedding", "not_finite", "zero_vector"
QUANTILES = (0.0, 0.5, 1.0)


def with_systems(known: KnownSet, folder: Contents, options: Options) -> KnownSet:
    """The set with the embeddings of ``options.templates``, or else of the array files beside it, if there are some."""
    if known.templates or known.scores:
        return known
    place = contents_of(Path(options.templates)) if options.templates else folder
    scored = _scores_in(place, known.pairs)
    if scored:
        return replace(known, scores=scored)
    systems = systems_in(place, options, KINDS if options.templates else ARRAYS)
    if not systems and options.templates:
        pickles = place.ending(*PICKLES)
        if pickles:
            raise refuse_pickle(pickles[0])
        accepted = f"files ending in {', '.join(KINDS)} with rows of numbers"
        raise DataError(options.templates, "no embeddings", accepted)
    return attached(known, systems) if systems else known


def attached(known: KnownSet, systems: Sequence[Vectors]) -> KnownSet:
    """The set with these systems: templates of named people, else scores of the pairs."""
    refuse_shared_names([vectors.file for vectors in systems])
    joined = {vectors.system: _joined(vectors, known.samples, known.pairs) for vectors in systems}
    notes = (*known.notes, *(note for embeddings in joined.values() for note in embeddings.notes))
    if known.samples.subjects is None and known.pairs is not None:
        scores = {name: cosines(embeddings, known.pairs) for name, embeddings in joined.items()}
        return replace(known, scores=scores, notes=notes)
    return replace(known, templates=joined, notes=notes)


def systems_in(folder: Contents, options: Options, kinds: tuple[str, ...] = KINDS) -> list[Vectors]:
    """The embeddings of every file that holds some, or of the one that ``file`` names."""
    names = folder.ending(*kinds)
    if options.file in names and (named := vectors_in(folder, options.file, options)) is not None:
        return [named]
    candidates = (vectors_in(folder, name, options) for name in names)
    return [vectors for vectors in candidates if vectors is not None]


def _scores_in(folder: Contents, pairs: Pairs | None) -> dict[str, PairScores]:
    """Arrays of one number for each pair, in their order: scores that a system gave already."""
    scores: dict[str, PairScores] = {}
    files = []
    for name in folder.ending(".npy") if pairs is not None else ():
        if is_converted(name, folder.files):
            continue
        header = headers(folder.path(name), name)[""]
        if pairs is not None and header.shape == pairs.probe.shape and header.dtype.kind == "f":
            files.append(name)
            score = np.asarray(arrays(folder.path(name), name, {"": ""})[""], dtype=np.float64)
            lost = np.flatnonzero(~np.isfinite(score))
            score = np.where(np.isfinite(score), score, np.nan)
            scores[system_name(name)] = PairScores(
                score=score, failure={int(row): NOT_FINITE for row in lost}
            )
    refuse_shared_names(files)
    return scores


def cosines(embeddings: Embeddings, pairs: Pairs) -> PairScores:
    """The cosine of each pair, NaN with a code where one of its images has no template."""
    unit = embeddings.vectors / np.linalg.norm(embeddings.vectors, axis=1, keepdims=True)
    place = np.full(int(max(pairs.probe.max(), pairs.reference.max(), embeddings.rows.max())) + 1, -1)
    place[embeddings.rows] = np.arange(embeddings.rows.size)
    a, b = place[pairs.probe], place[pairs.reference]
    score: Floats = np.einsum("ij,ij->i", unit[a], unit[b]).astype(np.float64)
    lost = (a < 0) | (b < 0)
    score[lost] = np.nan
    return PairScores(score=score, failure={int(row): NO_EMBEDDING for row in np.flatnonzero(lost)})


def _joined(source: Vectors, samples: Samples, pairs: Pairs | None) -> Embeddings:
    rows, notes = _rows(source, samples, pairs)
    bad = np.full(source.vectors.shape[0], "", dtype=object)  # why a row is no template
    bad[~np.any(source.vectors, axis=1)] = ZERO
    bad[~np.all(np.isfinite(source.vectors), axis=1)] = NOT_FINITE
    if source.here is not None:
        bad[~source.here] = NO_EMBEDDING
    there = (rows >= 0) & (bad == "")
    twice = np.flatnonzero(np.bincount(rows[there], minlength=1) > 1)
    if twice.size:
        raise DataError(
            source.file, f"two embeddings of {counted(twice.size, 'image')}", "one row for each image"
        )
    failed = {int(row): str(why) for row, why in zip(rows, bad, strict=True) if why and row >= 0}
    if not there.any():
        problem = "no row is an embedding of an image of the set"
        if source.ids and not (rows >= 0).any():
            here, other = excerpt(source.ids[0]), excerpt(samples.ids[0])
            problem += f": the first row's image id is {here}, the first of the set {other}"
        raise DataError(source.file, problem, "image ids spelled as in the set")
    order = np.argsort(rows[there], kind="stable")
    vectors = source.vectors[there][order]
    return Embeddings(
        rows=rows[there][order].astype(np.int32),
        vectors=vectors,
        failed=failed,
        notes=(*notes, *_noticed(source, vectors, failed)),
    )


def _rows(source: Vectors, samples: Samples, pairs: Pairs | None) -> tuple[Ints, list[str]]:
    """The sample of each row, -1 for none."""
    if source.ids is None:
        if pairs is not None and source.vectors.shape[0] == 2 * pairs.probe.size:
            order = np.stack([pairs.probe, pairs.reference], axis=1).ravel().astype(np.int64)
            first = np.unique(order, return_index=True)[1]
            rows = np.full(order.size, -1, dtype=np.int64)
            rows[first] = order[first]  # of an image in several pairs the first row counts
            return rows, [f"{source.file}: no ids; rows 2i and 2i + 1 are taken as those of pair i"]
        if source.vectors.shape[0] != len(samples.ids):
            text = f"{source.vectors.shape[0]} rows without ids, the set has {len(samples.ids)} images"
            raise DataError(source.file, text, "an array or column of image ids, or as many rows as images")
        note = f"{source.file}: no ids; its rows are taken in the order of the images"
        return np.arange(len(samples.ids)), [note]
    rows = np.array(_by_id(source.ids, samples), dtype=np.int64)
    extra = int((rows < 0).sum())
    note = f"{source.file}: {counted(extra, 'row')} of images that are not in the set: left out"
    return rows, [note] if extra else []


def _by_id(names: Sequence[str], samples: Samples) -> list[int]:
    """The sample of each name: by id, path, or the name of the file alone where that is unique, whichever has most."""
    paths = samples.columns.get("path", ())
    by_id = {name: i for i, name in enumerate(samples.ids)}
    by_path = {name: i for i, name in enumerate(paths) if name}
    stems = [stem(name) for name in samples.ids]
    by_stem = {name: i for i, name in enumerate(stems)} if len(set(stems)) == len(stems) else {}
    ways = ((by_id, names), (by_path, names), (by_stem, [stem(name) for name in names]))
    rows = [[index.get(text, -1) for text in texts] for index, texts in ways]
    return max(rows, key=lambda way: sum(row >= 0 for row in way))


def _noticed(source: Vectors, vectors: Singles, failed: Mapping[int, str]) -> list[str]:
    """Norms, equal rows, and rows that count as failures."""
    norms = np.quantile(np.linalg.norm(vectors.astype(np.float64), axis=1), QUANTILES)
    notes = [f"{source.file}: norms {norms[0]:.3g} to {norms[2]:.3g}, median {norms[1]:.3g}"]
    same = vectors.shape[0] - len({row.tobytes() for row in vectors})
    if same:
        notes.append(f"{source.file}: {counted(same, 'row')} equal to an earlier row")
    notes += [
        f"{source.file}: failures in {counted(sum(why == reason for why in failed.values()), 'row')}: {reason}"
        for reason in sorted(set(failed.values()))
    ]
    return notes
