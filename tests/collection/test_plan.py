"""Tests also chosen, canaries and terms: how many calls, of which faces and pairs, and what to read before."""

from collections.abc import Iterator
from pathlib import Path

import drawn_faces
import numpy as np
import pytest

from frtaudit.cli import main
from frtaudit.collection.canaries import finding, reassurance, sentences, turn_of
from frtaudit.collection.chosen import groups
from frtaudit.collection.plan import most_pairs, plan_by_size, plan_of_source
from frtaudit.collection.spec import Canaries, CollectionSpec, from_plain
from frtaudit.config.load import load_collection
from frtaudit.core.labelling import Faces
from frtaudit.errors import SpecError
from frtaudit.labelling.pairs import pairs_of
from frtaudit.labelling.settings import Between


@pytest.fixture(autouse=True)
def made_up() -> Iterator[None]:
    """A source and a service of this machine, for one test."""
    drawn_faces.registered()
    yield
    drawn_faces.forgotten()


def spec(**fields: object) -> CollectionSpec:
    """Of 4 queries with 8 pictures."""
    limits = {"detect": 0.001, "compare": 0.01}
    services = {"acme": {"type": "twin", "limits": limits}, "bolt": {"type": "twin", "detects": False}}
    return from_plain(
        {"source": {"type": "drawn", "queries": 4}, "services": services, "into": ".", **fields}
    )


def test_calls_and_price_are_counted() -> None:
    """Detections, comparisons and canaries of each service at its price; a service that finds no faces detects none."""
    made = plan_of_source(spec(budget={"limit": 4.0}))
    counted = {(one.service, one.kind): one.calls for one in made.lines}
    assert counted == {
        ("acme", "detect"): 32, ("acme", "compare"): 224, ("acme", "canary"): 180,
        ("bolt", "compare"): 224, ("bolt", "canary"): 180,
    }  # fmt: skip
    assert float(made.price) == pytest.approx(32 * 0.001 + (224 + 180) * 0.01)
    assert not made.enough
    assert "budget.limit 4 USD: not enough" in made.text()
    assert made.cautions == (
        "budget.limit does not cover bolt: no price is set (services.NAME.limits.compare, .detect)",
    )
    assert plan_of_source(spec()).cautions == ()
    assert made.to_json()["price"] == float(made.price)
    assert plan_by_size(spec(), 4, 8).lines == plan_of_source(spec()).lines


def test_a_paid_search_is_planned_without_a_call() -> None:
    """The source's own calls at their price, its cautions; all queries count as of one group. By size: no such line."""
    made = plan_of_source(
        spec(source={"type": "drawn", "queries": 4, "paid_for": 0.5}, pairs={"group": "group"})
    )
    assert (made.lines[0].service, made.lines[0].kind, made.lines[0].calls) == ("source", "search", 4)
    free = plan_of_source(spec()).price
    assert made.price == free + 2
    assert made.cautions == ("drawn line 3: nearly the name of line 2",)
    assert made.text().endswith(made.cautions[0])
    sized = plan_by_size(spec(source={"type": "drawn", "queries": 4, "paid_for": 0.5}), 4, 8)
    assert sized.price == free
    assert "calls of the source are added to that, 0.5 each search" in sized.text()


@pytest.mark.parametrize("between", list(Between))
def test_pairs_are_as_many_as_are_drawn(between: Between) -> None:
    """Counting gives as many as drawing them does, for uneven queries in two groups and one in none."""
    sizes = {"a": 3, "b": 9, "c": 2, "d": 5, "e": 4}
    columns = {name: {"g": group} for name, group in zip(sizes, ("x", "y", "x", "y", ""), strict=True)}
    of = np.repeat(np.arange(5), list(sizes.values())).astype(np.int32)
    faces = Faces(
        names=tuple(map(str, range(of.size))),
        query_of=of,
        queries=tuple(sizes),
        annotated=np.full(of.size, -2),
    )
    group = groups([columns[name] for name in sizes], "g")
    drawn = pairs_of(faces, group, between, np.random.default_rng(0))[0].size
    assert most_pairs(sizes, columns, spec(pairs={"group": "g", "between": str(between)})) == drawn


