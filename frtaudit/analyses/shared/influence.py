"""On whom the rates of one system hang: the worst subjects, any single one, the pairs that may be one person."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from frtaudit.analyses.shared.overall_ratios import every_point
from frtaudit.core import Estimate, Interval
from frtaudit.core.arrays import Ints
from frtaudit.core.spec import Weighting
from frtaudit.core.text.file_names import file_name
from frtaudit.evaluation.intervals import AtKey
from frtaudit.evaluation.system import BELOW_FLOOR, WEIGHTINGS, SystemData
from frtaudit.inputs.review import as_csv, pair_id
from frtaudit.stats.groups import influence
from frtaudit.stats.groups.influence import LeaveOneOut, Parts

NAME = "robustness"
NOT_ALONE = "every subject takes part in every comparison, or none does"


def make_estimate(
    provider: str,
    metric: str,
    at: AtKey,
    value: float | None,
    counts: tuple[int, int] | None,
    note: str | None = None,
    *,
    schema: str | None = None,
    group: str = "all",
    weighting: Weighting | None = None,
    intervals: tuple[Interval, ...] = (),
) -> Estimate:
    """An estimate of this analysis; what is not finite or NaN is no value."""
    known = value is not None and not np.isnan(value)
    return Estimate.of(
        provider,
        NAME,
        metric,
        value if known else None,
        of=(schema, group),
        counts=counts,
        at=at,
        weighting=None if weighting is None else weighting.value,
        intervals=intervals if known else (),
        note=note if note or known else "nothing was compared",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the review of all systems needs of one: its top pairs, and its counts at the declared targets.

    ``pairs``: pair id to (sample, other, subject, other, rank, score, comparisons of the two subjects); ``people``: the
    same pairs by id as pairs of subjects; ``errors``: (target, false matches, comparisons, false matches of each pair).
    """

    pairs: Mapping[str, tuple[str, str, str, str, int, float, int]]
    people: Mapping[str, int]
    sizes: Ints
    errors: tuple[tuple[float, int, int, Ints | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Influence:
    """One system and whom its rates hang on."""

    system: SystemData
    worst_share: float
    label_errors_taken: tuple[int, ...]

    def _points(self) -> Iterator[tuple[AtKey, Weighting, float, bool]]:
        """Operating points with their thresholds: declared targets, then fixed ones; whether groups are read too."""
        for w, weighting in enumerate(WEIGHTINGS):
            for _, at, threshold in every_point(self.system, w):
                if np.isfinite(threshold):
                    yield at, weighting, threshold, "fmr" in at

    def _row(self, threshold: float) -> tuple[int, int]:
        """Where the rule holds the sums of a threshold: non-mated, mated."""
        rule = self.system.rule
        first, second = (
            int(np.searchsorted(sums.thresholds, threshold)) for sums in (rule.non_mated, rule.mated)
        )
        return first, second

    def worst(self) -> Iterator[Estimate]:
        """Share of false matches due to the worst subjects: half a false match for each of its two, and all of any."""
        rule, tail = self.system.rule, self.system.tail
        takes = rule.spread.comparisons[0]
        for at, weighting, threshold, _ in self._points():
            row, _ = self._row(threshold)
            errors, total = rule.non_mated.subject_errors[row, 0], int(rule.non_mated.errors[row, 0])
            who = influence.worst_subjects(errors, takes, self.worst_share)
            number, named = int(errors[who].sum()), {**at, "subjects": float(who.size)}
            note = None if total else "no false match"
            ends, any_of = (total and number / (2 * total)), influence.involving(tail, threshold, who)
            yield make_estimate(
                self.system.provider, "worst_share", named, ends if total else None, (number, 2 * total),
                note, weighting=weighting,
            )  # fmt: skip
            known = any_of is not None and total > 0
            counts = (int(any_of or 0), total) if known else None
            yield make_estimate(
                self.system.provider, "worst_involved", named, counts[0] / total if counts else None, counts,
                note or (None if known else BELOW_FLOOR), weighting=weighting,
            )  # fmt: skip

    def heaviest(self) -> Iterator[Estimate]:
        """Share of FMR that one pair of subjects has, the one with the most of it (FORMULAS 8.18)."""
        everybody = np.ones(self.system.tail.n_samples.size, dtype=np.bool_)
        for at, weighting, threshold, _ in self._points():
            row, _ = self._row(threshold)
            total = int(self.system.rule.non_mated.errors[row, 0])
            heaviest = influence.heaviest_pair(self.system.tail, everybody, threshold, weighting)
            yield make_estimate(
                self.system.provider, "heaviest_pair", at, None if heaviest is None else heaviest.share,
                None if heaviest is None else (heaviest.errors, total),
                None if heaviest else BELOW_FLOOR if total else "no false match", weighting=weighting,
            )  # fmt: skip

    def without_one(self) -> Iterator[Estimate]:
        """Smallest and largest FMR and FNMR when one subject goes, at each threshold; who it is stands in a list."""
        lines = {subject: line for line, subject in enumerate(self._named(), 1)}
        for at, weighting, rate, group_index, outs in self._extremes():
            _, schema, group = self.system.every_group()[group_index]
            for end, left in zip(("low", "high"), outs or (None, None), strict=True):
                metric = f"{rate}_leave_one_out_{end}"
                where = at if left is None else {**at, "line": float(lines[left.subject])}
                yield make_estimate(
                    self.system.provider, metric, where, None if left is None else left.rate,
                    None if left is None else (left.errors, left.trials),
                    NOT_ALONE if left is None else None, schema=schema, group=group, weighting=weighting,
                )  # fmt: skip

    def _extremes(
        self,
    ) -> Iterator[tuple[AtKey, Weighting, str, int, tuple[LeaveOneOut, LeaveOneOut] | None]]:
        for at, weighting, threshold, grouped in self._points():
            for group_index in range(len(self.system.every_group())) if grouped else (0,):
                for rate, parts in (
                    ("fmr", self._non_mated(threshold, group_index, weighting)),
                    ("fnmr", self._mated(threshold, group_index, weighting)),
                ):
                    yield at, weighting, rate, group_index, influence.leave_one_out(parts)

    def _non_mated(self, threshold: float, group_index: int, weighting: Weighting) -> Parts:
        rule = self.system.rule
        row, scope = self._row(threshold)[0], int(rule.spread.scope_of[group_index])
        inside = rule.spread.member[group_index]
        errors = np.where(inside, rule.non_mated.subject_errors[row, scope], 0)
        trials = np.where(inside, rule.spread.comparisons[scope], 0)
        pooled = weighting is Weighting.POOLED
        shares = np.where(inside, rule.non_mated.subject_far[row, scope], 0.0)
        blocks = np.where(inside, rule.spread.partners[scope], 0)
        sums = rule.non_mated
        return Parts(
            errors=errors,
            trials=trials,
            count=errors.astype(np.float64) if pooled else shares,
            weight=(trials if pooled else blocks).astype(np.float64),
            all_errors=int(sums.errors[row, group_index]),
            all_trials=int(rule.spread.trials[group_index]),
            all_count=float(sums.errors[row, group_index] if pooled else sums.far_sum[row, group_index]),
            all_weight=float((rule.spread.trials if pooled else rule.spread.pairs)[group_index]),
        )

    def _mated(self, threshold: float, group_index: int, weighting: Weighting) -> Parts:
        rule = self.system.rule
        inside = rule.spread.member[group_index]
        errors = np.where(inside, rule.mated.subject_errors[self._row(threshold)[1]], 0)
        trials = np.where(inside, rule.mated.subject_pairs, 0)
        count, weight = errors.astype(np.float64), trials.astype(np.float64)
        if weighting is Weighting.IDENTITY:
            count = np.divide(count, weight, out=np.zeros(count.shape), where=weight > 0)
            weight = (trials > 0).astype(np.float64)
        return Parts(
            errors=errors,
            trials=trials,
            count=count,
            weight=weight,
            all_errors=int(errors.sum()),
            all_trials=int(trials.sum()),
            all_count=float(count.sum()),
            all_weight=float(weight.sum()),
        )

    def _named(self) -> list[int]:
        """Subjects that the list names, in the cohort's order: those that an extreme goes without, and the worst."""
        named = {leave_one_out.subject for *_, outs in self._extremes() for leave_one_out in outs or ()}
        rule = self.system.rule
        for _, _, threshold, _ in self._points():
            errors = rule.non_mated.subject_errors[self._row(threshold)[0], 0]
            named |= set(
                influence.worst_subjects(errors, rule.spread.comparisons[0], self.worst_share).tolist()
            )
        return sorted(named)

    def files(self) -> Mapping[str, bytes]:
        """The subjects that estimates point at by line, with their counts at the declared targets."""
        rule, provider = self.system.rule, self.system.provider
        points = self._declared(self.system.spec.weighting)
        columns = ["line", "subject", "samples", "mated_comparisons", "non_mated_comparisons"]
        for at, _ in points:
            columns += [f"false_matches_at_fmr_{at:g}", f"false_non_matches_at_fmr_{at:g}"]
        rows = []
        for line, k in enumerate(self._named(), 1):
            counts = int(self.system.tail.n_samples[k]), int(rule.mated.subject_pairs[k])
            errors = [
                int(part)
                for _, threshold in points
                for part in (
                    rule.non_mated.subject_errors[self._row(threshold)[0], 0, k],
                    rule.mated.subject_errors[self._row(threshold)[1], k],
                )
            ]
            of = self.system.cohort.subject_ids[k]
            rows.append((line, of, *counts, int(rule.spread.comparisons[0, k]), *errors))
        return {f"{NAME}/{file_name(provider)}/subjects.csv": as_csv(columns, rows)}

    def _declared(self, weighting: Weighting) -> list[tuple[float, float]]:
        """Declared targets with a threshold, and that."""
        points = self._points()
        return [(float(at["fmr"]), t) for at, of, t, declared in points if declared and of is weighting]

    def label_errors(self) -> Iterator[Estimate]:
        """Pooled FMR if the top pairs are one person: those comparisons alone, or all of the two people, go."""
        tail, trials = self.system.tail, int(self.system.trials.non_mated[0])
        people = influence.top_people(tail, max(self.label_errors_taken))
        for target, threshold in self._declared(Weighting.POOLED):
            errors = int(self.system.rule.non_mated.errors[self._row(threshold)[0], 0])
            between = influence.errors_between(tail, threshold, people)
            for number in sorted(set(self.label_errors_taken)):
                gone = min(number, trials), min(number, errors)
                yield self._without(target, number, "comparisons", errors - gone[1], trials - gone[0])
                if between is not None:
                    wrong, size = int(between[:number].sum()), int(people.comparisons[:number].sum())
                    yield self._without(target, number, "people", errors - wrong, trials - size)

    def _without(self, target: float, number: int, of: str, errors: int, trials: int) -> Estimate:
        at: AtKey = {"fmr": target, "label_errors": float(number), "of": of}
        value = errors / trials if trials else None
        return make_estimate(
            self.system.provider, "fmr_label_errors", at, value, (errors, trials),
            weighting=Weighting.POOLED,
        )  # fmt: skip

    def review_pairs(self) -> Kept:
        """The top pairs of people, each by its best comparison, for the review file."""
        tail, cohort = self.system.tail, self.system.cohort
        people = influence.top_people(tail, max(self.label_errors_taken))
        pairs, places = {}, {}
        for rank, place in enumerate(people.places.tolist()):
            rows = sorted(int(tail.rows[side[place]]) for side in (tail.tail_i, tail.tail_j))
            samples = [cohort.sample_ids[row] for row in rows]
            subjects = [cohort.subject_ids[int(cohort.subject_of[row])] for row in rows]
            name = pair_id(*samples)
            score, size = float(tail.tail_score[place]), int(people.comparisons[rank])
            pairs[name] = (samples[0], samples[1], subjects[0], subjects[1], rank + 1, score, size)
            places[name] = rank
        trials, errors = int(self.system.trials.non_mated[0]), []
        for target, threshold in self._declared(Weighting.POOLED):
            count = int(self.system.rule.non_mated.errors[self._row(threshold)[0], 0])
            errors.append((target, count, trials, influence.errors_between(tail, threshold, people)))
        return Kept(pairs=pairs, people=places, sizes=people.comparisons, errors=tuple(errors))


def review_rows(by_system: Mapping[str, Kept]) -> list[tuple[object, ...]]:
    """One row for each pair of samples, with its rank in every system that put it there; best score first."""
    ranks: dict[str, list[str]] = {}
    best: dict[str, tuple[str, str, str, str, int, float, int]] = {}
    for provider, state in by_system.items():
        for pair, row in state.pairs.items():
            ranks.setdefault(pair, []).append(f"{provider}: {row[4]}")
            if pair not in best or row[4] < best[pair][4]:
                best[pair] = row
    order = sorted(best, key=lambda pair: (best[pair][4], pair))
    return [
        (pair, *best[pair][:4], "; ".join(ranks[pair]), f"{best[pair][5]:.9g}", best[pair][6], "")
        for pair in order
    ]


def reviewed(provider: str, state: Kept, review: Mapping[str, str], wrong: set[str]) -> Iterator[Estimate]:
    """How many of its pairs a reviewer called one person, and pooled FMR without all comparisons of those two."""
    pairs = [pair for pair in state.pairs if pair in review]
    people = [state.people[pair] for pair in pairs if pair in wrong]
    value = len(people) / len(pairs) if pairs else None
    yield make_estimate(
        provider, "reviewed_label_errors", {}, value, (len(people), len(pairs)),
        None if pairs else "no pair of this system was reviewed",
    )  # fmt: skip
    for target, errors, trials, between in state.errors:
        if between is None:
            continue
        rest = errors - int(between[people].sum()), trials - int(state.sizes[people].sum())
        at: AtKey = {"fmr": target}
        yield make_estimate(
            provider, "fmr_reviewed", at, rest[0] / rest[1] if rest[1] else None, rest,
            weighting=Weighting.POOLED,
        )  # fmt: skip
