from dataclasses import replace

import pytest
from searches import SCHEMAS, SEARCH, SERVICES, labelling, search

from frtaudit.datasets.cohorts.synthetic_queries import SyntheticQueries
from frtaudit.errors import SpecError


def test_the_seed_decides_and_services_do_not_disturb_each_other() -> None:
    """The same bytes twice; without one service the others say the same."""
    assert search().cohort.digest == SEARCH.load(SCHEMAS, 1).cohort.digest
    fewer = replace(SEARCH, services={name: SERVICES[name] for name in ("acme", "crest")}).load(SCHEMAS, 1)
    assert fewer.labelling is not None
    kept = [one for one in labelling().services if one.name != "bolt"]
    for one, other in zip(kept, fewer.labelling.services, strict=True):
        assert one.score.tobytes() == other.score.tobytes()


def test_truth_may_be_kept_back() -> None:
    """Without annotation no face has an answer."""
    found = replace(SEARCH, annotated=False).load(SCHEMAS, 1).labelling
    assert found is not None
    assert set(found.faces.annotated.tolist()) == {-2}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"queries": 1}, "cohort.queries: 1"),
        ({"faces": (3, 2)}, "cohort.faces: 3 to 2"),
        ({"share": (0.5, 1.5)}, "cohort.share: 0.5 to 1.5"),
        ({"services": {}}, "cohort.services: no service"),
    ],
)
def test_searches_that_cannot_be_are_refused(changes: dict[str, object], line: str) -> None:
    """Each in one line."""
    with pytest.raises(SpecError, match=line):
        SyntheticQueries(**({"services": SERVICES} | changes))
