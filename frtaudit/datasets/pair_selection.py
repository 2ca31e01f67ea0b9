"""The search for pairs that keep declared rules: candidates, review, choice, and which rule binds (004, section 4)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import CohortData, Comparisons, Step
from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.freeze import FrozenRows
from frtaudit.datasets.pair_rules import (
    EVERYBODY,
    MATED,
    NON_MATED,
    Order,
    RuleInputs,
    Rules,
    allowed,
    check,
    check_values,
    inputs_of,
    limits_of,
    mixes,
    numbers,
    relaxed,
    values_of,
)
from frtaudit.errors import DataError
from frtaudit.inputs.pairing import listed_comparisons
from frtaudit.inputs.review import pair_id, read_review
from frtaudit.stats.folds.selection import Candidates, choose, shortfall
from frtaudit.stats.similarity.pairs import drawn_pairs, mated_pairs, most_alike, scores_of

KEEP, REASONS = "keep", ("identity_noise", "wrong_attribute", "other")
VERDICTS = (KEEP, *REASONS)
IMAGES = "images"
LAST_LOOK = 320
FIRST_LOOK = 20  # candidates looked at for each wanted non-mated pair; more where those do not do


def curate(cohort_data: CohortData, rules: Rules, reviewed: str | None = None) -> Comparisons:
    """The pairs that the rules make, mated first, with folds and with what each rule left.

    Raises :class:`SpecError` for rules that contradict each other, :class:`DataError` where a rule leaves too few,
    naming the rule that binds, and for a review file with unknown pairs.
    """
    check(rules)
    inputs = inputs_of(cohort_data, rules)
    check_values(cohort_data, rules)
    dropped = frozenset[str]() if reviewed is None else _dropped(inputs, rules, reviewed)
    parts, steps = [], list(_image_steps(inputs, rules))
    for kind in (MATED, NON_MATED):
        pairs = _make(inputs, rules, kind, dropped)
        if any(pairs.missing):
            raise _too_few(inputs, rules, kind, dropped, pairs)
        parts.append(pairs)
        steps += pairs.steps
    first, second, fold = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "second", "fold")
    )
    comparisons = listed_comparisons(
        cohort_data.cohort, first.astype(np.int32), second.astype(np.int32), fold=fold.astype(np.int16)
    )
    return replace(comparisons, steps=tuple(steps))


def _dropped(inputs: RuleInputs, rules: Rules, reviewed: str) -> frozenset[str]:
    """Pairs that a reviewer dropped; every pair of the file must keep the rules, so that it was selected once."""
    look = FIRST_LOOK
    while True:
        lists = [_listed(inputs, rules, kind, look) for kind in (MATED, NON_MATED)]
        known = frozenset(name for pairs in lists for name in _ids(inputs.cohort_data, pairs))
        try:
            review = read_review(reviewed, known, VERDICTS)
        except DataError:
            if all(pairs.whole for pairs in lists) or look >= LAST_LOOK:
                raise
            look *= 4
            continue
        return frozenset(pair for pair, verdict in review.items() if verdict != KEEP)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """The chosen pairs of one kind, what each rule left, and what is missing in each stratum (group by mix)."""

    first: Ints
    second: Ints
    fold: Ints
    steps: tuple[Step, ...]
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _List(FrozenRows):
    """Candidates of one kind in order, what rules left before them, and whether all that keep the rules are in it."""

    first: Ints
    second: Ints
    stratum: Ints
    steps: tuple[Step, ...]
    whole: bool


def _make(inputs: RuleInputs, rules: Rules, kind: str, dropped: frozenset[str]) -> _Made:
    """Choose among candidates; look at more of them while some are missing and there are more."""
    look = FIRST_LOOK
    while True:
        listed = _listed(inputs, rules, kind, look)
        pool = _unreviewed(inputs, listed, dropped)
        limits = limits_of(inputs, rules, kind)
        subject = inputs.subject[pool.first] if kind == MATED else np.full_like(pool.first, -1)
        pairs = Candidates(first=pool.first, second=pool.second, stratum=pool.stratum, subject=subject)
        chosen = choose(pairs, limits)
        missing = shortfall(pairs, chosen, limits)
        if not any(missing) or listed.whole:
            break
        look *= 4
    first, second = pool.first[chosen.at], pool.second[chosen.at]
    last = f"at most {rules.per_image} pairs of an image, equal folds, {rules.order.value} first"
    steps = (*pool.steps, *_steps(inputs, last, kind, first))
    return _Made(first=first, second=second, fold=chosen.fold, steps=steps, missing=missing)


def _unreviewed(inputs: RuleInputs, listed: _List, dropped: frozenset[str]) -> _List:
    """Without the pairs that a reviewer dropped."""
    if not dropped:
        return listed
    keep = np.array([name not in dropped for name in _ids(inputs.cohort_data, listed)], dtype=bool)
    group = inputs.group[listed.first[~keep]]
    before = {step.group: step.left for step in listed.steps}
    kind, lost = listed.steps[-1].kind, np.bincount(group, minlength=len(inputs.names)).tolist()
    reviewed = [
        Step(rule="review", kind=kind, group=name, left=before[name] - count)
        for name, count in zip(inputs.names, lost, strict=True)
    ]
    return replace(listed.at_rows(keep), steps=(*listed.steps, *reviewed))


def _ids(cohort_data: CohortData, listed: _List) -> list[str]:
    names = cohort_data.cohort.sample_ids
    ends = zip(listed.first.tolist(), listed.second.tolist(), strict=True)
    return [pair_id(names[a], names[b]) for a, b in ends]


def _listed(inputs: RuleInputs, rules: Rules, kind: str, look: int = FIRST_LOOK) -> _List:
    return _mated(inputs, rules) if kind == MATED else _non_mated(inputs, rules, look)


def _mated(inputs: RuleInputs, rules: Rules) -> _List:
    """Every mated pair that keeps the rules, in order."""
    first, second = (side.astype(np.int64) for side in mated_pairs(inputs.cohort_data.cohort.subject_of))
    may = allowed(inputs, rules)
    value = values_of(inputs, rules.traits[rules.trait], may)
    label, other = rules.mated_values
    keep = may[first] & may[second]
    one_way = (value[first] == label) & (value[second] == other)
    keep &= one_way | ((value[first] == other) & (value[second] == label))
    first, second = first[keep], second[keep]
    steps = list(_steps(inputs, f"values {label}, {other}", MATED, first))
    score = scores_of(inputs.vectors, first, second)
    keep = score >= rules.lowest_mated
    first, second, score = first[keep], second[keep], score[keep]
    steps += _steps(inputs, f"score at least {rules.lowest_mated:g}", MATED, first)
    if rules.age is not None:
        age = numbers(inputs.cohort_data, rules.age)
        keep = np.abs(age[first] - age[second]) <= rules.age_gap
        first, second, score = first[keep], second[keep], score[keep]
        steps += _steps(inputs, f"age gap at most {rules.age_gap:g}", MATED, first)
    order = _order(inputs, rules, MATED, first, second, score)
    stratum = inputs.group[first]
    return _List(first=first, second=second, stratum=stratum, steps=tuple(steps), whole=True).at_rows(order)


def _non_mated(inputs: RuleInputs, rules: Rules, look: int) -> _List:
    """Non-mated pairs within each group and mix: the most alike, or drawn ones."""
    may = allowed(inputs, rules)
    value = values_of(inputs, rules.traits[rules.trait], may)
    limits = limits_of(inputs, rules, NON_MATED)
    parts, steps, whole = [], [], True
    for place, name in enumerate(inputs.names):
        possible, within = 0, 0
        for number, (a, b) in enumerate(rules.non_mated_values):
            inside = may & (inputs.group == place)
            images, other = (np.flatnonzero(inside & (value == which)) for which in (a, b))
            stratum = place * len(rules.non_mated_values) + number
            most = look * limits.wanted[stratum]
            candidates, count = _strangers(inputs, rules, images, other, most, stratum)
            possible += _possible(inputs.subject, images, other)
            within += count
            whole &= count == candidates[0].size or rules.order is Order.RANDOM
            parts.append((*candidates, np.full(candidates[0].size, stratum)))
        text = " or ".join(f"{a}, {b}" for a, b in rules.non_mated_values)
        steps.append(Step(rule=f"values {text}", kind=NON_MATED, group=name, left=possible))
        rule = f"score at most {rules.highest_non_mated:g}"
        steps.append(Step(rule=rule, kind=NON_MATED, group=name, left=within))
    first, second, score, stratum_of = (np.concatenate(side) for side in zip(*parts, strict=True))
    order = _order(inputs, rules, NON_MATED, first, second, score)
    strata = stratum_of.astype(np.int64)
    return _List(first=first, second=second, stratum=strata, steps=tuple(steps), whole=whole).at_rows(order)


def _strangers(
    inputs: RuleInputs, rules: Rules, images: Ints, other: Ints, most: int, stratum: int
) -> tuple[tuple[Ints, Ints, Floats], int]:
    """Candidates of one group and mix, and how many keep the bound (of the drawn ones, where pairs are drawn)."""
    if rules.order is Order.HARDEST:
        pairs = most_alike(inputs.vectors, inputs.subject, images, other, rules.highest_non_mated, most)
        return (pairs.first, pairs.second, pairs.score), pairs.within
    rng = np.random.default_rng(seed_of(inputs.cohort_data.seed, "curated", f"non_mated {stratum}"))
    first, second = drawn_pairs(inputs.subject, images, other, most, rng)
    score = scores_of(inputs.vectors, first, second)
    keep = score <= rules.highest_non_mated
    return (first[keep], second[keep], score[keep]), int(keep.sum())


def _possible(subject: Ints, images: Ints, other: Ints) -> int:
    """Non-mated pairs of a sample of ``images`` and one of ``other``, each once."""
    size = int(subject.max()) + 1
    a, b = (np.bincount(subject[side], minlength=size) for side in (images, other))
    ordered = int(a.sum()) * int(b.sum()) - int((a * b).sum())
    return ordered // 2 if np.array_equal(images, other) else ordered


def _order(inputs: RuleInputs, rules: Rules, kind: str, first: Ints, second: Ints, score: Floats) -> Ints:
    """Hardest first: the least alike mated, the most alike non-mated pairs, ties by sample; or a random order."""
    if rules.order is Order.RANDOM:
        rng = np.random.default_rng(seed_of(inputs.cohort_data.seed, "curated", "order", kind))
        return rng.permutation(first.size)
    return np.lexsort((second, first, score if kind == MATED else -score))


def _steps(inputs: RuleInputs, rule: str, kind: str, first: Ints) -> Iterator[Step]:
    counts = np.bincount(inputs.group[first], minlength=len(inputs.names)).tolist()
    for name, count in zip(inputs.names, counts, strict=True):
        yield Step(rule=rule, kind=kind, group=name, left=count)


def _image_steps(inputs: RuleInputs, rules: Rules) -> Iterator[Step]:
    """Images of each group before and after the rules on images."""
    may = allowed(inputs, rules)
    value = values_of(inputs, rules.traits[rules.trait], may)
    wanted = sorted({entry for pair in (rules.mated_values, *rules.non_mated_values) for entry in pair})
    trait = rules.traits[rules.trait]
    sure = f", {trait.confidence} at least {trait.at_least:g}" if trait.confidence else ""
    for place, name in enumerate(inputs.names):
        members = inputs.group == place
        yield Step(rule="all", kind=IMAGES, group=name, left=int((members & inputs.has).sum()), unit=IMAGES)
        if rules.only:
            text = ", ".join(f"{trait} {only}" for trait, only in rules.only.items())
            left = int((members & may).sum())
            yield Step(rule=f"only {text}", kind=IMAGES, group=name, left=left, unit=IMAGES)
        for label in wanted:
            left = int((members & may & (value == label)).sum())
            yield Step(rule=f"{rules.trait} {label}{sure}", kind=IMAGES, group=name, left=left, unit=IMAGES)


def _too_few(inputs: RuleInputs, rules: Rules, kind: str, dropped: frozenset[str], pairs: _Made) -> DataError:
    """The error for the stratum that lacks most, naming the rule without which most of it would be found."""
    parts = len(mixes(rules, kind))
    worst = int(np.argmax(pairs.missing))
    lacking = pairs.missing[worst]
    each = limits_of(inputs, rules, kind).wanted[worst]
    name, mix = inputs.names[worst // parts], " with ".join(mixes(rules, kind)[worst % parts])
    gains = []
    for rule, weaker, review in relaxed(rules, kind, dropped):
        left = _make(inputs, weaker, kind, review).missing
        gains.append((lacking - left[worst], rule) if len(left) == len(pairs.missing) else (0, rule))
    gain, binding = max(gains, key=lambda pair: pair[0])
    because = f"the rule that binds is {binding!r}: without it {gain} of them are there"
    if gain <= 0:
        because = "no single rule binds"
    of = "" if name == EVERYBODY else f" of {name}"
    text = f"{lacking} of {each} {kind.replace('_', '-')} pairs ({mix}){of} are missing; {because}"
    most = (each - lacking) // rules.k * rules.k * len(pairs.missing)
    fewer = f"rules.{kind} of {most} or fewer, " if most else ""
    return DataError("curated", text, f"{fewer}weaker rules, or more images")
