import html
import re
from dataclasses import replace
from functools import cache

import pytest
import troubled_search
from rapid_audits import result

from frtaudit.report.pieces import plain_text
from frtaudit.report.section import View
from frtaudit.report.sections import identity_labels
from frtaudit.report.source import Source


@cache
def view() -> View:
    """The section of the shared rapid test."""
    found = identity_labels.build(Source(result()))
    assert found is not None
    return found


def test_the_reader_is_warned_before_the_first_number() -> None:
    """Identities are estimated; how many labels agree where faces were annotated."""
    text = plain_text(view().lead[0])
    assert text.startswith("The images have no identity labels.")
    assert "of the labels agree (" in text
    assert "tend to be" not in text


def test_annotation_decides_which_way_labels_move_rates() -> None:
    """Each service stands, at each target, on the side on which its rate on estimated labels lies, and how far."""
    sentences = [plain_text(text) for text in identity_labels.against_annotation(Source(result()))]
    by = {
        (item.at["fmr"], item.provider, item.at["labels"]): item.value
        for item in result().estimates
        if item.metric == "fnmr_by_labels" and item.group == "all" and item.value is not None
    }
    seen = 0
    for target, printed in ((0.1, "10 %"), (0.05, "5 %")):
        (said,) = [line for line in sentences if f"FMR {printed}" in line]
        ((said, least, most),) = re.findall(
            r"^Against annotation, FNMR at .* % are (.*) \(by (.*) to (.*) percentage points\)\.$", said
        )
        gaps = [
            100 * abs(by[target, name, "estimated"] - by[target, name, "annotated"])
            for target in (0.1, 0.05)
            for name in Source(result()).providers
        ]
        assert (float(least), float(most)) == pytest.approx((min(gaps), max(gaps)), rel=0.05)
        for part in said.split("; "):
            side, names = part.split(" for ")
            for name in names.replace(" and ", ", ").split(", "):
                gap = by[target, name, "estimated"] - by[target, name, "annotated"]
                assert side == ("too high" if gap > 0 else "too low" if gap < 0 else "the same")
                seen += 1
    assert seen == 6


def test_a_legend_says_what_thin_and_pale_lines_are() -> None:
    """The overview draws both kinds of labels, and its legend distinguishes them."""
    (overview,) = (figure for figure in view().figures if figure.name == "labels-det-services")
    assert [key.name for key in overview.keys[-2:]] == ["by estimated labels", "by annotated labels"]
    thin, pale = (re.findall(r'stroke-width="([\d.]+)', key.svg) for key in overview.keys[-2:])
    assert float(thin[0]) < float(pale[0])


def test_without_annotation_the_report_says_what_it_cannot() -> None:
    """No agreement, no confusion table, no dots of right faces."""
    kept = tuple(
        item for item in result().estimates if item.metric not in ("label_agreement", "label_confusion")
    )
    bare = replace(result(), estimates=kept, curves=())
    found = identity_labels.build(Source(bare))
    assert found is not None
    assert "the accuracy of the labels, and the direction in which label errors change" in plain_text(
        found.lead[0]
    )
    assert "label-confusion" not in {table.name for table in found.tables}


def test_tables_and_figures_stand_by_name() -> None:
    """Queries, confusion, rates, groups; curves, counts, examples. Each column has a title."""
    assert all(column.title for table in view().tables for column in table.columns)
    assert [table.name for table in view().tables] == [
        "label-queries",
        "label-confusion",
        "label-rates",
        "label-several",
        "label-groups",
        "label-modes",
    ]
    assert [item.name for item in view().figures] == [
        "labels-det-services",
        "labels-bands",
        "labels-det",
        "labels-group-group",
        "labels-scores",
        "labels-eer-group",
        "labels-counts",
        "labels-queries",
        "labels-examples-0",
        "labels-examples-1",
        "labels-examples-2",
        "labels-modes",
    ]


def test_sizes_of_faces_are_drawn_where_services_drew_boxes() -> None:
    """One figure with a curve of each of these services."""
    drawn = next(curve for curve in result().curves if curve.analysis == "label_sizes")
    sizes = [
        replace(drawn, analysis="face_sizes", provider=name, x=(32.0, 64.0), y=(2.0, 5.0))
        for name in ("acme", "bolt")
    ]
    found = identity_labels.build(Source(replace(result(), curves=(*result().curves, *sizes))))
    assert found is not None
    (figure,) = (figure for figure in found.figures if figure.name == "labels-face-sizes")
    assert figure.panels[0].alt.count("7 faces") == 2
    assert [key.name for key in figure.keys] == ["acme", "bolt"]


def test_every_printed_number_points_into_the_result() -> None:
    """Pointers of pieces lead to a value of the result."""
    content = result().to_json()
    texts = [
        view().lead[0],
        *(cell for table in view().tables for block in table.blocks for row in block.rows for cell in row),
    ]
    pointers = [piece.pointer for text in texts for piece in text if piece.pointer]
    assert len(pointers) > 30
    for pointer in pointers:
        found: object = content
        for step in pointer.strip("/").split("/"):
            found = found[int(step)] if isinstance(found, list) else found[step]  # type: ignore[index]  # plain data


def test_an_audit_of_known_subjects_has_no_such_section() -> None:
    """None where no identities are estimated."""
    assert identity_labels.build(Source(replace(result(), estimates=(), curves=()))) is None


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of the search in which everything goes wrong, its marks taken out."""
    found = troubled_search.page(troubled_search.result(tmp_path_factory.mktemp("troubled")))
    return html.unescape(re.sub(r"<[^>]+>", "", found))


@pytest.mark.parametrize(
    "sentence",
    [
        "Every service finds two or more people equally often, so the name cannot be assigned to one of them.",
        "No person has enough faces with high scores among each other: all faces may be of different people.",
        "The services find different numbers of people: one, several, or none.",
        r"bits: the scores take \d+ values only: FMR moves in steps",
        r"floored: 0 % of mated and 6\d(\.\d)? % of non-mated comparisons have the least score, 42: a floor",
        r"FMR 0\.5 lies in the floor: .* [Tt]he largest target allowed is 0\.\d+",
        r"Weak failed on \d+ of 476 faces \([45]\d %\), which it scored with no other face of their query",
        "Rates on true identity labels, except of annotated faces: labels were estimated from the services' scores",
        "Every listed pair of different subjects counts as a non-mated comparison",
    ],
)
def test_what_went_wrong_stands_in_the_report_in_words(troubled: str, sentence: str) -> None:
    """Two people, nobody, services that disagree, eight bits, a floor, half the faces failed: each has its sentence."""
    assert re.search(sentence.replace(" ", r"\s+"), troubled), sentence


def test_a_count_of_several_people_without_a_value_is_zero() -> None:
    """Of no queries at all there are neither a share nor its counts."""
    estimates = tuple(
        replace(item, value=None, numerator=None, denominator=None, note="no queries")
        if item.metric == "label_several_queries"
        else item
        for item in result().estimates
    )
    shown = identity_labels.build(Source(replace(result(), estimates=estimates)))
    assert shown is not None
    (table,) = (table for table in shown.tables if table.name == "label-several")
    assert [plain_text(cell) for cell in table.blocks[0].rows[0][1:]] == ["0", "0"]
