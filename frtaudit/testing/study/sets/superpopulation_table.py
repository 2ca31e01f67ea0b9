"""The tables of the superpopulation study on a page: the worst cell of each kind of set, and every cell that fails.

Widths are medians: over the cohorts of a cell, then over the cells of a kind.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from frtaudit.testing.study.sets.one_sided import ERRORS, FAMILIES, shares
from frtaudit.testing.study.sets.superpopulation_cells import Cell

KINDS = {"real": "real sets", "fitted": "fitted to real sets", "twins": "real sets with twins, look-alikes"}
RATES = {"fmr": "FMR", "fnmr": "FNMR"}
WIDTH = 1.06  # of before: the bar of the median
TIMES = " / ".join(f"{error:g}" for error in ERRORS)


def table(cells: Sequence[Cell]) -> str:
    """Both tables in Markdown."""
    head = (
        f"| cohorts of | rate | cells | lower misses, times nominal at {TIMES} (before) | upper misses | "
        "any false fail of 1 / 6 / 10 / 30 (before) | false pass (before) | "
        "median width: of before, of the oracle's (P FMR) |"
    )
    return "\n".join([head, "|---" * 8 + "|", *_worst(cells), "", *_widths(cells), *_broken(cells)])


def any_false_fail(count: int, cohorts: int, family: int) -> float:
    """That at least one of ``family`` independent groups is failed where each is at its limit, by ``count`` at .05/m.

    >>> round(any_false_fail(100, 10_000, 6), 3)
    0.059
    """
    return float(1 - (1 - count / cohorts) ** family)


def _worst(cells: Sequence[Cell]) -> Iterator[str]:
    kinds = dict.fromkeys((KINDS.get(cell.part, cell.set), cell.rate, cell.weighting) for cell in cells)
    for kind, rate, weighting in kinds:
        alike = [
            cell
            for cell in cells
            if (KINDS.get(cell.part, cell.set), cell.rate, cell.weighting) == (kind, rate, weighting)
        ]
        before = [cell.before for cell in alike]
        fails = _fails((cell.false_fails, cell.cohorts) for cell in alike)
        fails_before = _fails((past[2], cell.cohorts) for past, cell in zip(before, alike, strict=True))
        passes = max(cell.upper[0] / cell.cohorts for cell in alike)
        passes_before = max(past[1][0] / cell.cohorts for past, cell in zip(before, alike, strict=True))
        narrow = np.median([cell.width[0] / cell.width[1] for cell in alike])
        oracle = np.median([cell.width[0] / cell.width[2] for cell in alike if cell.width[2] > 0])
        lower = _times((cell.lower, cell.cohorts) for cell in alike)
        lower_before = _times((past[0], cell.cohorts) for past, cell in zip(before, alike, strict=True))
        upper = _times((cell.upper, cell.cohorts) for cell in alike)
        # How many pairs of people times FMR the cells expect: where few, FMR's bounds are wide.
        due = [cell.truth * cell.people * (cell.people - 1) / 2 for cell in alike]
        expected = f" ({min(due):.1f} to {max(due):.0f})" if rate == "fmr" else ""
        yield (
            f"| {kind} | {RATES[rate]}, {weighting} | {len(alike)} | {lower} ({lower_before}) | {upper} | "
            f"{fails} ({fails_before}) | {passes:.3f} ({passes_before:.3f}) | "
            f"{narrow:.2f}, {oracle:.2f}{expected} |"
        )


def _widths(cells: Sequence[Cell]) -> Iterator[str]:
    """The width of FNMR's interval over that of before, over all cells, and in either weighting."""
    widths = {
        name: np.array([c.width[0] / c.width[1] for c in cells if c.rate == "fnmr" and c.weighting in name])
        for name in ("pooled, identity", "pooled", "identity")
    }
    parts = [
        f"{name}: median {np.median(over):.3f} over {over.size} cells, {over.min():.2f} to {over.max():.2f}, above "
        f"{WIDTH} in {np.count_nonzero(over > WIDTH)}"
        for name, over in widths.items()
        if over.size
    ]
    if parts:
        yield "Width of FNMR's interval, of before: " + "; ".join(parts) + "."
        yield ""


def _times(counts: Iterable[tuple[Sequence[int], int]]) -> str:
    """The largest share of misses over its error, at each error."""
    times = np.array([np.array(count) / cohorts for count, cohorts in counts]) / np.array(ERRORS)
    return " / ".join(f"{value:.2f}" for value in times.max(axis=0))


def _fails(counts: Iterable[tuple[Sequence[int], int]]) -> str:
    chances = [
        [any_false_fail(count, cohorts, m) for m, count in zip(FAMILIES, by_family, strict=True)]
        for by_family, cohorts in counts
    ]
    return " / ".join(f"{value:.3f}" for value in np.max(chances, axis=0))


def _broken(cells: Sequence[Cell]) -> Iterator[str]:
    broken = [cell for cell in cells if cell.broken]
    if not broken:
        yield "No claim is rejected."
    else:
        yield f"The claim is rejected in {len(broken)} of {len(cells)} cells:"
        yield ""
        yield f"| cohorts of | people | rate | true rate | lower misses at {TIMES} | upper misses | claim rejected |"
        yield "|---" * 7 + "|"
    for cell in broken:
        lower, upper = shares(cell.lower, cell.upper, cell.cohorts)
        yield (
            f"| {cell.set} | {cell.people} | {RATES[cell.rate]}, {cell.weighting}, at FMR {cell.target:g} | "
            f"{cell.truth:.2g} | {lower} | {upper} | {', '.join(cell.broken)} |"
        )
