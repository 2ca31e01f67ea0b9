"""The site of docs/: it builds without a warning, asks no other host, and its navigation is the folder tree."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
DOCS, SETTINGS = ROOT / "docs", ROOT / ".ci" / "mkdocs.yml"
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}


class Loads(HTMLParser):
    """What a page has the browser fetch by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the address of one element; a diagram would have the theme's script fetch its drawer."""
        held = dict(attrs)
        self.found += [held.get(LOADS.get(tag, ""), "") or ""]
        if "mermaid" in (held.get("class") or ""):
            self.found.append("https://mermaid")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    pytest.importorskip("material", reason="the extra docs is not installed")
    out = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        str(SETTINGS),
        "--site-dir",
        str(out),
    ]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return out


@pytest.mark.slow
def test_every_page_is_built(inputs: Path) -> None:
    """The strict build ends well, which means that every link and anchor between pages leads somewhere."""
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert {path for path in pages if not (inputs / path).is_file()} == set()
    assert len(pages) > 15


@pytest.mark.slow
def test_the_site_asks_no_other_host(inputs: Path) -> None:
    """No page and no style loads anything from another host: it reads the same behind a firewall and from a disk."""
    asked = []
    for path in inputs.rglob("*.html"):
        page = Loads()
        page.feed(path.read_text("utf-8"))
        asked += [f"{path.name}: {address}" for address in page.found if re.match(r"(https?:)?//", address)]
    for path in inputs.rglob("*.css"):
        asked += re.findall(r"(?:@import|url\()\s*['\"]?(?:https?:)?//[^'\")]*", path.read_text("utf-8"))
    assert asked == []
    assert "iframe-worker.js" in (inputs / "index.html").read_text("utf-8")


@pytest.mark.slow
def test_public_names_have_their_signatures(inputs: Path) -> None:
    """The generated pages hold an anchor and a signature or value of each public name, and nothing that is private."""
    for page, module in (("public_names", "frtaudit"), ("plugin_names", "frtaudit.plugin")):
        text = (inputs / "reference" / f"{page}.html").read_text("utf-8")
        wanted = re.findall(
            r"^::: (\S+)$", (DOCS / "reference" / f"{page}.md").read_text("utf-8"), re.MULTILINE
        )
        anchors = re.findall(rf'<h3 id="({module}\.\w+)"', text)
        assert anchors == wanted
        assert text.count("doc-signature") >= len(wanted)
        assert re.findall(r'<h\d id="[\w.]+\._\w+"', text) == []


def test_the_navigation_is_the_folder_tree() -> None:
    """Each folder of docs/ with pages is a section of that name in .ci/mkdocs.yml, with the pages that stand there."""
    nav = re.search(r"^nav:\n(.*)", SETTINGS.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert nav
    listed: dict[str, set[str]] = {"": set()}
    for entry in yaml.safe_load(nav[1]):
        if isinstance(entry, str):
            listed[""].add(entry)
        else:
            (folder, pages), *more = entry.items()
            assert not more
            listed[folder] = set(pages)
            assert len(pages) == len(listed[folder])
    standing: dict[str, set[str]] = {}
    for path in DOCS.rglob("*.md"):
        page = path.relative_to(DOCS)
        standing.setdefault("" if page.parent == Path() else page.parent.as_posix(), set()).add(
            page.as_posix()
        )
    assert listed == standing


def test_pictures_stay_small() -> None:
    """All pictures of the pages together weigh less than 1.5 MB, each less than 200 kB, and each is shown somewhere."""
    pictures = [
        path for path in DOCS.rglob("*") if path.suffix in (".png", ".svg") and path.parent.name != "site"
    ]
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    assert sum(path.stat().st_size for path in pictures) < 1_500_000
    assert [path.name for path in pictures if path.stat().st_size > 200_000] == []
    assert [path.name for path in pictures if f"/{path.name})" not in text] == []
