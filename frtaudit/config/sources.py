"""What a spec is composed from: shipped presets, plug-ins, a user's folder; of Hydra's settings what composing takes.

Hydra's own settings are for running jobs: where it runs none, their many files are not read, and no launcher is looked
for. Whoever changes one of the few that stand here, or adds one, is refused all the same.
"""

from pathlib import Path
from typing import Any

from hydra import version
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_search_path_impl import ConfigSearchPathImpl
from hydra._internal.core_plugins import structured_config_source
from hydra._internal.core_plugins.file_config_source import FileConfigSource
from hydra._internal.sources_registry import SourcesRegistry
from hydra.conf import RuntimeConf
from hydra.plugins.config_source import ConfigResult
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf._utils import get_yaml_loader

from frtaudit.config.search_path import user_folder
from frtaudit.core.machine.resources import shipped

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: the same values, later
    from yaml import SafeLoader  # type: ignore[assignment]  # has all that is called here

VERSION_BASE = "1.3"
HYDRA = "hydra/config"


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


def compose(root: str, words: list[str], config_dir: str | Path | None) -> DictConfig:
    """What Hydra makes of a root, presets and overrides, Hydra's own part included."""
    version.setbase(VERSION_BASE)
    path = ConfigSearchPathImpl()
    path.append("main", f"{ShippedSource.scheme()}://{shipped('conf')}")
    if config_dir is not None:
        path.append("user", user_folder(Path(config_dir)))
    path.append("schema", f"{StructuredConfigSource.scheme()}://")
    for source in (ShippedSource, StructuredConfigSource):
        SourcesRegistry.instance().register(source)
    return ConfigLoaderImpl(path).load_configuration(root, words, RunMode.RUN, from_shell=False)
