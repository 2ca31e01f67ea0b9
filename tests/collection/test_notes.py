from fractions import Fraction
from pathlib import Path

import pytest

from frtaudit.collection.clients.gate import Budget, BudgetError
from frtaudit.collection.notes import KeptNotes, forget
from frtaudit.collection.store import Store


def test_an_answer_is_paid_for_once_and_forgotten(tmp_path: Path) -> None:
    """Asked once, in another run too; past the budget nothing is; no file keeps addresses."""
    store = Store(tmp_path / "s")
    budget = Budget(limit=Fraction(1))
    asked: list[int] = []

    def ask() -> str:
        asked.append(1)
        return "https://somebody.example/picture"

    notes = KeptNotes(store, budget, {"search": 0.6})
    assert notes.answer("search", "k", ask) == notes.answer("search", "k", ask)
    assert (len(asked), store.spent(), budget.spent) == (1, Fraction(3, 5), Fraction(3, 5))
    with pytest.raises(BudgetError):
        notes.answer("search", "other", ask)
    store.close()
    again = Store(tmp_path / "s")
    assert KeptNotes(again, budget, {}).answer("search", "k", ask)
    assert len(asked) == 1
    forget(again)
    again.close()
    assert not any(b"somebody.example" in path.read_bytes() for path in tmp_path.iterdir())
