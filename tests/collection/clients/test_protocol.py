"""What a source may ask of a collection."""

from frtaudit.collection.clients.protocol import UNKEPT


def test_without_notes_each_call_is_made() -> None:
    """The same key twice asks twice."""
    asked: list[str] = []

    def ask() -> str:
        asked.append("x")
        return str(len(asked))

    assert [UNKEPT.answer("search", "key", ask) for _ in range(2)] == ["1", "2"]
