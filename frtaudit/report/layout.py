"""Templates laid out, a user's own in Jinja's sandbox; what is wrong in one of those is said by file and line."""

import re
import traceback
from collections.abc import Mapping
from functools import cache
from typing import NoReturn

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    FunctionLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from frtaudit.core import AuditResult
from frtaudit.core.canonical import Json, number_in
from frtaudit.core.machine.resources import shipped
from frtaudit.core.metrics import kind_of
from frtaudit.core.text import formatting
from frtaudit.core.text.kinds import printed
from frtaudit.errors import SpecError, why
from frtaudit.report.direction import as_shown
from frtaudit.report.phrases import ABSENT
from frtaudit.report.pieces import Text, TextSpan
from frtaudit.report.section import titles
from frtaudit.report.shape import SECTION, WHERE, Shape, check_page

_LONG_WORD = re.compile(r"\S{21,}")
_BREAKS = re.compile(r"(?<=[_./-])(?=\w)|(?<=[^\s_./-]{16})(?=[!-~]|[^\W_])")
OF_ESTIMATE = re.compile(r"/estimates/(\d+)/(?:value|intervals/\d+/(?:low|high))")


@cache
def shipped_templates() -> Environment:
    """Templates of the package, each compiled once. They need no sandbox, which costs a check of each attribute."""
    return _templates(Environment, FileSystemLoader(shipped("templates")))


def _templates(kind: type[Environment], loader: BaseLoader) -> Environment:
    """Templates that are escaped and strict about names."""
    environment = kind(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_legible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = breakable
    return environment


def breakable(text: str) -> Markup:
    """``text`` for a narrow column: a long word may break after each separator, and after 16 characters without one.

    >>> print(breakable("resnet100_arcface_int8-large 18-35"))
    resnet100_<wbr>arcface_<wbr>int8-<wbr>large 18-35
    """
    parts = _LONG_WORD.sub(lambda word: _BREAKS.sub("\0", word[0]), as_shown(text)).split("\0")
    return Markup("<wbr>").join(parts)


def _legible(value: object) -> object:
    """What a template prints, so that no name turns its sentence round; ``| e`` and ``| safe`` stay as they are."""
    return as_shown(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def rendered(shape: Shape, result: AuditResult, values: Mapping[str, object]) -> str:
    """The page; templates of ``shape`` first, the shipped ones below ``shipped/`` as well.

    With a shape, templates also have ``result`` (what ``result.json`` holds) and ``number(pointer)``.
    Raises :class:`SpecError` naming file and line of a template of the user's own that cannot be laid out.
    """
    if not shape.files:
        return shipped_templates().get_template("report.html.j2").render(**values)
    content = result.to_json()
    try:
        environment = _environment(shape)
        environment.globals |= {"result": content, "number": lambda pointer: _number(content, pointer)}
        page = environment.get_template("report.html.j2").render(**values)
    except Exception as error:  # noqa: BLE001  a template may raise anything; what is ours is raised again
        _say(error, shape)
    check_page(page)
    return page


def check_templates(shape: Shape) -> None:
    """Raise :class:`SpecError` for a template of the user's own that is not written as one."""
    environment = _environment(shape)
    for name in shape.templates():
        try:
            environment.get_template(name)
        except TemplateError as error:
            _say(error, shape)


def _environment(shape: Shape) -> Environment:
    templates = shape.templates()
    ours = FileSystemLoader(shipped("templates"))
    theirs = FunctionLoader(lambda name: (templates[name], name, lambda: True) if name in templates else None)
    loader = ChoiceLoader(
        [theirs, ours, PrefixLoader({"shipped": ChoiceLoader([ours, FunctionLoader(_shared)])})]
    )
    return _templates(ImmutableSandboxedEnvironment, loader)


def _shared(name: str) -> str | None:
    """The template that a shipped section shares with others, under the section's own name."""
    section = SECTION.fullmatch(name)
    if section is None or section[1] not in titles():
        return None
    return (shipped("templates") / "section.html.j2").read_text("utf-8")


def _number(content: Json, pointer: str) -> Text:
    """``number(pointer)``: what stands there in print, traced; for m.text()."""
    resolved = _resolved(content, pointer)
    if resolved is None:
        return (TextSpan(text=ABSENT, pointer=pointer),)
    if isinstance(resolved, bool) or not isinstance(resolved, (int, float, str)):
        raise TypeError(f"{pointer} is neither a number nor text")
    return (TextSpan(text=_printed(content, pointer, resolved), pointer=pointer, kind="n"),)


def _printed(content: Json, pointer: str, leaf: float | str) -> str:
    estimate = OF_ESTIMATE.fullmatch(pointer)
    if estimate:
        metric = _resolved(content, f"/estimates/{estimate[1]}/metric")
        return printed(kind_of(str(metric)), float(number_in(leaf)))
    if isinstance(leaf, str):
        return leaf
    return formatting.count(leaf) if isinstance(leaf, int) else formatting.plain(leaf)


def _resolved(content: Json, pointer: str) -> Json:
    node = content
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping) and key in node:
            node = node[key]
        elif isinstance(node, (list, tuple)) and key.isdigit() and int(key) < len(node):
            node = node[int(key)]
        else:
            raise LookupError(f"the result has no {pointer}")
    return node


def _say(error: Exception, shape: Shape) -> NoReturn:
    """One line with file and line of the user's template; an error that none of them raised is ours."""
    if isinstance(error, TemplateSyntaxError) and error.name in shape.files:
        place = f"{error.name}, line {error.lineno}"
    else:
        frames = [
            frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in shape.files
        ]
        if not frames:
            raise error
        place = f"{frames[-1].filename}, line {frames[-1].lineno}"
    accepted = "a Jinja template; docs/guides/shaping.md has examples"
    raise SpecError(WHERE, f"{place}: {str(error) or why(error)}", accepted) from None
