"""The publications whose methods a result used, as a list of references and as BibTeX."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from frtaudit.core import AuditResult
from frtaudit.core.machine.resources import shipped

FILE = "references.toml"
_USED_BY = ("methods", "metrics", "analyses", "findings")
NAMED = 4  # authors that a line of references names, else the first
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
        lines = [f"  {name} = {{{_escaped(value)}}}" for name, value in self.fields.items()]
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


def references_of(result: AuditResult) -> tuple[Reference, ...]:
    """The publications of what a result holds: its interval methods, metrics and analyses, by the first author."""
    intervals = [interval.method for estimate in result.estimates for interval in estimate.intervals]
    methods = {*intervals, *(curve.method for curve in result.curves if curve.method is not None)}
    used: Mapping[str, set[str]] = {
        "methods": {method.value for method in methods},
        "metrics": {estimate.metric for estimate in result.estimates if estimate.value is not None},
        "analyses": {estimate.analysis for estimate in result.estimates}
        | {curve.analysis for curve in result.curves},
        "findings": {"holm"} if len(result.findings) > 1 else set(),
    }
    references = [
        reference
        for reference in known()
        if any(used[kind] & {*names} for kind, names in reference.used_by.items())
    ]
    return tuple(
        sorted(
            references,
            key=lambda reference: (reference.fields["author"].casefold(), reference.fields["year"]),
        )
    )


def citations(method: str) -> str:
    """The publications of an interval method as a text cites them, in the order of their years.

    >>> citations("wilson")
    'Wilson 1927; Clopper and Pearson 1934; Fogliato et al. 2024'
    """
    references = [reference for reference in known() if method in reference.used_by.get("methods", ())]
    return "; ".join(
        reference.short for reference in sorted(references, key=lambda reference: reference.fields["year"])
    )


def _escaped(text: str) -> str:
    return text.replace("&", r"\&")
