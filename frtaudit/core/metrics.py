"""What a metric is, a rate, a score or a number, and so how its values are printed."""

from enum import Enum

from frtaudit.core import formatting
from frtaudit.core.formatting import Style

D_L2 = "d_l2"
SPACES = {"quantile": "in quantile space", "tar": "in TAR space", "fmr_axis": "on the pooled FMR axis"}
RATES = frozenset(
    {
        *("fmr", "fnmr", "fnmr_at_fmr", "fmr_at_fmr", "eer", "fta", "frr", "far", "acceptance"),
        "highest_group_rate",
        *("accuracy", "class_accuracy", "fold_accuracy", "accuracy_overlap"),
        *("card_training_overlap", "card_class_identities", "card_class_pairs", "card_value_identities"),
        "certificate",
        *("accuracy_without_overlap", "accuracy_of_overlap"),
        *("overlap_images", "overlap_identities", "overlap_training_identities", "overlap_merged_identities"),
        *("overlap_noise_images", "reviewed_same_identity", "reviewed_same_image"),
        *("tar_at_tar", "order_differing"),
        *("scores_at_end", "failed_mated", "scores_changed", "fnmr_by_annotation"),
        *("fmr_best_case", "fmr_worst_case", "fnmr_best_case", "fnmr_worst_case"),
        *(
            "absent_kind",
            "unknown_subjects",
            "worst_share",
            "worst_involved",
            "heaviest_pair",
            "reviewed_label_errors",
        ),
        *("fmr_leave_one_out_low", "fmr_leave_one_out_high"),
        *("fnmr_leave_one_out_low", "fnmr_leave_one_out_high"),
        *("fmr_label_errors", "fmr_reviewed", "fmr_mix", "fnmr_mix"),
        *("suspected_duplicates", "suspected_images", "fmr_without_suspected", "fmr_without_confirmed"),
        *(
            "label_queries",
            "label_faces",
            "label_confusion",
            "label_agreement",
            "label_left_out",
            "label_no_score",
            "label_several_queries",
            "label_several_faces",
        ),
        *("fnmr_by_labels", "eer_by_labels"),
        *("fnmr_at_date", "faces_of_both_dates", "scores_unchanged"),
        *("fnmr_true_labels", "fmr_true_labels", "label_cost", "label_cost_end"),
        *("simulated_coverage", "simulated_lower_misses", "simulated_upper_misses"),
    }
)
SPREADS = frozenset({"accuracy_fold_sd", "accuracy_sem", "accuracy_overlap_fold_sd", "fnmr_change"})
THRESHOLDS = frozenset(
    {
        "threshold_at_fmr",
        "threshold",
        "threshold_mix",
        "largest_score_change",
        "score_change_mean",
        "score_change_largest",
    }
)


class Kind(Enum):
    """What a metric is printed as."""

    RATE = "rate"
    SCORE = "score"
    NUMBER = "number"


def kind_of(metric: str) -> Kind:
    """Rates in percent, thresholds as scores, the rest as numbers.

    >>> kind_of("fnmr_at_fmr"), kind_of("threshold_at_fmr"), kind_of("gini")
    (<Kind.RATE: 'rate'>, <Kind.SCORE: 'score'>, <Kind.NUMBER: 'number'>)
    """
    if metric in RATES | SPREADS or metric.startswith("delta_accuracy"):
        return Kind.RATE
    return Kind.SCORE if metric in THRESHOLDS else Kind.NUMBER


def printed(
    kind: Kind,
    value: float,
    *,
    style: Style | None = None,
    limit: float | None = None,
    limits: tuple[float, ...] = (),
) -> str:
    """A value as its kind is printed, on its side of ``limit`` and of each of ``limits``.

    >>> printed(Kind.RATE, 0.0213), printed(Kind.NUMBER, 3.4219)
    ('2.13 %', '3.42')
    """
    if kind is Kind.RATE:
        return formatting.rate(value, style=style, limit=limit, limits=limits)
    return (
        formatting.score(value) if kind is Kind.SCORE else formatting.plain(value, limit=limit, limits=limits)
    )


def declared(kind: Kind, value: float) -> str:
    """A limit or target in the digits it was declared with, as its kind is printed.

    >>> declared(Kind.RATE, 0.05), declared(Kind.NUMBER, 0.05)
    ('5 %', '0.05')
    """
    return formatting.exact(value) if kind is Kind.RATE else formatting.declared(value)


def place(key: str, value: float | str) -> str:
    """The value of an operating point: FMR targets as declared, thresholds as scores, names as they are.

    >>> place("fmr", 0.001), place("threshold", 0.31), place("rate", "fmr")
    ('0.1 %', '0.31', 'fmr')
    """
    if isinstance(value, str):
        return value
    return formatting.exact(value) if key.endswith("fmr") else formatting.score(value)
