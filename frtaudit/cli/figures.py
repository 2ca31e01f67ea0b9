"""``frtaudit figures``: the figures of a finished run, or of the study of nominal levels, for a paper."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn  # Any: titles or figures

from frtaudit.core.machine.command_line import Parser
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.metrics import METRICS
from frtaudit.errors import DataError, SpecError, printable
from frtaudit.report.figure_choice import ACCEPTED, FORMATS, NONE_CHOSEN, WIDTHS, Choice
from frtaudit.report.files import STUDY_FILE, TABLE

EXAMPLES = """\
examples
  frtaudit figures reports/demo/TIME --list                        names and titles
  frtaudit figures reports/demo/TIME det roc --width page          two of them, as wide as a page
  frtaudit figures reports/guarantees/nominal_levels.json          results of the coverage study
  frtaudit figures multirun/TIME                                   the jobs of a sweep
  frtaudit figures reports/demo/TIME det --systems vendor_a --xlim 1e-5,0.1 --formats pdf
"""


_Figures = Callable[[], Mapping[str, Any]]
METRICS_HELP = "only these metrics: fnmr_at_fmr is FNMR at an FMR target, fnmr at a fixed threshold"
WANTED = "RUN and names of figures; RUN alone for every figure; RUN --list for their names"


class _FiguresParser(Parser):
    def error(self, message: str) -> NoReturn:
        """Raise :class:`SpecError`; where the run is missing it says what to give."""
        super().error(f"{message}; accepted: {WANTED}" if "are required: " in message else message)


def main(argv: Sequence[str]) -> int:
    """``frtaudit figures``: 0 done, 1 could not, 2 usage."""
    options = _parser().parse_intermixed_args(argv)
    if not Path(options.run).exists():  # asked before what draws is loaded
        raise DataError(options.run, "cannot be read (No such file or directory)", ACCEPTED)
    refuse_unfinished(Path(options.run))
    from frtaudit.config.plugins import load_plugins
    from frtaudit.report.exports.write import write_whole
    from frtaudit.report.paper_figures import write_figures
    from frtaudit.signing.unchanged import refuse_changed

    load_plugins()
    choice = Choice(
        names=tuple(options.names),
        systems=options.systems,
        schemas=options.schemas,
        classes=options.classes,
        metrics=options.metrics,
        width=options.width,
        x=options.xlim,
        y=options.ylim,
        shared=options.share_axes,
    )
    refuse_changed(Path(options.run))
    listed, drawn = _drawn(Path(options.run), choice)
    figures: Mapping[str, Any] = listed() if options.list else drawn()
    if not figures:
        raise _none_chosen(choice.metrics)
    if options.list:
        width = max(map(len, figures))
        lines = [f"{name:{width}}  {title}" for name, title in figures.items()]
    else:
        fill = partial(write_figures, list(figures.values()), options.formats)
        lines = [str(path) for path in write_whole(Path(options.out), fill)]
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    return 0


def refuse_unfinished(run: Path) -> None:
    """Raise what reads a run says of a folder without a result, before more is loaded."""
    if run.is_dir() and not any((run / name).exists() for name in (RESULT, TABLE, STUDY_FILE)):
        from frtaudit.report.exports.run_folder import read_run

        read_run(run)


def _drawn(path: Path, choice: Choice) -> tuple[_Figures, _Figures]:
    """What lists and what draws the figures of a study of nominal levels, of a sweep or of a run."""
    from frtaudit.report import sweep_figures
    from frtaudit.report.exports.run_folder import read_run
    from frtaudit.report.figures import nominal_levels
    from frtaudit.report.paper_figures import drawings, paper_figures, titles, titles_of

    for what, read, figures in (
        ("study", nominal_levels.read_study, nominal_levels.figures),
        ("table of a sweep", sweep_figures.read_sweep, sweep_figures.figures),
    ):
        content: Any = read(path)
        if content is not None:
            for name in ("systems", "schemas", "classes", "metrics"):
                if getattr(choice, name):
                    accepted = "names of figures; --list prints them"
                    raise SpecError(f"--{name}", f"the {what} is drawn whole", accepted)
            draw = partial(figures, content)
            return partial(titles_of, draw, choice), partial(drawings, draw, choice)
    result = read_run(path).result
    return partial(titles, result, choice), partial(paper_figures, result, choice)


def _none_chosen(names: Sequence[str]) -> SpecError:
    """That no figure shows the chosen metrics; what they are, and others that a report prints by the same labels."""
    chosen = [METRICS[name] for name in names if name in METRICS]
    labels = {metric.label for metric in chosen}
    others = [other for other in METRICS.values() if other.label in labels and other not in chosen]
    meant, alike = (
        [f"{metric.name} is {metric.about}" for metric in metrics if metric.about]
        for metrics in (chosen, others)
    )
    return SpecError(
        "figures", "; ".join([NONE_CHOSEN, *meant]), "; ".join([*alike, "other choices", "--list"])
    )


def _parser() -> Parser:
    parser = _FiguresParser(
        prog="frtaudit figures",
        description="Write the figures of a finished run for a paper, each with its legend and a caption.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("run", metavar="RUN", help="folder of a run or of a sweep, result.json, or nominal_levels.json")
    add("names", metavar="NAME", nargs="*", default=[], help="which figures (default: all)")
    add("--list", action="store_true", help="print names and titles, write nothing")
    add("--out", default="figures", metavar="DIR", help="output folder, never overwritten (default: figures)")
    formats = f"{', '.join(FORMATS)} (default: all)"
    add("--formats", type=_formats, default=FORMATS, metavar="A,B", help=formats)
    add("--systems", type=_words, default=(), metavar="A,B", help="only these systems")
    add("--schemas", type=_words, default=(), metavar="A,B", help="only these classifications of subjects")
    add("--classes", type=_words, default=(), metavar="A,B", help="only these classes, by key or label")
    add("--metrics", type=_words, default=(), metavar="A,B", help=METRICS_HELP)
    width = "column, page, or inches (default: column)"
    add("--width", type=_width, default=_width("column"), metavar="W", help=width)
    add("--xlim", type=_limits, metavar="LOW,HIGH", help="limits of the horizontal axis")
    add("--ylim", type=_limits, metavar="LOW,HIGH", help="limits of the vertical axis")
    add("--share-axes", action="store_true", help="the same limits for axes of one quantity")
    return parser


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split(",") if word)


def _formats(text: str) -> tuple[str, ...]:
    asked = _words(text)
    if not asked or not set(asked) <= set(FORMATS):
        raise argparse.ArgumentTypeError(f"found {text!r}; accepted: {', '.join(FORMATS)}")
    return asked


def _width(text: str) -> float:
    try:
        width = WIDTHS.get(text) or float(text)
    except ValueError:
        width = float("nan")
    if not 1 <= width <= 40:
        raise argparse.ArgumentTypeError(f"found {text!r}; accepted: column, page, or 1 to 40 inches")
    return width


def _limits(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low, high = 0.0, 0.0
    if not low < high:  # nan too
        raise argparse.ArgumentTypeError(f"found {text!r}; accepted: two numbers, the lower first: 0.001,0.1")
    return low, high
