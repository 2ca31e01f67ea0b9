"""``frtaudit import``: a folder of a known layout becomes one that an audit reads."""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from frtaudit.core.machine.command_line import Parser
from frtaudit.errors import SpecError, printable

EXAMPLES = """\
FOLDER               the folder of a test set, or one file of it (lfw.bin); nothing in it is changed
into=OUT             a new or empty folder: metadata.csv, pairs.csv, templates/ or score lists, audit/NAME.yaml
as=NAME              the layout, if several are possible: frtaudit list known_set
file=NAME            the file, if several are possible
id=COLUMN  subject=COLUMN  embedding=COLUMN    columns of a table, or arrays of a file; subject=folder: of the images
table=FILE           a table of images outside the folder: image_id, subject_id, columns of groups
templates=PATH       embeddings outside the folder: a file, or a folder with a file for each system
images=FOLDER        write the images of a .bin or .rec file into this folder
mated=names          if labels of pairs and names of people disagree, use the names

No pickle is loaded. The last printed line is the next command.
exit codes: 0 done, 1 not recognised or not usable, 2 usage
"""
WORDS = ("into", "as", "file", "id", "subject", "embedding", "table", "templates", "images", "mated")


def main(argv: Sequence[str]) -> int:
    """``frtaudit import``: 0 done, 1 could not, 2 usage."""
    parser = Parser(
        prog="frtaudit import",
        description="Recognise a test set or a folder of embeddings, and write it in the layout that audits read.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="FOLDER", help="a folder, or a file")
    parser.add_argument("words", metavar="key=value", nargs="*", help="see below")
    options = parser.parse_intermixed_args(argv)
    words = _parsed(options.words)
    if words.get("into") and not os.path.lexists(options.folder):
        from frtaudit.inputs.importing.contents import contents_of

        contents_of(Path(options.folder))  # says so, before what reads and writes tables is loaded
    from frtaudit.config.plugins import load_plugins
    from frtaudit.inputs.importing.importer import read_import, write_images
    from frtaudit.inputs.importing.values import Options
    from frtaudit.report.exports.write import write_whole

    load_plugins()
    into, named = words.pop("into", ""), words.pop("as", "")
    imported = read_import(options.folder, into, named, Options(**words))
    for line in imported.lines():
        _say(line)
    if words.get("images"):
        write_whole(Path(words["images"]), partial(write_images, imported.known), "images")
        _say(f"wrote the images into {words['images']}")
    for path in write_whole(Path(into), imported.write, "into"):
        _say(f"wrote {path}")
    _say(f"next: {imported.next_command()}")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{printable(line)}\n")


def _parsed(words: Sequence[str]) -> dict[str, str]:
    """``key=value`` words; :class:`SpecError` for an unknown key or a duplicate."""
    settings: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in WORDS or key in settings:
            accepted = ", ".join(f"{name}=..." for name in WORDS)
            raise SpecError("command line", f"{word!r}", f"{accepted}, each once")
        settings[key] = value
    return settings
