"""From overrides and presets to a checked :class:`~frtaudit.core.spec.AuditSpec`. Hydra lives here and in ``app.py``.

Hydra composes plain data and checks nothing of it: unknown keys, types and values are refused afterwards, at one door
(:mod:`frtaudit.identity`, :mod:`frtaudit.checks`), in the same words whatever way they came in.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any  # Any: as OmegaConf types its keys

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf, open_dict

from frtaudit import presets, spec_guard, spec_source
from frtaudit.canonical import digest
from frtaudit.checks import check_spec
from frtaudit.collection import spec as collection_spec
from frtaudit.collection.spec import CollectionSpec
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import SpecError
from frtaudit.hydra_errors import HYDRA_ERRORS, translated
from frtaudit.identity import from_plain, spec_digest, to_full, to_plain, to_portable
from frtaudit.plugins import load_plugins
from frtaudit.shipped import shipped

__all__ = [
    "CONFIG",
    "expanded",
    "from_config",
    "load_collection",
    "load_spec",
    "publish",
    "rewritten",
    "spec_digest",
    "to_full",
    "to_plain",
    "whole_digest",
]

CONFIG, COLLECT = "config", "collect"
RUN_KEYS = ("fail_on",)
_AT_TARGET = ("fnmr_at_fmr", "threshold_at_fmr")
_KEY = re.compile(r"[\w./@:\-\[\]]+")


def load_spec(overrides: Sequence[str] = (), config_dir: str | Path | None = None) -> AuditSpec:
    """The resolved, typed and checked spec that ``frtaudit run`` would take.

    ``overrides``: as on the command line, ``["audit=demo", "bootstrap.B=99"]``; ``config_dir``: a folder with presets
    of one's own. Raises :class:`SpecError` with one line that names the place.

    >>> load_spec(["audit=demo", "bootstrap.B=99"]).bootstrap.B
    99
    """
    try:
        config, choice = _composed(CONFIG, overrides, config_dir)
        return from_config(config, choice)
    except HYDRA_ERRORS as error:
        raise translated(error) from error


def load_collection(overrides: Sequence[str] = (), config_dir: str | Path | None = None) -> CollectionSpec:
    """What ``frtaudit collect`` would take, typed; ``overrides``: ``["source=folder", "source.root=photos", ...]``.

    Raises :class:`SpecError` with one line that names the place.

    >>> load_collection(["into=out"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    frtaudit.errors.SpecError: source: no value; accepted: ...
    """
    try:
        config, _ = _composed(COLLECT, overrides, config_dir)
        plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=False)
    except HYDRA_ERRORS as error:
        raise translated(error) from error
    if not isinstance(plain, dict):
        raise SpecError("spec", "found no mapping", "keys and values")
    return collection_spec.from_plain({str(key): value for key, value in plain.items()})


def _composed(
    name: str, overrides: Sequence[str], config_dir: str | Path | None
) -> tuple[DictConfig, str | None]:
    """The tree that Hydra makes of a root and overrides, without Hydra's own part; and the selected audit."""
    publish()
    with _aside(), initialize_config_dir(str(shipped("conf")), version_base="1.3", job_name="frtaudit"):
        config = compose(name, rewritten(overrides, config_dir), return_hydra_config=True)
    choice = config.hydra.runtime.choices.get("audit")
    with open_dict(config):
        del config["hydra"]
    return config, choice


def expanded(overrides: Sequence[str]) -> tuple[tuple[dict[str, str], tuple[str, ...]], ...]:
    """Each job of a sweep: the settings that differ, and all its overrides; the last setting varies fastest.

    >>> expanded(["audit=demo", "seed=1,2"])[1]
    ({'seed': '2'}, ('audit=demo', 'seed=2'))
    """
    try:
        parsed = OverridesParser.create().parse_overrides(list(overrides))
    except HYDRA_ERRORS as error:
        raise translated(error) from error
    twice = next(
        (one.key_or_group for one in parsed if _named(parsed, one) > 1 and _sweeps(parsed, one)), None
    )
    if twice is not None:
        raise SpecError("command line", f"{twice!r} stands twice", "each setting of a sweep once")
    choices = [_choices(override) for override in parsed]
    return tuple(
        ({key: value for key, value, _ in chosen if key}, tuple(word for *_, word in chosen))
        for chosen in product(*choices)
    )


def whole_digest(spec: AuditSpec) -> str:
    """SHA-256 of the spec with its paths and its report, without thread counts: what a job of a sweep is known by."""
    return digest(to_portable(spec))


def publish() -> None:
    """Register every plug-in and make each an option of its group."""
    load_plugins()
    spec_source.publish()


def from_config(config: DictConfig, audit: str | None) -> AuditSpec:
    """The spec in a composed config; ``audit``: the selected audit, which names it unless ``name`` does."""
    if audit is None:
        raise SpecError("audit", "not one audit is selected", "audit=NAME")
    load_plugins()
    raw = OmegaConf.to_container(config, resolve=False)
    if isinstance(raw, dict) and str(raw.get("name")).startswith("${hydra"):
        config = OmegaConf.merge(config, {"name": audit})  # type: ignore[assignment]  # a mapping stays one
    plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=False)
    if not isinstance(plain, dict):
        raise SpecError("spec", "found no mapping", "keys and values")
    spec = with_targets(from_plain(presets.settle(without_run_keys(plain))))
    check_spec(spec)
    return spec


def with_targets(spec: AuditSpec) -> AuditSpec:
    """A requirement at an FMR target asks a question there: the target joins ``thresholds.fmr``."""
    wanted = {item.at["fmr"] for item in spec.requirements if item.metric in _AT_TARGET and "fmr" in item.at}
    known = spec.thresholds.fmr
    new = sorted(
        (target for target in wanted if isinstance(target, float) and target not in known), reverse=True
    )
    return replace(spec, thresholds=replace(spec.thresholds, fmr=(*known, *new))) if new else spec


def without_run_keys(plain: Mapping[Any, object]) -> dict[str, object]:  # Any: OmegaConf's keys
    """The composed tree without what belongs to the run and not to the spec."""
    return {str(key): value for key, value in plain.items() if key not in RUN_KEYS}


def rewritten(overrides: Sequence[str], config_dir: str | Path | None = None) -> list[str]:
    """Overrides as Hydra gets them, each checked as plain data first.

    A value is set whether or not a preset mentions its key (``++``): unknown keys are refused later, by name. A group
    set to null selects nothing.

    >>> rewritten(["audit=demo", "bootstrap.B=99", "schema=null"])
    ['audit=demo', '++bootstrap.B=99', 'schema=[]']
    """
    for override in overrides:
        spec_guard.check_override(override)
    added = [] if config_dir is None else [spec_source.search_path(Path(config_dir))]
    return [*(_rewritten(override) for override in overrides), *added]


@contextmanager
def _aside() -> Iterator[None]:
    """A job of a sweep composes its own spec: the Hydra that started it stands aside meanwhile."""
    known = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    try:
        yield
    finally:
        if known is not None:
            GlobalHydra.instance().clear()
            GlobalHydra.instance().initialize(known)


def _named(parsed: Sequence[Override], one: Override) -> int:
    return sum(other.key_or_group == one.key_or_group for other in parsed)


def _sweeps(parsed: Sequence[Override], one: Override) -> bool:
    return any(other.is_sweep_override() for other in parsed if other.key_or_group == one.key_or_group)


def _choices(override: Override) -> list[tuple[str, str, str]]:
    """Key, value and word of each value that a setting takes; key and value empty where it takes one only."""
    line = str(override.input_line)
    if not override.is_sweep_override():
        return [("", "", line)]
    if not override.is_discrete_sweep():
        raise SpecError("command line", f"{line!r} is no list of values", "key=a,b,c or key=range(1,4)")
    word = line.split("=", 1)[0]
    values = [str(value) for value in override.sweep_string_iterator()]
    return [(str(override.key_or_group), value, f"{word}={value}") for value in values]


def _rewritten(override: str) -> str:
    key, equals, value = override.partition("=")
    bare = key.lstrip("+")
    if not equals or key.startswith("~") or bare.startswith("hydra") or not _KEY.fullmatch(bare):
        return override
    if bare in spec_source.LANDS and not value.startswith("{"):
        return f"{key}=[]" if value in ("null", "") else override
    return override if "/" in bare or "@" in bare else f"++{bare}={value}"
