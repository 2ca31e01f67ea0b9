"""Types of arrays by what they hold; docstrings say their shapes and units."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Scores = Singles | Floats
Ints = npt.NDArray[np.int64]
Index = npt.NDArray[np.int32]
Shorts = npt.NDArray[np.int16]
Signs = npt.NDArray[np.int8]
Longs = npt.NDArray[np.uint64]
Words = npt.NDArray[np.uint32]
Halves = npt.NDArray[np.uint16]
Bytes = npt.NDArray[np.uint8]
Pixels = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.intp]
Integers = npt.NDArray[np.integer]
Flags = npt.NDArray[np.bool_]
Texts = npt.NDArray[np.object_]
Names = npt.NDArray[np.str_]
Array = npt.NDArray[np.generic]
Numbers = float | Floats
