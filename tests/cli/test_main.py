"""Tests of frtaudit.cli.main, of its commands plan and others that stand on it alone, and of the public door."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import frtaudit
from frtaudit.cli import main, multirun, start
from frtaudit.cli import run as app
from frtaudit.collection import run as collection_run
from frtaudit.collection.spec import CollectionSpec
from frtaudit.config import plugins
from frtaudit.core.findings import FailOn
from frtaudit.errors import DataError
from frtaudit.inputs.places import STORE
from frtaudit.pipeline import dry_run


@pytest.fixture
def handed_on(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What app.run and launch.sweep are called with."""
    calls: list[tuple[object, ...]] = []

    def run(
        flags: Sequence[str], overrides: Sequence[str], config_dir: str | None, fail_on: FailOn, **told: bool
    ) -> int:
        calls.append((list(flags), list(overrides), config_dir, fail_on, *filter(told.get, told)))
        return 0

    def sweep(overrides: Sequence[str], config_dir: str | None, fail_on: FailOn, **told: bool) -> int:
        calls.append((list(overrides), config_dir, fail_on, *filter(told.get, told)))
        return 0

    monkeypatch.setattr(app, "run", run)
    monkeypatch.setattr(multirun, "sweep", sweep)
    return calls


@pytest.mark.parametrize("words", [["--version"], ["run", "--version"], ["verify", "--version"]])
def test_version_is_frtaudits(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """--version answers for frtaudit, after a command too."""
    assert main.main(words) == 0
    assert capsys.readouterr().out == f"frtaudit {frtaudit.__version__}\n"


def test_version_loads_nothing_heavy() -> None:
    """--version imports neither Hydra nor NumPy."""
    code = "import sys, frtaudit.cli.main as m; m.main(['--version']); print({*sys.modules} & {'hydra', 'numpy'})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_ctrl_c_while_the_command_is_loaded_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before it listens to signals, too: exit code 130 and no traceback of the import."""

    class Pressed:
        def find_spec(self, *_: object) -> None:
            raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "frtaudit.cli.main")
    monkeypatch.setattr(sys, "meta_path", [Pressed(), *sys.meta_path])
    assert start() == 130
    assert capsys.readouterr().err == "frtaudit: stopped\n"


@pytest.mark.parametrize("command", ["verify", "reproduce", "export", "figures"])
def test_a_path_that_is_not_there_is_refused_before_what_is_slow_is_loaded(
    command: str, tmp_path: Path
) -> None:
    """A mistyped path is answered in a fraction of a second: nothing that draws or reads PDFs is imported for it."""
    code = (
        "import sys, frtaudit.cli.main as m; m.main(sys.argv[1:]); "
        "print({*sys.modules} & {'matplotlib', 'pandas', 'pyhanko', 'scipy', 'weasyprint'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, command, str(tmp_path / "nowhere")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "set()"
    assert "nowhere: " in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["SOURCE_DATE_EPOCH", "MPLBACKEND", "HB_SHAPER_LIST"])
