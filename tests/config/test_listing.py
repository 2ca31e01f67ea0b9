"""Tests of frtaudit.config.listing."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from frtaudit.config.choices import options
from frtaudit.config.guard import LANDS
from frtaudit.config.listing import listing, page
from frtaudit.core.registry import names
from frtaudit.errors import SpecError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "names.md"


def as_a_reader_sees(markdown: str) -> dict[str, dict[str, str]]:
    """Group to (name to what is said of it), from the text that Markdown makes of a page."""
    found: dict[str, dict[str, str]] = {}
    group = name = ""
    for before, token in pairwise(MarkdownIt().enable("table").parse(markdown)):
        parts = token.children or []
        text = "".join(part.content for part in parts)
        if before.type == "heading_open" and before.tag == "h2":
            group, found[text] = text, {}
        elif before.type == "td_open" and parts and parts[0].type == "code_inline":
            name = text
        elif before.type == "td_open":
            found[group][name] = text
    return found


def command(*words: str) -> bytes:
    """What `frtaudit` prints."""
    call = [sys.executable, "-m", "frtaudit", *words]
    return subprocess.run(call, capture_output=True, check=True).stdout


def test_every_group_of_presets_is_listed() -> None:
    """No group is forgotten, and each line is one line of a terminal or little more."""
    shown = listing()
    assert all(f"\n{group}  (" in f"\n{shown}" for group in LANDS if options(group))
    assert max(len(line) for line in shown.splitlines()) < 180


@pytest.mark.parametrize("group", ["detector", "export", "known_set", "service"])
def test_a_group_of_plugins_lists_what_is_registered(group: str) -> None:
    """The lines below a group are its plug-ins, and no other group's."""
    assert [line.split()[0] for line in listing(group).splitlines()[1:]] == list(names(group))


def test_intervals_are_listed_with_their_targets() -> None:
    """A method stands with the targets that it serves; one that no spec can ask for does not."""
    assert "  recentered                 fixed_identities" in listing("interval").splitlines()
    assert "max_t" not in listing("interval")


def test_an_unknown_group_is_refused() -> None:
    """A slip gets the closest group."""
    with pytest.raises(SpecError, match=r"did you mean 'schema'\?"):
        listing("schemas")


def test_the_page_says_what_the_command_says() -> None:
    """docs/reference/names.md, read as Markdown, has the groups, names and lines of `frtaudit list`, and no others.

    `frtaudit list --markdown > docs/reference/names.md` writes it anew. A process of its own lists what is shipped:
    other tests register plug-ins in theirs.
    """
    said: dict[str, dict[str, str]] = {}
    group = ""
    for line in command("list").decode().splitlines():
        if entry := re.fullmatch(r"  (\S+) *(.*)", line):
            said[group][entry[1]] = entry[2]
        elif line:
            group = line.split()[0]
            said[group] = {}
    read = as_a_reader_sees(PAGE.read_text("utf-8"))
    assert said == read
    assert sum(map(len, read.values())) > 80


def test_the_page_is_what_the_command_writes() -> None:
    """`frtaudit list --markdown` gives the committed page to the byte."""
    assert command("list", "--markdown") == PAGE.read_bytes()
    assert page("schema").startswith("# What a spec can name")
