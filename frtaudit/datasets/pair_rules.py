"""The rules that make a test set from a cohort whose images have attributes (004, section 4).

They say which images may stand (confidence of an attribute, tails of a number within each group), which pairs (values
of an attribute, bounds on the score, age), how often (caps), how many (equal numbers for each group and fold), and in
which order they are taken; what each of them means for a cohort, and what a set is without one of them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from frtaudit.errors import DataError, SpecError, column_names

if TYPE_CHECKING:
    from frtaudit.core.arrays import Flags, Floats, Ints, Singles, Texts
    from frtaudit.core.cohort import Cohort, CohortData
    from frtaudit.stats.folds.selection import Limits

LOW, HIGH = "low", "high"
MATED, NON_MATED = "mated", "non_mated"
EVERYBODY = "all"
SHOWN = 12  # values that an error names


class Order(Enum):
    """Which of the pairs that keep the rules are taken first."""

    HARDEST = "hardest"
    RANDOM = "random"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """An attribute of images: the values of ``column``, or the tails of its numbers.

    ``confidence``: a column; below ``at_least`` an image has no value. ``tail``: percent of each group's images in each
    tail, which are then called low and high; ``tails``: the same for single groups.
    """

    column: str
    confidence: str | None = None
    at_least: float = 0.9
    tail: float | None = None
    tails: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What makes a test set; see the module.

    ``matcher``: the provider whose scores bound and order pairs; ``trait``: the one of ``traits`` that pairs are made
    of; ``mated_values``: one image has the first, the other the second; ``non_mated_values``: mixes, taken in equal
    numbers; ``only``: trait to the value that all images must have. ``balance``: a schema whose classes get equal
    numbers; non-mated pairs lie within a class. ``lowest_mated``, ``highest_non_mated``: bounds against wrong labels.
    ``age``: a column of years; mated pairs lie at most ``age_gap`` apart. ``per_image``: mated, and non-mated, pairs
    of one image.
    """

    matcher: str
    trait: str
    mated_values: tuple[str, str]
    non_mated_values: tuple[tuple[str, str], ...]
    traits: Mapping[str, Trait]
    mated: int = 3000
    non_mated: int = 3000
    only: Mapping[str, str] = field(default_factory=dict)
    balance: str | None = None
    lowest_mated: float = 0.3
    highest_non_mated: float = 0.7
    age: str | None = None
    age_gap: float = 5.0
    per_image: int | None = 3
    per_subject: int | None = None
    order: Order = Order.HARDEST
    k: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleInputs:
    """What rules are applied to: ``vectors`` (N, D) float32, unit, zero where there is no template; ``group`` (N,)."""

    cohort_data: "CohortData"
    vectors: "Singles"
    has: "Flags"
    subject: "Ints"
    names: tuple[str, ...]
    group: "Ints"


def check(rules: Rules) -> None:
    """Refuse rules that contradict each other, whatever the data."""
    for name in (rules.trait, *rules.only):
        if name not in rules.traits:
            accepted = ", ".join(rules.traits) or "a trait"
            raise SpecError("rules.traits", f"no trait is named {name!r}", accepted)
    if not rules.non_mated_values:
        raise SpecError("rules.non_mated_values", "names nothing", "[[value, value], ...]")
    if rules.mated < 1 or rules.non_mated < 1:
        raise SpecError("rules", f"{rules.mated} mated pairs, {rules.non_mated} non-mated ones", "1 or more")
    if rules.k < 2 or (rules.per_image or 1) < 1 or (rules.per_subject or 1) < 1:
        raise SpecError("rules", "k below 2, or a cap below 1", "k of 2 or more, caps of 1 or more")
    if not -1 <= rules.lowest_mated <= 1 or not -1 <= rules.highest_non_mated <= 1:
        raise SpecError("rules", "a score bound outside [-1, 1]", "cosines")
    for name, trait in rules.traits.items():
        for tail in (*trait.tails.values(), *(() if trait.tail is None else (trait.tail,))):
            if not 0 < tail <= 50:
                raise SpecError(f"rules.traits.{name}.tail", f"found {tail:g}", "percent above 0, at most 50")


def check_values(cohort_data: "CohortData", rules: Rules) -> None:
    """Refuse values that no image has: of a column, what stands in it; of a number's tails, low and high."""
    asked = [("mated_values", rules.trait, label) for label in rules.mated_values]
    asked += [("non_mated_values", rules.trait, label) for pair in rules.non_mated_values for label in pair]
    asked += [(f"only.{name}", name, label) for name, label in rules.only.items()]
    for place, name, value in asked:
        trait = rules.traits[name]
        cut = trait.tail is not None or bool(trait.tails)
        known = [LOW, HIGH] if cut else sorted(set(_column(cohort_data, trait.column).tolist()) - {""})
        if value not in known:
            raise DataError(f"rules.{place}", f"no image has {name} {value!r}", ", ".join(known[:SHOWN]))


def inputs_of(cohort_data: "CohortData", rules: Rules) -> RuleInputs:
    """Templates of the matcher by cohort sample, and the group of each sample, -1 = in none."""
    import numpy as np

    from frtaudit.stats.similarity.nearest import unit_rows

    if rules.matcher not in cohort_data.templates:
        known = ", ".join(cohort_data.templates) or "a cohort with templates"
        raise SpecError("rules.matcher", f"the cohort holds no templates named {rules.matcher!r}", known)
    templates = cohort_data.templates[rules.matcher]()
    cohort = cohort_data.cohort
    vectors = np.zeros((cohort.n_samples, templates.vectors.shape[1]), dtype=np.float32)
    vectors[templates.rows] = unit_rows(templates.vectors)
    has = np.zeros(cohort.n_samples, dtype=bool)
    has[templates.rows] = True
    names, groups = groups_of(cohort, rules.balance, "rules.balance")
    group = groups[cohort.subject_of]
    subject = cohort.subject_of.astype(np.int64)
    return RuleInputs(
        cohort_data=cohort_data, vectors=vectors, has=has, subject=subject, names=names, group=group
    )


