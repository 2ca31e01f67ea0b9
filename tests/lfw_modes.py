"""Modes and labels on LFW as a web search, by wrong faces: ``python tests/lfw_modes.py SEED`` prints a table."""

import sys

import numpy as np
from web_search import lfw, web_search

from frtaudit.core.labelling import Faces, Service
from frtaudit.errors import DataError
from frtaudit.labelling.estimate import labelled
from frtaudit.labelling.settings import How

SHARES = (0.1, 0.3, 0.5, 0.65)


def true_modes(faces: Faces, service: Service) -> tuple[float, float]:
    """Mean score between queries, and of two images of one query's person by annotation."""
    same = faces.query_of[service.first] == faces.query_of[service.second]
    own = same & (faces.annotated[service.first] == 1) & (faces.annotated[service.second] == 1)
    return float(np.nanmean(service.score[~same])), float(np.nanmean(service.score[own]))


def main(seed: int) -> int:
    """A line for each share of wrong faces and service."""
    if not lfw().is_dir():
        sys.stderr.write("no LFW: FRTAUDIT_DATA names the folder that holds lfw\n")
        return 1
    sys.stdout.write(
        "| wrong faces | queries used | labels right | service | non-mated mode | mean | mated mode | mean |\n"
        "|---|---|---|---|---|---|---|---|\n"
    )
    for share in SHARES:
        faces, services, _ = web_search(seed, (share, share))
        try:
            found = labelled(faces, services, How())
        except DataError as error:
            sys.stdout.write(f"| {100 * share:.0f} % | refused: {error} |||||||\n")
            continue
        kept = found.label >= 0
        used = f"{found.reason.count('')} of {len(found.reason)}"
        right = np.mean(found.label[kept] == faces.annotated[kept])
        head = f"| {100 * share:.0f} % | {used} | {100 * right:.2f} % |"
        for service in services:
            (low, high), (other, own) = found.modes[service.name], true_modes(faces, service)
            cells = " | ".join(f"{value:.3f}" for value in (low, other, high, own))
            sys.stdout.write(f"{head} {service.name} | {cells} |\n")
            head = "| | | |"
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 3))
