"""Ten collections with a third of the plan's budget: what they yield, as a table for docs/guides/collect.md.

``python tests/partial_budgets.py [PAGE]`` prints the table, or writes it into the page.
"""

import json
import sys
import tempfile
from pathlib import Path

from frtaudit.collection.plan import plan_of_source
from frtaudit.collection.run import collect
from frtaudit.collection.spec import CollectionSpec
from frtaudit.config.load import load_collection
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.testing.study.pages import into

PRICES = [
    f"services.{name}.limits.{kind}=0.001"
    for name in ("acme", "bolt", "crest")
    for kind in ("detect", "compare")
]
HEAD = "| seed | plan, USD | budget, USD | spent, USD | queries whole | of usable | canaries answered | audit reads |"


def demo(folder: Path, seed: int, *words: str) -> CollectionSpec:
    """The demo with prices, its pictures and its order drawn from a seed."""
    return load_collection(
        ["collection=demo", f"source.seed={seed}", f"seed={seed}", *PRICES, f"into={folder}", *words]
    )


def row(seed: int, folder: Path) -> str:
    """One budget, beside the same collection without a limit."""
    whole = demo(folder / "whole", seed)
    collect(whole)
    usable = json.loads((folder / "whole" / "collection.json").read_text())["queries"]
    price = float(plan_of_source(whole).price)
    limit = round(price / 3, 2)
    collect(demo(folder / "third", seed, f"budget.limit={limit}", "budget.partial=true"))
    read = json.loads((folder / "third" / "collection.json").read_text())
    spent = json.loads((folder / "third" / "runs.json").read_text())["spent"]
    canaries = [service["canaries"] for service in read["services"].values()]
    answered = sum(one["answered"] for one in canaries)
    items = sum(one["items"] for one in canaries)
    scored = {service["scores"] == read["pairs"] for service in read["services"].values()}
    queries = len(Queries(root=str(folder / "third")).search().faces.queries)
    assert scored == {True}
    return (
        f"| {seed} | {price:.2f} | {limit:.2f} | {spent:.2f} | {read['queries']} | {usable} | {answered} of {items} | "
        f"{queries} queries |"
    )


def main() -> None:
    """Print the table, or write it into a page."""
    rows = [HEAD, "|---" * 8 + "|"]
    for seed in range(1, 11):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(row(seed, Path(folder)))
        sys.stdout.write(f"{rows[-1]}\n")
    if len(sys.argv) > 1:
        into(Path(sys.argv[1]), "partial budgets", "\n".join(rows))


if __name__ == "__main__":
    main()
