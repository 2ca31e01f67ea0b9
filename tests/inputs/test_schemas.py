"""Schemas applied to columns. Tests also class_rules, which need no data."""

import re

import numpy as np
import oracles_data
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.spec import Bins, ConflictRule, SchemaSpec
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.class_rules import check_schemas
from frtaudit.inputs.schemas import Classified, classify, subject_codes


def texts(*values: str) -> np.ndarray:
    return np.array(values, dtype=object)


def of(*subjects: int) -> np.ndarray:
    return np.array(subjects, dtype=np.int32)


def one(schema: SchemaSpec, values: tuple[str, ...], subjects: tuple[int, ...] | None = None) -> Classified:
    """Classify samples of column x, by default one per subject."""
    return classify({"s": schema}, {"x": texts(*values)}, of(*(subjects or range(len(values)))))


def codes(done: Classified, name: str = "s") -> list[int]:
    return done.classifications[name].codes.tolist()


def test_declared_classes_keep_their_order_and_labels() -> None:
    """Codes follow the declared order; labels go with it."""
    done = one(SchemaSpec(column="x", classes=("m", "f"), labels=("Men", "Women")), ("f", "m", "f"))
    assert codes(done) == [1, 0, 1]
    assert done.classifications["s"].labels == ("Men", "Women")


def test_undeclared_classes_are_the_values_sorted() -> None:
    """Without classes every distinct value is one, apart from missing and unknown ones."""
    done = one(SchemaSpec(column="x", unknown=("?",)), ("b", "a", "", "?", "unknown"))
    assert done.classifications["s"].classes == ("a", "b")
    assert codes(done) == [1, 0, -1, -1, -1]


def test_an_undeclared_value_is_refused_unless_any_value_may_be_unknown() -> None:
    """The error names value and alternatives; ``*`` turns any other value into unknown."""
    schema = SchemaSpec(column="x", classes=("f", "m"), unknown=("other",))
    with pytest.raises(
        DataError, match=r"column 'x' holds 'n'; accepted: f, m, other, nothing, or schemas.s.unknown"
    ):
        one(schema, ("f", "m", "n"))
    assert codes(one(SchemaSpec(column="x", classes=("f", "m"), unknown=("*",)), ("f", "m", "n"))) == [
        0,
        1,
        -1,
    ]


def test_an_empty_class_and_a_missing_column_are_refused() -> None:
    """A declared class needs a subject; a schema needs its column, and the error lists the others."""
    with pytest.raises(
        DataError,
        match=r"no subject is in class 'm': column 'x' holds f; accepted: schemas.s.classes=\[...\] of classes that",
    ):
        one(SchemaSpec(column="x", classes=("f", "m")), ("f", "f"))
    with pytest.raises(DataError, match=r"schemas.s.column: no column 'y'; accepted: x"):
        one(SchemaSpec(column="y"), ("f", "f"))
    with pytest.raises(
        DataError, match=r"no column 'y'; accepted: none of these data; a score list holds a class as"
    ):
        classify({"s": SchemaSpec(column="y")}, {}, np.zeros(2, np.int32))
    with pytest.raises(DataError, match="the column holds 0 classes"):
        one(SchemaSpec(column="x"), ("", ""))


def test_class_names_keep_the_joining_characters_free() -> None:
    """Names with & or | are refused, declared (usage) or found (data)."""
    with pytest.raises(DataError, match=r"'a\|b' holds & or \|"):
        one(SchemaSpec(column="x"), ("a|b", "c"))
    for schema in (
        SchemaSpec(column="x", classes=("a|b",)),
        SchemaSpec(column="x", classes=("a&b",)),
        SchemaSpec(column="x", classes=("a",), super_classes={"a&b": ("a",)}),
    ):
        with pytest.raises(SpecError, match="holds & or"):
            check_schemas({"s": schema})