def test_what_the_shell_says_to_libraries_is_not_heeded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A time that is no number or an unknown backend ends a library, another shaper moves letters: none reaches one."""
    monkeypatch.setenv(name, "abc")
    assert main.main(["--version"]) == 0
    assert name not in os.environ


@pytest.mark.parametrize(("given", "taken"), [(None, "1"), ("4", "4")])
def test_a_command_starts_no_threads_of_blas(
    given: str | None, taken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They cost a tenth of a second of each start, and tiles have threads of their own; who asks for some has them."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", given or "")
    if given is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    assert main.main(["--version"]) == 0
    assert os.environ["OPENBLAS_NUM_THREADS"] == taken


def test_what_a_command_starts_imports_nothing_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Python that any command starts finds no module in the folder, nor does ``python -m frtaudit``."""
    monkeypatch.chdir(tmp_path)
    Path("decoy.py").write_text("")
    child = [sys.executable, "-c", "import decoy"]
    monkeypatch.setitem(
        main.COMMANDS, "list", lambda _: subprocess.run(child, check=False, capture_output=True).returncode
    )
    assert main.main(["list"]) == 1
    Path("argparse.py").write_text("open('ran', 'w').close()\n")
    subprocess.run(
        [sys.executable, "-m", "frtaudit", "list", "metric"], check=True, capture_output=True
    )  # says what it is asked for
    assert not Path("ran").exists()


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Without words the commands are shown, as usage (exit 2); with --help as an answer."""
    assert main.main([]) == 2
    assert main.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in main.COMMANDS)


@pytest.mark.parametrize("command", main.COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """--help of each command says how to call it."""
    with pytest.raises(SystemExit) as caught:
        main.main([command, "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert f"usage: frtaudit {command}" in shown
    codes = shown[shown.index("exit codes: ") :]
    assert "128 + n ended by signal n" in codes
    assert ("a sweep ends with" in codes) is (command == "run")
    assert ("3 audited and a requirement failed" in codes) is (command in ("run", "compare"))


def test_flags_and_overrides_come_in_any_order(handed_on: list[tuple[object, ...]]) -> None:
    """Flags may stand before, between and after overrides."""
    expected = (["audit=demo", "seed=1,2"], "mine", FailOn.INCONCLUSIVE)
    orders = [
        ["run", "audit=demo", "seed=1,2", "--config-dir", "mine", "-m", "--fail-on", "inconclusive"],
        ["run", "-m", "audit=demo", "--fail-on=inconclusive", "-cd", "mine", "seed=1,2"],
        ["run", "--config-dir", "mine", "--multirun", "--fail-on", "inconclusive", "audit=demo", "seed=1,2"],
    ]
    for words in orders:
        assert main.main(words) == 0
    assert handed_on == [expected] * 3


@pytest.mark.parametrize("words", [["run", "audit=demo"], ["run", "-m", "audit=demo", "seed=1,2"]])
def test_a_program_may_ask_for_json(words: list[str], handed_on: list[tuple[object, ...]]) -> None:
    """--json of run and of a sweep is passed on, and is off without it."""
    assert main.main([*words, "--json"]) == main.main(words) == 0
    assert [call[-1] == "as_json" for call in handed_on] == [True, False]


def test_hydra_flags_are_passed_on(handed_on: list[tuple[object, ...]]) -> None:
    """--cfg, --resolve and --package are Hydra's."""
    main.main(["run", "audit=demo", "--cfg", "job", "--resolve", "--package", "bootstrap"])
    assert handed_on[0][0] == ["--resolve", "--cfg", "job", "--package", "bootstrap"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["nope"], "frtaudit: command line: no command 'nope'; accepted: run, compare, check"),
        (
            ["export", ""],
            "frtaudit: command line: an argument is empty; accepted: frtaudit export --help shows it",
        ),
        (
            ["run", "--nope"],
            "frtaudit: command line: unrecognized arguments: --nope; accepted: frtaudit run --help",
        ),
        (["run", "--config-name", "x"], "frtaudit: command line: unrecognized arguments: --config-name"),
        (["run", "--fail-on", "x"], "frtaudit: command line: argument --fail-on: invalid choice: 'x'"),
        (["run", "foo"], "frtaudit: command line: cannot read 'foo'; accepted: key=value"),
        (
            ["run", "audit=demo", "hydra.verbose=true"],
            "frtaudit: command line: 'hydra.verbose=true' sets Hydra itself",
        ),
        (
            ["plan", "audit=demo", "--limit", "fnmr"],
            "frtaudit: command line: argument --limit: found 'fnmr', which is not like fnmr=0.01; accepted: ",
        ),
        (
            ["plan", "--subjects", "9"],
            "frtaudit: --samples: no value, but --subjects is given; accepted: how many",
        ),
        (["plan", "--samples", "2", "--power", "2"], "frtaudit: --power: found 2; accepted: a number"),
        (
            ["plan", "--samples", "4", "--limit", "fnmr=0.01", "--expected", "fnmr=0.02"],
            "frtaudit: --expected: fnmr=0.02 cannot meet the limit 0.01 of fnmr, however large the cohort; accepted: ",
        ),
        (
            ["plan", "--samples", "4", "--limit", "fnmr=0.01", "--limit", "fnmr=0.02"],
            "frtaudit: --limit: fnmr=0.01 and fnmr=0.02; accepted: one value of a rate: --limit fnmr=0.02",
        ),
        (["plan"], "frtaudit: audit: nothing is selected"),
        (["list", "nope"], "frtaudit: group: no group is named 'nope'"),
        (["schema", "nope"], "frtaudit: command line: argument of: invalid choice: 'nope'"),
    ],
)
def test_usage_errors_are_one_line(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong usage exits with 2 and one line on standard error."""
    assert main.main(words) == 2
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 1
    assert shown[0].startswith(line)


def test_a_plan_without_data_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    """Where no audit is selected, the way to plan without data is named, and it works."""
    assert main.main(["plan", "--limit", "fnmr=0.01"]) == 2
    assert capsys.readouterr().err.endswith(", or --samples M where there are no data yet\n")
    assert main.main(["plan", "--limit", "fnmr=0.01", "--samples", "4"]) == 0


def test_errors_carry_their_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad data exits with 1; a fault of ours is one line too, and a traceback with --debug."""

    def unreadable(*_: object, **__: object) -> int:
        raise DataError("x.npz", "unreadable")

    def slipped(*_: object, **__: object) -> int:
        raise KeyError("slip")

    monkeypatch.setattr(app, "run", unreadable)
    monkeypatch.setattr(multirun, "sweep", slipped)
    assert main.main(["run", "audit=demo"]) == 1
    assert capsys.readouterr().err == "frtaudit: x.npz: unreadable\n"
    assert main.main(["run", "audit=demo", "-m"]) == 1
    assert "unexpected: KeyError: 'slip'" in capsys.readouterr().err
    monkeypatch.setenv("FRTAUDIT_DEBUG", "")
    with pytest.raises(KeyError):
        main.main(["--debug", "run", "audit=demo", "-m"])


def test_an_interrupt_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends with the shell's code for it."""

    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "run", interrupted)
    assert main.main(["run"]) == 130
    assert capsys.readouterr().err == "frtaudit: stopped\n"


