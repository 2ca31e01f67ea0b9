"""Cards of test sets: what they hold, what rules made of them, what is certain of them (004, table 3, figure 3)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from frtaudit.analyses.shared.nearest_matches import Overlap
from frtaudit.analyses.shared.pair_files import fold_files, fold_lists, folder, pair_files
from frtaudit.analyses.shared.pair_set_checks import Claim, certificate, certify
from frtaudit.core import UNKNOWN, Comparisons, Estimate
from frtaudit.core.arrays import Index, Ints, Texts
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.core.spec_values import PROTOCOL
from frtaudit.datasets.pair_rules import NON_MATED, Rules, inputs_of
from frtaudit.evaluation.system import AnalysisOutput, FoldPairs, SystemData, on_panel
from frtaudit.inputs.review import as_csv, pair_id
from frtaudit.stats.similarity.pairs import scores_of

NAME = "dataset_card"
MAX_VALUES = 12
REVIEW = ("pair", "kind", "probe", "reference", "group", "score", "verdict")
AtKey = Mapping[str, float | str]
NOWHERE: AtKey = MappingProxyType({})


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetCard:
    """A card of each test set and of a listed protocol: images, identities, most pairs of one image, balance.

    Where rules made a set or it has folds: what each rule left, a certificate, the pairs as CSV and in LFW's layout;
    where a matcher chose them, a file for review. ``attributes``: columns whose values are counted over the identities
    of each set; default those that the rules name. All of it is said once, with the first system.
    """

    attributes: tuple[str, ...] | None = None

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:  # noqa: ARG002  analyses share a signature
        """Cards, steps, certificates and files; of the other systems certificates of lists of their own."""
        first = system.provider == on_panel(system.spec, system.cohort_data)[0]
        estimates: list[Estimate] = []
        files: dict[str, bytes] = {}
        notes: list[str] = []
        for name, (pairs, fold_pairs) in _lists(system).items():
            card = _Card(system=system, name=name, pairs=pairs, fold_pairs=fold_pairs)
            files |= card.certificates(every=first)
            if not first:
                continue
            estimates += card.estimates(self.attributes)
            files |= card.files()
            notes += card.notes()
        return AnalysisOutput(estimates=tuple(estimates), files=files, notes=tuple(notes))


def _lists(system: SystemData) -> dict[str, tuple[Comparisons, FoldPairs | None]]:
    """Sets of pairs by name, each with its folds; the audit's own list where no set is that list."""
    sets, protocol = system.pair_sets, system.comparisons
    alone = not protocol.all_pairs and not any(
        np.array_equal(protocol.probe, pairs.listed.probe) for pairs in sets.values()
    )
    return ({PROTOCOL: (protocol, None)} if alone else {}) | {
        name: (pairs.pairs_in(pairs.folds), pairs) for name, pairs in sets.items()
    }


def _plugin(spec: AuditSpec, name: str) -> object:
    pairs = spec.test_sets[name].pairs if name in spec.test_sets else None
    return spec.protocol if pairs is None else pairs


