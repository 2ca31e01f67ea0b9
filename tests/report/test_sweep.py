"""Tests of frtaudit.report.sweep: the page says what the table holds, and points at it."""

import json
import re
from html import unescape

import small_sweep
from landmarks import repeated

from frtaudit.core.canonical import plain
from frtaudit.core.spec import Report
from frtaudit.report import sweep, sweep_figures
from frtaudit.report.pieces import plain_text

FOUND = plain(small_sweep.sweep(0.012).to_json())
PAGE = sweep.page(FOUND, Report(), "2026-03-04", "demo")  # type: ignore[arg-type]  # JSON


def at(pointer: str) -> object:
    """What a JSON pointer into the sweep names."""
    found: object = FOUND
    for step in pointer.strip("/").split("/"):
        found = found[int(step)] if isinstance(found, list) else found[step]  # type: ignore[index]  # JSON
    return found


def test_every_pointer_resolves() -> None:
    """Whatever is printed from the sweep names a place that is there."""
    pointers = set(re.findall(r'data-p="([^"]+)"', PAGE))
    assert len(pointers) > 50
    for pointer in pointers:
        at(unescape(pointer))


def test_a_table_of_before_has_its_own_pointers() -> None:
    """The findings stood under ``rulings`` once: the page of such a table names that place, and is else the same."""
    before = {"rulings" if key == "findings" else key: value for key, value in FOUND.items()}
    page = sweep.page(before, Report(), "2026-03-04", "demo")
    pointers = set(re.findall(r'data-p="/(findings|rulings)/', page))
    assert pointers == {"rulings"}
    assert page.count('data-p="/rulings/') == PAGE.count('data-p="/findings/')


def test_whole_numbers_are_printed_as_they_stand() -> None:
    """The text beside a pointer to a whole number is that number."""
    checked = 0
    for pointer, text in re.findall(r'data-p="([^"]+)">([^<]+)</span>', PAGE):
        value = at(pointer)
        if isinstance(value, int):
            assert text == str(value)
            checked += 1
    assert checked > 5


def test_both_systems_have_lines_of_their_own() -> None:
    """A requirement on two systems of one job is two rows of verdicts, each over all jobs."""
    matrices = sweep.matrices(FOUND)  # type: ignore[arg-type]  # JSON
    assert len(matrices) == 1
    marks = [mark for _, row in matrices[0][1] for mark in row if mark is not None]
    assert len(marks) == len(FOUND["findings"])  # type: ignore[index,call-overload,arg-type]  # JSON


def test_a_system_alone_in_its_job_is_named_where_other_jobs_have_several() -> None:
    """Verdicts and numbers of one system stand under its name, however many systems its job has."""
    mixed = json.loads(json.dumps(FOUND))
    for entry in (*mixed["findings"], *mixed["rows"]):
        if entry["job"] == 1 and entry["measure"]:
            entry["measure"]["provider"] = ""  # as where the job has one system
    assert [row for row, _ in sweep.matrices(mixed)[0][1]] == [row for row, _ in sweep.matrices(FOUND)[0][1]]  # type: ignore[arg-type]  # JSON
    assert sweep.numbers_table(mixed) == sweep.numbers_table(FOUND)  # type: ignore[arg-type]  # JSON


def test_the_numbers_say_that_eer_is_pooled() -> None:
    """Where a column is EER; the other rates are in the weighting of each spec."""
    without = json.loads(json.dumps(FOUND))
    without["rows"] = [row for row in without["rows"] if row["measure"]["metric"] != "eer"]
    assert "; the equal error rate is pooled" not in sweep.page(without, Report(), "2026-03-04", "demo")
    without["rows"][0]["measure"] |= {"metric": "eer", "at": {}}
    assert "of each spec; the equal error rate is pooled." in sweep.page(
        without, Report(), "2026-03-04", "demo"
    )


