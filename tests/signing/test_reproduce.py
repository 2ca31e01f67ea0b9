"""Tests of frtaudit.signing.reproduce."""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_run import INPUTS, make_result

from frtaudit.cli.main import main as command_line
from frtaudit.core.canonical import Json
from frtaudit.core.result import AuditResult
from frtaudit.errors import DataError
from frtaudit.signing.reproduce import (
    ATOL,
    RTOL,
    ReproductionStatus,
    changed_inputs,
    compare_results,
    main,
    reproduce,
)

FLOATS = st.floats(min_value=1e-3, max_value=1e3)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


def gives(result: AuditResult) -> object:
    """A re-run that gives this result."""

    def rederive(_content: Mapping[str, Json], _run: Path, _overrides: Sequence[str]) -> AuditResult:
        return result

    return rederive


@given(TREES)
def test_a_value_equals_itself(value: Json) -> None:
    """No difference, no deviation."""
    found = compare_results(value, value)
    assert (found.differences, found.largest) == ((), 0.0)


@given(TREES, TREES)
def test_comparison_is_symmetric(first: Json, second: Json) -> None:
    """Which result came first does not matter."""
    assert compare_results(first, second) == compare_results(second, first)


@given(FLOATS, st.floats(min_value=-0.9, max_value=0.9))
def test_floats_within_the_tolerance_agree(value: float, part: float) -> None:
    """A relative change below the tolerance is measured and is no difference."""
    found = compare_results([value], [value * (1 + part * RTOL)])
    assert found.differences == ()
    assert found.largest <= RTOL


@given(FLOATS, st.floats(min_value=1.1, max_value=100))
def test_floats_beyond_the_tolerance_differ(value: float, times: float) -> None:
    """A relative change above the tolerance is a difference."""
    assert compare_results([value], [value * (1 + times * RTOL)]).differences == ("/0",)


def test_near_zero_the_absolute_tolerance_counts() -> None:
    """What cancels to nothing on one machine may leave a rounding error on another."""
    assert compare_results(0.0, ATOL / 2).differences == ()
    assert compare_results(0.0, 2 * ATOL).differences == ("",)


@pytest.mark.parametrize(
    ("first", "second"),
    [(1, 2), (1, 1.0), (10**9, 10**9 + 1), ("inf", 1e300), (True, 1), (None, 0.0), ("a", "b"), ([1], [1, 2])],
)
def test_all_but_floats_must_be_equal(first: Json, second: Json) -> None:
    """Counts, infinities, verdicts and shapes have no tolerance."""
    assert compare_results(first, second).differences == ("",)


def test_differences_are_json_pointers() -> None:
    """Keys are escaped as RFC 6901 says, and a changed set of keys is one difference at their parent."""
    first: Json = {"a/b": {"c~d": [1, 2]}, "e": {"f": 1}}
    second: Json = {"a/b": {"c~d": [1, 3]}, "e": {"g": 1}}
    assert compare_results(first, second).differences == ("/a~1b/c~0d/1", "/e")


def test_inputs_are_named_when_they_are_not_the_recorded_ones() -> None:
    """Missing and new inputs are refused by name; those that hold something else are named."""
    assert changed_inputs(INPUTS, INPUTS) == ()
    assert changed_inputs({"a": "1", "b": "2"}, {"a": "1", "b": "3"}) == ("b",)
    with pytest.raises(
        DataError, match="a is missing; c is new; accepted: .*, under the names that they had"
    ):
        changed_inputs({"a": "1", "b": "2"}, {"b": "3", "c": "4"})


def test_same_bytes_are_the_same(original: Path) -> None:
    """The result is identical: exit 0, and it says that bytes were checked."""
    found = reproduce(original, gives(make_result()))  # type: ignore[arg-type]  # a function
    assert found.exit_code == 0
    assert found.lines[0] == "checked: bytes"


def test_a_signed_pdf_alone_is_enough(original: Path) -> None:
    """The attached result stands in for the folder's."""
    assert reproduce(original / "report.pdf", gives(make_result())).status is ReproductionStatus.SAME  # type: ignore[arg-type]  # a function


def test_rounding_is_within_tolerance_only(original: Path) -> None:
    """Numbers that moved in the ninth digit: exit 3, the tolerance and the largest deviation are said."""
    found = reproduce(original, gives(make_result(0.25 * (1 + 1e-9))))  # type: ignore[arg-type]  # a function
    assert found.exit_code == 3
    assert f"{RTOL:g}" in found.lines[0]
    assert "/estimates/0" in found.lines[-1]


