"""Aliases for the array types that cross module borders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]
Bits: TypeAlias = NDArray[np.uint64]
Flags: TypeAlias = NDArray[np.bool_]
Csr: TypeAlias = sparse.csr_array[Any, tuple[int, int]]
MatrixLike: TypeAlias = Any
Progress: TypeAlias = Callable[[str, int, int], object]
