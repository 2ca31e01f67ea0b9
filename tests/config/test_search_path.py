"""Tests of frtaudit.config.search_path."""

from pathlib import Path

import pytest
from hydra.types import RunMode
from omegaconf import OmegaConf

from frtaudit.config import search_path
from frtaudit.config.choices import options
from frtaudit.config.composition import (
    COLLECT,
    CONFIG,
    EMBED,
    _composed_by_hydra,
    hydra_session,
    publish,
    rewritten,
)
from frtaudit.config.guard import LANDS
from frtaudit.config.plugins import load_plugins
from frtaudit.core.machine.resources import shipped
from frtaudit.errors import SpecError

PRESETS = sorted(path.relative_to(shipped("conf")).as_posix() for path in shipped("conf").rglob("*.yaml"))
AUDITS = sorted(path.stem for path in shipped("conf").glob("audit/*.yaml"))
SPECS = [
    *((CONFIG, [f"audit={audit}"]) for audit in AUDITS),
    (CONFIG, ["audit=demo", "schema=[gender,tone]", "bootstrap=thesis", "report=draft", "seed=1e-3"]),
    (CONFIG, ["audit=templates", "requirement=[android_class,nist_800_63b_4]", "+schemas.x={column: y}"]),
    (CONFIG, ["audit=theirs", "schema=race"]),
    (COLLECT, ["collection=demo"]),
    (COLLECT, ["source=folder", "services.a.type=made_up"]),
    (EMBED, ["preset=dlib", "detector=given"]),
]

load_plugins()


def source(folder: Path) -> search_path.UserSource:
    """A user's folder as Hydra sees it."""
    return search_path.UserSource(provider="test", path=f"{search_path.SCHEME}://{folder}")


def test_presets_land_where_their_group_lands(tmp_path: Path) -> None:
    """A file without a header gets its group's package; one with a header keeps its own."""
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "race.yaml").write_text("column: race\n")
    (tmp_path / "schema" / "own.yaml").write_text("# @package schemas.other\ncolumn: race\n")
    found = source(tmp_path)
    assert found.load_config("schema/race").header["package"] == "schemas.race"
    assert found.load_config("schema/own").header["package"] == "schemas.other"
    assert found.list("schema", None) == ["own", "race"]


def test_foul_files_are_refused_on_reading(tmp_path: Path) -> None:
    """A file is checked as plain data before Hydra reads it."""
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "bad.yaml").write_text("a: {_target_: os.system}\n")
    with pytest.raises(SpecError, match=r"^audit/bad\.yaml line 1, column 5: the key '_target_'"):
        source(tmp_path).load_config("audit/bad")


def test_a_user_has_no_hydra_folder(tmp_path: Path) -> None:
    """Files below hydra/ do not exist for Hydra."""
    (tmp_path / "hydra" / "callbacks").mkdir(parents=True)
    (tmp_path / "hydra" / "callbacks" / "x.yaml").write_text("a: 1\n")
    assert not source(tmp_path).is_group("hydra/callbacks")
    assert not source(tmp_path).is_config("hydra/callbacks/x")
    assert not source(tmp_path).exists("/hydra")


def test_search_path_quotes_the_folder(tmp_path: Path) -> None:
    """A folder whose name holds quotes, blanks and commas is passed on whole."""
    from hydra.core.override_parser.overrides_parser import OverridesParser

    odd = tmp_path / "it's, [my] folder"
    odd.mkdir()
    override = OverridesParser.create().parse_override(search_path.search_path(odd))
    assert [str(item) for item in override.value()] == [f"frtaudit://{odd.resolve()}"]  # type: ignore[union-attr]  # a list


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("audit/lfw.yaml", "--config-dir audit/lfw.yaml: audit=lfw is shipped and cannot be shadowed"),
        ("cohort/templates.yaml", "--config-dir cohort/templates.yaml: cohort=templates is shipped"),
        ("audit/mine.yml", "--config-dir audit/mine.yml: is not read by that name; accepted: mine.yaml"),
        (
            "audit/büro.yaml",
            "--config-dir audit/büro.yaml: is not read by that name; accepted: a name of letters a to z",
        ),
    ],
)
def test_names_that_would_not_be_read_are_refused(tmp_path: Path, name: str, line: str) -> None:
    """Shadowing a shipped option, and a suffix that Hydra does not read, are said aloud."""
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text("a: 1\n")
    with pytest.raises(SpecError) as caught:
        search_path.search_path(tmp_path)
    assert str(caught.value).startswith(line)


