import pytest

from frtaudit.errors import (
    ClusterError,
    DataError,
    FrtauditError,
    ProviderError,
    SpecError,
    VerificationError,
)


def test_one_line_with_place_value_and_alternatives() -> None:
    """An error reads as one line: where, what was found, what is accepted."""
    error = SpecError("bootstrap.B", "found\n  7", "39 or\tmore")
    assert str(error) == "bootstrap.B: found 7; accepted: 39 or more"
    assert (error.where, error.found, error.accepted) == ("bootstrap.B", "found\n  7", "39 or\tmore")


def test_alternatives_may_be_missing() -> None:
    """Without alternatives the line ends with what was found."""
    assert str(DataError("x.csv", "is empty")) == "x.csv: is empty"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (FrtauditError, 1),
        (SpecError, 2),
        (DataError, 1),
        (ProviderError, 1),
        (ClusterError, 1),
        (VerificationError, 2),
    ],
)
def test_exit_codes(kind: type[FrtauditError], code: int) -> None:
    """Usage and broken signatures exit with 2, everything else that stops an audit with 1; all share one base."""
    assert issubclass(kind, FrtauditError)
    assert kind("here", "this").exit_code == code


def test_the_parts_survive_pickling() -> None:
    """An error that crosses a process keeps its parts (sweeps run jobs in other processes)."""
    import pickle

    again = pickle.loads(pickle.dumps(SpecError("a", "b", "c")))
    assert (again.where, again.found, again.accepted, str(again)) == ("a", "b", "c", "a: b; accepted: c")
