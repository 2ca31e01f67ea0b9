"""The rules of the project that no other tool checks."""

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import TypeGuard

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import frtaudit
from frtaudit.core import registry

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "frtaudit"
TESTS = ROOT / "tests"
TEXT = {".py", ".toml", ".md", ".yaml", ".yml", ".j2", ".css", ".cff", ".txt", ".json", ".csv", ""}
MAX_LINES = 400
MAX_FUNCTION = 40
MAX_FILES = 25
# A file for each section or plug-in: these packages may grow.
PLUG_INS = {"analyses", "inputs/known", "report/exports", "report/sections"}
PLUG_INS |= {f"collection/{name}" for name in ("detectors", "services", "sources")}
PLUG_INS |= {f"datasets/{name}" for name in ("cohorts", "protocols", "providers")}


def tracked() -> list[Path]:
    """Files of the project: what git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout: the project's files cannot be listed")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def texts() -> list[tuple[Path, str]]:
    """Tracked text files with their content."""
    files = [path for path in tracked() if path.suffix in TEXT]
    return [(path.relative_to(ROOT), path.read_text(encoding="utf-8")) for path in files]


def modules() -> list[str]:
    """Names of all modules of the package."""
    return [found.name for found in pkgutil.walk_packages(frtaudit.__path__, "frtaudit.")]


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All that a file says, outer before inner; parsed once."""
    return list(ast.walk(ast.parse(path.read_text())))


def functions(path: Path) -> list[ast.FunctionDef]:
    """All functions of a file, nested ones too."""
    return [node for node in nodes(path) if isinstance(node, ast.FunctionDef)]


def docstring(path: Path) -> str:
    """What a file says of itself."""
    (module, *_) = nodes(path)
    return (isinstance(module, ast.Module) and ast.get_docstring(module)) or ""


def test_every_test_states_its_claim() -> None:
    """Every test function has a docstring whose first line is its claim."""
    silent = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sorted(TESTS.rglob("test_*.py"))
        for node in functions(path)
        if node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert not silent, "\n".join(["", *silent])


def test_tests_mirror_the_package() -> None:
    """Every module has a test file at the mirrored path, or is named in the docstring of a test file beside that path.

    The second is for parts that have no door of their own: `Tests also kernels and draws, which resample stands on.`
    """
    bare = []
    for path in sorted(PACKAGE.rglob("*.py")):
        folder = TESTS / path.relative_to(PACKAGE).parent
        if path.name.startswith("__") or (folder / f"test_{path.stem}.py").is_file():
            continue
        said = " ".join(docstring(test) for test in folder.glob("test_*.py"))
        if not re.search(rf"\b{path.stem}\b", said):
            bare.append(str(path.relative_to(ROOT)))
    assert not bare, "\n".join(["", *bare])


def test_no_machine_path_and_no_registry_in_the_text() -> None:
    """The project names no folder of a machine and no package registry's host."""
    forbidden = re.compile(
        r"(?<![\w.])/(?:work|home|root|tmp|opt|Users)/\w|files\.pythonhosted|pypi\.org/simple|deb\.debian"
    )
    guilty = [
        f"{path}:{number}: {line.strip()[:80]}"
        for path, text in texts()
        if path != Path("tests/test_house.py")
        for number, line in enumerate(text.splitlines(), 1)
        if forbidden.search(line)
    ]
    assert not guilty, "\n".join(["", *guilty])


def test_no_mark_of_an_unfinished_merge() -> None:
    """No file holds the lines that git leaves where two branches disagree."""
    marks = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
    assert [str(path) for path, text in texts() if marks.search(text)] == []


def test_modules_are_nouns() -> None:
    """No module is called utils, helpers, common or manager."""
    vague = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}
    assert not [path for path in PACKAGE.rglob("*.py") if path.stem in vague]


def test_local_variables_say_what_they_hold() -> None:
    """No variable of a function is called after the act of having it: found, item, one, own, held, made, said."""
    vague = {"found", "item", "one", "own", "held", "made", "said", "told", "kept"}
    places = {
        f"{path.relative_to(ROOT)}:{name.lineno} {name.id}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for function in functions(path)
        for name in ast.walk(function)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and name.id in vague
    }
    assert not places, "\n".join(["", *sorted(places)])


