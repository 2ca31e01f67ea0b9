"""How many of a sample of changed lines the tests notice: python tests/mutants.py OUT.json [NUMBER] [SEED] [MINUTES].

Each mutant is one changed operator or number of stats/rates, stats/intervals, stats/bootstrap or signing, in a copy of
the project. The tests of `make test` at the mirrored path run against it, then, if none fails, those of its package; a
mutant that no test notices survives. Kernels run as plain Python with few examples (HYPOTHESIS_PROFILE=walk). Tests
that take more than five minutes of CPU have noticed. Results are written after each mutant, so that a run may be ended
at any time; the same command goes on from there.
"""

import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("stats/rates", "stats/intervals", "stats/bootstrap", "signing")
SECONDS = 300  # of CPU
PATIENCE = 3600  # seconds, for tests that wait for ever
COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip


def changed(node: ast.expr) -> ast.expr | None:
    """An expression with its operator or its number changed; None for one that has neither."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        return ast.Compare(node.left, [COMPARED[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    if isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        return ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right)
    if isinstance(node, ast.BoolOp):
        return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    return None


def computed(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions of a module that are computed: no annotation, no text of a message."""
    for name, value in ast.iter_fields(tree):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not isinstance(
                node, ast.JoinedStr | ast.Import | ast.ImportFrom
            ):
                if isinstance(node, ast.expr):
                    yield node
                yield from computed(node)


def mutants() -> list[tuple[Path, int, str, str]]:
    """Module, line, what changed, and the text of the module with it, of every mutant."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / "frtaudit" / package).rglob("*.py")):
            text = path.read_text("utf-8")
            lines = text.encode().splitlines(keepends=True)
            starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
            for node in computed(ast.parse(text)):
                other = changed(node)
                if other is None or node.end_lineno is None or node.end_col_offset is None:
                    continue
                low = starts[node.lineno - 1] + node.col_offset
                high = starts[node.end_lineno - 1] + node.end_col_offset
                new = f"({ast.unparse(ast.fix_missing_locations(other))})"
                whole = text.encode()
                body = (whole[:low] + new.encode() + whole[high:]).decode()
                said = f"{whole[low:high].decode()[:60]} -> {new[:60]}"
                found.append((path.relative_to(ROOT), node.lineno, said, body))
    return found


def failing(copy: Path, module: Path) -> str | None:
    """The first tests that fail in the copy: those of a module, or of its package; None where all pass."""
    folder = Path("tests", *module.parts[1:-1])
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "HYPOTHESIS_PROFILE": "walk",
        "OMP_NUM_THREADS": "1",
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for tests in (folder / f"test_{module.stem}.py", folder):
        if not (copy / tests).exists():
            continue
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        command += ["-m", "not slow and not compiled", str(tests)]
        try:
            ended = subprocess.run(
                ["prlimit", f"--cpu={SECONDS}", *command],
                cwd=copy,
                env=environment,
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{tests} (did not end)"
        if ended.returncode not in {0, 5}:  # 5: no test was selected
            return str(tests)
    return None


def main(out: Path, number: int, seed: int, minutes: float) -> None:
    """Run a sample and write what became of each."""
    every = mutants()
    drawn = random.Random(seed).sample(every, min(number, len(every)))
    before = json.loads(out.read_text("utf-8")) if out.exists() else {}
    done: list[dict[str, object]] = before["mutants"] if before.get("seed") == seed else []
    sound: set[str] = set()  # tests that were seen to pass on the project as it is
    end = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", "reports", ".*_cache", ".site")
        shutil.copytree(ROOT, copy, ignore=left_out)
        for module, line, said, text in drawn[len(done) :]:
            if time.monotonic() > end:
                break
            kept = (copy / module).read_text("utf-8")
            (copy / module).write_text(text, "utf-8")
            by = failing(copy, module)
            (copy / module).write_text(kept, "utf-8")
            if by is not None and by not in sound:
                if failing(copy, module) == by:
                    sys.exit(f"{by} fails without a mutant")
                sound.add(by)
            done.append({"module": str(module), "line": line, "change": said, "noticed by": by})
            counts = Counter(item["noticed by"] is not None for item in done)
            summary = {
                "seed": seed,
                "possible": len(every),
                "killed": counts[True],
                "survived": counts[False],
            }
            out.write_text(json.dumps({**summary, "mutants": done}, indent=1) + "\n")
            print(f"{module}:{line} {said}: {by or 'SURVIVED'}", flush=True)  # noqa: T201  a script


if __name__ == "__main__":
    given = [*sys.argv[2:], *("300", "0", "600")[len(sys.argv) - 2 :]]
    main(Path(sys.argv[1]), int(given[0]), int(given[1]), float(given[2]))