SLOW = """
import sys, time
from frtaudit.cli import main
from frtaudit.config import plugins
from frtaudit.core.machine import signals
from frtaudit.pipeline import run
run.report_files = lambda *_: signals.sleep(60)
sys.exit(main.main(sys.argv[1:]))
"""


def test_a_terminated_run_leaves_nothing(tmp_path: Path) -> None:
    """SIGTERM while a run writes its files ends it as Ctrl-C does: no draft, no folder, one line, the shell's code."""
    words = ["audit=demo", "cohort.subjects=20", "requirements=[]", "bootstrap.B=39", "providers=[vendor_a]"]
    words += ["analyses=[error_rates]", "thresholds.fmr=[0.1]", "report.sign=false"]
    words += [f"hydra.run.dir={tmp_path}/out/run"]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, "run", *words], stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as running:
        until = time.monotonic() + 120
        while not list(tmp_path.glob("out/run/.draft/files/verdict.json")) and running.poll() is None:
            assert time.monotonic() < until, "the run did not begin to write"
            time.sleep(0.05)
        running.terminate()
        _, said = running.communicate(timeout=30)
    assert (running.returncode, said) == (143, "frtaudit: stopped\n")
    assert list(tmp_path.iterdir()) == []


def test_check_prints_what_it_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command takes the words of run, and prints a line for each thing that it looked at."""
    monkeypatch.setattr(dry_run, "check", lambda spec: [f"audit: {spec.name}", "cohort: fine"])
    assert main.main(["check", "audit=demo", "seed=3"]) == 0
    assert capsys.readouterr().out == "audit: demo\ncohort: fine\n"
    assert main.main(["check", "audit=demo", "sed=3"]) == 2


def test_check_refuses_a_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    """One spec is checked at a time."""
    assert main.main(["check", "audit=demo", "-m"]) == 2
    assert "unrecognized arguments: -m" in capsys.readouterr().err


PLANNED = """\
fnmr: FNMR at most 1 %, 0.5 % expected
                           independent  independent  dependent    dependent  there are
  group  by                   subjects  comparisons   subjects  comparisons   subjects
  all    rule of 3                  50          300        300         1800          -
  all    rule of 30                500         3000       3000        18000          -
  all    pass at no error           51          306        300         1800          -
  all    pass, power 0.8           375         2250       2240        13440          -
