"""From overrides and presets to a checked :class:`~frtaudit.core.spec.AuditSpec`.

Composing (:mod:`frtaudit.config.composition`) checks no value: unknown keys, types and values are refused here, at
one place
(:mod:`frtaudit.core.identity`, :mod:`frtaudit.config.validate`), in the same words whatever way they came in.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, RangeSweep

from frtaudit.config import presets
from frtaudit.config.composition import COLLECT, CONFIG, EMBED, Composed, composed
from frtaudit.config.guard import check_word
from frtaudit.config.hydra_errors import translating
from frtaudit.config.places import (
    check_files,
    placed,
    placed_analyses,
    refuse_missing_root,
)
from frtaudit.config.validate import check_reach, check_spec
from frtaudit.core.canonical import digest
from frtaudit.core.identity import analyses_from_plain, to_portable, without_analyses
from frtaudit.core.plain.structure import mapping
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import SpecError
from frtaudit.inputs.croissant import with_test_data

if TYPE_CHECKING:
    from frtaudit.collection.clients.protocol import Source
    from frtaudit.collection.embed.spec import EmbedSpec
    from frtaudit.collection.spec import CollectionSpec

MAX_JOBS = 10_000
_AT_TARGET = ("fnmr_at_fmr", "threshold_at_fmr", "ratio_to_overall", "fmr_same_class", "fmr_same_class_ratio")


@dataclass(frozen=True, slots=True)
class Typed:
    """A typed and checked spec whose analyses are not imported: in place of each stands what the registry knows."""

    spec: AuditSpec
    plain: Mapping[str, object]

    def whole(self) -> AuditSpec:
        """The spec with its analyses, which load the numerical libraries. Raises :class:`SpecError`."""
        return self._with(mapping(self.plain["analyses"], "analyses"))

    def whole_with_files(self) -> AuditSpec:
        """The same. Raises :class:`~frtaudit.errors.DataError` for a file of an analysis that is not there."""
        every = mapping(self.plain["analyses"], "analyses")
        given = self._with({name: analysis for name, analysis in every.items() if analysis})
        check_files(given.analyses.values())
        return self.whole()

    def _with(self, analyses: Mapping[str, object]) -> AuditSpec:
        return placed_analyses(replace(self.spec, analyses=analyses_from_plain({"analyses": analyses})))


def load_spec(overrides: Sequence[str] = (), config_dir: str | Path | None = None) -> AuditSpec:
    """The resolved, typed and checked spec that ``frtaudit run`` would take.

    Parameters
    ----------
    overrides : sequence of str
        As on the command line: ``["audit=demo", "bootstrap.B=99"]``.
    config_dir : str or Path, optional
        A folder with presets of one's own.

    Returns
    -------
    AuditSpec
        Frozen; ``dataclasses.replace`` makes another.

    Raises
    ------
    SpecError
        One line that names the place, what was found and what would be accepted.

    Examples
    --------
    >>> load_spec(["audit=demo", "bootstrap.B=99"]).bootstrap.B
    99
    """
    from frtaudit.core.machine.arguments import path_of  # the command line has checked its own

    folder = None if config_dir is None else path_of("config_dir", config_dir)
    return typed(composed(CONFIG, overrides, folder)).whole()


def load_typed(overrides: Sequence[str], config_dir: str | Path | None) -> Typed:
    """The same, before its analyses are imported; a cohort's root that is not there is refused first."""
    return typed(composed(CONFIG, overrides, config_dir), refuse_missing_root)


def load_collection(overrides: Sequence[str] = (), config_dir: str | Path | None = None) -> "CollectionSpec":
    """What ``frtaudit collect`` would take, typed; ``overrides``: ``["source=folder", "source.root=photos", ...]``.

    Raises :class:`SpecError` with one line that names the place.

    >>> load_collection(["into=out"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    frtaudit.errors.SpecError: source: no value; accepted: ...
    """
    plain = composed(COLLECT, overrides, config_dir).resolved
    from frtaudit.collection import spec as collection_spec

    return collection_spec.from_plain(plain)


def load_source(overrides: Sequence[str], config_dir: str | Path | None = None) -> "Source":
    """The source of a collection alone; ``overrides``: ``["source=folder", "source.root=photos"]``, or a collection's.

    Raises :class:`SpecError` with one line that names the place.

    >>> load_source(["source=made_up", "source.queries=3"]).queries
    3
    """
    plain = composed(COLLECT, overrides, config_dir).resolved
    from frtaudit.collection import spec as collection_spec

    return collection_spec.source_from_plain(plain)


