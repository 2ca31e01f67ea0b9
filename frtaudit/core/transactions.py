"""Verification transactions: claims of an identity, each of one attempt or several."""

from dataclasses import dataclass

from frtaudit.core.arrays import Floats, Index
from frtaudit.core.freeze import FrozenRows, require


@dataclass(frozen=True, slots=True, kw_only=True)
class Transactions(FrozenRows):
    """T transactions of one system, of up to A attempts each.

    ``subject``, ``claimed``: shape (T,), int32, who made them and whose identity they claimed, as subjects of the
    cohort; ``score``: shape (T, A), float64, of each attempt in its order, NaN where it failed or was not made;
    ``made``: shape (T,), int32, the last attempt that was made; ``seconds``: shape (T, A), float64, from the start of
    the transaction to the end of each attempt, NaN where it is not known, or None where none is.
    """

    subject: Index
    claimed: Index
    score: Floats
    made: Index
    seconds: Floats | None = None

    def __post_init__(self) -> None:
        FrozenRows.__post_init__(self)
        require(self.score.ndim == 2 and self.score.shape[1] > 0, "scores are a matrix, by attempt")
        rows = (self.score.shape[0],)
        require(self.subject.shape == self.claimed.shape == self.made.shape == rows, "one row a transaction")
        require(self.seconds is None or self.seconds.shape == self.score.shape, "one time for each attempt")

    @property
    def attempts(self) -> int:
        """The most attempts that a transaction has."""
        return int(self.score.shape[1])
