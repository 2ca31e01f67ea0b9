"""What a metric is, declared once: its names, how its values are printed, who may name and read it.

A metric is one line of the table below and the analysis that makes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from types import MappingProxyType

from frtaudit.core.text.kinds import Kind

D_L2 = "d_l2"
_FROM_0 = {D_L2, "ratio_to_overall", "fmr_same_class_ratio"}  # distances and ratios
EVERY_SYSTEM = "every system"  # the provider of what is said of the cohort's samples
SPACES = {"quantile": "in quantile space", "tar": "in TAR space", "fmr_axis": "on the pooled FMR axis"}


class Published(Enum):
    """What the publishable variant shows of a metric in a schema that withholds a class.

    ``OWN``: the classes that stand; their counts and the withheld ones' add up to everybody's. ``WITHIN``: likewise,
    of pairs within a class, so that pairs across classes are in none. ``WHOLE``: nothing.
    """

    OWN = "own"
    WITHIN = "within"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of estimates.

    ``label``: its name in the report; ``sentence``: in a finding's sentence, where that is another; ``about``: a line
    on it for ``frtaudit list``, of a metric that a requirement may name. ``unbounded``: a rate below 0 or above 1 has a
    meaning, as of a difference. ``index``: one number for the classes of a schema; ``alike``: its value
    under equality. ``higher_is_better``: of what is better when it is smaller, or of which nobody says, False.
    ``pooled_only``: not made identity-weighted. ``published``: None where it is never published. ``bounded``: an index
    of 1 at most. ``unit``: what a value counts; where it is empty, that of the kind, or each estimate says it.
    """

    name: str
    kind: Kind
    label: str
    sentence: str = ""
    about: str = ""
    unbounded: bool = False
    pooled_only: bool = False
    index: bool = False
    alike: float | None = None
    higher_is_better: bool = False
    published: Published | None = None
    bounded: bool = False
    unit: str = ""

    @property
    def least(self) -> float | None:
        """The smallest value that there can be; None where it is not known."""
        if self.kind is Kind.RATE or self.name in _FROM_0:
            return None if self.unbounded else 0.0
        return (0.0 if self.higher_is_better else self.alike) if self.index else None

    @property
    def most(self) -> float | None:
        """The largest value, as ``least``."""
        is_rate = self.kind is Kind.RATE and not self.unbounded
        return 1.0 if is_rate or self.bounded else None


