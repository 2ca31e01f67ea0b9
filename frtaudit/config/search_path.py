"""Where Hydra finds what a user may select: shipped presets, registered plug-ins, the user's own folder.

Of Hydra's own settings a spec is composed with no more than that takes: the rest is for running jobs. Where it runs
none, their many files are not read, and no launcher is looked for. Who changes one or adds one is refused.
"""

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins import structured_config_source
from hydra._internal.core_plugins.file_config_source import FileConfigSource
from hydra._internal.sources_registry import SourcesRegistry
from hydra.conf import RuntimeConf
from hydra.core.config_store import ConfigNode, ConfigStore
from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigResult
from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf._utils import get_yaml_loader

from frtaudit.config import selection
from frtaudit.config.choices import PLUGIN_GROUPS, presets
from frtaudit.config.guard import (
    LANDS,
    MAX_BYTES,
    MAX_NODES,
    check_package,
    check_text,
    is_name,
    read_text,
    too_many,
)
from frtaudit.core.canonical import Json
from frtaudit.core.identity import TYPE
from frtaudit.core.plain.structure import MISSING, default_of, plain, required
from frtaudit.core.registry import lookup, names
from frtaudit.core.spec import AuditSpec
from frtaudit.core.text.quoting import quoted
from frtaudit.errors import SpecError

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: the same values, later
    from yaml import SafeLoader  # type: ignore[assignment]  # has all that is called here

SCHEME = "frtaudit"
HYDRA = "hydra/config"
MAX_PRESETS, MAX_TOGETHER = 100, 2 * MAX_BYTES


class _Loader(SafeLoader):
    """Reads numbers as OmegaConf does: ``1e-3`` is one."""

    yaml_implicit_resolvers = get_yaml_loader().yaml_implicit_resolvers


class ShippedSource(FileConfigSource):
    """The shipped presets."""

    @staticmethod
    def scheme() -> str:
        """The prefix of a search path of this kind."""
        return "shipped"

    def load_config(self, config_path: str) -> ConfigResult:
        """Read a preset."""
        text = Path(self.path, self._normalize_file_name(config_path)).read_text(encoding="utf-8")
        values = _Loader(text).get_single_data()
        return ConfigResult(
            self.provider, self.full_path(), OmegaConf.create(values or {}), self._get_header_dict(text[:512])
        )


class StructuredConfigSource(structured_config_source.StructuredConfigSource):
    """Registered plug-ins, and Hydra's settings; Hydra knows the last source of a search path by this class's name."""

    @staticmethod
    def scheme() -> str:
        """The prefix of a search path of this kind."""
        return "plugins"

    def load_config(self, config_path: str) -> ConfigResult:
        """The defaults of a plug-in's fields, or Hydra's settings."""
        if config_path != HYDRA:
            return super().load_config(config_path)
        settings = OmegaConf.create(hydra_settings())
        return ConfigResult(self.provider, self.full_path(), settings, {"package": "hydra"})


def hydra_settings() -> dict[str, Any]:  # Any: OmegaConf takes values and types
    """What Hydra asks of its own settings when it composes, and where it writes down what it did."""
    names = {"kv_sep": "=", "item_sep": ",", "exclude_keys": []}
    return {
        "overrides": {"hydra": [], "task": []},
        "runtime": RuntimeConf,
        "job": {
            "name": "frtaudit",
            "config_name": None,
            "override_dirname": None,
            "config": {"override_dirname": names},
            "env_copy": [],
            "env_set": {},
        },
    }


@dataclass(frozen=True, slots=True)
class Preset:
    """A user's file, checked: its text, how many values, the package where it lands, the files that it selects."""

    text: str
    values: int
    package: str
    selects: tuple[str, ...]


class UserSource(FileConfigSource):
    """The folder of ``--config-dir``: files GROUP/NAME.yaml of plain data, each landing where its group lands."""

    def __init__(self, provider: str, path: str) -> None:
        super().__init__(provider=provider, path=path)
        self._read: dict[str, Preset] = {}
        self._sizes: dict[str, int] = {}

    @staticmethod
    def scheme() -> str:
        """The prefix of a search path of this kind."""
        return SCHEME

    def is_group(self, config_path: str) -> bool:
        """Whether a folder of presets is there."""
        group = config_path.strip("/")
        return group in ("", *LANDS) and super().is_group(group)

    def is_config(self, config_path: str) -> bool:
        """Whether a preset is there."""
        return _preset(config_path) is not None and os.path.lexists(self._file(config_path))

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        """The presets in a folder."""
        group = config_path.strip("/")
        return super().list(group, results_filter) if group in LANDS else []

    def load_config(self, config_path: str) -> ConfigResult:
        """Read a preset once; what is composed is the text that was checked."""
        shown = self._normalize_file_name(config_path.strip("/"))
        self._size(shown, ())
        preset = self._read[shown]
        try:
            config = OmegaConf.create(preset.text)
        except ValueError as error:  # 0x_
            raise SpecError(shown, f"broken YAML: {error}", "YAML") from None
        if isinstance(config, DictConfig) and isinstance(listed := config.get("analyses"), ListConfig):
            config["analyses"] = selection.as_mapping(list(listed), names("analysis"))
        header: dict[str, str | None] = {"package": preset.package}
        return ConfigResult(self.provider, f"{SCHEME}://{self.path}", config, header)

    def _size(self, shown: str, above: tuple[str, ...]) -> int:
        """How many presets a file selects, itself and what those select included; 1 where it is not the user's."""
        if shown in above:
            raise SpecError(shown, "selects itself through its defaults", "defaults that end")
        if shown not in self._sizes and self.is_config(shown):
            preset = self._preset(shown)
            inside = 1 + sum(self._size(name, (*above, shown)) for name in preset.selects)
            if max(inside, len(above)) >= MAX_PRESETS:
                problem = "selects too many presets, counting those that they select"
                raise SpecError(shown, problem, f"at most {MAX_PRESETS}")
            self._sizes[shown] = inside
        return self._sizes.get(shown, 1)

    def _preset(self, shown: str) -> Preset:
        """A file, read and checked once."""
        if shown not in self._read:
            group, name = _preset(shown) or ("", "")
            text = read_text(self._file(shown), shown)
            try:  # the package in a file's first lines, as Hydra reads them
                header = FileConfigSource._get_header_dict(text)  # noqa: SLF001  a source's own, as this one is
            except ValueError as error:
                raise SpecError(shown, f"broken header: {error}", "# @package PACKAGE, or none") from None
            package = header["package"] or LANDS[group].format(name)
            check_package(package, group, shown)
            checked = check_text(text, shown, keys_of(group))
            names = [(other or group, option) for other, option in checked.selects if option != "_self_"]
            files = tuple(self._normalize_file_name(f"{other}/{option}") for other, option in names)
            self._read[shown] = Preset(text, checked.values, package, files)
            if sum(preset.values for preset in self._read.values()) > MAX_NODES:
                raise too_many(shown)
            if sum(len(preset.text) for preset in self._read.values()) > MAX_TOGETHER:
                problem = "is too long, counted with the presets composed with it"
                raise SpecError(shown, problem, f"at most {MAX_TOGETHER} characters")
        return self._read[shown]

    def _file(self, config_path: str) -> Path:
        return Path(self.path) / self._normalize_file_name(config_path.strip("/"))


