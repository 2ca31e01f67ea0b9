"""Small audits for property tests, as the slow twins read them: public strategies, rows with names of subjects."""

from frtaudit.testing.strategies import Counted as Drawn
from frtaudit.testing.strategies import audits

__all__ = ["Drawn", "audits"]
