"""Notes as a collection keeps them: by key, and what was paid."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Kept:
    """``answers``: key to answer; ``paid``: attempts by kind."""

    answers: dict[str, str] = field(default_factory=dict)
    paid: Counter[str] = field(default_factory=Counter)

    def answer(self, kind: str, key: str, ask: Callable[[], str]) -> str:
        """Asked and paid for once; an attempt that fails is paid too."""
        if key not in self.answers:
            self.paid[kind] += 1
            self.answers[key] = ask()
        return self.answers[key]
