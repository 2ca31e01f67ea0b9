"""A small real run, signed: WeasyPrint's PDF/A-3b with attachments, and the files beside it."""

import warnings
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from frtaudit.core.canonical import Json, digest, sha256, to_bytes
from frtaudit.core.estimates import Estimate, Interval
from frtaudit.core.findings import Verdict
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.core.methods import Method, Target
from frtaudit.core.plain.structure import plain
from frtaudit.core.result import AuditResult
from frtaudit.core.spec import Report, RequirementSpec, Weighting
from frtaudit.core.text.formatting import rate
from frtaudit.evaluation.requirements import JudgementContext, judge
from frtaudit.report import render
from frtaudit.signing.pdf.signature import sign_pdf
from frtaudit.signing.signer import Signer
from frtaudit.signing.statement import INNER_NAME, inner_statement, outer_statement

WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
PAGE = "<html lang=en><title>small</title><p>A small report</p></html>"
INPUTS = {"metadata.csv": sha256(b"metadata"), "vendor.npz": sha256(b"templates")}


def make_result(value: float = 0.25, errors: int = 1, alpha: float = 0.05) -> AuditResult:
    """A result with one estimate and one finding."""
    interval = Interval(
        low=value - 0.1, high=value + 0.1, level=0.95, method=Method.WILSON, target=Target.POPULATION
    )
    estimate = Estimate(
        provider="vendor",
        analysis="rates",
        metric="fnmr",
        schema=None,
        group="all",
        weighting="identity",
        at={"threshold": 0.5},
        value=value,
        numerator=errors,
        denominator=4,
        unit="comparisons",
        intervals=(interval,),
    )
    low = RequirementSpec(name="low", metric="fnmr", limit=1.0, at={"threshold": 0.5})
    judged = JudgementContext(estimates=(estimate,), ranked={}, alpha=alpha, weighting=Weighting.IDENTITY)
    spec = {
        "name": "small",
        "weighting": "identity",
        "bootstrap": {"B": 999, "alpha": alpha},
        "requirements": [plain(low)],
    }
    return AuditResult(
        spec=spec,
        digests={"spec": digest(spec), "cohort": sha256(b"cohort"), "inputs": INPUTS},
        versions={"frtaudit": "0.1.0", "numpy": "2.4.0"},
        estimates=(estimate,),
        curves=(),
        findings=judge([low], judged),
        failures=(),
        cohort={"samples": 4, "subjects": 2, "subjects_with_two_samples": 2, "schemas": {}},
    )


def make_page(result: AuditResult) -> bytes:
    """The page of a result: its estimate with its count and its bounds; the report's own page of a larger one."""
    if len(result.estimates) > 1:
        return render.html(result, Report(), WHEN.date().isoformat(), "signed").encode()
    (estimate,) = result.estimates
    (interval,) = estimate.intervals
    assert estimate.value is not None
    assert interval.low is not None
    assert interval.high is not None
    return (
        "<!doctype html><html lang=en><head><title>small</title></head><body><p>FNMR "
        f"<span data-p='/estimates/0/value'>{rate(estimate.value)}</span>, "
        f"<span data-p='/estimates/0/numerator'>{estimate.numerator}</span> of "
        f"<span data-p='/estimates/0/denominator'>{estimate.denominator}</span></p><p>between "
        f"<span data-p='/estimates/0/intervals/0/low'>{rate(interval.low)}</span> and "
        f"<span data-p='/estimates/0/intervals/0/high'>{rate(interval.high)}</span></p></body></html>"
    ).encode()


def render_pdf(attachments: dict[str, bytes], page: str = PAGE) -> bytes:
    """A small PDF/A-3b by WeasyPrint, the same bytes each time."""
    from weasyprint import HTML, Attachment

    files = [
        Attachment(file_obj=BytesIO(data), name=name, created=WHEN, modified=WHEN, relationship="Data")
        for name, data in attachments.items()
    ]
    with warnings.catch_warnings():
        # WeasyPrint leaves its own colour profile open.
        warnings.filterwarnings("ignore", r"unclosed file .*sRGB2014\.icc", ResourceWarning)
        made: bytes = HTML(string=page).write_pdf(
            pdf_variant="pdf/a-3b", pdf_identifier=b"0" * 16, attachments=files
        )
    return made


def write_run(folder: Path, signer: Signer, result: AuditResult | None = None) -> Path:
    """A signed run folder, made in the order of a real one."""
    made = result or make_result()
    html = make_page(made)
    files = {"result.json": made.to_bytes(), "report.json": to_bytes({"title": "small"}), "report.html": html}
    inner = inner_statement(files, str(made.digests["spec"]), dict(made.digests["inputs"]), signer, WHEN)  # type: ignore[call-overload,arg-type]  # a mapping
    on_paper = render.pdf if len(made.estimates) > 1 else lambda page, attached: render_pdf(attached, page)
    pdf = sign_pdf(on_paper(html.decode(), {**files, INNER_NAME: inner}), signer, WHEN)
    (folder / "tables").mkdir(parents=True)
    (folder / "tables/scores.parquet").write_bytes(b"PAR1 scores PAR1")
    (folder / "result.json").write_bytes(files["result.json"])
    (folder / "report.html").write_bytes(html)
    (folder / "report.pdf").write_bytes(pdf)
    (folder / "verdict.json").write_bytes(to_bytes(verdict_of(made)))
    sign_outer(folder, signer)
    return folder


def verdict_of(result: AuditResult) -> dict[str, Json]:
    """What verdict.json says of a result, run with the usual --fail-on."""
    counts: dict[str, Json] = {
        kind.value: sum(one.verdict is kind for one in result.findings) for kind in Verdict
    }
    code = 3 if counts["fail"] and "full" not in result.digests else 0
    return {"counts": counts, "exit_code": code, "result_sha256": result.sha256}


def sign_outer(folder: Path, signer: Signer) -> None:
    """Write the outer statement anew."""
    (folder / STATEMENT).write_bytes(outer_statement(folder, signer, WHEN))
