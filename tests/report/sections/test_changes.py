"""What changed since the last audit. Tests also signatures, which closes the report."""

from dataclasses import replace

import pytest
from report_fixture import DATE, SETTINGS, result

from frtaudit.core import AuditResult, Verdict
from frtaudit.core.canonical import entries, mapping, sha256
from frtaudit.core.result import Previous
from frtaudit.core.spec_values import Signatory
from frtaudit.report import render
from frtaudit.report.pieces import plain_text
from frtaudit.report.section import View
from frtaudit.report.sections import changes, signatures
from frtaudit.report.source import Source


def previous(found: AuditResult | None, version: str = "1.0") -> Previous:
    """An earlier audit as intake reads it."""
    data = b"{}" if found is None else found.to_bytes()
    return Previous(data=data, sha256=sha256(data), schema_version=version, result=found)


def view(then: AuditResult) -> View:
    """The section's view for an earlier audit."""
    found = changes.build(Source(result(), SETTINGS, previous(then)))
    assert found is not None
    return found


def text_of(found: View) -> str:
    """All caveats as one text."""
    return " ".join(plain_text(item) for item in found.verdicts)


def test_without_an_earlier_audit_there_is_no_section() -> None:
    """Nothing given, nothing said."""
    assert changes.build(Source(result())) is None


def test_the_same_audit_has_nothing_to_warn_of_and_the_same_numbers() -> None:
    """An audit beside itself: no caveat, every row the same, then and now."""
    found = view(result())
    assert not found.verdicts
    rows = [row for block in found.main[0].blocks for row in block.rows]
    assert rows
    for row in rows:
        assert plain_text(row[1]) == plain_text(row[3])
        assert plain_text(row[2]) == plain_text(row[4])
        assert plain_text(row[5]) in ("the same", "–")
        assert all(
            piece.was and not piece.pointer for piece in row[1] if any(c.isdigit() for c in piece.text)
        )


def test_a_changed_number_is_shown_then_and_now() -> None:
    """A rate that was larger reads lower, with its old value and its place in the old result."""
    base = result()
    raised = tuple(
        replace(item, value=item.value * 1.5)
        if item.metric == "fnmr_at_fmr" and item.value and item.value < 0.5
        else item
        for item in base.estimates
    )
    found = view(replace(base, estimates=raised))
    rows = [row for block in found.main[0].blocks for row in block.rows]
    assert {plain_text(row[5]) for row in rows} >= {"lower"}
    places = [piece.was for row in rows for piece in row[1] if piece.was and piece.was.endswith("/value")]
    assert places


def test_what_is_not_comparable_is_said() -> None:
    """Other people, another rule, another system, another limit: a sentence each."""
    base = result()
    digests = {**base.digests, "cohort": "0" * 64}
    spec = {**base.spec, "weighting": "pooled"}
    other = tuple(replace(item, limit=item.limit / 2) for item in base.findings)
    text = text_of(view(replace(base, digests=digests, spec=spec, findings=other)))
    assert "Not the same subjects or images" in text
    assert "another primary weighting" in text
    assert "had another limit" in text
    renamed = tuple(
        replace(item, provider="old") if item.provider == "quill_2" else item for item in base.estimates
    )
    curves = tuple(item for item in base.curves if item.provider != "quill_2")
    text = text_of(view(replace(base, estimates=renamed, curves=curves)))
    assert "old was audited then" in text
    assert "quill_2 was not audited then" in text


def rows_of(view: View) -> list[list[str]]:
    """The cells of the table as texts."""
    return [[plain_text(cell) for cell in row] for block in view.main[0].blocks for row in block.rows]


def test_a_requirement_that_nothing_estimates_now_keeps_its_row_of_then() -> None:
    """What was judged then stands beside the verdict of now: a verdict that was lost is a change."""
    base = result()
    judged = next(
        finding for finding in base.findings if finding.estimate is not None and finding.bound is not None
    )
    bare = replace(judged, estimate=None, verdict=Verdict.NOT_TESTABLE, bound=None, bound_level=None, p=None)
    others = tuple(finding for finding in base.findings if finding.requirement != judged.requirement)
    now = replace(base, findings=(bare, *others))
    built = changes.build(Source(now, SETTINGS, previous(base)))
    assert built is not None
    then = [row for row in rows_of(view(base)) if row[1] != "–"]
    gone = [row for row in rows_of(built) if row[3] == "–"]
    assert len(gone) == sum(finding.requirement == judged.requirement for finding in base.findings)
    assert all(row[0].endswith(", FMR 0.1 %") for row in gone)
    assert {(row[0].removesuffix(", FMR 0.1 %"), row[1], row[2]) for row in gone} <= {
        tuple(row[:3]) for row in then
    }
    assert {row[4] for row in gone} == {"not testable"}


def test_a_threshold_of_the_same_name_is_compared_and_said_to_have_moved() -> None:
    """A file of thresholds may have other values: the requirement at its name has both numbers."""
    base = result()
    first = base.findings[0]
    place = int((first.estimate or "").rsplit("/", 1)[1])

    def at(threshold: float) -> AuditResult:
        where = {"name": "operating point", "source": "file", "threshold": threshold}
        moved = replace(base.estimates[place], at=where)
        return replace(base, estimates=(*base.estimates[:place], moved, *base.estimates[place + 1 :]))

    built = changes.build(Source(at(0.43), SETTINGS, previous(at(0.41))))
    assert built is not None
    name = base.estimates[place].provider
    assert text_of(built) == f"The threshold “operating point” of {name} had another value."
    assert "–" not in rows_of(built)[0][1:3]


