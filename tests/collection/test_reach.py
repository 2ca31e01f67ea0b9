"""Whole queries of a partial budget: which are taken, and that what is taken does not depend on interruptions."""

import json
from collections.abc import Iterator
from pathlib import Path

import drawn_faces
import numpy as np
import pandas as pd
import pytest

from frtaudit.collection.plan import plan_of_source
from frtaudit.collection.run import collect
from frtaudit.collection.spec import CollectionSpec, from_plain
from frtaudit.collection.store import Store


@pytest.fixture(autouse=True)
def made_up() -> Iterator[None]:
    """A source and a service of this machine, for one test."""
    drawn_faces.registered()
    yield
    drawn_faces.forgotten()


def spec(into: Path, limit: float | None, **fields: object) -> CollectionSpec:
    """12 queries of 8 pictures, one in nine of which cannot be read; two services at unequal prices and speeds."""
    services = {
        "acme": {"type": "twin", "limits": {"detect": 0.001, "compare": 0.001}},
        "bolt": {
            "type": "twin",
            "shift": 2.0,
            "limits": {"detect": 0.002, "compare": 0.003, "concurrency": 1},
        },
    }
    plain = {
        "source": {"type": "drawn", "queries": 12, "strange": 9},
        "services": services,
        "into": str(into),
        "least": 5,
        "canaries": {"pairs": 3},
        "duplicates": {"embedding": "none", "faces": "none"},
        "budget": {"limit": limit, "partial": True},
        **fields,
    }
    return from_plain(plain)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
def test_a_third_of_the_plan_yields_a_quarter_of_the_queries(tmp_path: Path, seed: int) -> None:
    """Every pair of every query taken has a score of each service, and every canary of every round its answer."""
    third = float(plan_of_source(spec(tmp_path, None)).price) / 3
    assert collect(spec(tmp_path, third, seed=seed)).complete
    read = json.loads((tmp_path / "collection.json").read_text())
    assert read["queries"] >= 12 / 4
    for service in read["services"].values():
        assert service["scores"] == read["pairs"]
        assert service["canaries"]["answered"] == service["canaries"]["items"]
    runs = json.loads((tmp_path / "runs.json").read_text())
    assert 0.6 * third < runs["spent"] <= third


def test_queries_are_drawn_at_random(tmp_path: Path) -> None:
    """Not the first of the list: another seed takes others, and the groups of the list are all there."""
    taken = []
    for seed in (1, 2):
        collect(spec(tmp_path / str(seed), 1.0, seed=seed))
        faces = pd.read_csv(tmp_path / str(seed) / "faces.csv")
        taken.append(set(faces["query"]))
        assert set(faces["group"]) == {"a", "b"}
    assert taken[0] != taken[1]


def test_an_interrupted_run_takes_the_same_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken off after the first images were looked at, it ends with the files of an unbroken one."""
    from frtaudit.collection import run

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    collect(spec(whole, 1.0))
    with monkeypatch.context() as patch:
        patch.setattr(run.Reach, "extend", _stops_at_its_second_call(run.Reach.extend))
        with pytest.raises(RuntimeError, match="stopped"):
            collect(spec(broken, 1.0))
    store = Store(broken / "store.sqlite")
    assert store.meta("taken") is not None
    store.close()
    collect(spec(broken, 1.0))
    for name in ("faces.csv", "acme.parquet", "bolt.parquet", "collection.json"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


def _stops_at_its_second_call(extend):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    calls = np.zeros(1, dtype=np.int64)

    def counted(self):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        calls[0] += 1
        if calls[0] == 2:
            raise RuntimeError("stopped")
        return extend(self)

    return counted
