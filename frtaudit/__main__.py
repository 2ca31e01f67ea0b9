"""``python -m frtaudit``."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder in which it is started is data
    from frtaudit.cli import start

    sys.exit(start())
