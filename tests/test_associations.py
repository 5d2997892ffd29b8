"""Associations against what they mean on 0/1 vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classinet.associations import ASSOCIATIONS, conditional, correlation, hamming, jaccard, lift


def oracle(name, a, b):
    """The association of two boolean vectors, written from its definition."""
    both = (a & b).mean()
    if name == "correlation":
        constant = a.all() or b.all() or not a.any() or not b.any()
        return 0.0 if constant else np.corrcoef(a, b)[0, 1]
    if name == "jaccard":
        return both / (a | b).mean() if (a | b).any() else 0.0
    if name == "lift":
        return both / (a.mean() * b.mean()) if a.any() and b.any() else 0.0
    if name == "conditional":
        return b[a].mean() if a.any() else 0.0
    return (a == b).mean()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_every_association_equals_its_definition(rows):
    a, b = np.array(rows, dtype=bool).T
    for name, function in ASSOCIATIONS.items():
        got = function(int((a & b).sum()), int(a.sum()), int(b.sum()), len(a))
        np.testing.assert_allclose(got, oracle(name, a, b), atol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", ASSOCIATIONS)
def test_tiles_broadcast_to_the_same_numbers_as_scalars(name):
    rng = np.random.default_rng(0)
    left, right = rng.random((3, 50)) < 0.4, rng.random((4, 50)) < 0.2
    right[0] = False
    m11 = left.astype(int) @ right.T.astype(int)
    tile = ASSOCIATIONS[name](m11, left.sum(axis=1)[:, None], right.sum(axis=1)[None, :], 50)
    assert tile.shape == (3, 4)
    assert tile.dtype == np.float64
    for i in range(3):
        for j in range(4):
            assert tile[i, j] == ASSOCIATIONS[name](m11[i, j], left[i].sum(), right[j].sum(), 50)


def test_what_never_fires_has_nothing_in_common():
    for function in (correlation, jaccard, lift, conditional):
        assert function(0, 0, 0, 10) == 0.0
        assert function(0, 0, 7, 10) == 0.0
    assert correlation(7, 10, 7, 10) == 0.0
    assert hamming(0, 0, 0, 10) == 1.0
    assert hamming(0, 0, 0, 0) == 0.0


def test_large_counts_do_not_overflow_and_correlation_stays_in_bounds():
    n_rows = 2**31
    assert correlation(n_rows // 2, n_rows // 2, n_rows // 2, n_rows) == 1.0
    for ones in range(1, 300):
        assert correlation(ones, ones, ones, 300) <= 1.0


@settings(deadline=None)
@given(st.integers(2, 500), st.data())
def test_with_equal_popcounts_all_increase_with_common_votes(n_rows, data):
    ones = data.draw(st.integers(1, n_rows - 1))
    m11 = np.arange(max(0, 2 * ones - n_rows), ones + 1)
    for function in ASSOCIATIONS.values():
        assert (np.diff(function(m11, ones, ones, n_rows)) > 0).all()
