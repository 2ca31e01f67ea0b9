from dataclasses import replace

import pytest
import report_fixture

from frtaudit.core import Estimate, Interval
from frtaudit.core.cohort import LedgerEntry
from frtaudit.report.pieces import Table, plain_text, sentence
from frtaudit.report.sections import failures
from frtaudit.report.source import Source


def exclusions(*entries: LedgerEntry) -> Table:
    """The table of what failed or was excluded."""
    source = Source(replace(report_fixture.result(), failures=entries))
    view = failures.build(source)
    assert view is not None
    return next(table for table in view.main if table.name == "failures-and-exclusions")


def bound(estimate: Estimate, high: float) -> Interval:
    """The interval for the population with this upper bound."""
    return replace(estimate.intervals[0], low=0.0, high=high)


def entry(provider: str | None, code: str = "no_face", count: int = 3) -> LedgerEntry:
    """So many images of a system."""
    return LedgerEntry(code=code, count=count, unit="images", provider=provider)


def cells(table: Table) -> list[tuple[str, ...]]:
    """The table's rows as text."""
    return [tuple(plain_text(cell) for cell in row) for row in table.blocks[0].rows]


def test_what_happened_alike_to_every_system_stands_once() -> None:
    """One row for all systems, without a pointer to one of them; what differs keeps a row for each."""
    names = tuple(Source(report_fixture.result()).providers)
    assert len(names) > 1
    same = [entry(name) for name in names]
    apart = [entry(name, "too_dark", count) for count, name in enumerate(names, 1)]
    table = exclusions(*same, *apart, entry(None, "unreadable"))
    assert cells(table) == [
        ("each system", "no face", "3 images"),
        *(
            (name, "too dark", "1 image" if count == 1 else f"{count} images")
            for count, name in enumerate(names, 1)
        ),
        ("each system", "unreadable", "3 images"),
    ]
    assert table.blocks[0].rows[0][0][0].pointer is None
    assert table.blocks[0].rows[1][0][0].pointer == f"/failures/{len(names)}/provider"


@pytest.mark.parametrize(("code", "words"), [
    ("sanitize_min_face_size", "excluded: face smaller than declared"),
    ("face_without_label_scores_missing", "face without label: scores missing"),
    ("no_face", "no face"),
])  # fmt: skip
def test_a_code_is_printed_in_words(code: str, words: str) -> None:
    """What excluded a sample stands before the colon, the step or the reason behind it."""
    assert cells(exclusions(entry(None, code)))[0][1] == words


def test_a_bound_above_that_of_more_failures_is_explained() -> None:
    """A system with few failures has a footnote where one with more has a lower upper bound, and no other has."""
    source = Source(report_fixture.result())
    records = [record for record in source.select("fta") if record.estimate.group == "all"]
    first, second = (record.estimate for record in records)
    for fewer, marked in ((0, True), (9, False)):
        changed = tuple(
            replace(estimate, numerator=fewer, denominator=100, intervals=(bound(estimate, 0.03),))
            if estimate is first
            else replace(estimate, numerator=5, denominator=100, intervals=(bound(estimate, 0.02),))
            if estimate is second
            else estimate
            for estimate in source.result.estimates
        )
        view = failures.build(Source(replace(source.result, estimates=changed)))
        assert view is not None
        (table,) = [table for table in view.main if table.name == "fta"]
        assert [plain_text(note) for _, note in table.notes] == [sentence(failures.FEW_FAILED)] * marked
        marks = [any(span.kind == "mark" for span in row[-1]) for row in table.blocks[0].rows]
        assert marks == [marked, False]


@pytest.mark.parametrize(("few", "rows"), [(3, 2), (1, 1)])
def test_fold_pairs_without_a_score_have_a_row(monkeypatch: pytest.MonkeyPatch, few: int, rows: int) -> None:
    """Of few systems in the table, of many in that of the annex, which the caption then names."""
    monkeypatch.setattr(failures, "FEW_SYSTEMS", few)
    table = exclusions(entry("northgate"), entry("northgate", "fold_pair_without_score", 5))
    assert len(cells(table)) == rows
    assert (("northgate", "fold pair without score", "5 images") in cells(table)) is (rows == 2)
    assert ("are in the annex" in plain_text(table.caption)) is (rows == 1)


def test_what_one_system_lacks_keeps_a_row_for_each_other() -> None:
    """Two of three systems alike are not every system."""
    names = tuple(Source(report_fixture.result()).providers)
    table = exclusions(*(entry(name) for name in names[:-1]))
    assert [row[0] for row in cells(table)] == list(names[:-1])
