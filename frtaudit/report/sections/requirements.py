"""Every requirement with its estimate, limit, verdict and sentence."""

from dataclasses import dataclass

from frtaudit.core import Verdict
from frtaudit.report.sections.verdicts import ORDER, Ruling, all_rulings
from frtaudit.report.source import Source
from frtaudit.report.words import called, words

MAX_ROWS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """The view: rulings, what the four verdicts mean, how many rulings were cut."""

    rulings: tuple[Ruling, ...]
    meanings: tuple[tuple[str, str, str], ...]
    left_out: int


def build(source: Source) -> Requirements | None:
    """None without requirements."""
    if not source.result.findings:
        return None
    rulings = all_rulings(source)
    return Requirements(
        rulings=rulings[:MAX_ROWS],
        meanings=tuple(_meaning(verdict) for verdict in ORDER),
        left_out=max(len(rulings) - MAX_ROWS, 0),
    )


def _meaning(verdict: Verdict) -> tuple[str, str, str]:
    code = verdict.value
    return code, called(words().verdict, code), called(words().verdict_means, code)
