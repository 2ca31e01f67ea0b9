"""What holds of a test set, checked on its pairs alone: nothing that made the set is asked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from frtaudit.core import CohortData, Comparisons
from frtaudit.core.arrays import Flags, Floats, Ints, Texts
from frtaudit.core.spec import FoldSource
from frtaudit.datasets.pair_rules import Rules, Trait
from frtaudit.inputs.review import as_csv
from frtaudit.stats.folds.fold_assignment import leaking


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """``satisfied`` of ``total`` cases (``of`` what) keep ``rule``; ``worst``: the case nearest to breaking it."""

    rule: str
    satisfied: int
    total: int
    of: str
    worst: str

    @property
    def holds(self) -> bool:
        """Whether every case keeps the rule."""
        return self.satisfied == self.total


def certify(
    cohort_data: CohortData,
    pairs: Comparisons,
    rules: Rules | None,
    *,
    per_image: int | None = None,
    per_subject: int | None = None,
    constructed: FoldSource | None = None,
    stratify: str | None = None,
) -> list[Claim]:
    """Every claim that can be made of listed pairs: of any list, and of one that ``rules`` made.

    ``per_image``, ``per_subject``: the most mated or non-mated pairs of an image, the most mated pairs of a subject;
    ``constructed``: how folds were, where the list does not give them. Disjoint ones are balanced to the mated pairs of
    one subject, within each class of the schema ``stratify`` where that is named; strict ones need not be.
    """
    low, high = np.minimum(pairs.probe, pairs.reference), np.maximum(pairs.probe, pairs.reference)
    key = low.astype(np.int64) * cohort_data.cohort.n_samples + high
    _, where, counts = np.unique(key, return_inverse=True, return_counts=True)
    claims = [_claim("each pair stands once", counts[where] == 1, "pairs")]
    claims += _of_images(pairs, rules.per_image if rules else per_image)
    if per_subject is not None:
        per_person = np.bincount(cohort_data.cohort.subject_of[pairs.probe[pairs.mated]])
        per_person = per_person[per_person > 0]
        rule = f"each subject in at most {per_subject} mated pairs"
        worst = f"one has {int(per_person.max(initial=0))}"
        claims.append(_claim(rule, per_person <= per_subject, "subjects", worst))
    if pairs.fold is not None and pairs.n_listed:
        fold = pairs.fold.astype(np.int64)
        claims += _of_folds(cohort_data, pairs, fold)
        if constructed is FoldSource.STRICT:
            claims.append(_of_strict(pairs, fold))
        elif constructed is not None:
            claims += _of_constructed(cohort_data, pairs, fold, stratify)
        else:
            claims += _of_equal(pairs, fold)
    if rules is not None:
        claims += [
            *_of_traits(cohort_data, pairs, rules),
            *_of_bounds(cohort_data, pairs, rules),
            *_of_groups(cohort_data, pairs, rules),
        ]
    return claims


def certificate(claims: Iterable[Claim]) -> bytes:
    """Claims as CSV, to lie beside the list that they are of."""
    rows = [(claim.rule, claim.satisfied, claim.total, claim.of, claim.worst) for claim in claims]
    return as_csv(("rule", "satisfied", "total", "of", "worst"), rows)


def _claim(rule: str, keeps: Flags, of: str, worst: str = "") -> Claim:
    return Claim(rule=rule, satisfied=int(np.count_nonzero(keeps)), total=int(keeps.size), of=of, worst=worst)


def _of_images(pairs: Comparisons, most: int | None) -> Iterator[Claim]:
    for kind, of in (("mated", pairs.mated), ("non-mated", ~pairs.mated)):
        counts = np.bincount(np.concatenate([pairs.probe[of], pairs.reference[of]]))
        counts = counts[counts > 0]
        if most is not None and counts.size:
            worst = f"one stands in {int(counts.max())}"
            yield _claim(f"each image in at most {most} {kind} pairs", counts <= most, "images", worst)


def _of_folds(cohort_data: CohortData, pairs: Comparisons, fold: Ints) -> Iterator[Claim]:
    """No identity in two folds: by mated pairs; by all pairs too where no subject has any pair in two."""
    subject = cohort_data.cohort.subject_of.astype(np.int64)
    ends = subject[pairs.probe], subject[pairs.reference]
    leaks, of_any = leaking(*ends, pairs.mated, fold)
    people, everybody = np.unique(ends[0][pairs.mated]).size, np.unique(np.concatenate(ends)).size
    text = f"{leaks} in several" if not of_any else f"{leaks} in several; {of_any} with non-mated pairs"
    yield _claim("mated pairs of a subject in one fold", np.arange(people) >= leaks, "subjects", text)
    if not of_any:
        yield _claim("all pairs of a subject in one fold", np.ones(everybody, dtype=bool), "subjects")


def _of_equal(pairs: Comparisons, fold: Ints) -> Iterator[Claim]:
    for kind, of in (("mated", pairs.mated), ("non-mated", ~pairs.mated)):
        sizes = np.bincount(fold[of], minlength=int(fold.max()) + 1)
        text = f"{int(sizes.min())} to {int(sizes.max())} pairs"
        yield _claim(f"as many {kind} pairs in every fold", sizes == sizes.max(), "folds", text)


def _of_constructed(
    cohort_data: CohortData, pairs: Comparisons, fold: Ints, stratify: str | None
) -> Iterator[Claim]:
    """Sizes of folds that hold whole subjects: to the mated pairs of one subject, to one non-mated pair."""
    k, cohort = int(fold.max()) + 1, cohort_data.cohort
    subject = cohort.subject_of[pairs.probe[pairs.mated]]
    schema = cohort.classifications.get(stratify) if stratify is not None else None
    code = np.zeros(cohort.n_subjects, dtype=np.int64) if schema is None else schema.codes + 1
    of = code[subject]
    sizes = np.zeros((int(code.max()) + 1, k), dtype=np.int64)
    np.add.at(sizes, (of, fold[pairs.mated]), 1)
    largest = np.array([np.bincount(subject[of == n]).max(initial=0) for n in range(len(sizes))])
    balanced = (sizes.max(axis=1) - sizes.T <= largest).T[sizes.sum(axis=1) > 0].ravel()
    text = f"{int(sizes.sum(axis=0).min())} to {int(sizes.sum(axis=0).max())} pairs in a fold"
    rule = "mated pairs of two folds differ by at most those of one subject"
    if schema is not None:
        rule += f", in each class of {stratify}"
    yield _claim(rule, balanced, "folds" if schema is None else "folds, by class", text)
    sizes = np.bincount(fold[~pairs.mated], minlength=k)
    text = f"{int(sizes.min())} to {int(sizes.max())} pairs"
    yield _claim(
        "non-mated pairs of two folds differ by at most one", sizes >= sizes.max() - 1, "folds", text
    )


def _of_strict(pairs: Comparisons, fold: Ints) -> Claim:
    """Strict folds drop pairs across folds, so that their sizes differ; accuracy needs both kinds in each."""
    k = int(fold.max()) + 1
    sizes = [np.bincount(fold[of], minlength=k) for of in (pairs.mated, ~pairs.mated)]
    mated, other = (f"{int(size.min())} to {int(size.max())}" for size in sizes)
    both = (sizes[0] > 0) & (sizes[1] > 0)
    return _claim(
        "pairs of both kinds in every fold", both, "folds", f"{mated} mated, {other} non-mated pairs"
    )


def _number(cohort_data: CohortData, column: str) -> Floats:
    return np.array([float(text) if text else np.nan for text in cohort_data.attributes[column]])


def _of_traits(cohort_data: CohortData, pairs: Comparisons, rules: Rules) -> Iterator[Claim]:
    """Confidence, tails and values of the images that stand in the set."""
    used = np.unique(np.concatenate([pairs.probe, pairs.reference]))
    for name in dict.fromkeys([*rules.only, rules.trait]):
        trait = rules.traits[name]
        if trait.confidence is not None:
            seen = _number(cohort_data, trait.confidence)[used]
            rule = f"{trait.confidence} at least {trait.at_least:g}"
            yield _claim(rule, seen >= trait.at_least, "images", f"least {seen.min():g}")
    for name, value in rules.only.items():
        if rules.traits[name].tail is None:
            texts = cohort_data.attributes[rules.traits[name].column][used]
            yield _claim(f"{name} is {value}", texts == value, "images")
    trait = rules.traits[rules.trait]
    word = _words(cohort_data, trait, rules)
    ends = word[pairs.probe], word[pairs.reference]
    a, b = rules.mated_values
    mated = ((ends[0] == a) & (ends[1] == b)) | ((ends[0] == b) & (ends[1] == a))
    yield _claim(f"mated pairs of {a} with {b}", mated[pairs.mated], "pairs")
    mixed = np.zeros(pairs.n_listed, dtype=bool)
    for a, b in rules.non_mated_values:
        mixed |= ((ends[0] == a) & (ends[1] == b)) | ((ends[0] == b) & (ends[1] == a))
    text = " or ".join(f"{a} with {b}" for a, b in rules.non_mated_values)
    yield _claim(f"non-mated pairs of {text}", mixed[~pairs.mated], "pairs")


def _words(cohort_data: CohortData, trait: Trait, rules: Rules) -> Texts:
    """The value of each image; of a number: low and high where at most the tail's share of its group lies beyond it."""
    if trait.tail is None and not trait.tails:
        return cohort_data.attributes[trait.column]
    number = _number(cohort_data, trait.column)
    among = np.isfinite(number)
    templates = cohort_data.templates[rules.matcher]()
    among &= np.isin(np.arange(number.size), templates.rows)
    for name, value in rules.only.items():
        only = rules.traits[name]
        among &= cohort_data.attributes[only.column] == value
        if only.confidence is not None:
            among &= _number(cohort_data, only.confidence) >= only.at_least
    if trait.confidence is not None:
        among &= _number(cohort_data, trait.confidence) >= trait.at_least
    words = np.full(number.size, "", dtype=object)
    for name, group in _groups(cohort_data, rules).items():
        inside = np.flatnonzero(group & among)
        share = trait.tails.get(name, trait.tail)
        if share is None:
            continue
        for sample in inside.tolist():
            below = np.count_nonzero(number[inside] < number[sample]) / max(inside.size - 1, 1)
            above = np.count_nonzero(number[inside] > number[sample]) / max(inside.size - 1, 1)
            words[sample] = "low" if below <= share / 100 else "high" if above <= share / 100 else ""
    return words