def test_other_versions_alone_are_within_tolerance(original: Path) -> None:
    """Versions of packages are printed, not held against the numbers."""
    again = dataclasses.replace(make_result(), versions={"numpy": "2.5.0", "scipy": "1.0"})
    found = reproduce(original, gives(again))  # type: ignore[arg-type]  # a function
    assert found.exit_code == 3
    assert "numpy 2.4.0 -> 2.5.0, scipy absent -> 1.0" in found.lines[1]


def test_another_count_differs_and_is_pointed_at(original: Path) -> None:
    """One error more: exit 2 with the JSON pointer of the count."""
    found = reproduce(original, gives(make_result(errors=2)))  # type: ignore[arg-type]  # a function
    assert found.exit_code == 2
    assert "  /estimates/0/numerator" in found.lines


def test_many_differences_are_cut_short(original: Path) -> None:
    """The first ten pointers are printed, and how many more there are."""
    cohort: dict[str, Json] = {f"c{index:02}": index for index in range(30)}
    first = dataclasses.replace(make_result(), cohort=cohort)
    second = dataclasses.replace(make_result(), cohort=dict.fromkeys(cohort, -1))
    run = original.parent / "many"
    run.mkdir(exist_ok=True)
    (run / "result.json").write_bytes(first.to_bytes())
    found = reproduce(run, gives(second))  # type: ignore[arg-type]  # a function
    assert found.lines[-1] == "  and 20 more"


def with_rows(result: AuditResult, blocks: list[str], strides: list[str], **inputs: str) -> AuditResult:
    """The result of a file with four rows."""
    rows: Json = {"unit": "row", "first": 0, "count": 4, "blocks": blocks, "strides": strides}
    digests = {**result.digests, "inputs": {**INPUTS, **inputs}, "rows": {"vendor.npz": rows}}
    return dataclasses.replace(result, digests=digests)


def test_a_changed_row_is_named_with_what_it_moves(original: Path) -> None:
    """An input that holds something else: exit 2, its name, the row, and the numbers that move."""
    run = original.parent / "rows"
    run.mkdir(exist_ok=True)
    (run / "result.json").write_bytes(with_rows(make_result(), ["a", "b"], ["c", "d"]).to_bytes())
    again = with_rows(make_result(errors=2), ["a", "x"], ["c", "y"], **{"vendor.npz": "0" * 64})
    found = reproduce(run, gives(again))  # type: ignore[arg-type]  # a function
    assert found.exit_code == 2
    assert "differs: vendor.npz: row 3 is not the one that the report was made from" in found.lines
    assert "  /estimates/0/numerator" in found.lines
    again = with_rows(make_result(), ["a", "x"], ["c", "y"], **{"vendor.npz": "0" * 64})
    assert reproduce(run, gives(again)).lines[-1] == "no number of the result moves"  # type: ignore[arg-type]  # a function


def test_another_input_without_rows_is_named(original: Path) -> None:
    """Where no digests of rows were recorded, the file is named."""
    digests = {**make_result().digests, "inputs": {**INPUTS, "vendor.npz": "0" * 64}}
    again = dataclasses.replace(make_result(), digests=digests)
    found = reproduce(original, gives(again))  # type: ignore[arg-type]  # a function
    assert found.exit_code == 2
    assert found.lines[1] == "differs: vendor.npz: is another file than the one that the report was made from"


def test_missing_inputs_could_not_be_reproduced(original: Path) -> None:
    """Other inputs than the recorded ones prove nothing about the result: exit 4, naming them."""
    again = dataclasses.replace(make_result(), digests={**make_result().digests, "inputs": {}})
    found = reproduce(original, gives(again))  # type: ignore[arg-type]  # a function
    assert found.exit_code == 4
    assert "vendor.npz is missing" in found.lines[0]


def test_a_run_that_cannot_be_repeated_is_exit_4(original: Path, tmp_path: Path) -> None:
    """Missing inputs, a missing run, and a result that cannot be read: could not, in one line."""

    def rederive(_content: Mapping[str, Json], _run: Path, _overrides: Sequence[str]) -> AuditResult:
        raise DataError("cohort.root", "no such folder", "the folder of the templates")

    assert reproduce(original, rederive).exit_code == 4
    assert "cohort.root" in reproduce(original, rederive).lines[0]
    assert reproduce(tmp_path / "absent", rederive).exit_code == 4
    for content in ("[", "[]", "{}"):
        (tmp_path / "result.json").write_text(content)
        assert reproduce(tmp_path, rederive).exit_code == 4
    (tmp_path / "draft.pdf").write_bytes(b"not a PDF")
    assert reproduce(tmp_path / "draft.pdf", rederive).exit_code == 4


