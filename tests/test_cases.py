"""Every expected number of every case, computed by the ``stats`` functions that the analyses use.

Cases: ``tests/cases``, or the folder that FRTAUDIT_CASES names. The kind of a case is its file name up to ``_``.
"""

import copy
import json
import math
import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import case_trees
import pytest

Tree = Any  # parsed JSON
KeyPath = tuple[str | int, ...]

FOLDER = Path(os.environ.get("FRTAUDIT_CASES", Path(__file__).parent / "cases"))
FILES = sorted(FOLDER.glob("*.json"))
KINDS = ("roc", "wilson", "dl2", "folds", "spectral", "bounds")
SPECIAL = {"inf", "-inf", "nan"}


def kind_of(path: Path) -> str:
    """The kind of the case in a file."""
    return path.stem.split("_")[0]


def read(path: Path) -> Tree:
    """The case in a file."""
    return json.loads(path.read_text())


def leaves(tree: Tree, place: KeyPath = ()) -> Iterator[tuple[KeyPath, Tree]]:
    """Every leaf of a tree and where it stands; an empty list or mapping is a leaf."""
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            yield from leaves(value, (*place, key))
    elif isinstance(tree, list) and tree:
        for number, value in enumerate(tree):
            yield from leaves(value, (*place, number))
    else:
        yield place, tree


class Comparison:
    """The expected tree against the computed one; ``compared`` holds the expected leaves that were compared."""

    def __init__(self, expected: Tree, computed: Tree, place: KeyPath, tolerance: float) -> None:
        self.tolerance = tolerance
        self.compared: set[KeyPath] = set()
        self.problems: list[str] = []
        self.compare(expected, computed, place)

    def compare(self, expected: Tree, computed: Tree, place: KeyPath) -> None:
        """Compare what stands at ``place``."""
        if isinstance(expected, dict) and set(expected) == {"float", "exact"}:
            self.compare_exact(expected, computed, place)
        elif isinstance(expected, dict) and expected:
            self.compare_mapping(expected, computed, place)
        elif isinstance(expected, list) and expected:
            self.compare_list(expected, computed, place)
        else:
            self.see(same(expected, computed, place, self.tolerance), expected, computed, place)

    def compare_exact(self, expected: Tree, computed: Tree, place: KeyPath) -> None:
        """A rate given twice: both forms are one number, in lowest terms, and the computed rate is it."""
        exact = rational(expected["exact"])
        lowest = exact is not None and f"{exact.numerator}/{exact.denominator}" == expected["exact"]
        twice = lowest and math.isclose(expected["float"], exact, rel_tol=1e-12)
        holds = twice and close(exact, computed, self.tolerance)
        self.see(holds, expected["exact"], computed, (*place, "exact"))
        self.see(close(expected["float"], computed, self.tolerance), expected, computed, (*place, "float"))

    def compare_mapping(self, expected: Tree, computed: Tree, place: KeyPath) -> None:
        """Every expected key has a computed counterpart."""
        for key, value in expected.items():
            if not isinstance(computed, dict) or key not in computed:
                self.problems.append(f"{place}: {key!r} was not computed")
            else:
                self.compare(value, computed[key], (*place, key))

    def compare_list(self, expected: Tree, computed: Tree, place: KeyPath) -> None:
        """Lists are of one length; components of a graph have no order."""
        if not isinstance(computed, list) or len(computed) != len(expected):
            self.problems.append(f"{place}: expected {len(expected)} items, computed {computed!r:.80}")
            return
        order = list(range(len(expected)))
        if place and place[-1] == "impostor_components":
            order.sort(key=lambda number: expected[number])
        for number, value in zip(order, computed, strict=True):
            self.compare(expected[number], value, (*place, number))

    def see(self, holds: bool, expected: Tree, computed: Tree, place: KeyPath) -> None:
        """Note that a leaf was compared, and whether it holds."""
        self.compared.add(place)
        if not holds:
            self.problems.append(f"{place}: expected {expected!r}, computed {computed!r}")


