"""Words of a command line, read so that what is wrong with them is one line."""

import argparse
from typing import NoReturn

from frtaudit.errors import SpecError

SIGNAL = "128 + n ended by signal n"
DONE = f"exit codes: 0 done, 1 could not be done, 2 usage, {SIGNAL}"


class Parser(argparse.ArgumentParser):
    """Usage errors are one line, as all errors are; every help says what the exit codes mean."""

    def format_help(self) -> str:
        """The help, with the usual exit codes where it names none, and that of a signal."""
        text = super().format_help()
        text = text if "exit codes" in text else f"{text}\n{DONE}\n"
        return text if SIGNAL in text else f"{text.rstrip()};\n{SIGNAL}\n"

    def error(self, message: str) -> NoReturn:
        """Raise :class:`SpecError`."""
        refused, _, accepted = message.partition("; accepted: ")
        raise SpecError("command line", refused, accepted or f"{self.prog} --help shows it")


class CheckParser(Parser):
    """Of a command whose exit code 2 is an answer (invalid, differs): wrong usage is 4."""

    def error(self, message: str) -> NoReturn:
        """Raise :class:`SpecError` with exit code 4."""
        try:
            super().error(message)
        except SpecError as error:
            error.exit_code = 4
            raise