"""


def test_plan_answers_without_a_cohort(capsys: pytest.CaptureFixture[str]) -> None:
    """Samples per subject and a limit are enough, and give the documented table; words come in any order."""
    assert main.main(["plan", "--samples", "4", "--limit", "fnmr=0.01"]) == 0
    assert PLANNED in "\n".join(line.rstrip() for line in capsys.readouterr().out.split("\n"))
    page = Path(__file__).resolve().parents[2] / "docs" / "guides" / "planning.md"
    assert PLANNED in page.read_text(encoding="utf-8")
    each_group = (
        "requirements=[{name: each, metric: fnmr_at_fmr, at: {fmr: 0.0001}, group: each, limit: 0.01}]"
    )
    words = ["plan", "schema=gender", "--subjects=500", each_group, "--samples", "4"]
    assert main.main([*words, "--deff", "fnmr=2", "--expected", "fnmr=0.002", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (each,) = [item for item in found["sections"] if item["title"].startswith("each:")]
    assert [row["group"] for row in each["rows"]] == ["each"] * 4
    assert each["rows"][0]["deff given: subjects"] == 100


def test_plan_reads_a_spec(capsys: pytest.CaptureFixture[str]) -> None:
    """A spec with data is planned from its cohort, with pilots unless they are declined."""
    words = ["plan", "audit=demo", "cohort.subjects=40", "thresholds.fmr=[0.01]", "requirements=[]"]
    assert main.main([*words, "--no-scores"]) == 0
    bare = capsys.readouterr().out
    assert "Differences between the 3 groups of group" in bare
    assert "Pilot" not in bare
    assert main.main(words) == 0
    assert "Pilot vendor_b: group, mean mated score" in capsys.readouterr().out


def test_list_shows_every_group(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints what can be named."""
    assert main.main(["list"]) == 0
    shown = capsys.readouterr().out
    for word in (
        "demo",
        "lfw",
        "gender",
        "round_robin",
        "cosine",
        "interclass",
        "nist_800_63a_4",
        "recentered",
    ):
        assert f"  {word} " in shown


