"""Tests words: what the check of words finds, and what it lets pass."""

from pathlib import Path

import pytest
import words


def planted(folder: Path, name: str, text: str) -> list[str]:
    """What is found in one file of this text, without its folder."""
    path = folder / name
    path.write_text(text)
    return [str(find).removeprefix(f"{folder.resolve()}/") for find in words.finds([folder.resolve()])]


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("class Trial:\n    pass\n", 1, "class Trial"),
        ("class Rates:\n    low: int\n    erring: int\n", 3, "attribute erring"),
        ("def f(\n    low: int,\n    *,\n    crew: int,\n) -> int:\n    return low\n", 4, "parameter crew"),
        ("async def settle() -> None:\n    pass\n", 1, "function settle"),
        ("class A:\n    def f(self) -> None:\n        self.kept = 1\n", 3, "attribute kept"),
        ("MOST_BYTES = 3\n", 1, "attribute MOST_BYTES"),
        ("def f() -> str:\n    return f'the {1} worst-off group'\n", 2, "worst-off"),
        ("def f() -> str:\n    return (\n        'it is plaus'\n        'ibly so'\n    )\n", 3, "plausibly"),
        ("X = 1\n\n# A note on people\n# like these.\n", 3, "people like these"),
    ],
)
def test_a_planted_word_is_found_in_code(tmp_path: Path, text: str, line: int, word: str) -> None:
    """A word in a module is found at its line, whether it is a name, in a text or in a comment."""
    (found,) = planted(tmp_path, "module.py", text)
    assert found.startswith(f"module.py:{line}: {word}: use ")


def test_a_planted_phrase_is_found_in_prose(tmp_path: Path) -> None:
    """A phrase that a line end parts is found, at the line where it begins, with the phrase instead."""
    found = planted(tmp_path, "page.md", "# Page\n\nThe rate rests\non ten errors.\n")
    assert found == ["page.md:3: rests on: use is based on; effective n, resamples"]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("It holds for new people.", "the population; the same subjects"),
        ("Systems that were told apart.", "differ significantly; distinguished"),
        ("An interval that holds the truth.", "contains the true value"),
        ("Kept in the ledger.", "failures and exclusions"),
        ("No fair ground, of course, for a ground truth.", "context; background; data"),
        ("The matrix and its course.", "layout; curve over dates"),
        ("One cell is beyond the bar.", "the claim is rejected"),
        ("The same identity, all told.", "in total"),
        ("It may be significant all the same.", "still; too"),
        ("The method at a glance.", "overview"),
        ("No band, for want of errors.", "without; because of too few"),
        ("One service is its own judge.", "evaluated on its own labels"),
        ("A service changed while it was asked.", "during the collection"),
        ("Labels in doubt are left out.", "uncertain labels"),
        ("The scores say who is who.", "identities; estimated labels"),
        ("Labels that nobody gave.", "identities; estimated labels"),
        ("Both modes lie upon each other.", "overlap"),
    ],
)
def test_a_later_phrase_is_found_in_prose(tmp_path: Path, text: str, term: str) -> None:
    """Each phrase is found once, with the term instead."""
    (found,) = planted(tmp_path, "page.md", text)
    assert found.endswith(f": use {term}")


def test_hidden_folders_are_not_read(tmp_path: Path) -> None:
    """What a command installs below a folder is nobody's text of this project."""
    for folder in ("pages", ".installed"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "page.md").write_text("A page that people read.\n")
    assert words.files([tmp_path]) == [tmp_path / "pages" / "page.md"]


def test_a_module_is_a_name_too(tmp_path: Path) -> None:
    """A file named as a refused module is found."""
    assert planted(tmp_path, "seen.py", "") == ["seen.py:1: module seen: use detected, or what was seen"]


@pytest.mark.parametrize("name", sorted(words.NAMES))
def test_every_name_of_the_table_is_refused(tmp_path: Path, name: str) -> None:
    """Each name is refused as a class, function, attribute, parameter or module, as its line says."""
    kinds = words.NAMES[name][1]
    text = f"class {name}:\n    pass\n" if words.CLASS in kinds else f"def {name}() -> int:\n    return 1\n"
    if words.FUNCTION not in kinds and words.CLASS not in kinds:
        assert len(planted(tmp_path, f"{name}.py", "")) == 1
        return
    assert [found.partition(": use ")[2] for found in planted(tmp_path, "m.py", text)] == [
        words.NAMES[name][0]
    ]


def test_ordinary_uses_pass(tmp_path: Path) -> None:
    """Part of another name, a local, an attribute of others' objects, and a longer word are no finds."""
    text = (
        '"""Where a replacement stands: a drink, an open file, arrested once, ``ledger``: a field."""\n'
        "class PlaceHolder:\n    undertaken: int\n\n"
        "def f(path: str) -> str:\n    said = path.strip()\n    return said.place(kept=1)\n"
    )
    assert planted(tmp_path, "module.py", text) == []


def test_the_command_ends_with_one_where_something_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command prints what it finds and ends with 1; with 0 where there is nothing."""
    path = tmp_path / "page.md"
    path.write_text("All good.\n")
    assert (words.main([str(path)]), capsys.readouterr().out) == (0, "")
    path.write_text("People like these.\n")
    assert words.main([str(path)]) == 1
    assert capsys.readouterr().out.startswith(f"{path}:1: People like these: use the population ")


def test_every_exception_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name that is right where it stands is there, and would be found without its line."""
    files = [words.ROOT / name for name in words.FITS]
    assert [find for file in files for find in words.names(file)] == []
    wanted = {(file, name) for file, names in words.FITS.items() for name in names}
    monkeypatch.setattr(words, "FITS", {})
    assert {(find.file, find.word.split()[1]) for file in files for find in words.names(file)} == wanted


def test_tests_and_the_project_file_are_read_too() -> None:
    """Tests and pyproject.toml are read by default, not the words themselves nor signed reports, whose bytes stay."""
    read = {words._shown(file) for file in words.files([words.ROOT / name for name in words.READ])}
    assert {"pyproject.toml", "tests/test_house.py", "tests/printed_values.py"} <= read
    assert not [name for name in read if name.startswith(words.UNREAD)]
    assert all((words.ROOT / name).exists() for name in words.UNREAD)
