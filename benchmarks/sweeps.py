"""What a sweep costs beside its jobs: 24 audits as one sweep against the same 24 run one by one in one process.

``python -m benchmarks.sweeps`` prints CPU seconds of both and their quotient, and ends with 1 beyond 1.2. The jobs are
small, so that what the sweep adds (plan, locks, one table, one signed report) weighs most.
"""

import json
import resource
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

LIMIT = 1.2
EACH = """import json, sys
from frtaudit.cli.main import main
codes = {main(words) for words in json.loads(sys.argv[1])}
sys.exit(not codes <= {0, 3})  # 3: a requirement failed, which is a finding
"""
VALUES = {"bootstrap.alpha": ("0.05", "0.1"), "providers": ("[swift]", "[plain]"), "seed": tuple("123456")}
SPEC = """\
cohort:
  type: synthetic
  subjects: 40
  samples_per_subject: [2, 4]
  dimension: 16
  systems: {swift: {noise: 0.3}, plain: {noise: 0.5}}
analyses: {error_rates: {}}
thresholds: {fmr: [0.1, 0.01]}
bootstrap: {B: 399}
requirements: [{name: few-rejections, metric: fnmr_at_fmr, at: {fmr: 0.01}, limit: 0.1}]
report: {pdf: false}
"""


def main() -> int:
    """Exit code 0; 1 where the sweep costs more than a fifth beyond its parts."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "mine" / "audit").mkdir(parents=True)
        (here / "mine" / "audit" / "tiny.yaml").write_text(SPEC, "utf-8")
        jobs = [
            [f"{key}={value}" for key, value in zip(VALUES, row, strict=True)]
            for row in product(*VALUES.values())
        ]
        _seconds(here, [["seed=99", "hydra.run.dir=warm"]])  # kernels are compiled once
        parts = _seconds(here, [[*words, f"hydra.run.dir=alone/{place}"] for place, words in enumerate(jobs)])
        whole = _seconds(here, [["-m", *(f"{key}={','.join(values)}" for key, values in VALUES.items())]])
    ratio = whole / parts
    print(
        f"{len(jobs)} audits: {parts:.1f} s CPU; one sweep: {whole:.1f} s CPU; quotient {ratio:.2f} (limit {LIMIT})"
    )
    return int(ratio > LIMIT)


def _seconds(here: Path, commands: list[list[str]]) -> float:
    """CPU seconds of a process that runs the commands one after the other, and of all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = json.dumps([["run", "-cd", "mine", "audit=tiny", *one] for one in commands])
    done = subprocess.run(
        [sys.executable, "-c", EACH, words], cwd=here, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
