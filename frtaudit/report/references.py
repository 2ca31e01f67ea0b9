"""The publications whose methods a result used, as a list of references and as BibTeX."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from frtaudit.core import AuditResult
from frtaudit.core.machine.resources import shipped

FILE = "references.toml"
_USED_BY = ("methods", "metrics", "analyses", "adjusted", "findings")
NAMED = 4  # authors that a line of references names, else the first
FOLDED = re.compile(r"<!--annex-->(.*?)<!--/annex-->", re.DOTALL)  # on screen; in the annex on paper
_POINTER = re.compile(r'data-[cp]="(/[^"]+)"')
_WHERE = ("booktitle", "journal", "school", "institution")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A publication: ``key`` and ``fields`` as in BibTeX, ``short`` as in a text, ``used_by``: what it describes."""

    key: str
    type: str
    short: str
    fields: Mapping[str, str]
    used_by: Mapping[str, tuple[str, ...]]

    def text(self) -> str:
        """One line of a list of references."""
        field = self.fields
        where = next(field[name] for name in _WHERE if name in field)
        volume = f" {field['volume']}, {field['pages'].replace('--', '–')}" if "volume" in field else ""
        number = f", {field['number']}" if "number" in field else ""
        preprint = f", arXiv:{field['eprint']}" if "eprint" in field else ""
        names = field["author"].split(" and ")
        authors = "; ".join(names) if len(names) <= NAMED else f"{names[0]} et al."
        return f"{authors} ({field['year']}). {field['title']}. {where}{volume}{number}{preprint}.".replace(
            "?.", "?"
        )

    def bibtex(self) -> str:
        """The entry of a ``.bib`` file."""
        values = {name: value.replace("&", r"\&") for name, value in self.fields.items()}
        lines = [f"  {name} = {{{value}}}" for name, value in values.items()]
        return f"@{self.type}{{{self.key},\n" + ",\n".join(lines) + "\n}\n"


@cache
def known() -> tuple[Reference, ...]:
    """Every publication that the toolkit knows, in the order of ``templates/references.toml``."""
    entries = tomllib.loads((shipped("templates") / FILE).read_text("utf-8"))
    return tuple(
        Reference(
            key=key,
            type=entry["type"],
            short=entry["short"],
            fields={name: entry[name] for name in entry if name not in (*_USED_BY, "type", "short")},
            used_by={
                name: tuple(entry[name]) if name != "findings" else ("holm",)
                for name in _USED_BY
                if name in entry
            },
        )
        for key, entry in entries.items()
    )


def references_of(result: AuditResult, pointers: Iterable[str] | None = None) -> tuple[Reference, ...]:
    """The publications of the methods, metrics and analyses of a result, by the first author.

    ``pointers``: JSON pointers into it, where only what is printed from there counts.
    """
    used = _used_in(result) if pointers is None else _used_at(result, pointers)
    references = [
        reference
        for reference in known()
        if any(used[kind] & {*names} for kind, names in reference.used_by.items())
    ]
    references.sort(key=lambda reference: (reference.fields["author"].casefold(), reference.fields["year"]))
    return tuple(references)


def _used_in(result: AuditResult) -> Mapping[str, set[str]]:
    analyses = {estimate.analysis for estimate in result.estimates}
    intervals = [interval.method for estimate in result.estimates for interval in estimate.intervals]
    bands = [curve.method for curve in result.curves if curve.method is not None]
    return {
        "methods": {method.value for method in (*intervals, *bands)},
        "metrics": {estimate.metric for estimate in result.estimates if estimate.value is not None},
        "analyses": analyses | {curve.analysis for curve in result.curves},
        "adjusted": {
            estimate.analysis
            for estimate in result.estimates
            if estimate.test is not None and estimate.test.p_adjusted is not None
        },
        "findings": {"holm"} if len(result.findings) > 1 else set(),
    }


def _used_at(result: AuditResult, pointers: Iterable[str]) -> Mapping[str, set[str]]:
    used: dict[str, set[str]] = {name: set() for name in _USED_BY}
    for pointer in pointers:
        kind, *place = pointer.split("/")[1:]
        if kind == "estimates":
            estimate = result.estimates[int(place[0])]
            used["metrics"].add(estimate.metric)
            used["analyses"].add(estimate.analysis)
            if place[1:2] == ["intervals"]:
                used["methods"].add(estimate.intervals[int(place[2])].method.value)
            used["adjusted"] |= {estimate.analysis} if place[1:] == ["test", "p_adjusted"] else set()
        elif kind == "curves":
            curve = result.curves[int(place[0])]
            used["analyses"].add(curve.analysis)
            used["methods"] |= {curve.method.value} if curve.method else set()
    return used


class Citations:
    """Which publications a page has named, while it is laid out in reading order."""

    def __init__(self, result: AuditResult) -> None:
        self._result = result
        self._named = {
            reference.key for reference in known() if "findings" in reference.used_by
        }  # in the method
        self._listed: set[str] = set()

    def new(self, body: str, *, folded: bool = False) -> str:
        """Those of the numbers and drawings of a section that nothing before named; ``folded``: of the folded parts."""
        parts = FOLDED.findall(body) if folded else [FOLDED.sub("", body)]
        pointers = [pointer for part in parts for pointer in _POINTER.findall(part)]
        new = [
            reference
            for reference in references_of(self._result, pointers)
            if reference.key not in self._named
        ]
        self._named |= {reference.key for reference in new if not folded}
        return "; ".join(reference.short for reference in new)

    def listed(self, *, annex: bool = False) -> list[str]:
        """A line for each publication that a section has named; ``annex``: for each that is not listed yet."""
        lines = {
            reference.key: reference.text()
            for reference in references_of(self._result)
            if reference.key not in self._listed and (annex or reference.key in self._named)
        }
        self._listed |= lines.keys()
        return list(lines.values())


def citations(method: str) -> str:
    """The publications of an interval method as a text cites them, in the order of their years.

    >>> citations("wilson")
    'Wilson 1927; Clopper and Pearson 1934; Fogliato et al. 2024'
    """
    references = [reference for reference in known() if method in reference.used_by.get("methods", ())]
    return "; ".join(
        reference.short for reference in sorted(references, key=lambda reference: reference.fields["year"])
    )
