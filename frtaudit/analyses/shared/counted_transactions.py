"""Which transactions of a system count: recorded or composed, of enrolled people, in time, in one direction or both."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Index, Ints
from frtaudit.core.transactions import Transactions
from frtaudit.evaluation.system import SystemData
from frtaudit.inputs.score_lists.attempts import ENROLLED, is_enrolled
from frtaudit.stats.similarity.transactions import best_scores, composed, in_one_direction, in_time


def untimed(transactions: Transactions) -> bool:
    """Whether an attempt has a score and no time."""
    return transactions.seconds is None or bool(
        np.any(np.isnan(transactions.seconds) & ~np.isnan(transactions.score))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedTransactions:
    """The transactions of one system that count.

    ``tested``, ``enrolled`` (K,): who takes part, and of them who was enrolled, or None where nothing says it;
    ``facts``: what was left out, or counted by declaration, in words.
    """

    transactions: Transactions
    tested: Flags
    enrolled: Flags | None
    facts: tuple[str, ...]

    @classmethod
    def of(cls, system: SystemData, timeout: float | None, *, ordered: bool) -> "CountedTransactions":
        """Of those that were recorded, else of those that the protocol composes."""
        recorded = system.cohort_data.transactions
        if recorded:
            transactions, enrolled = recorded[system.provider], _said(system)
            tested = np.ones(system.cohort.n_subjects, dtype=np.bool_)
        else:
            transactions = composed(system.comparisons, system.attempts, system.cohort.subject_of)
            scored = ~np.isnan(transactions.score).all(axis=1)
            tested = _claimed(system, transactions.claimed)
            enrolled = _claimed(system, transactions.claimed[scored])
            transactions = transactions.at_rows(enrolled[transactions.claimed])
        once = in_one_direction(transactions)
        facts = [*_of_directions(transactions.made.size - once.made.size, ordered=ordered)]
        transactions = transactions if ordered else once
        if timeout is not None:
            timely = in_time(transactions, timeout)
            late = int((np.isnan(timely.score) & ~np.isnan(transactions.score)).sum())
            if late:
                facts.append(
                    f"{late} scored attempts ended after the time-out of {timeout:g} s and do not count"
                )
            transactions = timely
        return cls(transactions=transactions, tested=tested, enrolled=enrolled, facts=tuple(facts))

    def not_enrolled(self, system: SystemData, group_index: int) -> Ints | None:
        """Failures to enrol of each person of a group, shape (K_g,); None where nothing says who was enrolled."""
        if self.enrolled is None:
            return None
        inside = self.tested.copy()
        if group_index:
            inside &= (system.groups.of == group_index - 1).any(axis=0)
        return (~self.enrolled[inside]).astype(np.int64)

    def notes(self, provider: str, k: int) -> Iterator[str]:
        """What was rejected because it has no scores, what ended early, and what was left out."""
        transactions = self.transactions
        lost = int(np.isnan(best_scores(transactions.score, k)).sum())
        early = int((transactions.made < k).sum())
        total = transactions.made.size
        if lost:
            yield (
                f"{provider}: {lost} of {total} transactions have no score in their first {k} attempts: failures to "
                "acquire, counted as rejected"
            )
        if early:
            yield (
                f"{provider}: {early} of {total} transactions hold fewer than {k} attempts: at a threshold that their "
                "scores do not pass they count as rejected, so that FAR is too low there and FRR too high if they were "
                "ended by an acceptance"
            )
        yield from (f"{provider}: {fact}" for fact in self.facts)


def _claimed(system: SystemData, claimed: Index) -> Flags:
    """Whether each subject is among those ``claimed``, shape (K,): enrolled is who is scored against by anybody."""
    return np.isin(np.arange(system.cohort.n_subjects), claimed)


def _of_directions(left_out: int, *, ordered: bool) -> Iterator[str]:
    if left_out and ordered:
        yield (
            f"of subjects who claim each other's identity both directions count, {left_out} impostor transactions more "
            "than in one: the algorithm is declared to be asymmetric"
        )
    elif left_out:
        yield (
            f"{left_out} impostor transactions are left out: of two subjects who claim each other's identity one "
            "direction counts, unless analyses.transactions.ordered=true declares that the algorithm is asymmetric"
        )


def _said(system: SystemData) -> Flags | None:
    """Whether each subject was enrolled, shape (K,); None where the cohort does not say."""
    texts = system.cohort_data.attributes.get(ENROLLED)
    if texts is None:
        return None
    first = np.searchsorted(system.cohort.subject_of, np.arange(system.cohort.n_subjects))
    return np.array([is_enrolled(text) == 1 for text in texts[first].tolist()], dtype=np.bool_)
