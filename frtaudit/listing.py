"""What a spec can name, one line each."""

from frtaudit.checks import METRICS
from frtaudit.core.estimates import OF_THEIR_OWN, SERVES
from frtaudit.errors import SpecError
from frtaudit.plugins import load_plugins
from frtaudit.registry import lookup, names
from frtaudit.spec_source import LANDS, first_line, options
from frtaudit.typed import closest

_ABOUT = {
    "audit": "whole audits: audit=NAME",
    "cohort": "who is tested: cohort=NAME",
    "protocol": "which comparisons: protocol=NAME",
    "schema": "classes of subjects: schema=NAME or schema=[A,B]",
    "provider": "systems by type: providers=[{name: N, type: T}], or provider=T",
    "analysis": "questions: analysis=NAME adds one",
    "requirement": "profiles of limits: requirement=[NAME]",
    "bootstrap": "resampling: bootstrap=NAME",
    "report": "the report: report=NAME",
    "export": "formats that a finished run can be written in: frtaudit export RUN --as A,B",
    "metric": "in requirements: metric: NAME",
    "interval": "methods and the targets that they serve: intervals=[{method: M, target: T}]",
}


def listing(group: str | None = None) -> str:
    """The list as text: all groups, or one.

    >>> print(listing("bootstrap"))
    bootstrap  (resampling: bootstrap=NAME)
      quick                      A first look: 199 resamples. Too few for a report.
      thesis                     The numbers of the interclass-bias thesis: 9999 resamples, alpha 0.10.
    """
    if group is not None and group not in _ABOUT:
        raise SpecError("group", f"no group is named {group!r}{closest(group, _ABOUT)}", ", ".join(_ABOUT))
    load_plugins()
    return "\n\n".join(_section(name) for name in ([group] if group else _ABOUT))


def _section(group: str) -> str:
    lines = [f"  {name:<26} {about}".rstrip() for name, about in _named(group).items()]
    return "\n".join([f"{group}  ({_ABOUT[group]})", *lines])


def _named(group: str) -> dict[str, str]:
    if group in LANDS:
        return options(group)
    if group == "export":
        return {name: first_line(lookup(group, name, group)) for name in names(group)}
    if group == "metric":
        return dict.fromkeys(METRICS, "")
    offered = {method: targets for method, targets in SERVES.items() if method not in OF_THEIR_OWN}
    return {
        method.value: ", ".join(target.value for target in targets) for method, targets in offered.items()
    }
