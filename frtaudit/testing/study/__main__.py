"""Run the study and write ``guarantees.json``, ``index.html`` and the figures: ``make guarantees``."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine.progress import on_terminal
from frtaudit.errors import FrtauditError
from frtaudit.report import guarantees
from frtaudit.testing.study.run import Settings, Study, packed, study, summary, unpacked

NAME = "guarantees.json"


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where a claim does not hold, when asked to judge."""
    options = _parser().parse_args(argv)
    out: Path = options.out
    if not options.draw:
        settings = Settings(
            cohorts=options.cohorts,
            B=options.B,
            level_cohorts=options.level_cohorts,
            B_level=options.B_level,
            seed=options.seed,
            workers=options.workers,
            cells=tuple(options.cell),
        )
        try:
            results = study(settings, on_terminal)
        except FrtauditError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        out.mkdir(parents=True, exist_ok=True)
        (out / NAME).write_bytes(to_bytes(packed(results)))
    results = unpacked(json.loads((out / NAME).read_text("utf-8")))
    draw(out, results, options.docs)
    lines = list(summary(results))
    sys.stdout.write("\n".join(lines) + "\n")
    return int(options.judge and len(lines) > 1)


def draw(out: Path, results: Study, docs: Path | None = None) -> None:
    """The page of a study read from its JSON, and each figure as a file; ``docs``: those of the docs."""
    (out / "index.html").write_text(guarantees.page(results), "utf-8")
    for name, drawing in guarantees.files(results).items():
        (out / f"{name}.svg").write_text(drawing, "utf-8")
    if docs is not None:
        docs.mkdir(parents=True, exist_ok=True)
        for name, drawing in guarantees.for_documents(results).items():
            (docs / f"{name}.svg").write_text(drawing, "utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m frtaudit.testing.study", description=__doc__)
    size = Settings()
    parser.add_argument("--out", type=Path, default=Path("reports/guarantees"), help="folder written to")
    parser.add_argument("--docs", type=Path, help="folder for the figures of docs/methods/guarantees.md")
    parser.add_argument("--cohorts", type=int, default=size.cohorts, help="cohorts of each population cell")
    parser.add_argument("--B", type=int, default=size.B, help="replicates of each plan in a population cell")
    parser.add_argument(
        "--level-cohorts", type=int, default=size.level_cohorts, help="cohorts of the level studies"
    )
    parser.add_argument("--B-level", type=int, default=size.B_level, help="replicates there")
    parser.add_argument("--seed", type=int, default=size.seed)
    parser.add_argument(
        "--workers", type=int, default=size.workers, help="processes; the numbers do not depend on it"
    )
    parser.add_argument("--cell", action="append", default=[], help="part of a cell's name; can be repeated")
    parser.add_argument("--draw", action="store_true", help="only draw again, from the JSON in the folder")
    parser.add_argument("--judge", action="store_true", help="exit with 1 where a claim does not hold")
    return parser


if __name__ == "__main__":
    sys.exit(main())
