"""Random single-byte flips in a signed run: each must be found, and none may stop verify.

`python tests/tampering.py [FLIPS]` tries 1,000 of them over PDF, page, result and statement; the tests try a sample.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from frtaudit.attest.manifest import STATEMENT
from frtaudit.attest.verify import verify

FILES = ("report.pdf", "report.html", "result.json", STATEMENT)
SEED = 20261121
ALL = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One byte of one file, and the other value that it gets."""

    name: str
    position: int
    value: int
    alone: bool


def flips(run: Path, number: int, seed: int = SEED) -> Iterator[Flip]:
    """Drawn evenly over the files, and within a file over its bytes; every fourth of the PDF's is tried on it alone."""
    chance = random.Random(seed)
    for index in range(number):
        name = FILES[index % len(FILES)]
        data = (run / name).read_bytes()
        position = chance.randrange(len(data))
        value = chance.choice([value for value in range(256) if value != data[position]])
        yield Flip(name=name, position=position, value=value, alone=name == "report.pdf" and index % 16 == 0)


def unseen(run: Path, number: int, trust: Path) -> list[Flip]:
    """The flips that verify lets pass: the run is changed in place and restored after each."""
    passed = []
    for flip in flips(run, number):
        path = run / flip.name
        intact = path.read_bytes()
        forged = bytearray(intact)
        forged[flip.position] = flip.value
        path.write_bytes(bytes(forged))
        found = verify(path if flip.alone else run, [trust])
        named = any(flip.name in check.subject for check in found.checks if check.outcome.value == "invalid")
        if found.exit_code != 2 or not named:
            passed.append(flip)
        path.write_bytes(intact)
    return passed


if __name__ == "__main__":
    import tempfile

    from small_run import WHEN, write_run

    from frtaudit.attest.keys import PUBLIC, generate

    number = int(sys.argv[1]) if len(sys.argv) > 1 else ALL
    with tempfile.TemporaryDirectory() as folder:
        signer = generate(Path(folder) / "key", "Auditor", None, WHEN)
        missed = unseen(write_run(Path(folder) / "run", signer), number, Path(folder) / "key" / PUBLIC)
    sys.stdout.write(
        f"{number} flips, {number - len(missed)} found{''.join(f'; {flip}' for flip in missed)}\n"
    )
    sys.exit(bool(missed))
