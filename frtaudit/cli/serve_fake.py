"""``frtaudit serve-fake``: synthetic face services on this machine."""

import argparse
from collections.abc import Sequence

from frtaudit.cli.options import FAKE_EXAMPLES, FAULTS, add_fake_flags
from frtaudit.core.machine.command_line import Parser

_DOES = "Serve synthetic face services on this machine, with the wire formats of the real ones."


def main(argv: Sequence[str]) -> int:
    """Ends when it is stopped."""
    parser = Parser(
        prog="frtaudit serve-fake",
        description=_DOES,
        epilog=FAKE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_fake_flags(parser)
    options = parser.parse_args(argv)
    from frtaudit.collection.fake.faults import Faults
    from frtaudit.collection.fake.server import serve
    from frtaudit.collection.fake.world import Conduct, World

    names = ("latency", "rate", "swap_after", "swap_share", "asymmetry", "seed")
    faults = Faults(**{name: getattr(options, name) for name in (*FAULTS, "seed")})
    conduct = Conduct(faults=faults, **{name: getattr(options, name) for name in names})
    serve(World(conduct=conduct), options.port)
    return 0
