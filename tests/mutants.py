"""How many of a sample of changed lines the tests notice: python tests/mutants.py OUT.json [NUMBER] [SEED] [MINUTES].

Each mutant is one changed operator or number of stats/rates, stats/intervals, stats/bootstrap or signing, in a copy of
the project. The tests of that package that `make test` runs, with the compiler and all their examples, run against it
in a child of a process that has loaded the libraries: the test file at the mirrored path first, then those that name
the module, then the rest, up to the first that fails. A mutant that none of them notices survives. Compiled kernels of
the module, and of every module that imports it, are compiled anew.

Left out, since no number depends on them: annotations, decorators, formatted texts, imports and `__all__`. Tests
that take three times the CPU of an unchanged project and a minute have noticed.

Results are written after each mutant, so that a run may be ended at any time; the same command goes on from there.
With `again` in place of NUMBER, the survivors of OUT.json run against the tests as they are now.
"""

import ast
import importlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("stats/rates", "stats/intervals", "stats/bootstrap", "signing")
PATIENCE = 3600  # seconds, for tests that wait for ever
LIBRARIES = (
    "numba", "scipy.stats", "scipy.optimize", "statsmodels.stats.api", "pandas", "pyarrow.parquet", "jinja2",
    "matplotlib.figure", "weasyprint", "pyhanko.sign.signers", "pyhanko_certvalidator", "cryptography.x509",
)  # fmt: skip
COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip


class Mutant(NamedTuple):
    """A module, the line, what changes there, and the text of the module with it."""

    module: Path
    line: int
    change: str
    text: str

    @property
    def package(self) -> str:
        """The package whose tests run."""
        return next(name for name in PACKAGES if self.module.is_relative_to(Path("frtaudit", name)))


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
    """The expressions of a module that are computed: no annotation, no decorator, no formatted text."""
    for name, value in ast.iter_fields(tree):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not left_out(node):
                if isinstance(node, ast.expr):
                    yield node
                yield from computed(node)


def left_out(node: ast.AST) -> bool:
    """Whether no result depends on a part of a module."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)
    return isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom)


def mutants() -> list[Mutant]:
    """Every mutant."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / "frtaudit" / package).rglob("*.py"))]
    return [mutant for path in paths for mutant in mutants_of(path.relative_to(ROOT), path.read_bytes())]


def mutants_of(module: Path, whole: bytes) -> Iterator[Mutant]:
    """Those of one module."""
    lines = whole.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    for node in computed(ast.parse(whole)):
        other = changed(node)
        if other is None or node.end_lineno is None or node.end_col_offset is None:
            continue
        low = starts[node.lineno - 1] + node.col_offset
        high = starts[node.end_lineno - 1] + node.end_col_offset
        new = f"({ast.unparse(ast.fix_missing_locations(other))})"
        change = f"{whole[low:high].decode()[:60]} -> {new[:60]}"
        yield Mutant(module, node.lineno, change, (whole[:low] + new.encode() + whole[high:]).decode())


