from frtaudit.collection.terms import LAWS, READ, TERMS, TOLD, notes_of


def test_each_remote_service_has_its_notes_and_the_laws_follow() -> None:
    """A note has an address and how it was read, a law that it was not; an engine on this machine has none."""
    lines = notes_of({"ours": "azure", "here": "dlib"})
    assert lines[1].startswith("ours: Limited Access")
    assert all(line.endswith(f"; {READ})") for line in lines[1 : -len(LAWS)])
    assert all(line.endswith(f"; {TOLD})") for line in lines[-len(LAWS) :])
    assert len(lines) == 1 + len(TERMS["azure"]) + len(LAWS)
    assert notes_of({"here": "dlib"}) == ()
