"""Tests of frtaudit.config.plugins."""

import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

import frtaudit
from frtaudit.config import plugins
from frtaudit.config.plugins import fault_line, load_plugins, naming
from frtaudit.core.registry import Declared, lookup, names
from frtaudit.errors import DataError, FrtauditError


def test_everything_of_the_house_is_registered() -> None:
    """After loading, each group holds what the issue names; loading again changes nothing."""
    load_plugins()
    before = {group: names(group) for group in ("analysis", "cohort", "protocol", "provider")}
    load_plugins()
    assert before == {group: names(group) for group in before}
    assert {"templates", "scores", "synthetic"} <= set(before["cohort"])
    assert {"all_pairs", "round_robin", "listed"} <= set(before["protocol"])
    assert {"cosine", "precomputed", "simulated"} <= set(before["provider"])
    assert {"error_rates", "similarity_roc", "differentials", "failures", "interclass", "accuracy"} <= set(
        before["analysis"]
    )


def test_what_the_sources_declare_is_what_they_register() -> None:
    """Each file with ``@register`` is declared by the group, name, first line and metrics that its import registers."""
    load_plugins()
    declared = plugins._declarations()
    for group, name, source in declared:
        known = lookup(group, name, name)
        metrics = getattr(known, "metrics", ()) if group == "analysis" else ()
        assert Declared(known.__module__, str(known.__doc__).split("\n")[0], metrics) == source
    root = Path(frtaudit.__file__).parent
    for package in plugins.PACKAGES:
        for file in root.joinpath(*package.split(".")).glob("*.py"):
            count = file.read_text(encoding="utf-8").count("\n@register(")
            assert count == sum(
                source.module == f"frtaudit.{package}.{file.stem}" for *_, source in declared
            ), file


@pytest.mark.parametrize("head", ["class X:", "class X(Base):", "class X(Base, Generic[T]):"])
def test_a_class_with_a_base_is_declared(head: str) -> None:
    """What stands in brackets after its name changes nothing."""
    text = f'@register("analysis", "x")\n@dataclass(frozen=True)\n{head}\n    """What it does."""\n'
    (found,) = plugins._DECLARATION.finditer(text)
    assert (found["group"], found["name"], found["about"]) == ("analysis", "x", "What it does.")


def put_wheel(place: Path, text: str) -> None:
    """A module ``odd_wheel`` of that text, as a wheel installs it."""
    (place / "odd_wheel.py").write_text(text)
    (place / "odd-1.dist-info").mkdir()
    (place / "odd-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
    (place / "odd-1.dist-info" / "entry_points.txt").write_text("[frtaudit.plugins]\nodd = odd_wheel\n")


ODD = """
def write(): return [][0]
def closed(): open("/nowhere/at/all.csv")
def end(): raise SystemExit(7)
def refuse(): raise __import__("frtaudit.errors").errors.DataError("a", "b", "c")
def read():
    from frtaudit.core.canonical import read_json
    return read_json(5)
"""
TAIL = "; accepted: --debug shows where; report it to its authors"
LINES = {
    "write": "plug-in odd_wheel line 2: IndexError: list index out of range" + TAIL,
    "end": "plug-in odd_wheel line 4: SystemExit: 7" + TAIL,
    "closed": "plug-in odd_wheel line 3: all.csv: it is missing; accepted: a file that stays while the command runs",
    "refuse": "a: b; accepted: c",
    "read": "plug-in odd_wheel line 8: TypeError: the JSON object must be str, bytes or bytearray, not int"
    + TAIL,
}


@pytest.mark.parametrize("call", LINES)
def test_an_error_of_a_plug_in_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """Raised by code of another wheel, or by what it called; what it raises as a line of ours stays."""
    put_wheel(tmp_path, ODD)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "odd_wheel", raising=False)
    with pytest.raises(BaseException) as caught:
        getattr(import_module("odd_wheel"), call)()
    assert str(fault_line(caught.value)) == LINES[call]


def test_an_error_of_nobody_in_particular_names_who_was_called() -> None:
    """Where no code of a plug-in ran; without one it is unexpected."""
    assert str(fault_line(ValueError("x"))).startswith("unexpected: ValueError: x")
    assert str(fault_line(ValueError("x"), "odd_wheel")) == "plug-in odd_wheel: ValueError: x" + TAIL
    assert str(fault_line(RecursionError("x"), "odd_wheel")) == "plug-in odd_wheel: RecursionError: x" + TAIL
    assert str(fault_line(MemoryError(), "odd_wheel")).startswith("memory: no more is available")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("raise ValueError('x')", "plug-in odd_wheel line 1: ValueError: x (left out)" + TAIL),
        ("def (:", "plug-in odd_wheel: SyntaxError: invalid syntax (odd_wheel.py, line 1) (left out)" + TAIL),
        ("raise SystemExit(7)", "plug-in odd_wheel line 1: SystemExit: 7 (left out)" + TAIL),
        (
            "from frtaudit.errors import DataError, FrtauditError\nraise DataError('a', 'b', 'c')",
            "plug-in odd_wheel: a: b (left out); accepted: c",
        ),
    ],
)
def test_a_wheel_that_fails_is_said_once_and_left_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    line: str,
) -> None:
    """Commands that do not need it go on; with --debug its traceback is printed."""
    put_wheel(tmp_path, text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "odd_wheel", raising=False)
    monkeypatch.delenv(plugins.DEBUG, raising=False)
    plugins._say_once.cache_clear()
    for _ in range(2):
        load_plugins()
    assert capsys.readouterr().err == f"frtaudit: {line}\n"
    assert "error_rates" in names("analysis")
    monkeypatch.setenv(plugins.DEBUG, "1")
    load_plugins()
    assert "Traceback" in capsys.readouterr().err


@dataclass(frozen=True)
class Brought:
    """A plug-in of another wheel than frtaudit."""


def test_who_is_called_is_named_where_it_is_of_another_wheel() -> None:
    """An error of frtaudit's code, which reads what a plug-in returned; lines of ours stay as they are."""
    for error in (AttributeError("x"), SystemExit("x")):
        with (
            pytest.raises(
                FrtauditError, match=rf"^plug-in .*test_plugins.*: {type(error).__name__}: x;"
            ) as caught,
            naming(Brought()),
        ):
            raise error
        assert caught.value.__cause__ is error
    known = DataError("a", "b", "c")
    with pytest.raises(DataError, match="^a: b") as met, naming(Brought()):
        raise known
    assert met.value is known
    assert known.__cause__ is None
    with pytest.raises(AttributeError), naming(lookup("cohort", "synthetic", "cohort")()):
        raise AttributeError("x")
