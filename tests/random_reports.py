"""Reports full of odd names: digits, punctuation, spaces, other scripts, right to left, combining marks, markup.

`python tests/random_reports.py [REPORTS [PDFS]]` audits, signs and verifies 300 of them (default), the first 20 with
the PDF and `--deep`; each must be valid and trusted, with nothing left unchecked. The tests try a few.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.config.plugins import load_plugins
from frtaudit.config.validate import check_spec
from frtaudit.core.spec import AuditSpec, Bootstrap, Report, RequirementSpec, SchemaSpec, Thresholds
from frtaudit.datasets.cohorts.synthetic import Synthetic, SyntheticClass, SyntheticSystem
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.pipeline.run import run
from frtaudit.report import fresh
from frtaudit.signing.verification import Depth, Verification
from frtaudit.signing.verify import verify

REPORTS, PDFS, LONGEST = 300, 20, 200
WORDS_OF_THE_SPEC = frozenset({"all", "each", "max", "unknown"})
ALPHABETS: Mapping[str, str] = {
    "digits": "0123456789.,-+%e ",
    "punctuation": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{}~ ",
    "latin": "abcXYZäöüßñçøłİǅﬁ 09",
    "other scripts": "Ж人脸認証顔얼굴ไทยहिन्दीελληνικά ",
    "right to left": "שלוםمرحبا۱۲۳ \u200f\u202e",
    "combining marks": "aeo\u0301\u0308\u0327\u20dd\u200d\ufe0fקָ ",
    "superscripts": "×10⁻³½²₂∞−–—…“”¹ ",
    "markup": "<>&;\"'=/{}%#abip ",
    "spaces": "a\u00a0\u2003\u3000\u200b b",
}
WHOLE = (
    *(
        "18-35",
        "vendor2",
        "fnmr-1e-2",
        "=1+1",
        "@a",
        "-1",
        "1.0",
        "1e-3",
        "NaN",
        "inf",
        "null",
        "true",
        "no",
        "010",
    ),
    *(
        "<script>alert(1)</script>",
        "</style><b>",
        "{{ 7 * 7 }}",
        "{% for %}",
        "&amp;",
        "<!--",
        "]]>",
        "../../x",
        "CON",
    ),
    *(
        "10 %",
        "1,000",
        "2.13 %",
        "one in 1,000",
        "sha256 0123456789abcdef",
        "a/b~1c",
        "${oc.env:HOME}",
        "a\u0301",
        "á",
    ),
)


def names(longest: int = LONGEST) -> st.SearchStrategy[str]:
    """A name that a spec takes: 1 to ``longest`` characters of one kind or of two, or one known for trouble."""
    kinds = [st.text(alphabet, min_size=1, max_size=longest) for alphabet in ALPHABETS.values()]
    pairs = st.tuples(st.one_of(kinds), st.one_of(kinds)).map(lambda pair: "".join(pair)[:longest])
    return st.one_of(*kinds, pairs, st.sampled_from(WHOLE)).map(str.strip).filter(_is_name)


def _is_name(text: str) -> bool:
    known = text in WORDS_OF_THE_SPEC or "|" in text
    return bool(text) and not known and all(unicodedata.category(letter) != "Cc" for letter in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What is named in a report."""

    classes: tuple[str, ...]
    systems: tuple[str, ...]
    schema: str
    requirement: str
    title: str
    organisation: str


def plain(without: str) -> st.SearchStrategy[str]:
    """A name ``without`` some characters."""
    return names().filter(lambda name: not set(name) & set(without))


def several(without: str = "") -> st.SearchStrategy[tuple[str, ...]]:
    """Two names, ``without`` some characters."""
    return st.lists(plain(without), min_size=2, max_size=2, unique_by=_folded).map(tuple)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def reports() -> st.SearchStrategy[Names]:
    """Names of a whole report."""
    return st.builds(
        Names,
        classes=several(without="&|"),  # crossed classes are named with them
        systems=several(),
        schema=plain("&|"),
        requirement=names(),
        title=names(),
        organisation=names(),
    )


