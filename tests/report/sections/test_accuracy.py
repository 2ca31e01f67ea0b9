"""The tables of accuracy: systems by test sets with the lowest two marked, and disjoint minus overlap."""

import re
from dataclasses import replace

from goldilocks_audits import curate_spec
from one_scale import unequal
from small_audits import audit, spec

from frtaudit.analyses.accuracy import Accuracy
from frtaudit.core import AuditResult
from frtaudit.core.spec import Folds, FoldSource, PairSetSpec
from frtaudit.datasets.protocols.sampled import Sampled
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import accuracy
from frtaudit.report.source import Source


def result(sets: int) -> AuditResult:
    """An audit with so many test sets."""
    folds = Folds(source=FoldSource.DISJOINT, k=3, overlap=True)
    made = {
        f"set_{n}": PairSetSpec(pairs=Sampled(mated=40 + 10 * n), folds=replace(folds, overlap=n == 0))
        for n in range(sets)
    }
    return audit(spec("accuracy", test_sets=made)).result


def test_systems_by_test_sets_with_the_lowest_two_marked() -> None:
    """Each system's two smallest accuracies of four are marked, and the caption says so."""
    found = result(4)
    view = accuracy.build(Source(found))
    assert view is not None
    table = view.main[0]
    assert [column.title for column in table.columns] == ["System", "set 0", "set 1", "set 2", "set 3"]
    assert "lowest two" in plain_text(table.caption)
    for row in table.blocks[0].rows:
        name = row[0][0].text
        marked = [any("low" in piece.kind.split() for piece in cell) for cell in row[1:]]
        values = [
            item.value or 0 for item in found.estimates if item.metric == "accuracy" and item.provider == name
        ]
        assert sum(marked) >= 2
        edge = sorted(values)[1]
        assert marked == [value <= edge for value in values]


def test_one_set_has_no_matrix_and_its_difference_a_table() -> None:
    """With one test set there is nothing to compare across; disjoint minus overlap stands with its interval."""
    view = accuracy.build(Source(result(1)))
    assert view is not None
    assert [table.name for table in view.tables] == [
        "accuracy-intervals",
        "accuracy-classes",
        "accuracy-delta",
        "accuracy-folds-set_0",
    ]
    cells = [plain_text(cell) for cell in view.tables[2].blocks[0].rows[0]]
    assert cells[0] == "set 0"
    assert " to " in cells[4] or "none" in cells[4]
    assert re.fullmatch(r"\d+ / \d+", cells[5])
    assert all(re.fullmatch(r"\d+\.\d\d %", cell) for cell in (cells[1], cells[2]))
    assert all(
        re.fullmatch(r"−?\d+\.\d{3}\d* %", part)
        for part in (cells[3], *cells[7].split(", "))
        if part != "0.000 %"
    )
    assert "200 random deals" in plain_text(view.tables[2].caption)


def test_systems_stand_under_the_set_they_were_trained_on() -> None:
    """Blocks by declared training set, undeclared ones under their own heading; without declarations no heading."""
    found = result(2)
    plain = accuracy.build(Source(found))
    named = accuracy.build(Source(replace(found, spec={**found.spec, "trained_on": {"two": "WebFaces"}})))
    assert plain is not None
    assert named is not None
    assert [plain_text(block.head) for block in plain.main[0].blocks] == [""]
    assert [plain_text(block.head) for block in named.main[0].blocks] == [
        "Training set not declared",
        "Trained on WebFaces",
    ]
    assert "as declared" in plain_text(named.main[0].caption)


def test_accuracy_by_class_with_the_skewed_error_ratio() -> None:
    """A row for each class, its interval beside it, then the ratio, which has none."""
    view = accuracy.build(Source(result(1)))
    assert view is not None
    rows = [[plain_text(cell) for cell in row] for row in view.tables[1].blocks[0].rows]
    assert [row[0].split(": ")[0] for row in rows] == ["group"] * len(rows)
    assert rows[-1][0] == "group: skewed error ratio"
    assert all(" to " in row[3] for row in rows[:-1])
    assert " to " not in rows[-1][3]


