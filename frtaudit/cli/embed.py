"""``frtaudit embed``: from images and a model to the templates that an audit reads."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from frtaudit.cli.options import EMBED_EXAMPLES, parser_of
from frtaudit.core.machine import streams
from frtaudit.core.machine.progress import on_terminal
from frtaudit.core.text.quoting import shell_word
from frtaudit.errors import printable

_DOES = "Make templates of images with a model on this machine; repeat the command to resume."


def main(argv: Sequence[str]) -> int:
    """Exit code 0: every image has a template or a stated failure."""
    parser = parser_of("embed", _DOES, EMBED_EXAMPLES, words="IMAGES|key=value")
    options = parser.parse_intermixed_args(argv)
    from frtaudit.collection.embed.spec import overrides_of
    from frtaudit.config.load import load_embedding

    spec = load_embedding(overrides_of(options.overrides), options.config_dir)
    from frtaudit.collection.embed.run import embed  # after the spec: an error of it comes sooner

    status = embed(spec, _say, on_terminal)
    for warning in status.warnings:
        _say(f"warning: {warning}")
    for line in (*status.summary, f"next: frtaudit run {' '.join(_audit_of(Path(spec.into)))}"):
        print(printable(line))  # noqa: T201  what the command says
    return 0


def _audit_of(into: Path) -> list[str]:
    """The words of an audit of the folder: of the spec that ``frtaudit import`` wrote into it, else of its columns."""
    import yaml

    from frtaudit.collection.embed.folder import METADATA
    from frtaudit.config.choices import presets
    from frtaudit.inputs.importing.schema_words import schema_words
    from frtaudit.inputs.tables import read_table

    imported = [path.stem for path in (into / "audit").glob("imported_*.yaml")]
    if len(imported) == 1:
        return [f"--config-dir {quote(str(into))}", shell_word("audit", imported[0])]
    table = read_table(into / METADATA, METADATA)
    columns = {name: table.texts(name).tolist() for name in table.columns}
    subjects = columns.pop("subject_id")
    shipped = {path.stem: yaml.safe_load(path.read_text("utf-8"))["classes"] for path in presets("schema")}
    return [
        "audit=templates",
        shell_word("cohort.root", str(into)),
        *schema_words(columns, subjects, shipped),
    ]


def _say(line: str) -> None:
    streams.write_line(printable(line))
