"""The one door of every command: a root, presets and words of the command line, composed to plain data.

Hydra composes and does nothing else: what it made of its own settings must be what it makes without the user, and is
thrown away before anything is configured from it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hydra import initialize_config_dir, version
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_search_path_impl import ConfigSearchPathImpl
from hydra._internal.hydra import Hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from frtaudit.config import guard, search_path, selection
from frtaudit.config.guard import LANDS, is_setting
from frtaudit.config.hydra_errors import HYDRA_ERRORS, translated, unreadable
from frtaudit.config.interpolation import resolve, value_at
from frtaudit.config.plugins import load_plugins
from frtaudit.core.machine.resources import shipped
from frtaudit.core.plain.structure import MISSING, described
from frtaudit.errors import SpecError

CONFIG, COLLECT, EMBED = "config", "collect", "embed"
VERSION_BASE = "1.3"  # of Hydra
# What only the command line may say: where the network is reached, and where a collection or a checkpoint is written.
_BY_HAND: Mapping[str, Mapping[str, str]] = {
    CONFIG: {"checkpoint": "checkpoint=FOLDER", "dask": "dask=ADDRESS", "report.tsa": "report.tsa=URL"},
    COLLECT: {"into": "into=FOLDER"},
    EMBED: {"into": "into=FOLDER"},
}
_NO_PLACE = (None, MISSING)
_HERE = ("dask", "local")  # processes of this machine: no place elsewhere
_ROOTS = {CONFIG: "audit", COLLECT: "collection", EMBED: EMBED}
# What Hydra notes of a composition: it differs by its nature, and nothing is configured from it.
_NOTES = ("overrides", "runtime", "searchpath", "job.override_dirname")
_CHANGED = ("changes settings of Hydra", "keys of the spec")
_KEY = re.compile(r"[\w./@:\-\[\]]+")


@dataclass(frozen=True, slots=True)
class Composed:
    """A spec as plain data: ``as_written``, and ``resolved``: with the value of each ``${key}``."""

    as_written: Mapping[str, object]
    resolved: Mapping[str, object]


def composed(root: str, overrides: Sequence[str], config_dir: str | Path | None = None) -> Composed:
    """What a root, presets and overrides say, as plain data; nothing of Hydra is configured from it.

    Raises :class:`SpecError`, also where Hydra's part is not what it is without the user.
    """
    publish()
    if isinstance(overrides, (str, bytes)) or not isinstance(overrides, Iterable):  # from Python
        raise SpecError("overrides", f"{overrides!r:.60} is not a list", "['audit=demo', 'key=value', ...]")
    overrides = list(overrides)
    for word in overrides:
        guard.check_override(word)
    keys = (*(search_path.keys_of(_ROOTS[root]) or ()), *({_ROOTS[root]} & guard.LANDS.keys()))
    for word in overrides:  # those of a collection load arrays: a word that says nothing is refused without
        guard.check_override(word, keys)
    words = [word for word in overrides if not is_setting(word)]
    by_hand = [word for word in words if _key_of(word) in _BY_HAND[root]]
    choice, words = selection.parted(words, value_of) if root == CONFIG else (selection.Choice(), words)
    try:
        given = {_key_of(word): _place_in(word) for word in by_hand}
        tree, selected = _plain_tree(root, [word for word in words if word not in by_hand], config_dir)
    except HYDRA_ERRORS as error:
        raise translated(error) from error
    except RecursionError:
        raise SpecError("spec", "nested too deeply", "keys and values") from None
    if root == CONFIG:
        tree = selection.chosen(tree, choice, words)
        if (audit := selected.get("audit")) is None:
            raise SpecError("audit", "exactly one audit has to be selected", "audit=NAME")
        tree["name"] = audit if tree.get("name") in (None, MISSING) else tree["name"]
    if root == EMBED and isinstance(preset := tree.get("preset"), dict):
        preset["name"] = selected.get("preset")
    resolved = _with_given(_without_places(resolve(tree), root), given)
    return Composed(_with_given(tree, given), resolved)


def _plain_tree(
    root: str, words: Sequence[str], config_dir: str | Path | None
) -> tuple[dict[str, object], dict[str, object]]:
    """The tree that Hydra makes, without Hydra's own part; and which preset is selected of each group."""
    config = _composed_by_hydra(root, rewritten(words), config_dir)
    hydra = config.hydra
    refuse_changed(hydra, OmegaConf.create(search_path.hydra_settings()), "job.config_name")
    with open_dict(config):
        del config["hydra"]
    tree, selected = OmegaConf.to_container(config, resolve=False), dict(hydra.runtime.choices)
    return {str(key): value for key, value in tree.items()} if isinstance(tree, dict) else {}, selected


