import copy
import os
import pickle
import re
import signal
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from small_audits import REQUIREMENTS, TARGETS, spec
from vendor_audits import VENDORS, runs

import frtaudit
from frtaudit.core.canonical import dumps, mapping
from frtaudit.core.spec import Bootstrap, RequirementSpec, Thresholds
from frtaudit.core.spec import Report as Settings
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline import audit as auditing
from frtaudit.pipeline.door import load_spec
from frtaudit.pipeline.rederive import rederive
from frtaudit.report.figures.canvas import ink
from frtaudit.signing.reproduce import reproduce

QUICK = ["bootstrap.B=199", "thresholds.grid={kind: explicit, values: [0.5]}"]
NO_REPORT = ["report.html=false", "report.pdf=false", "report.sign=false"]
SETTINGS = ["thresholds.fmr=[0.1]", *QUICK, "analyses=[error_rates,differentials,failures]"]


def comparisons() -> dict[str, Any]:
    """Scores of all pairs of 24 people with three samples each, a few of them failed, in two groups."""
    rng = np.random.default_rng(5)
    people = [(f"p{k:02d}_{shot}", f"p{k:02d}", "fm"[k % 2]) for k in range(24) for shot in range(3)]
    pairs = [(a, b) for i, a in enumerate(people) for b in people[:i]]
    mated = np.array([a[1] == b[1] for a, b in pairs])
    scores = np.where(mated, 0.7, 0.3) + 0.15 * rng.normal(size=mated.size)
    scores[rng.choice(mated.size, 9, replace=False)] = np.nan
    sample, subject, sex = (tuple([pair[side][i] for pair in pairs] for side in (0, 1)) for i in range(3))
    return {"scores": scores, "mated": mated, "samples": sample, "subjects": subject, "groups": {"sex": sex}}


@pytest.fixture(scope="module")
def evaluated() -> frtaudit.Report:
    """What the arrays come to."""
    return frtaudit.evaluate(**comparisons(), fmr=[0.1], overrides=QUICK)


def test_arrays_give_the_numbers_of_the_same_score_list(evaluated: frtaudit.Report, tmp_path: Path) -> None:
    """Every estimate, interval and count equals that of an audit of a file with the same lines."""
    given = comparisons()
    columns = {"probe": given["samples"], "subject": given["subjects"], "sex": given["groups"]["sex"]}
    table = {"score": given["scores"], "mated": given["mated"].astype(int)}
    for name, (probe, reference) in columns.items():
        table[f"probe_{name}".replace("probe_probe", "probe")] = probe
        table[f"reference_{name}".replace("reference_probe", "reference")] = reference
    pd.DataFrame(table).to_csv(tmp_path / "system.csv", index=False)
    schema = "+schemas.sex={column: sex, classes: [f, m]}"
    listed = frtaudit.audit(["audit=scores", f"cohort.root={tmp_path / 'system.csv'}", schema, *SETTINGS])
    assert len(listed.result.estimates) > 40
    assert listed.result.estimates == evaluated.result.estimates
    assert listed.result.failures == evaluated.result.failures
    assert listed.result.digests["cohort"] == evaluated.result.digests["cohort"]


def test_a_table_gives_the_numbers_of_its_columns(evaluated: frtaudit.Report) -> None:
    """Columns by name, usual names unasked, groups as a list or by their columns: the result of the same arrays."""
    given = comparisons()
    usual = {"score": given["scores"], "y_true": given["mated"].astype(int)}
    names = {"samples": ("probe", "reference"), "subjects": ("probe_subject", "reference_subject")}
    for argument, columns in names.items():
        usual |= dict(zip(columns, given[argument], strict=True))
    usual |= dict(zip(("probe_sex", "reference_sex"), given["groups"]["sex"], strict=True))
    table = pd.DataFrame(usual)
    asked: dict[str, Any] = {"fmr": [0.1], "overrides": QUICK}
    assert frtaudit.evaluate(table, groups=["sex"], **asked) == evaluated
    assert frtaudit.evaluate(table, groups="sex", **{**asked, "fmr": asked["fmr"][0]}) == evaluated
    own = table.set_axis(list("abcdefgh"), axis=1)
    named = {"score": "a", "mated": "b", "probe": "c", "reference": "d", "subjects": ("e", "f")}
    assert frtaudit.evaluate(own, groups={"sex": ("g", "h")}, **named, **asked) == evaluated
    assert frtaudit.evaluate(table.drop(columns="y_true"), groups=["sex"], **asked) == evaluated
    bare = frtaudit.evaluate(table[["score", "y_true", "probe", "reference"]], fmr=[0.1]).frame("all")
    assert set(bare["target"]) == {"comparisons_iid"}


