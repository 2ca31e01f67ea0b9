"""``frtaudit plan``: the subjects that a spec needs; ``frtaudit plan collect``: calls and price of a collection."""

import sys
from collections.abc import Sequence

from frtaudit.cli.options import (
    COLLECT_EXAMPLES,
    OVERRIDES,
    PLAN_COLLECT_NEXT,
    PLAN_EXAMPLES,
    add_plan_flags,
    parser_of,
)
from frtaudit.errors import SpecError

DOES = "Number of subjects that a spec's limits and groups need; plan collect: number and price of calls."
COLLECTION = "Maximum number of calls of a collection and their price; no call is made."


def main(argv: Sequence[str]) -> int:
    """Print a table, or with ``--json`` canonical JSON; the exit code is 1 where a collection's budget is too small."""
    if argv and argv[0] == "collect":
        return _collection(argv[1:])
    parser = parser_of("plan", DOES, OVERRIDES + PLAN_EXAMPLES)
    add_plan_flags(parser)
    options = parser.parse_intermixed_args(argv)
    from frtaudit.config.load import load_typed
    from frtaudit.config.places import refuse_missing_files
    from frtaudit.core.canonical import to_bytes
    from frtaudit.core.machine.progress import on_terminal
    from frtaudit.planning.values import Settings, with_stand_in

    by_size = options.samples is not None or options.subjects is not None
    settings = Settings(
        power=options.power,
        ratio=options.ratio,
        difference=options.difference,
        expected=_once("--expected", options.expected),
        deff=_once("--deff", options.deff),
        limits=_once("--limit", options.limit),
        subjects=options.subjects,
        samples=options.samples,
        transactions=options.transactions,
        scores=not options.no_scores,
    )
    words = with_stand_in(options.overrides) if by_size else options.overrides
    try:
        read = load_typed(words, options.config_dir)
    except SpecError as error:
        if (error.where, error.found) != ("audit", "nothing is selected"):
            raise
        accepted = f"{error.accepted}, or --samples M where there are no data yet"
        raise SpecError(error.where, error.found, accepted) from None
    if not by_size:
        refuse_missing_files(read.spec)
    spec = read.whole()
    from frtaudit.planning.plan import plan as make  # after the spec: an error of it comes sooner

    plan = make(spec, settings, on_terminal)
    sys.stdout.write(to_bytes(plan.to_json()).decode() if options.json else f"{plan.text()}\n")
    return 0


def _once(option: str, given: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Values by rate; a rate that is given twice is refused."""
    values: dict[str, float] = {}
    for rate, value in given:
        if rate in values:
            twice = f"{rate}={values[rate]:g} and {rate}={value:g}"
            raise SpecError(option, twice, f"one value of a rate: {option} {rate}={value:g}")
        values[rate] = value
    return values


def _collection(argv: Sequence[str]) -> int:
    parser = parser_of("plan collect", COLLECTION, COLLECT_EXAMPLES + PLAN_COLLECT_NEXT)
    parser.add_argument("--queries", type=int, metavar="N", help="plan without the source: N queries")
    images = "plan without the source: M images of each query"
    parser.add_argument("--images", type=int, metavar="M", help=images)
    parser.add_argument("--json", action="store_true", help="print canonical JSON")
    options = parser.parse_intermixed_args(argv)
    from frtaudit.config.load import load_collection
    from frtaudit.config.places import check_files
    from frtaudit.core.canonical import to_bytes

    if (options.queries is None) != (options.images is None):
        raise SpecError("command line", "one of --queries and --images", "both, or none")
    spec = load_collection(["into=.", *options.overrides], options.config_dir)
    by_size = options.queries is not None
    if not by_size:
        check_files([spec.source])
    from frtaudit.collection.plan import plan_by_size, plan_of_source

    plan = plan_by_size(spec, options.queries, options.images) if by_size else plan_of_source(spec)
    sys.stdout.write(to_bytes(plan.to_json()).decode() if options.json else f"{plan.text()}\n")
    return 0 if plan.enough or plan.partial else 1
