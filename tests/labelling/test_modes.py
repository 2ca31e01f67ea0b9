import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from lfw_modes import true_modes
from rapid_audits import made
from searches import SCHEMAS, SEARCH, SERVICES
from web_search import lfw, web_search

from frtaudit.analyses.identity_labels import IdentityLabels
from frtaudit.core.arrays import Floats
from frtaudit.core.spec import Bootstrap
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticService
from frtaudit.errors import DataError
from frtaudit.labelling.modes import balanced, mode_fit, refused
from frtaudit.labelling.settings import How
from frtaudit.pipeline.audit import audit

WEAK = {**SERVICES, "weak": SyntheticService(noise=1.6)}


def modes_of(name: str, scores: Floats) -> tuple[float, float]:
    """The modes of a service's scores, or what an audit raises where they show no two."""
    fit = mode_fit(scores)
    if fit.modes is None:
        raise refused({name: fit}, {name: scores}, ())
    return fit.modes


def test_modes_are_those_of_people_who_differ_and_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two normal parts of unlike size; the order of the scores changes no bit; no library of an extra is needed."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    rng = np.random.default_rng(3)
    scores = np.r_[rng.normal(20, 5, 9000), rng.normal(80, 4, 1500)]
    low, high = modes_of("s", scores)
    assert low == pytest.approx(20, abs=0.5)
    assert high == pytest.approx(80, abs=0.5)
    assert modes_of("s", rng.permutation(scores)) == (low, high)


@pytest.mark.parametrize(
    "scores",
    [
        np.full(50, 0.3),
        *(np.random.default_rng(seed).normal(0, 1, size) for seed, size in enumerate((100, 500, 500, 5000))),
        np.random.default_rng(0).standard_t(5, 500),
    ],
)
def test_one_mode_is_refused_in_one_line(scores: np.ndarray) -> None:
    """Where nothing tells people who differ from one person: a tail is no mode, the line names the way out."""
    with pytest.raises(
        DataError, match=r"^scores of s: no two modes: .*; accepted: cohort.labels.modes.s=\[low,high\]"
    ):
        modes_of("s", scores)


def test_no_score_at_all_is_refused() -> None:
    """Modes would not help a service that only failed."""
    with pytest.raises(DataError, match="^scores of acme: no score at all, only failures; accepted: scores$"):
        modes_of("acme", np.zeros(0))


def test_a_refusal_shows_the_histogram() -> None:
    """Its counts are those of twenty equal bins, and sum to the scores."""
    scores = np.random.default_rng(1).normal(0, 1, 500)
    with pytest.raises(DataError) as refusal:
        modes_of("s", scores)
    (shown,) = re.findall(r"histogram of 20 equal bins from -\S+ to \S+: ([\d ]+)\)", str(refusal.value))
    assert [int(count) for count in shown.split()] == np.histogram(scores, 20)[0].tolist()


def test_what_a_refusal_advises_works() -> None:
    """One service is weak: the audit is refused; with the advised setting alone, and with the modes given, it runs."""
    cohort = replace(SEARCH, services=WEAK)
    with pytest.raises(DataError, match="^scores of weak: no two modes") as refusal:
        cohort.load(SCHEMAS, 1)
    (names,) = re.findall(r"cohort\.labels\.services=\[(.*?)\]", refusal.value.accepted)
    assert names == "acme,bolt,crest"
    asked = replace(cohort, labels=How(services=tuple(names.split(","))))
    analyses = {"identity_labels": IdentityLabels(matrices=False, subsets=False)}
    found = audit(made(cohort=asked, analyses=analyses, schemas={}, bootstrap=Bootstrap(B=39))).result
    weak = {
        str(item.at.get("labels")): item
        for item in found.estimates
        if (item.provider, item.metric, item.group) == ("weak", "eer_by_labels", "all")
    }
    assert weak["estimated"].value is not None
    assert weak["no_vote"].value is None
    assert "no better than" in str(weak["no_vote"].note) or "scores overlap" in str(weak["no_vote"].note)
    by_hand = replace(cohort, labels=How(modes={"weak": (50.0, 60.0)})).load(SCHEMAS, 1).labelling
    assert by_hand is not None
    assert by_hand.labelled.reason.count("") > 12


def test_every_weak_service_is_named_at_once() -> None:
    """Two of them: one refusal, whose advice leaves both out; where none is left, modes by hand alone."""
    two = replace(SEARCH, services={"noise": WEAK["weak"], **WEAK})
    with pytest.raises(DataError, match=r"^scores of noise, weak: .*services=\[acme,bolt,crest\]"):
        two.load(SCHEMAS, 1)
    with pytest.raises(DataError) as refusal:
        replace(two, services={"weak": WEAK["weak"]}).load(SCHEMAS, 1)
    assert "cohort.labels.services" not in refusal.value.accepted


@pytest.mark.skipif(not lfw().is_dir(), reason="no LFW: set FRTAUDIT_DATA")
@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.65])
def test_no_service_is_refused_with_few_right_faces(share: float) -> None:
    """Five models on LFW: every mode within a twentieth of their distance; k-means starts find nothing likelier."""
    mixture = pytest.importorskip("sklearn.mixture")
    faces, services, _ = web_search(3, (share, share))
    for service in services:
        scores = balanced(faces, service)
        fit = mode_fit(scores)
        same, own = true_modes(faces, service)
        assert fit.modes is not None, service.name
        assert fit.mixture is not None
        assert fit.modes == pytest.approx((same, own), abs=0.05 * (own - same))
        some = scores[:: scores.size // 20_000][:, None]
        other = mixture.GaussianMixture(2, init_params="kmeans", random_state=0).fit(some)
        assert mode_fit(some[:, 0]).mixture.log_likelihood > other.score(some) - 1e-4  # type: ignore[union-attr]  # there is one