def test_a_publishable_variant_is_not_computed_again(tmp_path: Path) -> None:
    """Its spec names no class that data have: exit 4, with what to reproduce instead, and nothing is computed."""
    made = make_result()
    variant = dataclasses.replace(made, cohort={**made.cohort, "publication": {}})
    (tmp_path / "result.json").write_bytes(variant.to_bytes())
    found = reproduce(tmp_path, gives(variant))  # type: ignore[arg-type]  # a function
    assert found.exit_code == 4
    assert "a publishable variant" in found.lines[0]
    assert "reproduce the run it was made of" in found.lines[0]


def test_main_passes_content_run_and_overrides(original: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The re-run gets what result.json says, where it lies, and what the caller changed."""
    asked: list[object] = []

    def rederive(content: Mapping[str, Json], run: Path, overrides: Sequence[str]) -> AuditResult:
        asked.extend((content["spec"], run, list(overrides)))
        return make_result()

    assert main([str(original), "cohort.root=faces", "threads=2"], rederive) == 0
    assert asked == [make_result().spec, original, ["cohort.root=faces", "threads=2"]]
    assert "same" in capsys.readouterr().out


def test_a_sweep_is_reproduced_job_by_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each finished job under its name; the exit code is the worst: one that differs, then one that could not."""
    jobs = [
        {"folder": name, "state": state} for name, state in (("a", "done"), ("b", "failed"), ("c", "done"))
    ]
    for job in jobs:
        (tmp_path / str(job["folder"])).mkdir()
    (tmp_path / "sweep.json").write_text(json.dumps({"jobs": jobs}))
    (tmp_path / "a" / "result.json").write_bytes(make_result().to_bytes())
    assert main([str(tmp_path)], gives(make_result())) == 4  # type: ignore[arg-type]  # a function
    said = capsys.readouterr().out
    assert "a: same" in said
    text = f"{tmp_path / 'c'}: holds no result that can be read (No such file or directory)"
    assert f"c: could not reproduce: {text}; accepted: a run folder, its signed PDF, or " in said
    (tmp_path / "c" / "result.json").write_bytes(make_result(errors=2).to_bytes())
    assert main([str(tmp_path)], gives(make_result())) == 2  # type: ignore[arg-type]  # a function
    (tmp_path / "sweep.json").write_text("{}")
    assert main([str(tmp_path)], gives(make_result())) == 4  # type: ignore[arg-type]  # a function
    assert capsys.readouterr().out.endswith("accepted: a complete sweep\n")


def test_wrong_usage_is_exit_code_4(capsys: pytest.CaptureFixture[str]) -> None:
    """2 means that the results differ: usage errors must not say so; they are one line as elsewhere."""
    for words in ([], [""], ["run", "--unknown\nsame:\x1b[2J"]):
        assert command_line(["reproduce", *words]) == 4
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("frtaudit: command line: ")
        assert line.count("accepted:") == 1


def test_the_tolerance_is_a_float32_step_with_room() -> None:
    """One unit in the last place of a single-precision score lies within the tolerance."""
    step = math.ldexp(1.0, -23)
    assert compare_results(0.7, 0.7 * (1 + step)).differences == ()
    assert json.loads(json.dumps(RTOL)) == RTOL


def test_a_deviation_of_the_tolerance_is_none() -> None:
    """Half of the larger number, of half allowed; a third of it, of less allowed, is a difference."""
    assert compare_results([1.0], [0.5], rtol=0.5).differences == ()
    assert compare_results([1.0], [0.5], rtol=0.5).largest == 0.5
    assert compare_results([1.0], [0.5], rtol=0.499).differences == ("/0",)


def test_the_largest_deviation_stands_where_it_comes_first() -> None:
    """Nowhere where nothing deviates."""
    assert compare_results([1.0, 2], [1.0, 2]).largest_at is None
    assert compare_results([1.0, 1.0], [1 + 1e-9, 1 + 1e-9]).largest_at == "/0"


@pytest.mark.parametrize(("number", "last"), [(10, "  /cohort/c9"), (11, "  and 1 more")])
def test_ten_differences_are_all_printed(number: int, last: str, tmp_path: Path) -> None:
    """From the eleventh on their number is said."""
    cohort: dict[str, Json] = {f"c{index}": index for index in range(number)}
    first, second = (
        dataclasses.replace(make_result(), cohort=each) for each in (cohort, dict.fromkeys(cohort, -1))
    )
    (tmp_path / "result.json").write_bytes(first.to_bytes())
    assert reproduce(tmp_path, gives(second)).lines[-1] == last  # type: ignore[arg-type]  # a function
