"""Arguments of the commands: flags, overrides of a spec, and their help."""

import argparse
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from frtaudit.core.machine.command_line import SIGNAL, Parser
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.places import need_search

_PATH = re.compile(
    r"(?=[A-Za-z]|.*/)(?!(?:true|false|null|inf|nan)$)[\w./-]{1,300}", re.ASCII | re.IGNORECASE
)  # a text
_COHORT = re.compile(r"[+~]*(?:audit|cohort)(?:\.(?:root|type))?[=@]")

OVERRIDES = """\
overrides
  audit=NAME           the audit: frtaudit list audit
  key=value            set any field of the spec: bootstrap.B=999, cohort.root=FOLDER
  schema=x, schema=[x,y]       classification schemas; schema.column=c with a single schema
  providers=[a,b]              only these systems
  analyses=[a,b]               only these analyses; also schemas=[a] or test_sets=[a]; [] is none
  +analyses.x={} ~analyses.x   with or without this analysis; also +schemas.x={column: c}
  requirement=[x]              add a profile of requirements
  hydra.run.dir=FOLDER         folder of the run (default: reports/<audit>/<time>)
"""

CHECK_CODES = """
exit codes: 0 the audit can run, 1 its data cannot be audited, 2 wrong spec, or usage
"""

AUDIT_CODES = """
exit codes: 0 done, 1 could not audit, 2 wrong spec, or usage, 3 audited and a requirement failed
"""

RUN_CODES = f"""{AUDIT_CODES.rstrip()};
{SIGNAL}; a sweep ends with the most severe code of its jobs, by the verdicts over the sweep
"""

COMPARE_EXAMPLES = """\
RUN           the folder of a finished run; all runs need the same subjects and comparisons
NAME=RUN      the same, with its system renamed to NAME, for example for two dates of one vendor
key=value     set a field in place of the runs' specs; examples:
  analyses.vendor_comparison.margins.fnmr_at_fmr=0.01          equivalence margin
  analyses.vendor_comparison.decision.rule=better_than         with decision.against=SYSTEM
  analyses.vendor_comparison.services.acme=[old,new]           test whether the service changed
  hydra.run.dir=FOLDER             folder of the comparison (default: reports/compare/<time>)
"""

LABEL_EXAMPLES = """\
FOLDER        faces.csv (face_id, query, and optionally image: a path from FOLDER) and a score list of each service,
              as for audit=rapid_test cohort.root=FOLDER
key=value     set a field of that audit: cohort.labels.rule=paper

The most informative faces come first: those without an estimated label, then the most ambiguous. Each answer is written
to disk before the next question. Then: frtaudit run audit=rapid_test cohort.root=FOLDER
  cohort.answers=FOLDER/answers.csv cohort.labels.source=combined

exit codes: 0 done, also if a signal (Ctrl-C) ends the page; 1 could not be done; 2 usage
"""

COLLECT_EXAMPLES = """\
collection=NAME              a preset (frtaudit list collection), or your own in FOLDER/collection/NAME.yaml
source=NAME                  source of the images; source.FIELD=value: frtaudit list source
services.NAME.type=TYPE      a service and its name in reports; services.NAME.FIELD=value: frtaudit list service
into=FOLDER                  scores, and the record of all calls; repeat the command to resume
least=N                      minimum number of images of a query (default: 8); seed=N; keep_images=true: write images
pairs.between=matched|all    pairs between queries: a sample of the number within queries, or all; pairs.group=COLUMN
canaries.pairs=N             pairs compared repeatedly to detect changes; canaries.rounds, .repeats, .given
budget.limit=N               maximum cost; budget.partial=true: collect as much as the budget allows
services.NAME.limits.compare=X    price of a call; limits.detect, limits.rate, limits.concurrency, limits.attempts
"""

COLLECT_NEXT = """
frtaudit plan collect with the same arguments prints the cost. Then: frtaudit run audit=rapid_test cohort.root=FOLDER
exit codes: 0 complete, or as much as the budget allows with budget.partial=true; 1 failed or incomplete; 2 usage
"""

PLAN_COLLECT_NEXT = """
frtaudit collect with the same arguments makes the calls.
exit codes: 0 the budget is enough, or budget.partial=true; 1 it is not, or could not be done; 2 usage
"""

