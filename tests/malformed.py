"""Files that somebody may hand over, and the one line that each gets (or that they are simply read)."""

from collections.abc import Callable
from pathlib import Path

GOOD = "a a a/1 0.9\na b b/1 0.1\nb a a/2 0.2\nb b b/2 0.8\n"
CSV = "probe_template_id,probe_subject_id,bio_ref_template_id,bio_ref_subject_id,score\n"
ROWS = "a/1,a,A,a,0.9\nb/1,b,A,a,0.1\na/2,a,B,b,0.2\nb/2,b,B,b,0.8\n"
QUOTED = '"' + (CSV + ROWS).strip().replace(",", '","').replace("\n", '"\n"') + '"\n'
FOUR = "4 fields, separated by spaces: claimed_id real_id test_label score"


def text(content: str, name: str = "scores") -> Callable[[Path], Path]:
    """A file of text, as it stands."""
    return raw(content.encode(), name)


def raw(content: bytes, name: str = "scores") -> Callable[[Path], Path]:
    """A file of bytes."""

    def write(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return write


def absent(folder: Path) -> Path:
    """No file."""
    return folder / "nowhere"


def empty_folder(folder: Path) -> Path:
    """A folder where a file should be."""
    (folder / "scores").mkdir()
    return folder / "scores"


MALFORMED = {
    "NaN score": (text(GOOD + "a a a/3 nan\n"), "scores line 5: the score is NaN"),
    "blank line": (text(GOOD + "\na a a/3 0.7\n"), f"scores line 5: the line is blank; accepted: {FOUR}"),
    "missing column": (text(GOOD + "a a/3 0.7\n"), f"scores line 5: 3 fields; accepted: {FOUR}"),
    "missing column of CSV": (
        text(CSV.replace("bio_ref_subject_id", "who") + ROWS, "s.csv"),
        "s.csv line 1: no column bio_ref_subject_id",
    ),
    "missing field of CSV": (text(CSV + ROWS + "a/3,a,A,a\n", "s.csv"), "s.csv line 6: 4 fields"),
    "word for a score": (text(GOOD + "a a a/3 high\n"), "scores line 5: the score is not a number"),
    "digits of another script": (
        text(GOOD + "a a a/3 \uff10.\uff15\n"),
        "scores line 5: the score is not a number",
    ),
    "mixed separators": (text(GOOD + "a,a,a/3,0.7\n"), f"scores line 5: 1 field; accepted: {FOUR}"),
    "empty file": (text(""), "scores: the file is empty"),
    "UTF-16": (raw(GOOD.encode("utf-16")), "scores line 1: the text is UTF-16; accepted: UTF-8 text"),
    "other encoding": (
        raw((GOOD + "é é é/1 0.7\n").encode("latin-1")),
        "scores line 5: byte 1 of the line is not UTF-8",
    ),
    "comma decimal": (text(GOOD + "a a a/3 0,7\n"), "scores line 5: the score has a decimal comma"),
    "header twice": (text(CSV + ROWS + CSV, "s.csv"), "s.csv line 6: the score is not a number"),
    "column twice": (
        text(CSV.replace("score", "score,score") + ROWS, "s.csv"),
        "s.csv line 1: column score appears twice",
    ),
    "infinite score": (text(GOOD + "a a a/3 inf\n"), "scores line 5: the score is infinite"),
    "comparison twice": (text(GOOD + "a b b/1 0.1\n"), "scores line 5: the comparison of line 2 again"),
    "one column": (text("0.9\n0.1\n"), f"scores line 1: 1 field; accepted: {FOUR}"),
    "quote not closed": (
        text(CSV + ROWS + '"a/3,a,A,a,0.7\n', "s.csv"),
        "s.csv line 6: a quote is not closed",
    ),
    "quote closed lines later": (
        text(CSV + '"a/1,a,A,a,0.9\nb/1",b,A,a,0.1\na/2,a,B,b,0.2\n', "s.csv"),
        "s.csv line 2: a quote is not closed",
    ),
    "binary": (
        raw(b"a a a/1 0.9\n\x7fELF\0\0\n"),
        "scores line 2: the file is not text: it holds a NUL byte",
    ),
    "huge line": (text(GOOD + "x" * 3_000_000 + "\n"), "scores line 5: the line is longer than a mebibyte"),
    "label of both": (text(GOOD + "a b a/1 0.3\n"), "scores line 5: gives a probe a different subject than"),
    "missing file": (absent, "cohort.root: no file or folder"),
    "a folder": (empty_folder, "cohort.root: the folder holds no file of scores"),
}
READ = {
    "BOM": (raw(b"\xef\xbb\xbf" + GOOD.encode()), False),
    "BOM of CSV": (raw(b"\xef\xbb\xbf" + (CSV + ROWS).encode(), "s.csv"), True),
    "Windows": (text(GOOD.replace("\n", "\r\n")), False),
    "Windows CSV": (text((CSV + ROWS).replace("\n", "\r\n"), "s.csv"), True),
    "tabs and runs of spaces": (text(GOOD.replace(" ", "\t", 3).replace(" a/2", "   a/2")), False),
    "spaces at the ends of ids": (
        text(CSV + ROWS.replace(",a,A", ",a , A").replace("b,B", " b,B"), "s.csv"),
        True,
    ),
    "quoted CSV": (text(QUOTED, "s.csv"), True),
    "quoted CSV by another name": (text(QUOTED, "s.txt"), True),
    "CR": (text(GOOD.replace("\n", "\r")), False),
    "CR CSV": (text((CSV + ROWS).replace("\n", "\r"), "s.csv"), True),
    "no line end": (text(GOOD.rstrip("\n")), False),
    "blank lines at the end": (text(GOOD + "\n\r\n \n"), False),
    "blank lines at the end of CSV": (text(CSV + ROWS + "\n\n", "s.csv"), True),
}
