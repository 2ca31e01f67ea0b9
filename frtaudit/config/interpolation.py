"""``${key}`` in a spec: the value that stands at another key of the same spec, and nothing else.

No resolver is known here: what is not a plain key is refused, and what expands too far is too.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from frtaudit.errors import SpecError

MAX_UNFOLDED = 300_000
PLAIN = re.compile(r"\$\{((?!hydra\b)[A-Za-z_]\w*(?:\.\w+|\[\w+\])*)\}", re.ASCII)
_MISSING = "???"


def check_plain(text: str, where: str, suffix: str = "") -> None:
    """Refuse text with an interpolation other than ``${key}``; ``suffix`` ends what was found.

    >>> check_plain("audit of ${name}", "report.title")
    >>> check_plain("${oc.env:HOME}", "report.title")
    Traceback (most recent call last):
    frtaudit.errors.SpecError: report.title: the resolver '${oc.env:HOME}'; accepted: plain ${key} only
    """
    for match in re.finditer(r"\$\{", text):
        if not PLAIN.match(text, match.start()):
            strange = text[match.start() :][:40].splitlines()[0]
            raise SpecError(where, f"the resolver {strange!r}{suffix}", "plain ${key} only")


def resolve(tree: Mapping[str, object]) -> dict[str, object]:
    """The same tree with the value of its key for each ``${key}``.

    Raises :class:`SpecError` for a resolver, an unknown key, a key that names itself, and values that unfold beyond
    :data:`MAX_UNFOLDED` characters and values.

    >>> resolve({"name": "demo", "report": {"title": "The ${name}"}})["report"]
    {'title': 'The demo'}
    """
    unfolding = _Unfolding(tree)
    return {key: unfolding.value(entry, key, ()) for key, entry in tree.items()}


def value_at(tree: object, key: str) -> object:
    """The value at ``a.b[0]`` of plain data. Raises :class:`KeyError`."""
    for part in re.findall(r"[^.\[\]]+", key):
        if isinstance(tree, Mapping) and part in tree:
            tree = tree[part]
        elif isinstance(tree, list) and part.isdecimal() and int(part) < len(tree):
            tree = tree[int(part)]
        else:
            raise KeyError(key)
    return tree


class _Unfolding:
    """One pass over a tree; what is left of its budget is the only thing that changes."""

    def __init__(self, tree: Mapping[str, object]) -> None:
        self.tree = tree
        self.left = MAX_UNFOLDED

    def value(self, data: object, where: str, above: Sequence[str]) -> object:
        """Any value with its interpolations resolved; ``above``: the keys that led here."""
        self.left -= 1 + (len(data) if isinstance(data, str) else 0)
        if self.left < 0:
            raise SpecError(where, "expands too far", f"at most {MAX_UNFOLDED} characters and values")
        if isinstance(data, str):
            return self.text(data, where, above)
        if isinstance(data, Mapping):
            return {str(key): self.value(entry, f"{where}.{key}", above) for key, entry in data.items()}
        if isinstance(data, list):
            return [self.value(entry, f"{where}[{index}]", above) for index, entry in enumerate(data)]
        return data

    def text(self, data: str, where: str, above: Sequence[str]) -> object:
        """A text; one that is nothing but ``${key}`` becomes that value, of whatever type."""
        check_plain(data, where)
        whole = PLAIN.fullmatch(data)
        if whole:
            return self.named(whole[1], where, above)
        parts = PLAIN.split(data)
        named = [_as_text(self.named(key, where, above), key, where) for key in parts[1::2]]
        return "".join(chain.from_iterable(zip(parts[::2], [*named, ""], strict=True)))

    def named(self, key: str, where: str, above: Sequence[str]) -> object:
        """The value at a key, resolved in its turn."""
        if key in above:
            raise SpecError(where, f"${{{key}}} names itself", "a ${key} of the spec")
        try:
            data = value_at(self.tree, key)
        except KeyError:
            raise SpecError(where, f"Interpolation key {key!r} not found", "a ${key} of the spec") from None
        return self.value(data, where, (*above, key))


def _as_text(value: object, key: str, where: str) -> str:
    if isinstance(value, (Mapping, list)) or value == _MISSING:
        raise SpecError(where, f"${{{key}}} inside a text has no single value", "a ${key} of one value")
    return str(value)
