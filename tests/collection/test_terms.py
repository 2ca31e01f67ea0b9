from frtaudit.collection.terms import notes_of

LAWS = ("European Union: ", "Illinois: ")


def test_each_remote_service_has_its_notes_and_the_laws_follow() -> None:
    """A note has an address and how it was read, a law that it was not; an engine on this machine has none."""
    for kind, count in (("azure", 1), ("facepp", 1), ("luxand", 1), ("rekognition", 2), ("tencent", 1)):
        head, *lines = notes_of({"ours": kind, "here": "dlib"})
        assert head.startswith("terms and law")
        assert [line.partition(": ")[0] for line in lines[:count]] == ["ours"] * count
        assert all(line.startswith(law) for law, line in zip(LAWS, lines[count:], strict=True))
        assert all(line.endswith("from secondary sources, 2026-11-24)") for line in lines[count:])
    assert "; a stored copy, read 2026-11-24)" in notes_of({"ours": "azure"})[1]
    assert notes_of({"here": "dlib"}) == ()
