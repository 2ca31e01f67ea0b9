"""The command line: ``frtaudit COMMAND ...``. A command's module is loaded when it is called."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from frtaudit import __version__
from frtaudit.errors import FrtauditError, SpecError

Command = Callable[[Sequence[str]], int]

OVERRIDES = """\
overrides
  audit=NAME           which audit: frtaudit list shows what can be named
  key=value            set any field of the spec: bootstrap.B=999, cohort.root=FOLDER
  schema=x, schema=[x,y]       classification schemas;  schema.column=c where there is one
  providers=[a,b]              only these systems
  analysis=x                   one more analysis
  requirement=[x]              one more profile of requirements
  hydra.run.dir=FOLDER         where the run goes (default: reports/<audit>/<time>)
"""

EXIT_CODES = """
exit codes: 0 done, 1 could not audit, 2 usage, 3 audited and a requirement failed; of a sweep, its worst job's
"""

COMPARE_EXAMPLES = """\
RUN           the folder of a finished run; all runs on the same people and comparisons
NAME=RUN      the same, its system called NAME: two dates of one vendor have one name otherwise
key=value     over what the runs' specs say; examples:
  analyses.vendor_comparison.margins.fnmr_at_fmr=0.01          the largest difference that does not matter
  analyses.vendor_comparison.decision.rule=better_than         with decision.against=SYSTEM
  analyses.vendor_comparison.services.acme=[old,new]           has the service changed?
"""

PLAN_EXAMPLES = """
rates: fmr, fnmr, fta

examples
  frtaudit plan audit=demo                                 a spec with data, its providers scored as a pilot
  frtaudit plan --samples 4 --limit fnmr=0.01              no cohort yet: how many subjects?
  frtaudit plan --subjects 500 --samples 4 schema=gender requirement=[nist_800_63a_4]
"""


class Parser(argparse.ArgumentParser):
    """Usage errors are one line, as all errors are."""

    def error(self, message: str) -> NoReturn:
        """Raise :class:`SpecError`."""
        raise SpecError("command line", message, f"{self.prog} --help shows it")


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the return value is the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    if debug:
        words.remove("--debug")
        os.environ["FRTAUDIT_DEBUG"] = "1"
    try:
        with _terminable():
            return _dispatch(words)
    except KeyboardInterrupt as stop:
        sys.stderr.write("frtaudit: stopped\n")
        return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)
    except Exception as error:
        if debug:
            raise
        line = error if isinstance(error, FrtauditError) else _unexpected(error)
        sys.stderr.write(f"frtaudit: {line}\n")
        return line.exit_code


def run(argv: Sequence[str]) -> int:
    """Run an audit, or with -m a sweep of audits."""
    options, flags = _run_options("run", argv)
    from frtaudit import app, launch

    fail_on = app.FailOn(options.fail_on)
    if flags == ["--multirun"]:
        return launch.sweep(options.overrides, options.config_dir, fail_on)
    return app.run(flags, options.overrides, options.config_dir, fail_on)


def check(argv: Sequence[str]) -> int:
    """Validate a spec and its data in seconds, without running the audit."""
    options, _ = _run_options("check", argv)
    from frtaudit.checkup import check as check_data
    from frtaudit.spec import load_spec

    spec = load_spec(options.overrides, options.config_dir)
    print("\n".join(check_data(spec)))
    return 0


def compare(argv: Sequence[str]) -> int:
    """Compare the systems of finished runs: who is best or tied, who differs, has a service changed."""
    parser = _parser("compare", COMPARE_EXAMPLES + EXIT_CODES, words="RUN|key=value")
    _add_fail_on(parser)
    options = parser.parse_intermixed_args(argv)
    from frtaudit import app
    from frtaudit.compare import overrides_of

    return app.run([], overrides_of(options.overrides), options.config_dir, app.FailOn(options.fail_on))


def plan(argv: Sequence[str]) -> int:
    """Say how many subjects a spec's limits and groups need; a cohort may be given by its size alone."""
    parser = _parser("plan", OVERRIDES + PLAN_EXAMPLES)
    _add_plan_flags(parser)
    options = parser.parse_intermixed_args(argv)
    from frtaudit.canonical import to_bytes
    from frtaudit.planning.plan import plan as make
    from frtaudit.planning.plan import with_stand_in
    from frtaudit.planning.values import Settings
    from frtaudit.progress import on_terminal
    from frtaudit.spec import load_spec

    by_size = options.samples is not None or options.subjects is not None
    settings = Settings(
        power=options.power,
        ratio=options.ratio,
        expected=dict(options.expected),
        deff=dict(options.deff),
        limits=dict(options.limit),
        subjects=options.subjects,
        samples=options.samples,
        scores=not options.no_scores,
    )
    words = with_stand_in(options.overrides) if by_size else options.overrides
    made = make(load_spec(words, options.config_dir), settings, on_terminal)
    print(
        to_bytes(made.to_json()).decode() if options.json else made.text(), end="" if options.json else "\n"
    )
    return 0


