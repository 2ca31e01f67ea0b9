"""A collection from a web search: what was found is asked for once, and nothing of it stays."""

import json
from functools import partial
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from web_pages import local
from werkzeug import Request, Response

from frtaudit.cli.main import main
from frtaudit.collection.sources.made_up import MadeUp

DRAWN = MadeUp(queries=2, images=3, wrong=0.0, crowd=0.0, near_duplicate=0.0, empty=0.0)
KEY, ENGINE = "made-up-google-key", "made-up-engine"


def test_names_and_addresses_are_in_no_file(
    tmp_path: Path,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Searched, priced within the plan, compared; then no file and no line holds a name, an address or the key."""
    calls = []

    def found(request: Request) -> Response:
        calls.append(request.args["q"])
        who = len(set(calls)) - 1
        items = [
            {"link": f"http://photos.example:{httpserver.port}/zorvund/{who}{image}.png"}
            for image in range(3)
        ]
        return Response(json.dumps({"items": items}))

    httpserver.expect_request("/search").respond_with_handler(found)
    for who in range(2):
        for image in range(3):
            picture = DRAWN.picture(who, image).data
            httpserver.expect_request(f"/zorvund/{who}{image}.png").respond_with_data(picture)
    monkeypatch.setattr("frtaudit.collection.sources.image_search.Fetch", partial(local))
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_CSE_ID", ENGINE)
    (tmp_path / "names.csv").write_text("name,country\nAda Zorvund,UK\nAdo Zorvund,UK\n")
    words = [
        "collect", "source=image_search", f"source.names={tmp_path / 'names.csv'}", "source.limit=10",
        f"source.endpoint={httpserver.url_for('/search')}", "source.price=0.25", "source.search_rate=999",
        "source.rate=999", "services.acme.type=made_up", "least=2", f"into={tmp_path / 'c'}",
    ]  # fmt: skip
    assert main([*words, "budget.limit=0.4"]) == 1
    assert "budget.limit: 0.4 USD, and the plan costs 0.5" in capsys.readouterr().err
    assert not calls
    assert main([*words, "budget.limit=0.5"]) == 0
    assert calls == ["Ada Zorvund UK", "Ado Zorvund UK"]
    assert main(words) == 0
    assert len(calls) == 2
    said = capsys.readouterr()
    assert "names.csv line 3 is near names.csv line 2" in said.err
    told = json.loads((tmp_path / "c" / "collection.json").read_text())
    assert (told["finished"], told["faces"]) == (True, 6)
    runs = json.loads((tmp_path / "c" / "runs.json").read_text())
    assert {"service": "source", "kind": "search", "each": "1/4", "attempts": 2} in runs["attempts"]
    kept = [path.read_bytes() for path in (tmp_path / "c").iterdir()]
    for word in (KEY, ENGINE, "Zorvund", "zorvund", "photos.example"):
        assert not any(word.encode() in held for held in kept), word
        assert word not in said.out + said.err