def array_aliases(text: str) -> list[str]:
    """Names that a module gives to types of arrays: NumPy's, those of core/arrays.py, or what it named before."""
    tree = ast.parse(text)
    arrays, aliases = {"NDArray", "ArrayLike", "ndarray"}, list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "frtaudit.core.arrays":
            arrays |= {alias.asname or alias.name for alias in node.names}
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_array(node.value, arrays):
            aliases += [target.id for target in targets if isinstance(target, ast.Name)]
            arrays |= set(aliases)
    return aliases


def is_array(node: ast.expr | None, arrays: set[str]) -> bool:
    """Whether an expression is the type of an array by one of these names, or a union with one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return is_array(node.left, arrays) or is_array(node.right, arrays)
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        union = ast.unparse(node.value).rpartition(".")[2] in {"Union", "Optional"}
        return is_array(node.value, arrays) or (union and any(is_array(part, arrays) for part in parts))
    return getattr(node, "id", getattr(node, "attr", None)) in arrays


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Pixels = npt.NDArray[np.uint8]", ["Pixels"]),
        ("Rows: TypeAlias = np.ndarray[tuple[int], int] | slice", ["Rows"]),
        ("Given = Optional[npt.ArrayLike]", ["Given"]),
        ("from frtaudit.core.arrays import Ints\nCodes = Ints\nKeys = None | Codes", ["Codes", "Keys"]),
        ("Draw = Callable[[int], npt.NDArray[np.uint8]]\nBand = tuple[Floats, Floats]\nX = A | B", []),
    ],
)
def test_a_planted_alias_of_an_array_is_seen(text: str, names: list[str]) -> None:
    """A name for NumPy's type, for a union, or for another alias is seen; what only holds arrays is none."""
    assert array_aliases(text) == names


def test_types_of_arrays_have_their_names_in_one_module() -> None:
    """Outside core/arrays.py no module names a type of arrays."""
    names = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path != PACKAGE / "core" / "arrays.py"
        for name in array_aliases(path.read_text())
    ]
    assert not names, "\n".join(["", *names])


def test_long_files_and_functions_say_why() -> None:
    """A file above 400 lines or a function above 40 explains itself with the words "long because"."""
    unexplained = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        if text.count("\n") > MAX_LINES and "long because" not in text.lower():
            unexplained.append(str(path.relative_to(ROOT)))
        for node in functions(path):
            body = (node.end_lineno or node.lineno) - node.body[0].lineno + 1
            doc = ast.get_docstring(node, clean=False)
            if (
                body - (doc.count("\n") + 1 if doc else 0) > MAX_FUNCTION
                and "long because" not in (doc or "").lower()
            ):
                unexplained.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not unexplained, "\n".join(["", *unexplained])


def test_packages_are_small() -> None:
    """No package has more than 25 Python files beside its sub-packages, but for sections and plug-ins."""
    files = Counter(path.relative_to(PACKAGE).parent.as_posix() for path in PACKAGE.rglob("*.py"))
    large = {name: count for name, count in files.items() if count > MAX_FILES and name not in PLUG_INS}
    assert not large


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name: str) -> None:
    """Every example in a module's docstrings gives what it says."""
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for text in doctest.DocTestFinder().find(importlib.import_module(name)):
        if text.examples:  # to run a text without any takes as long
            runner.run(text)
    registry._registered.pop(("analysis", "example"), None)  # as an example names what it registers
    assert runner.summarize(verbose=False).failed == 0


def test_the_tests_of_every_number_are_named() -> None:
    """CONTRIBUTING.md's part "A wrong number" names the tests of every package that makes numbers."""
    (part,) = re.findall(
        r"^### A wrong number\n(.*?)^### ", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL
    )
    stats = {path.parent.name for path in (PACKAGE / "stats").glob("*/__init__.py")}
    makers = {"analyses", "evaluation", "labelling", "pipeline", "planning", "report"}
    named = set(re.findall(r"`tests/([a-z_/]+)`", part))
    assert named == {f"stats/{name}" for name in stats} | makers


