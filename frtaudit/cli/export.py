"""``frtaudit export``: a finished run, or each finished job of a sweep, in other programs' formats.

A job has the verdicts of the sweep there; the export of its own folder has those of the job alone.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from frtaudit.cli.options import add_fail_on, moment
from frtaudit.config.plugins import load_plugins
from frtaudit.core.machine.command_line import Parser
from frtaudit.core.machine.run_files import RESULT
from frtaudit.errors import SpecError, printable
from frtaudit.report.files import jobs_in


def main(argv: Sequence[str]) -> int:
    """Write and name the files; the exit code is 0."""
    options = _parser().parse_intermixed_args(argv)
    folder, out = Path(options.run), Path(options.out)
    from frtaudit.report.exports.run_folder import failing_from, read_run

    if not (folder.is_file() or (folder / RESULT).exists() or jobs_in(folder)):
        read_run(folder)  # says so, before the formats are loaded
    from frtaudit.report.exports import write as exporting
    from frtaudit.report.exports.of_sweep import judged_by
    from frtaudit.signing.unchanged import refuse_changed

    load_plugins()
    formats = ",".join(options.formats).split(",") if options.formats else exporting.every_format()
    settings = dict(_setting(word) for word in options.settings)
    jobs = {job: out / job.name for job in jobs_in(folder) or ()} or {folder: out}
    for signed in dict.fromkeys((folder, *jobs)):
        refuse_changed(signed)
    for run, into in jobs.items():
        read = read_run(run, options.date, failing_from(options.fail_on))
        read = read if run == folder else judged_by(read, folder, run.name)
        for path in exporting.export(read, formats, into, settings):
            sys.stdout.write(f"{printable(str(path))}\n")
    return 0


def _setting(word: str) -> tuple[str, str]:
    key, equals, value = word.partition("=")
    if not (key and equals and value):
        raise SpecError("command line", f"found {word!r}", "KEY=VALUE, such as into=DIR")
    return key, value


def _parser() -> Parser:
    parser = Parser(prog="frtaudit export", description="Write a finished run in formats of other programs.")
    add = parser.add_argument
    run = "folder of the run, its result.json, or the folder of a sweep (each job, with the sweep's verdicts)"
    add("run", metavar="RUN", help=run)
    settings = "settings of a format, such as into=DIR of mlflow and wandb"
    add("settings", nargs="*", metavar="KEY=VALUE", help=settings)
    formats = "formats (default: all but mlflow and wandb): frtaudit list export"
    add("--as", dest="formats", action="append", metavar="A,B", help=formats)
    out = "output folder; nothing is overwritten (default: exports)"
    add("--out", default="exports", metavar="DIR", help=out)
    add("--date", type=moment, metavar="TIME", help="time of the run (default: from result.json)")
    add_fail_on(parser, "verdicts that count as failures: this one and worse ones (default: fail)")
    return parser
