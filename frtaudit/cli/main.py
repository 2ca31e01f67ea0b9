"""The command line: ``frtaudit COMMAND ...``. A command's module is loaded when it is called."""

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit import __version__
from frtaudit.cli.options import (
    AUDIT_CODES,
    COLLECT_EXAMPLES,
    COLLECT_NEXT,
    COMPARE_EXAMPLES,
    LABEL_EXAMPLES,
    add_fail_on,
    add_json,
    add_label_flags,
    label_overrides,
    parser_of,
    refuse_missing_answers,
    refuse_missing_search,
    run_options,
)
from frtaudit.config.plugins import DEBUG, fault_line, place_in_plugins
from frtaudit.core.machine import signals, streams
from frtaudit.core.machine.children import DRAWING, no_modules_of_the_folder, no_settings_of_the_folder
from frtaudit.core.machine.command_line import Parser
from frtaudit.core.machine.faults import as_line, check_address_space, check_threads, told_once
from frtaudit.core.machine.memory import collect_seldom
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.errors import SpecError, printable

if TYPE_CHECKING:
    from frtaudit.core.canonical import Json
    from frtaudit.core.result import AuditResult

Command = Callable[[Sequence[str]], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the return value is the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    if debug:
        words.remove("--debug")
        os.environ[DEBUG] = "1"
    os.environ.pop("SOURCE_DATE_EPOCH", None)  # libraries fail on what is no time; a report's date is its own
    os.environ.pop("MPLBACKEND", None)  # Matplotlib fails on one that it does not know; no figure is shown
    os.environ.pop("HB_SHAPER_LIST", None)  # HarfBuzz would place letters otherwise, and the page differ
    os.environ.setdefault(
        "OPENBLAS_NUM_THREADS", "1"
    )  # tiles are threads of ours; its own cost 0.1 s of each start
    os.environ[DRAWING] = os.devnull  # and on broken settings; figures have a style of their own
    try:
        streams.open_streams()
        listening = signals.listening(to_the_end=argv is None)
        with told_once(), listening, no_modules_of_the_folder(), no_settings_of_the_folder():
            check_address_space()
            check_threads()
            collect_seldom()
            code = _dispatch(words)
            sys.stdout.flush()
            signals.forget()
            return code
    except KeyboardInterrupt as stop:
        return _stopped(stop)
    except BrokenPipeError:  # who read the output had enough: head, less
        return 128 + signal.SIGPIPE
    except (Exception, SystemExit) as error:
        ends = isinstance(error, SystemExit)
        if (debug and not ends) or (ends and not place_in_plugins(error)):
            raise
        line = fault_line(error)
        streams.write_line(str(line))
        return line.exit_code
    finally:
        streams.forget_unwritten()


def run(argv: Sequence[str]) -> int:
    """Run an audit, or with -m a sweep of audits."""
    options, flags = run_options("run", run.__doc__ or "", argv)
    from frtaudit.cli import run as app
    from frtaudit.core.findings import FailOn

    fail_on = FailOn(options.fail_on)
    if flags == ["--multirun"]:
        from frtaudit.cli import multirun

        return multirun.sweep(options.overrides, options.config_dir, fail_on, as_json=options.json)
    return app.run(flags, options.overrides, options.config_dir, fail_on, as_json=options.json)


def check(argv: Sequence[str]) -> int:
    """Validate a spec and its data in seconds, without running the audit."""
    options, _ = run_options("check", check.__doc__ or "", argv)
    from frtaudit.cli.run import checked

    spec = checked(options.overrides, options.config_dir)
    from frtaudit.pipeline.dry_run import check as check_data  # after the spec: an error of it comes sooner

    print("\n".join(map(printable, check_data(spec))))
    return 0


def compare(argv: Sequence[str]) -> int:
    """Compare the systems of finished runs: ranks with ties, differences, changes of a service."""
    epilog = COMPARE_EXAMPLES + AUDIT_CODES
    parser = parser_of("compare", compare.__doc__ or "", epilog, words="RUN|key=value")
    add_fail_on(parser)
    add_json(parser)
    options = parser.parse_intermixed_args(argv)
    from frtaudit.pipeline.compare import overrides_of

    words = overrides_of(options.overrides)
    from frtaudit.cli import run as app  # after the runs: what composes a spec
    from frtaudit.core.findings import FailOn

    return app.run([], words, options.config_dir, FailOn(options.fail_on), as_json=options.json)


def label(argv: Sequence[str]) -> int:
    """Label faces in the browser: which of them show the person they were searched for."""
    parser = parser_of("label", label.__doc__ or "", LABEL_EXAMPLES, words="FOLDER|key=value")
    add_label_flags(parser)
    options = parser.parse_intermixed_args(argv)
    words = label_overrides(options.overrides)
    refuse_missing_search(options.overrides)
    refuse_missing_answers(options.answers, options.names, options.reviews or ())
    from frtaudit.config.load import load_source, load_typed

    spec = load_typed(words, options.config_dir).whole()
    from frtaudit.cli.annotate.session import Wanted, review_of, serve_review

    print("reading faces and scores ...", flush=True)
    wanted = Wanted(
        answers=Path(options.answers) if options.answers else None,
        most=options.first,
        blind=options.blind,
        names=Path(options.names) if options.names else None,
        source=load_source(options.fetch, options.config_dir) if options.fetch else None,
        reviews=(Path(options.reviews[0]), Path(options.reviews[1])) if options.reviews else None,
    )

    def tell(text: str) -> None:
        for line in text.splitlines():
            print(printable(line), flush=True)

    serve_review(review_of(spec, wanted, tell), options.port, tell)
    return 0


def collect(argv: Sequence[str]) -> int:
    """Collect scores of images from services; repeat the command to resume. Calls may cost money."""
    parser = parser_of("collect", collect.__doc__ or "", COLLECT_EXAMPLES + COLLECT_NEXT)
    pay_again = "make paid calls again if the folder has results but its store is missing"
    parser.add_argument("--pay-again", action="store_true", help=pay_again)
    options = parser.parse_intermixed_args(argv)
    from frtaudit.config.load import load_collection
    from frtaudit.config.places import check_files
    from frtaudit.inputs.places import STORE

    spec = load_collection(options.overrides, options.config_dir)
    if not (Path(spec.into) / STORE).exists():  # one that was begun may need no file any more
        check_files([spec.source, *spec.services.values()])
    from frtaudit.collection.run import collect as go_on  # after the spec: an error of it comes sooner

    status = go_on(spec, lambda line: streams.write_line(printable(line)), pay_again=options.pay_again)
    written = Path(spec.into) / "collection.json"
    if status.stopped is not None:
        if not status.readable:
            raise status.stopped
        print(f"frtaudit: {status.stopped}", file=sys.stderr)
    print("\n".join(map(printable, [*status.summary, str(written)])))
    return 0


def reproduce(argv: Sequence[str]) -> int:
    """Compute a result again and compare."""
    from frtaudit.signing import reproduce as command

    return command.main(argv, _rederived)


def _rederived(recorded: "Mapping[str, Json]", run: Path, overrides: Sequence[str]) -> "AuditResult":
    from frtaudit.pipeline.rederive import rederive  # once there is a result to compare with

    return rederive(recorded, run, overrides)


def seal(argv: Sequence[str]) -> int:
    """Sign spec and cohort before the scores are seen."""
    from frtaudit.cli import seal as command

    return command.main(argv, _sealed)


def _sealed(overrides: Sequence[str], config_dir: str | None) -> "Mapping[str, Json]":
    from frtaudit.config.load import load_typed
    from frtaudit.config.places import refuse_missing_files

    read = load_typed(overrides, config_dir)
    refuse_missing_files(read.spec)
    from frtaudit.pipeline.preregistration import content  # after the spec: an error of it comes sooner

    return content(read.whole())


def publish(argv: Sequence[str]) -> int:
    """Write a signed variant of a run for publication, without small classes of people."""
    parser = Parser(prog="frtaudit publish", description=(publish.__doc__ or "").strip())
    parser.add_argument("run", metavar="RUN", help="the folder of a signed run")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="a new or empty folder")
    minimum = "minimum number of subjects of a class (default: 10)"
    parser.add_argument("--minimum", type=int, default=10, metavar="N", help=minimum)
    parser.add_argument("--key", metavar="KEY", help="signing key (default: this machine's demo key)")
    options = parser.parse_args(argv)
    from frtaudit.config.named_files import check_key
    from frtaudit.pipeline.publishable.places import refuse_occupied, refuse_unverified

    run_folder, out = Path(options.run), Path(options.out)
    if not (run_folder / STATEMENT).exists():
        refuse_unverified(run_folder)
    refuse_occupied(out)
    if options.key:
        check_key(Path(options.key))
    from frtaudit.pipeline.run import publish as write

    published = write(run_folder, out, options.minimum, options.key)
    print(f"published: {printable(str(published.report))}\nits result: sha256 {published.result_sha256}")
    return published.exit_code


