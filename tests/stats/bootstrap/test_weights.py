import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats._numba import kernel
from frtaudit.stats.bootstrap import weights

Ints = npt.NDArray[np.int64]

FALSE_ALARM = 1e-6  # of each chi-square test here; seeds are fixed

counts = st.lists(st.integers(0, 9), min_size=1, max_size=8).map(lambda n: np.array(n, dtype=np.int64))


@given(n=counts, seed=st.integers(0, 2**70), first=st.integers(0, 1000))
def test_weights_within_sum_to_the_samples_of_each_subject(n: Ints, seed: int, first: int) -> None:
    """Every subject's weights sum to n_k in every replicate."""
    drawn = weights.draw_within(n, seed=seed, first=first, count=3)
    starts = np.cumsum(n) - n
    for low, size in zip(starts, n, strict=True):
        assert (drawn[low : low + size].sum(axis=0, dtype=int) == size).all()


@given(strata=st.lists(st.integers(-1, 3), min_size=1, max_size=12), seed=st.integers(0, 99))
def test_copies_sum_to_the_subjects_of_each_stratum(strata: list[int], seed: int) -> None:
    """Every stratum keeps its number of subjects, in any order of labels."""
    labels = np.array(strata)
    drawn = weights.draw_between(labels, seed=seed, first=0, count=4)
    for label in np.unique(labels):
        assert (drawn[labels == label].sum(axis=0, dtype=int) == (labels == label).sum()).all()


@given(n=counts, seed=st.integers(0, 99), cut=st.integers(1, 6))
def test_a_weight_depends_on_its_key_alone(n: Ints, seed: int, cut: int) -> None:
    """Replicates drawn in two calls, or for fewer subjects, are the same bits."""
    whole = weights.draw_within(n, seed=seed, first=0, count=7)
    parts = [
        weights.draw_within(n, seed=seed, first=0, count=cut),
        weights.draw_within(n, seed=seed, first=cut, count=7 - cut),
    ]
    np.testing.assert_array_equal(whole, np.hstack(parts))
    fewer = weights.draw_within(n[:1], seed=seed, first=0, count=7)
    np.testing.assert_array_equal(whole[: n[0]], fewer)


def test_copies_are_drawn_apart_and_only_where_they_exist() -> None:
    """Copy 0 is the image bootstrap's, later copies differ from it, missing copies weigh nothing."""
    n = np.array([40, 40])
    copies = np.array([[2, 0], [1, 3]], dtype=np.uint8)
    drawn = weights.draw_copies(n, copies, seed=4, first=0)
    assert drawn.shape == (3, 80, 2)
    once = weights.draw_within(n, seed=4, first=0, count=2)
    np.testing.assert_array_equal(drawn[0, :40, 0], once[:40, 0])
    assert (drawn[0, :40, 0] != drawn[1, :40, 0]).any()
    np.testing.assert_array_equal(drawn.reshape(3, 2, 40, 2).sum(axis=2, dtype=int)[:, :, 1], [[0, 40]] * 3)


@given(
    n=st.lists(st.integers(0, 12), min_size=1, max_size=6),
    most=st.sampled_from((1, 3, 7, 60)),
    seed=st.integers(0, 99),
)
def test_copies_summed_are_the_sum_of_copies_drawn_apart(n: list[int], most: int, seed: int) -> None:
    """Few samples, many, and so many copies that sums of few samples leave a byte of the packed counts."""
    sizes = np.array(n)
    copies = np.random.default_rng(seed).integers(0, most + 1, (sizes.size, 5)).astype(np.uint8)
    apart = weights.draw_copies(sizes, copies, seed=seed, first=3)
    np.testing.assert_array_equal(
        weights.draw_summed(sizes, copies, seed=seed, first=3), apart.sum(axis=0, dtype=int)
    )
    who = np.flatnonzero(sizes)[::2]
    some = weights.draw_copies(sizes, copies, seed=seed, first=3, who=who)
    chosen = np.isin(np.repeat(np.arange(sizes.size), sizes), who)
    np.testing.assert_array_equal(some, apart[: len(some), chosen])


