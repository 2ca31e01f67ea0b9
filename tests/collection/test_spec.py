"""Tests also export and reader, by their names: what they write is tested in test_run."""

import re
from collections.abc import Iterator

import drawn_faces
import pytest

from frtaudit.cli import main
from frtaudit.collection.sources.folder import Folder
from frtaudit.collection.sources.made_up import MadeUp
from frtaudit.collection.spec import identity
from frtaudit.config.load import load_collection, load_source
from frtaudit.errors import SpecError

WORDS = ["source=drawn", "source.queries=4", "services.acme.type=twin", "into=out"]


@pytest.fixture(autouse=True)
def made_up() -> Iterator[None]:
    """A source and a service of this machine, for one test."""
    drawn_faces.registered()
    yield
    drawn_faces.forgotten()


def test_words_of_the_command_line_make_a_spec() -> None:
    """A source by its name, fields by dotted keys, a service by the key where it has no type."""
    made = load_collection(
        [*WORDS, "services.twin={}", "canaries.pairs=3", "services.acme.limits.compare=0.5"]
    )
    assert made.source == drawn_faces.Drawn(queries=4)
    assert sorted(made.services) == ["acme", "twin"]
    assert made.services["acme"].limits.compare == 0.5
    assert made.canaries.pairs == 3


def test_a_source_is_read_without_services() -> None:
    """What asks no service, such as label --fetch, needs none, and no folder; a source it needs."""
    assert load_source(["source=folder", "source.root=photos"]) == Folder(root="photos")
    source = load_source(["collection=demo", "source.queries=3"])
    assert isinstance(source, MadeUp)
    assert source.queries == 3
    for words, line in (([], "source: no value"), (["source=folder", "sorce.root=x"], "unknown key")):
        with pytest.raises(SpecError, match=line):
            load_source(words)


def test_what_decides_no_answer_is_not_identity() -> None:
    """Prices, rates, the budget and the folder may change between runs; a seed or a model may not."""
    known = identity(load_collection(WORDS))
    others = [
        "services.acme.limits.compare=1",
        "services.acme.limits.rate=3",
        "budget.limit=9",
        "keep_images=true",
    ]
    assert identity(load_collection([*WORDS[:-1], "into=other", *others])) == known
    for word in ("seed=2", "services.acme.model=two", "source.queries=5", "least=3", "canaries.pairs=1"):
        assert identity(load_collection([*WORDS, word])) != known


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["into=out"], "source: no value"),
        (["source=drawn", "into=out"], "services: no value"),
        ([*WORDS, "sed=3"], "spec: unknown key 'sed' (did you mean 'seed'?)"),
        (
            [*WORDS, "services.con.type=twin"],
            "services: the name 'con'; accepted: up to 64 of a to z, A to Z, digits, _ and -",
        ),
        ([*WORDS, "services.Faces.type=twin"], "services: the name 'Faces'"),
        (
            [*WORDS, "services.Acme.type=twin"],
            "services: 'acme' and 'Acme'; accepted: names that differ in more than the case",
        ),
        ([*WORDS, "services.acme.modl=x"], "services.acme: unknown key 'modl'"),
        (["source=drawn", "services.acme.type=twin"], "into: no value; accepted: a folder: into=FOLDER"),
        ([*WORDS[:-1], "into="], "into: no value; accepted: a folder: into=FOLDER"),
        ([*WORDS, "budget.limit=much"], "budget.limit: found 'much'"),
        ([*WORDS, "services.acme.limits.rate=0"], "services.acme.limits: a rate or a timeout of 0 or less"),
        (
            [*WORDS, "services.acme.limits.attempts=0"],
            "services.acme.limits.attempts: 0; accepted: 1 or more",
        ),
        (
            [*WORDS, "services.aws={type: rekognition, endpoint: 'http://example.com'}"],
            "services.aws.endpoint: found the scheme 'http'",
        ),
        (
            [*WORDS, "duplicates.faces=templates", "duplicates.template_similarity=0.99"],
            "duplicates.faces: templates: no collection stores them",
        ),
        (
            [*WORDS[2:], "source=image_search", "source.names=n.csv"],
            "source.price: no value; accepted: a number",
        ),
        ([*WORDS, "hydra.verbose=true"], "command line: 'hydra.verbose=true' sets Hydra itself"),
    ],
)
def test_wrong_words_are_one_line(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says where, and exits with 2."""
    with pytest.raises(SpecError) as caught:
        load_collection(words)
    assert str(caught.value).startswith(line)
    assert main.main(["collect", *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_plan_prints_and_calls_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Frtaudit plan collect prints a table or JSON; a folder need not be named."""
    assert main.main(["plan", "collect", *WORDS[:-1]]) == 0
    assert "4 queries, 32 images, at most 224 pairs" in capsys.readouterr().out
    assert main.main(["plan", "collect", *WORDS, "--queries", "2", "--images", "9", "--json"]) == 0
    assert '"pairs":144' in capsys.readouterr().out
    assert main.main(["plan", "collect", *WORDS, "--queries", "2"]) == 2


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("services.a.limits.compare=.inf", "services.a.limits: a price below 0, or infinite"),
        ("services.a.limits.rate=.nan", "services.a.limits.rate: found nan"),
        ("budget.limit=.inf", "budget.limit: inf"),
        ("source.wrong=.nan", "source.wrong: found nan"),
        ("source.variation=.inf", "variation below 0 or infinite"),
        ("services.b={type: facepp, endpoint: 'https://a b'}", "endpoint: found no host"),
        (f"services.b={{type: facepp, endpoint: 'https://{'a' * 70}.example'}}", "endpoint: found no host"),
    ],
)
def test_numbers_are_finite_and_hosts_are_names(word: str, said: str) -> None:
    """What no call could keep, and what no name server could be asked, is refused before a folder is made."""
    with pytest.raises(SpecError, match=re.escape(said)):
        load_collection(
            [
                "source=made_up",
                "services.a.type=made_up",
                "into=out",
                word.replace(".inf", "inf").replace(".nan", "nan"),
            ]
        )