def show(argv: Sequence[str]) -> int:
    """List what a spec can name, by group."""
    parser = Parser(prog="frtaudit list", description="What a spec can name, one line each.")
    parser.add_argument("group", nargs="?", help="one group only, such as schema")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    options = parser.parse_args(argv)
    from frtaudit.config.listing import listing, page

    print(page(options.group), end="") if options.markdown else print(listing(options.group))
    return 0


def schema(argv: Sequence[str]) -> int:
    """Print the JSON Schema of a spec or of a result."""
    does = "JSON Schema (2020-12) of a resolved spec or of result.json."
    parser = Parser(prog="frtaudit schema", description=does)
    parser.add_argument("of", choices=("spec", "result"))
    options = parser.parse_args(argv)
    from frtaudit.config.json_schema import schema_text

    print(schema_text(options.of))
    return 0


def init(argv: Sequence[str]) -> int:
    """Write a commented starter spec and a metadata header."""
    does = "Write a starter spec and a metadata header; overwrites nothing."
    parser = Parser(prog="frtaudit init", description=does)
    parser.add_argument("folder", nargs="?", default=".", help="output folder (default: here)")
    options = parser.parse_args(argv)
    from frtaudit.config.template import write_starter

    print(write_starter(options.folder))
    return 0


def _in(module: str, does: str) -> Command:
    """The command of a module, which is loaded when it is called."""

    def command(argv: Sequence[str]) -> int:
        return int(import_module(module).main(argv))

    command.__doc__ = does
    return command


