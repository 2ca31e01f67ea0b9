"""Clean SVG: no style attributes, no metadata, ids of its own, colours as classes that a page can repaint."""

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape

from frtaudit.core.text.file_names import file_name
from frtaudit.report.direction import as_shown

_HEAD = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_STYLESHEET = re.compile(r"\s*<defs>\s*<style[^>]*>.*?</style>\s*</defs>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_STYLE = re.compile(r' style="([^"]*)"')
_SERIES = re.compile(r'(<g\b[^>]*?) id="s(\d+)\|([^|"]*)\|([^"]*)"([^>]*)>')
_GROUP_ID = re.compile(r'(<g\b[^>]*?) id="[^"]*"')
_PATH = re.compile(r' d="([^"]*)"')
_PLACE = re.compile(r' (x|y|width|height)="(-?\d+\.\d+)"')
_MOVE = re.compile(r"translate\((\S+) (\S+)\)(?= (?:rotate|scale)\()")  # of a text; its letters' are exact
_NUMBER = re.compile(r"-?\d+\.\d+")
_SPACE = re.compile(r"\s*\n\s*")
_ID = re.compile(r'( id="|href="#|url\(#)')
QUOTE = {'"': "&quot;"}
_ROOT = "<svg "
_STROKES = 'stroke-linejoin="round" stroke-linecap="butt" aria-hidden="true" focusable="false" '


def clean(
    markup: str, name: str, title: str, colours: Mapping[str, str], frame: str = "", labels: str = ""
) -> str:
    """Inline SVG from matplotlib's file.

    ``title`` says what is drawn; ``name``, as a file name, goes before every id: no two drawings on a page share one;
    ``colours`` maps a colour (``#1f2328``) to the class suffix that a style sheet may repaint: ``f-ink`` for fills,
    ``s-ink`` for strokes; ``frame``: where the axes lie and what they span, ``labels``: their names, for a
    script that reads places off them.
    A group that :func:`frtaudit.report.figures.canvas.gid` named becomes ``class="s" data-s="PEN" data-c="POINTER"``
    with its
    words as a title, which a browser shows on hover.
    """
    text = _HEAD.sub("", markup)
    for part in (_METADATA, _STYLESHEET, _COMMENT):
        text = part.sub("", text)
    text = _SERIES.sub(_series, text)
    text = _GROUP_ID.sub(r"\1", text)
    text = _STYLE.sub(lambda match: _attributes(match[1], colours), text)
    text = _PATH.sub(lambda match: f' d="{_rounded(match[1])}"', text)
    text = _PLACE.sub(lambda match: f' {match[1]}="{_short(match[2])}"', text)
    text = _MOVE.sub(lambda match: f"translate({_short(match[1])} {_short(match[2])})", text)
    prefix = file_name(name)
    text = _ID.sub(lambda match: f"{match[1]}{prefix}-", text)
    text = text.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "").replace("xlink:href", "href")
    text = _SPACE.sub(" ", text).replace("> <", "><").strip()
    head, rest = text.split(">", 1)
    root = (
        _ROOT + _STROKES + (f'data-frame="{frame}" data-labels="{escape(labels, QUOTE)}" ' if frame else "")
    )
    return f"{head.replace(_ROOT, root, 1)}><title>{escape(as_shown(title))}</title>{rest}"


def hundredths(place: float) -> str:
    """A place on a drawing to two digits; six first, so that a last bit cannot decide which way a half goes.

    >>> hundredths(0.125), hundredths(0.125 + 1e-12), hundredths(0.125 - 1e-12)
    ('0.12', '0.12', '0.12')
    """
    return f"{float(f'{place:.6f}'):.2f}"


def _series(match: re.Match[str]) -> str:
    """A group of a series, marked for a script; its words as a title."""
    start, pen, at, says, end = match.groups()
    place = f' data-c="{at}"' if at else ""
    return f'{start} class="s" data-s="{pen}"{place}{end}>' + (f"<title>{says}</title>" if says else "")


def _attributes(style: str, colours: Mapping[str, str]) -> str:
    """A style declaration as presentation attributes, which a strict Content-Security-Policy lets stand."""
    written, classes = [], []
    for declaration in filter(None, (word.strip() for word in style.split(";"))):
        key, value = (word.strip() for word in declaration.split(":", 1))
        written.append(f'{key}="{value}"')
        if key in ("fill", "stroke") and value.lower() in colours:
            classes.append(f"{key[0]}-{colours[value.lower()]}")
    if classes:
        written.append(f'class="{" ".join(classes)}"')
    return "".join(f" {attribute}" for attribute in written)


def _rounded(path: str) -> str:
    return _SPACE.sub(" ", _NUMBER.sub(lambda match: _short(match[0]), path)).strip()


def _short(number: str) -> str:
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
