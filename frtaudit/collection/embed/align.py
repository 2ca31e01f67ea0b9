"""An aligned face: the similarity transform from its landmarks to a model's template, and the picture warped by it.

The warp is that of OpenCV's classic ``warpAffine`` with bilinear weights: coordinates in steps of 1/32 pixel, whole
numbers throughout, black beyond the border. What a model saw in training was cut so.
"""

from collections.abc import Callable

import numpy as np

from frtaudit.core.arrays import Floats, Ints, Longs, Pixels

_STEPS, _FINE = 5, 10  # bits of a coordinate behind the point: of the weights, of the sums
_BORDER = 2  # black pixels around what is read of a picture, so that every neighbour is there
_FEW = 8  # pixels of a picture for each that is made: beyond, those that are read are picked one by one
# Three colours are summed in one number: a sum of weights times 255 and a half takes 18 bits.
_SHIFTS = (0, 21, 42)
_HALVES = sum(1 << (shift + 2 * _STEPS - 1) for shift in _SHIFTS)


def similarity(points: Floats, template: Floats) -> Floats:
    """Scale, rotation and shift, shape (2, 3), that take ``points`` nearest to ``template`` (least squares).

    Umeyama (1991), equations 40 to 42, without reflection. In the plane, with points as complex numbers around their
    means, it is one factor: a = sum(conj(z) w) / sum(|z|^2). Points that are NaN are left out.

    Parameters
    ----------
    points : array, shape (P, 2), float64, pixels
        x, y of each landmark in the picture; two at least are finite and apart.
    template : array, shape (P, 2), float64, pixels
        Where they are in the model's input.

    Returns
    -------
    array, shape (2, 3), float64
        Takes (x, y, 1) of the picture to x, y of the input.

    Examples
    --------
    >>> similarity(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[5.0, 5.0], [5.0, 7.0]])).tolist()
    [[0.0, -2.0, 5.0], [2.0, 0.0, 5.0]]
    """
    known = np.isfinite(points).all(axis=1)
    source, target = points[known], template[known]
    source_mean, target_mean = source.mean(axis=0), target.mean(axis=0)
    z, w = ((side - mean) @ (1.0, 1.0j) for side, mean in ((source, source_mean), (target, target_mean)))
    factor = np.vdot(z, w) / np.vdot(z, z).real
    turned = np.array([[factor.real, -factor.imag], [factor.imag, factor.real]])
    return np.column_stack([turned, target_mean - turned @ source_mean])


def warped(image: Pixels, matrix: Floats, size: tuple[int, int]) -> Pixels:
    """The picture (H, W, 3) after ``matrix`` (2, 3), as far as ``size`` (height, width) shows it; black outside.

    >>> image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    >>> warped(image, np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), (1, 3)).tolist()
    [[[0, 0, 0], [0, 1, 2], [3, 4, 5]]]
    """
    turned = np.linalg.inv(matrix[:, :2])
    inverse = np.column_stack([turned, -turned @ matrix[:, 2]])
    (x, across), (y, down) = (
        _clipped(places, length)
        for places, length in zip(_places(inverse, size), image.shape[1::-1], strict=True)
    )
    pixels, whole = _pixels(image, x, y), np.uint64(1 << _STEPS)
    total = np.full(across.shape, _HALVES, dtype=np.uint64)
    for right, lower, weight in (
        (0, 0, (whole - across) * (whole - down)),
        (1, 0, across * (whole - down)),
        (0, 1, (whole - across) * down),
        (1, 1, across * down),
    ):
        total += weight * pixels(right, lower)
    colours = [(total >> np.uint64(shift + 2 * _STEPS)).astype(np.uint8) for shift in _SHIFTS]
    return np.stack(colours, axis=-1)


def _places(inverse: Floats, size: tuple[int, int]) -> tuple[Ints, Ints]:
    """X and y in the picture of each pixel of the output, shape ``size``, in steps of 1/32 pixel."""
    height, width = size
    unit, half = 1 << _FINE, 1 << (_FINE - _STEPS - 1)
    columns, rows = np.arange(width), np.arange(height)

    def along(row: Floats) -> Ints:
        right = np.rint(row[0] * columns * unit).astype(np.int64)[None, :]
        down = np.rint((row[1] * rows + row[2]) * unit).astype(np.int64)[:, None]
        steps: Ints = (right + down + half) >> (_FINE - _STEPS)
        return steps

    return along(inverse[0]), along(inverse[1])


def _clipped(places: Ints, length: int) -> tuple[Ints, Longs]:
    """Whole pixels, no farther out than the border, and the fraction beyond them in 1/32."""
    fraction = (places & ((1 << _STEPS) - 1)).astype(np.uint64)
    return np.clip(places >> _STEPS, -_BORDER, length), fraction


def _pixels(image: Pixels, x: Ints, y: Ints) -> Callable[[int, int], Longs]:
    """What gives the pixels so far right and below of x and y, colours packed, black where there is no picture.

    All between the outermost are packed at once, unless few of them are read: of a large picture.
    """
    left, top, right, bottom = int(x.min()), int(y.min()), int(x.max()) + 2, int(y.max()) + 2
    width, height = right - left, bottom - top
    if width * height > _FEW * x.size:
        return lambda to_right, below: _read(image, x + to_right, y + below)
    part = np.zeros((height, width), dtype=np.uint64)
    inside = image[max(top, 0) : bottom, max(left, 0) : right]
    down, across = max(-top, 0), max(-left, 0)
    part[down : down + inside.shape[0], across : across + inside.shape[1]] = _packed(inside)
    first, flat = (y - top) * width + (x - left), part.ravel()
    return lambda to_right, below: flat[first + below * width + to_right]


def _read(image: Pixels, x: Ints, y: Ints) -> Longs:
    height, width = image.shape[:2]
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    places = np.clip(y, 0, height - 1) * width + np.clip(x, 0, width - 1)
    there = image.reshape(-1, 3).take(places, axis=0)  # by an index it takes three times as long
    return np.where(inside, _packed(there), np.uint64(0))


def _packed(pixels: Pixels) -> Longs:
    """Three colours in one number."""
    packed = np.zeros(pixels.shape[:-1], dtype=np.uint64)
    for colour, shift in enumerate(_SHIFTS):
        packed |= pixels[..., colour].astype(np.uint64) << np.uint64(shift)
    return packed
