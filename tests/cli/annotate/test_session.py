"""``frtaudit label`` from start to end, as a person at a keyboard uses it; the browser speaks to the real program."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from unittest.mock import patch
from urllib.request import Request, urlopen

import pytest
from browser import Tab, tab
from review_search import people, write_search

from frtaudit.cli.annotate.server import Server
from frtaudit.cli.annotate.session import Wanted, review_of, serve_review
from frtaudit.cli.options import label_overrides
from frtaudit.config.load import load_spec
from frtaudit.core.machine import signals
from frtaudit.core.spec_values import LabelSource
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.errors import DataError, SpecError
from frtaudit.labelling.settings import How

TRUTH = {face: int(person == 0) for face, _, person in people()}


# Ctrl-C is heard, also where the tests themselves run in the background of a shell, which ignores it.
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from frtaudit.cli.main import main
sys.exit(main())
"""


@contextmanager
def program(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, running, and the address that it printed."""
    command = [sys.executable, "-c", PROGRAM, "label", *words]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        try:
            assert running.stdout is not None
            text = ""
            while (found := re.search(r"http://\S+", text)) is None:
                line = running.stdout.readline()
                assert line, text
                text += line
            yield running, found[0]
        finally:
            running.kill()


def settled(page: Tab) -> str:
    """What the page counts once nothing waits to be saved."""
    for _ in range(200):
        text = str(page.run("document.getElementById('count').textContent"))
        if text and "saving" not in text:
            return text
        time.sleep(0.02)
    raise AssertionError(text)


def current(page: Tab) -> str:
    """The face that has the focus."""
    label = str(page.run("document.activeElement.getAttribute('aria-label')"))
    found = re.match(r"Face \d+ of \d+, (\w+); ", label)
    assert found, label
    return found[1]


def title(page: Tab) -> str:
    """The query that is shown."""
    return str(page.run("document.getElementById('query').textContent"))


def stored_answers(path: Path) -> dict[str, int]:
    """Face to answer, as the file has it."""
    with path.open(newline="") as stream:
        return {row["face_id"]: int(row["annotation"]) for row in csv.DictReader(stream)}


def typed(page: Tab, answers: dict[str, int], keys: str) -> None:
    """Press the keys, one after the other, and note what each answers for the face in focus."""
    for key in keys:
        answers[current(page)] = {"1": 1, "y": 1, "0": 0, "x": 0, "u": -1}[key]
        page.press(key)


def first_session(page: Tab, answers: dict[str, int]) -> None:
    """Answers, one taken back, moves between faces and queries, the help; nothing but answers answers."""
    assert settled(page) == "0 of 32 answered"
    assert title(page) == "Bo Tern"  # two people are as common: left out, asked first
    typed(page, answers, "1yu0x")
    page.press(" ")  # no suggestion here: nothing is answered
    assert settled(page) == "5 of 32 answered"
    page.press("z")
    answers.popitem()
    here = current(page)
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft"):
        page.press(key)
    assert current(page) == here
    page.press("n")
    assert title(page) == "Cy Marsh"
    page.press("p")
    assert (title(page), current(page)) == ("Bo Tern", here)
    page.press("?")
    assert page.run("document.getElementById('help').open")
    page.press("1")  # into the help
    page.press("Escape")
    assert current(page) == here
    assert settled(page) == "4 of 32 answered"


def after_the_end(page: Tab) -> None:
    """The program is gone: the page says that an answer was not saved, and how many stand."""
    page.press("1")
    settled(page)
    alert = str(page.run("document.getElementById('alert').textContent"))
    assert "Not saved" in alert
    assert "4 answers are in the file" in alert
    page.console.clear()  # the browser noted the connection that was refused


def second_session(page: Tab, answers: dict[str, int]) -> None:
    """The rest: suggestions accepted where there are some, which are right here."""
    assert settled(page) == "4 of 32 answered"
    for count in range(28):
        face = current(page)
        assert face not in answers
        answers[face] = TRUTH[face]
        suggested = title(page) != "Bo Tern"
        page.press((" ", "Enter")[count % 2] if suggested else "01"[TRUTH[face]])
    assert settled(page) == "32 of 32 answered"
    assert "All requested faces have an answer" in str(
        page.run("document.getElementById('status').textContent")
    )


@pytest.mark.slow
@pytest.mark.browser
def test_a_search_is_labelled_by_keyboard(tmp_path: Path) -> None:
    """From the first face to the last by keys alone; killed on the way, nothing that was saved is lost.

    The answers file is what was typed, it goes into an audit's cohort, and Ctrl-C says how many answers stand where.
    """
    folder = write_search(tmp_path / "search")
    path, answers = folder / "answers.csv", dict[str, int]()
    with tab(tmp_path / "profile") as page:
        page.resize(1000, 800)
        with program(str(folder)) as (running, address):
            page.visit(address)
            first_session(page, answers)
            running.kill()
            running.wait()
            assert stored_answers(path) == answers
            after_the_end(page)
            assert stored_answers(path) == answers
        with program(str(folder)) as (running, address):
            page.visit(address)
            second_session(page, answers)
            assert stored_answers(path) == answers
            running.send_signal(signal.SIGINT)
            assert running.stdout is not None
            assert running.stdout.read().splitlines()[-1] == f"32 answers are in {path}"
            assert running.wait() == 0
        assert page.console == []
        assert {url.split("/")[2].split(":")[0] for url in page.requests} == {"127.0.0.1"}
    assert len(answers) == 32
    cohort = Queries(root=str(folder), answers=str(path), labels=How(source=LabelSource.ANNOTATED))
    faces = cohort.search().faces
    assert dict(zip(faces.names, faces.annotated.tolist(), strict=True)) == answers
    assert "answers.csv" in cohort.load({}, 0).inputs


@pytest.mark.browser
def test_pictures_are_shown_and_names_where_there_is_none(tmp_path: Path) -> None:
    """Every picture that the list names is drawn; a face without one shows its id; nothing is wider than a phone."""
    folder = write_search(tmp_path / "search")
    (folder / "pictures" / "ad_01.png").write_text("no picture")
    review = review_of(load_spec(label_overrides([str(folder)])), Wanted(most=31))
    with tab(tmp_path / "profile") as page, Server(review) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        page.resize(390, 800, dark=True)
        page.visit(server.address)
        assert settled(page) == "0 of 31 answered"
        loaded = (
            "Promise.all([...document.images].map(image => image.decode().catch(() => 0)))"
            ".then(() => [...document.images].map(image => image.naturalWidth))"
        )
        assert page.run(loaded) == [96] * 12
        assert page.run("document.documentElement.scrollWidth") <= 390
        later = 0
        for name in ("Cy Marsh", "Ada Quill"):
            page.press("n")
            assert title(page) == name
            later += page.run("document.querySelectorAll('.later').length")
        assert later == 1  # the one of 32 that is not asked
        assert page.run(loaded) == [96] * 8
        shown = "[...document.querySelectorAll('.none')].map(item => item.textContent).sort()"
        assert page.run(shown) == ["ad_00", "ad_01"]
        server.shutdown()


@pytest.mark.browser
def test_a_key_answers_only_where_a_face_has_the_focus(tmp_path: Path) -> None:
    """On a button or on nothing no key answers, moves or undoes; on a face it does, and the next has the focus."""
    folder = write_search(tmp_path / "search", pictures=False)
    review = review_of(load_spec(label_overrides([str(folder)])), Wanted(most=31))
    with tab(tmp_path / "profile") as page, Server(review) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        page.visit(server.address)
        assert settled(page) == "0 of 31 answered"
        here, query = current(page), title(page)
        for place in ("document.querySelector('[data-do=help]').focus()", "document.activeElement.blur()"):
            page.run(place)
            for key in ("0", "y", "u", "n", "c", "z", "ArrowRight", "?"):
                page.press(key)
            assert settled(page) == "0 of 31 answered"
            assert title(page) == query
            assert not page.run("document.getElementById('help').open")
        page.run("document.querySelector('.face[tabindex=\"0\"]').focus()")
        assert current(page) == here
        page.press("1")
        assert settled(page) == "1 of 31 answered"
        assert current(page) != here
        server.shutdown()


@pytest.mark.browser
def test_at_400_percent_the_face_in_focus_is_seen(tmp_path: Path) -> None:
    """In 320 x 256 pixels, 15 a scroll bar, nothing scrolls sideways or covers the face in focus; phones keep bars."""
    folder = write_search(tmp_path / "search", pictures=False)
    review = review_of(load_spec(label_overrides([str(folder)])), Wanted(most=31))
    covered = """(() => { const box = document.activeElement.getBoundingClientRect();
        const y = Math.min(Math.max(box.top + 8, 8), innerHeight - 8);
        const low = Math.min(box.bottom, innerHeight) - 8, x = box.left + 20;
        return [y, low].map(at => document.activeElement.contains(document.elementFromPoint(x, at))); })()"""
    with tab(tmp_path / "profile") as page, Server(review) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        page.send(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}]
        )
        page.visit(server.address)
        settled(page)
        page.send(
            "Emulation.setDeviceMetricsOverride", width=305, height=256, deviceScaleFactor=4, mobile=False
        )
        assert page.run("document.documentElement.scrollWidth") <= 305
        for key in ("End", "ArrowLeft", "Home", "ArrowRight"):
            page.press(key)
            assert page.run(covered) == [True, True]
        bars = "[...document.querySelectorAll('header, footer')].map(bar => getComputedStyle(bar).position)"
        assert page.run(bars) == ["static", "static"]
        page.resize(390, 800)
        assert page.run(bars) == ["sticky", "sticky"]
        server.shutdown()


def test_a_folder_stands_for_the_rapid_test() -> None:
    """Overrides come after it; a named audit stays; two folders are refused."""
    assert label_overrides(["a=1", "here"]) == ["audit=rapid_test", "cohort.root=here", "a=1"]
    assert label_overrides(["audit=mine"]) == ["audit=mine"]
    with pytest.raises(SpecError, match="2 folders"):
        label_overrides(["here", "there"])


def test_what_cannot_be_reviewed_is_one_line(tmp_path: Path) -> None:
    """A cohort that is no search in files; no faces to ask; a file of answers for other faces."""
    with pytest.raises(SpecError, match="cohort: not files of faces found by query"):
        review_of(load_spec(["audit=demo"]))
    folder = write_search(tmp_path / "search", pictures=False)
    spec = load_spec(label_overrides([str(folder)]))
    with pytest.raises(SpecError, match="--first: found 0"):
        review_of(spec, Wanted(most=0))
    (tmp_path / "other.csv").write_text("face_id,annotation\nnobody,1\n")
    with pytest.raises(DataError, match=r"other\.csv line 2: a face that the list of faces lacks"):
        review_of(spec, Wanted(answers=tmp_path / "other.csv"))
    with pytest.raises(
        SpecError, match=r"--reviews: other\.csv is named twice; accepted: the files of two reviewers"
    ):
        review_of(spec, Wanted(reviews=(tmp_path / "other.csv", tmp_path / "." / "other.csv")))
    (tmp_path / "more.csv").write_text("face_id,annotation,remark\nad_00,1,glasses\n")
    with pytest.raises(DataError, match=r"^more\.csv: has the column 'remark', which would be lost"):
        review_of(spec, Wanted(answers=tmp_path / "more.csv"))


def test_the_terminal_says_how_many_queries_remain(tmp_path: Path) -> None:
    """Where the page is and how many remain, then a line when a query is finished, and when an answer is taken back."""
    review = review_of(load_spec(label_overrides([str(write_search(tmp_path / "search", pictures=False))])))
    said: list[str] = []
    serving = Event()

    def on_line(line: str) -> None:
        said.append(line)
        serving.set() if "open http" in line else None

    with patch("frtaudit.cli.annotate.session.Server", wraps=Server) as made:
        made.side_effect = lambda *words: servers.append(Server(*words)) or servers[0]
        servers: list[Server] = []
        session = Thread(target=serve_review, args=(review, 0, on_line))
        session.start()
        assert serving.wait(20)
    page = servers[0]
    first = [one.face for one in review.sheets[0].questions]
    for face, answer in [*((face, 1) for face in first), (first[0], None)]:
        body = json.dumps({"face": face, "answer": answer}).encode()
        asked = Request(page.address + "answer", body, {"Content-Type": "application/json"})
        urlopen(asked).close()
    page.shutdown()
    session.join(20)
    assert f"open {page.address} in a browser on this machine, 3 queries remain; Ctrl-C ends" in said
    assert said[2:] == [
        "2 of 3 queries remain",
        "3 of 3 queries remain",
        f"{len(first) - 1} answers are in {review.journal.path}",
    ]


def test_a_signal_ends_a_session_and_stops_one_that_has_not_begun(tmp_path: Path) -> None:
    """Before the page has an address it ends the command as any other; then it is how a session ends.

    What is said of answers is so: there is no file where nothing was answered.
    """
    review = review_of(load_spec(label_overrides([str(write_search(tmp_path / "search", pictures=False))])))
    said: list[str] = []

    def on_line(line: str) -> None:
        said.append(line)
        if "open http" in line:
            os.kill(os.getpid(), signal.SIGTERM)

    with signals.listening():
        serve_review(review, 0, on_line)
        assert said[2:] == [f"no answers: there is no {review.journal.path}"]
        assert not review.journal.path.exists()
        with pytest.raises(signals.Stopped):
            serve_review(review, 0, said.append)
    assert len(said) == 3


@pytest.mark.browser
def test_axe_finds_nothing_serious_on_the_page(tmp_path: Path) -> None:
    """axe-core's rules hold in both themes and at phone width, also with the help open: nothing serious or critical."""
    axe = os.environ.get("FRTAUDIT_AXE")
    if not axe:
        pytest.skip("FRTAUDIT_AXE names no axe.min.js (npm pack axe-core)")
    with program(str(write_search(tmp_path / "search"))) as (_, address), tab(tmp_path / "profile") as page:
        page.visit(address)
        settled(page)
        page.run(Path(axe).read_text("utf-8") + "; 0")
        for keys in ("", "?"):
            for key in keys:
                page.press(key)
            for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
                page.resize(width, 900, dark=dark)
                found = page.run(
                    "axe.run(document, {resultTypes: ['violations']}).then(all => all.violations.map("
                    "item => [item.id, item.impact, item.nodes.length, String(item.nodes[0].target)]))"
                )
                assert [item for item in found if item[1] in ("serious", "critical")] == [], (
                    width,
                    dark,
                    keys,
                )