@pytest.mark.parametrize("name", ["all", "each", "max", "*"])
def test_a_class_in_the_data_has_no_reserved_name(name: str) -> None:
    """As a declared one: a requirement on group all was two findings, of the class and of everybody."""
    accepted = rf"another word in the column, or schemas.s.unknown=\['{re.escape(name)}'\]"
    with pytest.raises(
        DataError, match=rf"^schemas.s: class '{re.escape(name)}' is a reserved name; accepted: {accepted}$"
    ):
        one(SchemaSpec(column="x"), (name, "b"))
    done = one(SchemaSpec(column="x", unknown=(name,)), (name, "b", "b"))
    assert codes(done) == [-1, 0, 0]


CONFLICT = (("f", "m", "f", "m", "m", "f", ""), (0, 0, 0, 1, 2, 2, 2))


def test_conflicts_need_a_rule() -> None:
    """Without a rule the error says how many subjects, which column, and which rules there are."""
    with pytest.raises(DataError) as caught:
        one(SchemaSpec(column="x", classes=("f", "m")), *CONFLICT)
    assert "schemas.s: 2 subject(s) have samples that disagree in column 'x'" in str(caught.value)
    assert "schemas.s.conflicts=drop, majority or unknown" in str(caught.value)
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(
    ("rule", "expected", "kept", "code"),
    [
        (ConflictRule.MAJORITY, [0, 1, -1, 0], [True] * 4, "conflicting_classes_majority"),
        (ConflictRule.UNKNOWN, [-1, 1, -1, 0], [True] * 4, "conflicting_classes_unknown"),
        (ConflictRule.DROP, [1, 0], [False, True, False, True], "conflicting_classes_dropped"),
    ],
)
def test_conflict_rules_are_counted(
    rule: ConflictRule, expected: list[int], kept: list[bool], code: str
) -> None:
    """Majority (ties are unknown), unknown, drop: each leaves a line of exclusions with the number of subjects."""
    values, subjects = (*CONFLICT[0], "f"), (*CONFLICT[1], 3)
    done = one(SchemaSpec(column="x", classes=("f", "m"), conflicts=rule), values, subjects)
    assert codes(done) == expected
    assert done.keep.tolist() == kept
    assert [(entry.code, entry.count, entry.unit, entry.schema) for entry in done.ledger] == [
        (code, 2, "subjects", "s")
    ]


def test_silent_samples_do_not_disagree() -> None:
    """A missing value beside a known one is no conflict."""
    done = one(SchemaSpec(column="x", classes=("f", "m")), ("f", "", "m"), (0, 0, 1))
    assert codes(done) == [0, 1]
    assert not done.ledger


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), min_size=1, max_size=30))
def test_subject_codes_agree_with_counting(samples: list[tuple[int, int]]) -> None:
    """The vectorised vote equals a count per subject."""
    subject = np.array([k for k, _ in samples] + list(range(5)), dtype=np.int32)
    code = np.array([c for _, c in samples] + [-1] * 5, dtype=np.int64)
    found = zip(*(part.tolist() for part in subject_codes(code, subject)), strict=True)
    assert list(found) == [oracles_data.subject_class(code[subject == k].tolist()) for k in range(5)]


@given(st.permutations(range(8)))
def test_the_order_of_samples_changes_nothing(order: list[int]) -> None:
    """Permuting samples leaves the classes of subjects as they were."""
    values, subjects = texts("f", "m", "m", "f", "f", "", "m", "m"), of(0, 1, 1, 2, 2, 2, 0, 1)
    schema = {"s": SchemaSpec(column="x", conflicts=ConflictRule.MAJORITY)}
    done = classify(schema, {"x": values}, subjects)
    assert codes(classify(schema, {"x": values[order]}, subjects[order])) == codes(done)


def crossed(**more: object) -> dict[str, SchemaSpec]:
    return {
        "gender": SchemaSpec(column="gender", classes=("f", "m")),
        "race": SchemaSpec(column="race", classes=("x", "y"), labels=("X", "Y")),
        "both": SchemaSpec(cross=("gender", "race"), **more),  # type: ignore[arg-type]  # fields by name
    }


COLUMNS = {"gender": texts("f", "f", "m", "", "m"), "race": texts("x", "y", "x", "x", "")}


