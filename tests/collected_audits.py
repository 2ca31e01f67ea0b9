"""A small collection from three synthetic services, one of which changes and one of which fails, and an audit of it."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import drawn_faces

from frtaudit.collection.run import collect
from frtaudit.collection.spec import from_plain
from frtaudit.config.load import load_spec
from frtaudit.core import AuditResult
from frtaudit.core.canonical import sha256_file
from frtaudit.pipeline.audit import audit

SERVICES = {
    "acme": {"type": "twin"},
    "bolt": {"type": "twin", "swap": 200, "skew": 0.1},
    "crest": {"type": "twin", "broken": 29, "breaks": "compare", "model": "two"},
}
ASKED = (
    "audit=rapid_test", "schemas=[]", "thresholds.fmr=[0.3]", "bootstrap.B=39", "~analyses.label_cost",
    "~analyses.differentials", "cohort.labels.limits.min_faces=2", "cohort.labels.limits.min_positives=2",
    "cohort.labels.limits.size=1.5", "cohort.labels.modes={acme: [0, 0.9], bolt: [0, 0.6], crest: [0, 0.9]}",
)  # fmt: skip


def collected(into: Path) -> None:
    """Twelve queries of six images, of which a few cannot be read."""
    drawn_faces.registered()
    try:
        collect(
            from_plain(
                {
                    "source": {"type": "drawn", "queries": 12, "images": 6, "strange": 31},
                    "services": SERVICES,
                    "into": str(into),
                    "canaries": {"pairs": 6},
                    "duplicates": {"embedding": "none", "faces": "none"},
                    "least": 5,
                }
            )
        )
    finally:
        drawn_faces.forgotten()


@cache
def result() -> AuditResult:
    """The audit's result, as its file says it."""
    with TemporaryDirectory() as where:
        into = Path(where) / "collected"
        collected(into)
        return audit(load_spec([*ASKED, f"cohort.root={into}"])).result


def stored_collection(folder: Path, **fields: object) -> Path:
    """A collection of one service that changed, with one score missing."""
    (folder / "faces.csv").write_text("face_id,query\n")
    canaries = {
        "items": 8, "answered": 8, "rounds": 2, "repeats": 3, "noise": 0.0, "changed": True, "alpha": 0.01,
        "against_first_round": [{"round": 2, "apart": 5, "open": 5, "p": 1e-5}], "power": 0.95,
        "least_share_found": 0.6, "both_ways": {"pairs": 4, "apart": 0, "largest": 0.0},
    }  # fmt: skip
    service = {
        "scores": 8, "refusals": {"no_face": 1}, "versions": {"1": 4, "2": 4}, "canaries": canaries,
        "settings": {"model": "one"}, "detects": True, "detection_refusals": {"transport_timeout": 2},
    }  # fmt: skip
    spec = {
        "source": {"type": "news_search", "feed": "https://feed.example.org/x?key=1&q={query}", "names": ["Ada Q"]},
        "detected": "single", "least": 8, "pairs": {"between": "matched", "group": None}, "seed": 1,
        "duplicates": {"similarity": "0.9"}, "services": {"acme": {"endpoint": "https://customer.example.org"}},
        "canaries": {"pairs": 4, "rounds": 2, "repeats": 3, "given": [["abcdefgh", "ijklmnop"]]},
    }  # fmt: skip
    content = {
        "format": "frtaudit-collection/1", "finished": True, "partial": False, "pairs": 10, "boxes": None,
        "services": {"acme": service}, "notes": ["acme changed"], "spec": spec, "queries": 3, "faces": 24,
        "images": {"found": 30, "listed": 28, "left_out": {"unreadable_image": 2, "policy_robots": 1}},
        "files": {"faces.csv": sha256_file(folder / "faces.csv")}, **fields,
    }  # fmt: skip
    (folder / "collection.json").write_text(json.dumps(content))
    return folder
