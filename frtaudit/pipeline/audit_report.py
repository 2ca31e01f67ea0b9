"""What an audit found, for a program or a notebook: as tables, figures, LaTeX, a run folder, and a page's fragment."""

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from frtaudit.config.guard import RUN_FOLDER
from frtaudit.core import AuditResult
from frtaudit.core.canonical import sha256_file
from frtaudit.core.findings import exit_code, verdict_counts
from frtaudit.core.machine.arguments import at_path, path_of, text_of
from frtaudit.core.machine.run_files import RESULT
from frtaudit.errors import SpecError, VerificationError
from frtaudit.pipeline import frames

if TYPE_CHECKING:
    import pandas as pd

    from frtaudit.core.spec import AuditSpec
    from frtaudit.pipeline.audit import Audited
    from frtaudit.pipeline.run import RunSummary
    from frtaudit.report.figure_choice import Choice
    from frtaudit.report.paper_figures import Drawing
    from frtaudit.signing.verification import Verification

__all__ = ["Intervals", "Report"]

Intervals = Literal["first", "all"]
_SHOWN = 20  # rows of a notebook's table


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """An audit's result: as tables, figures and LaTeX, and as a signed run folder.

    A notebook shows it as its answer in sentences, the first page's figure, and a table.

    Parameters
    ----------
    result : AuditResult
        All that the audit found: estimates with their intervals, curves, findings, failures, the spec.
    audited, settings : optional
        The audit in memory and its spec, as ``frtaudit.audit`` gives them: what ``save`` writes.
    places : list of Path
        The folders where this result stands, the last one first asked by ``verify``.

    Examples
    --------
    >>> import frtaudit
    >>> report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5])
    >>> frame = report.frame()
    >>> frame.query("metric == 'fnmr_at_fmr' and group == 'all'")["value"].tolist()
    [0.0]
    """

    result: AuditResult
    audited: "Audited | None" = field(default=None, compare=False)
    settings: "AuditSpec | None" = field(default=None, compare=False)
    places: list[Path] = field(default_factory=list, compare=False)

    def frame(self, intervals: Intervals = "first") -> "pd.DataFrame":
        """The estimates as a table.

        Parameters
        ----------
        intervals : {"first", "all"}
            ``"first"``: a row for each estimate, with the interval that a report prints first: for the population
            before fixed identities before independent comparisons. ``"all"``: a row for each interval.

        Returns
        -------
        pandas.DataFrame
            Columns ``provider analysis metric schema group weighting at fmr threshold value numerator denominator
            target method level low high``. ``at`` is the operating point as canonical JSON, such as ``{"fmr":0.001}``;
            ``fmr`` and ``threshold`` are its numbers. What is missing is NaN, NA in counts, None in texts.

        Raises
        ------
        SpecError
            ``intervals`` is another word.

        Examples
        --------
        >>> import frtaudit
        >>> report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5])
        >>> set(report.frame(intervals="all")["target"])
        {'comparisons_iid'}
        """
        if intervals not in ("first", "all"):
            raise SpecError("intervals", f"found {intervals!r}", "first or all")
        return frames.estimates(self.result, every=intervals == "all")

    def findings(self) -> "pd.DataFrame":
        """The requirements with their verdicts as a table, a row for each finding.

        Returns
        -------
        pandas.DataFrame
            Columns ``requirement verdict provider metric schema group weighting at fmr threshold value numerator
            denominator sense limit bound bound_level p p_adjusted sentence``; ``verdict`` is pass, fail, inconclusive
            or not_testable. Empty where no requirement is declared.

        Examples
        --------
        >>> import frtaudit
        >>> few = ["requirements=[{name: few, metric: eer, limit: 0.2}]"]
        >>> report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5], overrides=few)
        >>> report.findings()[["requirement", "verdict"]].values.tolist()
        [['few', 'not_testable']]
        """
        return frames.findings(self.result)

    def figures(self) -> tuple[str, ...]:
        """Names of the figures that the report draws, for ``figure``.

        Returns
        -------
        tuple of str
            In the order of the report.

        Examples
        --------
        >>> import frtaudit
        >>> report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5])
        >>> "det" in report.figures()
        True
        """
        from frtaudit.report.paper_figures import paper_figures

        return tuple(paper_figures(self.result))

    def figure(self, name: str, choice: "Choice | None" = None) -> "Drawing":
        """A figure of the report, with its legend.

        Parameters
        ----------
        name : str
            One of ``figures``, such as ``"det"``.
        choice : frtaudit.report.figure_choice.Choice, optional
            Only some systems, classes or metrics; width in inches, limits of the axes.

        Returns
        -------
        matplotlib.figure.Figure
            To be changed or saved: ``figure.savefig("det.pdf")``; a notebook shows it.

        Raises
        ------
        SpecError
            The report has no figure of that name, or the result nothing that was chosen.

        Examples
        --------
        >>> import frtaudit
        >>> report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5])
        >>> report.figure(report.figures()[0]).axes[0].get_xlabel()
        'FMR'
        """
        from frtaudit.report.figure_choice import Choice
        from frtaudit.report.paper_figures import paper_figures

        name = text_of("figure", name)
        if choice is not None and not isinstance(choice, Choice):
            raise SpecError("choice", f"found {choice!r}", "frtaudit.report.figure_choice.Choice(...)")
        return paper_figures(self.result, replace(choice or Choice(), names=(name,)))[name].drawing

    def tables(self) -> tuple[str, ...]:
        """Names of the tables that the report prints, for ``to_latex``.

        Returns
        -------
        tuple of str
            In the order of the report.

        Examples
        --------
        >>> import frtaudit
        >>> report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5])
        >>> "eer" in report.tables()
        True
        """
        from frtaudit.report.exports.latex import tables_of

        return tuple(tables_of(self.result))

    def to_latex(self, name: str) -> str:
        r"""A table of the report as LaTeX, with the rules of booktabs.

        Parameters
        ----------
        name : str
            One of ``tables``, such as ``"eer"``.

        Returns
        -------
        str
            A ``table`` environment with caption, label and notes.

        Raises
        ------
        SpecError
            The report has no table of that name.

        Examples
        --------
        >>> import frtaudit
        >>> report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5])
        >>> print(report.to_latex("eer").splitlines()[0])
        \begin{table}
        """
        from frtaudit.report.exports.latex import tables_of, to_latex

        tables, name = tables_of(self.result), text_of("table", name)
        if name not in tables:
            raise SpecError("table", f"found {name!r}", ", ".join(tables))
        return to_latex(tables[name])

    def save(self, folder: str | Path) -> "RunSummary":
        """Write the signed run folder of this audit, as ``frtaudit run`` does; nothing is computed again.

        Parameters
        ----------
        folder : str or Path
            A new folder, or one without a result. All files of the run appear in it, or none.

        Returns
        -------
        RunSummary
            The exit code (3: a requirement failed), the findings by verdict, the digest of the result, the report's
            path.

        Raises
        ------
        SpecError
            The report was read from a run folder, or ``folder`` holds a result.
        DataError
            ``folder`` is no path, or cannot be written to.

        Examples
        --------
        >>> import frtaudit, tempfile
        >>> report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5],
        ...                            overrides=["report.html=false", "report.pdf=false"])
        >>> report.save(tempfile.mkdtemp()).exit_code, report.verify().exit_code in (0, 3)
        (0, True)
        """
        from frtaudit.pipeline.rederive import note_paths
        from frtaudit.pipeline.run import run

        audited, settings = self.audited, self.settings
        if audited is None or settings is None:
            problem = f"a report that was read from {self.places[-1]}" if self.places else "a result alone"
            raise SpecError("save", problem, "a report of frtaudit.audit, evaluate or compare")
        place = path_of("folder", folder)
        with at_path(place, RUN_FOLDER, "folder"):
            summary = run(settings, place, exit_code, lambda: audited)
        note_paths(settings, summary.result_sha256)
        self.places.append(place)
        return summary

    def verify(self, trust: str | Path | Iterable[str | Path] = ()) -> "Verification":
        """Check the run folder of this report, offline: where it was saved last, or read from.

        Parameters
        ----------
        trust : str, Path or iterable of these
            PEM files of signers, beside those that this machine trusts.

        Returns
        -------
        Verification
            Each check with its outcome, as of ``frtaudit.verify``.

        Raises
        ------
        SpecError
            The report is in memory only.
        VerificationError
            The folder holds another result by now.

        Examples
        --------
        >>> import frtaudit
        >>> frtaudit.evaluate([0.9] * 20 + [0.2] * 20, [1] * 20 + [0] * 20, fmr=[0.5]).verify()
        Traceback (most recent call last):
        frtaudit.errors.SpecError: verify: the report is in memory only; accepted: report.save(FOLDER) first
        """
        from frtaudit.signing.verify import verify

        if not self.places:
            raise SpecError("verify", "the report is in memory only", "report.save(FOLDER) first")
        folder = self.places[-1]
        result = folder / RESULT
        if result.is_file() and sha256_file(result) != self.result.sha256:
            problem = "is another result than this report's"
            raise VerificationError(str(result), problem, "the folder as it was saved")
        return verify(folder, trust)

    def __repr__(self) -> str:
        """One line: the audit, how many estimates, the findings by verdict, and what the command line warns of."""
        from frtaudit.evaluation.result_warnings import warnings_of

        counts = verdict_counts(self.result.findings)
        verdicts = [f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items()) if count]
        summary = ", ".join(verdicts) or "no requirement"
        warnings = "".join(f"; warning: {note}" for note in warnings_of(self.result))
        return (
            f"Report({self.result.spec['name']}: {len(self.result.estimates)} estimates; {summary}{warnings})"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer in sentences, the first page's figure, findings or rates as a table."""
        from frtaudit.report.brief import answer, front_figure

        paragraphs = "".join(f"<p>{escape(sentence)}</p>" for sentence in answer(self.result))
        front, drawn = front_figure(self.result), ""
        if front is not None:
            words = escape(f"{front.title}. {front.shows}")
            png = b64encode(front.drawing.png()).decode("ascii")
            drawn = f'<img style="max-width: 36em" alt="{words}" src="data:image/png;base64,{png}">'
        return f"<p><b>{escape(repr(self))}</b></p>{paragraphs}{drawn}{_short(self)}"


def _short(report: Report) -> str:
    """The findings; without any the rates at FMR targets of everybody and each group; without these, any estimates."""
    place = ["provider", "metric", "schema", "group"]
    if report.result.findings:
        frame = report.findings()[["requirement", "verdict", *place, "value", "limit", "bound"]]
    else:
        every = report.frame()
        rates = every[every["metric"].isin(["fnmr_at_fmr", "vendor_difference"])]
        columns = [*place, "weighting", "fmr", "value", "target", "low", "high"]
        frame = (rates if len(rates) else every)[columns]
    shown = frame.astype(object).where(frame.notna(), "").replace("not_testable", "not testable")
    return str(shown.to_html(index=False, max_rows=_SHOWN, float_format="{:.4g}".format, border=0))
