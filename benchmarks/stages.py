"""Where an audit's CPU time goes: start-up, reading, scoring, replicates, analyses, page, PDF, signing, verifying.

    python -m benchmarks.stages [--lfw FOLDER] [--audits NAME ...] [--docs] [--date TEXT]

Each audit runs in a process of its own whose steps are timed where the pipeline calls them; what a step calls that is a
step itself is not in it. A library counts where it is first needed. ``FOLDER``: the test set, for the audits of LFW.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
PLACE = "stages"
STEPS = {  # step: (module, name) of what it is
    "reading": (("pipeline.audit", "prepare"), ("pipeline.audit", "inputs_of")),
    "scoring": (("pipeline.evaluate", "_scored"), ("pipeline.audit", "scored_sets")),
    "replicates": (("evaluation.system", "replicate"),),
    "analyses": (("pipeline.audit", "_read"), ("pipeline.audit", "_across")),
    "result and tables": (("pipeline.run", "audit"), ("pipeline.run", "_write_numbers")),
    "page": (("signing.report_files", "page_of"), ("signing.report_files", "page_versions")),
    "PDF": (("report.render", "pdf"), ("signing.report_files", "paper_versions")),
    "signing": (
        ("pipeline.run", "signing_of"),
        ("pipeline.run", "_inner"),
        ("pipeline.run", "_write_statement"),
        ("signing.report_files", "_signed"),
    ),
}
START, AGAIN, REST = "start-up", "page and PDF again, in a second process", "the rest"
VERIFY, DEEP = "verify", "verify --deep"
ORDER = (START, *STEPS, AGAIN, REST, "run", VERIFY, DEEP)
MODELS = ("dlib_resnet", "mobilefacenet_insightface", "mobilefacenet_xiaoccer")
AUDITS = {
    "demo": (),
    "interclass_demo": (),
    "LFW, three systems": MODELS,
    "LFW, six systems": (*MODELS, "mobilefacenet_foamliu", "mobilefacenet_quant_zye", "mobileface_tfjs_weak"),
}


class Stages:
    """CPU seconds of this process by step, each without the steps inside it."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = dict.fromkeys(STEPS, 0.0)
        self._inner = [0.0]

    def timed(self, step: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, timed as part of a step."""

        def run(*args: object, **options: object) -> object:
            self._inner.append(0.0)
            start = time.process_time()
            try:
                found = call(*args, **options)
                return tuple(found) if isinstance(found, Iterator) else found
            finally:
                whole = time.process_time() - start
                self.spent[step] += whole - self._inner.pop()
                self._inner[-1] += whole

        return run


def measure(words: Sequence[str]) -> dict[str, float]:
    """What ``frtaudit run`` spends in this process, and the second process that it starts."""
    from frtaudit.cli.main import main

    stages = Stages()
    for step, places in STEPS.items():
        for module_name, name in places:
            module = import_module(f"frtaudit.{module_name}")
            setattr(module, name, stages.timed(step, getattr(module, name)))
    start = time.process_time()
    code = main(["run", *words])
    if code not in (0, 3):
        sys.exit(code)
    own, began = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    rest = own - start - sum(stages.spent.values())
    again = began.ru_utime + began.ru_stime
    return {START: start, **stages.spent, REST: rest, AGAIN: again, "run": own + again}


def child(command: Sequence[str], folder: Path) -> tuple[str, float]:
    """Output and CPU seconds of a process, which has a thread of BLAS and a home of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"OMP_NUM_THREADS": "1", "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def audited(name: str, lfw: Path | None) -> dict[str, float] | None:
    """Seconds of each step of an audit, verified too; None where its data are not there."""
    models = AUDITS[name]
    if models and lfw is None:
        return None
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        words = (
            [f"audit={name}"] if not models else ["audit=lfw", f"cohort.root={_chosen(lfw, models, folder)}"]
        )
        frtaudit = [sys.executable, "-m", "frtaudit"]
        told = folder / "stages.json"
        command = [sys.executable, "-m", "benchmarks.stages", "--one", str(told), *words]
        child([*command, f"hydra.run.dir={folder / 'run'}"], folder)
        spent = json.loads(told.read_text("utf-8"))
        for line, more in ((VERIFY, []), (DEEP, ["--deep"])):
            spent[line] = child([*frtaudit, "verify", str(folder / "run"), *more], folder)[1]
    return {step: float(spent[step]) for step in ORDER}


def _chosen(lfw: Path | None, models: Sequence[str], folder: Path) -> Path:
    """A folder of the test set with some models' templates."""
    assert lfw is not None
    chosen = folder / "lfw"
    (chosen / "templates").mkdir(parents=True)
    for path in lfw.iterdir():
        if path.is_file():
            shutil.copyfile(path, chosen / path.name)
    for model in models:
        shutil.copyfile(lfw / "templates" / f"{model}.npz", chosen / "templates" / f"{model}.npz")
    return chosen


def as_table(found: dict[str, dict[str, float]]) -> str:
    """CPU seconds of each step and audit in Markdown."""
    lines = ["| CPU seconds | " + " | ".join(found) + " |", "|---" * (1 + len(found)) + "|"]
    for step in ORDER:
        bold = "**" if step == "run" else ""
        lines.append(
            f"| {bold}{step}{bold} | " + " | ".join(f"{spent[step]:.1f}" for spent in found.values()) + " |"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stages", description=__doc__)
    parser.add_argument("--lfw", type=Path, help="folder of the test set")
    parser.add_argument("--audits", nargs="+", choices=AUDITS, default=list(AUDITS))
    parser.add_argument("--docs", action="store_true", help="put the table into docs/reference/benchmarks.md")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options, words = parser.parse_known_args(argv)
    if options.one:
        options.one.write_text(json.dumps(measure(words)), "utf-8")
        return 0
    found = {name: spent for name in options.audits if (spent := audited(name, options.lfw)) is not None}
    text = as_table(found)
    sys.stdout.write(text + "\n")
    if options.docs:
        from frtaudit.testing.study.pages import into

        into(PAGE, PLACE, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
