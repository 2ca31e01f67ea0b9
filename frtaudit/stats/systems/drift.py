"""Did a service change between two moments? The same comparisons, asked several times at each: exact, free of noise.

Of one comparison R answers at one moment and R at another are *apart* when all of one moment exceed all of the other.
If nothing changed, the 2R answers are exchangeable (calls are answered independently); given their values, an item
whose R-th and (R+1)-th in order differ is apart in 2 of the (2R choose R) equally likely arrangements, any other never.
Of S such items the number that is apart is thus binomial(S, h), h = 2 / (2R choose R), whatever the noise: a service
that answers differently to every call is not called changed, and one that always answers alike needs few changed
answers.
"""

from math import comb

import numpy as np

from frtaudit.core.arrays import Flags, Floats
from frtaudit.stats._scipy import scipy


def apart(first: Floats, second: Floats) -> tuple[Flags, Flags]:
    """Which of N items are apart, and which could be, shape (N,) each; ``first``, ``second``: answers, (N, R).

    >>> apart(np.array([[1.0, 1], [1, 2], [3, 3]]), np.array([[2.0, 2], [1, 3], [3, 3]]))
    (array([ True, False, False]), array([ True,  True, False]))
    """
    separate = (first.max(axis=1) < second.min(axis=1)) | (second.max(axis=1) < first.min(axis=1))
    ordered = np.sort(np.concatenate([first, second], axis=1), axis=1)
    repeats = first.shape[1]
    return separate, ordered[:, repeats - 1] < ordered[:, repeats]


def by_chance(repeats: int) -> float:
    """h: the share of arrangements of 2R different answers in which the moments are apart.

    >>> by_chance(3)
    0.1
    """
    return 2 / comb(2 * repeats, repeats)


def p_value(n_apart: int, n_open: int, repeats: int) -> float:
    """Probability of as many items apart or more if nothing changed; ``n_open``: items that could be apart.

    >>> round(p_value(3, 3, repeats=3), 6)
    0.001
    """
    return float(scipy.stats.binom.sf(n_apart - 1, n_open, by_chance(repeats)))


def beyond_chance(p: float, alpha: float, rounds: int) -> bool:
    """Whether one later round of ``rounds`` shows a change, ``alpha`` being the false alarms of all of them.

    >>> beyond_chance(0.004, 0.01, rounds=3), beyond_chance(0.006, 0.01, rounds=3)
    (True, False)
    """
    return p <= alpha / (rounds - 1)


def noise(answers: Floats) -> float:
    """Share of items and moments whose repeats differ; ``answers``: (N, M, R).

    >>> noise(np.array([[[1.0, 1.0], [1.0, 2.0]]]))
    0.5
    """
    return float((answers.max(axis=2) > answers.min(axis=2)).mean()) if answers.size else 0.0


def power(n_items: int, share: float, repeats: int, alpha: float, noisy: float = 0.0) -> float:
    """Probability that the change is found if ``share`` of the answers changed by more than their noise.

    ``noisy``: share of unchanged items that could be apart by noise. Exact: changed ~ binomial(N, share), of the others
    open ~ binomial(., noisy), of those apart ~ binomial(., h).

    >>> round(power(20, 1.0, repeats=3, alpha=0.005), 6), round(power(20, 0.0, repeats=3, alpha=0.005), 6)
    (1.0, 0.0)
    """
    weights = scipy.stats.binom.pmf(np.arange(n_items + 1), n_items, share)
    return float(weights @ _found(n_items, repeats, alpha, noisy))


def _found(n_items: int, repeats: int, alpha: float, noisy: float) -> Floats:
    """Probability that the change is found where 0, 1, ..., N items changed, shape (N + 1,)."""
    chance, sizes = by_chance(repeats), np.arange(n_items + 1)
    tails = np.asarray(
        scipy.stats.binom.sf(sizes[None, :] - 1, sizes[:, None], chance) <= alpha
    )  # (open, apart)
    needed = np.where(tails.any(axis=1), tails.argmax(axis=1), n_items + 1)
    changed, opened = np.meshgrid(sizes, sizes, indexing="ij")  # opened: of those that did not change
    within = changed + opened <= n_items
    weights = np.where(within, scipy.stats.binom.pmf(opened, n_items - changed, noisy), 0.0)
    wanted = needed[np.minimum(changed + opened, n_items)] - changed
    return np.asarray(
        (weights * scipy.stats.binom.sf(wanted - 1, opened, chance)).sum(axis=1), dtype=np.float64
    )


def least_share(
    n_items: int, repeats: int, alpha: float, noisy: float = 0.0, wanted: float = 0.95
) -> float | None:
    """The smallest share of changed answers that is found with probability ``wanted``; None where not even all are.

    To a thousandth, upwards; power grows with the share.

    >>> least_share(20, repeats=3, alpha=0.005)
    0.283
    """
    if n_items == 0:
        return None
    power = _found(n_items, repeats, alpha, noisy)
    share = np.arange(1, 1001) / 1000
    reached = scipy.stats.binom.pmf(np.arange(n_items + 1), n_items, share[:, None]) @ power >= wanted
    return float(share[reached.argmax()]) if reached.any() else None
