"""The bottom layers: sparse verbs, keys, engine, vertex rules, overlapping names."""

import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import chi2_contingency

from classinet import _sparse
from classinet._keys import name_keys, row_keys, shuffled
from classinet._validation import check_number
from classinet.engine import ThreadEngine, even_batches, fixed_batches
from classinet.engine.threads import resolve_n_jobs
from classinet.exceptions import InputError, MissingExtraError, ParameterError
from classinet.overlaps import overlapping_names
from classinet.vertices import label_dependence

seeds = st.integers(0, 2**31)


def random_csr(seed, shape=(7, 9), density=0.3):
    return _sparse.canonical_csr(sparse.random(*shape, density, format="csr", random_state=seed))


@given(seeds)
def test_sparse_verbs_equal_numpy(seed):
    X = random_csr(seed)
    dense = X.toarray()
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(7)[:4], rng.permutation(9)[:5]
    np.testing.assert_array_equal(_sparse.take_rows(X, rows).toarray(), dense[rows])
    np.testing.assert_array_equal(_sparse.take_columns(X, columns).toarray(), dense[:, columns])
    np.testing.assert_array_equal(_sparse.transpose(X).toarray(), dense.T)
    np.testing.assert_array_equal(_sparse.column_counts(X), (dense != 0).sum(axis=0))
    np.testing.assert_array_equal(_sparse.presence(X).toarray(), dense != 0)
    for result in (_sparse.take_rows(X, rows), _sparse.take_columns(X, columns), _sparse.transpose(X)):
        for start, stop in zip(result.indptr[:-1], result.indptr[1:], strict=True):
            assert (np.diff(result.indices[start:stop]) > 0).all()


def test_canonical_form_merges_duplicates_and_drops_zeros_without_touching_the_input():
    given_matrix = sparse.csr_array(([1.0, 2.0, 0.0], [1, 1, 0], [0, 3, 3]), shape=(2, 2))
    before = given_matrix.data.copy()
    result = _sparse.canonical_csr(given_matrix)
    np.testing.assert_array_equal(result.toarray(), [[0, 3], [0, 0]])
    assert result.nnz == 1
    assert (result.indices.dtype, result.indptr.dtype) == (np.int32, np.int64)
    np.testing.assert_array_equal(given_matrix.data, before)


@given(seeds)
def test_products_with_dense_tables_are_the_same_for_any_threads(seed):
    X = random_csr(seed, (30, 9))
    X = _sparse.from_arrays(X.data.astype(np.float32), X.indices, X.indptr, X.shape)
    table = np.random.default_rng(seed).normal(size=(9, 16)).astype(np.float32)
    one, two = (_sparse.times_dense(X, table, ThreadEngine(n)) for n in (1, 2))
    assert one.tobytes() == two.tobytes()
    np.testing.assert_allclose(one, X.toarray() @ table, atol=1e-5)


@given(seeds, seeds)
def test_the_canonical_order_depends_on_content_and_seed_alone(seed, other):
    X = random_csr(seed, (12, 9), 0.5)
    keys = name_keys(f"w{i}" for i in range(9))
    permutation = np.random.default_rng(other).permutation(12)
    shuffled_rows = _sparse.take_rows(X, permutation)
    a = _sparse.take_rows(X, shuffled(row_keys(X, keys), 1)).toarray()
    b = _sparse.take_rows(shuffled_rows, shuffled(row_keys(shuffled_rows, keys), 1)).toarray()
    np.testing.assert_array_equal(a, b)
    columns = np.random.default_rng(other).permutation(9)
    turned = _sparse.take_columns(X, columns)
    np.testing.assert_array_equal(row_keys(turned, keys[columns]), row_keys(X, keys))


def test_names_hash_the_same_everywhere():
    assert name_keys(["cat"])[0] == np.uint64(
        int.from_bytes(__import__("hashlib").blake2b(b"cat", digest_size=8).digest(), "little")
    )
    assert len(set(name_keys(f"word{i}" for i in range(10_000)))) == 10_000


def test_the_engine_keeps_order_reports_progress_and_passes_errors_on():
    calls = []
    with ThreadEngine(3, progress=lambda *call: calls.append(call)) as engine:
        assert engine.map_batches(lambda n: n * n, list(range(20)), stage="squares") == [n * n for n in range(20)]
        assert calls[-1] == ("squares", 20, 20)
        with pytest.raises(ZeroDivisionError):
            engine.map_batches(lambda n: 1 // n, [1, 0, 2], stage="division")
        assert engine.map_batches(lambda n: n, [], stage="nothing") == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("classinet")]


def test_an_error_stops_batches_that_have_not_begun():
    begun = []

    def work(n):
        begun.append(n)
        if n == 0:
            raise RuntimeError("stop")
        time.sleep(0.001)

    with ThreadEngine(2) as engine, pytest.raises(RuntimeError, match="stop"):
        engine.map_batches(work, list(range(4_000)), stage="work")
    assert len(begun) < 4_000


def level_by_level(items):
    """The tree that a reduction must follow, written down the plain way."""
    while len(items) > 1:
        pairs = [f"({a}{b})" for a, b in zip(items[::2], items[1::2], strict=False)]
        items = pairs + items[len(pairs) * 2 :]
    return items[0]


@given(st.lists(st.text("ab", max_size=2), min_size=1, max_size=40), st.integers(1, 3))
def test_a_reduction_follows_one_tree_on_any_number_of_threads(items, n_threads):
    with ThreadEngine(n_threads) as engine:
        found = engine.map_reduce(lambda text: text, lambda a, b: f"({a}{b})", items, stage="tree")
    assert found == level_by_level(items)


