"""Words of a command line, read so that what is wrong with them is one line."""

import argparse
from typing import NoReturn

from frtaudit.errors import SpecError


class Parser(argparse.ArgumentParser):
    """Usage errors are one line, as all errors are."""

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
