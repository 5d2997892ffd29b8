"""Make what torch computes repeatable, for the length of a call, and ask for torch where it is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from classinet._optional import optional_import

NEURAL = "classinets[neural]"
# Sums are grouped by thread, so another number of threads would give other last digits.
N_THREADS = 2


@contextmanager
def steady(seed: int = 0) -> Iterator[None]:
    """Fix torch's seed, algorithms and number of threads inside the block, and restore what was set before.

    >>> with steady(seed=7):
    ...     import torch
    ...     first = torch.rand(1)
    >>> with steady(seed=7):
    ...     bool(torch.rand(1) == first)
    True
    """
    torch = optional_import("torch", NEURAL)
    n_threads = torch.get_num_threads()
    strict = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(N_THREADS)
        torch.use_deterministic_algorithms(True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(strict, warn_only=warn_only)
            torch.set_num_threads(n_threads)
