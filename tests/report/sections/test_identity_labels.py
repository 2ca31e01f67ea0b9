from dataclasses import replace
from functools import cache

from rapid_audits import result

from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import identity_labels
from frtaudit.report.source import Source


@cache
def view() -> identity_labels.Labels:
    """The section of the shared rapid test."""
    found = identity_labels.build(Source(result()))
    assert found is not None
    return found


def test_the_reader_is_warned_before_the_first_number() -> None:
    """Nobody said who is who; how many labels agree where faces were annotated."""
    text = plain_text(view().lead)
    assert text.startswith("Nobody said who is on which image.")
    assert "of the labels agree (" in text


def test_without_annotation_the_report_says_what_it_cannot() -> None:
    """No agreement, no confusion table, no dots of right faces."""
    kept = tuple(
        item for item in result().estimates if item.metric not in ("label_agreement", "label_confusion")
    )
    bare = replace(result(), estimates=kept, curves=())
    found = identity_labels.build(Source(bare))
    assert found is not None
    assert "cannot say how right the labels are" in plain_text(found.lead)
    assert "label-confusion" not in {table.name for table in found.tables}


def test_tables_and_figures_stand_by_name() -> None:
    """Queries, confusion, rates, groups; curves, counts, examples."""
    assert [table.name for table in view().tables] == [
        "label-queries",
        "label-confusion",
        "label-rates",
        "label-groups",
    ]
    assert [item.name for item in view().figures] == [
        "labels-all",
        "labels-bands",
        "labels-det",
        "labels-group-group",
        "labels-scores",
        "labels-eer-group",
        "labels-counts",
        "labels-queries",
        "labels-examples",
    ]


def test_every_printed_number_points_into_the_result() -> None:
    """Pointers of pieces lead to a value of the result."""
    content = result().to_json()
    texts = [
        view().lead,
        *(cell for table in view().tables for block in table.blocks for row in block.rows for cell in row),
    ]
    pointers = [piece.pointer for text in texts for piece in text if piece.pointer]
    assert len(pointers) > 30
    for pointer in pointers:
        found: object = content
        for step in pointer.strip("/").split("/"):
            found = found[int(step)] if isinstance(found, list) else found[step]  # type: ignore[index]  # plain data


def test_an_audit_of_known_subjects_has_no_such_section() -> None:
    """None where nobody asked who is who."""
    assert identity_labels.build(Source(replace(result(), estimates=(), curves=()))) is None
