"""How scores were collected, for a result: what ``collection.json`` says; no path, no query's name, no address."""

from collections.abc import Mapping
from typing import Any  # Any: JSON as it was read
from urllib.parse import urlsplit

from frtaudit.core.canonical import Json
from frtaudit.stats.systems.drift import beyond_chance

QUERIES = ("query_with_too_few_faces", "query_beyond_budget")
KINDS = ACQUIRE, POLICY, TRANSPORT = "failure_to_acquire", "policy", "transport"  # of refusals
COMPARING, LOOKING = "compare", "detect"
KEPT = ("detected", "least", "pairs", "duplicates", "seed")


def facts_of(read: Mapping[str, Any]) -> dict[str, Json]:
    """What a report says of a collection; raises what a mapping of another form does."""
    return {
        "finished": bool(read["finished"]),
        "spec": _spec(read["spec"]),
        "images": {
            "found": read["images"]["found"],
            "listed": read["images"]["listed"],
            "left_out": [_left_out(*entry) for entry in sorted(read["images"]["left_out"].items())],
        },
        "queries": read["queries"],
        "faces": read["faces"],
        "pairs": read["pairs"],
        "services": {
            name: _service(service, read["pairs"]) for name, service in sorted(read["services"].items())
        },
    }


def _spec(read: Mapping[str, Any]) -> dict[str, Json]:
    """What was asked for; of a source its single values, for a list may hold queries."""
    source = {
        name: _told(value)
        for name, value in sorted(read["source"].items())
        if isinstance(value, (str, int, float))
    }
    canaries = {name: read["canaries"][name] for name in ("pairs", "rounds", "repeats")}
    given = len(read["canaries"]["given"])
    return {**{name: read[name] for name in KEPT}, "canaries": {**canaries, "given": given}, "source": source}


def _told(value: str | float) -> str | float:
    """A value; of an address its host.

    >>> _told("https://api.example.org/doc?key=1&query={query}"), _told("{name} {country}")
    ('api.example.org', '{name} {country}')
    """
    return urlsplit(value).hostname or "" if isinstance(value, str) and "://" in value else value


def split(text: str) -> tuple[str, str]:
    """A refusal's kind and its code, which a collection writes as one.

    >>> split("no_face"), split("transport_http_502")
    (('failure_to_acquire', 'no_face'), ('transport', 'http_502'))
    """
    kind, _, code = text.partition("_")
    return (kind, code) if kind in (POLICY, TRANSPORT) else (ACQUIRE, text)


def _left_out(text: str, count: int) -> dict[str, Json]:
    kind, code = split(text)
    return {
        "code": code,
        "refusal": None if kind == ACQUIRE else kind,
        "count": count,
        "unit": "queries" if code in QUERIES else "images",
    }


def _service(read: Mapping[str, Any], pairs: int) -> dict[str, Json]:
    refused: list[Json] = [
        {"call": call, "refusal": split(text)[0], "code": split(text)[1], "count": count}
        for call, refusals in ((COMPARING, read["refusals"]), (LOOKING, read["detection_refusals"]))
        for text, count in sorted(refusals.items())
    ]
    by_kind: dict[str, Json] = {
        kind: sum(count for text, count in read["refusals"].items() if split(text)[0] == kind)
        for kind in KINDS
    }
    return {
        "settings": {
            name: str(value) for name, value in sorted(read.get("settings", read.get("asked")).items())
        },
        "versions": dict(sorted(read["versions"].items())),
        "scored": read["scores"],
        "by_kind": by_kind,
        "refused": refused,
        "missing": pairs - read["scores"] - sum(read["refusals"].values()),
        "detects": bool(read["detects"]),
        "canaries": None if read["canaries"] is None else _canaries(read["canaries"]),
    }


def _canaries(read: Mapping[str, Any]) -> dict[str, Json]:
    """What was found, and of each later round whether it is more than chance."""
    later: list[Json] = [
        {
            **{name: entry[name] for name in ("round", "apart", "open", "p")},
            "more_than_chance": beyond_chance(entry["p"], read["alpha"], read["rounds"]),
        }
        for entry in read["against_first_round"]
    ]
    names = ("items", "answered", "rounds", "repeats", "noise", "alpha", "power", "least_share_found")
    return {
        **{name: read[name] for name in names},
        "changed": bool(read["changed"]),
        "later": later,
        "both_ways": {name: read["both_ways"][name] for name in ("pairs", "apart", "largest")},
    }