def test_crossed_schemas_join_classes() -> None:
    """Intersections are joined with &; unknown in any part is unknown; an empty one is left out and counted."""
    done = classify(crossed(), COLUMNS, of(0, 1, 2, 3, 4))
    both = done.classifications["both"]
    assert both.classes == ("f&x", "f&y", "m&x")
    assert both.labels == ("f & X", "f & Y", "m & X")
    assert both.codes.tolist() == [0, 1, 2, -1, -1]
    assert [(entry.code, entry.group, entry.count) for entry in done.ledger] == [("empty_class", "m&y", 0)]


def test_a_crossing_may_declare_its_classes() -> None:
    """Declared intersections come in their order, the others are unknown; a declared empty one is refused."""
    done = classify(crossed(classes=("m&x", "f&x")), COLUMNS, of(0, 1, 2, 3, 4))
    assert done.classifications["both"].codes.tolist() == [1, -1, 0, -1, -1]
    with pytest.raises(DataError, match="no subject is in class 'm&y'"):
        classify(crossed(classes=("m&y",)), COLUMNS, of(0, 1, 2, 3, 4))
    with pytest.raises(SpecError, match="no crossed class 'm&z'; accepted: f&x, f&y, m&x, m&y"):
        classify(crossed(classes=("m&z",)), COLUMNS, of(0, 1, 2, 3, 4))


def test_a_part_that_drops_takes_its_subjects_from_the_crossing() -> None:
    """A subject dropped by one schema is in no schema."""
    schemas = {
        "g": SchemaSpec(column="g", conflicts=ConflictRule.DROP),
        "r": SchemaSpec(column="r"),
        "both": SchemaSpec(cross=("g", "r")),
    }
    done = classify(schemas, {"g": texts("f", "m", "f", "m"), "r": texts("x", "x", "x", "y")}, of(0, 0, 1, 2))
    assert [item.codes.size for item in done.classifications.values()] == [2, 2, 2]


def test_super_classes_stand_on_classes() -> None:
    """Super-classes name declared classes; a crossing's lose the intersections that nobody is in."""
    done = classify(crossed(super_classes={"mixed": ("f&y", "m&y")}), COLUMNS, of(0, 1, 2, 3, 4))
    assert done.classifications["both"].super_classes == {"mixed": ("f&y",)}
    taken = SchemaSpec(column="x", classes=("f", "m"), super_classes={"f": ("m",)})
    with pytest.raises(
        SpecError, match="super_classes.f: 'f' is the name of a class; accepted: another name"
    ):
        one(taken, ("f", "m", "f"), (0, 1, 2))
    with pytest.raises(SpecError, match=r"schemas.s.super_classes.light: 'z' is not a class; accepted: f, m"):
        one(SchemaSpec(column="x", super_classes={"light": ("z",)}), ("f", "m"))


def test_numbers_are_binned_by_edges() -> None:
    """A numeric column becomes classes named by the edges, or as declared; junk is refused."""
    bins = Bins(edges=(20.0, 40.0))
    done = one(SchemaSpec(column="x", bins=bins), ("19", "20", "40.5", ""))
    assert done.classifications["s"].classes == ("<20", "20-40", ">=40")
    assert codes(done) == [0, 1, 2, -1]
    named = one(SchemaSpec(column="x", bins=bins, classes=("young", "adult", "old")), ("19", "20", "40.5"))
    assert named.classifications["s"].classes == ("young", "adult", "old")
    accepted = r"a finite number such as 23.5, nothing, or schemas.s.unknown=\["  # as for a column of words
    with pytest.raises(DataError, match=f"column 'x' holds '-', 'old'; accepted: {accepted}"):
        one(SchemaSpec(column="x", bins=bins), ("19", "old", "20", "-"))
    with pytest.raises(DataError, match="column 'x' holds '18_25'; accepted"):  # it was 1825
        one(SchemaSpec(column="x", bins=bins), ("19", "20", "18_25"))
    with pytest.raises(DataError, match="column 'x' holds 'inf'"):
        one(SchemaSpec(column="x", bins=bins), ("19", "20", "inf"))
    with pytest.raises(
        DataError, match=r"no subject is in class '>=40'; accepted: schemas.s.bins.edges=\[...\] of bins"
    ):
        one(SchemaSpec(column="x", bins=bins), ("19", "20"))
    with pytest.raises(SpecError, match="2 names for the bins; accepted: none, or 3"):
        check_schemas({"s": SchemaSpec(column="x", bins=bins, classes=("a", "b"))})


