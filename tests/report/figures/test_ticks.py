"""Ticks: three at least on an axis, and none on another."""

import itertools

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frtaudit.core import Curve
from frtaudit.report.figures import bands, canvas, scales
from frtaudit.report.figures import ticks as ticks_of
from frtaudit.report.figures.curves import Series


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (1e-6, 0.1, [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1]),
        (0.001, 0.01, [0.001, 0.002, 0.005, 0.01]),
        (0.0015, 0.095, [0.003, 0.01, 0.03]),
        (0.002, 0.2, [0.003, 0.01, 0.03, 0.1]),
        (0.031, 1, [0.1, 0.3, 1]),
        (0.3, 0.62, [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6]),
    ],
)
def test_a_logarithmic_axis_has_three_ticks_at_least(low: float, high: float, ticks: list[float]) -> None:
    """At decades; with one or two of them at 3 as well, where an axis is short at 2 and 5, or at even steps."""
    made = ticks_of.log_locator(low, high).tick_values(low, high)
    shown = [tick for tick in made if low * 0.999 <= tick <= high * 1.001]
    assert shown == pytest.approx(ticks)
    beside = ticks_of.log_locator(low, high, ticks_of.TICKS_BESIDE).tick_values(low, high)
    assert 3 <= sum(low * 0.999 <= tick <= high * 1.001 for tick in beside) <= ticks_of.TICKS_BESIDE


@pytest.mark.parametrize(
    ("low", "shown"),
    [
        (1e-6, ["0.0001 %", "0.01 %", "1 %", "100 %"]),
        (1e-4, ["0.01 %", "0.1 %", "1 %", "10 %", "100 %"]),
    ],
)
def test_ticks_of_one_axis_of_rates_are_printed_in_one_way(low: float, shown: list[str]) -> None:
    """No axis has powers of ten beside percent; over many decades every second one has a tick."""
    axes = Axes(Figure(), (0, 0, 1, 1), xscale="log", xlim=(low, 1))
    ticks_of.log_rates(axes, y=False)
    ticks = [tick for tick in axes.xaxis.get_majorticklocs() if low * 0.99 < tick < 1.01]
    assert [axes.xaxis.get_major_formatter()(tick) for tick in ticks] == shown


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.01, 1000, [0.01, 0.1, 1, 10, 100, 1000]),
        (0.01, 0.1, [0.01, 0.02, 0.05, 0.1]),
        (0.9, 4.5, [1, 2, 3, 4]),
        (1.02, 1.7, [1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]),
    ],
)
def test_an_index_has_round_ticks(low: float, high: float, shown: list[float]) -> None:
    """Decades over a long axis, 1, 2 and 5 over a short one, at even round steps where these are less than three."""
    axes = Figure().add_subplot(yscale="log", ylim=(low, high))
    ticks_of.index_ticks(axes, log=True)
    assert [tick for tick in axes.get_yticks() if low * 0.999 <= tick <= high * 1.001] == pytest.approx(shown)


def test_ticks_of_a_shared_axis_do_not_collide() -> None:
    """A panel of one decade that takes the limits of one of six has the ticks of six, one above the other."""

    def noise(low: float, high: float) -> Series:
        curve = Curve(
            provider="a",
            analysis="normalized_uncertainty",
            schema=None,
            group="all",
            weighting=None,
            x=(0.001, 0.1),
            y=(low, high),
        )
        return Series(name="a", index=0, curve=curve)

    ends = {"wide": (0.003, 3000.0), "narrow": (0.02, 0.2)}
    with canvas.keeping() as registry:
        scales.alike(lambda: [bands.uncertainties(name, name, [noise(*of)]) for name, of in ends.items()])
    for _, drawing in registry.values():
        with canvas.ink():
            drawing.draw_without_rendering()
        axes = drawing.axes[0]
        low, high = axes.get_ylim()
        boxes = [
            label.get_window_extent()
            for label, tick in zip(axes.get_yticklabels(), axes.get_yticks(), strict=True)
            if low <= tick <= high
        ]
        assert len(boxes) >= 3
        assert all(upper.y0 > lower.y1 for lower, upper in itertools.pairwise(boxes))


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.9733, 0.9985, [0.975, 0.98, 0.985, 0.99, 0.995]), (0.86, 1.0, [0.88, 0.92, 0.96, 1.0])],
)
def test_accuracies_have_three_round_ticks_at_least(low: float, high: float, shown: list[float]) -> None:
    """Where a percent would leave two ticks, at each half; never at odd steps as of 0.6 percent."""
    made = ticks_of.even(5).tick_values(low, high)
    assert [tick for tick in made if low <= tick <= high * 1.001] == pytest.approx(shown)
