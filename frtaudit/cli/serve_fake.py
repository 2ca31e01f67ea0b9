"""``frtaudit serve-fake``: synthetic face services on this machine."""

import argparse
from collections.abc import Sequence

from frtaudit.cli.options import FAKE_EXAMPLES
from frtaudit.core.machine.command_line import Parser

_DOES = "Serve synthetic face services on this machine, with the wire formats of the real ones."
FAULTS = {
    "throttled": "attempts that are throttled (429 and similar)",
    "error": "attempts that end with 500",
    "error_in_answer": "attempts whose 200 answer contains an error",
    "torn": "attempts answered with half of the JSON",
    "slow": "attempts answered five seconds late",
    "lost": "attempts processed and billed, but not answered: the call is repeated",
    "empty": "requests in which the service detects no face",
}


def main(argv: Sequence[str]) -> int:
    """Ends when it is stopped."""
    parser = Parser(
        prog="frtaudit serve-fake",
        description=_DOES,
        epilog=FAKE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--port", type=int, default=0, metavar="N", help="port on this machine (default: a free one)")
    add("--seed", type=int, default=0, metavar="N", help="seed of faults and delays (default: 0)")
    add("--latency", type=float, default=0.0, metavar="S", help="seconds an answer takes (default: 0)")
    add("--rate", type=float, metavar="R", help="calls per second and service before throttling")
    add("--swap-after", type=int, metavar="N", help="comparisons after which another model answers")
    add("--swap-share", type=float, default=0.0, metavar="P", help="share of comparisons with another model")
    asymmetry = "standard deviation of the difference between the two orders of a pair"
    add("--asymmetry", type=float, default=0.0, metavar="SD", help=asymmetry)
    for name, what in FAULTS.items():
        flag = f"--{name.replace('_', '-')}"
        add(flag, type=float, default=0.0, metavar="P", help=f"share of {what}")
    options = parser.parse_args(argv)
    from frtaudit.collection.fake.faults import Faults
    from frtaudit.collection.fake.server import serve
    from frtaudit.collection.fake.world import Conduct, World

    names = ("latency", "rate", "swap_after", "swap_share", "asymmetry", "seed")
    faults = Faults(**{name: getattr(options, name) for name in (*FAULTS, "seed")})
    conduct = Conduct(faults=faults, **{name: getattr(options, name) for name in names})
    serve(World(conduct=conduct), options.port)
    return 0