def same(expected: Tree, computed: Tree, place: KeyPath, tolerance: float) -> bool:
    """Whether a computed leaf is the expected one."""
    if place and place[-1] == "note":
        return isinstance(computed, str)  # that there is a note, not its words
    if isinstance(expected, str) and expected not in SPECIAL:
        return str(computed) == expected or rational(expected) == rational(computed) is not None
    if isinstance(expected, (bool, list, dict)) or expected is None:
        return type(computed) is type(expected) and computed == expected
    return close(expected, computed, tolerance)


def rational(value: Tree) -> Fraction | None:
    """A target rate such as ``"1/9"`` or 0.2 as a fraction."""
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None


def close(expected: Tree, computed: Tree, tolerance: float) -> bool:
    """Equal integers and special values; else relative above 1, absolute below."""
    if isinstance(computed, bool) or not isinstance(computed, (int, float)):
        return False
    if isinstance(expected, int) and isinstance(computed, int):
        return expected == computed
    want = float(expected)
    if not math.isfinite(want) or not math.isfinite(computed):
        return want == computed or (math.isnan(want) and math.isnan(computed))
    return abs(computed - want) <= tolerance * max(1.0, abs(want))


def check(case: Tree, computed: Tree) -> list[str]:
    """What does not hold in a case; every expected leaf must have been compared."""
    found = Comparison(case["expected"], computed, (), case["tolerance"])
    if not found.problems:
        unseen = {place for place, _ in leaves(case["expected"])} - found.compared
        assert not unseen, f"never compared: {sorted(map(str, unseen))[:5]}"
    return found.problems


def problems(path: Path) -> list[str]:
    """What does not hold in the case of a file."""
    case = read(path)
    return check(case, case_trees.tree_of(kind_of(path), case))


def mutations(value: Tree, tolerance: float) -> Iterator[Tree]:
    """A leaf with one digit changed, by more than the tolerance; or the other truth value."""
    if isinstance(value, bool):
        yield not value
        return
    text = str(value)
    for number, digit in enumerate(text):
        if not digit.isdigit() or (isinstance(value, str) and value[:1].isalpha()):
            continue
        changed = text[:number] + str((int(digit) + 1) % 10) + text[number + 1 :]
        if isinstance(value, str):
            yield changed
        elif not close(value, type(value)(changed), 2 * tolerance):
            yield type(value)(changed)


def at(tree: Tree, place: KeyPath) -> Tree:
    """What stands at a place."""
    for step in place:
        tree = tree[step]
    return tree


def put(tree: Tree, place: KeyPath, value: Tree) -> None:
    """Put a value where ``place`` says."""
    at(tree, place[:-1])[place[-1]] = value


def test_there_are_cases() -> None:
    """The folder of cases is not empty, so that passing means something."""
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    """Every expected number of the case is computed, to the tolerance in its file."""
    assert kind_of(path) in KINDS
    assert problems(path) == []


@pytest.mark.parametrize(
    "path", [path for path in FILES if kind_of(path) in KINDS], ids=lambda path: path.stem
)
def test_every_digit_counts(path: Path) -> None:
    """Changing any digit of any expectation, by more than the tolerance, is reported."""
    case = read(path)
    computed = case_trees.tree_of(kind_of(path), case)
    tried = 0
    for place, value in list(leaves(case["expected"])):
        for wrong in mutations(value, case["tolerance"]) if place[-1] != "note" else ():
            put(case["expected"], place, wrong)
            above = (at(case["expected"], place[:-1]), at(computed, place[:-1]), place[:-1])
            found = Comparison(*above, case["tolerance"])
            assert found.problems, f"{place}: {value!r} -> {wrong!r} went unseen"
            tried += 1
        put(case["expected"], place, value)
    assert tried > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_file_is_reported(kind: str, tmp_path: Path) -> None:
    """A copy of the case on disk with one digit of one number changed does not pass."""
    source = next((path for path in FILES if kind_of(path) == kind), None)
    if source is None:
        pytest.skip(f"no case of kind {kind} in {FOLDER.name}")
    case = read(source)
    place, value = next(
        (place, value)
        for place, value in leaves(case["expected"])
        if isinstance(value, float) and place[-1] not in {"t", "alpha"} and 0 < abs(value) < 1
    )
    changed = copy.deepcopy(case)
    put(changed["expected"], place, next(mutations(value, case["tolerance"])))
    target = tmp_path / source.name
    target.write_text(json.dumps(changed))
    assert problems(target)
    target.write_text(json.dumps(case))
    assert problems(target) == []