EMBED_EXAMPLES = """\
IMAGES        a folder with a folder of images for each person, or a CSV: image (a path), subject_id, columns
              for classifications; optional: image_id, a box (x, y, width, height), five landmarks (x1, y1, ...)
preset=NAME   input of the model: frtaudit list preset; preset.FIELD=value changes one field
model=FILE    ONNX model of the system; none for preset=dlib. name=NAME: name of the system (default: the file's name)
detector=NAME dlib; yunet or scrfd with detector.model=FILE; given: faces of the CSV; aligned: images are aligned faces
into=FOLDER   metadata.csv, templates/NAME.npz and NAME.json, failures.csv; repeat the command to resume; a second
              model with the same folder is a second system
root=FOLDER   folder of the paths in a CSV (default: the folder of the CSV)
people=CSV    for a folder of images: subject_id and columns for classifications
several=fail  an image with several faces is a failure to acquire (default: the largest face is taken)
workers=N     processes (default: one for each core); execution=CUDAExecutionProvider: provider of ONNX Runtime

examples
  frtaudit embed photos preset=dlib into=faces
  frtaudit embed photos.csv preset=arcface_rgb_127.5 model=r50.onnx detector=yunet detector.model=y.onnx into=faces
Then: frtaudit run audit=templates cohort.root=FOLDER
"""

PLAN_EXAMPLES = """
rates: fmr, fnmr, fta, far, frr

examples
  frtaudit plan audit=demo                                 a spec with data, its providers scored as a pilot
  frtaudit plan --samples 4 --limit fnmr=0.01              no cohort yet: how many subjects?
  frtaudit plan --subjects 500 --samples 4 schema=gender requirement=[nist_800_63a_4]
"""


FAKE_EXAMPLES = """
It prints the settings for a shell and a spec. Faults depend on the request and on the number of the attempt, so every
run has the same faults; after three attempts of a request only --empty remains.

examples
  frtaudit serve-fake                                            five services that answer at once
  frtaudit serve-fake --latency 0.2 --rate 10                    slow ones that throttle
  frtaudit serve-fake --throttled 0.1 --error 0.05 --torn 0.05   ones that fail occasionally
  frtaudit serve-fake --swap-after 500                           another model answers from the 501st comparison on

exit codes: 1 could not serve, 2 usage; it serves until a signal (Ctrl-C) ends it
"""


def add_fail_on(
    parser: Parser, what: str = "exit with 3 at this verdict or a worse one (default: fail)"
) -> None:
    """What exits with 3."""
    choices = ("fail", "inconclusive", "not_testable")
    parser.add_argument("--fail-on", choices=choices, default="fail", help=what)


def add_json(parser: Parser) -> None:
    """The verdicts and files of a run, for a program."""
    parser.add_argument("--json", action="store_true", help="print verdicts, findings and files as JSON")