def groups_of(cohort: "Cohort", schema: str | None, where: str) -> "tuple[tuple[str, ...], Ints]":
    """Names of the classes that pairs are balanced by, and the class of each subject, shape (K,), -1 = in none."""
    import numpy as np

    if schema is None:
        return (EVERYBODY,), np.zeros(cohort.n_subjects, dtype=np.int64)
    if schema not in cohort.classifications:
        known = ", ".join(cohort.classifications) or "a schema in schemas"
        raise SpecError(where, f"no schema is named {schema!r}", known)
    classification = cohort.classifications[schema]
    return classification.classes, classification.codes.astype(np.int64)


def values_of(inputs: RuleInputs, trait: Trait, among: "Flags") -> "Texts":
    """The value of each image under a trait, shape (N,), empty = none; tails are those of the images ``among``."""
    import numpy as np

    texts = _column(inputs.cohort_data, trait.column)
    sure = texts != ""
    if trait.confidence is not None:
        confidence = numbers(inputs.cohort_data, trait.confidence)
        sure &= np.where(np.isnan(confidence), -np.inf, confidence) >= trait.at_least
    if trait.tail is None and not trait.tails:
        return np.where(sure, texts, "")
    number = numbers(inputs.cohort_data, trait.column)
    values = np.full(number.size, "", dtype=object)
    for place, name in enumerate(inputs.names):
        tail = trait.tails.get(name, trait.tail)
        usable = sure & among & (inputs.group == place) & np.isfinite(number)
        if tail is None or not usable.any():
            continue
        low, high = np.percentile(number[usable], [tail, 100 - tail])
        values[usable & (number >= high)] = HIGH
        values[usable & (number <= low)] = LOW
    return values


def numbers(cohort_data: "CohortData", column: str) -> "Floats":
    """A column as numbers, shape (N,), NaN where it is empty; :class:`DataError` where a text is none."""
    import numpy as np

    texts = _column(cohort_data, column)
    try:
        return np.array([math.nan if text == "" else float(text) for text in texts])
    except ValueError:
        raise DataError(f"column {column}", "a value is not a number", "numbers, or nothing") from None


def _column(cohort_data: "CohortData", column: str) -> "Texts":
    if column not in cohort_data.attributes:
        known = column_names(sorted(cohort_data.attributes)) or "a cohort with attributes"
        raise DataError("rules.traits", f"the cohort has no column {column!r}", known)
    return cohort_data.attributes[column]


def allowed(inputs: RuleInputs, rules: Rules) -> "Flags":
    """Which images may stand: those with a template, a group, and every value that all images must have."""
    known = inputs.has & (inputs.group >= 0)
    keep = known.copy()
    for name, value in rules.only.items():
        keep &= values_of(inputs, rules.traits[name], known) == value
    return keep


def mixes(rules: Rules, kind: str) -> tuple[tuple[str, str], ...]:
    """The pairs of values of one kind."""
    return (rules.mated_values,) if kind == MATED else rules.non_mated_values


def limits_of(inputs: RuleInputs, rules: Rules, kind: str) -> "Limits":
    """Wanted pairs of each stratum; :class:`SpecError` where numbers do not divide into groups, mixes and folds."""
    from frtaudit.stats.folds.selection import Limits

    wanted = rules.mated if kind == MATED else rules.non_mated
    strata = len(inputs.names) * len(mixes(rules, kind))
    if wanted % (strata * rules.k):
        parts = f"{len(inputs.names)} groups, {len(mixes(rules, kind))} mixes and {rules.k} folds"
        problem = f"{wanted} pairs do not divide into {parts}"
        raise SpecError(f"rules.{kind}", problem, f"a multiple of {strata * rules.k}")
    each = (wanted // strata,) * strata
    per_subject = rules.per_subject if kind == MATED else None
    return Limits(wanted=each, k=rules.k, per_image=rules.per_image, per_subject=per_subject)


def relaxed(rules: Rules, kind: str, dropped: frozenset[str]) -> Iterator[tuple[str, Rules, frozenset[str]]]:
    """The rules without one of them each, and what is left out is called."""
    none = frozenset[str]()
    if kind == MATED:
        yield f"score at least {rules.lowest_mated:g}", replace(rules, lowest_mated=-1.0), dropped
        if rules.age is not None:
            yield f"age gap at most {rules.age_gap:g}", replace(rules, age_gap=math.inf), dropped
        if rules.per_subject is not None:
            yield f"at most {rules.per_subject} pairs of a subject", replace(rules, per_subject=None), dropped
    else:
        yield f"score at most {rules.highest_non_mated:g}", replace(rules, highest_non_mated=1.0), dropped
    if rules.per_image is not None:
        yield f"at most {rules.per_image} pairs of an image", replace(rules, per_image=None), dropped
    yield f"{rules.k} identity-disjoint folds of equal size", replace(rules, k=1), dropped
    for name, trait in rules.traits.items():
        if trait.confidence is not None:
            weaker = dict(rules.traits) | {name: replace(trait, at_least=-math.inf)}
            yield f"{trait.confidence} at least {trait.at_least:g}", replace(rules, traits=weaker), dropped
        if trait.tail is not None or trait.tails:
            weaker = dict(rules.traits) | {name: replace(trait, tail=50.0, tails={})}
            yield f"tails of {trait.column}", replace(rules, traits=weaker), dropped
    if dropped:
        yield "review", rules, none