@given(
    n=st.lists(st.integers(0, 12), min_size=1, max_size=6).filter(any),
    most=st.sampled_from((1, 3, 7)),
    seed=st.integers(0, 99),
)
def test_products_are_those_of_copies_drawn_apart(n: list[int], most: int, seed: int) -> None:
    """Of any comparisons within subjects, in any order; the last row is of ones."""
    sizes, rng = np.array(n), np.random.default_rng(seed)
    copies = rng.integers(0, most + 1, (sizes.size, 5)).astype(np.uint8)
    subject = np.repeat(np.arange(sizes.size), sizes)
    one, other = np.int32(np.nonzero(subject[:, None] == subject))
    some = rng.permutation(one.size)[: rng.integers(1, one.size + 1)]
    one, other = one[some], other[some]
    apart = weights.draw_copies(sizes, copies, seed=seed, first=3).astype(int)
    expected = (apart[:, one] * apart[:, other]).sum(axis=0)
    drawn = weights.draw_products(sizes, copies, one, other, seed=seed, first=3)
    if expected.max() > 255:
        assert drawn is None
        return
    assert drawn is not None
    np.testing.assert_array_equal(drawn, np.vstack((expected, np.ones(5))))


@pytest.mark.parametrize("size", [2, 40])
def test_a_product_that_no_byte_holds_is_not_drawn(size: int) -> None:
    """255 copies of a subject: a sample's squares sum to more in a replicate than a byte holds, or to less."""
    copies, same = np.full((1, 20), 255, dtype=np.uint8), np.zeros(1, dtype=np.int32)
    assert weights.draw_products(np.array([size]), copies, same, same, seed=1, first=0) is None
    assert weights.draw_products(np.array([size]), copies // 4, same, same, seed=1, first=0) is not None


@pytest.mark.parametrize("size", [2, 40])
def test_a_sum_that_no_byte_holds_is_refused(size: int) -> None:
    """255 copies: among a few replicates some sample weighs more than 255."""
    copies = np.full((1, 20), 255, dtype=np.uint8)
    with pytest.raises(ValueError, match="a weight is above 255; accepted: 0 to 255"):
        weights.draw_summed(np.array([size]), copies, seed=1, first=0)
    assert weights.draw_summed(np.array([size]), copies // 2, seed=1, first=0).sum() == 20 * 127 * size


def test_draws_within_are_uniform_and_independent() -> None:
    """First draws over replicates fill the cells of (draw of one subject, draw of the next) evenly: chi-square."""
    n = np.array([3, 3], dtype=np.int64)
    drawn = weights.draw_within(n, seed=11, first=0, count=20_000).astype(int)
    multinomial = {}
    for column in drawn.T:
        multinomial[tuple(column)] = multinomial.get(tuple(column), 0) + 1
    law = {
        (a, b, c): stats.multinomial.pmf([a, b, c], 3, [1 / 3] * 3)
        for a in range(4)
        for b in range(4 - a)
        for c in [3 - a - b]
    }
    cells = [(one + two, law[one] * law[two]) for one in law for two in law]
    seen = [multinomial.get(key, 0) for key, _ in cells]
    want = [20_000 * share for _, share in cells]
    assert stats.chisquare(seen, want).pvalue > FALSE_ALARM


@pytest.mark.compiled
@pytest.mark.parametrize("size", [2, 5, 50])
def test_draws_between_are_uniform(size: int) -> None:
    """Each subject is drawn equally often: chi-square over subjects and replicates."""
    drawn = weights.draw_between(np.zeros(size, dtype=int), seed=3, first=0, count=100_000 // size)
    assert stats.chisquare(drawn.sum(axis=1, dtype=int)).pvalue > FALSE_ALARM


def test_coins_are_fair_and_independent() -> None:
    """Double-or-nothing: the four outcomes of two subjects are equally frequent, and no third value appears."""
    drawn = weights.draw_coins(2, seed=9, first=0, count=20_000).astype(int)
    assert set(np.unique(drawn)) == {0, 2}
    seen = np.bincount(drawn[0] + drawn[1] // 2, minlength=4)
    assert stats.chisquare(seen).pvalue > FALSE_ALARM


def split_mix(state: int, number: int) -> int:
    """Output ``number`` (1, 2, ...) of SplitMix64 from a state (Steele, Lea and Flood 2014, figures 16 and 17)."""
    z = (state + number * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_coins_are_the_bits_of_split_mix(seed: int) -> None:
    """Replicates 64 to 127 of a subject: the second word of its stream, which seed, level, subject and copy key."""
    assert [split_mix(1234567, k) for k in (1, 2)] == [6457827717110365317, 3203168211198807973]  # published
    coins = weights.draw_coins(3, seed=seed, first=64, count=64)
    for subject, row in enumerate(coins):
        stream = split_mix(split_mix(split_mix(seed, 3), subject + 1), 1)
        bits = split_mix(stream, 2)
        assert row.tolist() == [2 * (bits >> k & 1) for k in range(64)]


GOLDEN, WORD, FRACTION = 0x9E3779B97F4A7C15, 2**64, 2**32


def unmixed(word: int) -> int:
    """The state whose next output is ``word``."""
    word ^= word >> 31 ^ word >> 62
    word = word * pow(0x94D049BB133111EB, -1, WORD) % WORD
    word ^= word >> 27 ^ word >> 54
    word = word * pow(0xBF58476D1CE4E5B9, -1, WORD) % WORD
    return ((word ^ word >> 30 ^ word >> 60) - GOLDEN) % WORD


def seed_of(word: int, level: int) -> int:
    """The seed with which the first replicate of the first subject's first copy is ``word``."""
    return (unmixed(unmixed(unmixed(unmixed(word)))) - (level - 1) * GOLDEN) % WORD


def word_of(seed: int, level: int, subject: int, copy: int, replicate: int) -> int:
    """The word of a replicate: output of a stream that is keyed by outputs of streams."""
    return split_mix(split_mix(split_mix(split_mix(seed, level), subject + 1), copy + 1), replicate + 1)


def lemire(word: int, size: int, number: int) -> list[int]:
    """Draws below ``size``, each from the words that follow (Lemire 2019, algorithm 5)."""
    drawn, turn = [], 0
    while len(drawn) < number:
        turn += 1
        draw, rest = divmod((split_mix(word, turn) >> 32) * size, FRACTION)
        if rest >= FRACTION % size:
            drawn.append(draw)
    return drawn


def digits(word: int, size: int) -> list[int]:
    """``size`` digits of the first fraction that is not rejected, in base ``size``."""
    number, rest = divmod((word >> 32) * size**size, FRACTION)
    if rest < FRACTION % size**size:
        return digits(split_mix(word, 1), size)
    return [number // size**place % size for place in reversed(range(size))]


def fraction(rest: int, size: int) -> int:
    """A word whose high half times an odd ``size`` leaves ``rest``."""
    return (rest * pow(size, -1, FRACTION) % FRACTION) << 32


def few_seeds(size: int) -> list[int]:
    """Any seed; the last fraction that is rejected; the first that is not."""
    least = FRACTION % size**size
    return [5, *(seed_of(fraction(rest, size**size), 1) for rest in (least - 1, least))]


def many_seeds(size: int) -> list[int]:
    """The same for draws from a word each."""
    least = FRACTION % size
    return [5, *(seed_of(unmixed(fraction(rest, size)), 1) for rest in (least - 1, least))]


@pytest.mark.parametrize(
    ("size", "seed"),
    [*((1, seed) for seed in (0, 9)), *((8, seed) for seed in (0, 9))]
    + [(size, seed) for size in (3, 5, 7) for seed in few_seeds(size)]
    + [(size, seed) for size in (9, 25, 301) for seed in many_seeds(size)],
)
def test_draws_within_are_those_of_split_mix_and_lemire(size: int, seed: int) -> None:
    """Counts of a subject's images in copies, up to the limits of rejection: few from one fraction, many from each."""
    copies = np.array([[1, 4, 0], [4, 5, 1]], dtype=np.uint8)
    drawn = weights.draw_copies(np.full(2, size), copies, seed=seed, first=0)
    for copy, subject, replicate in np.ndindex(5, 2, 3):
        word = word_of(seed, 1, subject, copy, replicate)
        draws = digits(word, size) if size <= 8 else lemire(word, size, size)
        expected = np.bincount(draws, minlength=size) * (copies[subject, replicate] > copy)
        found = drawn[copy, subject * size : (subject + 1) * size, replicate]
        assert found.tolist() == expected.tolist(), (copy, subject, replicate)
    once = weights.draw_within(np.full(2, size), seed=seed, first=0, count=1)
    assert once[:size, 0].tolist() == drawn[0, :size, 0].tolist()
    summed = weights.draw_summed(np.full(2, size), copies, seed=seed, first=0)
    assert summed.tolist() == drawn.sum(axis=0, dtype=int).tolist()
    if size <= 8:  # so many copies that a byte does not hold the draws of all
        forty = np.full((1, 1), 40, dtype=np.uint8)
        every = [draw for copy in range(40) for draw in digits(word_of(seed, 1, 0, copy, 0), size)]
        summed = weights.draw_summed(np.array([size]), forty, seed=seed, first=0)
        assert summed[:, 0].tolist() == np.bincount(every, minlength=size).tolist()


@pytest.mark.parametrize("lanes", [1, 31, 40])
def test_copies_that_replicates_have_are_drawn(lanes: int) -> None:
    """Few samples and many, no copy and several, in steps of 32 draws and beside them."""
    sizes, most = np.array([3, 0, 8, 9, 1, 5]), 3
    copies = np.random.default_rng(lanes).integers(0, most + 1, (sizes.size, lanes)).astype(np.uint8)
    copies[3], copies[0, 0] = 0, most
    expected = np.zeros((most, int(sizes.sum()), lanes), dtype=np.uint8)
    for copy, subject, lane in np.ndindex(most, sizes.size, lanes):
        word, size = word_of(7, 1, subject, copy, 5 + lane), int(sizes[subject])
        for draw in digits(word, size) if size <= 8 else lemire(word, size, size):
            expected[copy, int(sizes[:subject].sum()) + draw, lane] += 1
    has = np.arange(most)[:, None, None] < np.repeat(copies, sizes, axis=0)
    drawn = weights.draw_copies(sizes, copies, seed=7, first=5)
    np.testing.assert_array_equal(drawn, expected * has)
    np.testing.assert_array_equal(
        weights.draw_summed(sizes, copies, seed=7, first=5), (expected * has).sum(axis=0)
    )
    np.testing.assert_array_equal(weights.draw_within(sizes, seed=7, first=5, count=lanes), expected[0])


@pytest.mark.parametrize("size", [1, 3, 10, 255])
def test_draws_between_are_those_of_split_mix_and_lemire(size: int) -> None:
    """Each place of a stratum draws a subject from its word, and where that is rejected from those that follow."""
    least = FRACTION % size
    crafted = [seed_of(fraction(rest, size), 2) for rest in (least - 1, least)] if size % 2 else []
    for seed in (5, *crafted):
        strata = np.array([*[0] * size, 1, 1])
        drawn = weights.draw_between(strata, seed=seed, first=0, count=3)
        for replicate in range(3):
            expected = [0] * strata.size
            for slot, stratum in enumerate(strata):
                member = np.flatnonzero(strata == stratum)
                word = word_of(seed, 2, slot, 0, replicate)
                draw, rest = divmod((word >> 32) * member.size, FRACTION)
                if rest < FRACTION % member.size:
                    (draw,) = lemire(word, member.size, 1)
                expected[member[draw]] += 1
            assert drawn[:, replicate].tolist() == expected


def test_seeds_and_levels_give_other_draws() -> None:
    """Another seed, also beyond 64 bits, another subject and another replicate give other weights."""
    levels = (weights.WITHIN, weights.BETWEEN, weights.COIN, weights.CURVE)
    assert [int(level) for level in levels] == [1, 2, 3, 4]  # in every version: a seed gives the same draws
    n = np.array([64, 64], dtype=np.int64)
    one = weights.draw_within(n, seed=1, first=0, count=2)
    other = weights.draw_within(n, seed=2, first=0, count=2)
    assert (one != other).any(axis=0).all()
    assert (one[:64] != one[64:]).any(axis=0).all()
    assert (one[:, 0] != one[:, 1]).any()
    np.testing.assert_array_equal(one, weights.draw_within(n, seed=1 + 2**64, first=0, count=2))


def test_bounded_draws_reject_what_would_bias_them() -> None:
    """Below 3 * 2**30 a quarter of the 32-bit words must be redrawn: the three thirds stay equally frequent."""

    def thirds(state: np.uint64, times: int) -> Ints:
        seen = np.zeros(3, dtype=np.int64)
        for _ in range(times):
            draw, state = weights._bounded(state, np.uint64(3 << 30))
            seen[np.int64(draw) >> 30] += 1
        return seen

    with np.errstate(over="ignore"):
        seen = kernel(thirds)(np.uint64(5), 30_000)
    assert stats.chisquare(seen).pvalue > FALSE_ALARM
