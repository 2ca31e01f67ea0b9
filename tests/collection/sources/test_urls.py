"""Images by their addresses."""

import csv
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from web_pages import local, photo

from frtaudit.collection.clients.fetch import Fetch
from frtaudit.collection.sources.urls import Urls
from frtaudit.config.plugins import load_plugins
from frtaudit.core.collecting import CallError
from frtaudit.core.identity import plugin
from frtaudit.errors import DataError, SpecError


def listed(folder: Path, *urls: str) -> str:
    path = folder / "urls.csv"
    path.write_text("query,url,group\n" + "".join(f"Ada Lovelace,{url},f\n" for url in urls))
    return str(path)


def test_images_are_fetched_by_line(tmp_path: Path, httpserver: HTTPServer) -> None:
    """In the order of the lines, with the columns of the query; nothing of a name or an address in what is shown."""
    load_plugins()
    for n in range(2):
        httpserver.expect_request(f"/{n}.jpg").respond_with_data(photo(n))
    settings = {
        "type": "urls",
        "file": listed(tmp_path, httpserver.url_for("/1.jpg"), httpserver.url_for("/0.jpg")),
    }
    source = plugin("source", settings, "source")
    assert isinstance(source, Urls)
    found = list(source.finds())
    with pytest.raises(CallError, match="address_not_allowed"):
        source.read(found[0])
    object.__setattr__(source, "fetch", local())
    assert [source.read(one).data for one in found] == [photo(1), photo(0)]
    assert [(one.query, one.place, one.columns) for one in found][1] == (0, "urls.csv line 3", {"group": "f"})
    assert source.at_most() == [2]
    assert (source.calls(), source.paid, source.cautions()) == ({}, {}, ())
    shown = repr(found)
    assert "Ada" not in shown
    assert "http" not in shown


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1/a.jpg", "address_not_allowed"),
        ("http://10.1.2.3/a.jpg", "address_not_allowed"),
        ("http://[::1]/a.jpg", "address_not_allowed"),
        ("http://2130706433/a.jpg", "address_not_allowed"),
        ("ftp://photos.example/a.jpg", "scheme_not_allowed"),
        ("file:///etc/passwd", "scheme_not_allowed"),
        ("a.jpg", "not_an_address"),
    ],
)
def test_what_is_not_fetched(tmp_path: Path, url: str, code: str) -> None:
    """Each image by its own code; the others of the list go on."""
    source = Urls(file=listed(tmp_path, url, "http://10.0.0.2/b.jpg"))
    found = list(source.finds())
    assert len(found) == 2
    with pytest.raises(CallError) as caught:
        source.read(found[0])
    assert caught.value.code == code


def test_a_decompression_bomb_is_not_decoded(tmp_path: Path, httpserver: HTTPServer) -> None:
    """Pixels are looked at before they are made."""
    big = bytearray(photo(size=8, kind="PNG"))
    big[16:24] = (60_000).to_bytes(4, "big") * 2
    big[29:33] = zlib.crc32(big[12:29]).to_bytes(4, "big")
    httpserver.expect_request("/a.png").respond_with_data(bytes(big))
    source = Urls(file=listed(tmp_path, httpserver.url_for("/a.png")))
    object.__setattr__(source, "fetch", local())
    with pytest.raises(CallError, match="too_many_pixels"):
        source.read(next(source.finds()))


def test_a_spec_cannot_set_how_addresses_are_checked() -> None:
    """``fetch`` is no setting."""
    load_plugins()
    with pytest.raises(SpecError, match="unknown key 'fetch'"):
        plugin("source", {"type": "urls", "file": "a.csv", "fetch": {}}, "source")
    for settings in ({"limit": 0}, {"rate": 0.0}):
        with pytest.raises(SpecError, match=f"source.{next(iter(settings))}"):
            Urls(file="a.csv", **settings)


cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=20)


@given(
    st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=4),
    st.sampled_from(["", "http://", "https://"]),
)
def test_no_error_of_a_list_holds_a_query_or_an_address(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], scheme: str
) -> None:
    """Whatever stands in the cells: a line with its place or a code, and none of the words."""
    path = tmp_path_factory.mktemp("list") / "urls.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["query", "url", "group"])
        writer.writerows(
            (f"Lovelace{who}", f"{scheme}Lovelace.example{url}", f"Lovelace{group}")
            for who, url, group in rows
        )
    source = Urls(file=str(path))
    object.__setattr__(source, "fetch", Fetch(resolve=lambda *_: ["10.0.0.1"]))
    said = []
    try:
        for found in source.finds():
            said.append(found.place)
            source.read(found)
    except (DataError, CallError) as error:
        said.append(str(error))
    assert said
    assert "ovelace" not in " ".join(said).lower()
