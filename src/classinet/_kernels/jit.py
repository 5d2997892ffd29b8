"""The one compilation policy: serial, cached on disk, without the GIL, and with strict IEEE arithmetic.

Parallelism comes from the engine's threads, never from the compiler: the same kernel on the same batch then gives
the same bytes whatever runs beside it. Fast-math stays off because it lets sums be reordered.
"""

from __future__ import annotations

import logging

import numba

logging.getLogger("classinet").info("loading compiled kernels; the first use on a machine compiles them once")

kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
