"""A page as text: what golden files hold, and what a reader without eyes gets. Run it to write the golden file anew."""

import re
from html.parser import HTMLParser
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden" / "report.txt"
BLOCKS = {
    "p",
    "h1",
    "h2",
    "h3",
    "li",
    "dt",
    "dd",
    "tr",
    "caption",
    "figcaption",
    "pre",
    "br",
    "section",
    "header",
}
CELLS = {"td", "th"}
SILENT = {"style", "title", "svg", "script"}


class Page(HTMLParser):
    """Collects the text, the elements that point into the result, and every attribute."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.traced: list[tuple[str, str, str]] = []
        self.loose: list[tuple[tuple[str, ...], str]] = []
        self.attributes: list[tuple[str, str, str]] = []
        self._open: list[tuple[str, str | None, str, int]] = []
        self._silent = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note attributes; start a line for blocks."""
        named = {name: value or "" for name, value in attrs}
        self.attributes += [(tag, name, value) for name, value in named.items()]
        self._silent += tag in SILENT
        self._break(tag)
        if tag not in {"meta", "br", "path", "use", "circle", "rect"}:
            self._open.append((tag, named.get("data-p"), named.get("class", ""), len(self.parts)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the attributes of an element that holds nothing."""
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        """End the innermost element of that name."""
        while self._open:
            name, pointer, kind, start = self._open.pop()
            if pointer is not None:
                self.traced.append((pointer, kind, "".join(self.parts[start:])))
            if name == tag:
                break
        self._silent -= tag in SILENT
        self._break(tag)

    def handle_data(self, data: str) -> None:
        """Keep words; those outside every traced element are loose."""
        if self._silent or not data.strip():
            self.parts.append(" " if data else "")
            return
        self.parts.append(data)
        if not any(pointer for _, pointer, _, _ in self._open):
            path = tuple(f"{tag}.{kind}" for tag, _, kind, _ in self._open)
            self.loose.append((path, data.strip()))

    def _break(self, tag: str) -> None:
        if tag in BLOCKS:
            self.parts.append("\n")
        elif tag in CELLS:
            self.parts.append(" | ")

    @property
    def text(self) -> str:
        """Lines without repeated spaces and without empty ones."""
        lines = (re.sub(r"\s+", " ", line).strip(" |") for line in "".join(self.parts).splitlines())
        return "\n".join(line for line in lines if line) + "\n"


if __name__ == "__main__":
    from report_fixture import DATE, SETTINGS, result

    from frtaudit.report import render

    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(Page(render.html(result(), SETTINGS, DATE, "unsigned")).text, "utf-8")
