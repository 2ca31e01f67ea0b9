"""The command line: one module a command."""

import sys


def start() -> int:
    """The command ``frtaudit``: Ctrl-C while its modules are loaded ends it as later, in one line."""
    try:
        from frtaudit.cli.main import main

        return main()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("frtaudit: stopped\n")
        return 130
