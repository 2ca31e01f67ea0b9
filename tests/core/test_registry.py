import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest
from numpydoc_sections import sections

from frtaudit.core import registry
from frtaudit.core.registry import (
    Declared,
    about,
    declare,
    declared_metrics,
    load_entry_points,
    lookup,
    name_of,
    names,
    register,
)
from frtaudit.errors import SpecError


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test registers into a dictionary of its own, and looks for wheels itself."""
    monkeypatch.setattr(registry, "_registered", {})
    registry._load_from.cache_clear()
    yield
    registry._load_from.cache_clear()


@dataclass(frozen=True)
class Plugin:
    pass


@dataclass(frozen=True)
class Other:
    pass


def test_what_is_registered_is_found() -> None:
    """Lookup, name_of and names agree; registering a class again under its name changes nothing."""
    assert register("analysis", "b")(Plugin) is Plugin
    assert register("analysis", "b")(Plugin) is Plugin
    register("analysis", "a")(Other)
    register("cohort", "c")(Plugin)
    assert lookup("analysis", "b", "analyses.b") is Plugin
    assert name_of("analysis", Plugin) == "b"
    assert name_of("cohort", Plugin) == "c"
    assert names("analysis") == ["a", "b"]
    assert names("protocol") == []


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    """The error names the place, the value and the alternatives."""
    register("provider", "cosine")(Plugin)
    with pytest.raises(
        SpecError,
        match=r"^providers\[0\]: no provider is named 'cosin' \(did you mean 'cosine'\?\); accepted: cosine$",
    ):
        lookup("provider", "cosin", "providers[0]")


def test_the_groups_are_documented() -> None:
    """The docstring of register names each group."""
    listed = sections(register.__doc__)["Parameters"]
    assert [group for group in registry.GROUPS if f"``{group}``" not in listed] == []


def test_one_name_one_class() -> None:
    """A second class under the same name is refused; the first stays."""
    register("analysis", "a")(Plugin)
    with pytest.raises(ValueError, match="analysis 'a' is registered twice"):
        register("analysis", "a")(Other)
    assert lookup("analysis", "a", "here") is Plugin


def test_a_declared_plugin_is_imported_when_it_is_looked_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its name and first line are known before; a module that registers nothing is refused by name."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "late_plugin.py").write_text(
        "from dataclasses import dataclass\nfrom frtaudit.core.registry import register\n"
        '@register("cohort", "late")\n@dataclass(frozen=True)\nclass Late:\n    """Late."""\n'
    )
    (tmp_path / "empty_plugin.py").write_text("")
    declare("cohort", "late", Declared("late_plugin", "Late."))
    declare("cohort", "empty", Declared("empty_plugin", "Empty."))
    assert names("cohort") == ["empty", "late"]
    assert about("cohort", "late") == "Late."
    assert "late_plugin" not in sys.modules
    assert lookup("cohort", "late", "here") is sys.modules["late_plugin"].Late
    assert about("cohort", "late") == "Late."
    with pytest.raises(TypeError, match="empty_plugin does not register cohort 'empty'"):
        lookup("cohort", "empty", "here")
    with pytest.raises(ValueError, match="cohort 'empty' is registered twice"):
        register("cohort", "empty")(Other)


def test_only_dataclasses_of_known_groups() -> None:
    """An unknown group and a class that is no dataclass are refused."""
    with pytest.raises(ValueError, match="unknown group 'metric'; groups: analysis, cohort"):
        register("metric", "a")(Plugin)
    with pytest.raises(TypeError, match="int must be a dataclass"):
        register("analysis", "a")(int)
    for name in ("", "a b", "1st", "a\n", None, 5):
        with pytest.raises(ValueError, match="as a name; accepted: letters, digits, _ and -"):
            register("analysis", name)(Plugin)  # type: ignore[arg-type]
    assert not names("analysis")


@dataclass(frozen=True, slots=True)
class Slots:
    metrics: tuple[str, ...] = ("in_a_slot",)


@dataclass(frozen=True, slots=True)
class Made:
    metrics: dict[str, str] = field(default_factory=lambda: {"made": "what it is"})


@dataclass(frozen=True, slots=True)
class Given:
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    @property
    def metrics(self) -> tuple[str, ...]:
        """Known of an instance alone."""
        return ("asked",)


@dataclass(frozen=True)
class Plain:
    metrics: ClassVar = {"plain": "what it is"}


def test_metrics_are_a_class_attribute_or_the_default_of_a_field() -> None:
    """Also with slots, where the class holds no value; what only an instance knows is not listed."""
    for plugin in (Slots, Made, Given, Asked, Plain):
        register("analysis", plugin.__name__.lower())(plugin)
    assert declared_metrics() == {
        "in_a_slot": "of analysis slots",
        "made": "what it is",
        "plain": "what it is",
    }


def test_other_wheels_register_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every entry point of the group is loaded, in order of name."""
    seen: list[str] = []

    @dataclass(frozen=True)
    class Point:
        name: str

        def load(self) -> None:
            seen.append(self.name)

    asked: list[str] = []

    def found(group: str) -> list[Point]:
        asked.append(group)
        return [Point("z"), Point("a")]

    monkeypatch.setattr(registry, "entry_points", found)
    load_entry_points()
    assert asked == ["frtaudit.plugins"]
    assert seen == ["a", "z"]