@pytest.mark.parametrize(
    ("columns", "names", "line"),
    [
        (["x"], {}, "score: no column is named score or similarity; accepted: score=COLUMN"),
        (["score"], {}, "mated: no column says which comparisons are mated; accepted: mated=COLUMN"),
        (
            ["score", "same"],
            {"mated": "sane"},
            "mated: the table has no column 'sane' (did you mean 'same'?)",
        ),
        (
            ["score", "same"],
            {"mated": [1, 0]},
            "mated: an array with a table; accepted: the name of a column",
        ),
        (
            ["score", "same"],
            {"mated": "same", "subjects": "who"},
            "subjects: found 'who'; accepted: two columns",
        ),
        (
            ["score", "same"],
            {"mated": "same", "groups": ["sex"]},
            "groups: the table has no column 'sex', nor both probe_sex and reference_sex; accepted: groups={'sex'",
        ),
        (
            ["score", "same"],
            {"mated": "same", "probe": "x"},
            "probe and reference: the table has no column 'x'",
        ),
    ],
)
def test_columns_that_are_not_there_are_one_line(
    columns: list[str], names: dict[str, Any], line: str
) -> None:
    """The argument, what was found, and the columns or the form that would be accepted."""
    table = pd.DataFrame({name: [0.5, 1.0] for name in columns})
    with pytest.raises(DataError, match="^" + re.escape(line)):
        frtaudit.evaluate(table, **names)
    with pytest.raises(DataError, match="mated: found 'same' with an array of scores"):
        frtaudit.evaluate([0.5], "same")
    with pytest.raises(DataError, match="groups: names of columns with an array"):
        frtaudit.evaluate([0.5], [1], groups=["sex"])


def test_numbers_become_groups_by_the_bins_of_a_schema() -> None:
    """Ages of both people of each comparison, and edges among the overrides: the classes are the bins."""
    given = comparisons()
    ages = tuple([15 + int(who[1:]) for who in side] for side in given["subjects"])
    bins = "+schemas.age={column: age, bins: {edges: [20, 30]}}"
    words = ["analyses=[error_rates]", *QUICK, bins]
    report = frtaudit.evaluate(**{**given, "groups": {"age": ages}}, fmr=[0.1], overrides=words)
    assert {item.group for item in report.result.estimates if item.schema == "age"} >= {
        "<20",
        "20-30",
        ">=30",
    }


def test_without_samples_the_population_stays() -> None:
    """Rates and intervals for the population are the same; fixed identities get none, and a note says why."""
    given = comparisons()
    whole = frtaudit.evaluate(**given, fmr=[0.1], overrides=QUICK)
    bare = frtaudit.evaluate(**{**given, "samples": None}, fmr=[0.1], overrides=QUICK)
    frames = [report.frame("all").query("target == 'population'") for report in (whole, bare)]
    assert len(frames[0]) > 20
    pd.testing.assert_frame_equal(*(frame.reset_index(drop=True) for frame in frames))
    assert "fixed_identities" in set(whole.frame("all")["target"])
    assert "fixed_identities" not in set(bare.frame("all")["target"])
    assert any("samples are not named" in note for note in bare.result.notes)
    asked = "intervals=[{method: recentered, target: fixed_identities}]"
    with pytest.raises(SpecError, match="without samples; accepted: samples="):
        frtaudit.evaluate(**{**given, "samples": None}, fmr=[0.1], overrides=[*QUICK, asked])