RATE, SCORE, NUMBER = Kind.RATE, Kind.SCORE, Kind.NUMBER
SHARE, POINTS = "share of comparisons", "points of the score range mapped to 0..100"
MEAN_SHARE, SPREAD = (
    "mean of the folds' shares of correct pairs",
    "standard deviation of the folds, divisor k - 1",
)
_UNITS = {RATE: SHARE, SCORE: "score"}  # of the metrics of a kind that name no other
OWN, WITHIN, WHOLE = Published.OWN, Published.WITHIN, Published.WHOLE
_index = partial(Metric, kind=NUMBER, index=True, published=WHOLE, unit="index")  # of the classes of a schema
_IN_SECTIONS = (  # of the report
    Metric("fmr", RATE, "FMR", about="FMR at a threshold", published=WITHIN),
    Metric("fnmr", RATE, "FNMR", about="FNMR at a threshold", published=OWN),
    Metric("fnmr_at_fmr", RATE, "FNMR", about="FNMR at the threshold of an FMR target", published=OWN),
    Metric("threshold_at_fmr", SCORE, "threshold", about="smallest score at which FMR is at most the target",
        published=WHOLE),
    Metric("eer", RATE, "equal error rate", sentence="EER",
        about="(FMR + FNMR)/2 at the score where they are nearest to each other", pooled_only=True,
        published=WHOLE),
    Metric("label_queries", RATE, "queries", unit="share of queries"),
    Metric("label_faces", RATE, "faces", unit="share of faces"),
    Metric("label_confusion", RATE, "faces by label and annotation", unit="share of faces"),
    Metric("label_agreement", RATE, "labels that agree with annotation", unit="share of faces with both labels"),
    Metric("label_left_out", RATE, "annotated faces left out", unit="share of annotated faces"),
    Metric("label_no_score", RATE, "faces without a score", unit="share of faces"),
    Metric("label_several_queries", RATE, "queries with labels", unit="share of queries"),
    Metric("label_several_people", NUMBER, "people with labels", unit="people"),
    Metric("label_several_faces", RATE, "faces of a person with labels", unit="share of faces"),
    Metric("label_mode", SCORE, "mode of the scores"),
    Metric("label_mode_mean", SCORE, "mean of a part of the mixture"),
    Metric("label_mode_width", SCORE, "standard deviation of a part of the mixture"),
    Metric("label_mode_share", RATE, "share of a part of the mixture", unit="share of scores"),
    Metric("label_mode_log_likelihood", NUMBER, "log-likelihood of the mixture", unit="mean over scores"),
    Metric("label_mode_gain", NUMBER, "log-likelihood above one normal distribution", unit="mean over scores"),
    Metric("label_mode_starts", NUMBER, "starts of the fit", unit="fits"),
    Metric("fnmr_by_labels", RATE, "FNMR", unit="share of mated comparisons"),
    Metric("fnmr_at_date", RATE, "FNMR"),
    Metric("fnmr_change", RATE, "change from date to date", unbounded=True, unit=f"difference: {SHARE}"),
    Metric("faces_of_both_dates", RATE, "faces that both dates share", unit="share of faces"),
    Metric("scores_unchanged", RATE, "scores that did not change", unit="share of pairs of faces"),
    Metric("score_change_mean", SCORE, "mean change of a score"),
    Metric("score_change_largest", SCORE, "largest change of a score"),
    Metric("eer_by_labels", RATE, "equal error rate", unit="mean of FMR and FNMR where they cross"),
    Metric("fnmr_true_labels", RATE, "FNMR on true labels"),
    Metric("fmr_true_labels", RATE, "FMR on true labels"),
    Metric("label_cost", RATE, "reported minus true", unit="difference of shares of comparisons"),
    Metric("label_cost_end", RATE, "rate at one end"),
    Metric("labels_in_doubt", NUMBER, "uncertain labels", unit="faces"),
    Metric("fta", RATE, "failure to acquire", about="samples of which a system made no template, over all samples",
        published=OWN),
    Metric("frr", RATE, "FRR",
        about="rightful claims rejected, of transactions; at an FMR target of one attempt: FTA + FNMR (1 - FTA)",
        published=WHOLE, unit="share of transactions"),
    Metric("far", RATE, "FAR", about="wrongful claims accepted, of transactions", published=WHOLE,
        unit="share of transactions"),
    Metric("fte", RATE, "failure to enrol", about="subjects who could not be enrolled", published=WHOLE,
        unit="share of subjects"),
    Metric("gfar", RATE, "GFAR", about="(1 - FTE) FAR, of transactions", published=WHOLE,
        unit="share of transactions, failures to enrol included"),
    Metric("gfrr", RATE, "GFRR", about="FTE + (1 - FTE) FRR, of transactions", published=WHOLE,
        unit="share of transactions, failures to enrol included"),
    Metric("threshold_at_far", SCORE, "threshold", published=WHOLE),
    Metric("accuracy", RATE, "accuracy", about="mean accuracy over the folds", higher_is_better=True,
        published=WHOLE, unit=MEAN_SHARE),
    Metric("class_accuracy", RATE, "accuracy within a class", higher_is_better=True, published=WITHIN,
        unit="share of correct pairs"),
    Metric("fold_accuracy", RATE, "accuracy of a fold", higher_is_better=True, published=WHOLE,
        unit="share of correct pairs"),
    Metric("fmr_best_case", RATE, "FMR, best case", pooled_only=True, published=WITHIN),
    Metric("fmr_worst_case", RATE, "FMR, worst case", pooled_only=True, published=WITHIN),
    Metric("fnmr_best_case", RATE, "FNMR, best case", pooled_only=True, published=OWN),
    Metric("fnmr_worst_case", RATE, "FNMR, worst case", pooled_only=True, published=OWN),
    Metric("accuracy_fold_sd", RATE, "spread of the folds (sd)", sentence="spread of the folds' accuracies",
        about="standard deviation of the folds' accuracies", published=WHOLE, unbounded=True, unit=SPREAD),
    Metric("accuracy_sem", RATE, "standard error of the mean of the folds", published=WHOLE, unbounded=True,
        unit=f"{SPREAD}, over the square root of k"),
    Metric("accuracy_overlap", RATE, "accuracy, overlapping folds", higher_is_better=True, published=WHOLE,
        unit=MEAN_SHARE),
    Metric("accuracy_overlap_fold_sd", RATE, "spread of overlapping folds (sd)", published=WHOLE, unbounded=True,
        unit=SPREAD),
    Metric("delta_accuracy", RATE, "disjoint minus overlap", published=WHOLE, unbounded=True,
        unit="difference of two accuracies of the same pairs"),
    Metric("accuracy_without_overlap", RATE, "accuracy without overlapping identities", higher_is_better=True,
        unit="pairs of subjects that do not overlap"),
    Metric("accuracy_of_overlap", RATE, "accuracy of pairs with overlapping identities", higher_is_better=True,
        unit="pairs with a subject that overlaps"),
    Metric("delta_accuracy_overlap", RATE, "all pairs minus without overlap", unbounded=True,
        unit="accuracy of all pairs minus that without overlap"),
    Metric("card_images", NUMBER, "images", unit="images"),
    Metric("card_identities", NUMBER, "identities", unit="identities"),
    Metric("card_mated", NUMBER, "mated pairs", unit="mated pairs"),
    Metric("card_non_mated", NUMBER, "non-mated pairs", unit="non-mated pairs"),
    Metric("card_max_occurrence", NUMBER, "most pairs of one image", unit="pairs of one image"),
    Metric("card_training_overlap", RATE, "identities that are in a training set", unit="share of identities"),
    Metric("card_class_identities", RATE, "identities of a class", unit="share of identities"),
    Metric("card_class_pairs", RATE, "pairs within a class", unit="share of pairs"),
    Metric("card_value_identities", RATE, "identities with a value", unit="share of identities"),
    Metric("card_attribute_quantile", NUMBER, "quantile over identities", unit="mean of an identity's images"),
    Metric("pairs_left", NUMBER, "left by a rule"),
    Metric("certificate", RATE, "cases that keep a rule"),
    Metric("overlap_images", RATE, "overlapping test images", unit="share of test images"),
    Metric("overlap_identities", RATE, "overlapping test identities", unit="share of test identities"),
    Metric("overlap_training_identities", RATE, "matching training identities",
        unit="share of training identities"),
    Metric("overlap_merged_identities", RATE, "training identities merged into another",
        unit="share of matching training identities"),
    Metric("overlap_noise_images", RATE, "images taken out as noise", unit="share of images looked at"),
    Metric("reviewed_same_identity", RATE, "reviewed as one identity", unit="share of reviewed matches"),
    Metric("reviewed_same_image", RATE, "reviewed as one image", unit="share of reviewed matches"),
    Metric("delta_accuracy_systems", RATE, "accuracy of a system minus that of another", unbounded=True),
    Metric("delta_accuracy_otherwise", RATE, "discordant pairs in overlapping folds", unbounded=True,
        unit="share of pairs discordant in overlapping folds"),
    Metric("delta_accuracy_deal_mean", RATE, "disjoint minus overlap, mean of random deals", unbounded=True,
        unit="difference of two accuracies of the same pairs"),
    Metric("delta_accuracy_deal_sd", RATE, "disjoint minus overlap, sd of random deals", unbounded=True,
        unit="difference of two accuracies of the same pairs"),
    _index("max_min", label="largest / smallest", about="largest rate of a class over the smallest", alike=1.0,
        sentence="largest rate over smallest"),
    _index("max_geomean", label="largest / geometric mean", about="largest rate of a class over the geometric mean",
        alike=1.0, sentence="largest rate over geometric mean"),
    _index("log_geomean", label="sum of |log10 (rate / geometric mean)|",
        about="sum of abs log10(rate / geometric mean) over the classes", alike=0.0,
        sentence="sum of log distances from the geometric mean"),
    _index("gini", label="Gini coefficient", about="Gini coefficient of a rate of the classes", alike=0.0,
        bounded=True),
    _index("fdr", label="fairness discrepancy rate", about="fairness discrepancy rate of the classes' FMR and FNMR",
        alike=1.0, sentence="FDR", higher_is_better=True, bounded=True),
    _index("inequity_rate", label="inequity rate", about="NIST's inequity rate of the classes' FMR and FNMR",
        alike=1.0),
    _index("garbe", label="GARBE", about="Gini aggregation rate of the classes' FMR and FNMR", alike=0.0,
        bounded=True),
    Metric("skewed_error_ratio", NUMBER, "skewed error ratio", alike=1.0, published=WHOLE, unit="ratio"),
    Metric("d_l2", NUMBER, "d_l2",
        about="distance of a class from the mean of all, or between classes; at: {space: quantile, tar or fmr_axis}",
        alike=0.0, published=WHOLE),
    Metric("tar_at_tar", RATE, "TAR", higher_is_better=True, published=WHOLE),
    Metric("order_differing", RATE, "comparisons whose two orders differ"),
    Metric("order_gap_mean", NUMBER, "difference of the two orders, mean", unit="score"),
    Metric("order_gap_max", NUMBER, "difference of the two orders, largest", unit="score"),
    Metric("d_l2_change", NUMBER, "change of the largest d_l2", published=WHOLE, unit=POINTS),
    Metric("vendor_value", NUMBER, "value on the common support"),
    Metric("vendor_difference", NUMBER, "difference of two systems"),
    Metric("vendor_equivalence", NUMBER, "difference of two systems, against a margin"),
    Metric("vendor_rank", NUMBER, "rank", unit="rank, 1 = best"),
    Metric("vendor_decision", NUMBER, "choice by the declared rule"),
    Metric("vendor_difference_lowest", NUMBER, "lowest difference that failures allow",
        unit=f"difference: {SHARE}"),
    Metric("vendor_difference_highest", NUMBER, "highest difference that failures allow",
        unit=f"difference: {SHARE}"),
    Metric("scores_changed", RATE, "scores changed", unit="share of mated comparisons"),
    Metric("largest_score_change", SCORE, "largest change of a score"),
    Metric("density_bandwidth", NUMBER, "bandwidth", unit="points of 0..100"),
    Metric("scores_at_end", RATE, "scores on the end of the scale"),
    Metric("normality_k2", NUMBER, "omnibus K²", unit="number"),
    Metric("normality_p", NUMBER, "p of normality", unit="number"),
    Metric("quality_mean", NUMBER, "mean"),
    Metric("quality_spread", NUMBER, "largest distance of a class's mean"),
    Metric("d_l2_within", NUMBER, "d_l2 at equal quality", unit=POINTS),
    Metric("d_l2_failures", NUMBER, "d_l2", unit=POINTS),
    Metric("d_l2_failures_change", NUMBER, "difference due to failures", unit=POINTS),
    Metric("failed_mated", RATE, "failed mated comparisons", unit="share of mated comparisons"),
    Metric("fnmr_by_annotation", RATE, "FNMR with a share of the faces annotated"),
    Metric("d_l2_sd", NUMBER, "standard deviation of d_l2 over classes"),
    Metric("d_l2_ratio", NUMBER, "d_l2, largest to smallest class", unit="largest over smallest"),
    Metric("simulated_coverage", RATE, "simulated coverage", unit="share of simulated cohorts"),
    Metric("simulated_lower_misses", RATE, "simulated intervals above the truth",
        unit="share of simulated cohorts"),
    Metric("simulated_upper_misses", RATE, "simulated intervals below the truth",
        unit="share of simulated cohorts"),
    Metric("simulated_spread", NUMBER, "spread of the model", unit="standard deviation over mean"),
    Metric("highest_group_rate", RATE, "highest rate of all groups and systems"),
    Metric("absent_kind", RATE, "share of a kind of person that may be absent", unit="share of the population"),
    Metric("unknown_subjects", RATE, "subjects without a class", unit="share of subjects"),
    Metric("worst_share", RATE, "false matches due to the subjects with most false matches",
        unit="share of the ends of false matches"),
    Metric("worst_involved", RATE, "false matches with one of the subjects with most false matches",
        unit="share of false matches"),
    Metric("heaviest_pair", RATE, "share of FMR due to the pair of subjects with most false matches",
        unit="share of the rate"),
    Metric("fmr_leave_one_out_low", RATE, "FMR without one subject, lowest"),
    Metric("fmr_leave_one_out_high", RATE, "FMR without one subject, highest"),
    Metric("fnmr_leave_one_out_low", RATE, "FNMR without one subject, lowest"),
    Metric("fnmr_leave_one_out_high", RATE, "FNMR without one subject, highest"),
    Metric("fmr_label_errors", RATE, "FMR without the top pairs"),
    Metric("reviewed_label_errors", RATE, "reviewed pairs that are one person", unit="share of reviewed pairs"),
    Metric("fmr_reviewed", RATE, "FMR without reviewed label errors"),
    Metric("fmr_without_suspected", RATE, "FMR without suspected duplicates"),
    Metric("fmr_without_confirmed", RATE, "FMR without confirmed duplicates"),
    Metric("suspected_duplicates", RATE, "pairs of subjects suspected to be the same person",
        unit="share of compared pairs of subjects"),
    Metric("suspected_images", RATE, "images suspected to be another person's",
        unit="share of the images that have others of their subject"),
    Metric("fmr_mix", RATE, "FMR under the declared mix"),
    Metric("fnmr_mix", RATE, "FNMR under the declared mix"),
    Metric("threshold_mix", SCORE, "threshold for the declared mix"),
    Metric("fmr_same_class", RATE, "FMR within classes", about="FMR among subjects of one class of a schema"),
    Metric("fmr_same_class_ratio", NUMBER, "FMR within classes / FMR of all", about="its ratio to FMR of all",
        unit="ratio"),
    Metric("fmr_model", RATE, "FMR by a model of the tail",
        about="FMR at a threshold beyond the data, by the analysis tail_model", pooled_only=True),
    Metric("fmr_model_seen", RATE, "FMR seen"),
    Metric("fmr_model_choice", RATE, "FMR by the chosen threshold alone"),
    Metric("threshold_model", SCORE, "threshold by a model of the tail"),
    Metric("tail_threshold", SCORE, "threshold of exceedances"),
    Metric("tail_shape", NUMBER, "shape of the tail", unit="number"),
    Metric("tail_fit_p", NUMBER, "p of the fit", unit="probability"),
    Metric("index_best_case", NUMBER, "index, best case", unit="index"),
    Metric("index_worst_case", NUMBER, "index, worst case", unit="index"),
    Metric("index_behind_labels", NUMBER, "index corrected for wrong labels", unit="index"),
)  # fmt: skip
_IN_NO_SECTION = (  # the report prints what stands here below its sections
    Metric("fmr_at_fmr", RATE, "FMR", published=WITHIN),
    Metric("ratio_to_overall", NUMBER, "ratio to overall", sentence="ratio to overall",
        about="rate of a class over the overall rate, the class included; of: fmr, fnmr or fnmr_at_fmr", alike=1.0,
        published=WHOLE, unit="ratio"),
    Metric("gap", NUMBER, "largest minus smallest"),
    Metric("acceptance", RATE, "acceptance"),
    Metric("threshold", SCORE, "threshold"),
)  # fmt: skip

