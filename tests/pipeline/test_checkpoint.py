"""Checkpoints: a run that was killed scores what is left, and gives the bits of one that was not."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from small_audits import spec

from frtaudit.core import Groups, ScoreTail
from frtaudit.core.machine.lock import lock
from frtaudit.core.spec import AuditSpec
from frtaudit.core.spec_values import COSINE_RANGE
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline import checkpoint
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.checkpoint import LOCK, check_place, checkpointed, digest_of, packed, unpacked
from frtaudit.stats.similarity import pair_scan
from frtaudit.stats.similarity.allpairs import TailRequest, score_all_pairs
from frtaudit.stats.similarity.executor import Executor, by_threads
from frtaudit.stats.similarity.pair_scan import Pairs
from frtaudit.stats.similarity.scorers import BlockScorer, cosine_blocks

EACH, SUBJECTS, DIMENSION = 4, 400, 16
BELOW = (-0.9, -0.2)  # fixed thresholds below the floor: a second pass


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every job is a block of its own."""
    monkeypatch.setattr(pair_scan, "TOGETHER", 1)


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The jobs of every block that is scored, not read."""
    jobs: list[object] = []
    work_out = checkpoint.score_block

    def noted(work: object, context: object, block: object) -> object:
        jobs.append(block)
        return work_out(work, context, block)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(checkpoint, "score_block", noted)
    return jobs


@cache
def people(seed: int = 5) -> BlockScorer:
    """Templates of people with four samples each."""
    rng = np.random.default_rng(seed)
    vectors = np.repeat(rng.normal(size=(SUBJECTS, DIMENSION)), EACH, axis=0)
    return cosine_blocks((vectors + 0.7 * rng.normal(size=vectors.shape)).astype(np.float32))


def score(block: BlockScorer, executor: Executor, fmr: float = 0.01) -> ScoreTail:
    """The tail, and the sums below it, as ``executor`` scores them."""
    return score_all_pairs(
        block, n_samples=np.full(SUBJECTS, EACH), rows=np.arange(EACH * SUBJECTS, dtype=np.int32),
        cells=np.zeros(SUBJECTS, dtype=np.int32), score_range=COSINE_RANGE,
        groups=Groups(schemas=(), names=(), of=np.empty((0, SUBJECTS), dtype=np.int32), ranked=()),
        request=TailRequest(fmr=fmr, thresholds=BELOW, threads=2, executor=executor),
    ).tail  # fmt: skip


def stored_tail(folder: Path, block: BlockScorer, fmr: float = 0.01) -> ScoreTail:
    """The tail, with a checkpoint."""
    with checkpointed(replace(spec(), checkpoint=str(folder)), by_threads) as executor:
        return score(block, executor, fmr)


def bits(value: object) -> list[bytes]:
    """Every array below a frozen value, as bytes."""
    parts = [getattr(value, field.name) for field in fields(value)]  # type: ignore[arg-type]  # a dataclass
    arrays = [part.tobytes() for part in parts if isinstance(part, np.ndarray)]
    return arrays + [inner for part in parts if hasattr(part, "__dataclass_fields__") for inner in bits(part)]


def blocks_in(folder: Path) -> list[Path]:
    """Files of blocks, oldest pass first."""
    return sorted(path for path in folder.glob("*/*") if path.is_file())


def test_a_second_run_reads_what_the_first_scored(tmp_path: Path, scored: list[object]) -> None:
    """Both give the bits of a run without a checkpoint; the second scores nothing again."""
    plain = bits(score(people(), by_threads))
    assert bits(stored_tail(tmp_path / "c", people())) == plain
    first = len(scored)
    assert first == len(blocks_in(tmp_path / "c")) > 5
    assert bits(stored_tail(tmp_path / "c", people())) == plain
    assert len(scored) == first


@pytest.mark.parametrize("harm", ["gone", "torn", "changed", "another's"])
def test_a_block_that_is_not_as_it_was_stored_is_scored_again(
    harm: str, tmp_path: Path, scored: list[object]
) -> None:
    """Lost, cut off, changed in one bit or put in another's place: that block alone is scored again."""
    plain = bits(stored_tail(tmp_path / "c", people()))
    scored.clear()
    block, other = blocks_in(tmp_path / "c")[:2]
    data = block.read_bytes()
    if harm == "gone":
        block.unlink()
    elif harm == "another's":
        block.write_bytes(other.read_bytes())
    else:
        block.write_bytes(data[:-1] if harm == "torn" else data[:-1] + bytes([data[-1] ^ 1]))
    assert bits(stored_tail(tmp_path / "c", people())) == plain
    assert len(scored) == 1
    assert block.read_bytes() == data


def test_nothing_is_read_of_what_was_scored_differently(tmp_path: Path, scored: list[object]) -> None:
    """Other templates and another floor have blocks of their own in the same folder; each finds its own again."""
    tails = {
        (seed, fmr): bits(score(people(seed), by_threads, fmr)) for seed in (5, 6) for fmr in (0.01, 0.2)
    }
    for _ in range(2):
        for (seed, fmr), plain in tails.items():
            assert bits(stored_tail(tmp_path / "c", people(seed), fmr)) == plain
    assert len(scored) == len(blocks_in(tmp_path / "c"))


def test_an_audit_has_the_same_result(tmp_path: Path) -> None:
    """Result and tables are those without a checkpoint: also from a checkpoint that is whole."""
    plain = audit(spec("error_rates"))
    for _ in range(2):
        made = audit(replace(spec("error_rates"), checkpoint=str(tmp_path / "c")))
        assert made.result.to_bytes() == plain.result.to_bytes()
        assert made.tables == plain.tables


