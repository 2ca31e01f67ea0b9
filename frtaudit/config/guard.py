"""A spec is data: what a user's file or the command line may say is a closed list, and what is not in it is refused.

A file holds keys of the spec, defaults lists that select presets, and plain values; it lands where its group lands. A
word of the command line sets a key of the spec, selects a preset, or is one of the few settings of a run or a sweep.
The YAML is read as nodes, so every refusal of a file knows its line and column.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from frtaudit.config.interpolation import check_plain
from frtaudit.core.machine.files import open_regular
from frtaudit.core.plain.structure import refuse_unknown
from frtaudit.errors import DataError, SpecError

GLOBAL = "_global_"
# Group of presets: where a preset lands in the spec ("{}" is its name).
LANDS: Mapping[str, str] = {
    "audit": GLOBAL,
    "cohort": "cohort",
    "protocol": "protocol",
    "schema": "schemas.{}",
    "provider": "provider.{}",
    "analysis": "analyses.{}",
    "requirement": "profiles.{}",
    "bootstrap": "bootstrap",
    "report": "report",
    "collection": GLOBAL,
    "source": "source",
    "preset": "preset",
    "detector": "detector",
}
RUN_FOLDER, SWEEP_FOLDER, LAUNCHER = "hydra.run.dir", "hydra.sweep.dir", "hydra/launcher"
LAUNCHERS = ("basic", "joblib", "submitit_local", "submitit_slurm")
# Settings of launchers that are numbers and names: none is a command, a path or an expression.
LAUNCHER_SETTINGS = (
    *("n_jobs", "backend", "prefer", "timeout", "batch_size", "verbose"),
    *("timeout_min", "cpus_per_task", "gpus_per_node", "tasks_per_node", "mem_gb", "nodes", "name"),
    *("partition", "qos", "comment", "constraint", "exclude", "gres", "account", "cpus_per_gpu"),
    *(
        "gpus_per_task",
        "mem_per_gpu",
        "mem_per_cpu",
        "signal_delay_s",
        "max_num_timeout",
        "array_parallelism",
    ),
)
MAX_BYTES, MAX_NODES, MAX_DEPTH = 250_000, 10_000, 64
MAX_KEY, MAX_VALUE, MAX_DIGITS = 300, 30_000, 100
_NAME, _PART = r"[A-Za-z0-9][\w.\-]*", r"[A-Za-z0-9][\w\-]*"
_NAMES = rf"'?(?:{_NAME})?'?(?: *, *'?{_NAME}'?)*"
_CHOICE = re.compile(rf"{_NAMES}|\[{_NAMES}\](?:,\[{_NAMES}\])*", re.ASCII)
_DEFAULT = re.compile(r"(?:(?:override|optional) +)?/(\w+)(?:@(\S+))?", re.ASCII)
_GROUP = re.compile(r"(?:\+\+|\+|~)?(\w+)(?:@(\S+))?", re.ASCII)
_KEY = re.compile(r"(?:\+\+|\+|~)?([A-Za-z_]\w*)(?:[.\[][\w.\-\[\]]*)?")
_TAG, _NULL = "tag:yaml.org,2002:", "tag:yaml.org,2002:null"
_TAGS = (*(f"{_TAG}{name}" for name in ("str", "int", "float", "bool", "map", "seq", "timestamp")), _NULL)
_YAML = (
    "YAML, indented by blanks; text with ': ' or ' #', or that begins with one of @ % * & ! [ {, in quotes"
)
_READ = (*(f"{_TAG}{name}" for name in ("int", "float", "bool")), _NULL)
_DATA = "a spec is data: names, numbers and text"
_SELECTS = "_self_, NAME, or [override] /GROUP: NAME with a GROUP of: " + ", ".join(LANDS)


def read_text(path: Path, shown: str) -> str:
    """The text of a user's file, which is a regular one of no unreasonable size; ``shown`` is what errors call it.

    Raises :class:`SpecError` for a file that cannot be read, a link or a pipe.
    """
    try:
        with open_regular(path, shown) as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise SpecError(shown, "is too large for a spec", f"at most {MAX_BYTES} bytes")
        return data.decode("utf-8-sig")
    except DataError as error:
        raise SpecError(error.where, error.found, error.accepted) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise SpecError(shown, f"{reason}", "a readable YAML file") from None


class _TagError(Exception):
    """A tag stands in a text; the argument is the event that has it."""


class _Loader(yaml.SafeLoader):
    """Stops at more nodes than a spec may hold: a reader of YAML takes seconds for what a text this short can hold.

    Stops at a tag, too, also at one of plain values: ``!!timestamp x`` is no error before it is made a value.
    """

    nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise OverflowError
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]  # as PyYAML has it
        if getattr(event, "tag", None) is not None:
            raise _TagError(event)
        return super().compose_node(parent, index)


@dataclass(frozen=True, slots=True)
class Checked:
    """Of a text that is plain data: how many values it holds, and the presets that its defaults list selects.

    ``selects``: group (None: that of the text) and name of each.
    """

    values: int = 0
    selects: tuple[tuple[str | None, str], ...] = ()


def check_text(text: str, shown: str, keys: Collection[str] | None = None) -> Checked:
    """Refuse YAML text that is not plain data; ``keys``: the only ones that its first level may hold.

    >>> check_text("report: {title: '${oc.env:HOME}'}", "mine.yaml")
    Traceback (most recent call last):
    frtaudit.errors.SpecError: mine.yaml line 1, column 17: the resolver '${oc.env:HOME}'; accepted: plain ${key} only
    """
    root = _composed(text, shown)
    if root is None:
        return Checked()
    if not isinstance(root, yaml.MappingNode):
        raise SpecError(f"{shown}{_at(root)}", "not a mapping", "keys and values")
    values = _check_size(root, shown)
    for node in _nodes(root):
        _check_node(node, shown)
    selected: list[tuple[str | None, str]] = []
    for key, value in root.value:
        if key.value == "defaults":
            selected = list(_selected(value, shown))
        elif keys is not None:
            refuse_unknown(f"{shown}{_at(key)}", [key.value], keys)
    return Checked(values, tuple(selected))


def _composed(text: str, shown: str) -> yaml.Node | None:
    """The nodes of a text, which are no values yet."""
    _check_depth(text, shown)
    try:
        root: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    except OverflowError:
        raise too_many(shown) from None
    except _TagError as error:
        raise _tagged(error.args[0], shown) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = f"broken YAML: {error.problem or error.context}"
        raise SpecError(f"{shown}{place}", problem, _YAML) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SpecError(shown, f"broken YAML: {error}", _YAML) from None
    return root


def check_package(package: str, group: str, where: str) -> None:
    """Refuse a package in which presets of ``group`` do not land.

    >>> check_package("schemas.age", "schema", "x.yaml")
    >>> check_package("_global_.hydra.run", "schema", "x.yaml")
    Traceback (most recent call last):
    frtaudit.errors.SpecError: x.yaml: the package '_global_.hydra.run'; accepted: schemas.NAME
    """
    if not re.fullmatch(re.escape(LANDS[group]).replace(r"\{\}", _PART), package, re.ASCII):
        raise SpecError(where, f"the package {package!r}", LANDS[group].format("NAME"))


def is_single(group: str) -> bool:
    """Whether one preset of a group is selected: several of them would be merged.

    >>> is_single("cohort"), is_single("schema")
    (True, False)
    """
    return "{}" not in LANDS[group]


def is_name(text: str) -> bool:
    """Whether a preset, and the file that holds it, can be called so."""
    return re.fullmatch(_NAME, text, re.ASCII) is not None


def check_override(override: str, keys: Collection[str] | None = None) -> None:
    """Refuse a word of the command line that sets no key of the spec (one of ``keys``) and selects no preset.

    >>> check_override("bootstrap.B=99")
    >>> check_override("hydra.verbose=true")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    frtaudit.errors.SpecError: command line: 'hydra.verbose=true' sets Hydra itself; accepted: hydra.run.dir, ...
    """
    check_word(override)
    word, _, value = override.partition("=")
    if is_setting(override):
        return _check_setting(word, value, override)
    group, key = _GROUP.fullmatch(word), _KEY.fullmatch(word)
    if group and group[1] in LANDS:
        return _check_selection(group[1], group[2], value, override)
    if key is None or not ("=" in override or override.startswith("~")):
        raise SpecError("command line", f"cannot read {override!r}", "key=value, +key=value, ~key")
    if keys is not None:
        refuse_unknown("", [key[1]], keys)
    check_plain(value, "command line", f" in {override!r}")
    return None


def check_word(word: str) -> None:
    """Refuse a word that is not text, or would take a parser long: towers of brackets, an unreasonable length."""
    if not isinstance(word, str):  # from Python
        raise SpecError("overrides", f"{word!r:.60} is not text", "words as on the command line: 'key=value'")
    key, _, value = word.partition("=")
    if len(key) > MAX_KEY or len(value) > MAX_VALUE:
        text = f"{key[:40]!r} and what follows: {len(word)} characters"
        accepted = f"keys of {MAX_KEY} and values of {MAX_VALUE} at most; a preset holds more"
        raise SpecError("command line", text, accepted)
    _check_depth(word, "command line")


def is_setting(override: str) -> bool:
    """Whether a word of the command line sets a run or a sweep and not the spec.

    >>> is_setting("hydra.run.dir=out"), is_setting("audit=demo")
    (True, False)
    """
    return re.match(r"[+~/\s]*hydra\b", override) is not None


def _check_setting(word: str, value: str, override: str) -> None:
    """The closed list of what a run and a sweep may be told."""
    key, _, name = word.rpartition(".")
    of_launcher = key == "hydra.launcher" and name in LAUNCHER_SETTINGS
    if not of_launcher and word not in (RUN_FOLDER, SWEEP_FOLDER, LAUNCHER):
        accepted = f"{RUN_FOLDER}, {SWEEP_FOLDER}, {LAUNCHER}, hydra.launcher.NAME with a NAME of: "
        text = f"{override!r} sets Hydra itself"
        raise SpecError("command line", text, accepted + ", ".join(LAUNCHER_SETTINGS))
    if word == LAUNCHER and value not in LAUNCHERS:
        raise SpecError("command line", f"{override!r}", ", ".join(f"{word}={name}" for name in LAUNCHERS))
    if not value or not value.isprintable():
        raise SpecError("command line", f"{override!r}", f"{word}=VALUE of printable text")
    if word != RUN_FOLDER and "${" in value:
        raise SpecError("command line", f"{override!r}", f"{word}=VALUE without ${{...}}")


def _check_selection(group: str, package: str | None, value: str, override: str) -> None:
    """A group selects presets by name, or is given its fields: ``schema.column=x``, ``cohort={...}``."""
    if package is not None:
        check_package(package, group, f"command line, {override!r}")
    if value.startswith("{"):
        return check_plain(value, "command line", f" in {override!r}")
    if value.startswith("[") and "," in value and is_single(group):
        text = f"{override!r}: an audit has one {group}"
        raise SpecError("command line", text, f"{group}=NAME")
    if not _CHOICE.fullmatch(value):
        accepted = f"{group}=NAME or {group}=[NAME,NAME], each of a to z, digits, _, - and ."
        raise SpecError("command line", f"{override!r}", accepted)
    return None


def _check_depth(text: str, where: str) -> None:
    """Refuse towers of brackets, which take a parser long."""
    deep = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        deep = deep + 1 if bracket[0] in "[{" else max(0, deep - 1)
        if deep > MAX_DEPTH:
            raise SpecError(where, "nested too deeply", f"at most {MAX_DEPTH} brackets in brackets")


def _tagged(node: Any, shown: str) -> SpecError:  # noqa: ANN401  a node or the event before it
    return SpecError(f"{shown}{_at(node)}", f"the tag {node.tag!r}", "plain data without tags and '<<'")


def _check_node(node: yaml.Node, shown: str) -> None:
    if node.tag not in _TAGS:
        raise _tagged(node, shown)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, _ in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            if not name:
                raise SpecError(f"{shown}{_at(key)}", "a key that is not text", "text keys")
            if key.style is None and _reads_otherwise(key):
                text = f"the key {name!r} is no text in YAML"
                raise SpecError(f"{shown}{_at(key)}", text, f"'{name}', in quotes")
            if re.fullmatch(r"_\w+_", name):
                raise SpecError(f"{shown}{_at(key)}", f"the key {name!r}", _DATA)
            if name in seen:
                raise SpecError(f"{shown}{_at(key)}", f"the key {name!r} appears twice", "each key once")
            seen.add(name)
    if isinstance(node, yaml.ScalarNode):
        check_plain(node.value, f"{shown}{_at(node)}")
        if node.tag == f"{_TAG}int" and len(node.value) > MAX_DIGITS:
            raise SpecError(f"{shown}{_at(node)}", "too long a number", "at most 15 digits")


def _reads_otherwise(key: yaml.Node) -> bool:
    """Whether a bare key becomes another text: ``yes`` is True, ``1e3`` (to OmegaConf) 1000.0, ``0x10`` 16."""
    if key.tag == f"{_TAG}str":
        return re.fullmatch(r"[-+]?\d[\d_]*[eE][-+]?\d+", key.value, re.ASCII) is not None
    return key.tag in _READ and str(yaml.safe_load(key.value)) != key.value


def _selected(value: yaml.Node, shown: str) -> Iterator[tuple[str | None, str]]:
    """What a defaults list selects: presets by name, shipped ones and the user's own; it places none elsewhere."""
    if not isinstance(value, yaml.SequenceNode):
        raise SpecError(f"{shown}{_at(value)}", "no list of defaults", _SELECTS)
    seen: set[tuple[str | None, str | None]] = set()
    for entry in value.value:
        where = f"{shown}{_at(entry)}"
        if isinstance(entry, yaml.ScalarNode) and (entry.value == "_self_" or is_name(entry.value)):
            yield None, entry.value
            continue
        pairs = entry.value if isinstance(entry, yaml.MappingNode) else []
        selection = _DEFAULT.fullmatch(pairs[0][0].value) if len(pairs) == 1 else None
        if selection is None or selection[1] not in LANDS:
            raise SpecError(where, f"{_told(entry)} in defaults", _SELECTS)
        if selection[2] is not None:
            check_package(selection[2], selection[1], where)
        names = pairs[0][1]
        chosen = names.value if isinstance(names, yaml.SequenceNode) else [names]
        place = (selection[1], selection[2])
        if place in seen:
            raise SpecError(where, f"{selection[1]} is selected twice", "each group once")
        seen.add(place)
        if len(chosen) > 1 and is_single(selection[1]):
            raise SpecError(where, f"several of {selection[1]}, of which an audit has one", "one NAME")
        if not all(
            isinstance(node, yaml.ScalarNode) and (node.tag == _NULL or is_name(node.value))
            for node in chosen
        ):
            raise SpecError(where, f"{_told(entry)} in defaults", _SELECTS)
        yield from ((selection[1], node.value) for node in chosen if node.tag != _NULL)


def _told(node: yaml.Node) -> str:
    """The first text in an item of a defaults list."""
    first = next((inner.value for inner in _nodes(node) if isinstance(inner, yaml.ScalarNode)), "")
    return repr(first[:60])


def _check_size(root: yaml.Node, shown: str) -> int:
    """The number of values; refuses aliases that contain themselves or multiply beyond reason."""
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
        raise too_many(shown)
    return nodes


def too_many(shown: str) -> SpecError:
    """The error about a file that holds more values than a spec does."""
    return SpecError(shown, "nested or repeated too often", f"at most {MAX_NODES} values")


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
