"""Transactions in print: a row for each number of attempts, rates with failures to enrol."""

from pathlib import Path

from attempt_files import TIMED, audited
from composed_faces import composed_spec
from small_audits import same_class_audit

from frtaudit.core import AuditResult
from frtaudit.core.spec import Report
from frtaudit.pipeline.audit import audit
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import cohort, failures, summary, transactions
from frtaudit.report.source import Source


def test_each_number_of_attempts_has_a_row(tmp_path: Path) -> None:
    """Three tables; all attempts and fewer at the threshold; FRR of transactions is not in the section on failures."""
    source = Source(audited(tmp_path, far=()))
    view = transactions.build(source)
    assert view is not None
    assert [table.name for table in view.tables] == ["transactions", "transactions-generalised", "fte"]
    (block,) = view.tables[0].blocks
    assert plain_text(block.head).endswith("threshold 0.5")
    rows = [[plain_text(cell) for cell in row] for row in block.rows]
    assert [row[0] for row in rows[::3]] == ["first", "first 2", "all allowed"]
    assert len(rows) == 9
    assert len(view.tables[1].blocks[0].rows) == 3
    other = failures.build(source)
    assert other is None or "frr" not in {table.name for table in other.tables}


def test_each_operating_point_is_a_block(tmp_path: Path) -> None:
    """A FAR target and the threshold have a head each, below it that point's rows alone."""
    view = transactions.build(Source(audited(tmp_path)))
    assert view is not None
    heads = [plain_text(block.head).partition(" ")[2] for block in view.tables[0].blocks]
    assert sorted(heads) == ["FAR 10 %", "threshold 0.5"]
    assert {len(block.rows) for block in view.tables[0].blocks} == {9}


def test_the_declared_rules_are_said(tmp_path: Path) -> None:
    """The time-out, one direction or both, and that transactions are composed, in the caption of the rates."""
    timed = audited(tmp_path, text=TIMED, far=(), fmr=(), timeout=30.0, ordered=False)
    composed = audit(composed_spec(tmp_path / "faces", ordered=True)).result
    said = []
    for result in (timed, AuditResult.from_json(timed.to_json()), composed):
        view = transactions.build(Source(result))
        assert view is not None
        said.append(plain_text(view.tables[0].caption))
    assert said[0] == said[1]
    assert "An attempt that ends after 30 s does not count. Of two subjects who claim each other's" in said[0]
    assert "Composed of a subject's images: a reference, then attempts, 2 for each transaction." in said[2]
    assert "Both directions" in said[2]


def test_samples_of_attempts_are_not_called_images(tmp_path: Path) -> None:
    """Page 1 and the cohort's tables count people alone: a sample stands for an attempt or a reference there."""
    source = Source(audited(tmp_path, far=()))
    facts = dict(summary.build(source, Report(), "2026-01-02").facts)
    assert "subjects" in plain_text(facts["Subjects"])
    assert "images" not in plain_text(facts["Subjects"])
    assert [title for title, _ in cohort.build(source).totals] == ["subjects"]


def test_no_section_without_transactions() -> None:
    """An audit of comparisons has none."""
    assert transactions.build(Source(same_class_audit())) is None
