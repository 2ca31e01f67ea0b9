"""What was recognised and what it can support, in the lines that ``frtaudit import`` prints."""

from collections import Counter

import numpy as np

from frtaudit.inputs.importing.image_table import numbers_among
from frtaudit.inputs.importing.schema_words import bins_word
from frtaudit.inputs.importing.starter import schemas_of
from frtaudit.inputs.importing.values import Evidence, KnownSet

WIDTH = 10
SHOWN = 6  # classes of a group


def lines_of(known: KnownSet, evidence: Evidence) -> list[str]:
    """One line for what it is, and one each for people, pairs, folds, groups, failures, systems, terms, notes."""
    facts = {
        "people": _people(known),
        "pairs": _pairs(known),
        "folds": _folds(known),
        "groups": _groups(known),
        **_ranges(known),
        "failures": _failures(known),
        "systems": _systems(known),
        "terms": known.terms,
    }
    head = f"recognised: {known.title} ({evidence.file}: {evidence.found})"
    lines = [f"  {name:<{WIDTH}} {text}" for name, text in facts.items()]
    return [head, *lines, *(f"  {'note':<{WIDTH}} {note}" for note in known.notes)]


def _people(known: KnownSet) -> str:
    samples = known.samples
    if samples.subjects is None:
        return f"no subject ids: {len(samples.ids)} images; comparisons only, no intervals for people and no groups"
    return f"{len(set(samples.subjects))} people, {len(samples.ids)} images: intervals for people"


def _pairs(known: KnownSet) -> str:
    if known.pairs is None:
        return "none given: all pairs of images are compared"
    size = known.pairs.probe.size
    if known.pairs.mated is None:
        return f"{size}, labels of pairs are not known"
    mated = int(known.pairs.mated.sum())
    return f"{size}: {mated} mated, {size - mated} non-mated"


def _folds(known: KnownSet) -> str:
    if known.pairs is None or known.pairs.fold is None:
        return "none: no accuracy over official folds"
    sizes = np.unique(known.pairs.fold, return_counts=True)[1]
    each = f"{sizes[0]}" if len(set(sizes.tolist())) == 1 else f"{sizes.min()} to {sizes.max()}"
    return f"{sizes.size} official folds of {each} pairs"


def _groups(known: KnownSet) -> str:
    names = schemas_of(known)
    if not names:
        return "none: add a column to metadata.csv and name it as a schema"
    return "; ".join(f"{name} ({_classes(known, name)} images)" for name in names)


def _ranges(known: KnownSet) -> dict[str, str]:
    """How a column of numbers, an age, becomes groups: nothing where there is none, or its name needs quotes."""
    if known.samples.subjects is None:
        return {}
    place = {name: number for number, name in enumerate(known.samples.columns, 1)}
    texts = [
        f"{name} ({numbers.low:g} to {numbers.high:g}) becomes groups by {word}"
        for name, numbers in numbers_among(known.samples.columns, known.samples.subjects).items()
        if (word := bins_word(name, place[name], numbers))
    ]
    return {"numbers": "; ".join(texts)} if texts else {}


def _classes(known: KnownSet, name: str) -> str:
    counts = Counter(known.samples.columns[name])
    unknown = counts.pop("", 0)
    texts = [f"{label}: {count}" for label, count in sorted(counts.items())]
    more = [f"and {len(texts) - SHOWN} more"] if len(texts) > SHOWN else []
    return ", ".join([*texts[:SHOWN], *more, *([f"unknown: {unknown}"] if unknown else [])])


def _failures(known: KnownSet) -> str:
    """Failures to acquire of templates, failed comparisons of scores, or how they will be counted."""
    if known.templates:
        total = len(known.samples.ids)
        lost = {name: total - embeddings.rows.size for name, embeddings in known.templates.items()}
        counts = ", ".join(f"{name}: {count}" for name, count in lost.items())
        return f"images without a template: {counts}"
    if known.scores:
        counts = ", ".join(
            f"{name}: {int(np.isnan(scores.score).sum())}" for name, scores in known.scores.items()
        )
        return f"comparisons without a score: {counts}"
    return "an image without a template will count as a failure to acquire"


def _systems(known: KnownSet) -> str:
    if known.templates:
        return ", ".join(
            f"{name} ({embeddings.vectors.shape[0]} x {embeddings.vectors.shape[1]})"
            for name, embeddings in known.templates.items()
        )
    if known.scores:
        return ", ".join(f"{name} (scores)" for name in known.scores)
    return "none: no templates and no scores here"
