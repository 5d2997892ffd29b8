"""Counter-based random numbers: a stream is a 64-bit key, a draw is a hash of it, nothing is shared or ordered."""

from __future__ import annotations

import numpy as np

from classinet._kernels.jit import kernel


@kernel
def mix(key):
    """Scramble 64 bits (the finaliser of the SplitMix64 generator)."""
    key = np.uint64(key) + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@kernel
def uniform(key):
    """A float64 in [0, 1) with 53 random bits."""
    return np.float64(mix(key) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def below(key, bound):
    """An integer in [0, bound); the bias of the 53-bit product is far below one draw in 2**20 for any corpus."""
    return np.int64(uniform(key) * bound)


@kernel
def row_keys(indptr, indices, value_bits, feature_keys, out):
    """Hash each row as a set of (feature, value): the sum makes the key free of column order."""
    for row in range(indptr.size - 1):
        total = np.uint64(0)
        for at in range(indptr[row], indptr[row + 1]):
            total += mix(feature_keys[indices[at]] ^ mix(value_bits[at]))
        out[row] = mix(total)


@kernel
def mix_all(keys, seed, out):
    """Scramble every key with a seed."""
    salt = mix(seed)
    for i in range(keys.size):
        out[i] = mix(keys[i] ^ salt)
