"""A report in a shape of one's own: sections, styles, words and a logo from a folder, laid over the shipped ones.

The folder is data, not code: templates run in Jinja's sandbox and see the folder and the shipped templates, nothing
else; what they render may load nothing and run nothing. The frame of the page (policy, banner, digests, contents)
stays the shipped one. What may stand in the folder:

``sections/NAME.html.j2``  in place of a shipped section, or a new one (``{# title: ... #}``, ``{# after: rates #}``)
``style.css``  after the shipped styles; ``@media print`` for paper alone
``words.toml``  other words for the codes of the result; ``lang``; ``[title]``: section to heading
``logo.svg`` or ``logo.png``

Another wheel may bring the section of its analysis (plug-in group ``section``): it stands where that analysis ran, and
is held to the same.
"""

import base64
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn, Protocol

from frtaudit.core.canonical import sha256, to_bytes
from frtaudit.core.machine.files import read_regular
from frtaudit.core.machine.resources import shipped
from frtaudit.core.plain.structure import closest
from frtaudit.core.registry import lookup, names
from frtaudit.errors import FrtauditError, SpecError
from frtaudit.report.words import Words, words

WHERE = "report.templates"
STYLE, WORDS = "style.css", "words.toml"
LOGOS = {"logo.svg": "image/svg+xml", "logo.png": "image/png"}
SECTION = re.compile(r"sections/([a-z][a-z0-9_]*)\.html\.j2")
ACCEPTED = "sections/NAME.html.j2, style.css, words.toml, logo.svg, logo.png"
LOGO_STYLE = ".logo { display: block; max-height: 3.2rem; max-width: 60%; margin: 0 0 1rem; }"
_HEAD = re.compile(r"\{#\s*(title|after):\s*(.*?)\s*#\}")
_LOADS = re.compile(r"url\(\s*(?!['\"]?#)|@import|src\(|image-set\(|expression\(|</style", re.IGNORECASE)
_DRAWN = re.compile(
    r"<script|<!doctype|<!entity|<foreignobject|<style|\bon\w+\s*=|href\s*=\s*['\"](?!#)", re.IGNORECASE
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)  # as render.minified takes it away
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))")
_FORBIDDEN = frozenset({"iframe", "object", "embed", "base", "frame", "link", "form", "audio", "video"})
_ADDRESSES = frozenset(
    {"href", "src", "srcset", "data", "action", "xlink:href", "poster", "background", "formaction"}
)
_FRAMED = ("style", "meta", "script")  # the frame has them, sections may not


class Template(Protocol):
    """A section of another wheel (``section`` plug-ins), registered under the name of the analysis that it prints."""

    def template(self) -> str:
        """What a file ``sections/NAME.html.j2`` would hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """A section of the folder that is not a shipped one; ``after``: the section that it follows."""

    name: str
    title: str
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a folder holds. ``files``: name to bytes; ``titles``: section to heading; the empty one changes nothing."""

    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    titles: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    lang: str = "en"
    words: Words = field(default_factory=words)

    def text(self, name: str) -> str:
        """A file's text, empty where there is none."""
        return self.files.get(name, b"").decode("utf-8-sig")

    @property
    def style(self) -> str:
        """What follows the shipped style sheet."""
        return "\n".join(part for part in (LOGO_STYLE if self.logo else "", self.text(STYLE)) if part)

    @property
    def logo(self) -> str:
        """The logo as an address that holds it whole, empty where there is none."""
        for name, kind in LOGOS.items():
            if name in self.files:
                return f"data:{kind};base64,{base64.b64encode(self.files[name]).decode()}"
        return ""

    @property
    def policy(self) -> str:
        """What a Content-Security-Policy must allow besides: the logo, which the page itself holds."""
        return "; img-src data:" if self.logo else ""

    @property
    def digests(self) -> dict[str, str]:
        """File name to sha256."""
        return {name: sha256(data) for name, data in sorted(self.files.items())}

    @property
    def sha256(self) -> str:
        """Digest of all names and digests, empty for the empty shape."""
        return sha256(to_bytes(dict(self.digests))) if self.files else ""

    def templates(self) -> dict[str, str]:
        """Section templates by name."""
        return {name: data.decode() for name, data in self.files.items() if SECTION.fullmatch(name)}

    def own(self, known: Mapping[str, str]) -> tuple[Own, ...]:
        """Sections that are not among the ``known`` (name to title), by name. Raises SpecError for an unknown place."""
        sections = []
        for name, text in sorted(self.templates().items()):
            section = SECTION.fullmatch(name)
            if section is None or section[1] in known or section[1] == "summary":
                continue
            head: dict[str, str] = dict(_HEAD.findall(text))
            after = head.get("after")
            if after is not None and after not in known:
                problem = f"{name} stands after {after!r}, which is no section{closest(after, known)}"
                _refuse(problem, ", ".join(known))
            default = section[1].replace("_", " ").capitalize()
            title = self.titles.get(section[1]) or head.get("title") or default
            sections.append(Own(name=section[1], title=title, after=after))
        return tuple(sections)