def test_one_run_at_a_time_uses_a_checkpoint(tmp_path: Path) -> None:
    """The second is refused in one line, and scores nothing."""
    opened = lock(tmp_path / "c" / LOCK, wait=False)
    try:
        with pytest.raises(
            DataError, match=r"^checkpoint: another run uses c; accepted: wait for it, or another"
        ):
            stored_tail(tmp_path / "c", people())
    finally:
        os.close(opened)
    assert stored_tail(tmp_path / "c", people()).tail_score.size


def places(root: Path) -> Iterator[tuple[AuditSpec, Path | None, str]]:
    """Places that a checkpoint may not have, with what is said of them."""
    (root / "full").mkdir()
    (root / "full" / "thesis.tex").write_text("all of it")
    (root / "file").write_text("a file")
    yield replace(spec(), checkpoint=str(root / "run" / "c")), root / "run", "c lies within hydra.run.dir"
    yield replace(spec(), checkpoint=str(root / "full")), None, "full holds other files"
    yield replace(spec(), checkpoint=str(root / "file")), None, "file is no folder"
    (root / "link").symlink_to(root / "full", target_is_directory=True)
    yield replace(spec(), checkpoint=str(root / "link")), None, "link is a link"


def test_a_place_with_other_files_is_refused(tmp_path: Path) -> None:
    """Nothing is written into a run, or beside files that are not of a checkpoint."""
    for declared, run_folder, text in places(tmp_path):
        with pytest.raises(SpecError, match=rf"^checkpoint: {text}; accepted: a new folder"):
            check_place(declared, run_folder)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["thesis.tex"]


def test_a_place_where_no_folder_can_be_is_refused(tmp_path: Path) -> None:
    """Below a file, or where the system makes none: one line, before anything is scored."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "below", Path("/proc/frtaudit")):
        with pytest.raises(
            SpecError, match=rf"^checkpoint: {place.name} cannot be made at that place; accepted: "
        ):
            stored_tail(place, people())


def test_a_block_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    """Folders where files of blocks should be: one line, which names the checkpoint."""
    stored_tail(tmp_path / "c", people())
    for path in blocks_in(tmp_path / "c"):
        path.unlink()
        path.mkdir()
    with pytest.raises(DataError, match=r"^checkpoint") as raised:
        stored_tail(tmp_path / "c", people())
    assert "\n" not in str(raised.value)


def test_every_kind_of_result_comes_back() -> None:
    """Pairs, pairs with a histogram, and two arrays of sums; none is a pickle."""
    pairs = Pairs(np.int32([1]), np.int32([2]), np.float32([0.5]))
    for results in ([pairs, pairs], [(pairs, np.arange(3))], [(np.zeros(2), np.ones(1))]):
        back = unpacked(packed(results), len(results))
        assert packed(back) == packed(results)
        assert [type(result) for result in back] == [type(result) for result in results]
    with pytest.raises(ValueError, match="Object arrays"):
        packed([(np.array([{}], dtype=object), np.ones(1))])


def test_what_has_no_digest_is_refused() -> None:
    """A scorer whose state cannot be read is not taken for another of its kind."""
    with pytest.raises(
        DataError, match=r"^checkpoint: scores come from a set, which has no digest; accepted: "
    ):
        digest_of({1, 2})


RUN = """
import sys, time
from frtaudit import run
from frtaudit.pipeline import checkpoint
from frtaudit.stats.similarity import pair_scan
pair_scan.TOGETHER = 1
work_out = checkpoint.score_block
def slowly(work, context, jobs):
    with open(sys.argv[1], "a") as log:
        log.write(f"{jobs}\\n")
    time.sleep(float(sys.argv[2]))
    return work_out(work, context, jobs)
checkpoint.score_block = slowly
run(sys.argv[4:], sys.argv[3])
"""


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_with_the_same_bytes(tmp_path: Path) -> None:
    """Three times kill -9: at most one block is scored twice each time; result.json is that of a run left alone."""
    words = [
        "audit=demo", "cohort.subjects=1000", "cohort.samples_per_subject=[5,5]", "cohort.dimension=16", "seed=1",
        "providers=[vendor_a]",
        "analyses=[error_rates]", "requirements=[]", "bootstrap.B=99", "threads=1", "report.pdf=false",
    ]  # fmt: skip

    def begin(folder: str, wait: float, *more: str) -> subprocess.Popen[bytes]:
        script = [
            sys.executable,
            "-c",
            RUN,
            str(tmp_path / f"{folder}.log"),
            str(wait),
            str(tmp_path / folder),
        ]
        return subprocess.Popen([*script, *words, *more])

    kept_in = f"checkpoint={tmp_path / 'c'}"
    for _ in range(3):
        before = len(blocks_in(tmp_path / "c")) if (tmp_path / "c").is_dir() else 0
        process = begin("killed", 0.2, kept_in)
        while not (tmp_path / "c").is_dir() or len(blocks_in(tmp_path / "c")) == before:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert begin("killed", 0.0, kept_in).wait() == 0
    assert begin("alone", 0.0).wait() == 0
    ends = [(tmp_path / folder / "result.json").read_bytes() for folder in ("killed", "alone")]
    assert ends[0] == ends[1]
    jobs = (tmp_path / "killed.log").read_text().splitlines()
    assert len(set(jobs)) < len(jobs) <= len(set(jobs)) + 3