def test_a_reduction_holds_few_results():
    held, most = [0], [0]

    class Counted:
        def __init__(self, n):
            self.n = n
            held[0] += 1
            most[0] = max(most[0], held[0])

        def __del__(self):
            held[0] -= 1

    total = ThreadEngine().map_reduce(Counted, lambda a, b: Counted(a.n + b.n), range(1000), stage="sum")
    assert total.n == sum(range(1000))
    assert most[0] <= 13


@pytest.mark.parametrize("block", [1, 7, 40, 10_000])
def test_a_transpose_made_piece_by_piece_is_the_same(monkeypatch, block):
    X = _sparse.canonical_csr(sparse.random(50, 23, 0.2, random_state=block), np.float32)
    monkeypatch.setattr(_sparse, "INVERTED_BLOCK", block)
    monkeypatch.setattr(_sparse, "ROW_BLOCK", 6)
    found, wanted = _sparse.inverted(X, ThreadEngine(2), "turn"), _sparse.transpose(X)
    assert found.shape == wanted.shape
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
        assert getattr(found, name).dtype == getattr(wanted, name).dtype


@given(st.integers(0, 50), st.integers(1, 9))
def test_fixed_batches_cover_everything_once(count, size):
    assert [i for start, stop in fixed_batches(count, size) for i in range(start, stop)] == list(range(count))


@given(st.lists(st.integers(0, 9)), st.integers(1, 12), st.integers(1, 5))
def test_even_batches_cover_everything_once_and_are_as_long_as_they_may_be(costs, most, size):
    batches = even_batches(costs, most, size)
    assert [i for start, stop in batches for i in range(start, stop)] == list(range(len(costs)))
    assert all(stop - start == 1 or sum(costs[start:stop]) <= most for start, stop in batches)
    assert all(stop - start <= size for start, stop in batches)
    for (start, stop), _ in pairwise(batches):  # one more would have been too many, or too much
        assert stop - start == size or sum(costs[start : stop + 1]) > most


def test_n_jobs_reads_as_in_scikit_learn():
    assert resolve_n_jobs(None) == 1
    assert resolve_n_jobs(4) == 4
    assert resolve_n_jobs(-1) >= 1
    assert resolve_n_jobs(-10_000) == 1
    with pytest.raises(ParameterError):
        resolve_n_jobs(0)


def test_an_empty_reduction_is_refused():
    with pytest.raises(ParameterError, match="at least one"):
        ThreadEngine().map_reduce(abs, max, [], stage="nothing")


@pytest.mark.parametrize("value", [0, True, "3", None, 2.5, float("nan")])
def test_numbers_are_checked(value):
    with pytest.raises(ParameterError, match="k must be a whole number ≥ 1"):
        check_number("k", value, low=1, whole=True)


@given(seeds)
def test_label_dependence_equals_scipy(seed):
    rng = np.random.default_rng(seed)
    X = _sparse.canonical_csr((rng.random((40, 5)) < 0.4).astype(float))
    codes = rng.integers(0, 3, 40)
    codes[:3] = [0, 1, 2]
    held = X.toarray() > 0
    for score, kind in (("llr", "log-likelihood"), ("chi2", "pearson")):
        ours = label_dependence(X, codes, 3, score)
        for j in range(5):
            if 0 < held[:, j].sum() < 40:
                table = [[(held[codes == c, j] == v).sum() for c in range(3)] for v in (True, False)]
                expected = chi2_contingency(table, correction=False, lambda_=kind).statistic
                assert ours[j] == pytest.approx(expected, abs=1e-9)
            else:
                assert ours[j] == pytest.approx(0.0, abs=1e-9)


@given(
    st.lists(
        st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join),
        unique=True,
        min_size=1,
        max_size=12,
    )
)
def test_overlapping_names_equal_a_plain_search(names):
    def contains(long, short):
        a, b = long.split(" "), short.split(" ")
        return any(a[k : k + len(b)] == b for k in range(len(a) - len(b) + 1))

    columns = np.arange(0, len(names), 2)
    expected = np.array(
        [[a != b and (contains(a, b) or contains(b, a)) for b in names] for a in np.array(names, dtype=object)[columns]]
    )
    found = overlapping_names(names, columns)
    if found is None:
        assert not expected.any()
    else:
        np.testing.assert_array_equal(found.toarray() > 0, expected)


@given(st.lists(st.text("abc", min_size=1, max_size=4), unique=True, min_size=1, max_size=12))
def test_overlapping_characters_equal_a_plain_search(names):
    def overlap(a, b):
        shifted = len(a) > 1 and len(b) > 1 and (a[1:] == b[:-1] or b[1:] == a[:-1])
        return a != b and (a in b or b in a or shifted)

    columns = np.arange(0, len(names), 2)
    expected = np.array([[overlap(names[c], b) for b in names] for c in columns])
    found = overlapping_names(names, columns, characters=True)
    if found is None:
        assert not expected.any()
    else:
        np.testing.assert_array_equal(found.toarray() > 0, expected)


def test_too_many_columns_are_refused():
    with pytest.raises(InputError, match="columns"):
        _sparse.canonical_csr(sparse.csr_array((1, 2**31 + 8)))


def test_missing_extras_name_their_pip_command():
    from classinet._optional import optional_import

    with pytest.raises(MissingExtraError, match=r'pip install "classinets\[plot\]"'):
        optional_import("no_such_module_here", "classinets[plot]")