def test_defaults_hold_every_field_that_an_override_may_set() -> None:
    """A plug-in's option has its type, its fields, ??? where a value must be given, and no mapping to merge with."""
    fields = search_path.defaults_of("cohort", "templates")
    assert fields["type"] == "templates"
    assert fields["root"] == "???"
    assert "classes" not in search_path.defaults_of("cohort", "synthetic")


def test_every_preset_and_plugin_says_what_it_is() -> None:
    """`frtaudit list` has a line for each thing that can be named, short enough for one."""
    for group in LANDS:
        for name, about in options(group).items():
            assert 10 < len(about) < 140, (group, name, about)


def test_every_shipped_preset_is_plain_data() -> None:
    """Shipped presets pass the check that users' files pass."""
    from frtaudit.config.guard import check_text

    presets = [path for group in LANDS for path in (shipped("conf") / group).glob("*.yaml")]
    assert presets
    for path in presets:
        check_text(path.read_text(encoding="utf-8"), path.name, search_path.keys_of(path.parent.name))


def test_every_shipped_preset_lands_where_a_users_would() -> None:
    """The header of a shipped preset is the one that a user's file gets."""
    for group, place in LANDS.items():
        for path in (shipped("conf") / group).glob("*.yaml"):
            first = path.read_text().splitlines()[0]
            package = first.removeprefix("# @package ") if first.startswith("# @package") else group
            assert package == place.format(path.stem), path


STATED = (
    "title",
    "source",
    "version",
    "date",
    "section",
    "address",
    "confidence",
    "checked",
    "facts",
    "requirements",
)


def test_every_profile_states_its_source() -> None:
    """A profile says where its limits stand, how sure that is, when they were read and what its source asks."""
    import yaml

    for path in (shipped("conf") / "requirement").glob("*.yaml"):
        profile = yaml.safe_load(path.read_text())
        assert all(profile[key] for key in STATED), path


@pytest.mark.parametrize("name", PRESETS)
def test_a_shipped_preset_is_read_as_omegaconf_reads_it(name: str) -> None:
    """The values of the faster reader are those of the slower, to the type; no key stands twice."""
    path = shipped("conf") / name
    read = search_path.ShippedSource("main", f"shipped://{shipped('conf')}").load_config(name)
    assert repr(read.config) == repr(OmegaConf.load(path))
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    assert read.header["package"] == (first.removeprefix("# @package ") if first.startswith("# @") else None)


@pytest.mark.parametrize(("root", "words"), SPECS, ids=" ".join)
def test_a_spec_is_what_hydra_makes_of_it(root: str, words: list[str], tmp_path: Path) -> None:
    """The same values and the same selected presets, with a folder of presets too."""
    for name, text in (
        ("audit/theirs", "defaults: [override /cohort: demo]\n"),
        ("schema/race", "column: r\n"),
    ):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.yaml").write_text(text)
    publish()
    ours = _composed_by_hydra(root, rewritten(words), tmp_path)
    with hydra_session() as hydra:
        theirs = hydra.compose_config(root, rewritten(words, tmp_path), RunMode.RUN, from_shell=False)
    for config in (ours, theirs):
        OmegaConf.set_struct(config, value=False)
    selected = {
        key: name for key, name in theirs.hydra.runtime.choices.items() if not key.startswith("hydra/")
    }
    assert dict(ours.hydra.runtime.choices) == selected
    del ours["hydra"], theirs["hydra"]
    assert repr(ours) == repr(theirs)
