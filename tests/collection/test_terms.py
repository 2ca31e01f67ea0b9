from frtaudit.collection.terms import LAWS, READ, TERMS, notes_of


def test_each_remote_service_has_its_notes_and_the_laws_follow() -> None:
    """A note names the service, an address and the day it was read; an engine on this machine has none."""
    lines = notes_of({"ours": "azure", "here": "dlib"})
    assert lines[1].startswith("ours: Limited Access")
    assert all(line.endswith(f", read {READ})") for line in lines[1:])
    assert len(lines) == 1 + len(TERMS["azure"]) + len(LAWS)
    assert notes_of({"here": "dlib"}) == ()
