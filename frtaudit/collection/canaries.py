"""Canaries: the same pairs before, during and after, both ways round, again and again; what they say of a service."""

from collections.abc import Mapping, Sequence

import numpy as np

from frtaudit.collection.chosen import Chosen
from frtaudit.collection.spec import Canaries
from frtaudit.collection.store import Store
from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.canonical import Json, seed_of
from frtaudit.core.collecting import Refusal
from frtaudit.errors import SpecError
from frtaudit.stats.systems.drift import apart, beyond_chance, least_share, noise, p_value

ALPHA = 0.01  # false alarms of a service, over all its rounds
POWER = 0.95
_SHORTEST = 8


def drawn(chosen: Chosen, canaries: Canaries, seed: int) -> Index:
    """The canaries' faces, shape (2, C): given, or drawn from the collection's own pairs.

    Raises :class:`SpecError` for a given image that is none of the faces.
    """
    if canaries.given:
        faces = [[_face(chosen, digest) for digest in pair] for pair in canaries.given]
        return np.array(faces, dtype=np.int32).T.reshape(2, -1)
    size = chosen.pairs.shape[1]
    rng = np.random.default_rng(seed_of(seed, "collection", "canaries"))
    return chosen.pairs[:, np.sort(rng.choice(size, min(canaries.pairs, size), replace=False))]


def _face(chosen: Chosen, digest: str) -> int:
    among = [face for face, name in enumerate(chosen.faces.names) if f"-{digest[:16]}" in name]
    if len(digest) < _SHORTEST or len(among) != 1:
        begins = f" begins the digest of {len(among)} faces" if len(digest) >= _SHORTEST else ""
        accepted = f"{_SHORTEST} or more letters of one image's sha256, in pairs"
        raise SpecError("canaries.given", f"{digest!r}{begins}", accepted)
    return among[0]


def turn_of(canaries: Canaries, moment: int, repeat: int) -> int:
    """The turn of a repeat in a round, from 1: 0 is the collection's own.

    >>> turn_of(Canaries(rounds=3, repeats=2), moment=2, repeat=1)
    6
    """
    return 1 + moment * canaries.repeats + repeat


def turns_of(canaries: Canaries, moment: int) -> range:
    """The turns of a round.

    >>> turns_of(Canaries(rounds=3, repeats=2), moment=2)
    range(5, 7)
    """
    return range(turn_of(canaries, moment, 0), turn_of(canaries, moment, canaries.repeats))


def both_ways(pairs: Index, crops: Ints) -> tuple[Ints, Ints]:
    """Crops of 2C items, the C pairs as drawn and then turned round."""
    first, second = crops[pairs[0]], crops[pairs[1]]
    return np.concatenate([first, second]), np.concatenate([second, first])


def answers_of(store: Store, service: int, canaries: Canaries, first: Ints, second: Ints) -> Floats:
    """Answers of N items, shape (N, rounds, repeats): a refusal is -inf, no answer NaN."""
    values = np.full((first.size, canaries.rounds, canaries.repeats), np.nan)
    items: dict[tuple[int, int], list[int]] = {}
    for number, key in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        items.setdefault(key, []).append(number)
    last = turn_of(canaries, canaries.rounds - 1, canaries.repeats - 1)
    for turn, probe, other, score, refusal, _ in store.answers(service, 1, last):
        moment, repeat = divmod(turn - 1, canaries.repeats)
        if refusal != Refusal.TRANSPORT:
            for number in items.get((probe, other), ()):
                values[number, moment, repeat] = -np.inf if score is None else score
    return values


def finding(answers: Floats, versions: Mapping[str, int]) -> dict[str, Json]:
    """What canaries say of a service: has it changed, how little of a change would have been seen, is it symmetric.

    Answered is an item with a score in every round: one that is refused in any cannot show a change of scores.
    ``answers``: shape (2C, M, R), C pairs as drawn and then turned round; ``versions``: as it said itself, by how many
    of its answers to all comparisons.

    >>> finding(np.zeros((4, 2, 3)), {"1": 30})["changed"]
    False
    """
    scored = answers[np.isfinite(answers).all(axis=(1, 2))]
    moments, repeats = answers.shape[1:]
    noisy = noise(scored)
    rounds = [_against_first(scored, moment) for moment in range(1, moments)]
    by_scores = any(beyond_chance(test["p"], ALPHA, moments) for test in rounds)
    return {
        "items": len(answers),
        "answered": len(scored),
        "rounds": moments,
        "repeats": repeats,
        "noise": noisy,
        "against_first_round": rounds,
        "alpha": ALPHA,
        "changed": by_scores,
        "several_versions": len(versions) > 1,
        "power": POWER,
        "least_share_found": least_share(len(scored), repeats, ALPHA / (moments - 1), noisy, POWER),
        "both_ways": _asymmetry(answers),
    }


def _against_first(scored: Floats, moment: int) -> dict[str, float]:
    if not len(scored):
        return {"round": moment + 1, "apart": 0, "open": 0, "p": 1.0}
    differ, could = apart(scored[:, 0], scored[:, moment])
    n_apart, n_open = int(differ.sum()), int(could.sum())
    p = p_value(n_apart, n_open, scored.shape[2])
    return {"round": moment + 1, "apart": n_apart, "open": n_open, "p": p}


def _asymmetry(answers: Floats) -> dict[str, Json]:
    """Of the pairs that were scored both ways in the first round: how many are apart, and by how much at most."""
    size = len(answers) // 2
    answer, other = answers[:size, 0], answers[size:, 0]
    scored = np.isfinite(answer).all(axis=1) & np.isfinite(other).all(axis=1)
    answer, other = answer[scored], other[scored]
    if not len(answer):
        return {"pairs": 0, "apart": 0, "largest": None}
    largest = np.abs(answer.mean(axis=1) - other.mean(axis=1)).max()
    return {"pairs": len(answer), "apart": int(apart(answer, other)[0].sum()), "largest": float(largest)}


def sentences(name: str, canaries: Mapping[str, Json], versions: Sequence[str]) -> list[str]:
    """What every reader of a score has to know of a service's canaries, as sentences; none where all is well."""
    notes = []
    if len(versions) > 1:
        notes.append(
            f"{name} answered with {len(versions)} versions during the collection: {', '.join(map(repr, versions))}"
        )
    if canaries["changed"]:
        notes.append(
            f"{name} changed during the collection: the same comparisons have other scores in a later round"
        )
    elif canaries["least_share_found"] is None:
        notes.append(
            f"{name}: {canaries['answered']} of {canaries['items']} canary comparisons have a score in every "
            "round, too few to show a change"
        )
    return notes


def reassurance(name: str, canaries: Mapping[str, Json]) -> list[str]:
    """For who collects: no change was found, and the minimum detectable share of changed answers."""
    share = canaries["least_share_found"]
    if canaries["changed"] or share is None:
        return []
    least = f"{100 * float(str(share)):.1f} % of its answers, with power {POWER:g}"
    return [f"{name}: no change of scores was found; minimum detectable change: {least}"]
