"""``frtaudit keygen``: a signing key and its certificate."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from frtaudit.config.named_files import CERTIFICATE, PDF_KEY, STATEMENT_KEY
from frtaudit.core.machine.command_line import Parser
from frtaudit.errors import printable
from frtaudit.signing.key_folder import PUBLIC, generate
from frtaudit.signing.password import new_password


def main(argv: Sequence[str] | None = None) -> int:
    """``frtaudit keygen``: 0 done. Raises :class:`~frtaudit.errors.FrtauditError` where no key could be made."""
    parser = Parser(prog="frtaudit keygen", description="Make a signing key and its certificate.")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="a new or empty folder")
    parser.add_argument("--name", default="frtaudit auditor", metavar="ORG", help="name in the certificate")
    parser.add_argument("--password-file", metavar="FILE", help="encrypt with the password in this file")
    parser.add_argument("--prompt", action="store_true", help="encrypt with a password typed at a prompt")
    options = parser.parse_args(argv)
    folder = Path(options.out)
    password = new_password(options.password_file, options.prompt)
    signer = generate(folder, options.name, password, datetime.now(UTC))
    lock = "not encrypted: keep the folder private" if password is None else "encrypted"
    lines = (
        f"{folder / STATEMENT_KEY}: Ed25519, signs statements ({lock})",
        f"  key sha256 {signer.keyid}",
        f"{folder / PDF_KEY}: ECDSA P-256, signs PDF files ({lock})",
        f"{folder / CERTIFICATE}: {signer.name}, until {signer.certificate.not_valid_after_utc:%Y-%m-%d}",
        f"  certificate sha256 {signer.fingerprint}",
        f"{folder / PUBLIC}: give this file to those who verify (frtaudit verify RUN --trust {PUBLIC})",
        f"Sign with it: frtaudit run ... report.key={folder}",
    )
    sys.stdout.write("\n".join(map(printable, lines)) + "\n")
    return 0