def test_groups_have_their_labels() -> None:
    """A group is called what the report of a job calls it; a table without labels prints its key."""
    labelled = json.loads(json.dumps(FOUND))
    measure = {**labelled["findings"][0]["measure"], "schema": "group", "group": "amber", "label": "Amber"}
    labelled["findings"][0]["measure"] = measure
    page = sweep.page(labelled, Report(), "2026-03-04", "demo")
    assert ", group Amber" in page
    assert ", group amber" not in page
    del measure["label"]
    assert sweep_figures.measure_words(measure).endswith(", group amber")


def test_accuracies_of_a_column_have_two_places() -> None:
    """An accuracy and the ends of its interval are printed to two places of a percent, as in a report."""
    changed = json.loads(json.dumps(FOUND))
    row = changed["rows"][0]
    row["measure"] |= {"metric": "accuracy", "at": {}}
    row |= {"value": 0.987, "low": 0.976, "high": 0.99361}
    page = sweep.page(changed, Report(), "2026-03-04", "demo")
    assert [re.findall(rf'data-p="/rows/0/{end}">([^<]+)<', page)[0] for end in ("value", "low", "high")] == [
        "98.70 %",
        "97.60 %",
        "99.36 %",
    ]


def test_a_failure_that_does_not_hold_over_the_sweep_is_marked() -> None:
    """The matrix shows it as inconclusive, and says that its own run failed it."""
    marks = [mark for _, rows in sweep.matrices(FOUND) for _, row in rows for mark in row if mark]  # type: ignore[arg-type]  # JSON
    turned = [mark for mark in marks if mark.other]
    assert turned
    assert all(mark.code == "inconclusive" for mark in turned)
    assert "* fail in its run; inconclusive over the sweep" in PAGE
    alike = json.loads(json.dumps(FOUND))
    for job_finding in alike["findings"]:
        job_finding["in_sweep"] = job_finding["verdict"]
    assert "* fail in its run; inconclusive over the sweep" not in sweep.page(
        alike, Report(), "2026-03-04", "demo"
    )


def test_many_jobs_share_several_matrices() -> None:
    """Twenty-five jobs are shown twelve to a table, none left out."""
    many = json.loads(json.dumps(FOUND))
    first = many["findings"][: len(many["findings"]) // 4]
    many["jobs"] = [many["jobs"][0] | {"number": number} for number in range(1, 26)]
    many["findings"] = [item | {"job": number} for number in range(1, 26) for item in first]
    found = sweep.matrices(many)
    assert [len(jobs) for jobs, _ in found] == [12, 12, 1]
    assert [job for jobs, _ in found for job in jobs] == list(range(1, 26))


def test_a_sweep_without_requirements_says_so() -> None:
    """No empty table of verdicts."""
    none = json.loads(json.dumps(FOUND)) | {"findings": [], "family": 0}
    assert "No requirement was declared" in sweep.page(none, Report(), "2026-03-04", "unsigned")
    none["jobs"] = [job | {"counts": None} for job in none["jobs"]]
    page = sweep.page(none, Report(), "2026-03-04", "unsigned")
    assert "No job is finished" in page
    assert "No requirement was declared" not in page


def test_the_page_is_still_and_alone() -> None:
    """No script, no network, a strict policy."""
    assert "<script" not in PAGE
    assert "default-src 'none'" in unescape(PAGE)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', PAGE)


def test_no_two_landmarks_have_one_name() -> None:
    """Warnings are numbered where there are several."""
    warned = {**FOUND, "notes": ["one thing", "another"]}  # type: ignore[dict-item]  # JSON
    page = sweep.page(warned, Report(), "2026-03-04", "demo")
    assert 'aria-label="Warning 2"' in page
    assert repeated(page) == set()


def test_jobs_without_verdicts_are_not_compared_by_them() -> None:
    """Where no job has a verdict, the table of settings has a dash, not a count of none."""
    bare = json.loads(json.dumps(FOUND))
    counted = sweep.changes_table(bare)
    bare["changes"] = [{**change, "verdicts": 0, "compared": 0} for change in bare["changes"]]
    empty = sweep.changes_table(bare)
    assert counted is not None
    assert empty is not None
    for table, shown in ((counted, " of "), (empty, "–")):
        assert all(shown in plain_text(row[4]) for block in table.blocks for row in block.rows)