METRICS: Mapping[str, Metric] = MappingProxyType(
    {metric.name: metric for metric in (*_IN_SECTIONS, *_IN_NO_SECTION)}
)
IN_SECTIONS = frozenset(metric.name for metric in _IN_SECTIONS)
RATES = frozenset(metric.name for metric in METRICS.values() if metric.kind is RATE and not metric.unbounded)
THRESHOLDS = frozenset(metric.name for metric in METRICS.values() if metric.kind is SCORE)
INDICES = tuple(metric.name for metric in METRICS.values() if metric.index)
POOLED_ONLY = frozenset(metric.name for metric in METRICS.values() if metric.pooled_only)
TO_REQUIRE = tuple(sorted(metric.name for metric in METRICS.values() if metric.about))
LABELS: Mapping[str, str] = MappingProxyType({metric.name: metric.label for metric in METRICS.values()})


def kind_of(metric: str) -> Kind:
    """Rates in percent, thresholds as scores, the rest as numbers.

    >>> kind_of("fnmr_at_fmr"), kind_of("threshold_at_fmr"), kind_of("gini")
    (<Kind.RATE: 'rate'>, <Kind.SCORE: 'score'>, <Kind.NUMBER: 'number'>)
    """
    return METRICS[metric].kind if metric in METRICS else Kind.NUMBER


