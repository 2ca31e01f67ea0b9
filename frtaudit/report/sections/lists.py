"""The files that an audit wrote beside its result: names and digests."""

from frtaudit.core.canonical import escape, mapping
from frtaudit.core.machine.run_files import LISTS
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import Source

SHOWN = 16


def table(source: Source, prefix: str) -> list[Table]:
    """The lists below ``prefix``; none where nothing was written."""
    digests = mapping(source.result.digests.get("outputs"))
    names = sorted(name for name in digests if name.startswith(prefix))
    if not names:
        return []
    rows = tuple(
        (
            (phrases.code(f"{LISTS}/{name}"),),
            (phrases.code(str(digests[name])[:SHOWN], f"/digests/outputs/{escape(name)}"),),
        )
        for name in names
    )
    columns = header(["File", f"SHA-256, first {SHOWN} digits"])
    caption = phrases.titled(
        "Lists.",
        "Written beside this report; the result holds their digests. They contain the names of samples and subjects "
        "in the metadata.",
    )
    return [build_table(f"lists-{prefix.strip('/')}", caption, columns, [Block(rows=rows)], Footnotes())]
