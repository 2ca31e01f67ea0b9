"""From what was spent to a page of Markdown."""

import os
import platform
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.contests import OURS, Contest, Line, Measure

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
Spent = dict[str, dict[str, Any]]


def page(contests: Iterable[Contest], found: dict[str, Any]) -> str:
    """The tables of all contests held, after what the machine is and what it can do."""
    held = [contest for contest in contests if contest.name in found["contests"]]
    parts = [_machine(found), _versions(found)]
    parts += [_contest(contest, found["contests"][contest.name], found["floors"]) for contest in held]
    return "\n\n".join(parts) + "\n"


def into(path: Path, text: str) -> None:
    """Replace what stands between the marks of a page."""
    old = path.read_text()
    before, after = old.split(BEGIN)[0], old.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}")


def value_of(line: Line, spent: Spent) -> float | None:
    """What a line states; None where a contender is missing."""
    ours = spent[OURS]
    if line.measure is Measure.MEMORY:
        return float(ours["peaks"][line.step])
    own = ours["steps"][line.step]
    if line.measure is Measure.RATIO:
        if line.other not in spent:
            return None
        return float(spent[line.other]["steps"][line.step]["cpu"] / own["cpu"])
    other = ours["steps"][line.other]
    if line.measure is Measure.PERCENT:
        return float(100 * own["cpu"] / other["cpu"])
    return float(own["wall"] / other["wall"])


def _machine(found: dict[str, Any]) -> str:
    floors = found["floors"]
    scale = "" if found["scale"] == 1 else f" **A run at {found['scale']:g} of the full size.**"
    date = f" {found['date']}." if found["date"] else ""
    can = (
        (floors["L1"], "loads and additions of bytes from the first-level cache"),
        (floors["L2"], "from the second"),
        (floors["memory"], "from memory"),
        (floors["scores"], "float32 scores (D = 128) by a bare matrix product"),
    )
    listed = ", ".join(f"{_power(rate)} {what}" for rate, what in can)
    return (
        f"Machine: {os.cpu_count()} cores, {processor()}.{date}{scale} "
        f"What it can do in a CPU second on one thread: {listed}."
    )


def processor() -> str:
    """The processor's model, as the system names it."""
    listed = Path("/proc/cpuinfo")
    text = listed.read_text() if listed.is_file() else ""
    model = re.search(r"model name\s*:\s*(.+)", text)
    return model[1].strip() if model else platform.machine()


def _versions(found: dict[str, Any]) -> str:
    seen: dict[str, set[str]] = {}
    for spent in found["contests"].values():
        for numbers in spent.values():
            for name, version in numbers["versions"].items():
                seen.setdefault(name, set()).add(version)
    listed = ", ".join(f"{name} {' and '.join(sorted(some))}" for name, some in sorted(seen.items()))
    return f"Versions: {listed}."


def _contest(contest: Contest, spent: Spent, floors: dict[str, float]) -> str:
    return "\n".join(
        [
            f"### {contest.name}: {contest.title}",
            "",
            *_lines(contest, spent),
            "",
            *_costs(contest, spent, floors),
        ]
    )


def _lines(contest: Contest, spent: Spent) -> list[str]:
    rows = ["| line | measured | target | |", "|---|---|---|---|"]
    for line in contest.lines:
        value = value_of(line, spent)
        target = "" if line.target is None else _amount(line, line.target)
        shown = "not run" if value is None else _amount(line, value)
        verdict = "" if value is None else line.verdict(value)
        rows.append(f"| {_said(line)} | {shown} | {target} | {verdict} |")
    return rows


def _said(line: Line) -> str:
    if line.measure is Measure.MEMORY:
        return f"peak memory, scoring and {line.step}"
    if line.measure is Measure.RATIO:
        return f"CPU of {line.other} over ours"
    if line.measure is Measure.PERCENT:
        return f"CPU of {line.step} as a share of the scoring pass"
    return f"wall time of {line.step}, one thread over two"


def _amount(line: Line, value: float) -> str:
    if line.measure is Measure.PERCENT:
        return f"{value:.3g} %"
    if line.measure is Measure.MEMORY:
        return f"{value:.2f} GiB"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _costs(contest: Contest, spent: Spent, floors: dict[str, float]) -> list[str]:
    rows = [
        "| who | step | CPU | wall | process peak | share of the floor |",
        "|---|---|---|---|---|---|",
    ]
    for contender in contest.contenders:
        if contender.name not in spent:
            rows.append(f"| {contender.name} | not installed | | | | |")
            continue
        numbers = spent[contender.name]
        for name, step in numbers["steps"].items():
            share = _share(contest, name, step, numbers["facts"], floors) if contender.name == OURS else ""
            cells = (seconds(step["cpu"]), seconds(step["wall"]), f"{numbers['peak']:.2f} GiB", share)
            rows.append(f"| {contender.name} | {name} | {' | '.join(cells)} |")
    return rows


def _share(
    contest: Contest, name: str, step: dict[str, float], facts: dict[str, float], floors: dict[str, float]
) -> str:
    """Of what the machine can do: L1 and L2 for image replicates, the matrix product for scoring."""
    if name.startswith("score") and "pairs scored" in facts:
        return f"{100 * facts['pairs scored'] / step['cpu'] / floors['scores']:.2g} %"
    if "pairs above" not in facts or not name.startswith(("images", "replicate")):
        return ""
    replicates = 1000 / step["units"] if contest.name.startswith("engine") else 1
    rate = facts["pairs above"] * replicates / step["cpu"]
    return f"{100 * rate / floors['L1']:.2g} % of L1, {100 * rate / floors['L2']:.2g} % of L2"


def seconds(value: float) -> str:
    """A time with three digits and a unit.

    >>> seconds(0.0123)
    '12.3 ms'
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"


def _power(value: float) -> str:
    return f"{value:.1e}".replace("e+", "e")