def test_nobody_named_is_independent_comparisons() -> None:
    """Scores alone get their rates, and intervals of independent comparisons only."""
    given = comparisons()
    scores, mated = given["scores"], given["mated"]
    frame = frtaudit.evaluate(scores, mated, fmr=[0.1], system="mine").frame("all")
    assert set(frame["target"]) == {"comparisons_iid"}
    assert set(frame["provider"]) == {"mine"}
    row = frame.query("metric == 'fnmr_at_fmr'").iloc[0]
    known = mated & np.isfinite(scores)
    threshold = np.sort(scores[~mated & np.isfinite(scores)])[::-1][
        int(0.1 * (~mated & np.isfinite(scores)).sum())
    ]
    assert (row["numerator"], row["denominator"]) == ((scores[known] <= threshold).sum(), known.sum())


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"mated": [True]}, "mated: 1 values; accepted: 2556, one for each score"),
        ({"subjects": (["a"], ["a"])}, "subject of probe: 1 values"),
        (
            {"subjects": None},
            r"subjects: None, but samples or groups are given; accepted: subjects=\(probe, reference\)",
        ),
        ({"scores": "x"}, "scores: not an array of numbers"),
        (
            {"scores": [True], "mated": [0.9]},
            r"scores: an array of booleans; accepted: scores first, then labels",
        ),
        ({"scores": [1], "mated": [0.9]}, r"mated row 0: .* evaluate\(scores, mated\); scikit-learn has"),
        ({"scores": [[0.1]]}, r"scores: an array of shape \(1, 1\)"),
        ({"mated": np.ones(2556)}, "a mated line disagrees with the subjects"),
        ({"mated": np.full(2556, 3)}, "mated row 0: 3 says neither mated nor non-mated"),
        (
            {"mated": ["1"] * 2555 + ["maybe"]},
            "mated row 2555: 'maybe' says neither .* accepted: 1 or 0, true",
        ),
        (
            {"mated": np.array([1, -1] * 1278, dtype=object)},
            "mated row 1: -1 says neither mated nor non-mated",
        ),
        ({"mated": [[1], [1, 0]]}, "mated: not an array of numbers"),
        ({"scores": [[1], [1, 0]]}, "scores: not an array of numbers"),
        ({"scores": np.array([0.1 + 1j])}, "scores: an array of complex numbers; accepted: real numbers"),
        ({"scores": np.array([7], "datetime64[s]")}, "scores: an array of dates; accepted: real numbers"),
        (
            {"scores": np.zeros(1, dtype=[("a", float)])},
            "scores: an array of records; accepted: real numbers",
        ),
        ({"groups": {"subject": (["a"], ["a"])}}, "groups: 'subject' is the name of another column"),
        ({"samples": (["a"],)}, "samples: 1 arrays; accepted: two"),
    ],
)
def test_arrays_that_do_not_fit_are_one_line(changed: dict[str, Any], line: str) -> None:
    """A wrong length, shape, kind or a contradiction names the array, and what would be accepted."""
    with pytest.raises(DataError, match=line):
        frtaudit.evaluate(**{**comparisons(), **changed}, fmr=[0.1])


def test_labels_may_be_the_words_of_a_score_list(evaluated: frtaudit.Report) -> None:
    """As texts, in a list or an array, of any case."""
    given = comparisons()
    for yes, no in (("True", "False"), ("genuine", " impostor "), ("1", "0")):
        words = np.where(given["mated"], yes, no)
        report = frtaudit.evaluate(**{**given, "mated": words.tolist()}, fmr=[0.1], overrides=QUICK)
        assert report.frame().equals(evaluated.frame())


