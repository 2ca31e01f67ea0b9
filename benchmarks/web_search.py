"""Labeled Faces in the Wild as if it were a web search, audited: the report of a rapid test on real faces.

``python -m benchmarks.web_search FOLDER [key=value ...]`` writes FOLDER/search (faces.csv with the truth as annotation,
and a score list of each of five models) and FOLDER/run (result, HTML and PDF). ``FRTAUDIT_DATA`` names the folder that
holds ``lfw``. Queries are people with eight images and more, a tenth to three fifths of their faces strangers'. Ids of
faces and queries are numbers: no name leaves the data. Neither the data nor what is written here
belongs in a repository.
"""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from web_search import lfw, web_search, write  # noqa: E402  it stands among the tests

AUDIT = (
    "audit=rapid_test", "schema=gender", "schema.column=group", "analysis=annotation", "bootstrap.B=499",
    "report.title='Rapid test of five models on a web search made of LFW'",
    "report.purpose='Shows the rapid test on real faces, with annotation to compare'", "report=draft",
)  # fmt: skip


def search(folder: Path) -> None:
    """Write the files that the audit reads, with numbers for names."""
    faces, services, group = web_search()
    numbered = replace(
        faces,
        names=tuple(f"face_{row:05d}" for row in range(len(faces.names))),
        queries=tuple(f"query_{q:03d}" for q in range(len(faces.queries))),
    )
    write(folder, numbered, services, group, annotated=True)


def main(folder: Path, more: list[str]) -> int:
    """Files, then the audit; its exit code."""
    if not lfw().is_dir():
        print("no LFW: FRTAUDIT_DATA names the folder that holds lfw")
        return 1
    search(folder / "search")
    places = [f"cohort.root={folder / 'search'}", f"hydra.run.dir={folder / 'run'}"]
    command = [sys.executable, "-m", "frtaudit", "run", *AUDIT, *places, *more]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
