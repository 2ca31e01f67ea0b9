"""Tests of frtaudit.config.plugins."""

from importlib import import_module
from pathlib import Path

import pytest

import frtaudit
from frtaudit.config import plugins
from frtaudit.config.plugins import fault_line, load_plugins
from frtaudit.core.registry import Declared, lookup, names
from frtaudit.errors import DataError


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


def test_an_error_of_a_plug_in_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What code of another wheel raised is not called frtaudit's; what it raises as a line of ours stays."""
    (tmp_path / "odd_wheel.py").write_text("def write():\n    return [][0]\n")
    (tmp_path / "odd-1.dist-info").mkdir()
    (tmp_path / "odd-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
    (tmp_path / "odd-1.dist-info" / "entry_points.txt").write_text("[frtaudit.plugins]\nodd = odd_wheel\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(IndexError) as caught:
        import_module("odd_wheel").write()
    line = str(fault_line(caught.value))
    assert line.startswith("plug-in odd_wheel line 2: IndexError: list index out of range; accepted: --debug")
    own = DataError("a", "b", "c")
    assert fault_line(own) is own
    assert str(fault_line(ValueError("x"))).startswith("unexpected: ValueError: x")