def test_bins_can_be_labelled() -> None:
    """Bins keep the names of their edges as classes and are shown by labels, one for each bin."""
    bins, labels = Bins(edges=(18.0, 35.0)), ("minors", "18 to 34", "35 and over")
    done = one(SchemaSpec(column="x", bins=bins, labels=labels), ("17", "18", "35"))
    assert done.classifications["s"].classes == ("<18", "18-35", ">=35")
    assert done.classifications["s"].labels == labels
    assert done.classifications["s"].codes.tolist() == [0, 1, 2]
    with pytest.raises(
        SpecError, match="2 labels for 3 classes; accepted: one label for each declared class or bin"
    ):
        check_schemas({"s": SchemaSpec(column="x", bins=bins, labels=labels[:2])})
    with pytest.raises(SpecError, match="a label appears twice"):
        check_schemas({"s": SchemaSpec(column="x", bins=bins, labels=("a", "a", "b"))})


def test_percentiles_are_taken_within_a_group() -> None:
    """With ``within`` each group is cut at its own percentile; a subject of no group is unknown."""
    schemas = {
        "tone": SchemaSpec(column="tone", bins=Bins(percentiles=(50.0,), within="g")),
        "g": SchemaSpec(column="g"),
    }
    columns = {"tone": texts("1", "2", "10", "20", "5"), "g": texts("a", "a", "b", "b", "")}
    done = classify(schemas, columns, of(0, 1, 2, 3, 4))
    assert done.classifications["tone"].classes == ("<p50", ">=p50")
    assert codes(done, "tone") == [0, 1, 0, 1, -1]


@pytest.mark.parametrize(
    ("schemas", "message"),
    [
        ({"s": SchemaSpec()}, "needs a column or schemas to cross"),
        ({"s": SchemaSpec(column="x", cross=("a", "b"))}, "needs a column or schemas to cross"),
        ({"s": SchemaSpec(cross=("s", "s"))}, "two different schemas"),
        (
            {"s": SchemaSpec(cross=("a", "b"))},
            "schemas.s: no schema is named 'a'; accepted: a schema of column 'a' beside it: schemas.a.column$",
        ),
        (
            {"s": SchemaSpec(cross=("t", "b")), "t": SchemaSpec(column="x")},
            "schemas.s: no schema is named 'b'; accepted: t$",
        ),
        (
            {"s": SchemaSpec(cross=("t", "u"), labels=("A",))},
            "1 labels for 0 classes; accepted: .*; crossed classes are named by their parts",
        ),
        (
            {
                "s": SchemaSpec(cross=("t", "u")),
                "t": SchemaSpec(cross=("s", "u")),
                "u": SchemaSpec(column="x"),
            },
            "itself",
        ),
        ({"s": SchemaSpec(column="x", bins=Bins(percentiles=(50.0,), within="z"))}, "no schema is named 'z'"),
        ({"s": SchemaSpec(column="x", classes=("a", "a"))}, "a class appears twice"),
        ({"s": SchemaSpec(column="x", classes=("a", "unknown"))}, "'unknown' is a reserved name"),
        ({"s": SchemaSpec(column="x", classes=("a", "b"), labels=("A",))}, "1 labels for 2 classes"),
    ],
)
def test_schemas_that_cannot_be_are_refused(schemas: dict[str, SchemaSpec], message: str) -> None:
    """Each contradiction in a schema is a usage error in one line."""
    with pytest.raises(SpecError, match=message):
        check_schemas(schemas)


def test_one_subject_is_no_cohort() -> None:
    """One subject, or one left after dropping, is refused."""
    with pytest.raises(DataError, match=r"1 subject\(s\) to compare; accepted: two subjects or more"):
        classify({}, {}, of(0, 0))
    schema = SchemaSpec(column="x", conflicts=ConflictRule.DROP)
    with pytest.raises(DataError, match=r"1 subject\(s\) to compare"):
        one(schema, ("f", "m", "f"), (0, 0, 1))
