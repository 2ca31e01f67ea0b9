"""Where Hydra finds what a user may select: shipped presets, registered plug-ins, the user's own folder."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from hydra._internal.core_plugins.file_config_source import FileConfigSource
from hydra._internal.sources_registry import SourcesRegistry
from hydra.core.config_store import ConfigStore
from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigResult

from frtaudit import spec_guard
from frtaudit.canonical import Json
from frtaudit.errors import SpecError
from frtaudit.identity import TYPE
from frtaudit.registry import lookup, names
from frtaudit.shipped import shipped
from frtaudit.typed import MISSING, plain, required

SCHEME = "frtaudit"
# Group of presets: where a preset lands in the spec ("{}" is its name).
LANDS: Mapping[str, str] = {
    "audit": "_global_",
    "cohort": "cohort",
    "protocol": "protocol",
    "schema": "schemas.{}",
    "provider": "provider.{}",
    "analysis": "analyses.{}",
    "requirement": "profiles.{}",
    "bootstrap": "bootstrap",
    "report": "report",
    "collection": "_global_",
    "source": "source",
}
_PLUGIN_GROUPS = ("analysis", "cohort", "protocol", "provider", "source")


class UserSource(FileConfigSource):
    """The folder of ``--config-dir``: each file is checked as plain data, and lands where its group lands."""

    @staticmethod
    def scheme() -> str:
        """The prefix of a search path of this kind."""
        return SCHEME

    def is_group(self, config_path: str) -> bool:
        """Whether a folder of presets is there; Hydra's own groups are not the user's."""
        return not _of_hydra(config_path) and super().is_group(config_path)

    def is_config(self, config_path: str) -> bool:
        """Whether a preset is there."""
        return not _of_hydra(config_path) and super().is_config(config_path)

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        """The presets in a folder."""
        return super().list(config_path, results_filter)

    def load_config(self, config_path: str) -> ConfigResult:
        """Read a preset after the check that it is plain data."""
        name = self._normalize_file_name(config_path)
        spec_guard.check_file(Path(self.path) / name, name)
        result = super().load_config(config_path)
        group, _, option = config_path.strip("/").removesuffix(".yaml").rpartition("/")
        if result.header.get("package") is None and group in LANDS:
            result.header["package"] = LANDS[group].format(option)
        return result


def search_path(config_dir: Path) -> str:
    """The override that adds a user's folder to Hydra's search path.

    Raises :class:`SpecError` for a folder that is missing, or that shadows a shipped option.
    """
    if not config_dir.is_dir():
        raise SpecError(
            "--config-dir", f"no folder {str(config_dir)!r}", "a folder with audit/, schema/, ..."
        )
    for group in LANDS:
        for file in sorted((config_dir / group).glob("*.y*ml")):
            _check_name(group, file)
    place = f"{SCHEME}://{config_dir.resolve()}".replace("\\", "\\\\").replace("'", "\\'")
    return f"hydra.searchpath=['{place}']"


def publish() -> None:
    """Make registered plug-ins options of their groups, and teach Hydra the user's folder."""
    SourcesRegistry.instance().register(UserSource)
    store = ConfigStore.instance()
    for group in _PLUGIN_GROUPS:
        for name in names(group):
            store.store(
                group=group, name=name, node=defaults_of(group, name), package=LANDS[group].format(name)
            )


def defaults_of(group: str, name: str) -> dict[str, Json]:
    """The fields of a registered plug-in as plain data; ``???`` where a value must be given.

    Mappings are left out: what a user gives would be merged with the default instead of taking its place.
    """
    fields: dict[str, Json] = {TYPE: name}
    for field in dataclasses.fields(lookup(group, name, group)):
        default = MISSING if required(field) else plain(_default(field))
        if field.init and not isinstance(default, Mapping):
            fields[field.name] = default
    return fields


def options(group: str) -> dict[str, str]:
    """Option name to one line about it: shipped presets and registered plug-ins of a group."""
    found = {path.stem: first_comment(path.read_text(encoding="utf-8")) for path in _presets(group)}
    if group in _PLUGIN_GROUPS:
        found |= {name: first_line(lookup(group, name, group)) for name in names(group)}
    return dict(sorted(found.items()))


def first_comment(text: str) -> str:
    """The first comment of a YAML file that is not Hydra's header."""
    for line in text.splitlines():
        if line.startswith("#") and not line.lstrip("# ").startswith("@"):
            return line.lstrip("# ").strip()
    return ""


def _presets(group: str) -> list[Path]:
    return sorted((shipped("conf") / group).glob("*.yaml"))


def _check_name(group: str, file: Path) -> None:
    if file.suffix != ".yaml":
        raise SpecError(f"--config-dir {group}/{file.name}", "is not read by that name", f"{file.stem}.yaml")
    if file.stem in options(group):
        found = f"{group}={file.stem} is shipped and cannot be shadowed"
        raise SpecError(f"--config-dir {group}/{file.name}", found, "another file name")


def _of_hydra(config_path: str) -> bool:
    return config_path.strip("/").split("/")[0] == "hydra"


def _default(field: "dataclasses.Field[object]") -> object:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def first_line(kind: type) -> str:
    """The first line of a plug-in's docstring, as a list prints it."""
    return (kind.__doc__ or "").strip().split("\n")[0].replace("``", "")
