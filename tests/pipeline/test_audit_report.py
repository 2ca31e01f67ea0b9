import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_audits import whole

import frtaudit
from frtaudit import Report, SpecError, VerificationError, audit, load_report
from frtaudit.core import AuditResult

COLUMNS = [
    *(
        "provider",
        "analysis",
        "metric",
        "schema",
        "group",
        "weighting",
        "at",
        "fmr",
        "threshold",
        "value",
        "numerator",
        "denominator",
    ),
    *("target", "method", "level", "low", "high"),
]


@pytest.fixture(scope="module")
def report() -> Report:
    """A small whole audit, with findings."""
    return Report(whole().result)


def test_a_row_is_an_estimate(report: Report) -> None:
    """The result's estimates in their order, in exactly the promised columns; counts are whole numbers."""
    frame, estimates = report.frame(), report.result.estimates
    assert list(frame.columns) == COLUMNS
    assert len(frame) == len(estimates)
    for name in ("provider", "metric", "group", "schema"):
        assert [value if isinstance(value, str) else None for value in frame[name]] == [
            getattr(item, name) for item in estimates
        ]
    assert frame["numerator"].dtype == "Int64"
    assert frame["numerator"].isna().tolist() == [item.numerator is None for item in estimates]
    rates = frame.query("metric == 'fnmr_at_fmr' and weighting == 'pooled'")
    assert ((rates["numerator"] / rates["denominator"] - rates["value"]).abs() < 1e-12).all()


def test_a_row_is_an_interval(report: Report) -> None:
    """With all intervals each has its row: method, target, level and bounds of the result."""
    frame = report.frame(intervals="all")
    held = [interval for item in report.result.estimates for interval in item.intervals]
    assert list(frame.columns) == COLUMNS
    assert len(frame) == len(held) > len(report.result.estimates) / 2
    assert frame["method"].tolist() == [interval.method.value for interval in held]
    assert frame["low"].dropna().tolist() == [interval.low for interval in held if interval.low is not None]


def test_another_word_for_intervals_is_refused(report: Report) -> None:
    """One line, with the words that are accepted."""
    with pytest.raises(SpecError, match="intervals: found 'some'; accepted: first or all"):
        report.frame(intervals="some")  # type: ignore[arg-type]  # the test asks for it


def test_a_notebook_shows_the_answer_a_figure_and_a_table(report: Report) -> None:
    """The first page's sentences, a picture with its words and the findings; text of the data is escaped."""
    page = report._repr_html_()
    assert page.index("<p>") < page.index('<img style="max-width: 36em" alt="') < page.index("<table")
    assert page.count("<tr") == 1 + len(report.result.findings)
    assert "None" not in page
    assert "\n" not in repr(report)
    assert f"{len(report.result.estimates)} estimates" in repr(report)
    estimate = replace(report.result.estimates[0], provider="<script>")
    forged: AuditResult = replace(report.result, estimates=(estimate,), findings=(), curves=())
    assert "<script>" not in Report(forged)._repr_html_()


def test_what_is_saved_is_the_run_and_is_verified(tmp_path: Path) -> None:
    """An audit in memory is written without being made again; another result in its folder is noticed."""
    words = [
        "audit=demo",
        "cohort.subjects=24",
        "bootstrap.B=199",
        "analyses=[error_rates]",
        "requirements=[]",
    ]
    report = audit([*words, "report.html=false", "report.pdf=false"])
    with pytest.raises(
        SpecError, match=r"verify: the report is in memory only; accepted: report.save\(FOLDER\)"
    ):
        report.verify()
    assert report.save(tmp_path / "run").result_sha256 == report.result.sha256
    assert report.verify().exit_code in (0, 3)  # 3: the demo key is trusted by its own machine alone
    read = load_report(tmp_path / "run")
    assert read == report
    assert read.verify().exit_code == report.verify().exit_code
    with pytest.raises(
        SpecError, match="save: a report that was read from .*; accepted: a report of frtaudit.audit"
    ):
        read.save(tmp_path / "again")
    (tmp_path / "run" / "result.json").write_text("{}")
    with pytest.raises(VerificationError, match="another result than this report's"):
        report.verify()


def test_importing_the_report_loads_no_pandas() -> None:
    """Pandas is loaded when a table is asked for."""
    code = "import sys, frtaudit; frtaudit.Report; print({*sys.modules} & {'pandas', 'matplotlib', 'hydra'})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_figures_and_tables_by_name() -> None:
    """A figure is one of matplotlib, a table LaTeX; an unknown name is refused with the names that there are."""
    result = whole().result
    curves = tuple(
        item for item in result.curves if item.analysis in ("roc", "det")
    )  # the rest takes long to draw
    few = tuple(item for item in result.estimates if item.metric == "eer")
    report = Report(replace(result, estimates=few, findings=(), curves=curves))
    assert report.figure("det").axes[0].get_ylabel() == "FNMR"
    assert set(report.figures()) > {"det", "roc"}
    assert report.to_latex("eer").startswith("\\begin{table}\n\\caption{Equal error rate")
    assert "eer" in report.tables()
    with pytest.raises(SpecError, match=r"figure: found 'dte' \(did you mean 'det'\?\); accepted: roc, det"):
        report.figure("dte")
    with pytest.raises(SpecError, match="table: found 'err'; accepted: "):
        report.to_latex("err")


def test_scores_that_are_distances_are_warned_of() -> None:
    """On the line that Python prints and in what a notebook shows, as at the end of a run on the command line."""
    scores, mated = [0.1] * 20 + [0.8] * 20, [1] * 20 + [0] * 20
    report = frtaudit.evaluate(scores, mated, fmr=[0.5])
    for shown in (repr(report), report._repr_html_()):
        assert "warning: system: mated comparisons score lower on average than non-mated ones" in shown
    assert "warning" not in repr(frtaudit.evaluate([-score for score in scores], mated, fmr=[0.5]))
