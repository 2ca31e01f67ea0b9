"""Small synthetic web searches, shared by tests."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from frtaudit.core import CohortData
from frtaudit.core.labelling import Labelling
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import LabelSource
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticQueries, SyntheticService
from frtaudit.labelling.settings import How, Several

SERVICES = {
    "acme": SyntheticService(noise=0.25),
    "bolt": SyntheticService(noise=0.35, scale=1.0),
    "crest": SyntheticService(noise=0.4, failure_rate=0.01),
}
SEARCH = SyntheticQueries(
    queries=24, faces=(14, 20), twins=0.25, bad=0.01, services=SERVICES, classes={"amber": 1.0, "birch": 0.8}
)
SCHEMAS = {"group": SchemaSpec(column="group")}


@cache
def search(source: LabelSource = LabelSource.ESTIMATED, several: Several = Several.DROP) -> CohortData:
    """The shared search, labelled."""
    return replace(SEARCH, labels=How(source=source, several=several)).load(SCHEMAS, 1)


def labelling() -> Labelling:
    """The identities in the shared search."""
    found = search().labelling
    assert found is not None
    return found


def stored_search(folder: Path, *, annotated: bool = True) -> Path:
    """The shared search as files: faces.csv, and a score list of each service."""
    from web_search import write

    found = labelling()
    column = search().attributes["group"]
    group = {
        int(found.faces.query_of[row]): column[found.sample_of[row]]
        for row in range(len(found.faces.names))
        if found.sample_of[row] >= 0
    }
    names = [group.get(q, "amber") for q in range(len(found.faces.queries))]
    return write(folder, found.faces, found.services, names, annotated=annotated)
