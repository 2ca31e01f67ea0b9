"""Which key signs: one that is named, or this machine's demo key."""

import os
from datetime import UTC, datetime
from pathlib import Path

from frtaudit.config.named_files import check_key
from frtaudit.errors import DataError
from frtaudit.signing.foreign_key import foreign_signer
from frtaudit.signing.key_folder import PUBLIC, generate, is_locked, read
from frtaudit.signing.password import password_for
from frtaudit.signing.signer import DEMO_NAME, Signer

DEMO_FOLDER = "demo-key"


def config_folder() -> Path:
    """The user's folder: FRTAUDIT_CONFIG_HOME, else XDG_CONFIG_HOME/frtaudit, else ~/.config/frtaudit.

    A relative XDG_CONFIG_HOME counts as none, as its specification asks: whom a machine trusts does not depend on the
    folder in which a command is started. Raises DataError for a user without any of them and without a home.
    """
    if folder := os.environ.get("FRTAUDIT_CONFIG_HOME"):
        return Path(folder)
    shared = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    try:
        return (shared if shared.is_absolute() else Path.home() / ".config") / "frtaudit"
    except RuntimeError:
        text = "this user has none, and HOME is not set"
        raise DataError("home folder", text, "FRTAUDIT_CONFIG_HOME=FOLDER in the environment") from None


def load_signer(key: str | Path | None = None, password_file: str | Path | None = None) -> Signer:
    """The signer of a run: the key in the folder or file ``key``, or this machine's demo key.

    An encrypted key's password comes from ``password_file``, else from the file that FRTAUDIT_PASSWORD_FILE
    names, else from a prompt.
    """
    if key is None:
        return demo_signer(datetime.now(UTC))
    folder = Path(key)
    check_key(folder)
    if folder.is_file():
        return foreign_signer(folder, password_file)
    password = None
    if is_locked(folder):
        password = password_for(password_file, f"Password of {folder}: ")
    return read(folder, password)


def demo_signer(when: datetime) -> Signer:
    """The demo key of this machine, made on first use; two first users end up with the same key."""
    folder = config_folder() / DEMO_FOLDER
    if not folder.exists():
        try:
            return generate(folder, DEMO_NAME, None, when)
        except DataError as error:
            if not (folder / PUBLIC).exists():
                accepted = (
                    f"{error.accepted}: FRTAUDIT_CONFIG_HOME=FOLDER in the environment; or a key of your own"
                )
                raise DataError(error.where, error.found, accepted) from None
    return read(folder)
