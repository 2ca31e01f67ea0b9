"""Synthetic test sets, each written in the layout of a known one: what readers of layouts are held against."""

import csv
import io
import pickle
import struct
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
    """A synthetic Freebase id of a person."""
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


def write_rec(folder: Path, pairs: list[Pair], *, header: bool = True) -> list[str]:
    """Insightface's records, one for each image of the pairs, with the place of its person in NAMES; the names."""
    who = [name for pair in pairs for name, _ in (pair.probe, pair.reference)]
    records = [(0, struct.pack("<IfQQ2f", 2, 0.0, 0, 0, len(who) + 1.0, len(who) + 3.0))] if header else []
    for key, (name, data) in enumerate(zip(who, images_of(pairs), strict=True), 1):
        label = float(NAMES.index(name))
        head = (
            struct.pack("<IfQQ2f", 2, 0.0, key, 0, label, 0.5)
            if key % 2
            else struct.pack("<IfQQ", 0, label, key, 0)
        )
        records.append((key, head + data))
    if header:
        records += [(len(who) + 1 + i, struct.pack("<IfQQ2f", 2, 0.0, 0, 0, 1.0, 2.0)) for i in range(2)]
    body, index = bytearray(), []
    for key, payload in records:
        index.append(f"{key}\t{len(body)}")
        body += struct.pack("<II", 0xCED7230A, len(payload)) + payload + bytes(-len(payload) % 4)
    (folder / "train.rec").write_bytes(body)
    (folder / "train.idx").write_text("\n".join(index) + "\n")
    return who


def write_features(folder: Path, pairs: list[Pair], pattern: str = "lfw/{0}_{1:04d}.jpg") -> np.ndarray:
    """MagFace's lists; an image has one vector wherever it stands. The vectors, two a pair."""
    rng = np.random.default_rng(5)
    of: dict[tuple[str, int], np.ndarray] = {}
    sides = [side for pair in pairs for side in (pair.probe, pair.reference)]
    vectors = np.stack([of.setdefault(side, rng.normal(size=16).round(4)) for side in sides])
    lines = [
        " ".join([pattern.format(*side), *map(str, row)]) for side, row in zip(sides, vectors, strict=True)
    ]
    (folder / "feat.list").write_text("\n".join(lines) + "\n")
    (folder / "pair.list").write_text("".join(f"{int(pair.mated)}\n" for pair in pairs))
    return vectors


def write_cfp(folder: Path, pairs: list[Pair]) -> None:
    """CFP's numbered lists and folders of folds; the second image of a pair is a profile in FP."""
    numbers = {}
    protocol = folder / "Protocol"
    protocol.mkdir()
    for letter, pose in (("F", "frontal"), ("P", "profile")):
        lines = []
        for place, (name, image) in enumerate(((n, i) for n in NAMES for i in range(1, 25)), 1):
            numbers[pose, name, image] = place
            lines.append(f"{place} ../Data/Images/{NAMES.index(name) + 1:03d}/{pose}/{image:02d}.jpg")
        (protocol / f"Pair_list_{letter}.txt").write_text("\n".join(lines) + "\n")
    for kind, other in (("FF", "frontal"), ("FP", "profile")):
        for fold in {pair.fold for pair in pairs}:
            place = protocol / "Split" / kind / f"{fold + 1:02d}"
            place.mkdir(parents=True)
            for said in ("same", "diff"):
                rows = [pair for pair in pairs if pair.fold == fold and pair.mated == (said == "same")]
                text = [f"{numbers['frontal', *row.probe]},{numbers[other, *row.reference]}" for row in rows]
                (place / f"{said}.txt").write_text("\n".join(text) + "\n")


def agedb_name(name: str, number: int) -> str:
    """A name of an image as AgeDB has them; the number is also the age."""
    return f"{100 * NAMES.index(name) + number}_{name.replace('_', '')}_{number + 20}_{'fm'[NAMES.index(name) % 2]}"


def write_agedb(folder: Path, pairs: list[Pair], flip: int | None = None) -> None:
    """AgeDB-30's Matlab file: a structure for each fold, its images in two rows of cells, labels 1 and -1."""
    import scipy.io

    splits = np.empty((1 + max(pair.fold for pair in pairs), 1), dtype=object)
    for fold in range(splits.shape[0]):
        rows = [pair for pair in pairs if pair.fold == fold]
        cells = np.empty((2, len(rows)), dtype=object)
        for column, pair in enumerate(rows):
            for row, side in enumerate((pair.probe, pair.reference)):
                cells[row, column] = {"name": agedb_name(*side), "age": float(side[1] + 20)}
        labels = np.array([[1.0 if pair.mated else -1.0 for pair in rows]])
        if flip == fold:
            labels[0, 0] *= -1
        splits[fold, 0] = {"pairs": cells, "labels": labels}
    scipy.io.savemat(folder / "protocol.mat", {"splits": splits})


def write_ijb(folder: Path, pairs: list[Pair], *, people: bool = True) -> None:
    """The lists of insightface: three frames of two media for each template; 1:N lists say whose they are."""
    images, number = [], 0
    for name in NAMES:
        for shot in range(1, 25):
            for medium in (0, 0, 1):
                number += 1
                images.append(f"{number}.jpg {ijb_id(name, shot)} {2 * ijb_id(name, shot) + medium}")
    (folder / "face_tid_mid.txt").write_text("\n".join(images) + "\n")
    lines = [f"{ijb_id(*pair.probe)} {ijb_id(*pair.reference)} {int(pair.mated)}" for pair in pairs]
    (folder / "template_pair_label.txt").write_text("\n".join(lines) + "\n")
    if people:
        rows = [
            {"TEMPLATE_ID": str(ijb_id(n, i)), "SUBJECT_ID": str(NAMES.index(n))}
            for n in NAMES
            for i in range(1, 25)
        ]
        write_csv(folder / "gallery_G1.csv", rows[::2])
        write_csv(folder / "probe_mixed.csv", rows[1::2])


