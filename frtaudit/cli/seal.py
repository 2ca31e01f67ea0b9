"""``frtaudit seal``: its arguments and its output. What signs is loaded once there is something to seal."""

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.config.named_files import check_key
from frtaudit.core.canonical import Json
from frtaudit.core.machine import signals
from frtaudit.core.machine.command_line import Parser
from frtaudit.core.machine.output import OutputFolder
from frtaudit.errors import DataError, printable
from frtaudit.report.files import SEAL

if TYPE_CHECKING:
    from frtaudit.signing.timestamp import Stamp

Content = Callable[[Sequence[str], str | None], Mapping[str, Json]]
"""What is sealed: (overrides, folder of presets) to :func:`frtaudit.core.seal.sealed_content`."""


def main(argv: Sequence[str], content: Content) -> int:
    """``frtaudit seal SPEC --out FILE``; 0: sealed. Raises :class:`FrtauditError`."""
    options = _parser().parse_intermixed_args(argv)
    out = Path(options.out)
    if out.exists():
        raise DataError("--out", f"{out.name} exists", "a new file: a seal is not overwritten")
    if options.key:
        check_key(Path(options.key))
    sealed = content(options.overrides, options.config_dir)
    from frtaudit.signing.keys import load_signer  # after the spec: an error of it comes sooner
    from frtaudit.signing.seal import make_seal, open_seal
    from frtaudit.signing.signer import check_years, common_name

    signals.check()
    signer = load_signer(options.key, options.password_file)
    when = datetime.now(UTC)
    check_years(signer.certificate, when)
    data = make_seal(sealed, signer, when, options.tsa)
    signals.check()
    seal = open_seal(data, options.out)  # one that does not hold is not written
    try:
        OutputFolder(out.parent).write(out.name, data)
    except OSError as error:
        problem = f"{out.name} cannot be written ({error.strerror})"
        raise DataError("--out", problem, "a writable folder with free space") from None
    time = f"{seal.statement.when:%Y-%m-%d %H:%M:%S} UTC by this machine's clock"
    if seal.stamp is not None:
        time = f"{seal.stamp.when:%Y-%m-%d %H:%M:%S} UTC by {common_name(seal.stamp.certificate)!r}"
        _warn(seal.stamp)
    by = f"sealed by {common_name(seal.statement.certificate)!r}, {time}"
    place = printable(options.out)
    sys.stdout.write(f"{by}: {place} (sha256 {seal.sha256})\nRun it with: frtaudit run ... seal={place}\n")
    return 0


def _warn(given: "Stamp") -> None:
    from frtaudit.signing.timestamp import warnings_of

    for line in warnings_of(given, datetime.now(UTC)):
        sys.stderr.write(f"frtaudit seal: warning: the time-stamp: {printable(line)}\n")


def _parser() -> Parser:
    parser = Parser(
        prog="frtaudit seal",
        description="Sign spec and cohort before the scores are seen.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("overrides", nargs="*", metavar="key=value", help="the spec, as for frtaudit run")
    add("--out", default=SEAL, metavar="FILE", help=f"output file (default: {SEAL})")
    add("--key", metavar="K", help="signing key: see frtaudit keygen (default: this machine's demo key)")
    add("--password-file", metavar="FILE", help="file with the key's password")
    add("--tsa", metavar="URL", help="RFC 3161 time-stamping authority")
    add("--config-dir", "-cd", metavar="FOLDER", help="your own presets")
    return parser