def test_init_then_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Init writes files that check reads, and never writes over them."""
    monkeypatch.setattr(dry_run, "check", lambda spec: [spec.name])
    assert main.main(["init", str(tmp_path / "new")]) == 0
    assert main.main(["check", "--config-dir", str(tmp_path / "new"), "audit=my_audit"]) == 0
    assert capsys.readouterr().out.endswith("my_audit\n")
    assert main.main(["init", str(tmp_path / "new")]) == 2


def test_the_public_door_opens() -> None:
    """Every public name is there, and nothing else pretends to be."""
    assert set(frtaudit.__all__) == set(dir(frtaudit))
    for name in frtaudit.__all__:
        assert getattr(frtaudit, name) is not None
    with pytest.raises(AttributeError, match="no public name 'nope'"):
        frtaudit.nope  # noqa: B018  asking is the test


def test_module_runs_as_a_program() -> None:
    """Called as python -m frtaudit it is the command."""
    done = subprocess.run(
        [sys.executable, "-m", "frtaudit", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("frtaudit ")


def test_a_reader_who_has_enough_is_no_fault() -> None:
    """`frtaudit schema spec | head -1` prints its line and no error."""
    command = f"{sys.executable} -m frtaudit schema spec | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (141, "{\n", "")


NAME = "x\nok             result.json: signed\r\x1b[2J\x9b2J\u202e\u2028"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["init", NAME], 2),
        (["init", "\udcff"], 2),
        (["keygen", "--name", "Org", "--out", NAME], 0),
        (["keygen", "--name", NAME, "--out", "key"], 0),
        (["keygen", "--out", "key", NAME], 2),
        (["approve", "--key", "key", "run", NAME], 2),
        (["seal", f"--{NAME}"], 2),
        (["seal", "--out", NAME, "audit=demo"], 0),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_no_word_of_the_command_line_forges_a_line(
    words: list[str],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """What a command prints of a name that it was given has the name's control characters as escapes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "config"))
    assert main.main(words) == code
    said = "".join(capfd.readouterr())
    assert said.replace("\n", "").isprintable()
    assert "\nok " not in said
    assert code == 0 or said.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "words"), [("init", ["init", "new"]), ("keygen", ["keygen", "--out", "new"])]
)
def test_a_signal_before_the_first_file_is_heard(
    name: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands that take a second make nothing after it."""
    monkeypatch.chdir(tmp_path)
    made = main.COMMANDS[name]

    def interrupted(argv: Sequence[str]) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        return made(argv)

    monkeypatch.setattr(main, "COMMANDS", {name: interrupted})
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        assert main.main(words) == 128 + signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)
    assert list(tmp_path.iterdir()) == []


def test_check_refuses_a_folder_that_run_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence of the spec in the name of the run's folder."""
    assert main.main(["check", "audit=demo", "hydra.run.dir=out/${question}"]) == 2
    said = capsys.readouterr().err
    assert "for ${question}; accepted: a value of letters" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        (
            "out/result.json",
            "hydra.run.dir: out already contains a result.json; accepted: a folder without a result",
        ),
        ("out", "hydra.run.dir: a file stands where a folder is needed"),
        ("out/report.html", "hydra.run.dir: "),
    ],
)
def test_check_refuses_a_folder_that_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], taken: str, said: str
) -> None:
    """The line of ``run``, and nothing is made or changed."""
    (tmp_path / taken).parent.mkdir(exist_ok=True)
    (tmp_path / taken).write_text("mine")
    lines = []
    for command in ("check", "run"):
        assert main.main([command, "audit=demo", f"hydra.run.dir={tmp_path / 'out'}"]) in (1, 2)
        lines.append(capsys.readouterr().err)
    assert said in lines[0]
    assert lines[0] == lines[1]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [Path(taken).name]


def test_files_of_a_collection_are_asked_for_before_it_begins_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finished one needs neither its images nor its models."""
    begun: list[CollectionSpec] = []
    status = collection_run.CollectionStatus(complete=True, stopped=None, readable=True, summary=())
    monkeypatch.setattr(collection_run, "collect", lambda spec, *_, **__: begun.append(spec) or status)
    monkeypatch.chdir(tmp_path)
    service = ["services.a.type=onnx", "services.a.model=gone.onnx", "into=o"]
    words = ["collect", "source=folder", "source.root=photos", *service]
    assert main.main(words) == 1
    assert (
        capsys.readouterr().err == "frtaudit: source.root: no folder 'photos'; accepted: a folder of images\n"
    )
    (tmp_path / "photos").mkdir()
    assert main.main(words) == 1
    assert capsys.readouterr().err.startswith("frtaudit: service onnx: no file 'gone.onnx'; accepted: ")
    assert [path.name for path in tmp_path.iterdir()] == ["photos"]
    assert not begun
    (tmp_path / "photos").rmdir()
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / STORE).touch()
    assert main.main(words) == 0
    assert [spec.into for spec in begun] == ["o"]


def test_a_plug_in_does_not_end_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """SystemExit of its code is a fault of it; that of a command stays an exit code."""
    code: dict[str, object] = {"__name__": "odd_wheel.part"}
    exec("def end(words): raise SystemExit(7)", code)
    monkeypatch.setattr(plugins, "plugin_packages", lambda: frozenset({"odd_wheel"}))
    monkeypatch.setitem(main.COMMANDS, "list", code["end"])
    assert main.main(["list"]) == 1
    line = "frtaudit: plug-in odd_wheel.part line 1: SystemExit: 7; accepted: --debug shows where"
    assert capsys.readouterr().err == f"{line}; report it to its authors\n"
    monkeypatch.setattr(plugins, "plugin_packages", frozenset)
    with pytest.raises(SystemExit):
        main.main(["list"])
