"""What all tests share: the real data's folder, and how hypothesis searches."""

import gc
import json
import logging
import os
import pickle
import pkgutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from frtaudit.core.machine.memory import collect_seldom

ROOT = Path(__file__).resolve().parents[1]
# Cases that share nothing with each other.
APART = ("test_story_runs", "test_examples_in_docstrings_run", "test_an_error_imports_no_heavy_library")
SHIPPED = str(ROOT / "conf")
DRAWING = "frtaudit.report.figures.canvas.svg_of"
DEAR = ("test_random_reports.py", "test_interrupted.py")  # a minute or more in one test: it is never the last
UNCOMPILED = ROOT / "tests" / "collection"  # no kernel is needed there

# No deadline: a loaded machine is no bug. Derandomized: the same examples on every run, so that a red test is always a
# change of the code. `HYPOTHESIS_PROFILE=search` looks for new examples; `walk` runs few: which lines are reached.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.register_profile("walk", deadline=None, derandomize=True, max_examples=10)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(scope="session", autouse=True)
def nothing_waits_for_the_disk() -> Iterator[None]:
    """What is written is not forced onto the disk: no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr("frtaudit.collection.store.SYNCHRONOUS", "OFF")
        yield


@pytest.fixture(scope="session", autouse=True)
def every_result_is_one_that_verify_accepts() -> Iterator[None]:
    """What an audit or a publication in a test comes to is what `frtaudit verify` accepts, read back from its bytes.

    By the schema lists are looked at in part.
    """
    from jsonschema import Draft202012Validator

    from frtaudit.core.result import AuditResult
    from frtaudit.core.result_schema import result_schema
    from frtaudit.evaluation.contradictions import contradiction, unfounded

    validator = Draft202012Validator(result_schema({"type": "object"}))

    def checked(make: Callable[..., Any]) -> Callable[..., Any]:
        def made(*args: object) -> object:
            value = (result := make(*args)).to_json()
            validator.validate(
                {key: part[:9] if isinstance(part, list) else part for key, part in value.items()}
            )
            again = AuditResult.from_json(json.loads(result.to_bytes()))
            assert (contradiction(again), unfounded(again)) == (None, None)
            return result

        return made

    with pytest.MonkeyPatch.context() as patch:
        for module, name in (("audit", "audit._result"), ("run", "publishable.disclosure.published")):
            if f"frtaudit.pipeline.{module}" in sys.modules:  # by a collected test, else by none
                path = f"frtaudit.pipeline.{name}"
                patch.setattr(path, checked(pkgutil.resolve_name(path)))
        yield


@pytest.fixture(scope="session", autouse=True)
def presets_are_parsed_once() -> Iterator[None]:
    """A composition gets a copy, by pickle, of a shipped preset and of Hydra's own, which are parsed once a process."""
    from hydra._internal.config_repository import ConfigRepository
    from hydra.core.object_type import ObjectType

    parse = ConfigRepository.load_config
    parsed: dict[tuple[str, str, str], bytes] = {}

    def load_config(repository: ConfigRepository, config_path: str) -> object:
        source = repository._find_object_source(config_path, ObjectType.CONFIG)
        if source is None or source.path not in (SHIPPED, "hydra.conf"):
            return parse(repository, config_path)
        key = (source.provider, source.path, config_path)
        if key not in parsed:
            parsed[key] = pickle.dumps(parse(repository, config_path))
        return pickle.loads(parsed[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConfigRepository, "load_config", load_config)
        yield


def pytest_configure() -> None:
    """Ctrl-C is heard by what is tested also where the tests run in the background, whose shell has it ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Dear files, dear cases apart, then files that hold a slow test: no worker is left alone with one at the end.

    What compiles nothing comes before: while one worker compiles the kernels of an audit, the other need not as well.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}

    def turn(item: pytest.Item) -> tuple[bool, ...]:
        is_slow = item.path in slow
        compiles = not item.path.is_relative_to(UNCOMPILED)
        return item.path.name not in DEAR, compiles, not (is_slow and _apart(item.nodeid)), not is_slow

    items.sort(key=turn)


def _apart(nodeid: str) -> bool:
    """Whether a case shares nothing with the rest of its file."""
    return any(f"::{name}[" in nodeid for name in APART)


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist nobody asks
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """A file goes to one worker, so that it makes what its tests share once; a case apart goes to any."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return nodeid if _apart(nodeid) else super()._split_scope(nodeid)

    return Scheduling(config, log)


def pytest_collection_finish() -> None:
    """What was imported stays: statsmodels collects garbage at every call, and need not walk all of it each time."""
    gc.collect()
    gc.freeze()
    collect_seldom()


@pytest.fixture(scope="session")
def face_data() -> Path:
    """Folder of the real face templates: FRTAUDIT_DATA, or ../shared/data beside the checkout; skips without it."""
    folder = Path(os.environ.get("FRTAUDIT_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "lfw" / "metadata.csv").is_file():
        pytest.skip(f"real face templates not found at {folder}; set FRTAUDIT_DATA")
    return folder.resolve()


@pytest.fixture(autouse=True)
def own_configuration_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test reads or writes the user's configuration folder (demo key, trust)."""
    home = tmp_path_factory.getbasetemp() / "config"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """A sweep's Hydra sets up logging for its process: no test hears another's."""
    yield
    root = logging.getLogger()
    root.handlers = [
        item for item in root.handlers if type(item) not in {logging.StreamHandler, logging.FileHandler}
    ]
    root.setLevel(logging.WARNING)


@pytest.fixture
def one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that cannot be scored again: what lies below the floor of its tail stays unknown."""
    monkeypatch.setattr("frtaudit.pipeline.tail_depth.below_floor", lambda *_: None)


@pytest.fixture(scope="session")
def drawing() -> Callable[..., str]:
    """What draws a figure."""
    from frtaudit.report.figures import canvas  # loads matplotlib: not for every test

    return canvas.svg_of


@contextmanager
def _undrawn(drawing: Callable[..., str]) -> Iterator[None]:
    """Figures of reports are laid out but not drawn in the block; those that are asked for by name are."""
    from frtaudit.report.figures import canvas

    def blank(*asked: Any) -> str:
        return "<svg><title></title></svg>" if canvas._KEPT.get() is None else drawing(*asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DRAWING, blank)
        yield


@pytest.fixture
def no_ink(drawing: Callable[..., str]) -> Iterator[None]:
    """No figure is drawn: for a test that reads a report's words alone."""
    with _undrawn(drawing):
        yield


@pytest.fixture(scope="module")
def words_alone(request: pytest.FixtureRequest, drawing: Callable[..., str]) -> Iterator[None]:
    """No figure is drawn in a module, unless it says ``DRAWN = True``, or a test of it asks for :func:`ink`."""
    with nullcontext() if getattr(request.module, "DRAWN", False) else _undrawn(drawing):
        yield


@pytest.fixture
def ink(drawing: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn, in a test of a module that draws none."""
    monkeypatch.setattr(DRAWING, drawing)


@pytest.fixture(scope="session")
def reports_made_once(drawing: Callable[..., str]) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Runs make their report once: a second process that makes it again and compares doubles what a run costs.

    What is yielded has runs ask the second process again, which draws figures, for the tests whose claim that is.
    `verify` makes a page again that it has not made yet, and knows it where it is asked for another time.
    """
    from frtaudit.report import rendering
    from frtaudit.report.figures import canvas
    from frtaudit.signing import report_files

    @contextmanager
    def made_twice() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as again:
            for name, known in asked.items():
                again.setattr(report_files, name, known)
            again.setattr(DRAWING, drawing)
            yield

    page_of = rendering.page_of
    known: dict[str, bytes] = {}

    def made_once(files: Mapping[str, bytes]) -> bytes:
        key = sha256(repr((canvas.svg_of, sorted(files.items()))).encode()).hexdigest()
        if key not in known:
            known[key] = page_of(files)
        return known[key]

    asked = {name: getattr(report_files, name) for name in ("made_again", "_compare")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_files, "made_again", lambda *_: nullcontext(lambda: None))
        patch.setattr(report_files, "_compare", lambda *_: None)
        patch.setattr(rendering, "page_of", made_once)
        yield made_twice


@pytest.fixture
def made_twice(reports_made_once: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """A second process is asked to make each report again."""
    with reports_made_once():
        yield