def shape_of(folder: str | None, known: Mapping[str, str], analyses: Iterable[str] = ()) -> Shape:
    """The shape that a folder gives, over the sections that other wheels brought for these ``analyses``.

    The empty one for None and none. ``known``: shipped sections, name to title.
    Raises :class:`SpecError` in one line for a folder or file that cannot be used.
    """
    templates = {}
    for name in sorted({*analyses} & {*names("section")}):
        file = f"sections/{name}.html.j2"
        if name in known or not SECTION.fullmatch(file):
            _refuse(f"a plug-in's section is called {name!r}", "a name that no shipped section has")
        section: Template = lookup("section", name, WHERE)()
        text: object = section.template()
        if not isinstance(text, str):
            where = f"plug-in {type(section).__module__}"
            raise FrtauditError(
                where, f"section {name!r} returned a {type(text).__name__}", "the text of a template"
            )
        templates[file] = text.encode()
    return shape_in(templates | (files_of(Path(folder)) if folder is not None else {}), known)


def shape_in(files: Mapping[str, bytes], known: Mapping[str, str]) -> Shape:
    """The shape that files give, name below the folder to bytes; the empty one for none. Raises SpecError as above."""
    if not files:
        return Shape()
    for name, data in files.items():
        _check_place(name)
        _check_text(name, data)
    for name, pattern in ((STYLE, _LOADS), ("logo.svg", _LOADS), ("logo.svg", _DRAWN)):
        text = files.get(name, b"").decode()
        for number, line in enumerate(text.splitlines(), 1):
            if hit := pattern.search(line):
                _refuse_style(f"{name}, line {number}", hit[0])
        if hit := pattern.search(_as_read(text)):
            _refuse_style(name, hit[0])
    shape = _worded(Shape(files=MappingProxyType(dict(files))), known)
    shape.own(known)
    return shape


