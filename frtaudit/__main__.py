"""``python -m frtaudit``."""

import sys

from frtaudit.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
