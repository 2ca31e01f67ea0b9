"""The report's vocabulary, read from ``templates/words.toml``, and from where metrics and methods are declared."""

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache

from frtaudit.core.machine.resources import shipped
from frtaudit.core.methods import Method
from frtaudit.core.metrics import LABELS

Names = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Codes of the result to what they are called in print."""

    metric: Names
    labels: Names
    date_labels: Names
    left_out: Names
    left_out_means: Names
    method: Names
    method_means: Names
    target: Names
    target_means: Names
    verdict: Names
    verdict_means: Names
    non_mated: Names
    impostors: Names
    weighting: Names
    weighting_means: Names
    threshold_source: Names
    failure_score: Names
    at: Names
    scenario: Names
    collected: Names
    collected_source: Names
    collected_code: Names
    refusal: Names
    refusal_means: Names
    at_value: Names
    coverage: Names
    robustness: Names
    identity_check: Names
    notice: Names
    mark: Names
    signing: Names
    cannot_show: tuple[str, ...]
    glossary: tuple[Names, ...]
    abbreviations: Names


_spoken: ContextVar[Words | None] = ContextVar("words of a report", default=None)


def words() -> Words:
    """The vocabulary in force: the shipped one, or what :func:`use_vocabulary` has set.

    >>> words().verdict["pass"]
    'pass'
    """
    return _spoken.get() or _shipped_words()


@contextmanager
def use_vocabulary(chosen: Words) -> Iterator[None]:
    """Within it, :func:`words` gives ``chosen``."""
    before = _spoken.set(chosen)
    try:
        yield
    finally:
        _spoken.reset(before)


@cache
def _shipped_words() -> Words:
    fields = tomllib.loads((shipped("templates") / "words.toml").read_text("utf-8"))
    fields["metric"] = LABELS
    fields["method"] = {method.value: method.label for method in Method}
    fields["method_means"] = {method.value: method.means for method in Method}
    for name in ("cannot_show", "glossary"):
        fields[name] = tuple(fields[name])
    return Words(**fields)


def display_name(names: Names, code: str) -> str:
    """What a code is called; a code without a name is printed as words.

    >>> display_name({"fta": "failure to acquire"}, "no_face")
    'no face'
    """
    return names.get(code, code.replace("_", " "))
