"""``frtaudit verify PATH``: its arguments and its output."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: JSON of mixed depth

from frtaudit.core.canonical import dumps
from frtaudit.core.machine.command_line import CheckParser
from frtaudit.core.machine.files import irregular
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.errors import FrtauditError, VerificationError, printable

if TYPE_CHECKING:
    from frtaudit.core.result import AuditResult

USAGE = 4


def main(argv: Sequence[str] | None = None) -> int:
    """``frtaudit verify PATH``; the exit code is the verification's, 4 also for wrong usage."""
    parser = CheckParser(
        prog="frtaudit verify",
        description="Check a run folder, or its PDF alone, offline.",
        epilog="exit codes: 0 valid and trusted, 2 invalid or a file is missing, 3 valid but its signer is not "
        "trusted here, 4 no conclusion, or usage",
    )
    add = parser.add_argument
    add("path", metavar="PATH", help="a run's or a sweep's folder (everything), a PDF, or a seal")
    pem = "PEM file of trusted signers, or a folder of such files"
    add("--trust", action="append", default=[], metavar="FILE", help=pem)
    add("--deep", action="store_true", help="also lay out the PDF again and compare it")
    stricter = "as --deep; exit 4 if anything was not compared or is not covered"
    add("--strict", action="store_true", help=stricter)
    add("--json", action="store_true", help="print the checks as JSON")
    add("--recipe", action="store_true", help="print how to check the statement with openssl")
    options = parser.parse_args(argv)
    if not all((options.path, *options.trust)):
        parser.error("an argument is empty")
    from frtaudit.signing.verification import Depth  # it loads what signs: after the arguments
    from frtaudit.signing.verify import verify

    try:
        depth = Depth.PAPER if options.deep or options.strict else Depth.PAGE
        verification = verify(options.path, options.trust, depth, _tabled)
    except FrtauditError as error:
        sys.stderr.write(f"frtaudit verify: {error}\n")
        return USAGE
    strict = options.strict
    text = dumps(verification.to_json(strict=strict)) if options.json else verification.text(strict=strict)
    sys.stdout.write(f"{text}\n")
    if options.recipe:
        sys.stdout.write(_recipe(Path(options.path)))
    return verification.verdict(strict=strict)[1]


def _tabled(content: Mapping[str, Any], results: "Mapping[int, AuditResult]") -> tuple[bytes, str]:
    from frtaudit.cli.sweeps.made_again import made_again

    return made_again(content, results)


def _recipe(path: Path) -> str:
    from frtaudit.signing.statement import Scope, open_statement, recipe

    file = path / STATEMENT
    if not file.is_file() or irregular(file) is not None:
        return f"# {printable(str(path))} holds no {STATEMENT}: there is no statement to check with openssl\n"
    try:
        return recipe(STATEMENT, open_statement(file.read_bytes(), Scope.OUTER, STATEMENT)) + "\n"
    except VerificationError as error:
        return f"# {error}\n"