def ijb_id(name: str, number: int) -> int:
    """Numbers of templates, not consecutive."""
    return 7 * (100 * NAMES.index(name) + number)


def write_ijb_nist(folder: Path, pairs: list[Pair]) -> None:
    """NIST's tables: two images of each template; a cell is empty, and one image says another gender."""
    rows = [
        {
            "TEMPLATE_ID": str(ijb_id(name, shot)),
            "SUBJECT_ID": f"9{NAMES.index(name)}",
            "FILENAME": f"img/{shot}.jpg",
        }
        for name in NAMES
        for shot in range(1, 25)
    ]
    protocol = folder / "test1"
    protocol.mkdir()
    write_csv(protocol / "enroll_templates.csv", rows)
    write_csv(protocol / "verif_templates.csv", rows[:30])
    lines = [f"{ijb_id(*pair.probe)},{ijb_id(*pair.reference)}" for pair in pairs]
    (protocol / "match.csv").write_text("\n".join(lines) + "\n")
    labels = [
        {"SUBJECT_ID": f"9{i}", "FILENAME": "a.jpg", "GENDER": text, "SKINTONE": str(1 + i % 6)}
        for i, _ in enumerate(NAMES)
        for text in ("01"[i % 2], "", "01"[i % 2], "1")
    ]
    write_csv(folder / "with_age.csv", labels)


def write_frte(folder: Path, pairs: list[Pair], pattern: str = "S{0:03d}-{1:02d}-t10_01") -> None:
    """NIST's logs in two parts; every fifth comparison failed, one template was not made."""
    lines = []
    for i, pair in enumerate(pairs):
        one, other = (
            pattern.format(NAMES.index(name), number) for name, number in (pair.reference, pair.probe)
        )
        lines.append(
            f"{one}.template {other}.template {-1 if i % 5 == 4 else i / 100} {6 if i % 5 == 4 else 0}"
        )
    header = "enrollTempl verifTempl simScore returnCode"
    half = len(lines) // 2
    for part, rows in (("0", lines[:half]), ("1", lines[half:])):
        (folder / f"match.log.{part}").write_text("\n".join([header, *rows]) + "\n")
    made = [
        pattern.format(NAMES.index(name), number)
        for pair in pairs
        for name, number in (pair.probe, pair.reference)
    ]
    columns = (
        "id image templateSizeBytes returnCode isLeftEyeAssigned isRightEyeAssigned xleft yleft xright yright"
    )
    rows = [
        f"{name} images/{name}.ppm 2048 {8 if i == 0 else 0} 1 1 10 20 30 40"
        for i, name in enumerate(dict.fromkeys(made))
    ]
    (folder / "enroll.log").write_text("\n".join([f"{columns} quality", *rows]) + "\n")


def write_bob(folder: Path, pairs: list[Pair], *, matching: bool = True) -> None:
    """Bob's tables of one part."""
    part = folder / "rfw" / "dev"
    part.mkdir(parents=True)
    for file, sides in (
        ("for_enrolling", [pair.reference for pair in pairs]),
        ("for_probing", [pair.probe for pair in pairs]),
    ):
        rows = [
            {
                "path": bob_id(*side),
                "subject_id": side[0],
                "template_id": f"T{bob_id(*side)}",
                "race": "ab"[NAMES.index(side[0]) % 2],
                "leye_x": "3",
            }
            for side in dict.fromkeys(sides)
        ]
        write_csv(part / f"{file}.csv", rows)
    if matching:
        write_csv(
            part / "for_matching.csv",
            [
                {
                    "bio_ref_template_id": f"T{bob_id(*p.reference)}",
                    "probe_template_id": f"T{bob_id(*p.probe)}",
                }
                for p in pairs
            ],
        )


def bob_id(name: str, number: int) -> str:
    """A path without ending."""
    return f"data/{NAMES.index(name)}/{number:04d}"


def write_morph(folder: Path) -> None:
    """MORPH-2's table: a person whose race varies, and one whose gender does."""
    rows = [
        {
            "id_num": f"{100 + i:06d}", "picture_num": str(shot), "dob": "1970-01-01", "doa": "2001-02-03",
            "race": "B" if (i, shot) == (0, 1) else "WBAHO"[i % 5], "gender": "F" if (i, shot) == (1, 0) else "M",
            "facial_hair": "", "age": str(30 + shot), "age_diff": "1", "glasses": "",
            "photo": f"Album2/{i:06d}_{shot}M{30 + shot}.JPG",
        }
        for i in range(6)
        for shot in range(3)
    ]  # fmt: skip
    write_csv(folder / "any.csv", rows)


def write_memory(folder: Path, pairs: list[Pair]) -> None:
    """AdaFace's list of labels, and the description of its images."""
    place = folder / "lfw" / "memfile"
    place.mkdir(parents=True)
    np.save(folder / "lfw_list.npy", np.array([pair.mated for pair in pairs]))
    (place / "mem_file.conf").write_text(f'{{"shape": [{2 * len(pairs)}, 3, 112, 112], "dtype": "float32"}}')
