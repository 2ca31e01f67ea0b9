"""Random changes of files in a signed run, an approved run and a sweep: each is found or named, none stops verify.

`python tests/tampering.py [CHANGES]` tries 1,000 of them; the tests try a sample.
"""

import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from small_run import WHEN

from frtaudit.signing.approve import approve
from frtaudit.signing.signer import Signer
from frtaudit.signing.verify import verify

SEED = 20261121
ALL = 1000
STORED = Path(__file__).parent / "signed_runs" / "0.1"
LONGEST = 16
PDF = "report.pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A signed folder that may be changed, and the PEM files of those who are trusted."""

    name: str
    folder: Path
    trust: tuple[Path, ...]

    @property
    def files(self) -> list[str]:
        """Every file in it."""
        found = (path for path in self.folder.rglob("*") if path.is_file() and path.stat().st_size)
        return sorted(path.relative_to(self.folder).as_posix() for path in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Bytes of one file replaced by others; ``alone``: the PDF is looked at without its folder."""

    target: str
    name: str
    position: int
    length: int
    value: bytes
    alone: bool


def targets(place: Path, run: Path, signers: Sequence[Path], approver: Signer) -> list[Target]:
    """A run, the same approved, and the sweep that version 0.1 signed, copied into ``place``."""
    for name, source in (("run", run), ("approved", run), ("sweep", STORED / "sweep")):
        shutil.copytree(source, place / name)
    approve(place / "approved", approver, WHEN + timedelta(hours=1))
    return [
        Target(name="run", folder=place / "run", trust=tuple(signers)),
        Target(name="approved", folder=place / "approved", trust=tuple(signers)),
        Target(name="sweep", folder=place / "sweep", trust=(STORED / "auditor.pem",)),
    ]


def changes(target: Target, number: int, seed: int = SEED) -> Iterator[Change]:
    """Flips of a byte and insertions of some, by turns, drawn evenly over the files; half of the PDFs alone."""
    chance = random.Random(f"{seed} {target.name}")
    files = target.files
    for index in range(number):
        name = files[index % len(files)]
        data = (target.folder / name).read_bytes()
        inserted = index // len(files) % 2 == 1
        position = chance.randrange(len(data) + inserted)
        value = (
            chance.randbytes(chance.randint(1, LONGEST))
            if inserted
            else bytes([data[position] ^ chance.randint(1, 255)])
        )
        alone = name == PDF and index // len(files) % 4 < 2
        yield Change(
            target=target.name,
            name=name,
            position=position,
            length=0 if inserted else 1,
            value=value,
            alone=alone,
        )


def unseen(target: Target, number: int) -> list[Change]:
    """The changes that verify neither finds nor names as not covered: each is made in place and taken back."""
    passed = []
    for change in changes(target, number):
        path = target.folder / change.name
        intact = path.read_bytes()
        end = change.position + change.length
        path.write_bytes(intact[: change.position] + change.value + intact[end:])
        found = verify(path if change.alone else target.folder, target.trust)
        path.write_bytes(intact)
        about = {check.status.value for check in found.checks if change.name in check.subject}
        is_left_out = "/." in f"/{change.name}" and about == {"unchecked"}
        if not is_left_out and (found.exit_code != 2 or "invalid" not in about):
            passed.append(change)
    return passed


if __name__ == "__main__":
    import tempfile

    from small_run import write_run

    from frtaudit.signing.key_folder import PUBLIC, generate

    number = int(sys.argv[1]) if len(sys.argv) > 1 else ALL
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        signer, other = (generate(place / name, name, None, WHEN) for name in ("auditor", "approver"))
        trust = [place / name / PUBLIC for name in ("auditor", "approver")]
        (place / "targets").mkdir()
        tried = targets(place / "targets", write_run(place / "first", signer), trust, other)
        missed = [change for target in tried for change in unseen(target, -(-number // len(tried)))]
    sys.stdout.write(f"{number} changes, {len(missed)} missed{''.join(f'; {change}' for change in missed)}\n")
    sys.exit(bool(missed))
