"""Tables of images by query."""

from pathlib import Path

import pytest

from frtaudit.collection.clients.queries import beyond, found_in, queries_of
from frtaudit.errors import DataError


def listed(folder: Path, text: str) -> Path:
    (folder / "urls.csv").write_text(text)
    return folder / "urls.csv"


def test_queries_stand_in_the_order_of_their_first_line(tmp_path: Path) -> None:
    """Their images in the order of the lines, up to the limit, with what stands beside the query."""
    queries = queries_of(listed(tmp_path, "query,url,group\nb,u1,x\na,u2,y\nb,u3,x\nb,u4,x\n"), "url")
    found = list(found_in(queries, 2))
    assert [(one.query, one.place, one.address) for one in found] == [
        (0, "urls.csv line 2", "u1"),
        (0, "urls.csv line 4", "u3"),
        (1, "urls.csv line 3", "u2"),
    ]
    assert found[0].columns == {"group": "x"}
    assert beyond(queries, 2) == ("limit=2 leaves out 1 image of 1 query",)
    assert beyond(queries, 1) == ("limit=1 leaves out 2 images of 1 query",)
    assert beyond(queries, 3) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query,url\nAda,u1\n,u2\n", "urls.csv line 3: no query"),
        ("query,url\nAda,\n", "urls.csv line 2: no url"),
        ("query,url\nAda,u1\nBob,u1\nAda,u1\n", "urls.csv line 4: the image of line 2 again"),
        ("query,url,group\nAda,u1,x\nAda,u2,y\n", "urls.csv line 3: gives a query a different group"),
        ("name,url\nAda,u1\n", "urls.csv: no column query"),
        ("query,link\nAda,u1\n", "urls.csv: no column url"),
    ],
)
def test_lines_that_cannot_be_used(tmp_path: Path, text: str, said: str) -> None:
    """One line that tells where, and neither a query nor an address."""
    with pytest.raises(DataError) as caught:
        queries_of(listed(tmp_path, text), "url")
    assert str(caught.value).startswith(said)
    assert "Ada" not in str(caught.value)


def test_a_table_of_queries_alone(tmp_path: Path) -> None:
    """Each stands once."""
    assert [one.name for one in queries_of(listed(tmp_path, "query,group\nb,x\na,y\n"), None)] == ["b", "a"]
    with pytest.raises(DataError, match="urls.csv line 3: the query of line 2 again"):
        queries_of(listed(tmp_path, "query,group\nb,x\nb,x\n"), None)