def test_a_tuple_is_one_name(evaluated: frtaudit.Report) -> None:
    """Lists of tuples name a subject each, as a column of tuples does."""
    given = comparisons()
    people = tuple([(name, 1) for name in side] for side in given["subjects"])
    report = frtaudit.evaluate(**{**given, "subjects": people}, fmr=[0.1], overrides=QUICK)
    assert report.frame()["value"].tolist() == evaluated.frame()["value"].tolist()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda report: pickle.loads(pickle.dumps(report))])
def test_a_report_can_be_copied(copied: Callable[[frtaudit.Report], frtaudit.Report], tmp_path: Path) -> None:
    """Also to another process: a copy has the same numbers, and writes the same files."""
    once = frtaudit.evaluate(**comparisons(), fmr=[0.1], overrides=[*QUICK, *NO_REPORT])
    again = copied(once)
    assert again.frame("all").equals(once.frame("all"))
    written = [tmp_path / "a", tmp_path / "b"]
    for report, folder in zip((once, again), written, strict=True):
        report.save(folder)
    for name in ("result.json", "tables/scores.parquet", "tables/tail.parquet"):
        assert len({(folder / name).read_bytes() for folder in written}) == 1


def test_a_run_takes_two_arguments(tmp_path: Path) -> None:
    """A run of overrides can be reproduced; load_report reads the result that audit gives."""
    small = [
        "audit=scores",
        f"cohort.root={_written(tmp_path)}",
        *SETTINGS[:-1],
        "analyses=[error_rates]",
    ]
    summary = frtaudit.run([*small, *NO_REPORT], tmp_path / "run")
    assert summary.exit_code == 0
    assert len(repr(summary)) < 400
    read = frtaudit.load_report(tmp_path / "run")
    assert read.result.sha256 == summary.result_sha256
    assert read.result == frtaudit.audit(load_spec(small)).result
    assert reproduce(tmp_path / "run", rederive).exit_code == 0
    with pytest.raises(SpecError, match="already contains a result"):
        frtaudit.run([*small, *NO_REPORT], str(tmp_path / "run"))


def _written(folder: Path) -> Path:
    given = comparisons()
    columns = {
        "probe": given["samples"][0],
        "reference": given["samples"][1],
        "probe_subject": given["subjects"][0],
        "reference_subject": given["subjects"][1],
        "score": given["scores"],
    }
    pd.DataFrame(columns).to_csv(folder / "vendor.csv", index=False)
    return folder / "vendor.csv"


def test_a_failed_requirement_is_the_exit_code_of_the_command(tmp_path: Path) -> None:
    """A run from a typed spec ends with 3 where a requirement fails, as the command does."""
    made = spec(
        "error_rates",
        bootstrap=Bootstrap(B=199),
        thresholds=Thresholds(fmr=TARGETS),
        requirements=REQUIREMENTS[1:],
        report=Settings(sign=False, html=False, pdf=False),
    )
    assert frtaudit.run(made, tmp_path / "run").exit_code == 3


@pytest.mark.parametrize(("limit", "at"), [(float("nan"), {"fmr": 0.1}), (0.1, {"threshold": float("nan")})])
def test_a_typed_spec_is_checked_as_one_of_words(limit: float, at: dict[str, Any]) -> None:
    """A number that is none is refused before anything is signed that would not verify."""
    asked = RequirementSpec(name="r", metric="fnmr_at_fmr" if "fmr" in at else "fnmr", at=at, limit=limit)
    with pytest.raises(SpecError, match=r"^requirements\[0\]\..*found .*nan"):
        frtaudit.audit(spec(requirements=(asked,)))


def test_a_folder_that_cannot_be_one_is_the_argument_s(tmp_path: Path) -> None:
    """The error names what a caller gave, not a key of the command line."""
    (tmp_path / "file").touch()
    small = [
        "audit=demo",
        "cohort.subjects=24",
        "analyses=[error_rates]",
        "requirements=[]",
        "report.sign=false",
    ]
    with pytest.raises(
        DataError, match="^folder: a file stands where a folder is needed; accepted: a writable"
    ):
        frtaudit.run(small, tmp_path / "file")


