"""``frtaudit embed``: from images and a model to the templates that an audit reads."""

from collections.abc import Sequence

from frtaudit.cli.options import EMBED_EXAMPLES, parser_of
from frtaudit.core.machine import streams
from frtaudit.core.machine.progress import on_terminal
from frtaudit.core.quoting import typed
from frtaudit.errors import printable

_DOES = "Make templates of images with a model on this machine; repeat the command to resume."


def main(argv: Sequence[str]) -> int:
    """Exit code 0: every image has a template or a stated failure."""
    parser = parser_of("embed", _DOES, EMBED_EXAMPLES, words="IMAGES|key=value")
    options = parser.parse_intermixed_args(argv)
    from frtaudit.collection.embed.run import embed
    from frtaudit.collection.embed.spec import overrides_of
    from frtaudit.config.load import load_embedding

    spec = load_embedding(overrides_of(options.overrides), options.config_dir)
    status = embed(spec, _say, on_terminal)
    for warning in status.warnings:
        _say(f"warning: {warning}")
    then = f"next: frtaudit run audit=templates {typed('cohort.root', spec.into)}"
    for line in (*status.summary, then):
        print(printable(line))  # noqa: T201  what the command says
    return 0


def _say(line: str) -> None:
    streams.write_line(printable(line))
