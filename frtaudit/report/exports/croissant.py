"""The test set as a Croissant description (1.1, with its Responsible AI extension 1.0)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from frtaudit.core.canonical import Json, mapping, to_bytes
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.source import rows_of

FILE = "croissant.json"
CROISSANT = "http://mlcommons.org/croissant/"
CONFORMS = (f"{CROISSANT}1.1", f"{CROISSANT}RAI/1.0")
FORMATS: Mapping[str, str] = {
    ".csv": "text/csv",
    ".parquet": "application/vnd.apache.parquet",
    ".txt": "text/plain",
    ".json": "application/json",
}
_TERMS = """citeAs column equivalentProperty extract field fileProperty fileObject fileSet format includes
isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate separator
source subField transform"""
CONTEXT: Mapping[str, Json] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": CROISSANT,
    "rai": f"{CROISSANT}RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    **{name: f"cr:{name}" for name in _TERMS.split()},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}


@register("export", "croissant")
@dataclass(frozen=True, slots=True, kw_only=True)
class Croissant:
    """croissant.json: the test set, its files by digest, the number of people of each class, its limits.

    Name, licence, creator and address are those of the spec's provenance.test_data; what is not declared there is left
    out. It holds no data of single persons.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write ``croissant.json``."""
        declared = mapping(mapping(run.result.spec.get("provenance")).get("test_data"))
        cohort = run.result.cohort
        by_schema = [f"classes by {name}" for name in mapping(cohort.get("schemas"))]
        counts = f"{cohort.get('subjects')} subjects, {cohort.get('samples')} samples"
        people = counts if cohort.get("subjects") else "the data have no subject ids"
        sha256 = str(run.result.digests.get("cohort"))
        inputs = sorted(mapping(run.result.digests.get("inputs")).items())
        creator, classes = declared.get("creator"), _classes(run)
        optional: dict[str, Json] = {
            "license": declared.get("licence"),
            "url": declared.get("source"),
            "creator": {"@type": "sc:Organization", "name": creator} if creator else None,
            "recordSet": [classes] if classes else None,
        }
        dataset: dict[str, Json] = {
            "@context": CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": list(CONFORMS),
            "name": str(declared.get("name") or f"cohort {sha256[:16]}"),
            "description": f"Test set of a face verification audit: {people}. Result sha256 {run.sha256}.",
            "datePublished": run.when.strftime("%Y-%m-%d"),
            "version": str(declared.get("version") or "1.0.0"),
            "distribution": [_file(name, value) for name, value in inputs],
            "rai:personalSensitiveInformation": [
                "biometric data of faces: images, templates or scores",
                *by_schema,
            ],
            "rai:dataLimitations": list(run.result.notes),
            **{key: value for key, value in optional.items() if value is not None},
        }
        OutputFolder(folder).write(FILE, to_bytes(dataset))


def _file(name: str, sha256: Json) -> dict[str, Json]:
    kind = FORMATS.get(PurePosixPath(name).suffix.lower(), "application/octet-stream")
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": kind,
        "sha256": str(sha256),
    }


def _classes(run: FinishedRun) -> dict[str, Json]:
    """How many people and samples each class has, as records; empty without a schema."""
    kinds = {"schema": "sc:Text", "group": "sc:Text", "subjects": "sc:Integer", "samples": "sc:Integer"}
    rows: list[Json] = [
        {f"classes/{key}": schema if key == "schema" else row.get(key) for key in kinds}
        for schema, counted in mapping(run.result.cohort.get("schemas")).items()
        for row in rows_of(mapping(counted).get("groups"))
    ]
    fields: list[Json] = [
        {"@type": "cr:Field", "@id": f"classes/{name}", "name": f"classes/{name}", "dataType": kind}
        for name, kind in kinds.items()
    ]
    if not rows:
        return {}
    return {"@type": "cr:RecordSet", "@id": "classes", "name": "classes", "field": fields, "data": rows}