def test_runs_are_compared_by_name() -> None:
    """A mapping names the systems; nothing is written."""
    report = frtaudit.compare({f"new {name}": runs() / name for name in VENDORS}, ["bootstrap.B=199"])
    assert {f"new {name}" for name in VENDORS} <= set(report.frame()["provider"])
    assert report.result.choice


def test_one_text_is_no_list_of_overrides() -> None:
    """The error says how to write it."""
    with pytest.raises(SpecError, match=r"spec: the text 'audit=demo'; accepted: a list: \['audit=demo'\]"):
        frtaudit.audit("audit=demo")
    with pytest.raises(SpecError, match=r"overrides: the text 'seed=1'; accepted: a list: \['seed=1'\]"):
        frtaudit.evaluate([0.1], [1], overrides="seed=1")
    with pytest.raises(SpecError, match=r"overrides: the text 'seed=1'; accepted: a list: \['seed=1'\]"):
        frtaudit.compare([runs() / "one"], "seed=1")
    with pytest.raises(SpecError, match=r"runs: the text 'one'; accepted: a list: \['one'\]"):
        frtaudit.compare("one")


def test_names_of_runs_are_given_by_a_mapping() -> None:
    """The error says how, of two systems of one name and of the words of the command line."""
    one = str(runs() / "one")
    with pytest.raises(
        SpecError, match=r"^compare: found 'A=.*/one'; accepted: a mapping: \{'A': '.*/one', \.\.\.\}$"
    ):
        frtaudit.compare([f"A={one}", f"B={one}"])