def audited(named: Names, folder: Path, *, pdf: bool) -> Verification:
    """A tiny audit under these names, signed with this machine's demo key, and what verify finds."""
    load_plugins()
    spec = AuditSpec(
        name="odd",
        cohort=Synthetic(
            subjects=8,
            samples_per_subject=(2, 2),
            dimension=4,
            classes={name: SyntheticClass() for name in named.classes},
            systems={name: SyntheticSystem(noise=0.5) for name in named.systems},
        ),
        protocol=AllPairs(),
        analyses={"error_rates": ErrorRates(curve_points=3)},
        schemas={named.schema: SchemaSpec(column="group", classes=named.classes)},
        thresholds=Thresholds(fmr=(0.1,)),
        bootstrap=Bootstrap(B=99),
        requirements=(
            RequirementSpec(
                name=named.requirement,
                metric="fnmr_at_fmr",
                limit=0.5,
                at={"fmr": 0.1},
                schema=named.schema,
                group="each",
            ),
        ),
        threads=1,
        report=Report(title=named.title, organisation=named.organisation, pdf=pdf, date="2026-01-02"),
    )
    check_spec(spec)
    run(spec, folder, lambda counts: 3 if counts["fail"] else 0)
    return verify(folder, depth=Depth.PAPER)


SERVER = """
import os, sys
import weasyprint
from frtaudit.report import fresh
from frtaudit.report.figures import canvas
for line in sys.stdin:
    child = os.fork()
    if not child:
        for number, path in enumerate(line.split()):
            os.dup2(os.open(path, os.O_RDWR), number)
        code = 1
        try:
            fresh.main()
            sys.stdout.flush()
            code = 0
        except SystemExit as end:
            code = end.code
        finally:
            sys.stderr.flush()
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class SecondProcess:
    """Stands for the second process of a report: forked by one that has loaded everything, under another hash seed.

    What verify asks for is what the run has asked for, file by file and byte by byte, or a process makes it.
    """

    TimeoutExpired = subprocess.TimeoutExpired
    _server: "subprocess.Popen[str] | None" = None
    _last: tuple[object, bytes] = (None, b"")
    _code: int | None = None

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._job, self._out = json.loads(stdin.read()), stdout
        stdin.seek(0)
        asked, made = type(self)._last
        if asked == self._job:
            stdout.write(made)
            self._code = 0

    @classmethod
    def Popen(  # noqa: N802  as subprocess has it
        cls,
        _command: object,
        *,
        stdin: IO[bytes],
        stdout: IO[bytes],
        stderr: IO[bytes],
        env: Mapping[str, str],
    ) -> "SecondProcess":
        """Hand the three open files to the server."""
        process = cls(stdin, stdout)
        if process._code is not None:
            return process
        if cls._server is None:
            cls._server = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-c", SERVER],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**env, "TMPDIR": tempfile.gettempdir()},  # it outlives a report's own folder
            )  # fmt: skip
        assert cls._server.stdin is not None
        places = (f"/proc/{os.getpid()}/fd/{stream.fileno()}" for stream in (stdin, stdout, stderr))
        cls._server.stdin.write(" ".join(places) + "\n")
        cls._server.stdin.flush()
        return process

    def wait(self, _timeout: float | None = None) -> int:
        """The exit code."""
        if self._code is None:
            assert self._server is not None
            assert self._server.stdout is not None
            self._code = int(self._server.stdout.readline())
            self._out.seek(0)
            if self._code == 0:
                type(self)._last = self._job, self._out.read()
        return self._code

    def kill(self) -> None:
        """It ends by itself."""

    @classmethod
    def end(cls) -> None:
        """The server ends."""
        if cls._server is not None:
            cls._server.communicate()
            cls._server = None


def tried(number: int, pdfs: int) -> int:
    """How many reports held, the first ``pdfs`` of them with a PDF; raises for the first that does not."""
    made = 0

    @settings(
        max_examples=number,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(reports())
    def hold(named: Names) -> None:
        nonlocal made
        with tempfile.TemporaryDirectory() as folder:
            found = audited(named, Path(folder) / "run", pdf=made < pdfs)
        assert found.strict_exit_code == 0, f"{named}\n{found}"
        made += 1
        sys.stderr.write(f"{made} of {number}{' with PDF' if made <= pdfs else ''}: held\n")

    hold()
    return made


if __name__ == "__main__":
    fresh.subprocess = SecondProcess  # type: ignore[assignment,misc]  # importing anew is a third of the time
    numbers = [int(word) for word in sys.argv[1:]]
    wanted, with_pdf = numbers[0] if numbers else REPORTS, numbers[1] if len(numbers) > 1 else PDFS
    began = time.monotonic()
    held = tried(wanted, with_pdf)
    sys.stdout.write(
        f"{held} reports, {min(held, with_pdf)} with PDF: all valid and trusted ({time.monotonic() - began:.0f} s)\n"
    )