def test_settings_that_show_nothing_are_refused() -> None:
    """One round or one repeat shows no change; all faces need services that say where they are."""
    with pytest.raises(SpecError, match=r"canaries.rounds: 1; accepted: 2 or more"):
        spec(canaries={"rounds": 1})
    with pytest.raises(SpecError, match=r"detected: all faces, but bolt does not say where they are"):
        spec(detected="all")
    with pytest.raises(SpecError, match=r"budget.limit: -1"):
        spec(budget={"limit": -1.0})
    with pytest.raises(SpecError, match=r"canaries.pair: |unknown key 'pair'"):
        spec(canaries={"pair": 3})


def test_canaries_without_answers_say_nothing() -> None:
    """Items without a score in every round are left out and counted; a refusal in a later round is no change."""
    answers = np.zeros((8, 2, 3))
    answers[:4, 1] = -np.inf
    found = finding(answers, {"1": 3, "2": 3})
    assert (found["changed"], found["several_versions"], found["answered"]) == (False, True, 4)
    answers[7, 0, 0] = np.nan
    assert finding(answers, {"1": 3})["answered"] == 3
    assert finding(np.full((4, 2, 3), np.nan), {})["least_share_found"] is None
    assert turn_of(Canaries(), 0, 0) == 1


@pytest.mark.parametrize("refused", [20, 12])
def test_refused_canaries_show_no_change(refused: int) -> None:
    """Items that are refused in every round add nothing to the power, and are not counted as answered."""
    answers = np.zeros((20, 3, 3))
    answers[:refused] = -np.inf
    found = finding(answers, {})
    assert found == {**finding(answers[refused:], {}), "items": 20, "both_ways": found["both_ways"]}
    assert bool(reassurance("acme", found)) is (refused < 20)
    few = ["acme: 0 of 20 canary comparisons have a score in every round, too few to show a change"]
    assert sentences("acme", found, []) == (few if refused == 20 else [])


@pytest.mark.parametrize(
    ("queries", "images", "flag"), [(10**9, 8, "--queries"), (8, 10**12, "--images"), (0, 8, "--queries")]
)
def test_absurd_sizes_are_refused_at_once(queries: int, images: int, flag: str) -> None:
    """A thousand million queries would be held in memory one by one."""
    with pytest.raises(SpecError, match=f"^{flag}: "):
        plan_by_size(spec(), queries, images)


def test_the_plan_says_how_long_it_takes() -> None:
    """Calls of the slowest service at its rate; a service without a rate is named."""
    services = {
        "acme": {"type": "twin", "limits": {"rate": 2.0}},
        "bolt": {"type": "twin", "limits": {"rate": 0.5}},
        "crest": {"type": "twin"},
    }
    made = plan_of_source(spec(services=services))
    assert made.seconds == {"acme": (32 + 224 + 180) / 2, "bolt": (32 + 224 + 180) / 0.5}
    assert "At the rates set, it takes 15 min at least (services.bolt.limits.rate)." in made.text()
    assert "no rate is set: crest" in made.text()
    searched = plan_of_source(
        spec(services=services, source={"type": "drawn", "queries": 4, "paid_for": 0.5})
    )
    assert searched.seconds == made.seconds  # a source that is paid takes none of the services away
    assert "no rate is set: crest, source" in searched.text()
    assert made.to_json()["seconds"] == dict(made.seconds)


def test_the_plan_names_terms_and_laws_of_what_leaves_the_machine() -> None:
    """Each remote service has a note with address and date, and laws of biometric data follow; a local one has none."""
    remote = ("azure", "facepp", "luxand", "tencent", "rekognition")
    words = [f"services.{name}.type={name}" for name in remote]
    lines = plan_of_source(load_collection(["source=made_up", *words, "into=."])).text().splitlines()
    for name in remote:
        assert any(
            line.startswith(f"{name}: ") and ("read 2026-" in line or "not read" in line) for line in lines
        )
    assert any("Limited Access" in line for line in lines)
    assert any("740 ILCS 14" in line for line in lines)
    assert plan_of_source(spec()).terms == ()


def test_a_budget_below_the_plan_ends_the_command_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that a script stops; a partial budget is meant to be below."""
    names = tmp_path / "names.csv"
    names.write_text("name\nAda A\nBea B\n")  # no country, which the default template does not need
    words = ["plan", "collect", "source=image_search", f"source.names={names}", "source.price=1.0"]
    words += ["services.a.type=made_up", "budget.limit=19"]
    assert main.main(words) == 1
    assert "budget.limit 19 USD: not enough" in capsys.readouterr().out
    assert main.main([*words, "budget.partial=true"]) == 0
    assert main.main([*words[:-1], "budget.limit=20"]) == 0