def verify(argv: Sequence[str]) -> int:
    """Check signatures and digests of a run folder or a PDF, offline."""
    from frtaudit.attest import verify as command

    return command.main(argv)


def reproduce(argv: Sequence[str]) -> int:
    """Derive a result again and compare."""
    from frtaudit.attest import reproduce as command
    from frtaudit.rederive import rederive

    return command.main(argv, rederive)


def export(argv: Sequence[str]) -> int:
    """Write a finished run in other formats: JUnit, Markdown, CSV, ..."""
    from frtaudit.plugins import load_plugins
    from frtaudit.registry import names

    parser = Parser(prog="frtaudit export", description="Write a finished run in formats of other programs.")
    add = parser.add_argument
    add("run", metavar="RUN", help="the run's folder, or its result.json")
    add("--as", dest="formats", metavar="A,B", help="which formats (default: all); frtaudit list export")
    add("--out", default="exports", metavar="DIR", help="where to; overwrites nothing (default: exports)")
    add("--date", type=_moment, metavar="TIME", help="when the run was made (default: as result.json says)")
    add(
        "--fail-on", choices=("fail", "inconclusive", "not_testable"), default="fail",
        help="the mildest verdict that is a failure in JUnit (default: fail); others are skipped",
    )  # fmt: skip
    options = parser.parse_args(argv)
    from frtaudit import exporting
    from frtaudit.finished import failing_from, read_run

    load_plugins()
    formats = options.formats.split(",") if options.formats else names("export")
    run = read_run(Path(options.run), options.date, failing_from(options.fail_on))
    for path in exporting.export(run, formats, Path(options.out)):
        print(path)
    return 0


def seal(argv: Sequence[str]) -> int:
    """Sign spec and cohort before the scores are seen."""
    from frtaudit.attest import seal as command
    from frtaudit.sealing import content

    return command.main(argv, content)


def approve(argv: Sequence[str]) -> int:
    """Add a second, approving signature to a signed run."""
    from frtaudit.attest import approve as command

    return command.main(argv)


def publish(argv: Sequence[str]) -> int:
    """Write a smaller, signed variant of a run that anybody may read: small classes of people are withheld."""
    parser = Parser(prog="frtaudit publish", description=(publish.__doc__ or "").strip())
    parser.add_argument("run", metavar="RUN", help="the folder of a signed run")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="a new or empty folder")
    parser.add_argument(
        "--minimum", type=int, default=10, metavar="N", help="people of a class (default: 10)"
    )
    parser.add_argument("--key", metavar="KEY", help="what signs it (default: this machine's demo key)")
    options = parser.parse_args(argv)
    from frtaudit.delivery import publish as write

    made = write(Path(options.run), Path(options.out), options.minimum, options.key)
    print(f"published: {made.report}\nits result: sha256 {made.result_sha256}")
    return made.exit_code


def keygen(argv: Sequence[str]) -> int:
    """Make a signing key and its certificate."""
    from frtaudit.attest import keys as command

    return command.main(argv)


def show(argv: Sequence[str]) -> int:
    """List what a spec can name, by group."""
    parser = Parser(prog="frtaudit list", description="What a spec can name, one line each.")
    parser.add_argument("group", nargs="?", help="one group only, such as schema")
    options = parser.parse_args(argv)
    from frtaudit.listing import listing

    print(listing(options.group))
    return 0


def schema(argv: Sequence[str]) -> int:
    """Print the JSON Schema of a spec or of a result."""
    parser = Parser(
        prog="frtaudit schema", description="JSON Schema (2020-12) of a resolved spec or of result.json."
    )
    parser.add_argument("of", choices=("spec", "result"))
    options = parser.parse_args(argv)
    from frtaudit.json_schema import schema_text

    print(schema_text(options.of))
    return 0


def init(argv: Sequence[str]) -> int:
    """Write a commented starter spec and a metadata header."""
    parser = Parser(
        prog="frtaudit init", description="Write a starter spec and a metadata header; overwrites nothing."
    )
    parser.add_argument("folder", nargs="?", default=".", help="where to (default: here)")
    options = parser.parse_args(argv)
    from frtaudit.starter import write_starter

    print(write_starter(options.folder))
    return 0


COMMANDS: Mapping[str, Command] = {
    "run": run,
    "compare": compare,
    "check": check,
    "plan": plan,
    "verify": verify,
    "reproduce": reproduce,
    "export": export,
    "seal": seal,
    "approve": approve,
    "publish": publish,
    "keygen": keygen,
    "list": show,
    "schema": schema,
    "init": init,
}