def _rules(spec: AuditSpec, name: str) -> Rules | None:
    rules = getattr(_plugin(spec, name), "rules", None)
    return rules if isinstance(rules, Rules) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Card:
    """One test set: its pairs, which lie in folds where it has ``fold_pairs``."""

    system: SystemData
    name: str
    pairs: Comparisons
    fold_pairs: FoldPairs | None

    @property
    def plugin(self) -> object | None:
        """What made the pairs by rules; None for a list."""
        return _plugin(self.system.spec, self.name) if self.pairs.steps else None

    @property
    def rules(self) -> Rules | None:
        """The rules of a selection by a matcher."""
        return _rules(self.system.spec, self.name) if self.pairs.steps else None

    @property
    def samples(self) -> Ints:
        """The samples that stand in it."""
        return np.unique(np.concatenate([self.pairs.probe, self.pairs.reference])).astype(np.int64)

    @property
    def subjects(self) -> Ints:
        """The subjects that stand in it."""
        return np.unique(self.system.cohort.subject_of[self.samples]).astype(np.int64)

    def estimates(self, attributes: Sequence[str] | None) -> Iterator[Estimate]:
        """Every number of the card."""
        ends = np.concatenate([self.pairs.probe, self.pairs.reference])
        yield self._count("card_images", self.samples.size)
        yield self._count("card_identities", self.subjects.size)
        yield self._count("card_mated", int(self.pairs.mated.sum()))
        yield self._count("card_non_mated", int((~self.pairs.mated).sum()))
        yield self._count("card_max_occurrence", int(np.bincount(ends).max()))
        yield from self._training()
        yield from self._classes()
        yield from self._attributes(self._columns(attributes))
        for number, step in enumerate(self.pairs.steps):
            at: AtKey = {"rule": step.rule, "kind": step.kind, "step": float(number)}
            schema = self.rules.balance if self.rules else getattr(self.plugin, "balance", None)
            of = (schema, step.group if schema else "all")
            yield self._count("pairs_left", step.left, of, at, step.unit)
        for claim in self._claims(self.pairs):
            unit, counts = f"{claim.of} that keep the rule", (claim.satisfied, claim.total)
            yield self._share(
                "certificate", counts, {"rule": claim.rule}, unit=unit, note=claim.worst or None
            )

    def certificates(self, *, every: bool) -> dict[str, bytes]:
        """What holds of each list, beside it; where not ``every``, of those that may be a system's own."""
        if self.fold_pairs is None:
            lists = {"pairs": self.pairs} if self.pairs.steps else {}
        else:
            lists = fold_lists(self.system, self.fold_pairs)
            if self.fold_pairs.official and not every:
                lists.pop("pairs")
        return {
            f"{folder(self.name)}/certificate_{stem}.csv": certificate(self._claims(pairs))
            for stem, pairs in lists.items()
        }

    def _claims(self, pairs: Comparisons) -> list[Claim]:
        if not pairs.steps and pairs.fold is None:
            return []
        spec, fold_pairs = self.system.spec, self.fold_pairs
        folds = spec.test_sets[self.name].folds if self.name in spec.test_sets else spec.folds
        caps = [folds.per_subject if fold_pairs else None, getattr(self.plugin, "per_subject", None)]
        given = fold_pairs is None or fold_pairs.official
        return certify(
            self.system.cohort_data,
            pairs,
            self.rules,
            per_image=getattr(self.plugin, "per_image", None),
            per_subject=min((cap for cap in caps if cap is not None), default=None),
            constructed=None if given else folds.source,
            stratify=folds.stratify,
        )

    def _training(self) -> Iterator[Estimate]:
        """How many of its identities stand in a training set; nothing where nobody looked."""
        for survey in self.system.surveys.values():
            if isinstance(survey, Overlap):
                for training, last in survey.last.items():
                    hit = int(last.overlapping[self.subjects].sum())
                    at: AtKey = {"training": training}
                    counts = (hit, self.subjects.size)
                    yield self._share("card_training_overlap", counts, at)

    def _classes(self) -> Iterator[Estimate]:
        """Identities, and pairs of both samples, of each class of each schema (figure 3; balance of table 3)."""
        of = self.system.cohort.subject_of
        for schema, classification in self.system.cohort.classifications.items():
            code = classification.codes[self.subjects]
            ends = (self.pairs.probe, self.pairs.reference)
            probe_codes, other = (classification.codes[of[end]] for end in ends)
            for place, group in enumerate((*classification.classes, UNKNOWN)):
                number = place if group != UNKNOWN else -1
                people = int((code == number).sum())
                if group == UNKNOWN and not people:
                    continue
                tag = (schema, group)
                yield self._share("card_class_identities", (people, code.size), of=tag)
                pairs = int(((probe_codes == number) & (other == number)).sum())
                yield self._share("card_class_pairs", (pairs, probe_codes.size), of=tag)

    def _columns(self, wanted: Sequence[str] | None) -> list[str]:
        if wanted is not None:
            return list(wanted)
        declared = (_rules(self.system.spec, name) for name in (PROTOCOL, *self.system.test_sets))
        rule_sets = [rules for rules in (self.rules, *declared) if rules is not None]
        named = [trait.column for rules in rule_sets for trait in rules.traits.values()]
        return list(dict.fromkeys([*named, *(rules.age for rules in rule_sets if rules.age)]))

    def _attributes(self, columns: Sequence[str]) -> Iterator[Estimate]:
        """Identities with an image of each value; of numbers, quartiles over the identities' means."""
        of = self.system.cohort.subject_of
        for column in columns:
            texts = self.system.cohort_data.attributes.get(column)
            if texts is None:
                continue
            sample_texts, people = texts[self.samples], of[self.samples]
            values = sorted({str(text) for text in sample_texts if text})
            if len(values) <= MAX_VALUES:
                for value in values:
                    identities = np.unique(people[sample_texts == value]).size
                    at: AtKey = {"attribute": column, "value": value}
                    counts = (identities, self.subjects.size)
                    yield self._share("card_value_identities", counts, at)
            else:
                yield from self._quartiles(column, sample_texts, people)

    def _quartiles(self, column: str, texts: Texts, people: Index) -> Iterator[Estimate]:
        try:
            number = np.array([float(text) if text else np.nan for text in texts])
        except ValueError:
            return
        known = np.isfinite(number)
        if not known.any():
            return
        sums = np.bincount(people[known], weights=number[known])
        counts = np.bincount(people[known])
        means = sums[counts > 0] / counts[counts > 0]
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            at: AtKey = {"attribute": column, "quantile": share}
            value = float(np.quantile(means, share))
            yield self._count("card_attribute_quantile", value, at=at)

    def files(self) -> dict[str, bytes]:
        """Pairs with their folds, and for review where a matcher chose them."""
        files: dict[str, bytes] = {}
        if self.fold_pairs is not None:
            files = fold_files(self.system, self.name, self.fold_pairs)
        elif self.pairs.steps:
            files = pair_files(self.system.cohort.sample_ids, self.pairs, f"{folder(self.name)}/pairs")
        if self.rules is not None:
            files[f"{folder(self.name)}/review.csv"] = as_csv(REVIEW, self._review_rows(self.rules))
        return files

    def notes(self) -> Iterator[str]:
        """Which files there are, and which claims do not hold."""
        if (self.pairs.steps or self.fold_pairs) and not any(name.endswith(".txt") for name in self.files()):
            yield f"test set {self.name}: no list in LFW's layout, which wants names like name_0001 and equal folds"
        for claim in self._claims(self.pairs):
            if not claim.holds:
                lost = f"{claim.total - claim.satisfied} of {claim.total} {claim.of}"
                yield f"test set {self.name}: {lost} do not keep: {claim.rule}"

    def _review_rows(self, rules: Rules) -> list[tuple[object, ...]]:
        """Every pair with its score, hardest first within its kind, and an empty verdict."""
        inputs = inputs_of(self.system.cohort_data, rules)
        first, second = self.pairs.probe.astype(np.int64), self.pairs.reference.astype(np.int64)
        score = scores_of(inputs.vectors, first, second)
        names = self.system.cohort.sample_ids
        order = np.lexsort((np.where(self.pairs.mated, score, -score), ~self.pairs.mated))
        return [
            (
                pair_id(*(names[k] for k in sorted((int(first[n]), int(second[n]))))),
                "mated" if self.pairs.mated[n] else NON_MATED,
                names[first[n]],
                names[second[n]],
                inputs.names[inputs.group[first[n]]],
                f"{score[n]:z.6f}",
                "",
            )
            for n in order.tolist()
        ]

    def _count(
        self,
        metric: str,
        value: float,
        of: tuple[str | None, str] = (None, "all"),
        at: AtKey = NOWHERE,
        unit: str = "",
    ) -> Estimate:
        return Estimate.of(
            self.system.provider, NAME, metric, float(value), unit, of, at={"pairs": self.name, **at}
        )

    def _share(
        self,
        metric: str,
        counts: tuple[int, int],
        at: AtKey = NOWHERE,
        *,
        unit: str = "",
        of: tuple[str | None, str] = (None, "all"),
        note: str | None = None,
    ) -> Estimate:
        at = {"pairs": self.name, **at}
        return Estimate.share(self.system.provider, NAME, metric, counts, unit, of, at=at, note=note)