def test_a_missing_review_file_is_told_before_data_are_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By the functions of a program as by the command, and a run leaves no folder."""
    monkeypatch.setattr(auditing, "prepare", pytest.fail)
    monkeypatch.chdir(tmp_path)
    words = ["audit=demo", "analyses.identity_check.reviewed=missing.csv"]
    for door in (frtaudit.audit, lambda spec: frtaudit.run(spec, tmp_path / "run")):
        with pytest.raises(DataError, match=r"missing\.csv"):
            door(words)
    assert not list(tmp_path.iterdir())


def test_scores_that_name_nobody_need_no_review_file() -> None:
    """The analysis that would read it is not made."""
    scores, mated = np.r_[np.linspace(0.4, 1, 60), np.linspace(0, 0.6, 90)], np.repeat([1, 0], [60, 90])
    reviewed = ["analyses.identity_check.reviewed=missing.csv", *QUICK]
    assert frtaudit.evaluate(scores, mated, fmr=[0.1], overrides=reviewed).result.estimates


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"system": ""}, "system: found ''; accepted: text with a visible character"),
        ({"system": "a\nb"}, r"system: found 'a\\nb'"),
        ({"system": 5}, "system: found 5"),
        ({"subjects": 5}, "subjects: found 5; accepted: two arrays"),
        ({"subjects": "ab"}, "subjects: found 'ab'; accepted: two arrays"),
        ({"samples": 5}, "samples: found 5; accepted: two arrays"),
        ({"groups": {"sex": None}}, "sex: found None; accepted: two arrays"),
        ({"fmr": "0.1"}, "fmr: found '0.1'; accepted: a number"),
        ({"fmr": {0.1: 1}}, r"fmr: found \{0.1: 1\}"),
        ({"fmr": np.linspace(0.1, 0.9, 1001)}, "fmr: found 1001 targets; accepted: at most 1000"),
        ({"score": "x"}, "score: found 'x' with an array of scores"),
        ({"reference": 5}, "reference: found 5 with an array of scores"),
        ({"fmr": 0.5 + 5j}, r"fmr: found \(0.5\+5j\)"),
        ({"fmr": 10**400}, "fmr: found 1000"),
        ({"overrides": None}, "overrides: found None; accepted: a list"),
    ],
)
def test_arguments_of_another_kind_are_one_line(given: dict[str, Any], line: str) -> None:
    """Each names the argument, what was found and what is accepted."""
    with pytest.raises((DataError, SpecError), match=line):
        frtaudit.evaluate(**{**comparisons(), "fmr": [0.1], **given})


def test_arrays_of_names_have_one_axis() -> None:
    """A column of shape (P, 1) is refused, as of scores."""
    every = comparisons()
    probes, references = every["subjects"]
    with pytest.raises(DataError, match=r"subject of probe: an array of shape \(\d+, 1\)"):
        frtaudit.evaluate(**{**every, "subjects": (np.array(probes)[:, None], references)}, fmr=[0.1])


def test_what_the_file_system_says_of_a_path_is_one_line(tmp_path: Path) -> None:
    """Of a name that is too long, and of a folder that holds a result: the argument's name, not a spec's key."""
    report = frtaudit.evaluate(
        [0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5], overrides=NO_REPORT
    )
    long = "x" * 300
    assert frtaudit.verify(long).exit_code == 4
    for use in (frtaudit.load_report, report.save, lambda place: frtaudit.compare([place])):
        with pytest.raises(DataError, match="the name is too long"):
            use(long)
    report.save(tmp_path)
    with pytest.raises(SpecError, match="^folder: .* already contains a result.json"):
        report.save(tmp_path)
    for wrong in (lambda: report.figure(["det"]), lambda: report.to_latex(None)):  # type: ignore[arg-type]
        with pytest.raises(SpecError, match="accepted: text"):
            wrong()
    with pytest.raises(SpecError, match="choice: found 5"):
        report.figure("det", 5)  # type: ignore[arg-type]


def test_figures_leave_the_callers_backend_alone() -> None:
    """It is what the caller chose, also where a figure was drawn before."""
    report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5])
    before = mpl.get_backend()
    report._repr_html_()
    try:
        for chosen in ("svg", "pdf"):
            mpl.use(chosen)
            report.figure("det").png()
            assert mpl.get_backend() == chosen
    finally:
        mpl.use(before)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"failures": "score_zero"}, "failures: found 'score_zero'; accepted: FailureScore.APART, "),
        ({"seed": 1.5}, "seed: found 1.5; accepted: a whole number"),
        ({"seed": True}, "seed: found True"),
        ({"seed": np.int64(3)}, r"seed: found np.int64\(3\)"),
        ({"question": 5}, "question: found 5; accepted: text"),
        ({"spec_version": "9"}, "spec_version: found '9'"),
        ({"weighting": "pooled"}, "weighting: found 'pooled'; accepted: Weighting.POOLED, "),
        ({"bootstrap": None}, r"bootstrap: found None; accepted: Bootstrap\("),
        ({"bootstrap": Bootstrap(B=199.0)}, "bootstrap.B: found 199.0"),  # type: ignore[arg-type]
        ({"thresholds": Thresholds(fmr=0.1)}, "thresholds.fmr: found 0.1; accepted: a tuple"),  # type: ignore[arg-type]
        ({"analyses": ("error_rates",)}, "analyses: found"),
        ({"requirements": ({},)}, r"requirements\[0\]: found \{\}; accepted: RequirementSpec"),
        ({"intervals": ("wilson",)}, r"intervals\[0\]: found 'wilson'"),
        ({"cohort": None}, "cohort: found None; accepted: an instance of one of: "),
        ({"providers": (5,)}, r"providers\[0\]: found 5"),
    ],
)
def test_a_replaced_field_of_another_type_is_refused(given: dict[str, Any], line: str) -> None:
    """Nothing is computed by a value that the record would print as another."""
    with pytest.raises(SpecError, match=f"^{line}"):
        frtaudit.audit(replace(load_spec(["audit=demo", "cohort.subjects=24"]), **given))


SCORES, KINDS = [0.9] * 40 + [0.2, 0.3, 0.7, 0.1] * 20, [1] * 40 + [0] * 80
PEOPLE = ([f"a{k}" for k in range(40)] * 3, [f"a{k}" for k in range(40)] + [f"b{k}" for k in range(80)])


def test_lists_of_a_replaced_spec_are_tuples() -> None:
    """As ``thresholds.fmr=[0.1]`` is on the command line; a number of NumPy is one."""
    spec = load_spec(["audit=demo", "cohort.subjects=24", "requirements=[]", *SETTINGS])
    listed = replace(spec, thresholds=replace(spec.thresholds, fmr=[0.1]))  # type: ignore[arg-type]
    assert frtaudit.audit(listed).frame().equals(frtaudit.audit(spec).frame())
    of_numpy = replace(spec, bootstrap=replace(spec.bootstrap, alpha=np.float64(spec.bootstrap.alpha)))
    assert frtaudit.audit(of_numpy).frame().equals(frtaudit.audit(spec).frame())


@pytest.mark.parametrize("more", ["probe", "reference", "probe_subject"])
def test_a_column_of_one_side_that_nobody_named_is_not_looked_at(more: str) -> None:
    """Only with its counterpart is it one of a list."""
    people = {"probe_subject": PEOPLE[0], "reference_subject": PEOPLE[1]}
    table = pd.DataFrame({"score": SCORES, "mated": KINDS, **({} if more in people else people)})
    alone = frtaudit.evaluate(table, fmr=[0.5], overrides=QUICK)
    assert frtaudit.evaluate(table.assign(**{more: PEOPLE[0]}), fmr=[0.5], overrides=QUICK) == alone


def test_a_table_may_flag_what_did_not_fail() -> None:
    """False beside a score is no code."""
    table = pd.DataFrame({"score": SCORES, "mated": KINDS, "failure": [False] * 120})
    plain = frtaudit.evaluate(table.drop(columns="failure"), fmr=[0.5], overrides=QUICK)
    assert frtaudit.evaluate(table, fmr=[0.5], overrides=QUICK) == plain


def test_a_table_keeps_failure_codes_and_refuses_one_beside_a_score() -> None:
    """As of a score list: a failed comparison with a score is not counted as a score."""
    codes = [""] * 36 + ["no_face"] * 4 + [""] * 80
    people = {"probe_subject": PEOPLE[0], "reference_subject": PEOPLE[1]}
    table = pd.DataFrame({"score": SCORES, "mated": KINDS, "failure": codes, **people})
    for given in (table, table.drop(columns=list(people))):
        with pytest.raises(DataError, match="^scores row 36: both a score and a failure code, 'no_face'"):
            frtaudit.evaluate(given, fmr=[0.5])
    table.loc[36:39, "score"] = np.nan
    failed = frtaudit.evaluate(table, fmr=[0.5], overrides=QUICK).result.failures
    assert {entry.code for entry in failed} == {"no_face"}


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"samples": PEOPLE}, "samples: an argument of arrays, with a table"),
        ({"probe": "a"}, "probe and reference: no column of the references"),
        ({"subjects": 5}, "subjects: found 5; accepted: two columns"),
        ({"subjects": pd.DataFrame({"a": [1], "b": [2]})}, "subjects: found a table"),
        ({"groups": {"sex": None}}, "groups: found None; accepted: two columns"),
        ({"groups": {"sex": 3}}, "groups: found 3; accepted: two columns"),
        ({"groups": {"sex": (None, None)}}, "groups: no columns of 'sex'"),
        ({"score": "c"}, "scores row 1: 'n/a' is not a number"),
        ({"mated": "d"}, "mated row 1: no value"),
    ],
)
def test_arguments_of_the_other_form_and_kind_are_refused_with_a_table(
    given: dict[str, Any], line: str
) -> None:
    """Nothing that was given is left out in silence."""
    table = pd.DataFrame({"score": SCORES, "mated": KINDS, "a": PEOPLE[0], "b": PEOPLE[1]})
    table["c"] = ["0.9", "n/a"] * 60
    table["d"] = pd.array([True, pd.NA, *[False] * 118], dtype="boolean")
    with pytest.raises(DataError, match=f"^{line}"):
        frtaudit.evaluate(table, fmr=[0.5], **given)


def test_names_of_pandas_and_numpy_are_names_like_others() -> None:
    """Columns that are numbers, an index of groups, targets in a Series, a set: the same report."""
    sex = (["f", "m"] * 60, ["f", "m"] * 20 + ["m ", "f"] * 40)
    sides = dict(zip(("probe_sex", "reference_sex"), sex, strict=True))
    table = pd.DataFrame({"score": SCORES, "mated": KINDS, "a": PEOPLE[0], "b": PEOPLE[1], **sides})
    asked: dict[str, Any] = {"subjects": pd.Series(["a", "b"]), "overrides": QUICK}
    wanted = frtaudit.evaluate(table, groups=["sex"], fmr=[0.5], **{**asked, "subjects": ("a", "b")})
    for groups in (pd.Index(["sex"]), np.array(["sex"])):
        assert frtaudit.evaluate(table, groups=groups, fmr=pd.Series([0.5]), **asked) == wanted
    numbered = table.set_axis(range(6), axis=1)
    columns: dict[str, Any] = {"score": 0, "mated": "1", "subjects": (2, 3), "groups": {"sex": (4, 5)}}
    assert frtaudit.evaluate(numbered, fmr={0.5}, overrides=QUICK, **columns) == wanted
    assert frtaudit.audit(np.array(["audit=demo", "cohort.subjects=24", "requirements=[]"])).result.estimates


@pytest.mark.parametrize("word", ["unknown", "*"])
def test_groups_take_what_a_list_takes(word: str) -> None:
    """``unknown`` is no class, and an override of one key leaves the others; too many classes are refused."""
    sex = (["f", "m", word] * 40, ["f", "m", word] * 13 + ["f"] + ["m", "f"] * 40)
    override = [] if word == "unknown" else ['schemas.sex.unknown=["*"]']
    given: dict[str, Any] = {"subjects": (range(120), [*range(40), *range(200, 280)]), "fmr": [0.5]}
    spec = frtaudit.evaluate(
        SCORES, KINDS, groups={"sex": (sex[0], sex[1])}, overrides=[*override, *QUICK], **given
    ).result.spec
    assert '"classes":["f","m"]' in dumps(mapping(spec["schemas"])["sex"])
    many = [f"class {number}" for number in range(1200)]
    scores, kinds = [*SCORES] * 10, [*KINDS] * 10
    people = (range(1200), [row if kind else row + 5000 for row, kind in enumerate(kinds)])
    with pytest.raises(DataError, match="^schemas.sex: the column holds 1200 classes; accepted: 1 to 1000"):
        frtaudit.evaluate(scores, kinds, subjects=people, groups={"sex": (many, many)}, fmr=[0.5])


def test_a_working_folder_that_was_removed_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on the command line."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(DataError, match="^working folder: it was removed"):
        load_spec(["audit=demo"])


def test_drawing_in_threads_leaves_the_settings_of_matplotlib(tmp_path: Path) -> None:
    """Reports that are saved at once are the same files, and what ``ink`` sets is taken back."""
    report = frtaudit.evaluate(SCORES, KINDS, fmr=[0.5], overrides=["report.pdf=false", "report.sign=false"])
    before, filters = dict(mpl.rcParams), list(warnings.filters)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: report.save(tmp_path / str(number)), range(4)))
    assert dict(mpl.rcParams) == before
    assert warnings.filters == filters


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_of_a_fork_draws_while_its_parent_did() -> None:
    """The lock that a thread of the parent holds is not the child's."""
    with ThreadPoolExecutor(1) as threads:
        drawing, free = threading.Event(), threading.Event()

        def hold() -> None:
            with ink():
                drawing.set()
                free.wait()

        threads.submit(hold)
        drawing.wait()
        child = os.fork()
        if not child:
            signal.alarm(20)
            with ink():
                os._exit(0)
        free.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