def _dispatch(words: list[str]) -> int:
    name = words[0] if words else "--help"
    if "--version" in words[:2]:
        print(f"frtaudit {__version__}")
        return 0
    if name in ("-h", "--help"):
        print(_help())
        return 0 if words else SpecError.exit_code
    if name in ("-sc", "--shell-completion"):
        from frtaudit import app

        return app.complete(words[1:])
    if name not in COMMANDS:
        raise SpecError("command line", f"no command {name!r}", ", ".join(COMMANDS))
    return COMMANDS[name](words[1:])


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM is raised where the program stands, as Ctrl-C is: what was half written is removed on the way out."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may hear of signals
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _help() -> str:
    lines = [f"  {name:<10} {(command.__doc__ or '').strip()}" for name, command in COMMANDS.items()]
    head = "usage: frtaudit COMMAND ...\n\nStatistical audits of face verification.\n\ncommands"
    tail = "\n  frtaudit COMMAND --help says more; frtaudit --version; --debug shows where an error arose\n"
    tail += '  tab completion in bash: eval "$(frtaudit -sc install=bash)"'
    return "\n".join([head, *lines, tail])


def _run_options(command: str, argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Flags and overrides in any order; the second value is the flags that are Hydra's."""
    parser = _parser(command, OVERRIDES + EXIT_CODES)
    _add_fail_on(parser)
    if command == "run":
        _add_hydra_flags(parser)
    options = parser.parse_intermixed_args(argv)
    return options, _hydra_flags(options)


def _add_fail_on(parser: Parser) -> None:
    parser.add_argument(
        "--fail-on", choices=("fail", "inconclusive", "not_testable"), default="fail",
        help="the mildest verdict that exits with 3 (default: fail)",
    )  # fmt: skip


def _parser(command: str, epilog: str, words: str = "key=value") -> Parser:
    """What every command on a spec takes: overrides, and a folder of presets."""
    parser = Parser(
        prog=f"frtaudit {command}",
        description=(COMMANDS[command].__doc__ or "").strip(),
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("overrides", nargs="*", metavar=words, help="what to set; see below")
    parser.add_argument(
        "--config-dir",
        "-cd",
        metavar="FOLDER",
        help="presets of your own: audit/, schema/, requirement/, ...",
    )
    return parser


def _add_plan_flags(parser: Parser) -> None:
    add = parser.add_argument
    add("--power", type=float, default=0.8, metavar="P", help="probability of a decision (default: 0.8)")
    add("--ratio", type=float, default=2.0, metavar="R", help="between the rates of two groups (default: 2)")
    for name, what in (
        ("limit", "one more limit, for everybody and each group: fnmr=0.01"),
        ("expected", "the true rate (default: half the limit): fnmr=0.004"),
        ("deff", "a design effect, the same at every size: fnmr=2"),
    ):
        add(f"--{name}", type=_rate, action="append", default=[], metavar="RATE=X", help=what)
    add("--subjects", type=int, metavar="K", help="plan without data: a cohort of K subjects")
    add("--samples", type=float, metavar="M", help="plan without data: M samples of each subject")
    add("--no-scores", action="store_true", help="do not score the providers as a pilot")
    add("--json", action="store_true", help="print canonical JSON")


def _rate(text: str) -> tuple[str, float]:
    """``fnmr=0.01`` as name and number."""
    name, equals, value = text.partition("=")
    try:
        return name, float(value if equals else "")
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, which is not like fnmr=0.01") from None


def _moment(text: str) -> datetime:
    """An ISO 8601 date, perhaps with a time; without a zone it is UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, which is not like 2026-03-04T05:06:07Z") from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _add_hydra_flags(parser: Parser) -> None:
    add = parser.add_argument
    add("--multirun", "-m", action="store_true", help="a sweep: key=a,b runs once for each value")
    add("--cfg", "-c", choices=("job", "hydra", "all"), help="print the composed spec and stop")
    add("--resolve", action="store_true", help="with --cfg: resolve ${key}")
    add("--package", "-p", metavar="KEY", help="with --cfg: only this part")
    add("--info", "-i", nargs="?", const="all", metavar="WHAT", help="print what Hydra knows and stop")


def _hydra_flags(options: argparse.Namespace) -> list[str]:
    flags = [f"--{name}" for name in ("multirun", "resolve") if getattr(options, name, False)]
    for name in ("cfg", "package", "info"):
        value = getattr(options, name, None)
        flags += [f"--{name}", value] if value else []
    return flags


def _unexpected(error: Exception) -> FrtauditError:
    return FrtauditError(
        "unexpected", f"{type(error).__name__}: {error}", "--debug shows where; please report it"
    )