def _preset(config_path: str) -> tuple[str, str] | None:
    """Group and name of a preset; None for any other path."""
    group, _, name = config_path.strip("/").removesuffix(".yaml").partition("/")
    return (group, name) if group in LANDS and is_name(name) else None


def keys_of(group: str) -> tuple[str, ...] | None:
    """What a whole spec of a group of presets may say: schema and provider are short forms; None: no spec."""
    if group == "audit":
        return (*(field.name for field in dataclasses.fields(AuditSpec)), "schema", "provider")
    if group == "collection":
        from frtaudit.collection.spec import CollectionSpec

        return tuple(field.name for field in dataclasses.fields(CollectionSpec))
    if group == "embed":
        from frtaudit.collection.embed.spec import EmbedSpec

        return tuple(field.name for field in dataclasses.fields(EmbedSpec))
    return None


def search_path(config_dir: Path) -> str:
    """The override that adds a user's folder to Hydra's search path. Raises :class:`SpecError`."""
    return f"hydra.searchpath=[{quoted(user_folder(config_dir))}]"


def user_folder(config_dir: Path) -> str:
    """A user's folder as Hydra's search path names it.

    Raises :class:`SpecError` for a folder that is missing, or that shadows a shipped option.
    """
    if not config_dir.is_dir():
        text = f"no folder {str(config_dir)!r}"
        raise SpecError("--config-dir", text, "a folder with audit/, schema/, ...")
    if (config_dir / "hydra").exists():
        accepted = ", ".join(f"{name}/" for name in LANDS)
        raise SpecError("--config-dir hydra", "is not a folder of presets", accepted)
    for group in LANDS:
        for file in sorted((config_dir / group).glob("*.y*ml")):
            where, unread = f"--config-dir {group}/{file.name}", "is not read by that name"
            if file.suffix != ".yaml":
                raise SpecError(where, unread, f"{file.stem}.yaml")
            if not is_name(file.stem):
                raise SpecError(where, unread, "a name of letters a to z, digits, _, - and .")
            plugins = names(group) if group in PLUGIN_GROUPS else []
            if file.stem in (*plugins, *(path.stem for path in presets(group))):
                problem = f"{group}={file.stem} is shipped and cannot be shadowed"
                raise SpecError(where, problem, "another file name")
    return f"{SCHEME}://{config_dir.resolve()}"


class PluginNode(ConfigNode):
    """A plug-in as an option of its group; imported when it is selected, for the defaults of its fields."""

    def __init__(self, group: str, name: str) -> None:
        self.group, self.name, self.provider = group, f"{name}.yaml", None
        self.package = LANDS[group].format(name)
        self.plugin = name

    @cached_property
    def node(self) -> DictConfig:  # type: ignore[override]  # a field of ConfigNode, made here when Hydra reads it
        """The fields' defaults."""
        return OmegaConf.create(defaults_of(str(self.group), self.plugin))


def publish() -> None:
    """Make registered plug-ins options of their groups, and teach Hydra where presets are."""
    for source in (ShippedSource, StructuredConfigSource, UserSource):
        SourcesRegistry.instance().register(source)
    store = ConfigStore.instance()
    for group in PLUGIN_GROUPS:
        options_of_group = store.repo.setdefault(group, {})
        for name in names(group):
            options_of_group.setdefault(f"{name}.yaml", PluginNode(group, name))


def defaults_of(group: str, name: str) -> dict[str, Json]:
    """The fields of a registered plug-in as plain data; ``???`` where a value must be given.

    Mappings are left out: what a user gives would be merged with the default instead of taking its place.
    """
    fields: dict[str, Json] = {TYPE: name}
    for field in dataclasses.fields(lookup(group, name, group)):
        default = MISSING if required(field) else plain(default_of(field))
        if field.init and not isinstance(default, Mapping):
            fields[field.name] = default
    return fields