def test_a_number_that_is_not_computed_is_reported() -> None:
    """An expected key without a computed counterpart is a problem, not a pass."""
    case = {"expected": {"known": 1.0, "new": 2.0}, "tolerance": 1e-9}
    assert check(case, {"known": 1.0}) == ["(): 'new' was not computed"]


WHAT_NEEDS = {
    "bootstrap_counts": ("boot", "fairness_boot"),
    "identity_counts": ("vertex_roc_star",),
    "groups": (
        "group_rates", "fairness", "composite_alpha_0.5", "fairness_boot",
        "group_FRR", "group_FRRbar", "group_FAR_within",
    ),
    "counts": ("bootstrap_quantile",),
}  # fmt: skip


def _pruned(tree: Tree, keys: set[str]) -> Tree:
    """A tree without the keys named, wherever they stand."""
    if isinstance(tree, dict):
        return {key: _pruned(value, keys) for key, value in tree.items() if key not in keys}
    return [_pruned(value, keys) for value in tree] if isinstance(tree, list) else tree


def _without(case: Tree, *parts: str) -> Tree:
    """The case without optional parts of its input, and without what is expected of them."""
    gone = {key for part in parts for key in WHAT_NEEDS.get(part, ())}
    return case | {
        "input": case["input"] | dict.fromkeys(parts),
        "expected": _pruned(case["expected"], gone),
    }


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("roc_unbalanced", ("scores",)),
        ("roc_unbalanced", ("embeddings", "identity_counts")),
        ("roc_unbalanced", ("bootstrap_counts",)),
        ("roc_ties", ("groups",)),
        ("wilson_embeddings", ("scores",)),
        ("dl2_three_classes", ("counts",)),
    ],
)
@pytest.mark.parametrize("absent", [False, True])
def test_optional_parts_may_be_null_or_absent(name: str, parts: tuple[str, ...], absent: bool) -> None:
    """A shipped case without an optional part still yields every other expected number."""
    path = Path(__file__).parent / "cases" / f"{name}.json"
    case = _without(read(path), *parts)
    if absent:
        case["input"] = {key: value for key, value in case["input"].items() if key not in parts}
    assert check(case, case_trees.tree_of(kind_of(path), case)) == []


def test_a_single_alpha_and_a_list_of_one_agree() -> None:
    """A list of alphas adds the key alpha to each row and nothing else."""
    case = read(Path(__file__).parent / "cases" / "wilson_pairlist.json")
    single = case_trees.tree_of("wilson", case)
    case["input"]["alpha"] = [case["input"]["alpha"]]
    listed = case_trees.tree_of("wilson", case)
    assert [row | {"alpha": case["input"]["alpha"][0]} for row in single] == listed


def test_three_groups_are_no_special_case() -> None:
    """Every subject its own group, strings as targets, one level: the tree has a rate for each."""
    case = read(Path(__file__).parent / "cases" / "roc_unbalanced.json")
    names = sorted(set(case["input"]["ids"]))
    case["input"] |= {
        "groups": {name: "ABC"[number % 3] for number, name in enumerate(names)},
        "far_targets": ["1/9"],
        "c": 0.1,
    }
    row = case_trees.tree_of("roc", case)["at_far"][0]
    assert set(row["group_rates"]["FRR"]) == set("ABC")
    assert set(row["boot"]["intervals"]) == {"0.1"}
    assert len(row["fairness_boot"]["far_gini"]["reps"]) == len(case["input"]["bootstrap_counts"])