def test_systems_against_each_other() -> None:
    """A block for each pair of systems, with their training sets where declared; a row for each test set."""
    made = spec("accuracy", test_sets={"a": PairSetSpec(folds=Folds(source=FoldSource.DISJOINT, k=3))})
    made = replace(made, analyses={"accuracy": Accuracy(against={"one": "two"})}, trained_on={"one": "Faces"})
    view = accuracy.build(Source(audit(made).result))
    assert view is not None
    table = next(item for item in view.tables if item.name == "accuracy-systems")
    assert plain_text(table.blocks[0].head) == "one (trained on Faces) against two"
    cells = [plain_text(cell) for cell in table.blocks[0].rows[0]]
    assert cells[0] == "a"
    assert re.match(r"−?\d+\.\d{3} %", cells[1])


def test_sets_chosen_by_a_system_are_named() -> None:
    """Where the spec says that pairs were chosen by a system's scores, the captions that compare systems say so."""
    found = result(2)
    rules = {"pairs": {"type": "curated", "rules": {"matcher": "one"}}}
    told = replace(
        found, spec={**found.spec, "test_sets": {"set_0": rules, "set_1": {"pairs": {"type": "sampled"}}}}
    )
    plain, named = (accuracy.build(Source(item)) for item in (found, told))
    assert plain is not None
    assert named is not None
    assert "chosen by the scores" not in plain_text(plain.main[0].caption)
    assert " Pairs of set 0 were chosen by the scores of one, " in plain_text(named.main[0].caption)
    of_files = {name: {"folds": {"source": "file"}} for name in ("set_0", "set_1")}
    given = replace(found, spec={**found.spec, "test_sets": of_files, "protocol": rules["pairs"]})
    listed = accuracy.build(Source(given))
    assert listed is not None
    assert "chosen by the scores" not in plain_text(listed.main[0].caption)


def test_test_sets_have_one_scale() -> None:
    """Folds of every test set are drawn on the same axis."""
    assert not unequal(lambda: accuracy.build(Source(result(2))))


def test_the_spread_of_folds_is_not_called_the_uncertainty_of_the_mean() -> None:
    """The caption names what the spread comes from, and where the interval of the mean is."""
    view = accuracy.build(Source(result(1)))
    assert view is not None
    caption = plain_text(view.figures[0].caption)
    assert "the sampling of pairs and of subjects and from the fitted thresholds" in caption
    assert "not the uncertainty of the mean, whose interval is in the tables" in caption


def test_every_accuracy_has_two_decimals() -> None:
    """Values, intervals, classes and folds alike, in every table."""
    view = accuracy.build(Source(result(1)))
    assert view is not None
    tables = {table.name: table for table in (*view.main, *view.tables)}
    said = " ".join(
        plain_text(part)
        for name in ("accuracy", "accuracy-intervals", "accuracy-classes", "accuracy-folds-set_0")
        for block in tables[name].blocks
        for row in block.rows
        for part in row
    )
    accuracies = [number for number in re.findall(r"(\d+(?:\.\d+)?) %", said) if 50 < float(number) < 100]
    assert len(accuracies) > 10
    assert {number for number in accuracies if not re.fullmatch(r"\d+\.\d{2,}", number)} == {"95"}  # a level


def test_the_one_curated_set_is_said_to_be_chosen_by_a_system() -> None:
    """The report of a run with one set made by rules says whose scores chose its pairs, beside the accuracies."""
    made = curate_spec()
    alone = replace(
        made,
        test_sets={"curated": made.test_sets["curated"]},
        analyses={"accuracy": made.analyses["accuracy"]},
    )
    view = accuracy.build(Source(audit(alone).result))
    assert view is not None
    assert [table.name for table in view.main] == ["accuracy"]
    said = (
        " Pairs of curated were chosen by the scores of one, which can make them harder for it than for other"
    )
    assert said in plain_text(view.main[0].caption)
    assert "folds alike" in " ".join(plain_text(text) for _, text in view.tables[0].notes)
