"""Tests also scheduler, worker, order, reader: a collection from its source to the files that an audit reads."""

import gc
import itertools
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import drawn_faces
import killed_collection
import numpy as np
import pandas as pd
import pytest

from frtaudit.collection import export
from frtaudit.collection.clients.gate import BudgetError, RateLimiter
from frtaudit.collection.run import CollectionRun, CollectionStatus, collect
from frtaudit.collection.spec import CollectionSpec, from_plain
from frtaudit.collection.store import Store
from frtaudit.core.canonical import digest, dumps
from frtaudit.core.collecting import Answer, CallError, Crop, Detection, Picture, Refusal
from frtaudit.core.machine.signals import Stopped
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.errors import DataError, FrtauditError, ProviderError, SpecError

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def made_up() -> Iterator[None]:
    """A source and a service of this machine, for one test."""
    drawn_faces.registered()
    yield
    drawn_faces.forgotten()


def spec(into: Path, services: Mapping[str, object] | None = None, **fields: object) -> CollectionSpec:
    """A small collection: 4 queries of 8 pictures, 224 pairs, canaries of 2 pairs."""
    plain = {
        "source": {"type": "drawn", "queries": 4},
        "services": services or {"acme": {"type": "twin"}},
        "into": str(into),
        "canaries": {"pairs": 2},
        "duplicates": {"embedding": "none", "faces": "none"},
        **fields,
    }
    return from_plain(plain)


def came(
    into: Path, services: Mapping[str, object] | None = None, **fields: object
) -> tuple[CollectionStatus, dict[str, object]]:
    """A run, and what it left in collection.json."""
    outcome = collect(spec(into, services, **fields))
    return outcome, json.loads((into / "collection.json").read_text())


def stop_at_the_limit(one: CollectionSpec) -> None:
    """A run that begins below the plan, as where calls cost more than planned, and ends at its limit."""
    with patch.object(CollectionRun, "_begin"):
        assert isinstance(collect(one).stopped, BudgetError)


def exported(into: Path) -> dict[str, bytes]:
    """What an audit reads."""
    others = {"store.sqlite", "runs.json"}
    return {path.name: path.read_bytes() for path in into.iterdir() if path.name not in others}


def test_every_pair_is_scored_and_an_audit_reads_it(tmp_path: Path) -> None:
    """Each service has a score of each pair, and cohort=queries finds faces, groups and scores by collection.json."""
    outcome, read = came(tmp_path, {"acme": {"type": "twin"}, "bolt": {"type": "twin", "shift": 2.0}})
    assert outcome.complete
    assert read["pairs"] == 224
    scores = pd.read_parquet(tmp_path / "acme.parquet")
    assert len(scores) == 224
    assert scores["score"].notna().all()
    found = Queries(root=str(tmp_path)).search()
    assert len(found.faces.names) == 32
    assert [one.score.size for one in found.services] == [224, 224]
    assert set(found.columns["group"]) == {"a", "b"}
    assert set(found.paths) == {"collection.json", "faces.csv", "boxes.csv", "acme.parquet", "bolt.parquet"}
    (tmp_path / "store.sqlite").unlink()
    assert Queries(root=str(tmp_path)).search().paths == found.paths


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    """A finished collection asks for nothing when it is called again, and writes the same bytes."""
    log = tmp_path / "acme.log"
    services = {"acme": {"type": "twin", "log": str(log)}}
    came(tmp_path / "c", services)
    asked, files = drawn_faces.attempts(log), exported(tmp_path / "c")
    assert len(asked) == 32 + 224 + 2 * 2 * 3 * 3
    (tmp_path / "c" / "sittings.json").touch()  # the name of runs.json once
    came(tmp_path / "c", services)
    assert drawn_faces.attempts(log) == asked
    assert exported(tmp_path / "c") == files
    assert not (tmp_path / "c" / "sittings.json").exists()


def test_a_folder_of_before_keeps_its_record(tmp_path: Path) -> None:
    """Its spec had another key once: the collection goes on, and ``collection.json`` stays as it was."""
    _, before = came(tmp_path / "c")
    with closing(sqlite3.connect(tmp_path / "c" / "store.sqlite")) as db, db:
        db.execute("UPDATE meta SET value = replace(value, 'recorded_settings', 'asked') WHERE key = 'spec'")
    _, after = came(tmp_path / "c")
    assert isinstance(before["spec"], dict)
    assert "asked" in after["spec"]["services"]["acme"]  # type: ignore[index]  # JSON
    assert after == before | {"spec": after["spec"], "spec_digest": digest(after["spec"])}  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["collection.json", "faces.csv", "acme.parquet", "runs.json"])
def test_a_link_in_the_way_is_refused_before_a_call(tmp_path: Path, name: str) -> None:
    """What will be exported must be writable before anything is asked for and paid."""
    log = tmp_path / "acme.log"
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match=f"output: '{name}' is a link, or no file"):
        came(tmp_path / "c", {"acme": {"type": "twin", "log": str(log)}})
    assert not log.exists()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.slow
