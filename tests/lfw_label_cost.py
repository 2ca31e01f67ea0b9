"""What estimated labels cost on LFW as a web search: ``python tests/lfw_label_cost.py SEED...`` prints a table."""

import sys

from web_search import MODELS, SHARES, web_search

from frtaudit.errors import DataError
from frtaudit.testing.label_study import held

EVERY = (SHARES, (0.1, 0.1), (0.3, 0.3), (0.5, 0.5), (0.6, 0.6))


def main(seeds: list[int]) -> None:
    """A line for each seed, share of wrong faces and model."""
    sys.stdout.write(
        "| seed | wrong faces | model | FNMR reported | on true labels | interval | truth | distance / half-width |\n"
        "|---|---|---|---|---|---|---|---|\n"
    )
    for seed in seeds:
        for low, high in EVERY:
            faces, services, _ = web_search(seed, (low, high))
            share = f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"
            try:
                found = list(held(faces, services, seed))
            except DataError as error:
                sys.stdout.write(f"| {seed} | {share} | refused: {error} ||||||\n")
                continue
            for name, one in zip(MODELS, found, strict=True):
                half = (one.high - one.low) / 2
                apart = abs((one.high + one.low) / 2 - one.true) / half
                word = "" if one.low <= one.true <= one.high else " MISSED"
                sys.stdout.write(
                    f"| {seed} | {share} | {name} | {one.reported:.4f} | {one.drawn:.4f} "
                    f"| {one.low:.4f} to {one.high:.4f} | {one.true:.4f} | {apart:.2f}{word} |\n"
                )
                sys.stdout.flush()


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [21, 22])
