import dataclasses

import report_fixture

from frtaudit.core import AuditResult
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import licences, record
from frtaudit.report.source import Source

PROVENANCE = {
    "systems": {
        "acme/1": {
            "model": {
                "name": "r50",
                "version": "2",
                "licence": "MIT",
                "use": "commercial",
                "digest": "a" * 64,
            },
            "weights": {"name": "r50 weights", "licence": "non-commercial research only"},
        }
    },
    "test_data": {"name": "Faces", "creator": "A. Person", "use": "non_commercial"},
}


def source(provenance: object = PROVENANCE) -> Source:
    """The synthetic result with that declaration."""
    made = report_fixture.result()
    return Source(dataclasses.replace(made, spec={**made.spec, "provenance": provenance}))


def test_the_record_has_a_line_for_each_origin() -> None:
    """What it is of, name, licence, use and digest, before the digests of the inputs; nothing without a declaration."""
    table, digests = record.build(source()).tables
    rows = [[plain_text(cell) for cell in row] for block in table.blocks for row in block.rows]
    assert rows[0] == ["acme/1, model", "r50, 2", "MIT", "commercial use allowed", "not declared", "a" * 64]
    assert rows[1][:4] == ["acme/1, weights", "r50 weights", "non-commercial research only", "non-commercial"]
    assert rows[2][:5] == ["test data", "Faces", "not declared", "non-commercial", "A. Person"]
    assert digests.name == "digests"
    assert len(record.build(Source(report_fixture.result())).tables) == 1


def test_page_one_names_what_is_not_for_commercial_use() -> None:
    """In bold, with the licence, where one is restricted; no line otherwise."""
    said = plain_text(licences.notice(source()))
    assert (
        said == "Non-commercial use only. acme/1, weights: non-commercial research only and test data: Faces."
    )
    free = {"test_data": {"name": "Faces", "licence": "CC BY 4.0"}}
    assert licences.notice(source(free)) == licences.notice(Source(report_fixture.result())) == ()


def test_page_one_names_a_preset_whose_weights_are_not_for_commercial_use() -> None:
    """Of templates that ``frtaudit embed`` made, unless the spec declares that system's origin itself."""
    made = report_fixture.result()
    presets = {"north/1": {"licence": "weights: non-commercial"}, "south": {"licence": "MIT"}}

    def notice(provenance: object) -> str:
        spec, cohort = {**made.spec, "provenance": provenance}, {**made.cohort, "templates": presets}
        return plain_text(licences.notice(Source(dataclasses.replace(made, spec=spec, cohort=cohort))))

    assert notice(None) == (
        "Non-commercial use only. north/1, preset of the templates: weights: non-commercial."
    )
    assert notice({"systems": {"north/1": {"weights": {"name": "own", "use": "commercial"}}}}) == ""


def test_every_printed_word_points_at_the_result() -> None:
    """The pointer of each declared value leads to it in result.json, also of a system whose name has a slash."""
    made = source()
    content: AuditResult = made.result
    pieces = [piece for row in next(licences.table(made)).blocks[0].rows for cell in row for piece in cell]
    pieces += list(licences.notice(made))
    shown = 0
    for piece in pieces:
        if piece.pointer and piece.text != "not declared":
            value: object = content.to_json()
            for key in piece.pointer.split("/")[1:]:
                value = value[key.replace("~1", "/").replace("~0", "~")]  # type: ignore[index]  # a mapping
            assert value == piece.text
            shown += 1
    assert shown == 10
