"""The section on sanitization, from a real small audit."""

from functools import cache

from jsonschema import Draft202012Validator
from small_audits import audit, spec

from frtaudit.config.json_schema import schema_text
from frtaudit.core import AuditResult
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import Sanitize, SanitizeStep
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections.sanitization import build
from frtaudit.report.source import Source

STEPS = (
    SanitizeStep(step=Sanitize.MIN_SAMPLES, number=3, reason="enough of each"),
    SanitizeStep(step=Sanitize.MIN_SUBJECTS, number=2),
)


@cache
def result() -> AuditResult:
    """A small audit with two steps."""
    schema = SchemaSpec(column="group", classes=("x", "y"), labels=("Ex", "Why"))
    return audit(spec(sanitize=STEPS, schemas={"group": schema})).result


def test_it_stands_only_where_steps_are_declared() -> None:
    """Without steps there is no section."""
    assert build(Source(audit(spec()).result)) is None


def test_every_step_is_a_row_with_its_reason() -> None:
    """People and samples after each step, by class, under the class's label."""
    view = build(Source(result()))
    assert view is not None
    (table,) = view.main
    assert [column.title for column in table.columns] == ["Kept", "subjects / samples", "Ex", "Why"]
    said = [plain_text(row[0]) for row in table.blocks[0].rows]
    assert said == [
        "as read",
        "subjects with at least 3 samples: enough of each",
        "classes of at least 2 subjects",
    ]
    last = [plain_text(cell) for cell in table.blocks[0].rows[-1][1:]]
    counts = result().cohort
    assert last[0] == f"{counts['subjects']}\u00a0/\u00a0{counts['samples']}"


def test_the_figure_shows_people_left() -> None:
    """One line for each class, the number asked for in the caption, what is counted in the alt text."""
    view = build(Source(result()))
    assert view is not None
    (figure,) = view.figures
    assert [key.name for key in figure.keys] == ["Ex", "Why"]
    caption = plain_text(figure.caption)
    assert "counted after: as read" in caption
    assert "Vertical line" in caption
    assert figure.panels[0].alt.startswith("Subjects left against required samples: Ex from 12 to")


def test_the_result_keeps_its_contract() -> None:
    """A result with stages follows the published schema."""
    import json

    Draft202012Validator(json.loads(schema_text("result"))).validate(json.loads(result().to_bytes()))
