"""From coded lines of several files to one roster and its comparisons: who stands in them, told once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Ints
from frtaudit.core.cohort import Cohort, LedgerEntry, ledger_of
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import ScoreTable
from frtaudit.errors import DataError
from frtaudit.inputs.coded import Coded
from frtaudit.inputs.pairing import ONCE, both_orders, listed_comparisons
from frtaudit.inputs.roster import Roster
from frtaudit.inputs.score_lists.fields import Fields
from frtaudit.inputs.score_lists.scorelist import MISSING_SCORE

SELF, OF_DROPPED = "self_comparison", "comparison_of_dropped_subject"
SIDES = ("reference", "probe")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """One file's lines.

    ``sample``, ``subject``: by side (reference, probe) the coded names; ``columns``: class column to the same.
    """

    read: Fields
    sample: tuple[Coded, Coded]
    subject: tuple[Coded, Coded]
    columns: Mapping[str, tuple[Coded, Coded]]


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """The samples of all files: their names, and of each its subject, its classes, and where it was first seen."""

    samples: dict[str, int]
    subjects: list[str]
    columns: dict[str, list[str]]
    places: list[str]

    def roster(self, more: Mapping[str, Mapping[str, str]]) -> Roster:
        """As a roster; ``more``: column to subject to text, from a table of subjects."""
        named = {name: [known.get(who, "") for who in self.subjects] for name, known in more.items()}
        columns = {name: np.array(texts, dtype=object) for name, texts in {**self.columns, **named}.items()}
        return Roster(
            sample_ids=list(self.samples), subjects=self.subjects, columns=columns, places=self.places
        )


def people_of(gathered: Sequence[Gathered]) -> People:
    """Who stands in the files. Raises :class:`DataError` where lines disagree about a sample."""
    people = People(samples={}, subjects=[], columns={}, places=[])
    for file in gathered:
        for side in (0, 1):
            _add(people, file, side)
    return people


def _add(people: People, gathered: Gathered, side: int) -> None:
    """The samples of one side of one file."""
    sample, subject = gathered.sample[side], gathered.subject[side]
    problem = f"gives a {SIDES[side]} a different subject than an earlier line"
    codes = _once(sample, subject, gathered.read, problem)
    rows = _first_rows(sample)
    for code, name in enumerate(sample.names):
        who, place = subject.names[int(codes[code])], gathered.read.place(int(rows[code]))
        known = people.samples.setdefault(name, len(people.samples))
        if known == len(people.subjects):
            people.subjects.append(who)
            people.places.append(place)
        elif people.subjects[known] != who:
            problem = f"gives a sample a different subject than {people.places[known]}"
            raise DataError(place, problem, "one subject")
    for column, sides in gathered.columns.items():
        _add_column(people, gathered, column, sides[side], sample)


def _add_column(people: People, gathered: Gathered, column: str, values: Coded, sample: Coded) -> None:
    codes = _once(sample, values, gathered.read, f"gives a sample a different {column} than an earlier line")
    texts = people.columns.setdefault(column, [])
    for code, name in enumerate(sample.names):
        known, text = people.samples[name], values.names[int(codes[code])].strip()
        texts += [""] * (len(people.subjects) - len(texts))
        if text and texts[known] and text != texts[known]:
            place = gathered.read.place(int(_first_rows(sample)[code]))
            raise DataError(place, f"gives a sample a different {column} than an earlier line", "one value")
        texts[known] = texts[known] or text


def _first_rows(coded: Coded) -> Ints:
    """The first row at which each name stands, (names,) int64."""
    rows = np.empty(len(coded.names), dtype=np.int64)
    rows[coded.code[::-1]] = np.arange(coded.code.size)[::-1]
    return rows


def _once(of: Coded, values: Coded, read: Fields, problem: str) -> Index:
    """The one value of each name, (names,) int32; :class:`DataError` at the first row that gives another."""
    code = values.code[_first_rows(of)]
    other = code[of.code] != values.code
    if other.any():
        raise DataError(read.place(int(np.argmax(other))), problem, "the same on every line")
    return code


def table_of(
    gathered: Gathered, provider: str, cohort: Cohort, where: Mapping[str, int]
) -> tuple[tuple[Comparisons, ScoreTable], list[LedgerEntry]]:
    """One system's comparisons and scores, and the lines that are none, counted.

    ``where``: sample name to cohort index. Raises :class:`DataError` at a comparison that appears twice.
    """
    _check_repeats(gathered)
    reference, probe = (side.indices(where) for side in gathered.sample)
    keep, counts = compared(probe, reference, gathered.read.name)
    probe, reference = probe[keep], reference[keep]
    probes, references = (np.zeros(cohort.n_samples, dtype=np.bool_) for _ in SIDES)
    probes[probe], references[reference] = True, True
    ordered = bool((probes & references).any()) and both_orders(probe, reference)
    comparisons = listed_comparisons(cohort, probe, reference, ordered=ordered)
    return (comparisons, scored(gathered.read.score[keep])), ledger_of(counts, "comparisons", provider)


def compared(probe: Index, reference: Index, where: str) -> tuple[Flags, dict[str, int]]:
    """Which lines compare two samples of the cohort, (P,); how many do not, by code, -1 being no sample of it."""
    dropped = (probe < 0) | (reference < 0)
    alone = (probe == reference) & ~dropped
    keep = ~(dropped | alone)
    if not keep.any():
        raise DataError(where, "no line compares two samples", "comparisons of different samples")
    return keep, {OF_DROPPED: int(dropped.sum()), SELF: int(alone.sum())}


def scored(score: Floats) -> ScoreTable:
    """Scores as a table: NaN is a comparison that failed without a reason."""
    failed = np.isnan(score)
    codes = (MISSING_SCORE,) if failed.any() else ()
    return ScoreTable(score=score, failure=np.where(failed, 0, -1).astype(np.int16), codes=codes)


def _check_repeats(gathered: Gathered) -> None:
    """Refuse a comparison that appears twice in a file: it would count twice."""
    reference, probe = gathered.sample
    key = reference.code.astype(np.int64)
    key *= len(probe.names)
    key += probe.code
    if not _repeats(key, len(reference.names) * len(probe.names)):
        return
    first = np.unique(key, return_index=True)[1]
    again = np.ones(key.size, dtype=np.bool_)
    again[first] = False
    row = int(np.argmax(again))
    before = int(np.argmax(key == key[row]))
    text = f"the comparison of line {gathered.read.line(before)} again"
    raise DataError(gathered.read.place(row), text, ONCE)


def _repeats(key: Ints, cells: int) -> bool:
    """Whether some key, below ``cells``, appears twice: marked in a table if that is no larger than the keys."""
    if cells > max(key.nbytes, 1 << 24):
        return bool(np.unique(key).size < key.size)
    seen = np.zeros(cells, dtype=np.bool_)
    seen[key] = True
    return int(np.count_nonzero(seen)) < key.size
