"""The command as a user types it; tests also serve_fake, whose server tests/collection/fake starts by its command."""

from pathlib import Path

import pytest

from frtaudit.cli.main import main
from frtaudit.testing.photographs import Photographs


def test_two_commands_lead_from_images_to_a_checked_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Embed says what it made and what comes next; check reads the folder as it stands."""
    pytest.importorskip("onnxruntime")
    table = Photographs(people=12, images=3, faceless=20).write(tmp_path / "my photos")
    into = tmp_path / "faces"
    model = table.parent / "drawn.onnx"
    words = [f"model='{model}'", "preset=arcface_rgb_127.5", "detector=given", f"into={into}", "workers=1"]
    assert main(["embed", str(table), *words]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [
        "34 of 36 images have a template; failures to acquire: no_face 1, unreadable_image 1",
        f"next: frtaudit run audit=templates cohort.root={into}",
    ]
    audit = ["audit=templates", f"cohort.root={into}", "schema=group", "thresholds.fmr=[0.1]"]
    assert main(["check", *audit]) == 0
    assert "drawn" in capsys.readouterr().out
    assert main(["embed", str(table), str(table)]) == 2
    assert "2 paths of images; accepted: one folder or CSV" in capsys.readouterr().err


def test_the_help_shows_how_a_synthetic_service_is_served(capsys: pytest.CaptureFixture[str]) -> None:
    """Each fault has its option."""
    with pytest.raises(SystemExit) as caught:
        main(["serve-fake", "--help"])
    assert caught.value.code == 0
    assert "--swap-after" in capsys.readouterr().out
