"""Tests of frtaudit.core.identity."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from full_specs import to_full

from frtaudit.config.plugins import load_plugins
from frtaudit.core import registry
from frtaudit.core.identity import check_types, from_plain, plugin, spec_digest, to_plain, without_analyses
from frtaudit.core.registry import lookup, register
from frtaudit.core.spec import AuditSpec, Folds, FoldSource, Report, SchemaSpec
from frtaudit.errors import SpecError

load_plugins()


@register("analysis", "test_identity")
@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    """A toy analysis with a weight."""

    weight: float = 0.5


def a_spec() -> AuditSpec:
    """A spec with a path, a provider by name and one by type, two schemas."""
    return AuditSpec(
        name="mine",
        cohort=lookup("cohort", "templates", "")(root="faces"),
        protocol=lookup("protocol", "all_pairs", "")(),
        analyses={"toy": Toy(weight=0.25)},
        schemas={"b": SchemaSpec(column="b"), "a": SchemaSpec(column="a")},
        providers=("one", lookup("provider", "cosine", "")(name="two")),
        folds=Folds(source=FoldSource.FILE, file="folds.csv"),
        report=Report(title="Mine"),
    )


def test_from_full_is_the_same_spec() -> None:
    """The whole spec comes back from its plain data."""
    assert from_plain(to_full(a_spec())) == a_spec()


def test_identity_has_no_path_machine_setting_or_report() -> None:
    """Paths, thread counts and the report's words are no part of the identity."""
    plain = to_plain(a_spec())
    assert "report" not in plain
    assert "threads" not in plain
    assert "root" not in plain["cohort"]  # type: ignore[operator]  # a mapping
    assert "file" not in plain["folds"]  # type: ignore[operator]  # a mapping
    other = replace(a_spec(), threads=7, report=Report(title="Other"))
    assert to_plain(other) == plain


def test_paths_complete_an_identity() -> None:
    """With its paths, an identity is the spec again, but for the report."""
    again = from_plain(
        to_plain(a_spec()) | {"inputs": {}}, {"cohort.root": "faces", "folds.file": "folds.csv"}
    )
    assert again == replace(a_spec(), report=Report())


def test_plugins_are_named_by_type() -> None:
    """A plug-in stands with its registered name; a provider by name stays a name."""
    plain = to_plain(a_spec())
    assert plain["analyses"] == {"toy": {"type": "test_identity", "weight": 0.25}}
    assert plain["providers"][0] == "one"  # type: ignore[index]  # a list
    assert plain["providers"][1]["type"] == "cosine"  # type: ignore[index, call-overload]  # of mappings


def test_digest_knows_inputs_by_name_and_content() -> None:
    """The digest changes with an input's name or sha256, and not with its path."""
    spec = a_spec()
    moved = replace(spec, cohort=replace(spec.cohort, root="elsewhere"))
    assert spec_digest(spec, {"a.csv": "0"}) == spec_digest(moved, {"a.csv": "0"})
    assert spec_digest(spec, {"a.csv": "0"}) != spec_digest(spec, {"a.csv": "1"})
    assert spec_digest(spec, {"a.csv": "0"}) != spec_digest(spec, {"b.csv": "0"})


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"sed": 1}, "spec: unknown key 'sed' (did you mean 'seed'?)"),
        (
            {"cohort": None},
            (
                "cohort: no value; accepted: one of: attempts, bob, bob_measure, pyeer, queries, runs, scores, "
                "synthetic, synthetic_queries, synthetic_releases, synthetic_traits, templates"
            ),
        ),
        ({"cohort": {"type": "tempaltes"}}, "cohort.type: no cohort is named 'tempaltes'"),
        ({"cohort": {"root": "x"}}, "cohort.type: no value"),
        (
            {"cohort": "x"},
            (
                "cohort: found 'x'; accepted: a mapping with type and fields; a preset: - override /cohort: x among "
                "a file's defaults, or cohort=x"
            ),
        ),
        (
            {"protocol": {"type": "all_pairs", "file": "x"}},
            "protocol: unknown key 'file'; accepted: ",
        ),
        ({"cohort": {"type": "templates"}}, "cohort.root: no value; accepted: a path: cohort.root=PATH"),
        ({"analyses": ["toy"]}, "analyses: found a list"),
        ({"analyses": {"toy": {"type": "test_identity", "wait": 1}}}, "analyses.toy: unknown key 'wait'"),
        ({"providers": "one"}, "providers: found 'one'"),
        ({"providers": [3]}, "providers[0]: found 3 (a number)"),
        ({"spec_version": "2"}, "spec_version: found '2'; accepted: \"1\""),
        ({"bootstrap": {"plans": ["image"]}}, "bootstrap.plans[0]: found 'image' (did you mean 'images'?)"),
    ],
)
def test_refusals_name_the_place(change: Mapping[str, object], line: str) -> None:
    """Unknown keys, types and names are refused in one line."""
    with pytest.raises(SpecError) as caught:
        from_plain({**to_full(a_spec()), **change})
    assert str(caught.value).startswith(line)


def test_a_missing_part_is_named() -> None:
    """A spec without cohort says which cohorts there are."""
    plain = to_full(a_spec())
    del plain["cohort"]
    with pytest.raises(
        SpecError,
        match="^cohort: no value; accepted: attempts, bob, bob_measure, pyeer, queries, runs",
    ):
        from_plain(plain)


def test_a_path_into_a_number_is_refused() -> None:
    """A dotted name that leads through a value is refused."""
    with pytest.raises(SpecError, match=r"^seed\.x: 'seed' holds no keys"):
        from_plain(to_plain(a_spec()), {"seed.x": "1"})


def test_a_name_alone_is_its_type() -> None:
    """An analysis without a type is of the type that its name says."""
    assert plugin("analysis", {}, "analyses.x", default="test_identity") == Toy()


def test_metrics_of_a_plug_in_may_be_a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """An analysis that is imported, as those of other wheels are, stands in the spec as it will be."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))

    @register("analysis", "metrics_in_a_field")
    @dataclass(frozen=True, slots=True)
    class MetricsInAField:
        metrics: tuple[str, ...] = ("beauty",)

    analyses = {"metrics_in_a_field": {}}
    assert without_analyses(to_full(a_spec()) | {"analyses": analyses}).analyses == {
        "metrics_in_a_field": MetricsInAField()
    }


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"seed": 1.5}, "seed: found 1.5; accepted: a whole number"),
        ({"spec_version": "9"}, "spec_version: found '9'; accepted: "),
        ({"cohort": Report()}, "cohort: found Report("),
        ({"providers": (Report(),)}, "providers[0]: found Report("),
        ({"analyses": {"toy": 5}}, "analyses.toy: found 5; accepted: an instance of one of: "),
    ],
)
def test_fields_replaced_in_python_are_of_their_types(fields: dict[str, object], error: str) -> None:
    """A spec passes as it was made; what another type or class replaces is refused with its place."""
    check_types(a_spec())
    with pytest.raises(SpecError) as caught:
        check_types(replace(a_spec(), **fields))  # type: ignore[arg-type]  # what a test sets
    assert str(caught.value).startswith(error)
