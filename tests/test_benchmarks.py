"""The benchmarks' harness: answers agree at a tiny size, verdicts and tables say what was measured."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from benchmarks import collect, environments, run, stages, stored, table
from benchmarks.clock import Clock
from benchmarks.contests import CONTESTS, OURS, Contender, Contest, Line, Measure
from frtaudit.core import registry
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.testing.study.pages import between

TINY = 0.002
HERE = {OURS, "scipy"}  # what our own environment holds
ROOT = Path(__file__).resolve().parents[1]


def answer_here(contender: Contender, contest: Contest) -> run.Spent:
    """A contender's answer, computed in this process."""
    module, name = contender.call.split(":")
    clock = Clock(patience=0)
    answer = getattr(import_module(module), name)(contest.make(TINY), clock)
    return run.Spent(np.asarray(answer, dtype=np.float64), clock.as_dict())


@pytest.mark.parametrize(
    "contest",
    [pytest.param(one, marks=pytest.mark.slow) if one.name == "engine" else one for one in CONTESTS],
    ids=lambda contest: contest.name,
)
def test_answers_of_a_contest_agree(contest: Contest) -> None:
    """Every contender that runs in our environment gives our answer, and times the steps that its lines compare."""
    found = {one.name: answer_here(one, contest) for one in contest.contenders if one.env in HERE}
    for one in contest.contenders:
        if one.name in found:
            run.agree(contest, one, found[one.name], found[OURS])
    for line in contest.lines:
        spent = {name: one.numbers for name, one in found.items()}
        value = table.value_of(line, spent)
        assert (value is None) == (line.measure is Measure.RATIO and line.other not in found)
        assert value is None or value > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("contest", "contender"),
    [(contest, one) for contest in CONTESTS for one in contest.contenders if one.env not in HERE],
    ids=lambda part: part.name,
)
def test_peers_agree_in_their_own_environments(
    contest: Contest, contender: Contender, tmp_path: Path
) -> None:
    """A peer that is installed gives our answer."""
    if environments.python_of(contender.env) is None:
        pytest.skip(f"{contender.env} is not installed: make bench installs it")
    folder = run.save(contest.make(TINY), tmp_path / "data")
    found = run.run_one(contender, folder, folder)
    assert found is not None
    run.agree(contest, contender, found, answer_here(contest.contenders[0], contest))


def test_a_wrong_answer_ends_the_run() -> None:
    """An answer that is off by more than the contender's tolerance, or that is NaN, is refused."""
    contest, contender = CONTESTS[0], Contender("other", "", rtol=0, atol=1e-6)
    ours = run.Spent(np.array([[0.1, 0.2], [0.3, 0.4]]), {})
    run.agree(contest, contender, run.Spent(np.array([[0.1, 0.2 + 1e-7]]), {}), ours)
    for wrong in ([[0.1, 0.2 + 1e-5]], [[0.1, np.nan]], [[0.1]]):
        with pytest.raises(run.DisagreementError, match="other does not agree"):
            run.agree(contest, contender, run.Spent(np.array(wrong), {}), ours)


@pytest.mark.parametrize(
    ("measure", "value", "said"),
    [
        (Measure.RATIO, 12.0, "reached"),
        (Measure.RATIO, 6.0, "half reached"),
        (Measure.RATIO, 5.9, "missed"),
        (Measure.PERCENT, 12.0, "reached"),
        (Measure.PERCENT, 24.0, "half reached"),
        (Measure.MEMORY, 24.1, "missed"),
    ],
)
def test_verdicts_follow_the_direction_of_the_measure(measure: Measure, value: float, said: str) -> None:
    """Ratios pass from the target up, shares and memory from the target down; the floor is a factor of two away."""
    assert Line(measure, "step", target=12.0).verdict(value) == said
    assert not Line(measure, "step").verdict(value)


def test_the_clock_keeps_the_best_round_per_unit() -> None:
    """A step is repeated at least three times; its cost is that of one unit."""
    clock, calls = Clock(), []
    assert clock.run("sum", lambda: calls.append(1) or sum(range(200_000)), units=10) == sum(range(200_000))
    step = clock.steps["sum"]
    assert step.rounds == len(calls) >= 3
    assert 0 < step.cpu * 10 * step.rounds < 5


