"""The command in a process of its own that hears Ctrl-C also where the tests run in the background."""

import sys

HEARD = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
PROGRAM = HEARD + "from frtaudit.cli.main import main; sys.exit(main())"


def command(*words: str) -> list[str]:
    """What to start for ``frtaudit WORDS``."""
    return [sys.executable, "-c", PROGRAM, *words]