def test_another_question_under_the_same_name_is_said() -> None:
    """A requirement with its name and limit at another operating point is not the one of then."""
    base = result()
    asked = [dict(mapping(each)) for each in entries(base.spec["requirements"])]
    asked[0]["group"] = "max"
    text = text_of(view(replace(base, spec={**base.spec, "requirements": asked})))
    assert (
        text
        == f"“{asked[0]['name']}” was about something else: its metric, operating point, group or rule differs."
    )


def test_a_limit_and_a_question_that_changed_are_both_said_and_rounding_is_no_change() -> None:
    """The last bits of a weighted rate depend on the grid; a requirement may change in two ways."""
    base = result()
    asked = [{**mapping(each), "at": {"fmr": 0.03}} for each in entries(base.spec["requirements"])]
    halved = tuple(replace(finding, limit=finding.limit / 2) for finding in base.findings)
    text = text_of(view(replace(base, spec={**base.spec, "requirements": asked}, findings=halved)))
    assert "“fnmr-overall” had another limit. “fnmr-overall” was about something else: " in text
    bits = tuple(
        replace(estimate, value=None if estimate.value is None else estimate.value * (1 + 1e-15))
        for estimate in base.estimates
    )
    assert {row[5] for row in rows_of(view(replace(base, estimates=bits)))} <= {"the same", "–"}


def test_what_a_variant_withheld_was_required_nevertheless() -> None:
    """Its spec names the requirement of which it holds no finding."""
    base = result()
    variant = replace(base, cohort={**base.cohort, "publication": {}}, findings=())
    text = text_of(view(variant))
    names = [str(mapping(each)["name"]) for each in entries(base.spec["requirements"])]
    assert names
    assert not [name for name in names if f"“{name}” was not required then" in text]


def test_a_publishable_variant_says_nothing_of_who_was_tested() -> None:
    """Its digest of the cohort is another one although the subjects are the same."""
    base = result()
    text = text_of(
        view(
            replace(base, cohort={**base.cohort, "publication": {}}, digests={**base.digests, "cohort": "0"})
        )
    )
    assert text.startswith("The last result is a publishable variant: ")
    assert "Not the same" not in text


def test_another_schema_version_is_not_compared() -> None:
    """A result of another version gives a sentence and no table."""
    found = changes.build(Source(result(), SETTINGS, previous(None, "0.1")))
    assert found is not None
    assert not found.main
    assert "schema version 0.1" in text_of(found)


def test_signatories_are_those_declared() -> None:
    """Names and roles as declared, else lines left blank for signature; always the way to check."""
    named = replace(SETTINGS, signatories=(Signatory(name="A. Auditor", role="Auditor"), Signatory(name="B")))
    found = signatures.build(Source(result(), named))
    assert [(item.name, item.role) for item in found.signers] == [("A. Auditor", "Auditor"), ("B", None)]
    empty = signatures.build(Source(result(), SETTINGS))
    assert not empty.declared
    assert [item.name for item in empty.signers] == ["", ""]
    assert empty.result == result().sha256
    assert any("frtaudit verify" in command for command, _ in empty.steps)


def test_a_draft_names_no_check_of_a_signature() -> None:
    """A draft says that no electronic signature covers it; it can be computed again and its digest compared."""
    draft = signatures.build(Source(result(), SETTINGS, signed=False))
    assert [command.split()[:2] for command, _ in draft.steps] == [
        ["frtaudit", "reproduce"],
        ["sha256sum", "result.json"],
    ]
    assert any("no electronic signature covers it" in text for text in draft.means)
    for status, covered in (("unsigned", False), ("demo", True), ("signed", True)):
        page = render.html(result(), SETTINGS, DATE, status)
        for text in ("the electronic signature covers the file", "frtaudit verify", "statement.dsse.json"):
            assert (text in page) is covered, (status, text)


@pytest.mark.parametrize(("kind", "ending"), [("synthetic", ""), ("templates", " cohort.root=DATA")])
def test_the_folder_of_data_is_asked_for_where_there_is_one(kind: str, ending: str) -> None:
    """Synthetic data come from the spec: the command that computes the result again names no folder."""
    spec = {**result().spec, "cohort": {"type": kind}}
    steps = signatures.build(Source(replace(result(), spec=spec), SETTINGS)).steps
    assert f"frtaudit reproduce report.pdf{ending}" in [command for command, _ in steps]


def test_the_page_shows_both() -> None:
    """Changes and signatures stand on the page; what was points into the last result only."""
    named = replace(SETTINGS, signatories=(Signatory(name="A. Auditor", role="Auditor"), Signatory(name="B")))
    page = render.html(result(), named, DATE, "unsigned", previous(result()))
    assert 'data-was="/estimates/' in page
    assert "Since the last audit" in page
    assert "No signatories were declared" not in page
    assert "<dt>Role</dt><dd></dd>" in page