def parser_of(command: str, does: str, epilog: str, words: str = "key=value") -> Parser:
    """What every command on a spec takes: overrides, and a folder of presets."""
    parser = Parser(
        prog=f"frtaudit {command}",
        description=does.strip(),
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("overrides", nargs="*", metavar=words, help="overrides; see below")
    presets = "your own presets: audit/, schema/, requirement/, ..."
    parser.add_argument("--config-dir", "-cd", metavar="FOLDER", help=presets)
    return parser


def add_label_flags(parser: Parser) -> None:
    """Where answers go, how many are asked for, which port."""
    add = parser.add_argument
    add("--answers", metavar="FILE", help="file of answers, appended to (default: answers.csv in FOLDER)")
    add("--first", type=int, metavar="N", help="only the N most informative faces")
    add("--blind", action="store_true", help="hide the estimates, and the answers in the list of faces")
    add("--names", metavar="FILE", help="CSV with the names of the queries: the list that was searched for")
    fetch = "read pictures again from the source of a collection: collection=NAME, or key=value of it"
    add("--fetch", action="append", default=[], metavar="WORD", help=fetch)
    reviews = "print the agreement of two reviewers, and ask for the faces on which they differ"
    add("--reviews", nargs=2, metavar=("FILE", "FILE"), help=reviews)
    add("--port", type=int, default=0, metavar="P", help="port of the page (default: a free one)")


def add_plan_flags(parser: Parser) -> None:
    """Power, expected rates, and the size of a cohort that is not there yet."""
    add = parser.add_argument
    add("--power", type=float, default=0.8, metavar="P", help="power of a test (default: 0.8)")
    ratio = "ratio of the rates of two groups to detect (default: 2)"
    add("--ratio", type=float, default=2.0, metavar="R", help=ratio)
    systems = "two systems of the pilot that an analysis compares (default: 0.01)"
    add("--difference", type=float, metavar="D", help=f"difference in FNMR to detect between {systems}")
    for name, what in (
        ("limit", "one more limit, for all subjects and each group: fnmr=0.01"),
        ("expected", "the true rate (default: half the limit): fnmr=0.004"),
        ("deff", "a design effect, the same at every size: fnmr=2"),
    ):
        add(f"--{name}", type=_rate, action="append", default=[], metavar="RATE=X", help=what)
    add("--subjects", type=int, metavar="K", help="plan without data: a cohort of K subjects")
    add("--samples", type=float, metavar="M", help="plan without data: M samples of each subject")
    transactions = "mated transactions of each subject (default: 1)"
    add("--transactions", type=int, default=1, metavar="T", help=transactions)
    add("--no-scores", action="store_true", help="do not score the providers as a pilot")
    add("--json", action="store_true", help="print canonical JSON")


def _rate(text: str) -> tuple[str, float]:
    """``fnmr=0.01`` as name and number."""
    name, equals, value = text.partition("=")
    try:
        return name, float(value if equals else "")
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, which is not like fnmr=0.01") from None


def moment(text: str) -> datetime:
    """An ISO 8601 date, perhaps with a time; without a zone it is UTC."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, which is not like 2026-03-04T05:06:07Z") from None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def run_options(command: str, does: str, argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Flags and overrides in any order; the second value is the flags that are Hydra's."""
    codes = RUN_CODES if command == "run" else CHECK_CODES
    parser = parser_of(command, does, OVERRIDES + codes)
    if command != "run":
        unused = "accepted so that a command of frtaudit run can be checked; it changes nothing here"
        add_fail_on(parser, unused)
    else:
        add_fail_on(parser)
        add_json(parser)
        add = parser.add_argument
        add("--multirun", "-m", action="store_true", help="a sweep: key=a,b runs once for each value")
        add("--cfg", "-c", choices=("job",), help="print the composed spec and stop")
        add("--resolve", action="store_true", help="with --cfg: resolve ${key}")
        add("--package", "-p", metavar="KEY", help="with --cfg: only this part")
        add(
            "--info", "-i", nargs="?", const="all", metavar="WHAT", help="print information of Hydra and stop"
        )
    options = parser.parse_intermixed_args(argv)
    flags = [f"--{name}" for name in ("multirun", "resolve") if getattr(options, name, False)]
    for name in ("cfg", "package", "info"):
        value = getattr(options, name, None)
        flags += [f"--{name}", value] if value else []
    return options, flags


def label_overrides(words: Sequence[str]) -> list[str]:
    """A folder stands for the rapid test on it.

    >>> label_overrides(["faces", "cohort.labels.rule=paper"])
    ['audit=rapid_test', 'cohort.root=faces', 'cohort.labels.rule=paper']
    """
    folders = [word for word in words if "=" not in word]
    if len(folders) > 1:
        raise SpecError("command line", f"{len(folders)} folders", "one folder, and key=value")
    named = any(word.startswith("audit=") for word in words)
    first = [] if named else ["audit=rapid_test"]
    return [*first, *(f"cohort.root={name}" for name in folders), *(word for word in words if "=" in word)]


def refuse_missing_search(words: Sequence[str]) -> None:
    """Raise :class:`~frtaudit.errors.DataError` for a folder of the rapid test that is not there.

    It is what the test's own cohort would say, once its spec is composed; other cohorts speak for themselves.
    """
    folders = [word for word in words if _PATH.fullmatch(word)]
    if len(folders) == 1 and not any(map(_COHORT.match, words)) and not os.path.lexists(folders[0]):
        need_search("cohort.root", folders[0])


def refuse_missing_answers(answers: str | None, names: str | None, reviews: Sequence[str]) -> None:
    """Raise :class:`DataError` for answers in no folder, and for names or reviews that are not there."""
    if answers and not Path(answers).parent.is_dir():
        raise DataError("--answers", f"no folder {str(Path(answers).parent)!r}", "a file in a folder")
    if names:
        from frtaudit.inputs.tables import need_table

        need_table(Path(names), Path(names).name)
    for path in reviews:
        if not Path(path).is_file():
            raise DataError("--reviews", f"no file {path!r}", "two files of answers")