def load_embedding(overrides: Sequence[str] = (), config_dir: str | Path | None = None) -> "EmbedSpec":
    """What ``frtaudit embed`` would take, typed; ``overrides``: ``["images=photos", "preset=dlib", "into=faces"]``.

    Raises :class:`SpecError` with one line that names the place.

    >>> load_embedding(["images=photos", "into=faces", "preset=dlib"]).name
    'dlib'
    """
    plain = composed(EMBED, overrides, config_dir).resolved
    from frtaudit.collection.embed import spec as embed_spec

    return embed_spec.from_plain(plain)


def expanded(overrides: Sequence[str]) -> tuple[tuple[dict[str, str], tuple[str, ...]], ...]:
    """Each job of a sweep: the settings that differ, and all its overrides; the last setting varies fastest.

    >>> expanded(["audit=demo", "seed=1,2"])[1]
    ({'seed': '2'}, ('audit=demo', 'seed=2'))
    """
    for word in overrides:
        check_word(word)
    with translating():
        parsed = OverridesParser.create().parse_overrides(list(overrides))
    times = Counter(override.key_or_group for override in parsed)
    swept = [override.key_or_group for override in parsed if override.is_sweep_override()]
    twice = next((key for key in times if times[key] > 1 and key in swept), None)
    if twice is not None:
        raise SpecError("command line", f"{twice!r} appears twice", "each setting of a sweep once")
    choices = [_choices(override) for override in parsed]
    if math.prod(len(values) for values in choices) > MAX_JOBS:
        raise SpecError("command line", "a sweep of too many jobs", f"at most {MAX_JOBS} jobs")
    return tuple(
        ({key: value for key, value, _ in chosen if key}, tuple(word for *_, word in chosen))
        for chosen in product(*choices)
    )


def meant(key: str, text: str) -> object:
    """The value that ``key=text`` on the command line stands for.

    >>> meant("thresholds.fmr", "[1e-3, 0.01]")
    [0.001, 0.01]
    """
    value: object = OverridesParser.create().parse_override(f"{key}={text}").value()
    return value


def whole_digest(spec: AuditSpec) -> str:
    """SHA-256 of the spec with its paths and its report, without thread counts: what a job of a sweep is known by."""
    return digest(to_portable(spec))


def typed(config: Composed, first: Callable[[AuditSpec], None] = lambda _: None) -> Typed:
    """The typed and checked spec of what was composed; ``first``: what is asked of it before its values are checked."""
    plain = presets.resolve_presets(config.resolved)
    with presets.locating(plain):
        spec = with_targets(with_test_data(without_analyses(plain)))
        first(spec)
        check_spec(spec)
        check_reach(spec)
    return Typed(placed(spec), plain)


def with_targets(spec: AuditSpec) -> AuditSpec:
    """A requirement at an FMR target asks a question there: the target joins ``thresholds.fmr``."""
    wanted = {
        requirement.at["fmr"]
        for requirement in spec.requirements
        if (requirement.metric in _AT_TARGET or requirement.profile) and "fmr" in requirement.at
    }
    known = spec.thresholds.fmr
    new = [
        target for target in wanted if isinstance(target, float) and 0 < target < 1 and target not in known
    ]
    new.sort(reverse=True)
    return replace(spec, thresholds=replace(spec.thresholds, fmr=(*known, *new))) if new else spec


def _choices(override: Override) -> list[tuple[str, str, str]]:
    """Key, value and word of each value that a setting takes; key and value empty where it takes one only."""
    line = str(override.input_line)
    if not override.is_sweep_override():
        return [("", "", line)]
    if not override.is_discrete_sweep() or isinstance(override.value(), Glob):
        raise SpecError("command line", f"{line!r} is not a list of values", "key=a,b,c or key=range(1,4)")
    word = line.split("=", 1)[0]
    sweep = override.value()
    if (  # a range may be shuffled, and is a list then: its length is looked at first
        isinstance(sweep, RangeSweep)
        and sweep.start is not None
        and sweep.stop is not None
        and abs(float(sweep.stop) - float(sweep.start)) > MAX_JOBS * abs(float(sweep.step))
    ):
        raise SpecError("command line", f"{line!r} is too long", f"at most {MAX_JOBS} jobs")
    values = [str(value) for value in islice(override.sweep_string_iterator(), MAX_JOBS + 1)]
    return [(str(override.key_or_group), value, f"{word}={value}") for value in values]
