"""Drawings of a page for its PDF: the same marks in fewer elements, which WeasyPrint paints in half the time."""

import re
from collections.abc import Mapping

_UNSEEN = re.compile(r'<title>.*?</title>| (?:class|data-[a-z]+|aria-hidden|focusable)="[^"]*"')
_TAG = re.compile(r"(<g\b[^>]*>|</g>)")
_EMPTY = re.compile(r"<defs></defs>|<g\b[^>]*/>")
_GLYPH = re.compile(r'<path id="([^"]+)"(?: d="([^"]*)")? transform="scale\(0\.015625\)"/>')
_LETTER = re.compile(r'<use href="#([^"]+)"(?: transform="translate\((\S+) 0\)")?/>')
_LETTERS = re.compile(r'(?:<use href="#[^"]+"(?: transform="translate\(\S+ 0\)")?/>)+')
_SHAPE = re.compile(r'<path id="([^"]+)"( d="[^"]*"[^>]*)/>')
_MARK = re.compile(r'<use href="#([^"]+)" x="([^"]+)" y="([^"]+)"([^>]*)/>')
_DEFINED = re.compile(r'<path id="([^"]+)"[^>]*/>')
_ATTRIBUTE = re.compile(r' ([\w-]+)="([^"]*)"')
_UNITS = 64  # of a glyph's outline, to one of the text that it stands in


def simplified(drawing: str) -> str:
    """A drawing that :func:`frtaudit.report.figures.svg.clean` wrote: each text and each mark one path of its own.

    Titles, classes and what a script reads are left out; nobody sees them.

    >>> glyph = '<defs><path id="a" d="M 1 2 L 3 4 z" transform="scale(0.015625)"/></defs>'
    >>> simplified(f'<svg><g>{glyph}<use href="#a"/><use href="#a" transform="translate(0.5 0)"/></g></svg>')
    '<svg><path d="M 1 2 L 3 4 z M 33 2 L 35 4 z" transform="scale(0.015625)"/></svg>'
    """
    text = _UNSEEN.sub("", drawing)
    outlines, shapes = dict(_GLYPH.findall(text)), dict(_SHAPE.findall(text))
    text = _LETTERS.sub(lambda match: _line(match[0], outlines), text)
    text = _MARK.sub(lambda match: _mark(match, shapes), text)
    text = _DEFINED.sub(lambda match: match[0] if f'"#{match[1]}"' in text else "", text)
    is_kept: list[bool] = []  # groups that say nothing of what they hold are left out
    parts = _TAG.split(_EMPTY.sub("", text))
    for at, part in enumerate(parts):
        if part.startswith("<g"):
            is_kept.append(part != "<g>")
        if part == "<g>" or (part == "</g>" and not is_kept.pop()):
            parts[at] = ""
    return "".join(parts)


def _line(letters: str, outlines: Mapping[str, str]) -> str:
    """A run of glyphs as one path; as it is, where one of them is no glyph."""
    placed = _LETTER.findall(letters)
    if not all(name in outlines for name, _ in placed):
        return letters
    path = " ".join(_moved(outlines[name], float(by or 0) * _UNITS) for name, by in placed if outlines[name])
    return f'<path d="{path}" transform="scale(0.015625)"/>' if path else ""


def _moved(outline: str, by: float) -> str:
    """An outline of absolute places, moved to the right."""
    words, is_x = outline.split(), True
    for at, word in enumerate(words):
        if word.isalpha():
            is_x = True
            continue
        if is_x:
            words[at] = f"{float(word) + by:.10g}"
        is_x = not is_x
    return " ".join(words)


def _mark(match: re.Match[str], shapes: Mapping[str, str]) -> str:
    """A shape where it is used: what it says of itself goes before what its use says."""
    name, x, y, style = match.groups()
    if name not in shapes or "transform" in shapes[name]:
        return match[0]
    attributes = dict(_ATTRIBUTE.findall(style)) | dict(_ATTRIBUTE.findall(shapes[name]))
    written = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f'<path{written} transform="translate({x} {y})"/>'
