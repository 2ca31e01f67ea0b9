"""The command as a user types it; tests also serve_fake, whose server tests/collection/fake starts by its command."""

from pathlib import Path

import pytest

from frtaudit.cli.main import main
from frtaudit.testing.photographs import Photographs


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of a few drawn photographs, with a model beside it."""
    pytest.importorskip("onnxruntime")
    return Photographs(people=12, images=3, faceless=20).write(tmp_path_factory.mktemp("drawn") / "my photos")


def settings(table: Path) -> list[str]:
    """How the model wants its faces, and where they are."""
    return [f"model='{table.parent}/drawn.onnx'", "preset=arcface_rgb_127.5", "detector=given", "workers=1"]


def test_two_commands_lead_from_images_to_a_checked_audit(
    tmp_path: Path, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Embed says what it made, what else it would be compared by, and what comes next; check reads the folder."""
    into = tmp_path / "faces"
    words = [*settings(table), "preset.metric=euclidean", f"into={into}"]
    assert main(["embed", str(table), *words]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [
        "34 of 36 images have a template; failures to acquire: no_face 1, unreadable_image 1",
        "the model's authors compare its templates by Euclidean distance, this audit by cosine",
        f"next: frtaudit run audit=templates cohort.root={into} schema=group",
    ]
    audit = ["audit=templates", f"cohort.root={into}", "schema=group", "thresholds.fmr=[0.1]"]
    assert main(["check", *audit]) == 0
    assert "drawn" in capsys.readouterr().out
    assert main(["embed", str(table), str(table)]) == 2
    assert "2 paths of images; accepted: one folder or CSV" in capsys.readouterr().err


def test_an_imported_folder_of_images_is_embedded_where_it_was_imported(
    tmp_path: Path, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Import names embed as the next command; with the images' model it makes the templates of the imported spec."""
    into = tmp_path / "imported"
    assert main(["import", str(table.parent), f"into={into}", f"table={table}"]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    embed = f"next: frtaudit embed {into}/metadata.csv 'root=\"{table.parent}\"' preset=dlib into={into}  ("
    check = f"frtaudit check --config-dir {into} audit=imported_people"
    assert said.startswith(embed)
    assert said.endswith(f"then: {check}")
    metadata = (into / "metadata.csv").read_bytes()
    words = [f"root='{table.parent}'", *settings(table), f"into={into}"]
    assert main(["embed", f"{into}/metadata.csv", *words]) == 0
    assert (into / "metadata.csv").read_bytes() == metadata
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == f"next: frtaudit run --config-dir {into} audit=imported_people"
    assert main(check.split()[1:]) == 0
    assert "provider drawn" in capsys.readouterr().out


def test_the_help_shows_how_a_synthetic_service_is_served(capsys: pytest.CaptureFixture[str]) -> None:
    """Each fault has its option."""
    with pytest.raises(SystemExit) as caught:
        main(["serve-fake", "--help"])
    assert caught.value.code == 0
    assert "--swap-after" in capsys.readouterr().out
