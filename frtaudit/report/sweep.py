"""The page of a sweep: the jobs, their verdicts side by side, headline numbers, and what each setting moved."""

from dataclasses import dataclass
from functools import partial

from frtaudit.core.canonical import digest
from frtaudit.core.machine.resources import shipped
from frtaudit.core.metrics import RATES, kind_of
from frtaudit.core.plain.structure import plain
from frtaudit.core.spec import Report
from frtaudit.core.text import formatting
from frtaudit.core.text.kinds import printed
from frtaudit.report import phrases
from frtaudit.report.direction import strings_in, use_names
from frtaudit.report.files import findings_key
from frtaudit.report.layout import shipped_templates
from frtaudit.report.pieces import Block, Column, Table, Text, TextSpan, spans
from frtaudit.report.render import minified, policy_of
from frtaudit.report.sections.accuracy import PLACES
from frtaudit.report.sections.tables import header
from frtaudit.report.sweep_figures import (
    ACCURACY,
    WIDE,
    SweepJson,
    figure,
    measure_words,
    measures_of,
    number_of,
)
from frtaudit.report.words import display_name, words

MEASURES = 6
NONE = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A verdict in the matrix: its code and words; ``other``: the verdict before the sweep was counted, if another."""

    code: str
    word: str
    other: str
    pointer: str


Matrix = tuple[tuple[int, ...], list[tuple[Text, list[Mark | None]]]]
"""Verdicts of at most ``WIDE`` jobs: the jobs' numbers, and a row of marks for each requirement on each number."""


def page(sweep: SweepJson, settings: Report, date: str, status: str) -> str:
    """The sweep as one HTML file without script or network; ``sweep``: what ``sweep.json`` holds.

    Identical for the same sweep, settings, date and status.
    """
    with use_names((*strings_in(sweep), *strings_in(plain(settings)))):
        style = minified((shipped("templates") / "report.css").read_text("utf-8"))
        template = shipped_templates().get_template("sweep.html.j2")
        return template.render(
            title=f"Sweep: {settings.title or str(sweep['audit']).replace('_', ' ')}",
            author=settings.auditor or settings.organisation or "not declared",
            date=date,
            status=status,
            paper=settings.paper.value,
            notice=words().notice[status],
            mark=words().mark[status],
            digest=digest(sweep),
            found=sweep,
            jobs=jobs_table(sweep),
            matrices=matrices(sweep),
            legend=[(code, display_name(words().verdict, code)) for code in words().verdict],
            numbers=numbers_table(sweep),
            figure=figure(sweep),
            changes=changes_table(sweep),
            levels=[formatting.exact(alpha) for alpha in sweep["alphas"]],
            style=style,
            policy=policy_of(style),
        )


def jobs_table(sweep: SweepJson) -> Table:
    """Every job: its settings, how it ended, its verdicts, where its own report is."""
    columns = [*_job_columns(sweep), Column(title="State")]
    columns += [Column(title="Verdicts over the sweep", kind="wide"), Column(title="Folder")]
    rows = []
    for index, job in enumerate(sweep["jobs"]):
        place = f"/jobs/{index}"
        counts = ", ".join(
            f"{n} {display_name(words().verdict, code)}" for code, n in (job["counts"] or {}).items() if n
        )
        ended = f"{place}/{'error' if job['error'] else 'counts'}"
        rows.append(
            (
                (TextSpan(text=str(job["number"]), pointer=f"{place}/number", kind="n"),),
                *((TextSpan(text=str(job["settings"][key])),) for key in sweep["settings"]),
                (TextSpan(text=job["state"], pointer=f"{place}/state"),),
                (TextSpan(text=job["error"] or counts or NONE, pointer=ended),),
                (phrases.code(job["folder"] or NONE, f"{place}/folder"),),
            )
        )
    caption = spans(
        "Each job is an audit with its own report in its folder; the columns give the settings that differ."
    )
    return Table(name="jobs", caption=caption, columns=tuple(columns), blocks=(Block(rows=tuple(rows)),))


def matrices(sweep: SweepJson) -> list[Matrix]:
    """Verdicts over the sweep, requirements down and jobs across."""
    lines: dict[tuple[str, str], dict[int, Mark]] = {}
    key = findings_key(sweep)
    several = any(finding["measure"] and finding["measure"]["provider"] for finding in sweep[key])
    for index, finding in enumerate(sweep[key]):
        measure = finding["measure"] and finding["measure"] | {"provider": finding["provider"]}
        about = measure_words(measure, with_provider=several) if measure else NONE
        code, verdict = finding["in_sweep"], finding["verdict"]
        word = display_name(words().verdict, code)
        other = "" if code == verdict else f"{display_name(words().verdict, verdict)} in its run"
        mark = Mark(code=code, word=word, other=other, pointer=f"/{key}/{index}/in_sweep")
        lines.setdefault((finding["requirement"], about), {})[finding["job"]] = mark
    done = [job["number"] for job in sweep["jobs"] if job["state"] == "done"]
    parts = [tuple(done[start : start + WIDE]) for start in range(0, len(done), WIDE)] if lines else []
    return [
        (
            part,
            [
                (spans(phrases.bold(name), f": {about}"), [marks.get(job) for job in part])
                for (name, about), marks in lines.items()
            ],
        )
        for part in parts
    ]


