"""Do the bounds hold for cohorts of large sets? ``python -m frtaudit.testing.study.superpopulations``.

Cohorts of 60, 150 and 400 people are drawn without replacement from sets whose rates are known: real ones (those of
``FRTAUDIT_DATA``), sets fitted to them, real ones with twins and other look-alikes, synthetic with hubs, wolves and
super-wolves (FORMULAS 8.1, 8.18). Thresholds are fixed. Every default bound of FMR and FNMR is held to 1.2 times its
error at four levels, false fails and false passes to what the report calls nominal.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path

from frtaudit.core.spec import Weighting
from frtaudit.testing.study.pages import into, parser_of, read_rows, write_line, write_rows
from frtaudit.testing.study.sets.one_sided import shares
from frtaudit.testing.study.sets.sources import LIKE_PEOPLE, PARTS, RATES, ready, sources
from frtaudit.testing.study.sets.superpopulation_cells import Cell, cells
from frtaudit.testing.study.sets.superpopulation_table import table

PEOPLE, TARGETS = (60, 150, 400), (1e-2, 1e-3, 1e-4)
COHORTS = 20_000
PLACE = "superpopulations"


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where a claim does not hold in a cell, when asked to judge."""
    parser = _parser()
    options = parser.parse_args(argv)
    parts, sizes = options.part or PARTS, options.people or PEOPLE
    ready(parser, parts)
    by_key = {cell.key: cell for cell in read_rows(options.out, Cell)}
    for source in sources(parts, options.set, sizes, options.made_people, options.rate or RATES):
        begun = time.process_time()
        designs = product(
            sizes if source.people is None else (source.people,), options.target or TARGETS, Weighting
        )
        for people, target, weighting in designs:
            for cell in cells(source, people, target, weighting, options.cohorts):
                by_key[cell.key] = cell
                write_line(_line(cell))
        sys.stderr.write(f"{source.name}: {time.process_time() - begun:.0f} s of one core\n")
        if options.out:
            write_rows(options.out, map(asdict, by_key.values()))
    into(options.docs, PLACE, table(list(by_key.values())))
    return int(options.judge and any(cell.broken for cell in by_key.values()))


def _line(cell: Cell) -> str:
    lower, upper = shares(cell.lower, cell.upper, cell.cohorts, " ")
    word = ", ".join(cell.broken) or "holds"
    at = f"{cell.set}: K {cell.people}, FMR {cell.target:g}, {cell.weighting} {cell.rate}"
    return f"{at}: lower {lower}, upper {upper} of {cell.cohorts}: {word}"


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("superpopulations", __doc__)
    parser.add_argument("--part", action="append", choices=PARTS, help="can be repeated; default: all")
    parser.add_argument("--set", action="append", default=[], help="letter of a real set, or a population")
    parser.add_argument("--people", type=int, action="append", default=[])
    parser.add_argument("--target", type=float, action="append", default=[])
    parser.add_argument("--rate", action="append", choices=RATES, default=[])
    parser.add_argument("--cohorts", type=int, default=COHORTS)
    parser.add_argument("--made-people", type=int, default=LIKE_PEOPLE, help="size of a synthetic set")
    parser.add_argument("--out", type=Path, help="JSON file; other cells that it holds are kept")
    parser.add_argument("--judge", action="store_true", help="exit with 1 where a claim does not hold")
    return parser


if __name__ == "__main__":
    sys.exit(main())
