"""What can be selected in a group, one line each: shipped presets and registered plug-ins. Nothing of Hydra."""

from pathlib import Path

from frtaudit.core.machine.resources import shipped
from frtaudit.core.registry import about, names

PLUGIN_GROUPS = ("analysis", "cohort", "detector", "protocol", "provider", "source")


def options(group: str) -> dict[str, str]:
    """Option name to one line about it: shipped presets and registered plug-ins of a group."""
    choices = {path.stem: first_comment(path.read_text(encoding="utf-8")) for path in presets(group)}
    if group in PLUGIN_GROUPS:
        choices |= {name: line_about(group, name) for name in names(group)}
    return dict(sorted(choices.items()))


def first_comment(text: str) -> str:
    """The first comment of a YAML file that is not Hydra's header."""
    for line in text.splitlines():
        if line.startswith("#") and not line.lstrip("# ").startswith("@"):
            return line.lstrip("# ").strip()
    return ""


def presets(group: str) -> list[Path]:
    """The shipped presets of a group."""
    return sorted((shipped("conf") / group).glob("*.yaml"))


def line_about(group: str, name: str) -> str:
    """The first line of a plug-in's docstring, as a list prints it."""
    return about(group, name).replace("``", "")
