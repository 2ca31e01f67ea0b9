"""What a spec can name, one line each."""

import re

from frtaudit.config.choices import line_about, options
from frtaudit.config.guard import LANDS
from frtaudit.config.plugins import load_plugins
from frtaudit.core.methods import OF_THEIR_OWN, Method
from frtaudit.core.metrics import METRICS, TO_REQUIRE
from frtaudit.core.plain.structure import closest
from frtaudit.core.registry import GROUPS, declared_metrics, names
from frtaudit.errors import SpecError

_ABOUT = {
    "audit": "whole audits: audit=NAME",
    "cohort": "test subjects: cohort=NAME",
    "protocol": "comparisons: protocol=NAME",
    "schema": "classes of subjects: schema=NAME or schema=[A,B]",
    "provider": "systems by type: providers=[{name: N, type: T}], or provider=T",
    "analysis": "analyses: analyses=[A,B] runs only these, +analyses.NAME={} one more",
    "requirement": "profiles of limits: requirement=[NAME]",
    "bootstrap": "resampling: bootstrap=NAME",
    "report": "the report: report=NAME",
    "collection": "whole collections: frtaudit collect collection=NAME",
    "source": "sources of a collection's images: source=NAME",
    "service": "services of a collection: services.NAME.type=TYPE",
    "known_set": "layouts of test sets that a folder is imported from: frtaudit import FOLDER as=NAME",
    "preset": "the input of a family of face models: frtaudit embed IMAGES preset=NAME",
    "detector": "face detectors: frtaudit embed IMAGES detector=NAME",
    "export": "formats that a finished run can be written in: frtaudit export RUN --as A,B",
    "section": "of the report, from other wheels, where the analysis of that name runs",
    "metric": "in requirements: metric: NAME",
    "interval": "methods and their targets: intervals=[{method: M, target: T}]",
}

PAGE = """\
# What a spec can name

<!-- Written by `frtaudit list --markdown`: change conf/ or a docstring, not this page. -->

`frtaudit list` prints this page as text, `frtaudit list GROUP` one group of it. Plug-ins of
[other wheels](extending.md) are listed too.
"""


def listing(group: str | None = None) -> str:
    """The list as text: all groups, or one.

    >>> print(listing("bootstrap"))
    bootstrap  (resampling: bootstrap=NAME)
      quick                      A first look: 199 resamples. Too few for a report.
      thesis                     The numbers of the interclass-bias thesis: 9999 resamples, alpha 0.10.
    """
    return "\n\n".join(_section(name) for name in _groups(group))


def page(group: str | None = None) -> str:
    """The same as a page of Markdown: docs/reference/names.md.

    >>> print(page("bootstrap").split("## ")[1])
    bootstrap
    <BLANKLINE>
    Resampling: `bootstrap=NAME`
    <BLANKLINE>
    | name | what it is |
    |---|---|
    | `quick` | A first look: 199 resamples. Too few for a report. |
    | `thesis` | The numbers of the interclass-bias thesis: 9999 resamples, alpha 0.10. |
    <BLANKLINE>
    """
    return "\n".join([PAGE, *(_table(name) for name in _groups(group))])


def _groups(group: str | None) -> list[str]:
    if group is not None and group not in _ABOUT:
        raise SpecError("group", f"no group is named {group!r}{closest(group, _ABOUT)}", ", ".join(_ABOUT))
    load_plugins()
    return [group] if group else [name for name in _ABOUT if _named(name)]


def _section(group: str) -> str:
    lines = [f"  {name:<26} {about}".rstrip() for name, about in _named(group).items()]
    return "\n".join([f"{group}  ({_ABOUT[group]})", *lines])


def _table(group: str) -> str:
    what, _, how = _ABOUT[group].partition(": ")
    lines = [f"| `{name}` | {_cell(text)} |" for name, text in _named(group).items()]
    lines = ["| name | what it is |", "|---|---|", *lines]
    return "\n".join([f"## {group}", "", f"{what[0].upper()}{what[1:]}: `{how}`", "", *lines, ""])


def _cell(text: str) -> str:
    """Text in a table of Markdown, its marks taken as they stand."""
    return re.sub(r"([\\|*_\[\]])", r"\\\1", text).replace("<", "&lt;")


def _named(group: str) -> dict[str, str]:
    if group in LANDS:
        return options(group)
    if group in GROUPS:
        return {name: line_about(group, name) for name in names(group)}
    if group == "metric":
        return declared_metrics() | {name: METRICS[name].about for name in TO_REQUIRE}
    offered = (method for method in Method if method not in OF_THEIR_OWN)
    return {method.value: ", ".join(target.value for target in method.serves) for method in offered}
