"""What the documents tell a reader to type works as it stands there.

Each document is one story: its python and bash blocks run in order in one folder that is empty at first; for
CONTRIBUTING.md it is a copy of the source tree. A block whose first line is `# file: NAME` is written to that file; a
diff is applied. In bash, lines that start with `make` are looked up in the Makefile and not run. The README's commands
are processes of their own; those of the other pages are run by one that has loaded everything (forked.py).
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import forked
import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]*))?\)")
TYPED = ("bash", "python", "toml", "yaml", "diff")
REAL = ("README.md", "CONTRIBUTING.md")  # pages whose commands start anew
RUN = {
    "python": [sys.executable, "-"],
    "bash": ["bash", "-euo", "pipefail", "-s"],
    "diff": ["git", "apply", "-"],
}
SOURCES = ("frtaudit", "conf", "templates")
REAL_DATA = "../shared/data"


def blocks(document: Path) -> list[tuple[str, str]]:
    """(language, text) of each fenced block."""
    return BLOCK.findall(document.read_text(encoding="utf-8"))


def stories() -> list[Path]:
    """Documents that have something to run."""
    return [path for path in DOCUMENTS if any(language in TYPED for language, _ in blocks(path))]


@pytest.fixture(scope="session")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The command ``frtaudit``, run by a process that has loaded everything."""
    with forked.commands(tmp_path_factory.mktemp("forked")) as command:
        yield command


def environment(folder: Path, command: Path | None) -> dict[str, str]:
    """The reader's environment: this interpreter's commands first on the path, a home of their own."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    places = [command.parent] if command else []
    path = os.pathsep.join(map(str, (*places, Path(sys.executable).parent, os.environ["PATH"])))
    sources = {"PYTHONPATH": str(folder)} if (folder / "frtaudit").is_dir() else {}
    return {**os.environ, **sources, "PATH": path, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}


def type_in(language: str, text: str, folder: Path, command: Path | None) -> None:
    """Do with one block what a reader would do; ``command``: what runs its commands, if not the one installed."""
    named = re.match(r"#\s*file:\s*(\S+)\n", text)
    if named:
        (folder / named[1]).parent.mkdir(parents=True, exist_ok=True)
        (folder / named[1]).write_text(text)
    if named or language not in RUN:
        return
    done = subprocess.run(
        [command, "-"] if command and language == "python" else RUN[language],
        input=text,
        cwd=folder,
        env=environment(folder, command),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, (
        f"{text}\nended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    )


def without_make(text: str) -> str:
    """A bash block without its make lines, each of which must name a target that exists."""
    kept = []
    for line in text.splitlines():
        if line.startswith("make "):
            target = line.split()[1]
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), (
                f"no target {target}"
            )
        else:
            kept.append(line)
    return "\n".join(kept) + "\n"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the examples are for bash, which is not here")
@pytest.mark.parametrize("document", stories(), ids=lambda path: path.name)
def test_story_runs(document: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Every example of a document runs, in order, from an empty folder, or in a copy of the source tree."""
    folder = tmp_path / "empty"
    folder.mkdir()
    for name in SOURCES if document.name == "CONTRIBUTING.md" else ():
        shutil.copytree(ROOT / name, folder / name)  # with the kernels that are compiled already
    (folder / "docs" / "reference").mkdir(parents=True)
    is_real = document.name in REAL or not forked.IS_POSSIBLE
    command = None if is_real else request.getfixturevalue("loaded")
    for language, text in blocks(document):
        block = text
        if REAL_DATA in block:
            block = block.replace(REAL_DATA, str(request.getfixturevalue("face_data")))
        if language == "bash":
            block = without_make(block)
        if language in TYPED:
            type_in(language, block, folder, command)


@pytest.mark.skipif(shutil.which("git") is None, reason="diffs are applied by git, which is not here")
def test_diffs_apply() -> None:
    """A diff that a page shows applies to the source tree as it stands."""
    diffs = [text for document in stories() for language, text in blocks(document) if language == "diff"]
    assert diffs
    for text in diffs:
        check = [*RUN["diff"], "--check"]
        done = subprocess.run(check, input=text, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{text}\n{done.stderr}"


def anchors(page: Path) -> set[str]:
    """The names that a code host gives to the headings of a page."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    heads = re.findall(r"^#+ +(.*?)\s*$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    """Every relative link of a document points to a file of the project, and to a heading that stands there."""
    lost = []
    for link, anchor in LINK.findall(BLOCK.sub("", document.read_text(encoding="utf-8"))):
        end = document.parent / link if link else document
        if not end.exists() or (anchor and anchor not in anchors(end)):
            lost.append(f"{link}#{anchor}")
    assert not lost


def test_files_that_a_page_names_exist() -> None:
    """A path to a module, a test or a benchmark in the text of a page leads there from the root or from the package."""
    named = re.compile(r"`((?:\w+/)+[a-z_0-9]+\.py)`")
    folders = [ROOT, ROOT / "frtaudit"]
    lost = [
        f"{document.name}: {path}"
        for document in DOCUMENTS
        for path in named.findall(document.read_text(encoding="utf-8"))
        if any((folder / path.split("/")[0]).is_dir() for folder in folders)
        and not any((folder / path).is_file() for folder in folders)
    ]
    assert not lost