def test_every_ignore_carries_its_reason() -> None:
    """A `type: ignore` or a `noqa` names its rule and says why on the line."""
    mute = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"#\s*(?:noqa|type:\s*ignore)", line)
        and not re.search(
            r"#\s*(?:noqa:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*|type:\s*ignore\[[\w,\s-]+\])\s+\S+|#[^#]+#\s+\S",
            line,
        )
    ]
    assert not mute, "\n".join(["", *mute])


def test_every_dependency_has_floor_and_cap_and_reason() -> None:
    """Each run-time dependency has a floor, a cap, and a comment that says what breaks without it."""
    text = (ROOT / "pyproject.toml").read_text()
    block = text.split("\ndependencies = [", 1)[1].split("\n]", 1)[0]
    bad = [
        line
        for line in block.strip().splitlines()
        if not re.search(r'"[\w\[\]-]+>=[\d.]+,<[\d.]+",\s+# \S+', line)
    ]
    assert not bad, "\n".join(["", *bad])


IMPORTED_AS = {
    "PIL": "pillow",
    "cupy": "cupy-cuda12x",
    "dlib": "dlib-bin",
    "faiss": "faiss-cpu",
    "botocore": "boto3",
    "hydra": "hydra-core",
    "mlflow": "mlflow-skinny",
    "pyhanko_certvalidator": "pyhanko-certvalidator",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}


def test_every_import_is_declared() -> None:
    """The package imports the standard library, itself, and what pyproject.toml declares; and needs all of that.

    The extra ``testing`` counts: its strategies are imported by those who write tests; and so do ``search``,
    ``dask`` and ``gpu``. Of the extras of a collection some are models and files, which nothing imports.
    """
    kinds = (ast.Import, ast.ImportFrom, ast.Call)
    said = [node for path in PACKAGE.rglob("*.py") for node in nodes(path) if isinstance(node, kinds)]
    names = {alias.name for node in said if isinstance(node, ast.Import) for alias in node.names}
    names |= {
        node.module for node in said if isinstance(node, ast.ImportFrom) and node.module and not node.level
    }
    names |= {call.args[0].value for call in said if lazily_imports(call)}
    found = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"frtaudit"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    items = [
        *project["dependencies"],
        *extras["testing"],
        *extras["search"],
        *extras["dask"],
        *extras["gpu"],
        *extras["learn"],
        *extras["h5"],
    ]
    perhaps = ("collect", "aws", "dlib", "onnx", "mlflow", "wandb")
    collection = [item for name in perhaps for item in extras[name]]
    declared, others = ({re.split(r"[\[<>=]", item)[0] for item in some} for some in (items, collection))
    named = {IMPORTED_AS.get(name, name) for name in found}
    assert declared <= named <= declared | others


def lazily_imports(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether a node is import_module("...") with a literal name."""
    return (
        isinstance(node, ast.Call)
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
        and "import_module" in (getattr(node.func, "id", None), getattr(node.func, "attr", None))
    )


def test_constraints_pin_every_dependency() -> None:
    """constraints.txt holds one exact version for every dependency, and names no host."""
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    pinned = {re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in lines}
    declared = re.findall(
        r'^    "([\w-]+)(?:\[\w+\])?[<>=]', (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    assert {re.sub(r"[-_.]+", "-", name).lower() for name in declared} - pinned == set()


def test_constraints_hold_on_the_oldest_python() -> None:
    """On the oldest Python that is admitted, each pin that is installed runs, and admits the other pins."""
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(
        ">="
    )
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pinned = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    there = {"python_version": oldest.rpartition(".")[0], "python_full_version": oldest, "extra": ""}
    seen = 0
    for package in distributions():
        if pinned.get(canonicalize_name(package.name)) != package.version:
            continue
        seen += 1
        assert oldest in SpecifierSet(package.metadata.get("Requires-Python", "")), package.name
        for needed in map(Requirement, package.requires or []):
            if needed.marker is None or needed.marker.evaluate(there):
                assert pinned[canonicalize_name(needed.name)] in needed.specifier, f"{package.name}: {needed}"
    assert seen > 60


def test_version_is_said_once_everywhere() -> None:
    """pyproject.toml, CITATION.cff, CHANGELOG.md and the package agree on the version."""
    version = frtaudit.__version__
    assert f'\nversion = "{version}"\n' in (ROOT / "pyproject.toml").read_text()
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text()