class Watch:
    """Has pytest run files in an order, and keeps the name of the first test that fails."""

    failed: str | None = None

    def __init__(self, files: list[Path]) -> None:
        self.rank = {file: rank for rank, file in enumerate(files)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the tests in the order of their files."""
        items.sort(key=lambda test: self.rank[test.path])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the name of the first test that fails."""
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep the name of a file that cannot be loaded."""
        if report.failed and self.failed is None:
            self.failed = report.nodeid


class Project:
    """A copy of the project in which one module at a time is changed."""

    def __init__(self, folder: Path, seconds: dict[str, int]) -> None:
        self.root, self.aside = folder / "project", folder / "aside"
        shutil.copytree(
            ROOT,
            self.root,
            ignore=shutil.ignore_patterns(".git", ".venv", "reports", ".*_cache", ".site", "*.pyc"),
        )
        self.sources = {
            path: path.read_text("utf-8")
            for folder in ("frtaudit", "tests")  # tests have kernels of their own
            for path in (self.root / folder).rglob("*.py")
        }
        self.imports = {path: set(imported(text)) for path, text in self.sources.items()}
        self.seconds = dict(seconds)  # of CPU that a package's tests may take

    def noticed(self, mutant: Mutant) -> str | None:
        """The first test that fails with a mutant; None where all pass."""
        if mutant.package not in self.seconds:
            self.seconds[mutant.package] = self.measured(mutant)
        path = self.root / mutant.module
        stamp = path.stat()
        compiled = [file for module in self.users(path) for file in kernels(module)]
        for file in compiled:
            (self.aside / file.relative_to(self.root)).parent.mkdir(parents=True, exist_ok=True)
            file.rename(self.aside / file.relative_to(self.root))
        path.write_text(mutant.text, "utf-8")
        try:
            return self.failing(mutant, self.seconds[mutant.package])
        finally:
            path.write_text(self.sources[path], "utf-8")
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            for file in [file for module in self.users(path) for file in kernels(module)]:
                file.unlink()
            for file in compiled:
                (self.aside / file.relative_to(self.root)).rename(file)

    def measured(self, mutant: Mutant) -> int:
        """The CPU seconds that tests may take: these of the unchanged project, which must pass, three times."""
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        if by := self.failing(mutant, PATIENCE):
            sys.exit(f"{by} fails without a mutant")
        return 60 + 3 * round(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before)

    def users(self, path: Path) -> set[Path]:
        """A module and all that import it, directly or not."""
        users, new = {path}, {path}
        while new:
            names = {dotted(user.relative_to(self.root)) for user in new}
            new = {user for user, known in self.imports.items() if known & names} - users
            users |= new
        return users

    def failing(self, mutant: Mutant, seconds: int) -> str | None:
        """The first test that fails in a child, which may take so much CPU, or how it ended; None where all pass."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.write(writing, (self.tested(self.tests(mutant), seconds) or "").encode())
            os._exit(0)
        os.close(writing)
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
        signal.alarm(PATIENCE)
        status = os.waitpid(child, 0)[1]
        signal.alarm(0)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            return pipe.read() or None if status == 0 else f"(exit code {os.waitstatus_to_exitcode(status)})"

    def tests(self, mutant: Mutant) -> list[Path]:
        """The test files of a mutant's package: first its mirror, then those that name its module."""
        mirror = (
            self.root
            / "tests"
            / mutant.module.relative_to("frtaudit").with_name(f"test_{mutant.module.name}")
        )
        name = dotted(mutant.module)

        def turn(file: Path) -> tuple[bool, bool, bool, Path]:
            return file != mirror, name not in file.read_text("utf-8"), file.parent != mirror.parent, file

        return sorted((self.root / "tests" / mutant.package).rglob("test_*.py"), key=turn)

    def tested(self, files: list[Path], seconds: int) -> str | None:
        """The first test that fails in this process."""
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        for number in (1, 2):
            os.dup2(os.open(self.root.parent / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.chdir(self.root)
        os.environ["PYTHONPATH"] = sys.path[0] = str(self.root)
        watch = Watch(files)
        options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
        code = pytest.main([*options, f"--basetemp={self.root.parent}/t", *map(str, files)], plugins=[watch])
        return watch.failed or (None if code == 0 else f"pytest ends with {code}")


def imported(text: str) -> Iterator[str]:
    """The modules of the package that a module names in its imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def dotted(module: Path) -> str:
    """The name of a module."""
    return ".".join(module.with_suffix("").parts).removesuffix(".__init__")


def kernels(module: Path) -> list[Path]:
    """The files in which Numba keeps what it compiled of a module."""
    return list((module.parent / "__pycache__").glob(f"{module.stem}.*.nb?"))


def summary(done: list[dict[str, object]]) -> dict[str, object]:
    """How many of the mutants were noticed, of each package."""
    of = Counter(str(result["package"]) for result in done)
    noticed = Counter(str(result["package"]) for result in done if result["noticed by"])
    return {
        "run": len(done),
        "noticed": noticed.total(),
        "of each package": {name: [noticed[name], of[name]] for name in PACKAGES},
    }


def main(out: Path, number: str, seed: int, minutes: float) -> None:
    """Run a sample, or the survivors of one, and write what became of each."""
    every = mutants()
    before = json.loads(out.read_text("utf-8")) if out.exists() else {}
    done: list[dict[str, object]] = before["mutants"] if before.get("seed") == seed else []
    if number == "again":
        turns = [place for place, result in enumerate(done) if result["noticed by"] is None]
    else:
        turns = list(range(len(done), min(int(number), len(every))))
    drawn = random.Random(seed).sample(every, len(every))
    end = time.monotonic() + 60 * minutes
    for library in LIBRARIES:
        importlib.import_module(library)
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder), before.get("seconds", {}))
        for place in turns:
            if time.monotonic() > end:
                break
            mutant = drawn[place]
            by = project.noticed(mutant)
            result: dict[str, object] = {
                "module": str(mutant.module), "line": mutant.line, "change": mutant.change,
                "package": mutant.package, "noticed by": by,
            }  # fmt: skip
            done[place : place + 1] = [result]
            whole = {
                "seed": seed,
                "possible": len(every),
                "seconds": project.seconds,
                **summary(done),
                "mutants": done,
            }
            out.write_text(json.dumps(whole, indent=1) + "\n", "utf-8")
            print(f"{place} {mutant.module}:{mutant.line} {mutant.change}: {by or 'SURVIVED'}", flush=True)  # noqa: T201  a script


if __name__ == "__main__":
    given = [*sys.argv[2:], *("300", "0", "600")[len(sys.argv) - 2 :]]
    main(Path(sys.argv[1]), given[0], int(given[1]), float(given[2]))