def numbers_table(sweep: SweepJson) -> Table | None:
    """Headline numbers: a row for each job and system, a column for each number, with its interval."""
    named = measures_of(sweep)
    if not named:
        return None
    chosen = named[:MEASURES]
    several = any(row["measure"]["provider"] for row in sweep["rows"])
    rows: dict[tuple[int, str], dict[str, tuple[int, SweepJson]]] = {}
    for index, row in enumerate(sweep["rows"]):
        measures = rows.setdefault((row["job"], row["provider"] if several else ""), {})
        measures[measure_words(row["measure"])] = (index, row)
    columns = [*_job_columns(sweep), *([Column(title="System")] if several else [])]
    columns += [Column(title=name, kind="num") for name in chosen]
    settings = {job["number"]: job["settings"] for job in sweep["jobs"]}
    lines = []
    for (job, provider), cells in rows.items():
        text_spans = [
            (TextSpan(text=str(job), kind="n"),),
            *((TextSpan(text=str(settings[job][key])),) for key in sweep["settings"]),
        ]
        text_spans += [(phrases.bold(provider),)] if several else []
        lines.append((*text_spans, *(_cell(cells.get(name)) for name in chosen)))
    more = len(named) - len(chosen)
    metrics = {row["measure"]["metric"] for row in sweep["rows"]}
    pooled = "; the equal error rate is pooled" if "eer" in metrics else ""
    return Table(
        name="numbers",
        caption=spans(
            "Main numbers with their intervals, for the population where there is one, in the weighting "
            f"of each spec{pooled}."
        ),
        columns=tuple(columns),
        blocks=(Block(rows=tuple(lines)),),
        left_out=f"{formatting.counted(more, 'number')} more in sweep.csv." if more else "",
    )


def _job_columns(sweep: SweepJson) -> list[Column]:
    """A job's number and its settings, long words of which are broken."""
    return [Column(title="Job", kind="num"), *(Column(title=key, kind="wide") for key in sweep["settings"])]


def changes_table(sweep: SweepJson) -> Table | None:
    """What went with each setting, other settings being equal."""
    if not sweep["changes"]:
        return None
    columns = (
        *header(["Setting", "from", "to"], ["Pairs of jobs", "Verdicts over the sweep that differ"]),
        *header(["Largest change"], ["from ", "to ", "Jobs"]),
    )
    rows = tuple(_change(index, change) for index, change in enumerate(sweep["changes"]))
    return Table(
        name="changes",
        caption=spans(
            "Pairs of jobs that differ in one setting only. Largest change: of all main numbers, relative to itself; "
            "a description, not a test."
        ),
        columns=columns,
        blocks=(Block(rows=rows),),
    )


def _change(index: int, change: SweepJson) -> tuple[Text, ...]:
    place, most = f"/changes/{index}", change["measure"]
    return (
        (phrases.bold(change["setting"], f"{place}/setting"),),
        (TextSpan(text=str(change["before"]), pointer=f"{place}/before"),),
        (TextSpan(text=str(change["after"]), pointer=f"{place}/after"),),
        (phrases.number(str(change["pairs"]), f"{place}/pairs"),),
        spans(
            phrases.number(str(change["verdicts"]), f"{place}/verdicts"),
            " of ",
            phrases.number(str(change["compared"]), f"{place}/compared"),
        )
        if change["compared"]
        else spans(NONE),
        spans(measure_words(most, with_provider=True) if most else "nothing"),
        _number(change["value_before"], most, f"{place}/value_before"),
        _number(change["value_after"], most, f"{place}/value_after"),
        spans(", ".join(str(job) for job in change["jobs"] or ()) or NONE),
    )


def _cell(cell: tuple[int, SweepJson] | None) -> Text:
    if cell is None or cell[1]["value"] is None:
        return spans(NONE)
    index, row = cell
    value, low, high = (number_of(row[name]) for name in ("value", "low", "high"))
    show = partial(_printed, row["measure"]["metric"], style=formatting.style_of(value, high))
    shown = [TextSpan(text=show(value or 0.0), pointer=f"/rows/{index}/value", kind="n b")]
    if low is None or high is None:
        return spans(*shown)
    if row["measure"]["metric"] in RATES:
        low, high = formatting.clipped(low, high)
    return spans(
        *shown,
        phrases.BREAK,
        TextSpan(text=show(low), pointer=f"/rows/{index}/low", kind="n soft"),
        TextSpan(text=" to ", kind="soft"),
        TextSpan(text=show(high), pointer=f"/rows/{index}/high", kind="n soft"),
    )


def _number(value: object, measure: SweepJson | None, place: str) -> Text:
    known = number_of(value)
    if known is None or measure is None:
        return spans(NONE)
    return (phrases.number(_printed(measure["metric"], known), place),)


def _printed(metric: str, value: float, style: formatting.Style | None = None) -> str:
    """A number as its metric is printed; accuracies to as many places as in a report."""
    if metric == ACCURACY:
        return formatting.fixed(value, PLACES)
    return printed(kind_of(metric), value, style=style)
