"""What an audit found, for a program or a notebook: the result itself, as a table, and as a page's fragment."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Literal

from frtaudit.core import AuditResult, Estimate, Interval
from frtaudit.core.canonical import dumps
from frtaudit.core.records import to_json
from frtaudit.errors import SpecError
from frtaudit.report.source import Bounds, Record

if TYPE_CHECKING:
    import pandas as pd

    from frtaudit.report.figure_choice import Choice
    from frtaudit.report.paper_figures import Drawing

__all__ = ["Intervals", "Report"]

Intervals = Literal["first", "all"]
_WHERE = ("provider", "analysis", "metric", "schema", "group", "weighting")
_TYPES = {
    **dict.fromkeys((*_WHERE, "at", "target", "method"), "object"),
    **dict.fromkeys(("value", "level", "low", "high"), "float64"),
    **dict.fromkeys(("numerator", "denominator"), "Int64"),
}
_COLUMNS = (*_WHERE, "at", "value", "numerator", "denominator", "target", "method", "level", "low", "high")
_SHOWN = 20  # rows of a notebook's table


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """An audit's result, with a table of it.

    A notebook shows it as its findings and its first estimates.

    Parameters
    ----------
    result : AuditResult
        All that the audit found: estimates with their intervals, curves, findings, failures, the spec.

    Examples
    --------
    >>> import frtaudit
    >>> report = frtaudit.evaluate([0.9] * 20 + [0.2, 0.7] * 10, [1] * 20 + [0] * 20, fmr=[0.5])
    >>> frame = report.frame()
    >>> frame.query("metric == 'fnmr_at_fmr' and group == 'all'")["value"].tolist()
    [0.0]
    """

    result: AuditResult

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
            Columns ``provider analysis metric schema group weighting at value numerator denominator target method
            level low high``. ``at`` is canonical JSON, such as ``{"fmr":0.001}``. What is missing is NaN,
            NA in counts, None in texts.

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
        import pandas as pd

        if intervals not in ("first", "all"):
            raise SpecError("intervals", f"found {intervals!r}", "first or all")
        chosen = _every if intervals == "all" else _first
        rows = [_row(estimate, interval) for estimate, interval in chosen(self.result)]
        columns = {name: pd.Series([row[name] for row in rows], dtype=_TYPES[name]) for name in _COLUMNS}
        return pd.DataFrame(columns)

    def figures(self) -> tuple[str, ...]:
        """Names of the figures that the report draws, for :meth:`figure`."""
        from frtaudit.report.paper_figures import paper_figures

        return tuple(paper_figures(self.result))

    def figure(self, name: str, choice: "Choice | None" = None) -> "Drawing":
        """A figure of the report, with its legend.

        Parameters
        ----------
        name : str
            One of :meth:`figures`, such as ``"det"``.
        choice : frtaudit.report.paper_figures.Choice, optional
            Only some systems, classes or metrics; width in inches, limits of the axes.

        Returns
        -------
        matplotlib.figure.Figure
            To be changed or saved: ``figure.savefig("det.pdf")``.

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

        return paper_figures(self.result, replace(choice or Choice(), names=(name,)))[name].drawing

    def tables(self) -> tuple[str, ...]:
        """Names of the tables that the report prints, for :meth:`to_latex`."""
        from frtaudit.report.exports.latex import tables_of

        return tuple(tables_of(self.result))

    def to_latex(self, name: str) -> str:
        r"""A table of the report as LaTeX, with the rules of booktabs.

        Parameters
        ----------
        name : str
            One of :meth:`tables`, such as ``"eer"``.

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

        tables = tables_of(self.result)
        if name not in tables:
            raise SpecError("table", f"found {name!r}", ", ".join(tables))
        return to_latex(tables[name])

    def __repr__(self) -> str:
        """One line: the audit, how many estimates, the findings by verdict."""
        counts = Counter(finding.verdict.value for finding in self.result.findings)
        verdicts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items()))
        said = verdicts or "no requirement"
        return f"Report({self.result.spec['name']}: {len(self.result.estimates)} estimates; {said})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        items = "".join(
            f"<li>{escape(finding.verdict.value.replace('_', ' '))}: {escape(finding.sentence)}</li>"
            for finding in self.result.findings
        )
        table = self.frame().to_html(index=False, max_rows=_SHOWN, na_rep="", border=0)
        return f"<p>{escape(repr(self))}</p><ul>{items}</ul>{table}"


def _every(result: AuditResult) -> Iterator[tuple[Estimate, Interval | None]]:
    return ((estimate, interval) for estimate in result.estimates for interval in estimate.intervals)


def _first(result: AuditResult) -> Iterator[tuple[Estimate, Interval | None]]:
    """Each estimate with the interval that the report prints first, if it has one."""
    for estimate in result.estimates:
        bounds = tuple(Bounds(interval=interval, pointer="") for interval in estimate.intervals)
        first = Record(estimate=estimate, pointer="", bounds=bounds).bound()
        yield estimate, None if first is None else first.interval


def _row(estimate: Estimate, interval: Interval | None) -> dict[str, object]:
    row = {name: getattr(estimate, name) for name in (*_WHERE, "value", "numerator", "denominator")}
    row["at"] = dumps(to_json(estimate)["at"])
    row |= {name: getattr(interval, name, None) for name in ("level", "low", "high")}
    row["target"] = None if interval is None else interval.target.value
    row["method"] = None if interval is None else interval.method.value
    return row
