"""Tests of frtaudit.config.sources: what is composed is what Hydra would compose from all of its files."""

from pathlib import Path

import pytest
from hydra.types import RunMode
from omegaconf import OmegaConf

from frtaudit.config import sources
from frtaudit.config.composition import COLLECT, CONFIG, EMBED, hydra_session, publish, rewritten
from frtaudit.core.machine.resources import shipped

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


@pytest.mark.parametrize("name", PRESETS)
def test_a_shipped_preset_is_read_as_omegaconf_reads_it(name: str) -> None:
    """The values of the faster reader are those of the slower, to the type; no key stands twice."""
    path = shipped("conf") / name
    read = sources.ShippedSource("main", f"shipped://{shipped('conf')}").load_config(name)
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
    ours = sources.compose(root, rewritten(words), tmp_path)
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
