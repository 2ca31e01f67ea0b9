"""Slow twins of what joins boxes and finds near-duplicates: pair by pair, in plain Python."""

from itertools import combinations

import numpy as np


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Intersection over union of two boxes (x, y, width, height)."""
    wide = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    high = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    both = wide * high if wide > 0 and high > 0 else 0.0
    return both / (one[2] * one[3] + other[2] * other[3] - both)


def grown(members: list[int], alike: dict[frozenset[int], float], least: float) -> list[set[int]]:
    """Members in parts that are linked by likeness above ``least``."""
    parts = [{member} for member in members]
    for pair, value in alike.items():
        if value > least and pair <= set(members):
            touched = [part for part in parts if part & pair]
            parts = [part for part in parts if not part & pair] + [set().union(*touched)]
    return parts


def joined(
    image: list[int], service: list[int], box: list[tuple[float, ...]], least: float = 0.2
) -> set[frozenset[int]]:
    """Faces as sets of boxes: grow parts, and raise the bound within each that holds two boxes of one service."""
    alike = {
        frozenset((a, b)): overlap(box[a], box[b])
        for a, b in combinations(range(len(image)), 2)
        if image[a] == image[b] and service[a] != service[b]
    }
    found, open_parts = set(), [(list(range(len(image))), least)]
    while open_parts:
        members, bound = open_parts.pop()
        for part in grown(members, alike, bound):
            owners = [service[member] for member in part]
            if len(set(owners)) == len(owners):
                found.add(frozenset(part))
                continue
            above = [value for pair, value in alike.items() if pair <= part and value > bound]
            raised = next(value for value in sorted(set(above)) if len(grown(list(part), alike, value)) > 1)
            open_parts.append((list(part), raised))
    return found


def medoids(query_of: list[int], vectors: np.ndarray, similarity: float) -> set[int]:
    """The medoids of groups of near-duplicates, the first of equals."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    alike = {
        frozenset((a, b)): float(np.dot(unit[a].astype(float), unit[b].astype(float)))
        for a, b in combinations(range(len(query_of)), 2)
        if query_of[a] == query_of[b]
    }
    found = set()
    for part in grown(list(range(len(query_of))), alike, similarity):
        total = {a: sum(alike[frozenset((a, b))] for b in part if b != a) for a in part}
        best = max(total.values())
        found.add(min(a for a in part if total[a] >= best - 1e-9))
    return found
