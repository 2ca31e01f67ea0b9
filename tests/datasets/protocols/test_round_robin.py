import numpy as np
import oracles_data
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.cohort import Cohort
from frtaudit.datasets.cohorts.synthetic import Synthetic
from frtaudit.datasets.protocols.round_robin import RoundRobin, mated_orders
from frtaudit.errors import DataError


@given(st.lists(st.integers(1, 4), min_size=2, max_size=6))
def test_every_ordered_mated_pair_stands_once(sizes: list[int]) -> None:
    """The list is that of the plain loops: sum of n (n - 1) comparisons."""
    subject_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    cohort = Cohort(
        sample_ids=tuple(map(str, range(subject_of.size))), subject_ids=tuple(map(str, range(len(sizes)))),
        subject_of=subject_of, classifications={}, digest="",
    )  # fmt: skip
    probe, reference = mated_orders(cohort)
    assert list(zip(probe.tolist(), reference.tolist(), strict=True)) == oracles_data.ordered_mated(
        subject_of.tolist()
    )
    assert probe.size == sum(n * (n - 1) for n in sizes)


def test_round_robin_is_ordered_and_mated() -> None:
    """All comparisons are mated and both orders stand."""
    found = RoundRobin().comparisons(Synthetic(subjects=5, samples_per_subject=(3, 3)).load({}, 0))
    assert found.ordered
    assert bool(found.mated.all())
    assert found.n_listed == 5 * 3 * 2


def test_subjects_with_one_sample_have_no_round_robin() -> None:
    """Without any mated pair there is nothing to compare."""
    with pytest.raises(DataError, match="no subject has two samples"):
        RoundRobin().comparisons(Synthetic(subjects=5, samples_per_subject=(1, 1)).load({}, 0))


@given(st.integers(2, 12), st.integers(1, 6))
def test_strangers_meet_in_a_ring(subjects: int, strangers: int) -> None:
    """Each subject meets the next ones in the ring: the same number of others for all, both orders, each pair once."""
    cohort_data = Synthetic(subjects=subjects, samples_per_subject=(2, 3)).load({}, 0)
    found = RoundRobin(strangers=strangers).comparisons(cohort_data)
    cohort = cohort_data.cohort
    apart = ~found.mated
    ends = np.stack([cohort.subject_of[found.probe[apart]], cohort.subject_of[found.reference[apart]]])
    met = [len(set(ends[1][ends[0] == k].tolist())) for k in range(subjects)]
    assert met == [min(2 * strangers, subjects - 1)] * subjects
    lines = list(zip(found.probe[apart].tolist(), found.reference[apart].tolist(), strict=True))
    assert len(set(lines)) == len(lines)
    assert {(b, a) for a, b in lines} == set(lines)


def test_strangers_are_no_part_of_an_older_spec() -> None:
    """Without strangers the protocol is what it was, to the identity; a negative number is refused."""
    from frtaudit.core.identity import identifies, plugin_plain
    from frtaudit.errors import SpecError

    assert set(plugin_plain("protocol", RoundRobin(), identifies)) == {"type", "non_mated", "within"}
    with pytest.raises(SpecError, match="protocol.strangers: found -1; accepted: 0 or more"):
        RoundRobin(strangers=-1)