def _groups(cohort_data: CohortData, rules: Rules) -> dict[str, Flags]:
    """Group to which samples are in it, shape (N,)."""
    if rules.balance is None:
        return {"all": np.ones(cohort_data.cohort.n_samples, dtype=bool)}
    schema = cohort_data.cohort.classifications[rules.balance]
    code = schema.codes[cohort_data.cohort.subject_of]
    return {name: code == place for place, name in enumerate(schema.classes)}


def _of_bounds(cohort_data: CohortData, pairs: Comparisons, rules: Rules) -> Iterator[Claim]:
    """Scores and ages of the pairs."""
    templates = cohort_data.templates[rules.matcher]()
    row = {int(sample): n for n, sample in enumerate(templates.rows)}
    vectors = templates.vectors.astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    probe_rows, other = ([row[int(sample)] for sample in side] for side in (pairs.probe, pairs.reference))
    score = np.sum(vectors[probe_rows] * vectors[other], axis=1)
    slack = 1e-6  # rules compare float32 scores
    mated, rest = score[pairs.mated], score[~pairs.mated]
    low, high = rules.lowest_mated, rules.highest_non_mated
    yield _claim(f"mated score at least {low:g}", mated >= low - slack, "pairs", f"least {mated.min():.4f}")
    yield _claim(
        f"non-mated score at most {high:g}", rest <= high + slack, "pairs", f"largest {rest.max():.4f}"
    )
    if rules.age is not None:
        age = _number(cohort_data, rules.age)
        gap = np.abs(age[pairs.probe] - age[pairs.reference])[pairs.mated]
        rule = f"{rules.age} of mated pairs at most {rules.age_gap:g} apart"
        yield _claim(rule, gap <= rules.age_gap, "pairs", f"largest {gap.max():g}")


def _of_groups(cohort_data: CohortData, pairs: Comparisons, rules: Rules) -> Iterator[Claim]:
    """Equal numbers of each group, non-mated pairs within one."""
    inside = [flags[pairs.probe] & flags[pairs.reference] for flags in _groups(cohort_data, rules).values()]
    yield _claim("both samples of one group", np.any(inside, axis=0), "pairs")
    for kind, of in (("mated", pairs.mated), ("non-mated", ~pairs.mated)):
        counts = np.array([int(np.count_nonzero(flags & of)) for flags in inside])
        text = f"{int(counts.min())} to {int(counts.max())} pairs"
        yield _claim(f"as many {kind} pairs of every group", counts == counts.max(), "groups", text)
