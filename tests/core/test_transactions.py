import numpy as np
import pytest

from frtaudit.core.transactions import Transactions


def test_a_row_for_each_transaction() -> None:
    """Arrays of another length are refused."""
    one = np.zeros(1, dtype=np.int32)
    assert Transactions(subject=one, claimed=one, score=np.zeros((1, 3)), made=one).attempts == 3
    with pytest.raises(ValueError, match="one row a transaction"):
        Transactions(subject=one, claimed=one, score=np.zeros((2, 3)), made=one)
