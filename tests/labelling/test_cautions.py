"""Services that could not be asked about many faces; labels where scores are cut off or few."""

import numpy as np
import pytest

from frtaudit.core import CohortData
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticQueries, SyntheticService
from frtaudit.errors import DataError
from frtaudit.labelling.cautions import LACKING, NOT_SCORED, cautions
from frtaudit.labelling.settings import How

NOISE = {"acme": 0.25, "bolt": 0.35, "crest": 0.3}


def search(labels: How | None = None, **crest: float) -> CohortData:
    """Forty queries, three services, the last of them as asked."""
    services = {name: SyntheticService(noise=noise) for name, noise in NOISE.items()}
    services["crest"] = SyntheticService(noise=NOISE["crest"], **crest)
    made = SyntheticQueries(queries=40, services=services, twins=0.0, bad=0.0, labels=labels or How())
    return made.load({}, 1)


def right(made: CohortData) -> tuple[float, float]:
    """Share of faces with a label, and of right labels among them."""
    assert made.labelling is not None
    label = made.labelling.labelled.label
    used = label >= 0
    return float(used.mean()), float((label[used] == made.labelling.faces.annotated[used]).mean())


def test_a_service_that_fails_on_half_the_faces_is_named() -> None:
    """Half the faces lose their label to one service, failures count them, the report says so and how to help it."""
    made = search(failure_rate=0.5)
    assert made.labelling is not None
    said = cautions(made.labelling)
    lines = {(entry.code, entry.provider): entry.count for entry in made.cohort.ledger}
    count, left = lines[LACKING, "crest"], lines["query_left_out_failed", "crest"]
    assert len(said) == 1
    size = len(made.labelling.faces.names)
    assert said[0].startswith(
        f"crest lacks scores of pairs within queries; without {count} of {size} faces ("
    )
    assert f"{left} of 40 queries are left out" in said[0]
    assert said[0].endswith("cohort.labels.services=[acme,bolt] lets the others label")
    assert left == made.labelling.labelled.reason.count("failed") > 10
    assert {"none", "faces"}.isdisjoint(made.labelling.labelled.reason)
    assert 0.4 < count / len(made.labelling.faces.names) < 0.6
    assert right(made)[0] < 0.6
    assert right(made)[1] >= 0.99


def test_the_others_can_label_for_it() -> None:
    """Named alone, the two services that work label the faces, and the third is said to label none."""
    made = search(How(services=("acme", "bolt")), failure_rate=0.5)
    assert made.labelling is not None
    assert "it labels none" in cautions(made.labelling)[0]
    assert any(entry.code == NOT_SCORED for entry in made.cohort.ledger)
    share, agree = right(made)
    assert share > 0.9
    assert agree >= 0.99


def test_one_service_alone_is_said() -> None:
    """Nobody votes with it, and it is evaluated on its own labels."""
    made = search(How(services=("acme",)))
    assert made.labelling is not None
    assert cautions(made.labelling)[0].startswith("acme alone labels: there is no vote")


def test_too_few_people_name_the_service_that_failed() -> None:
    """Where one service's failures leave no query, the refusal names it and what lets the others label."""
    with pytest.raises(
        DataError, match=r"0 of 40 queries .*; crest lacks scores .*cohort.labels.services=\[acme,bolt\]"
    ):
        search(failure_rate=0.9)


def test_few_failures_are_not_worth_a_sentence() -> None:
    """One face in a hundred is counted among the failures and in no caution."""
    made = search(failure_rate=0.01)
    assert made.labelling is not None
    assert cautions(made.labelling) == ()
    assert any(entry.code == LACKING for entry in made.cohort.ledger)


@pytest.mark.parametrize(
    "scores",
    [
        {"levels": 256},
        {"levels": 41},
        {"floor": 50.0},
        {"ceiling": 75.0},
        {"floor": 60.0, "ceiling": 71.0},
        {"floor": 52.0, "ceiling": 78.0, "levels": 256},
    ],
)
def test_labels_hold_where_every_service_cuts_its_scores(scores: dict[str, float]) -> None:
    """Eight bits, a floor amid the non-mated scores, a ceiling amid the mated ones: 99 % of labels are right."""
    services = {name: SyntheticService(noise=noise, **scores) for name, noise in NOISE.items()}
    made = SyntheticQueries(queries=40, services=services, twins=0.0, bad=0.0).load({}, 1)
    assert made.labelling is not None
    share, agree = right(made)
    assert share > 0.9
    assert agree >= 0.99
    modes = np.array(list(made.labelling.labelled.modes.values()))
    assert (modes[:, 1] > 70).all()
