"""The section on training and test sets, and its lists; tests also lists, and violins through it."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

from goldilocks_audits import overlap_audit, overlap_spec
from small_audits import audit, whole

from frtaudit.core import Curve
from frtaudit.inputs.review import as_csv
from frtaudit.report.paper_figures import paper_figures
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import overlap
from frtaudit.report.source import Source


def test_counts_violins_lists_and_accuracy() -> None:
    """One figure of violins by training set, counts with their denominators, accuracies, lists with digests."""
    view = overlap.build(Source(overlap_audit().result))
    assert view is not None
    assert [figure.name for figure in view.figures] == ["best-matches"]
    assert view.figures[0].panels[0].alt.startswith("Best matches by training set. wild: ")
    assert [table.name for table in view.tables] == [
        "overlap",
        "overlap-noise",
        "overlap-accuracy",
        "lists-overlap",
    ]
    counts = view.tables[0]
    assert [plain_text(block.head) for block in counts.blocks] == ["Training set wild", "Training set tame"]
    rows = [[plain_text(cell) for cell in row] for row in counts.blocks[0].rows]
    assert rows[0][0] == "above 0.5"
    assert rows[3][0] == "same identity, in total"
    assert rows[3][2] == "24 / 60 (40.0 %)"
    assert rows[7][0] == "same identity, in total, after cleaning"
    split = view.tables[2]
    assert [plain_text(block.head) for block in split.blocks] == ["one", "two"]
    assert plain_text(split.blocks[0].rows[0][0]) == "folds, wild"
    cells = [plain_text(cell) for cell in split.blocks[1].rows[0]]
    assert cells[1] == "–"
    assert all(re.fullmatch(r"[\d.]+ % of \d+", cell) for cell in cells[2:4])
    told = replace(
        overlap_audit().result, spec={**overlap_audit().result.spec, "trained_on": {"one": "wild"}}
    )
    known = overlap.build(Source(told))
    assert known is not None
    assert plain_text(known.tables[2].blocks[0].rows[0][0]) == "folds, wild (trained on it)"
    assert plain_text(known.tables[2].blocks[1].rows[0][0]) == "folds, wild"
    files = [plain_text(row[0]) for row in view.tables[3].blocks[0].rows]
    assert "lists/overlap/wild/remove.txt" in files


def test_a_review_has_its_own_violins_and_table(tmp_path: Path) -> None:
    """After a review: violins by verdict, and of the matches above each score how many are one identity."""
    rows = csv.DictReader(io.StringIO(overlap_audit().files["overlap/review.csv"].decode()))
    said = [(row["pair"], "same_identity" if float(row["score"]) > 0.6 else "different") for row in rows]
    (tmp_path / "r.csv").write_bytes(as_csv(("pair", "verdict"), said))
    view = overlap.build(Source(audit(overlap_spec(reviewed=str(tmp_path / "r.csv"))).result))
    assert view is not None
    assert "verdicts-wild" in [figure.name for figure in view.figures]
    table = next(item for item in view.tables if item.name == "overlap-review")
    assert plain_text(table.blocks[0].rows[0][0]) == "all with a verdict"


def test_reviews_of_two_training_sets_have_one_scale_and_one_colour_for_a_verdict() -> None:
    """Also where one set lacks a verdict that the other has."""

    def curve(training: str, verdict: str, x: tuple[float, ...]) -> Curve:
        return Curve(
            provider="one",
            analysis=overlap.KIND,
            schema=None,
            group=training,
            weighting=None,
            metric=verdict,
            x=x,
            y=(0.0, 1.0, 0.0),
            notes=("3 matches",),
        )

    low, high = (0.2, 0.3, 0.6), (0.3, 0.6, 0.9)
    curves = (
        *(curve("clean", verdict, low) for verdict in ("all", "different")),
        *(curve("wild", verdict, high) for verdict in ("all", "same_image", "different")),
    )
    result = replace(overlap_audit().result, curves=curves)
    drawn = paper_figures(result, builds=[overlap.build])
    axes = [drawn[f"reviewed-matches-{name}"].drawing.axes[0] for name in ("clean", "wild")]
    assert axes[0].get_ylim() == axes[1].get_ylim()
    hues = [
        dict(
            zip(
                [label.get_text() for label in shown.get_xticklabels()],
                [line.get_color() for line in shown.lines[::2]],
                strict=False,
            )
        )
        for shown in axes
    ]
    assert hues[0]["different"] == hues[1]["different"]
    assert len(set(hues[1].values())) == 3


def test_no_section_without_a_search() -> None:
    """Other audits have no such section."""
    assert overlap.build(Source(whole().result)) is None