def check_page(page: str) -> None:
    """Raise :class:`SpecError` where a page would load or run something, or styles itself past its policy."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    frame = (shipped("templates") / "report.html.j2").read_text("utf-8")
    for tag in _FRAMED:
        if reader.counts.get(tag, 0) > frame.count(f"<{tag}"):
            _refuse(f"a section holds <{tag}>", f"sections without it; styles belong in {STYLE}")


def files_of(folder: Path) -> dict[str, bytes]:
    """Files of a folder of templates, by name. Raises :class:`SpecError` where there are none, or others."""
    if not folder.is_dir():
        _refuse(f"{folder.name!r} is not a folder", f"a folder that holds {ACCEPTED}")
    root, contents = folder.resolve(), {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        if not path.resolve().is_relative_to(root):
            _refuse(f"{name} is outside the folder", "files inside it")
        _check_place(name)
        contents[name] = read_regular(path, name)
        _check_text(name, contents[name])
    if not contents:
        _refuse(f"{folder.name!r} is empty", ACCEPTED)
    return contents


def _check_place(name: str) -> None:
    if not (SECTION.fullmatch(name) or name in (STYLE, WORDS, *LOGOS)):
        _refuse(f"{name} is not a file of a layout", ACCEPTED)


def _check_text(name: str, data: bytes) -> None:
    if name.endswith(".png"):
        if not data.startswith(b"\x89PNG\r\n"):
            _refuse(f"{name} is not a PNG", "a PNG image")
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        _refuse(f"{name} is not UTF-8 ({error.reason} at byte {error.start})", "text in UTF-8")


def _refuse_style(place: str, found: str) -> NoReturn:
    _refuse(f"{place}: {found!r} would load or run something", "the text in the file")


def _as_read(text: str) -> str:
    """Styles without comments and line ends, and with the letters that escapes stand for."""

    def letter(escape: re.Match[str]) -> str:
        if not escape[1]:
            return escape[2]
        number = int(escape[1], 16)
        return chr(number) if number <= sys.maxunicode else "\ufffd"

    return _ESCAPE.sub(letter, re.sub(r"\s+", " ", _COMMENT.sub("", text)))


def _worded(shape: Shape, known: Mapping[str, str]) -> Shape:
    """The shape with its words laid over the shipped ones: no table and no key that those do not have."""
    try:
        content = tomllib.loads(shape.text(WORDS))
    except tomllib.TOMLDecodeError as error:
        _refuse(f"{WORDS}: {error}", "TOML")
    shipped_words = {field.name: getattr(words(), field.name) for field in fields(Words)}
    shipped_sections = (shipped("templates") / "sections").iterdir()
    more = {path.name.removesuffix(".html.j2") for path in shipped_sections}
    more |= {section.name for section in shape.own(known)} | {"summary"}
    allowed = {*shipped_words, "lang", "title"}
    changed: dict[str, object] = {}
    for table, value in content.items():
        if table not in allowed:
            problem = f"{WORDS}: no words called {table!r}{closest(table, allowed)}"
            _refuse(problem, ", ".join(sorted(allowed)))
        if table in shipped_words:
            changed[table] = _laid_over(table, shipped_words[table], value)
    titles = content.get("title", {})
    for name in titles:
        if name not in more:
            _refuse(f"{WORDS}: [title] has no section {name!r}{closest(name, more)}", ", ".join(sorted(more)))
    lang = str(content.get("lang", "en"))
    if not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", lang):
        _refuse(f"{WORDS}: lang is {lang!r}", "a language tag such as de")
    return replace(
        shape,
        titles=MappingProxyType({str(key): str(value) for key, value in titles.items()}),
        lang=lang,
        words=replace(words(), **changed),  # type: ignore[arg-type]  # held against the shipped words above
    )


def _laid_over(table: str, ours: object, theirs: object) -> object:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for key, value in theirs.items():
            if key not in ours:
                problem = f"{WORDS}: [{table}] has no word for {key!r}{closest(key, ours)}"
                _refuse(problem, ", ".join(sorted(ours)))
            if not isinstance(value, str):
                _refuse(f"{WORDS}: [{table}] {key} is not text", "text")
        words_of = {**ours, **theirs}
        if table == "verdict" and len(set(words_of.values())) < len(words_of):
            _refuse(f"{WORDS}: [verdict] has one word for two outcomes", "a word of its own for each")
        return words_of
    if not (isinstance(ours, tuple) and isinstance(theirs, list) and _alike(ours, theirs)):
        _refuse(f"{WORDS}: {table} is not what the shipped words have there", "see the shipped words.toml")
    return tuple(theirs)


def _alike(ours: tuple[object, ...], theirs: list[object]) -> bool:
    """Whether a list holds what the shipped one holds: texts, or tables with the same keys."""
    first = ours[0]
    if isinstance(first, Mapping):
        return all(isinstance(their, Mapping) and set(their) == set(first) for their in theirs)
    return all(isinstance(their, str) for their in theirs)


class _Reader(HTMLParser):
    """Refuses what loads or runs; counts the elements that the frame has."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}

    def handle_starttag(self, element: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element."""
        self.counts[element] = self.counts.get(element, 0) + 1
        if "</" in (self.get_starttag_text() or ""):
            _refuse(f"a section holds '</' in an attribute of <{element}>", "&lt;/ there")
        if element in _FORBIDDEN:
            _refuse(f"a section holds <{element}>", "sections that load and run nothing")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                _refuse(f"a section holds the attribute {name!r}", f"classes, and rules for them in {STYLE}")
            is_inside = (value or "").startswith("#") or (
                element == "img" and (value or "").startswith("data:image/")
            )
            if name in _ADDRESSES and not is_inside:
                _refuse(f"a section holds {name}={value!r}", "addresses in the page itself: #rates")

    def handle_comment(self, data: str) -> None:
        """Refuse a comment that ends earlier for a browser."""
        if data.startswith((">", "->")) or "--!>" in data:
            _refuse("a section holds a comment that browsers end early", "comments as <!-- text -->")

    def unknown_decl(self, data: str) -> None:
        """Refuse a part that browsers read as elements."""
        _refuse(f"a section holds <![{data[:20]}", "sections without <![")


def _refuse(problem: str, accepted: str) -> NoReturn:
    raise SpecError(WHERE, problem, accepted)
