"""A spec is data: what a user's YAML or command line may not say, refused before Hydra reads it.

Refused: ``hydra`` blocks, ``_target_`` and its kin, every resolver (``${oc.env:...}``), and interpolations other than a
plain ``${key}``. The YAML is read as nodes, so every refusal knows its line and column.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from frtaudit import limits
from frtaudit.errors import SpecError

MAX_NODES = 100_000
_PLAIN = re.compile(r"\$\{(?!hydra\b)[A-Za-z_]\w*(\.\w+|\[\w+\])*\}")
_FOLDER = re.compile(
    r"\$\{(now:[^${}]*|hydra[.:]job\.(num|id|name|override_dirname)|[A-Za-z_]\w*(\.\w+|\[\w+\])*)\}"
)
_INSTANTIATES = ("_target_", "_partial_", "_recursive_", "_convert_", "_args_")
_ACCEPTED = "plain ${key} only"
_DATA = "a spec is data: names, numbers and text"
_FOLDER_KEYS = ("hydra.run.dir", "hydra.sweep.dir")
_HYDRA_KEYS = (*_FOLDER_KEYS, "hydra/launcher", "hydra.launcher.*")


def check_file(path: Path, shown: str) -> None:
    """Refuse a user's YAML file that is not plain data; ``shown`` is what errors call it.

    Raises :class:`SpecError` naming file, line and column.
    """
    try:
        limits.check_length(shown, path.stat().st_size, limits.FILE, "bytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise SpecError(shown, f"{reason}", "a readable YAML file") from None
    check_text(text, shown)


def check_text(text: str, shown: str) -> None:
    """Refuse YAML text that is not plain data: see the module.

    >>> check_text("report: {title: '${oc.env:HOME}'}", "mine.yaml")
    Traceback (most recent call last):
    frtaudit.errors.SpecError: mine.yaml line 1, column 17: the resolver '${oc.env:HOME}'; accepted: plain ${key} only
    """
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*#\s*@package\s+(\S+)", line)
        if header and _is_hydra(header[1]):
            raise SpecError(f"{shown} line {number}", f"the package {header[1]!r}", "a package of the spec")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise _broken(error, shown) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SpecError(shown, f"broken YAML: {error}", "YAML") from None
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise SpecError(f"{shown}{_at(root)}", "no mapping", "keys and values")
    _check_size(root, shown)
    for node in _nodes(root):
        _check_node(node, shown)


def check_override(override: str) -> None:
    """Refuse a command-line override that reaches beyond the spec: see the module.

    Of Hydra's own keys, the output folders and the launcher can be set.

    >>> check_override("hydra.run.dir=out/${now:%H}")
    >>> check_override("hydra.verbose=true")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    frtaudit.errors.SpecError: command line: 'hydra.verbose=true' sets Hydra itself; accepted: hydra.run.dir, ...
    """
    limits.check_length("command line", len(override), limits.WORD, "characters in one word")
    key = override.split("=", 1)[0].lstrip("+~")
    for word in _INSTANTIATES:
        if word in override:
            raise SpecError("command line", f"{word!r} in {override!r}", _DATA)
    if _is_hydra(key) and not (key in _HYDRA_KEYS or key.startswith("hydra.launcher.")):
        raise SpecError("command line", f"{override!r} sets Hydra itself", ", ".join(_HYDRA_KEYS))
    allowed = _FOLDER if key in _FOLDER_KEYS else _PLAIN
    strange = _interpolation(override, allowed)
    if strange:
        raise SpecError("command line", f"the resolver {strange!r} in {override!r}", _ACCEPTED)


def _broken(error: yaml.MarkedYAMLError, shown: str) -> SpecError:
    mark = error.problem_mark or error.context_mark
    place = f" line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return SpecError(f"{shown}{place}", f"broken YAML: {error.problem or error.context}", "YAML")


def _check_node(node: yaml.Node, shown: str) -> None:
    if node.tag.startswith("tag:yaml.org,2002:python") or node.tag.startswith("!"):
        raise SpecError(f"{shown}{_at(node)}", f"the tag {node.tag!r}", "plain data")
    if isinstance(node, yaml.MappingNode):
        _check_keys(node, shown)
    if isinstance(node, yaml.ScalarNode):
        strange = _interpolation(node.value, _PLAIN)
        if strange:
            raise SpecError(f"{shown}{_at(node)}", f"the resolver {strange!r}", _ACCEPTED)


def _check_keys(node: yaml.MappingNode, shown: str) -> None:
    seen: set[str] = set()
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if not name:
            raise SpecError(f"{shown}{_at(key)}", "a key that is no text", "text keys")
        if name in _INSTANTIATES:
            raise SpecError(f"{shown}{_at(key)}", f"the key {name!r}", _DATA)
        if _is_hydra(name):
            raise SpecError(f"{shown}{_at(key)}", f"the key {name!r}", f"a key of the spec; {_DATA}")
        if name in seen:
            raise SpecError(f"{shown}{_at(key)}", f"the key {name!r} stands twice", "each key once")
        seen.add(name)
        if name == "defaults":
            _check_defaults(value, shown)


def _check_defaults(value: yaml.Node, shown: str) -> None:
    """A defaults list selects presets, not parts of Hydra."""
    for node in _nodes(value):
        if isinstance(node, yaml.ScalarNode) and re.search(r"(^|[\s/@:])hydra\b", node.value):
            raise SpecError(f"{shown}{_at(node)}", f"{node.value!r} in defaults", "presets of the spec")


def _interpolation(text: str, allowed: re.Pattern[str]) -> str | None:
    """The first interpolation in ``text`` that is not ``allowed``."""
    for found in re.finditer(r"\$\{", text):
        if not allowed.match(text, found.start()):
            return text[found.start() :][:40].splitlines()[0]
    return None


def _is_hydra(key: str) -> bool:
    return re.match(r"/?hydra\b", key) is not None


def _check_size(root: yaml.Node, shown: str) -> None:
    """Refuse aliases that contain themselves or multiply beyond reason."""
    sizes: dict[int, int] = {}

    def size(node: yaml.Node, above: frozenset[int]) -> int:
        if id(node) in above:
            raise SpecError(f"{shown}{_at(node)}", "an alias that contains itself", "plain data")
        if id(node) not in sizes:
            inside = above | {id(node)}
            sizes[id(node)] = 1 + sum(size(child, inside) for child in _children(node))
        return sizes[id(node)]

    try:
        nodes = size(root, frozenset())
    except RecursionError:
        nodes = MAX_NODES + 1
    if nodes > MAX_NODES:
        raise SpecError(shown, "nested or repeated beyond reason", f"at most {MAX_NODES} values")


def _nodes(root: yaml.Node) -> Iterator[yaml.Node]:
    """Each distinct node once."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        waiting.extend(reversed(_children(node)))


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _at(node: yaml.Node) -> str:
    return f" line {node.start_mark.line + 1}, column {node.start_mark.column + 1}"