def _composed_by_hydra(root: str, words: list[str], config_dir: str | Path | None) -> DictConfig:
    """What Hydra makes of a root, presets and overrides, Hydra's own part included."""
    version.setbase(VERSION_BASE)
    path = ConfigSearchPathImpl()
    path.append("main", f"{search_path.ShippedSource.scheme()}://{shipped('conf')}")
    if config_dir is not None:
        path.append("user", search_path.user_folder(Path(config_dir)))
    path.append("schema", f"{search_path.StructuredConfigSource.scheme()}://")
    try:
        return ConfigLoaderImpl(path).load_configuration(root, words, RunMode.RUN, from_shell=False)
    except FileNotFoundError as error:  # Hydra asks for the working folder
        if isinstance(error, HYDRA_ERRORS):
            raise
        from frtaudit.core.machine.faults import as_line

        raise as_line(error, "spec") from error
    except AttributeError as error:
        if isinstance(error, OmegaConfBaseException):
            raise
        raise SpecError(
            "spec", *_CHANGED
        ) from error  # Hydra reads its own part, which a node of its store emptied


def refuse_changed(settings: DictConfig, plainly: DictConfig, *exempt: str) -> None:
    """Raise :class:`SpecError` where settings of Hydra differ from what they are ``plainly``, but ``exempt`` ones."""
    if _settings(settings, exempt) != _settings(plainly, exempt):
        raise SpecError("spec", *_CHANGED)


def _settings(hydra: DictConfig, exempt: Sequence[str]) -> object:
    """Hydra's part of a config as plain data, without its notes and what was ``exempt``."""
    settings = OmegaConf.to_container(hydra, resolve=False)
    for key in (*_NOTES, *exempt):
        above, _, name = key.rpartition(".")
        section = value_at(settings, above)
        if isinstance(section, dict):
            section.pop(name, None)
    return settings


def _key_of(word: str) -> str:
    return word.partition("=")[0].lstrip("+")


def value_of(word: str) -> object:
    """The one value that a word of the command line gives, as Hydra's grammar reads it. Raises :class:`SpecError`.

    >>> value_of("hydra.run.dir='my folder'")
    'my folder'
    """
    try:
        override = OverridesParser.create().parse_override(word)
        if override.is_sweep_override():
            raise SpecError("command line", f"several values in {word!r}", "one value")
        return override.value()
    except HYDRA_ERRORS as error:
        raise unreadable(word) from error


def _place_in(word: str) -> object:
    """The address or folder that a word gives: itself, and not by way of another key, which a file may hold."""
    value = value_of(word)
    if isinstance(value, str) and "${" in value:
        raise SpecError("command line", f"{word!r}", f"{_key_of(word)}=VALUE without ${{...}}")
    return value


def _without_places(tree: Mapping[str, object], root: str) -> Mapping[str, object]:
    """The tree, refused where it says what only the command line may say: whatever said it was a file."""
    for key, accepted in _BY_HAND[root].items():
        section, _, name = key.rpartition(".")
        inner = tree.get(section) if section else tree
        setting = inner.get(name) if isinstance(inner, Mapping) else None
        if setting not in _NO_PLACE and (key, setting) != _HERE:
            raise SpecError(key, f"{setting!r} is set in a file", f"{accepted} on the command line")
    return tree


def _with_given(tree: Mapping[str, object], given: Mapping[str, object]) -> Mapping[str, object]:
    """The tree with what was said on the command line alone."""
    merged = dict(tree)
    for key, value in given.items():
        section, _, name = key.rpartition(".")
        inner = merged.get(section) if section else merged
        if not isinstance(inner, Mapping) and inner is not None:
            raise SpecError(section, f"found {described(inner)}", "keys and values")
        if section:
            merged[section] = {**(inner or {}), name: value}
        else:
            merged[name] = value
    return merged


@contextmanager
def hydra_session() -> Iterator[Hydra]:
    """Hydra with the shipped presets; one that is at work already (a sweep's) stands aside meanwhile."""
    known = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(shipped("conf")), version_base=VERSION_BASE, job_name="frtaudit"):
            hydra = GlobalHydra.instance().hydra
            assert hydra is not None  # noqa: S101  initialized by the line above
            yield hydra
    finally:
        if known is not None:
            GlobalHydra.instance().clear()
            GlobalHydra.instance().initialize(known)


def publish() -> None:
    """Register every plug-in and make each an option of its group."""
    load_plugins()
    search_path.publish()


def rewritten(overrides: Sequence[str], config_dir: str | Path | None = None) -> list[str]:
    """Words of a spec as Hydra gets them.

    A value is set whether or not a preset mentions its key (``++``): unknown keys are refused later, by name. A group
    set to null selects nothing.

    >>> rewritten(["audit=demo", "bootstrap.B=99", "schema=null"])
    ['audit=demo', '++bootstrap.B=99', 'schema=[]']
    """
    added = [] if config_dir is None else [search_path.search_path(Path(config_dir))]
    return [*(_rewritten(override) for override in overrides), *added]


def _rewritten(override: str) -> str:
    key, equals, value = override.partition("=")
    bare = key.lstrip("+")
    if not equals or key.startswith("~") or not _KEY.fullmatch(bare):
        return override
    if bare in LANDS and not value.startswith("{"):
        return f"{key}=[]" if value in ("null", "") else override
    return override if "/" in bare or "@" in bare else f"++{bare}={value}"
