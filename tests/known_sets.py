"""Made-up test sets, each written in the layout of a known one: what readers of layouts are held against."""

import csv
import io
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

JPEG = b"\xff\xd8\xff\xe0 made up "
NAMES = ("Ada_Lo", "Bo", "Cyd_von_Ee", "Dia-Fay", "Em_O'Gi", "Fox", "Gil_Q", "Hui_Li")


@dataclass(frozen=True)
class Pair:
    """Two images, each a person's name and a number from 1, and a fold from 0."""

    probe: tuple[str, int]
    reference: tuple[str, int]
    fold: int

    @property
    def mated(self) -> bool:
        """Whether both are of one person."""
        return self.probe[0] == self.reference[0]


def made_pairs(seed: int = 1, folds: int = 10, each: int = 2) -> list[Pair]:
    """Pairs fold by fold, in each as many mated ones, then as many non-mated ones; no image stands against itself."""
    rng = np.random.default_rng(seed)
    pairs = []
    for fold in range(folds):
        for rank in range(2 * each):
            first, second = rng.choice(len(NAMES), 2, replace=False)
            one, other = rng.choice(np.arange(1, 25), 2, replace=False)
            name, whom = NAMES[first], NAMES[first if rank < each else second]
            pairs.append(Pair((name, int(one)), (whom, int(other)), fold))
    return pairs


def halves(pairs: list[Pair]) -> list[Pair]:
    """All mated pairs, then all non-mated ones, as CALFW and CPLFW have them."""
    return [pair for pair in pairs if pair.mated] + [pair for pair in pairs if not pair.mated]


def write_lfw(folder: Path, pairs: list[Pair], header: str = "") -> None:
    """``pairs.txt`` with folds."""
    folds = 1 + max(pair.fold for pair in pairs)
    lines = [header or f"{folds}\t{len(pairs) // folds // 2}", *map(lfw_line, pairs)]
    (folder / "pairs.txt").write_text("\n".join(lines) + "\n")


def lfw_line(pair: Pair) -> str:
    """A line of LFW's layout."""
    (name, one), (whom, other) = pair.probe, pair.reference
    return f"{name}\t{one}\t{other}" if pair.mated else f"{name}\t{one}\t{whom}\t{other}"


def write_two_lines(folder: Path, pairs: list[Pair], pattern: str = "{0}_{1}.jpg", label: str = "1") -> None:
    """CALFW (``_0001`` and a label that is a fold) and CPLFW (``_1``, label 1)."""
    lines = []
    for pair in halves(pairs):
        kind = "0" if not pair.mated else label.format(pair.fold + 1)
        lines += [f"{pattern.format(*side)} {kind}" for side in (pair.probe, pair.reference)]
    (folder / "list.txt").write_text("\n".join(lines) + "\n")


def write_rfw(folder: Path, pairs: list[Pair]) -> None:
    """Two races with the same pairs, so that every person stands under both; names become Freebase ids."""
    for race in ("Asian", "Indian"):
        place = folder / "txts" / race
        place.mkdir(parents=True)
        lines = [
            lfw_line(
                Pair((mid(pair.probe[0]), pair.probe[1]), (mid(pair.reference[0]), pair.reference[1]), 0)
            )
            for pair in pairs
        ]
        (place / f"{race}_pairs.txt").write_text("\n".join(lines) + "\n")


def mid(name: str) -> str:
    """A made-up Freebase id of a person."""
    return f"m.0x{NAMES.index(name)}k"


def bfw_rows(pairs: list[Pair]) -> list[dict[str, str]]:
    """Rows of BFW's table with two systems; people of odd places are of another group."""
    rows = []
    for i, pair in enumerate(pairs):
        row = {"": str(i), "fold": str(pair.fold + 1), "label": str(int(pair.mated))}
        for side, (name, number) in (("1", pair.probe), ("2", pair.reference)):
            ethnicity, gender = ("asian", "female") if NAMES.index(name) % 2 else ("white", "male")
            group = f"{ethnicity}_{gender}s"
            row |= {
                f"p{side}": f"{group}/n{NAMES.index(name):06d}/{number:04d}_01.jpg",
                f"id{side}": str(NAMES.index(name)),
                f"att{side}": group,
                f"g{side}": gender[0].upper(),
                f"e{side}": ethnicity[0].upper(),
                f"a{side}": (ethnicity[0] + gender[0]).upper(),
            }
        rows.append({**row, "resnet50": f"{0.9 - i / 1000}", "sphereface": f"{i / 1000}" if i else ""})
    return rows


def write_bfw(folder: Path, pairs: list[Pair], rows: list[dict[str, str]] | None = None) -> None:
    """BFW's table."""
    write_csv(folder / "table.csv", rows or bfw_rows(pairs))


def write_csv(path: Path, rows: list[dict[str, str]], header: Callable[[str], str] = str) -> None:
    """A table with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([map(header, rows[0]), *(row.values() for row in rows)])
    path.write_text(text.getvalue())


def images_of(pairs: list[Pair]) -> Iterator[bytes]:
    """Bytes that begin as a JPEG does, two a pair."""
    for i, _ in enumerate(pairs):
        yield from (JPEG + bytes([i % 256, 200 + i % 50, side]) for side in (0, 1))


def write_bin(folder: Path, pairs: list[Pair], protocol: int = 4) -> None:
    """Insightface's pickle of images and labels."""
    held = (list(images_of(pairs)), [pair.mated for pair in pairs])
    (folder / "set.bin").write_bytes(pickle.dumps(held, protocol=protocol))


def python_2_bin(pairs: list[Pair]) -> bytes:
    """The same as Python 2 wrote it: byte strings by BINSTRING and SHORT_BINSTRING."""
    out = bytearray(b"\x80\x02]q\x00(")
    for i, data in enumerate(images_of(pairs)):
        size = b"U" + bytes([len(data)]) if i % 2 else b"T" + len(data).to_bytes(4, "little")
        out += size + data + b"r" + (i + 1).to_bytes(4, "little")
    labels = b"".join(b"\x88" if pair.mated else b"\x89" for pair in pairs)
    return bytes(out + b"e]r" + (9999).to_bytes(4, "little") + b"(" + labels + b"e\x86q\x02.")