def test_the_page_states_ratio_target_and_what_is_missing(tmp_path: Path) -> None:
    """The table divides the peers' CPU by ours, names the verdict, says "not run", and lands between the marks."""
    step = {"wall": 1.0, "units": 1, "rounds": 3}
    numbers = {"peaks": {}, "facts": {}, "peak": 0.5, "versions": {"numpy": "2"}}
    spent = {
        OURS: {**numbers, "steps": {"find": {**step, "cpu": 0.01}}},
        "pyeer": {**numbers, "versions": {"numpy": "1"}, "steps": {"find": {**step, "cpu": 0.3}}},
    }
    floors = {"L1": 1e11, "L2": 1e11, "memory": 1e10, "scores": 1e8}
    found = {"contests": {"eer": spent}, "floors": floors, "scale": 1.0, "date": "some day"}
    page = table.page(CONTESTS, found)
    assert "| CPU of pyeer over ours | 30 | 50 | half reached |" in page
    assert "| CPU of bob.measure eer over ours | not run |  |  |" in page
    assert "numpy 1 and 2" in page
    assert "some day" in page
    path = tmp_path / "page.md"
    path.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n")
    table.into(path, page)
    assert path.read_text() == f"before\n{table.BEGIN}\n\n{page}\n{table.END}\nafter\n"


def test_an_unknown_contest_is_refused() -> None:
    """The command names the contests that there are, and exits with 2."""
    asked = [sys.executable, "-m", "benchmarks.run", "--only", "nothing"]
    found = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "no contest is named nothing; there are engine," in found.stderr


def test_every_version_is_pinned() -> None:
    """Each peer's environment is made of exact versions."""
    named = {one.env for contest in CONTESTS for one in contest.contenders} - {OURS}
    assert named == {path.stem for path in (ROOT / "benchmarks" / "peers").glob("*.txt")}
    for peer in named:
        lines = (ROOT / "benchmarks" / "peers" / f"{peer}.txt").read_text().split()
        assert all(line.count("==") == 1 for line in lines)


def test_a_small_collection_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The benchmark of collecting runs as it stands, and makes the scores that it says."""
    try:
        collect.collected(tmp_path / "c", 1500, 4)
    finally:
        registry._registered.pop(("source", "numbered"), None)
        registry._registered.pop(("service", "instant"), None)
    said = capsys.readouterr().out.split()
    with closing(sqlite3.connect(tmp_path / "c" / "store.sqlite")) as db:
        query = "SELECT count(*) FROM calls WHERE turn >= 0 AND score IS NOT NULL"
        assert int(said[0]) == db.execute(query).fetchone()[0] >= 1500


def test_few_stored_scores_are_read(tmp_path: Path) -> None:
    """The benchmark of stored scores writes as many as it says, of every service, and an audit's reading finds them."""
    scores = stored.write_scores(tmp_path, 30, 2)
    found = Queries(root=str(tmp_path), faces="faces.parquet").search()
    assert sum(one.score.size for one in found.services) == scores > 30 * 2 * 190


def test_a_step_does_not_count_the_steps_inside_it() -> None:
    """What an inner step spends is its own; what a step yields is drawn within it."""
    found = stages.Stages()
    inner = found.timed("PDF", lambda: sum(range(2_000_000)))
    outer = found.timed("page", lambda: iter([inner(), inner()]))
    assert len(outer()) == 2
    assert found.spent["page"] < 0.2 * found.spent["PDF"]


def test_the_steps_of_an_audit_are_there_and_sum_to_it() -> None:
    """Every step names functions of the pipeline; the table has each, and the run is their sum within rounding."""
    for places in stages.STEPS.values():
        assert all(callable(getattr(import_module(f"frtaudit.{module}"), name)) for module, name in places)
    page = between((ROOT / "docs" / "reference" / "benchmarks.md").read_text("utf-8"), stages.PLACE)
    rows = {cells[0].strip("* "): [float(cell) for cell in cells[1:]]
            for cells in (line.strip("| ").split(" | ") for line in page.splitlines()[2:])}  # fmt: skip
    assert tuple(rows) == stages.ORDER
    whole = rows.pop("run")
    parts = [rows[step] for step in stages.ORDER[:-3]]
    assert np.allclose(np.sum(parts, axis=0), whole, atol=0.05 * len(parts) + 0.05)


def test_the_peak_of_a_process_is_its_own() -> None:
    """What the parent holds is not counted."""
    held = np.ones(1 << 26)  # 512 MiB
    ask = "from benchmarks.clock import peak_memory; print(peak_memory())"
    done = subprocess.run([sys.executable, "-c", ask], cwd=ROOT, capture_output=True, text=True, check=True)
    assert 0 < float(done.stdout) < 0.25 < held.nbytes / 2**30