def test_wheels_are_looked_for_again_only_where_a_folder_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A second call reads nothing; a plug-in that is installed meanwhile is found, one that fails fails again."""
    (tmp_path / "site").mkdir()
    os.utime(tmp_path / "site", ns=(1, 1))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), str(tmp_path / "nowhere")])
    load_entry_points()
    load_entry_points()
    (tmp_path / "site" / "later_plugin.py").write_text("raise ValueError('loaded')")
    about = tmp_path / "site" / "later-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: later\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[frtaudit.plugins]\nlater = later_plugin\n")
    for _ in range(2):
        (failed,) = load_entry_points()
        assert (failed.module, str(failed.error)) == ("later_plugin", "loaded")
    (about / "entry_points.txt").unlink()
    os.utime(tmp_path / "site", ns=(2, 2))
    assert load_entry_points() == ()
    monkeypatch.setattr(registry, "entry_points", lambda **_: pytest.fail("looked again"))
    load_entry_points()


def put_wheel(place: Path, text: str, name: str = "bad_wheel") -> None:
    """A module of that text, as a wheel installs it."""
    (place / f"{name}.py").write_text(text)
    about = place / f"{name}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[frtaudit.plugins]\n{name} = {name}\n")


REGISTERING = """
from dataclasses import dataclass
from frtaudit.core.registry import register
@register("analysis", "brought")
@dataclass(frozen=True)
class Brought:
    pass
"""


@pytest.mark.parametrize(
    "end", ["raise ValueError('late')", "raise SystemExit(3)", "def (:", "import nowhere_at_all"]
)
def test_a_wheel_that_fails_is_left_out_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: str
) -> None:
    """What it registered before it failed goes again; others stay, and an unknown name's error says what is missing."""
    monkeypatch.syspath_prepend(tmp_path)
    put_wheel(tmp_path, f"{REGISTERING}{end}\n")
    put_wheel(tmp_path, REGISTERING.replace("brought", "good"), "good_wheel")
    (failed,) = load_entry_points()
    assert failed.module == "bad_wheel"
    assert names("analysis") == ["good"]
    line = "no analysis is named 'brought'; not loaded: plug-in bad_wheel; accepted: good"
    with pytest.raises(SpecError, match=line):
        lookup("analysis", "brought", "analyses.brought")
    for module in ("bad_wheel", "good_wheel"):
        sys.modules.pop(module, None)


def test_no_memory_is_no_fault_of_a_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is raised."""
    monkeypatch.syspath_prepend(tmp_path)
    put_wheel(tmp_path, "raise MemoryError\n")
    with pytest.raises(MemoryError):
        load_entry_points()


@dataclass(frozen=True)
class Taking:
    metrics: ClassVar = {"fnmr": "another one"}


@dataclass(frozen=True)
class TakingBrought:
    metrics: ClassVar = ("plain",)


def test_a_metric_in_use_is_refused() -> None:
    """That of frtaudit, and that of another wheel's analysis; a class may be registered again."""
    for _ in range(2):
        register("analysis", "plain")(Plain)
    declare("analysis", "late", Declared("late_plugin", "Late.", ("in_a_slot",)))
    for plugin, metric in ((Taking, "fnmr"), (TakingBrought, "plain"), (Slots, "in_a_slot")):
        with pytest.raises(ValueError, match=f"metric '{metric}' of analysis 'x' is in use: another name"):
            register("analysis", "x")(plugin)
    assert names("analysis") == ["late", "plain"]
