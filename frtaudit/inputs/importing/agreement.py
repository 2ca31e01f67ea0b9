"""Whether a test set is consistent: ids, people, labels of pairs, folds."""

from collections import Counter
from dataclasses import replace

import numpy as np

from frtaudit.core.arrays import Flags
from frtaudit.core.text.formatting import counted
from frtaudit.errors import DataError
from frtaudit.inputs.importing.folds import check_folds
from frtaudit.inputs.importing.values import KnownSet, Pairs, Samples
from frtaudit.inputs.roster import KNOWN_PEOPLE, NO_PERSON, NOBODY
from frtaudit.inputs.tables import NO_ID, is_no_id


def agreed(known: KnownSet, mated_by: str) -> KnownSet:
    """The set, with ``mated`` filled where people are named. Raises :class:`DataError` for the first contradiction.

    ``mated_by``: ``names`` where names decide, which is then noted with the number of pairs; else labels must agree.
    """
    _check_samples(known.name, known.samples)
    if known.pairs is None:
        return known
    pairs, notes = _decided(known.pairs, known.samples, mated_by)
    same = np.flatnonzero(pairs.probe == pairs.reference)
    if same.size:
        raise DataError(pairs.place(int(same[0])), "compares an image with itself", "two different images")
    if pairs.mated is not None:
        check_folds(pairs, pairs.mated)
    return replace(known, pairs=pairs, notes=(*known.notes, *notes))


def by_names(pairs: Pairs, samples: Samples) -> Flags | None:
    """Whether each pair shows one person by its subject ids, or None without subject ids."""
    if samples.subjects is None:
        return None
    number = {name: i for i, name in enumerate(dict.fromkeys(samples.subjects))}
    subject_of = np.array([number[name] for name in samples.subjects], dtype=np.int64)
    return np.asarray(subject_of[pairs.probe] == subject_of[pairs.reference], dtype=np.bool_)


def _decided(pairs: Pairs, samples: Samples, mated_by: str) -> tuple[Pairs, tuple[str, ...]]:
    named = by_names(pairs, samples)
    if named is None or pairs.mated is None:
        return (pairs if named is None else replace(pairs, mated=named)), ()
    wrong = np.flatnonzero(named != pairs.mated)
    if not wrong.size:
        return pairs, ()
    if mated_by == "names":
        note = f"{counted(wrong.size, 'label')} against the names: the names were used"
        return replace(pairs, mated=named), (note,)
    first = int(wrong[0])
    label, names = ("mated", "two people") if pairs.mated[first] else ("non-mated", "one person")
    more = f" (and {wrong.size - 1} more)" if wrong.size > 1 else ""
    problem = f"the label is {label}, the names are of {names}{more}"
    raise DataError(pairs.place(first), problem, "labels that agree with the names, or mated=names")


def _check_samples(name: str, samples: Samples) -> None:
    twice = [text for text, times in Counter(samples.ids).items() if times > 1]
    if twice:
        raise DataError(name, f"{len(twice)} duplicate image ids", "unique image ids")
    for kind, texts in (("image", samples.ids), ("subject", samples.subjects or ())):
        broken = next((i for i, text in enumerate(texts) if is_no_id(text)), None)
        if broken is not None:
            raise DataError(f"{name} image {broken + 1}", f"the {kind} id has {NO_ID}", "an id")
        wrong = next((i for i, text in enumerate(texts) if not text or text != text.strip()), None)
        if wrong is not None:
            problem = f"the {kind} id is empty, or begins or ends with a space"
            raise DataError(f"{name} image {wrong + 1}", problem, "an id")
    nobody = next((i for i, text in enumerate(samples.subjects or ()) if text in NOBODY), None)
    if nobody is not None:
        raise DataError(f"{name} image {nobody + 1}", NO_PERSON, KNOWN_PEOPLE)