def unit_of(metric: str) -> str:
    """What a value of a metric counts, where every estimate of it counts the same.

    >>> unit_of("fnmr"), unit_of("threshold_at_fmr"), unit_of("card_images")
    ('share of comparisons', 'score', 'images')
    >>> unit_of("d_l2")
    Traceback (most recent call last):
    ValueError: d_l2 has no unit in frtaudit.core.metrics: an estimate of it takes one
    """
    known = METRICS.get(metric)
    unit = "" if known is None else known.unit or _UNITS.get(known.kind, "")
    if not unit:
        raise ValueError(f"{metric} has no unit in frtaudit.core.metrics: an estimate of it takes one")
    return unit


def in_sentence(metric: str) -> str:
    """What the sentence of a finding calls a metric; one that is not declared here by its name.

    >>> in_sentence("eer"), in_sentence("tied_mated")
    ('EER', 'tied_mated')
    """
    return METRICS[metric].sentence or METRICS[metric].label if metric in METRICS else metric


def value_alike(metric: str) -> float | None:
    """The value of a metric over classes under equality; None where the metric has no such value.

    >>> value_alike("max_min"), value_alike("gini"), value_alike("fmr")
    (1.0, 0.0, None)
    """
    return METRICS[metric].alike if metric in METRICS else None


def published_as(metric: str) -> Published | None:
    """What the publishable variant shows of a metric; None: nothing, as of one that is not declared here."""
    return METRICS[metric].published if metric in METRICS else None
