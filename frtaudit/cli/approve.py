"""``frtaudit approve``: its arguments and its output. What signs is loaded once there is a key and a run."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from frtaudit.config.named_files import check_key
from frtaudit.core.machine.command_line import Parser
from frtaudit.errors import printable


def main(argv: Sequence[str] | None = None) -> int:
    """``frtaudit approve RUN --key K``; 0: approved. Raises :class:`FrtauditError`."""
    parser = Parser(prog="frtaudit approve", description="Add an approving signature.")
    parser.add_argument("run", metavar="RUN", help="a signed run folder, or its PDF")
    parser.add_argument("--key", required=True, metavar="K", help="the approver's key: see frtaudit keygen")
    parser.add_argument("--password-file", metavar="FILE", help="file with the key's password")
    options = parser.parse_args(argv)
    check_key(Path(options.key))
    from frtaudit.signing.approve import approve
    from frtaudit.signing.keys import load_signer

    signer = load_signer(options.key, options.password_file)
    written = approve(Path(options.run), signer, datetime.now(UTC), _warn)
    names = ", ".join(path.name for path in written)
    sys.stdout.write(f"approved by {signer.name!r} (key {signer.keyid[:16]}...): {printable(names)}\n")
    return 0


def _warn(line: str) -> None:
    sys.stderr.write(f"frtaudit approve: warning: {printable(line)}\n")
