"""From photos to a signed report on this machine: the way of a collection with service dlib, not a finding."""

import json
from pathlib import Path

import pytest
from face_photos import MIN_FACES, PERSONS, at_least, photos

from frtaudit.cli.main import main

pytest.importorskip("dlib")


@pytest.mark.slow
def test_photos_become_a_signed_report_offline(tmp_path: Path) -> None:
    """Collect, audit, verify end with 0; every face is used, every pair scored, no name stands in a file."""
    for number, (person, files) in enumerate(photos().items()):
        folder = tmp_path / "photos" / f"Somebody {person}"
        folder.mkdir(parents=True)
        for place, data in enumerate(at_least(files)):
            (folder / f"{number} {place}.jpg").write_bytes(data)
    into, run = tmp_path / "collected", tmp_path / "run"
    source = ["source=folder", f"source.root={tmp_path / 'photos'}", f"into={into}"]
    copies = [
        "duplicates.embedding=none",
        "duplicates.faces=none",
    ]  # declared copies, which would rightly be left out
    assert main(["collect", *source, *copies, "services.dlib.upsample=0", "services.dlib.longest=600"]) == 0
    told = json.loads((into / "collection.json").read_text())
    within = MIN_FACES * (MIN_FACES - 1) // 2 * len(PERSONS)
    assert (told["finished"], told["faces"], told["pairs"]) == (True, MIN_FACES * len(PERSONS), 2 * within)
    assert told["services"]["dlib"]["scores"] == 2 * within
    asked = [f"cohort.root={into}", "thresholds.fmr=[0.1]", "bootstrap.B=199", f"hydra.run.dir={run}"]
    assert main(["run", "audit=rapid_test", *asked]) == 0
    assert main(["verify", str(run)]) == 0
    written = [path for folder in (into, run) for path in folder.rglob("*") if path.is_file()]
    assert not [path.name for path in written if b"Somebody" in path.read_bytes()]
