"""Estimates of analyses that no section of their own prints: nothing of the result stays unread."""

from dataclasses import dataclass

from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Column, Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.sections.tables import BOTH, build_table, by_provider, interval_cells, provider
from frtaudit.report.source import Record, Source
from frtaudit.report.words import INDICES

PRINTED = frozenset(
    {
        *("fmr", "fnmr", "fnmr_at_fmr", "threshold_at_fmr", "eer", "fta", "frr", "d_l2"),
        *("accuracy", "accuracy_fold_sd", "accuracy_sem", "fold_accuracy"),
        *("accuracy_overlap", "accuracy_overlap_fold_sd", "class_accuracy", "skewed_error_ratio"),
        *("card_images", "card_identities", "card_mated", "card_non_mated", "card_max_occurrence"),
        *("card_training_overlap", "card_class_identities", "card_class_pairs", "card_value_identities"),
        *("card_attribute_quantile", "pairs_left", "certificate"),
        *("accuracy_without_overlap", "accuracy_of_overlap", "delta_accuracy_overlap"),
        *("overlap_images", "overlap_identities", "overlap_training_identities", "overlap_merged_identities"),
        *("overlap_noise_images", "reviewed_same_identity", "reviewed_same_image"),
        *(
            "delta_accuracy",
            "delta_accuracy_deal_mean",
            "delta_accuracy_deal_sd",
            "delta_accuracy_otherwise",
            "delta_accuracy_systems",
        ),
        *("tar_at_tar", "d_l2_sd", "d_l2_ratio", "d_l2_change", "d_l2_within"),
        *("order_differing", "order_gap_mean", "order_gap_max", "fnmr_by_annotation"),
        *("density_bandwidth", "scores_at_end", "normality_k2", "normality_p"),
        *("quality_mean", "quality_spread", "d_l2_failures", "d_l2_failures_change", "failed_mated"),
        *("simulated_coverage", "simulated_lower_misses", "simulated_upper_misses", "simulated_spread"),
        *("fmr_best_case", "fmr_worst_case", "fnmr_best_case", "fnmr_worst_case"),
        *(
            "absent_kind",
            "unknown_subjects",
            "worst_share",
            "worst_involved",
            "heaviest_pair",
            "reviewed_label_errors",
        ),
        "highest_group_rate",
        *("fmr_leave_one_out_low", "fmr_leave_one_out_high"),
        *("fnmr_leave_one_out_low", "fnmr_leave_one_out_high"),
        *("fmr_label_errors", "fmr_reviewed", "fmr_mix", "fnmr_mix", "threshold_mix"),
        *("suspected_duplicates", "suspected_images", "fmr_without_suspected", "fmr_without_confirmed"),
        *("index_best_case", "index_worst_case", "index_behind_labels"),
        *("vendor_value", "vendor_difference", "vendor_equivalence", "vendor_rank", "vendor_decision"),
        *("vendor_difference_lowest", "vendor_difference_highest"),
        *("scores_changed", "largest_score_change"),
        *(
            "label_queries",
            "label_faces",
            "label_confusion",
            "label_agreement",
            "label_several_queries",
            "label_several_people",
            "label_several_faces",
            "label_left_out",
            "label_no_score",
        ),
        *("fnmr_by_labels", "eer_by_labels"),
        *("fnmr_at_date", "fnmr_change", "faces_of_both_dates"),
        *("scores_unchanged", "score_change_mean", "score_change_largest"),
        *("fnmr_true_labels", "fmr_true_labels", "label_cost", "label_cost_end", "labels_in_doubt"),
        *INDICES,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """The view: one table for each analysis."""

    tables: tuple[Table, ...]


def build(source: Source) -> Other | None:
    """None when every estimate has a section of its own."""
    names = dict.fromkeys(
        item.estimate.analysis for item in source.records if item.estimate.metric not in PRINTED
    )
    tables = tuple(_table(source, name) for name in names)
    return Other(tables=tables) if tables else None


def _table(source: Source, analysis: str) -> Table:
    notes = Footnotes()
    found = [
        item
        for item in source.records
        if item.estimate.analysis == analysis and item.estimate.metric not in PRINTED
    ]
    blocks = [
        Block(
            head=(provider(own[0]),),
            rows=tuple(
                (
                    _what(source, item),
                    phrases.value(item, notes),
                    phrases.counts(item),
                    *interval_cells(item, notes, *BOTH),
                )
                for item in own
            ),
        )
        for _, own in by_provider(source, found)
    ]
    columns = (
        Column(title="Estimate"),
        Column(title="Value", kind="num"),
        Column(title="errors / trials", kind="num"),
        Column(title="for new people like these", kind="num"),
        Column(title="for these people with new images", kind="num"),
    )
    caption = spans(TextSpan(text=f"{analysis.replace('_', ' ').capitalize()}.", kind="b"))
    return build_table(f"other-{analysis}", caption, columns, blocks, notes)


def _what(source: Source, record: Record) -> Text:
    estimate = record.estimate
    parts: list[Part] = [TextSpan(text=phrases.metric(estimate.metric), pointer=f"{record.pointer}/metric")]
    if estimate.group != "all":
        parts += [", ", phrases.group(source, record)]
    if estimate.at:
        parts += [" at ", phrases.at_words(estimate.at, record.pointer)]
    return spans(*parts)
