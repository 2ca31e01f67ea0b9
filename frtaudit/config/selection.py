"""Only these, also these: what a spec has by name, chosen by a list or added to one by one.

``analyses=[error_rates]`` keeps only these, with the settings that the audit gives them; ``+analyses.quality={}`` adds
one; ``~analyses.quality`` leaves one out, as ``quality: false`` does in a file. A mapping on the command line would be
merged and is refused, for it reads as if it replaced.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from frtaudit.core.plain.structure import closest
from frtaudit.errors import SpecError

NAMED = ("analyses", "schemas", "test_sets")
PRESETS = {"analyses": "analysis", "schemas": "schema"}  # the group whose presets land there
_ONLY = re.compile(rf"(?P<plus>\+*)(?P<key>{'|'.join(NAMED)})=(?P<value>.*)", re.DOTALL)
_WITHOUT = re.compile(rf"~(?P<key>{'|'.join(NAMED)})\.(?P<name>[^.=]+)")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the command line chooses by name, by key: ``only`` these, and ``without`` those."""

    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    without: Mapping[str, Sequence[str]] = field(default_factory=dict)


def parted(words: Sequence[str], value_of: Callable[[str], object]) -> tuple[Choice, list[str]]:
    """What words of the command line choose by name, and the other words. Raises :class:`SpecError`.

    >>> parted(["analyses=[roc]", "~schemas.tone", "seed=1"], lambda word: ["roc"])
    (Choice(only={'analyses': ['roc']}, without={'schemas': ['tone']}), ['seed=1'])
    """
    only: dict[str, Sequence[str]] = {}
    without: dict[str, list[str]] = {}
    rest = []
    for word in words:
        if match := _ONLY.fullmatch(word):
            shown = f"{word!r}" if len(word) < 60 else "a mapping"
            if match["plus"]:
                raise SpecError(match["key"], f"found {shown}", forms(match["key"]))
            only[match["key"]] = _listed(match["key"], value_of(word), shown)
        elif match := _WITHOUT.fullmatch(word):
            without.setdefault(match["key"], []).append(match["name"])
        else:
            rest.append(word)
    return Choice(only, without), rest


def _listed(key: str, value: object, shown: str) -> Sequence[str]:
    if value is None:
        return ()
    if isinstance(value, Mapping):
        raise SpecError(key, f"{shown} would be merged with those of the audit", forms(key))
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise SpecError(key, f"found {shown}", forms(key))
    return value


def forms(key: str) -> str:
    """How a key is said: only these, also these, without.

    >>> forms("schemas")
    'schemas=[NAME,NAME] for only these ([]: none), +schemas.NAME={...} for one more, ~schemas.NAME without it'
    """
    none = "" if key == "analyses" else " ([]: none)"
    return f"{key}=[NAME,NAME] for only these{none}, +{key}.NAME={{...}} for one more, ~{key}.NAME without it"


def as_mapping(names: Sequence[object], known: Sequence[str]) -> dict[str, object]:
    """A file's list of analyses as what can be merged: those that it names are on, all others off."""
    if not all(isinstance(name, str) for name in names):
        raise SpecError("analyses", "a list of more than names", "[NAME, NAME], or NAME: {...} line by line")
    return {**dict.fromkeys(known, False), **{str(name): {} for name in names}}


def chosen(tree: Mapping[str, object], choice: Choice, words: Sequence[str]) -> dict[str, object]:
    """The tree with only what the lists name, and what the words add to them, and without what is switched off."""
    selected = dict(tree)
    for key in NAMED:
        declared = selected.get(key)
        if not isinstance(declared, Mapping):
            declared = {}
            if key not in choice.only and key not in choice.without:
                continue
        active = {str(name): value for name, value in declared.items() if value is not False}
        if key in choice.only:
            active = _only(key, active, [*choice.only[key], *_added(key, words)])
        for name in choice.without.get(key, ()):
            if name not in {*declared, *active}:
                text = f"the audit has no {name!r}{closest(name, declared)}"
                raise SpecError(key, text, ", ".join(declared) or "none")
            active.pop(name, None)
        selected[key] = active
    return selected


def _only(key: str, active: Mapping[str, object], names: Sequence[str]) -> dict[str, object]:
    unknown = next((name for name in names if name not in active and key != "analyses"), None)
    if unknown is not None:
        preset = f"; {PRESETS[key]}={unknown} adds a preset" if key in PRESETS else ""
        text = f"the audit has no {unknown!r}{closest(unknown, active)}"
        accepted = f"{', '.join(active) or 'none'}; +{key}.{unknown}={{...}} adds one{preset}"
        raise SpecError(key, text, accepted)
    return {name: active.get(name, {}) for name in names}


def _added(key: str, words: Sequence[str]) -> list[str]:
    """What words set or select below a key: named on the same command line, it is wanted.

    >>> _added("schemas", ["schema=[tone,gender]", "+schemas.site.column=x", "seed=1"])
    ['tone', 'gender', 'site']
    """
    pairs = [(word.partition("=")[0].lstrip("+"), word.partition("=")[2]) for word in words]
    selected = [value for name, value in pairs if name == PRESETS.get(key) and value != "null"]
    names = re.findall(r"[\w.\-]+", ",".join(selected))
    return [*names, *(name.split(".")[1] for name, _ in pairs if name.startswith(f"{key}."))]
