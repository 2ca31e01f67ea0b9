"""Landmarks of a page as assistive technology lists them: their role and accessible name."""

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser

ROLES = {"nav": "navigation", "aside": "complementary", "main": "main", "form": "form", "section": "region"}
NAMED = {"form", "region"}  # landmarks only where they have a name
VOID = {"br", "hr", "img", "input", "meta", "link", "path", "circle", "rect", "use"}


class _Reader(HTMLParser):
    """The texts of elements with an id, and the landmarks with what names them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str | None]] = []
        self.texts: dict[str, str] = {}
        self.marks: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, element: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        role = given.get("role") or ROLES.get(element)
        if role in ROLES.values():
            self.marks.append((str(role), given))
        if element not in VOID:
            self.open.append((element, given.get("id")))

    def handle_endtag(self, element: str) -> None:
        names = [name for name, _ in self.open]
        if element in names:
            del self.open[len(names) - 1 - names[::-1].index(element) :]

    def handle_data(self, text: str) -> None:
        for _, name in self.open:
            if name is not None:
                self.texts[name] = self.texts.get(name, "") + text


def repeated(page: str) -> set[tuple[str, str]]:
    """Landmarks of a page, role and name, that there are several of (axe: landmark-unique)."""
    return {mark for mark, count in Counter(_landmarks(page)).items() if count > 1}


def _landmarks(page: str) -> Iterator[tuple[str, str]]:
    reader = _Reader()
    reader.feed(
        re.sub(r"<svg\b.*?</svg>|<script\b.*?</script>|<style\b.*?</style>", "", page, flags=re.DOTALL)
    )
    for role, given in reader.marks:
        labels = (given.get("aria-labelledby") or "").split()
        named = " ".join(reader.texts.get(label, "") for label in labels) or given.get("aria-label") or ""
        if named or role not in NAMED:
            yield role, " ".join(named.split())
