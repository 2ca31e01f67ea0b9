"""The certificate of lists that no rules made; tests/datasets/test_pair_selection.py breaks each rule of the others."""

from dataclasses import replace

import numpy as np

from frtaudit.analyses.shared.pair_set_checks import certify
from frtaudit.datasets.cohorts.synthetic import Synthetic
from frtaudit.datasets.protocols.sampled import Sampled


def test_any_list_has_claims() -> None:
    """Distinct pairs, occurrences, folds: counted on the pairs, broken where one is repeated."""
    held = Synthetic(subjects=40, samples_per_subject=(3, 5)).load({}, 0)
    found = Sampled(mated=40, per_image=2, k=4).comparisons(held)
    claims = {claim.rule: claim for claim in certify(held, found, None, per_image=2)}
    assert list(claims) == [
        "each pair stands once",
        "each image in at most 2 mated pairs",
        "each image in at most 2 non-mated pairs",
        "mated pairs of a subject in one fold",
        "as many mated pairs in every fold",
        "as many non-mated pairs in every fold",
    ]
    assert all(claim.holds for claim in claims.values())
    twice = replace(
        found,
        reference=np.concatenate([found.reference[:1], found.reference[:-1]]),
        probe=np.concatenate([found.probe[:1], found.probe[:-1]]),
    )
    assert not certify(held, twice, None)[0].holds