def test_ten_kills_lose_nothing(tmp_path: Path) -> None:
    """Killed ten times at random: the export is an unbroken run's, calls made twice were in flight, all are paid."""
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    broken.mkdir()
    whole.mkdir()
    path = {**os.environ, "PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}"}
    command = [sys.executable, str(TESTS / "killed_collection.py"), str(broken), "1"]
    done = subprocess.run(command, env=path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    collect(killed_collection.spec(whole))
    assert exported(broken / "collected").keys() == exported(whole / "collected").keys()
    one, other = exported(broken / "collected"), exported(whole / "collected")
    assert [name for name in one if one[name] != other[name]] in ([], ["collection.json"])
    told = [json.loads(files["collection.json"]) for files in (one, other)]
    for read in told:
        for service in read["spec"]["services"].values():
            del service["log"]  # where this test logs
        del read["spec_digest"]
    assert told[0] == told[1]
    for number, name in enumerate(("acme", "bolt")):
        once, made = (len(drawn_faces.attempts(folder / f"{name}.log")) for folder in (whole, broken))
        store = Store(broken / "collected" / "store.sqlite")
        lost = sum(n for (service, _), n in store.ambiguous().items() if service == number)
        again = store.extra_detections(number)
        paid = sum(n for (service, *_), n in store.attempts().items() if service == number)
        store.close()
        faults = 2 * made // 29 + 1 if name == "acme" else 0  # attempts that the twin had made again
        assert made - once <= lost + again + faults
        assert lost <= killed_collection.KILLS * killed_collection.CONCURRENCY
        assert paid >= made


def test_no_credential_and_no_image_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of a collection, the store and its log included, holds a key or an image's bytes."""
    monkeypatch.setenv("TWIN_KEY", drawn_faces.SECRET)
    came(tmp_path, {"acme": {"type": "twin", "secret": True, "lives": 20.0}})
    source = drawn_faces.Drawn(queries=4)
    pictures = [source.read(found).data for found in source.finds()]
    for path in tmp_path.rglob("*"):
        held = path.read_bytes()
        assert drawn_faces.SECRET.encode() not in held
        assert b"\x89PNG" not in held
        assert not any(picture[60:100] in held for picture in pictures)


def test_no_text_that_a_service_echoes_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that says the key wherever it can: no file of a collection holds it."""
    words = f"unknown key {drawn_faces.SECRET}!"
    compare, detect = drawn_faces.TwinSession.compare, drawn_faces.TwinSession.detect

    def answer(*args: object) -> Answer:
        return replace(compare(*args), request=words, version=words, facts={"said": words, words: 1.0})

    def detected(*args: object) -> Detection:
        seen = detect(*args)
        faces = tuple(replace(face, facts={"said": words}) for face in seen.faces)
        return replace(seen, faces=faces, request=words, version=words)

    monkeypatch.setattr(drawn_faces.TwinSession, "compare", answer)
    monkeypatch.setattr(drawn_faces.TwinSession, "detect", detected)
    _, read = came(tmp_path)
    assert read["services"]["acme"]["versions"] == {"": 224 + 36}
    for path in tmp_path.rglob("*"):
        assert drawn_faces.SECRET.encode() not in path.read_bytes()


def test_images_are_kept_where_asked(tmp_path: Path) -> None:
    """With keep_images each image is written once under its digest."""
    came(tmp_path, keep_images=True)
    assert len(list((tmp_path / "images").iterdir())) == 32


def test_the_budget_is_not_passed(tmp_path: Path) -> None:
    """A budget below the plan is refused before a call; a partial one takes as many queries as it reaches for."""
    priced = {
        "acme": {"type": "twin", "log": str(tmp_path / "log"), "limits": {"compare": 0.01, "concurrency": 3}}
    }
    into = tmp_path / "c"
    with pytest.raises(
        DataError, match=r"budget.limit: 1 USD, and the plan costs 2.6; accepted: a higher limit"
    ):
        came(into, priced, budget={"limit": 1.0})
    assert not drawn_faces.attempts(tmp_path / "log")
    with pytest.raises(
        DataError, match=r"1 USD, and 2 queries with their canaries cost 1.48; accepted: a hig"
    ):
        came(into, priced, budget={"limit": 1.0, "partial": True})
    assert not drawn_faces.attempts(tmp_path / "log")
    outcome, read = came(into, priced, budget={"limit": 1.5, "partial": True})
    assert outcome.complete
    assert (read["finished"], read["queries"], read["pairs"]) == (True, 2, 112)
    assert "the budget was enough for 2 of 4 queries, drawn at random" in read["notes"]
    asked = drawn_faces.attempts(tmp_path / "log")
    assert [sum(line.startswith(kind) for line in asked) for kind in ("detect", "compare")] == [16, 112 + 36]
    (entry,) = [entry for entry in Queries(root=str(into)).search().ledger if "budget" in entry.code]
    assert (entry.count, entry.unit) == (2, "queries")


def test_a_partial_budget_reserves_the_canaries(tmp_path: Path) -> None:
    """Calls that are made again use up the budget of the pairs; every round of canaries is complete nevertheless."""
    faulty = {"acme": {"type": "twin", "faults": 3, "limits": {"compare": 0.01, "concurrency": 3}}}
    outcome, read = came(tmp_path, faulty, budget={"limit": 2.7, "partial": True})
    assert isinstance(outcome.stopped, BudgetError)
    assert not read["finished"]
    acme = read["services"]["acme"]
    assert (acme["canaries"]["answered"], acme["canaries"]["items"]) == (4, 4)
    assert 100 < acme["scores"] < 224
    assert f"acme: the budget was enough for {acme['scores']} of 224 comparisons" in read["notes"]
    assert {entry.code for entry in Queries(root=str(tmp_path)).search().ledger} >= {"not_collected_budget"}
    outcome, read = came(tmp_path, faulty, budget={"limit": 9.0})
    assert outcome.complete
    assert read["services"]["acme"]["scores"] == 224


def test_what_was_spent_is_said_upwards(tmp_path: Path) -> None:
    """260 comparisons at 0.0009 are 0.234: two decimals never say less."""
    outcome = collect(spec(tmp_path, {"acme": {"type": "twin", "limits": {"compare": 0.0009}}}))
    assert outcome.summary[-1] == "spent 0.24 USD"


def test_an_unfinished_collection_is_refused(tmp_path: Path) -> None:
    """Retries that the plan did not hold stop a collection at its budget; an audit refuses it in one line."""
    faulty = {"acme": {"type": "twin", "faults": 3, "limits": {"compare": 0.01, "concurrency": 3}}}
    stopped = collect(spec(tmp_path, faulty, budget={"limit": 2.6})).stopped
    assert stopped is not None
    assert "\n" not in str(stopped)
    assert not (tmp_path / "collection.json").exists()
    with pytest.raises(
        DataError, match=r"cohort.root: the collection in it is not finished; accepted: frtaudit collect"
    ):
        Queries(root=str(tmp_path)).search()
    again = spec(tmp_path, faulty, budget={"limit": 9.0})
    assert collect(again).complete


def test_handles_that_end_are_made_again(tmp_path: Path) -> None:
    """A handle that expired is asked for again, which costs and is counted; every pair has its score."""
    short = {"acme": {"type": "twin", "lives": 0.3, "wait": 0.03, "limits": {"concurrency": 8}}}
    outcome, read = came(tmp_path, short)
    assert outcome.complete
    assert read["services"]["acme"]["refusals"] == {}
    assert read["services"]["acme"]["scores"] == 224
    assert json.loads((tmp_path / "runs.json").read_text())["detected_again"]["acme"] > 0


def test_detections_within_comparisons_are_counted(tmp_path: Path) -> None:
    """A service that looks at a picture again during a comparison: as many as it was asked for are detected_again."""
    log = tmp_path / "log"
    collect(spec(tmp_path / "c", {"acme": {"type": "twin", "renews": 3, "log": str(log)}}))
    again = sum(line.startswith("detect") for line in drawn_faces.attempts(log)) - 32
    assert again > 0
    assert json.loads((tmp_path / "c" / "runs.json").read_text())["detected_again"] == {"acme": again}


def test_refusals_are_results_and_transport_is_tried_again(tmp_path: Path) -> None:
    """Unreadable images and faces not found are counted; a failure of transport is stated, and asked again later."""
    down = {"acme": {"type": "twin", "broken": 5, "breaks": "compare"}}
    said: list[str] = []
    collect(spec(tmp_path, down, source={"type": "drawn", "queries": 4, "strange": 20}, least=6), said.append)
    read = json.loads((tmp_path / "collection.json").read_text())
    assert said == ["drawn 2 image 3: unreadable_image: an image that cannot be decoded to its end"]
    assert read["images"]["left_out"] == {"unreadable_image": 1}
    failed = read["services"]["acme"]["refusals"]
    assert failed.keys() == {"transport_down"}
    assert read["services"]["acme"]["scores"] + failed["transport_down"] == read["pairs"]
    before = (tmp_path / "store.sqlite").read_bytes()
    outcome = collect(spec(tmp_path, down, source={"type": "drawn", "queries": 4, "strange": 20}, least=6))
    assert (tmp_path / "store.sqlite").read_bytes() != before
    assert f"acme: {failed['transport_down']} comparisons failed" in outcome.summary[-2]


def test_an_image_that_could_not_be_looked_at_is_asked_for_again(tmp_path: Path) -> None:
    """Transport failures of looking end the first run; the next asks for those again, and states what is left."""
    log = tmp_path / "log"
    down = {"acme": {"type": "twin", "broken": 5, "log": str(log)}}
    first = collect(spec(tmp_path / "c", down, least=2))
    assert not first.complete
    failed = len(drawn_faces.attempts(log)) - 32
    assert str(first.stopped) == (
        f"collection: not read or processed because of transport errors: services.acme down {failed} times; "
        "accepted: the same command: it tries again, then continues without those that still fail"
    )
    assert not (tmp_path / "c" / "collection.json").exists()
    second = collect(spec(tmp_path / "c", down, least=2))
    read = json.loads((tmp_path / "c" / "collection.json").read_text())
    assert second.complete
    assert read["images"]["left_out"] == {"not_looked_at_by_all": failed}
    assert (
        f"acme: {failed} images could not be processed because of transport errors (down); they are left out"
        in second.summary
    )
    up = {"acme": {"type": "twin", "broken": 5, "log": str(log)}}
    collect(spec(tmp_path / "d", up, least=2))
    before = len(drawn_faces.attempts(log))
    mended = spec(tmp_path / "d", up, least=2)
    object.__setattr__(mended.services["acme"], "broken", 0)
    with sqlite3.connect(
        tmp_path / "d" / "store.sqlite"
    ) as db:  # as a line that is up again: the spec is the same
        db.execute(
            "UPDATE meta SET value = replace(value, '\"broken\":5', '\"broken\":0') WHERE key = 'spec'"
        )
    db.close()
    assert collect(mended).complete
    again = [line for line in drawn_faces.attempts(log)[before:] if line.startswith("detect")]
    assert len(again) == failed


def _set(one: CollectionSpec, service: str, name: str, value: object) -> None:
    """The service with another setting, in a folder that takes it for the same collection."""
    object.__setattr__(one.services[service], name, value)
    with closing(sqlite3.connect(Path(one.into) / "store.sqlite")) as db:
        text = json.loads(db.execute("SELECT value FROM meta WHERE key = 'spec'").fetchone()[0])
        text["services"][service][name] = value
        db.execute("UPDATE meta SET value = ? WHERE key = 'spec'", (dumps(text),))
        db.commit()


def read_in(one: CollectionSpec) -> dict[str, object]:
    """Its collection.json."""
    return dict(json.loads((Path(one.into) / "collection.json").read_text()))


def test_an_outage_in_the_last_round_is_made_good(tmp_path: Path) -> None:
    """Canaries without an answer are said to show nothing; the next run asks for them, and then for no more."""
    log = tmp_path / "log"
    service = {"type": "twin", "log": str(log), "limits": {"concurrency": 1}, "down_after": 32 + 224 + 2 * 12}
    one = spec(tmp_path / "c", {"acme": service})
    assert collect(one).complete
    silent = "acme: 0 of 4 canary comparisons have a score in every round, too few to show a change"
    assert read_in(one)["notes"] == [silent]
    _set(one, "acme", "down_after", 0)
    before = len(drawn_faces.attempts(log))
    assert collect(one).complete
    assert read_in(one)["notes"] == []
    assert len(drawn_faces.attempts(log)) == before + 12
    assert collect(one).complete
    assert len(drawn_faces.attempts(log)) == before + 12


def test_a_round_whose_moment_has_passed_is_not_made_up_for(tmp_path: Path) -> None:
    """First canaries that failed are not asked for after the pairs: what they would say is of another time."""
    service = {"type": "twin", "broken": 2, "breaks": "compare"}
    one = spec(tmp_path / "c", {"acme": service}, canaries={"pairs": 4})
    assert collect(one).complete
    failed = "SELECT turn, count(*) FROM calls WHERE state = 3 AND turn > 0 GROUP BY turn"
    counts = []
    for broken in (0, 0):
        with closing(sqlite3.connect(tmp_path / "c" / "store.sqlite")) as db:
            counts.append(dict(db.execute(failed).fetchall()))
        _set(one, "acme", "broken", broken)
        assert collect(one).complete
    assert set(counts[0]) == set(range(1, 10))
    assert counts[1] == {turn: n for turn, n in counts[0].items() if turn <= 6}


@pytest.mark.parametrize("breaks", ["detect", "compare"])
def test_calls_that_always_fail_end_no_run(tmp_path: Path, breaks: str) -> None:
    """Half of all fail whenever they are asked: the collection ends with stated failures, and costs little more."""
    log = tmp_path / "log"
    service = {"type": "twin", "broken": 2, "breaks": breaks, "log": str(log), "limits": {"concurrency": 4}}
    one = spec(tmp_path / "c", {"acme": service}, source={"type": "drawn", "queries": 8}, least=2)
    runs = [collect(one).complete for _ in range(2)]
    assert runs == [breaks == "compare", True]
    read, before = exported(tmp_path / "c"), len(drawn_faces.attempts(log))
    assert collect(one).complete
    assert exported(tmp_path / "c") == read
    assert len(drawn_faces.attempts(log)) - before <= (2 * (20 + 4) if breaks == "compare" else 0)


def test_a_finished_collection_is_not_lost_by_asking_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the key, and with the service down, what an audit could read before it can read still."""
    monkeypatch.setenv("TWIN_KEY", drawn_faces.SECRET)
    service = {"type": "twin", "broken": 5, "breaks": "compare", "secret": True}
    one = spec(tmp_path, {"acme": service})
    assert collect(one).complete
    known = exported(tmp_path)
    monkeypatch.delenv("TWIN_KEY")
    with pytest.raises(ProviderError, match=r"services\.acme: no credentials"):
        collect(one)
    assert exported(tmp_path) == known
    monkeypatch.setenv("TWIN_KEY", drawn_faces.SECRET)
    object.__setattr__(one.services["acme"], "broken", 1)
    with pytest.raises(DataError, match=r"another services\.acme\.broken"):
        collect(one)
    assert exported(tmp_path) == known
    object.__setattr__(one.services["acme"], "broken", 5)
    assert collect(one).complete
    assert exported(tmp_path) == known
    assert Queries(root=str(tmp_path)).search().services[0].score.size > 100


def test_a_signal_comes_at_any_moment(tmp_path: Path) -> None:
    """Twenty times Ctrl-C at random: each call that was begun has its result on the disk, and the end is whole."""
    rng = np.random.default_rng(5)
    service = {"type": "twin", "wait": 0.001, "limits": {"concurrency": 4}, "log": str(tmp_path / "log")}
    one, stopped = spec(tmp_path / "c", {"acme": service}), 0
    for _ in range(20):
        timer = threading.Timer(rng.uniform(0.03, 0.12), os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            collect(one)
            timer.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            stopped += 1
        gc.collect()  # a store whose opening was cut off is closed with the process, here with its last reference
        store = tmp_path / "c" / "store.sqlite"
        if store.exists() and store.stat().st_size:
            with closing(sqlite3.connect(store)) as db:
                assert not db.execute("SELECT 1 FROM calls WHERE state = 0").fetchall()
    assert stopped == 20
    assert collect(one).complete
    asked = drawn_faces.attempts(tmp_path / "log")
    assert len(asked) == 32 + 224 + 2 * 2 * 3 * 3


def test_an_outage_costs_few_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the middle of comparing on nothing is answered: twenty calls say so, whatever they were of.

    The store waits for the disk, as it does for users: else a thread that the machine held up brings a late answer.
    """
    monkeypatch.setattr("frtaudit.collection.store.SYNCHRONOUS", "FULL")
    log = tmp_path / "log"
    service = {"type": "twin", "down_after": 300, "log": str(log), "limits": {"concurrency": 4}}
    source = {"type": "drawn", "queries": 2, "images": 24}
    outcome = collect(spec(tmp_path / "c", {"acme": service}, source=source))
    assert "the last 20 calls failed (down)" in str(outcome.stopped)
    assert len(drawn_faces.attempts(log)) <= 300 + 20 + 2 * 4  # answers of a moment arrive in any order


def _refusing(monkeypatch: pytest.MonkeyPatch, when: Callable[[int], object], code: str = "http_403") -> None:
    """Comparisons are refused by policy where their number, over all runs of a test, is one of those."""
    answer, count = drawn_faces.TwinSession.compare, itertools.count(1)

    def compare(session: drawn_faces.TwinSession, probe: Crop, reference: Crop) -> Answer:
        if not when(next(count)):
            return answer(session, probe, reference)
        session._attempts("compare", "refused")
        raise CallError(Refusal.POLICY, code)

    monkeypatch.setattr(drawn_faces.TwinSession, "compare", compare)


def test_refusals_all_of_a_sudden_end_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty in a row after answers, as of an account that is blocked for a day: those that were not made are left."""
    one = spec(tmp_path, {"acme": {"type": "twin", "limits": {"concurrency": 1}}})
    _refusing(monkeypatch, lambda number: 100 < number <= 120)
    outcome = collect(one)
    assert str(outcome.stopped) == (
        "services.acme: the last 20 calls were refused (http_403); no more calls are made now; "
        "accepted: the same command when it answers"
    )
    assert not outcome.readable
    assert collect(one).complete
    read = read_in(one)
    assert read["services"]["acme"]["refusals"] == {"policy_http_403": 20}
    why = "acme: 20 comparisons have no score: the service refused them by policy (http_403)"
    assert read["notes"] == [why]


def test_an_image_that_a_service_refused_is_counted_by_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused by policy at detection: the audit says so; where no face was seen, that none was found."""
    look, count = drawn_faces.TwinSession.detect, itertools.count(1)

    def detect(session: drawn_faces.TwinSession, picture: Picture) -> Detection:
        number = next(count)
        if number not in (3, 7):
            return look(session, picture)
        session.gate.attempt("detect")
        if number == 3:
            raise CallError(Refusal.POLICY, "http_451")
        return Detection(faces=())

    monkeypatch.setattr(drawn_faces.TwinSession, "detect", detect)
    _, read = came(tmp_path, {"acme": {"type": "twin", "limits": {"concurrency": 1}}}, least=2)
    assert read["services"]["acme"]["refused_images"] == {"policy_http_451": 1}
    found = Queries(root=str(tmp_path)).search()
    assert [(entry.code, entry.provider, entry.count) for entry in found.ledger] == [
        ("no_face_found", "acme", 1),
        ("policy_http_451", "acme", 1),
        ("image_left_out", None, 2),
    ]


@pytest.mark.parametrize(
    ("when", "runs"), [(lambda _: True, 2), (lambda number: number % 25, 2), (lambda number: number % 5, 1)]
)
def test_a_service_that_refuses_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: Callable[[int], object], runs: int
) -> None:
    """All comparisons are refused, or all but some: the refusals are results, after one more run at most."""
    one = spec(tmp_path, {"acme": {"type": "twin", "limits": {"concurrency": 1}}})
    _refusing(monkeypatch, when, "bad_argument")
    assert [collect(one).complete for _ in range(runs)] == [False, True][-runs:]
    assert read_in(one)["services"]["acme"]["canaries"]["answered"] == 0


def test_services_that_lack_something_are_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two services without a key are one line."""
    monkeypatch.delenv("TWIN_KEY", raising=False)
    services = {name: {"type": "twin", "secret": True} for name in ("acme", "bolt")}
    with pytest.raises(ProviderError) as caught:
        collect(spec(tmp_path / "c", services))
    assert str(caught.value) == (
        "services.acme: no credentials (accepted: TWIN_KEY in the environment); "
        "services.bolt: no credentials; accepted: TWIN_KEY in the environment"
    )


def test_a_wrong_key_is_found_before_any_service_is_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One service refuses the account: the other one was asked for nothing."""

    def refuse(_: object) -> None:
        raise ProviderError("services: twin", "the account is refused", "another key")

    log = tmp_path / "log"
    services = {"acme": {"type": "twin", "log": str(log)}, "bolt": {"type": "twin", "model": "two"}}
    with monkeypatch.context() as patched:
        patched.setattr(
            drawn_faces.TwinSession,
            "check",
            lambda session: refuse(session) if session.twin.model == "two" else None,
            raising=False,
        )
        with pytest.raises(
            ProviderError, match=r"^services.bolt: the account is refused; accepted: another key"
        ):
            collect(spec(tmp_path / "c", services))
    assert log.read_bytes() == b""
    assert collect(spec(tmp_path / "c", services)).complete


def _with(one: CollectionSpec, name: str, *, value: object) -> None:
    """The source with another setting, in a folder that takes it for the same collection."""
    object.__setattr__(one.source, name, value)
    with closing(sqlite3.connect(Path(one.into) / "store.sqlite")) as db:
        text = json.loads(db.execute("SELECT value FROM meta WHERE key = 'spec'").fetchone()[0])
        text["source"][name] = value
        db.execute("UPDATE meta SET value = ? WHERE key = 'spec'", (dumps(text),))
        db.commit()


def test_a_list_of_other_images_is_refused(tmp_path: Path) -> None:
    """A source that lists other images than at first is refused before a call; with the first ones it goes on."""
    log = tmp_path / "log"
    priced = {"acme": {"type": "twin", "log": str(log), "limits": {"compare": 1.0}}}
    one = spec(tmp_path / "c", priced, budget={"limit": 30.0})
    stop_at_the_limit(one)
    asked = drawn_faces.attempts(log)
    for name, value, line in (
        (
            "images",
            7,
            "source: it lists 28 images, and 32 when this collection began; accepted: the same images",
        ),
        (
            "letters",
            "cd",
            "source: it lists 32 images, but others than when this collection began; accepted: ",
        ),
    ):
        first = getattr(one.source, name)
        _with(one, name, value=value)
        with pytest.raises(DataError) as caught:
            collect(one)
        assert str(caught.value).startswith(line)
        _with(one, name, value=first)
    assert drawn_faces.attempts(log) == asked
    object.__setattr__(one.budget, "limit", 999.0)
    assert collect(one).complete


def test_a_service_that_is_down_is_left_alone(tmp_path: Path) -> None:
    """After twenty calls in a row without an answer it is asked no more, in one line; others go on."""
    log, said = tmp_path / "log", []
    services = {"acme": {"type": "twin"}, "bolt": {"type": "twin", "broken": 1, "log": str(log)}}
    one = spec(tmp_path / "c", services, source={"type": "drawn", "queries": 8})
    line = (
        "services.bolt: the last 20 calls failed (down); no more calls are made now; "
        "accepted: the same command when it answers"
    )
    for _ in range(2):
        outcome = collect(one, said.append)
        assert (str(outcome.stopped), outcome.readable, said.pop()) == (line, False, line)
    assert not said
    flying = (
        4  # calls that may be under way when the last of twenty fails; those of the first time are made again
    )
    assert 40 <= len(drawn_faces.attempts(log)) <= 2 * (20 + flying) + 20 + flying
    _set(one, "bolt", "broken", 0)
    assert collect(one).complete
    read = json.loads((tmp_path / "c" / "collection.json").read_text())
    assert [read["services"][name]["scores"] for name in services] == [read["pairs"]] * 2
    assert json.loads((tmp_path / "c" / "runs.json").read_text())["attempts"][1]["attempts"] == 64


def test_a_service_that_never_answered_freezes_nothing(tmp_path: Path) -> None:
    """However often it is tried: faces are chosen when each service has looked at some image."""
    down = {"acme": {"type": "twin", "broken": 1}}
    for _ in range(3):
        outcome = collect(spec(tmp_path, down, source={"type": "drawn", "queries": 1}, least=2))
        assert str(outcome.stopped) == (
            "collection: not read or processed because of transport errors: services.acme down 8 times; "
            "accepted: the same command: it tries again"
        )
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as db:
        assert not db.execute("SELECT 1 FROM meta WHERE key = 'frozen'").fetchall()


def test_handles_outlive_a_run(tmp_path: Path) -> None:
    """A token is written until the collection is complete, so that nothing is looked at twice; a template never is."""
    for name, template in (("tokens", False), ("templates", True)):
        into, log = tmp_path / name, tmp_path / f"{name}.log"
        service = {
            "type": "twin",
            "lives": 60.0,
            "template": template,
            "log": str(log),
            "limits": {"compare": 1.0},
        }
        one = spec(into, {"acme": service}, budget={"limit": 100.0})
        stop_at_the_limit(one)
        with closing(sqlite3.connect(into / "store.sqlite")) as db:
            held = db.execute("SELECT count(*) FROM handles").fetchone()[0]
        assert held == (0 if template else 32)
        object.__setattr__(one.budget, "limit", 999.0)
        assert collect(one).complete
        looked = sum(line.startswith("detect") for line in drawn_faces.attempts(log))
        assert looked > 32 if template else looked == 32
        stored = (into / "store.sqlite").read_bytes()
        digest = drawn_faces.attempts(log)[0].split()[1]
        assert f"{digest} ".encode() not in stored
        read = json.loads((into / "collection.json").read_text())
        assert read["services"]["acme"]["scores"] == 224


def test_a_store_with_an_infinite_box_goes_on(tmp_path: Path) -> None:
    """Earlier versions stored what a service said: the face is outside its picture, and all others are compared."""
    once = {"acme": {"type": "twin", "limits": {"compare": 1.0}}}
    one = spec(tmp_path, once, budget={"limit": 30.0})
    stop_at_the_limit(one)
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as db:
        odd = '[{"box":[0,0,Infinity,NaN],"facts":{},"handle":false}]'
        db.execute("UPDATE calls SET facts = ? WHERE second = 0 AND first = 256", (odd,))
        db.commit()
    object.__setattr__(one.budget, "limit", 999.0)
    assert collect(one).complete
    boxes = pd.read_csv(tmp_path / "boxes.csv")
    assert boxes.loc[boxes["x"] < 0, ["x", "y", "width", "height"]].to_numpy().tolist() == [[-2, -2, 1, 1]]


def test_a_refused_start_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without credentials no folder is made, and one that was there is as it was."""
    monkeypatch.delenv("TWIN_KEY", raising=False)
    (tmp_path / "there").mkdir()
    for name in ("there", "new"):
        with pytest.raises(ProviderError):
            collect(spec(tmp_path / name, {"acme": {"type": "twin", "secret": True}}))
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]


def test_an_image_that_changed_is_a_stated_failure(tmp_path: Path) -> None:
    """Scores are of the images that were looked at: another one says nothing of the service, and is asked for again."""
    once = {"acme": {"type": "twin", "limits": {"compare": 1.0}}}
    one = spec(tmp_path, once, budget={"limit": 30.0})
    stop_at_the_limit(one)
    _with(one, "changed", value=True)  # as files that were replaced
    object.__setattr__(one.budget, "limit", 999.0)
    collect(one)
    read = json.loads((tmp_path / "collection.json").read_text())
    assert read["services"]["acme"]["scores"] <= 30
    failed = 224 - read["services"]["acme"]["scores"]
    assert read["services"]["acme"]["refusals"] == {"transport_image_changed": failed}
    assert not read["services"]["acme"]["canaries"]["changed"]
    _with(one, "changed", value=False)
    assert collect(one).complete
    read = json.loads((tmp_path / "collection.json").read_text())
    assert read["services"]["acme"]["scores"] == 224
    assert read["services"]["acme"]["refusals"] == {}


def test_a_swap_is_found_and_noise_is_not_called_one(tmp_path: Path) -> None:
    """A model swapped halfway shows by version and by scores; a noisy service is noisy, a skewed one skewed."""
    services = {
        "noisy": {
            "type": "twin",
            "noise": 0.05,
            "limits": {"concurrency": 1},
        },  # its noise is by the call's number
        "skewed": {"type": "twin", "skew": 0.1},
        "swapped": {"type": "twin", "swap": 200},
    }
    outcome, read = came(tmp_path, services, canaries={"pairs": 6})
    found = {name: one["canaries"] for name, one in read["services"].items()}
    assert [found[name]["changed"] for name in sorted(services)] == [False, False, True]
    assert [found[name]["several_versions"] for name in sorted(services)] == [False, False, True]
    assert found["noisy"]["noise"] == 1.0
    assert found["skewed"]["both_ways"] == {"pairs": 6, "apart": 6, "largest": pytest.approx(0.1)}
    assert found["skewed"]["least_share_found"] < found["noisy"]["least_share_found"]
    ledger = {entry.code for entry in Queries(root=str(tmp_path)).search().ledger}
    assert {"service_changed_while_collected", "versions_while_collected"} <= ledger
    assert any("swapped changed during the collection" in line for line in outcome.summary)
    assert Queries(root=str(tmp_path)).search().notes == tuple(
        line for line in outcome.summary[:-1] if "no change of scores" not in line
    )


def test_calls_in_flight_are_bounded(tmp_path: Path) -> None:
    """A service is never asked for more at once than its limits allow."""
    from frtaudit.collection.run import CollectionRun

    run = CollectionRun(
        spec(tmp_path, {"acme": {"type": "twin", "wait": 0.002, "limits": {"concurrency": 3}}}), print
    )
    run.run()
    assert run.workers[0].session.most <= 3
    run.close()


WRONG: tuple[tuple[type[FrtauditError], dict[str, object], str], ...] = (
    (
        ProviderError,
        {"services": {"acme": {"type": "twin", "secret": True}}},
        "services.acme: no credentials; accepted: TWIN_KEY",
    ),
    (SpecError, {"services": {"acme": {"type": "twn"}}}, "services.acme.type: no service is named 'twn'"),
    (
        SpecError,
        {"services": {"faces": {"type": "twin"}}},
        "services: the name 'faces'; accepted: up to 64 of a to z",
    ),
    (SpecError, {"services": {}}, "services: none is named"),
    (SpecError, {"pairs": {"group": "race"}}, "pairs.group: no column 'race'; accepted: group"),
    (
        SpecError,
        {"canaries": {"given": [["ab", "cd"]]}},
        "canaries.given: 'ab'; accepted: 8 or more letters",
    ),
    (
        DataError,
        {"least": 99},
        "source: 32 images and no two faces to compare; accepted: queries of 99 images",
    ),
    (
        DataError,
        {"services": {"acme": {"type": "twin"}, "bolt": {"type": "twin", "shift": 21.0}}},
        "collection: no query has 8 images with a face that acme and bolt found",
    ),
)


@pytest.mark.parametrize(("kind", "fields", "line"), WRONG, ids=lambda value: str(value)[:40])
def test_bad_input_is_one_line(
    tmp_path: Path,
    kind: type[FrtauditError],
    fields: dict[str, object],
    line: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What cannot be collected is refused in one line that says where and what would be accepted."""
    monkeypatch.delenv("TWIN_KEY", raising=False)
    budget = {"limit": 9.0} if "least" in fields else {}
    services = fields.pop("services", None) if fields.get("services") != {} else {}
    with pytest.raises(kind) as caught:
        collect(
            from_plain(
                {
                    "source": {"type": "drawn", "queries": 4},
                    "into": str(tmp_path),
                    "budget": budget,
                    "duplicates": {"embedding": "none", "faces": "none"},
                    "services": {"acme": {"type": "twin"}} if services is None else services,
                    **fields,
                }
            )
        )
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)
    if {"pairs", "least"} & fields.keys():  # what the plan knows is refused before a call
        assert not list(tmp_path.iterdir())


def test_a_folder_belongs_to_one_collection(tmp_path: Path) -> None:
    """Other parameters in the same folder, two at once, and a folder that cannot be written are one line each."""
    came(tmp_path / "c")
    with pytest.raises(
        DataError, match=r"into: the folder holds a collection with another services.acme.model;"
    ):
        came(tmp_path / "c", {"acme": {"type": "twin", "model": "two"}})
    store = Store(tmp_path / "c" / "store.sqlite")
    store.begin()
    with pytest.raises(DataError, match="another frtaudit collect works in that folder"):
        came(tmp_path / "c")
    store.close()
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="into: a file stands where a folder is needed"):
        came(tmp_path / "file")


def test_a_signal_between_two_files_of_the_end_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came while the last score list was written ends it before the next file; the same command goes on."""
    write = export._scores

    def interrupted(*args: object) -> None:
        write(*args)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patched:
        patched.setattr(export, "_scores", interrupted)
        before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            with pytest.raises(Stopped):
                collect(spec(tmp_path))
        finally:
            signal.signal(signal.SIGTERM, before)
    assert (tmp_path / "acme.parquet").exists()
    assert not (tmp_path / "collection.json").exists()
    assert came(tmp_path)[0].complete


def test_a_signal_ends_attempts_and_those_not_made_are_not_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls that would be repeated a thousand times end with the attempts in flight, and what was spent is these."""
    count = RateLimiter._count

    def interrupted(gate: RateLimiter, kind: str) -> None:
        count(gate, kind)
        if sum(gate.passed.values()) == 50:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RateLimiter, "_count", interrupted)
    limits = {"attempts": 1000, "detect": 1.0, "compare": 1.0}
    twin = {"type": "twin", "faults": 1, "log": str(tmp_path / "log"), "limits": limits}
    with pytest.raises(Stopped):
        collect(spec(tmp_path / "c", {"acme": twin}))
    attempts = len((tmp_path / "log").read_text().splitlines())
    with closing(Store(tmp_path / "c" / "store.sqlite")) as store:
        assert store.spent() == attempts
    assert 50 <= attempts < 75


def test_a_score_outside_the_range_of_its_service_is_an_error_in_the_answer(tmp_path: Path) -> None:
    """It is never a score: the comparison is asked again, as other failures of transport are."""
    _, read = came(tmp_path, {"acme": {"type": "twin", "noise": 0.5}}, canaries={"pairs": 0})
    scores = pd.read_parquet(tmp_path / "acme.parquet")["score"].dropna()
    assert scores.between(-1, 1).all()
    failed = read["services"]["acme"]["refusals"]
    assert failed.keys() == {"transport_error_in_answer"}
    assert len(scores) + failed["transport_error_in_answer"] == read["pairs"]


def test_scores_are_what_the_service_says(tmp_path: Path) -> None:
    """The exported score of a pair is what comparing its two pictures gives."""
    came(tmp_path)
    source = drawn_faces.Drawn(queries=4)
    pictures = {picture.digest[:16]: picture for picture in map(source.read, source.finds())}
    for row in pd.read_parquet(tmp_path / "acme.parquet").head(5).itertuples():
        one, other = (
            np.asarray(drawn_faces.pixels(pictures[name[7:23]]), dtype=float).ravel()
            for name in (row.probe, row.reference)
        )
        assert row.score == pytest.approx(np.corrcoef(one, other)[0, 1], abs=1e-6)
