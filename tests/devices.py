"""NumPy in the place of CuPy: its arrays do not mix with those of NumPy, as those on a device do not."""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest


class OnDevice(np.ndarray):
    """An array that another library must not touch."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """What NumPy does, unless an array of this machine takes part."""
        arrays = [*inputs, *options.pop("out", ())]
        if any(type(array) is np.ndarray and array.ndim for array in arrays):
            raise TypeError("an array of this machine meets one of the device")
        out = {"out": tuple(plain(array) for array in arrays[len(inputs) :])} if arrays[len(inputs) :] else {}
        result = getattr(ufunc, method)(*map(plain, inputs), **out, **options)
        return arrays[-1] if out else np.asarray(result).view(OnDevice)


def plain(array: Any) -> Any:
    """The same memory as NumPy sees it."""
    return array.view(np.ndarray) if isinstance(array, OnDevice) else array


class StandIn:
    """What is used of CuPy; ``product`` is its float32 product. A subclass can err."""

    def __init__(self, memory: int = 10**9) -> None:
        properties = {"name": b"NumPy's stand-in"}
        runtime = SimpleNamespace(
            getDeviceProperties=lambda _: properties, memGetInfo=lambda: (memory, memory)
        )
        self.cuda = SimpleNamespace(runtime=runtime)
        self.sent = 0
        self.asarray, self.asnumpy = self._sent, self._fetched
        self.floor, self.clip = np.floor, np.clip

    def product(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """A float32 product of NumPy's."""
        return first @ second

    def _sent(self, array: np.ndarray) -> OnDevice:
        self.sent += array.nbytes * (type(array) is np.ndarray)
        return array.view(OnDevice)

    def _fetched(self, array: np.ndarray) -> np.ndarray:
        assert isinstance(array, OnDevice)
        return np.array(plain(array))

    def matmul(self, first: np.ndarray, second: np.ndarray) -> OnDevice:
        """The product of two arrays of the device."""
        assert isinstance(first, OnDevice)
        assert isinstance(second, OnDevice)
        return self.product(plain(first), plain(second)).view(OnDevice)

    def where(self, choice: np.ndarray, first: Any, second: Any) -> OnDevice:
        """One value or the other."""
        return np.where(*map(plain, (choice, first, second))).view(OnDevice)

    def bincount(self, x: np.ndarray, minlength: int) -> OnDevice:
        """How often each number occurs."""
        return np.bincount(plain(x), minlength=minlength).view(OnDevice)

    def flatnonzero(self, x: np.ndarray) -> OnDevice:
        """The places that are not zero."""
        return np.flatnonzero(plain(x)).view(OnDevice)


def install(patch: pytest.MonkeyPatch, library: object) -> None:
    """Have ``import cupy`` give this library, and the environment as it was afterwards."""
    patch.setenv("CUPY_TF32", "1")
    patch.setitem(sys.modules, "cupy", library)


class Perturbed(StandIn):
    """Its products are off by as much as a sum of 64 terms of a unit vector may be."""

    def product(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The product, each moved up or down."""
        moved = np.random.default_rng(first.shape[1]).choice([-1, 1], (len(first), second.shape[1]))
        bound = np.abs(first).astype(np.float64) @ np.abs(second)
        exact = first.astype(np.float64) @ second
        return np.asarray(exact + 0.999 * moved * first.shape[1] * 2.0**-24 * bound, dtype=np.float32)


class Shortened(StandIn):
    """Its factors keep ten bits, as in TF32."""

    def product(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The product of the shortened factors."""
        return ten_bits(first) @ ten_bits(second)


def ten_bits(values: np.ndarray) -> np.ndarray:
    """Float32 values rounded to ten bits behind the first."""
    words = np.ascontiguousarray(values).view(np.uint32)
    return ((words + np.uint32(1 << 12)) & np.uint32(0xFFFFE000)).view(np.float32)