COMMANDS: Mapping[str, Command] = {
    "run": run,
    "compare": compare,
    "check": check,
    "import": _in(
        "frtaudit.cli.importing",
        "Import a test set or a folder of embeddings: recognise its layout, write metadata, pairs and a spec.",
    ),
    "label": label,
    "collect": collect,
    "embed": _in(
        "frtaudit.cli.embed",
        "Make templates of images with a model on this machine; repeat the command to resume.",
    ),
    "plan": _in(
        "frtaudit.cli.plan",
        "Number of subjects that a spec's limits and groups need; plan collect: number and price of calls.",
    ),
    "verify": _in("frtaudit.cli.verify", "Check signatures and digests of a run folder or a PDF, offline."),
    "reproduce": reproduce,
    "export": _in("frtaudit.cli.export", "Write a finished run in other formats: JUnit, Markdown, CSV, ..."),
    "explain": _in(
        "frtaudit.cli.explain",
        "What a threshold means on the data of a run: FMR and FNMR with intervals, by group.",
    ),
    "figures": _in(
        "frtaudit.cli.figures", "Write a finished run's figures for a paper: SVG, PDF and PNG, with captions."
    ),
    "seal": seal,
    "approve": _in("frtaudit.cli.approve", "Add a second, approving signature to a signed run."),
    "publish": publish,
    "keygen": _in("frtaudit.cli.keygen", "Make a signing key and its certificate."),
    "list": show,
    "schema": schema,
    "init": init,
    "serve-fake": _in(
        "frtaudit.cli.serve_fake",
        "Serve synthetic face services on this machine, with the wire formats of the real ones.",
    ),
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
        from frtaudit.cli import run as app

        return app.complete(words[1:])
    if name not in COMMANDS:
        raise SpecError("command line", f"no command {name!r}", ", ".join(COMMANDS))
    if "" in words and name not in ("verify", "reproduce"):  # these two have an exit code of their own for it
        raise SpecError("command line", "an argument is empty", f"frtaudit {name} --help shows it")
    return COMMANDS[name](words[1:])


def _stopped(stop: KeyboardInterrupt) -> int:
    """Say what ended the command; SIGINT may be OpenBLAS's, which sends it where it can start no thread."""
    code = stop.exit_code if isinstance(stop, signals.Stopped) else 128 + signal.SIGINT
    try:
        if code == 128 + signal.SIGINT:
            check_threads()
    except RuntimeError as error:
        line = as_line(error)
        streams.write_line(str(line))
        return line.exit_code
    streams.write_line("stopped")
    return code


def _help() -> str:
    lines = [f"  {name:<10} {(command.__doc__ or '').strip()}" for name, command in COMMANDS.items()]
    head = "usage: frtaudit COMMAND ...\n\nStatistical audits of face verification.\n\ncommands"
    tail = "\n  frtaudit COMMAND --help shows details; frtaudit --version; --debug prints the traceback of an error\n"
    tail += '  tab completion in bash: eval "$(frtaudit -sc install=bash)"'
    return "\n".join([head, *lines, tail])
