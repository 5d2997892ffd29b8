"""Rows pushed through a sparse graph: Σ_t γ^t x W^t, one text at a time, and the row-wise top m.

A text touches few vertices, so each hop adds into a dense accumulator and notes what it touched in a bitmap.
Reading the bitmap from its lowest bit gives the touched vertices in order: no sort, and sums whose order
depends on nothing but the row and the graph. Accumulators and bitmaps are left all zero for the next row.
"""

from __future__ import annotations

import numpy as np

from classinet._kernels.jit import kernel

# Position of the one set bit of a 64-bit word, found by a perfect hash: multiply by a de Bruijn sequence and
# look at the top six bits.
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
BIT_POSITION = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    BIT_POSITION[((int(DE_BRUIJN) << _bit) & 0xFFFFFFFFFFFFFFFF) >> 58] = _bit


@kernel
def drain(total, touched, vertices, values, used):
    """Move what was touched and is not zero to (vertices, values), from `used` on; return the new end."""
    for word_at in range(touched.size):
        word = touched[word_at]
        if word == np.uint64(0):
            continue
        touched[word_at] = np.uint64(0)
        while word != np.uint64(0):
            lowest = word & (~word + np.uint64(1))
            word ^= lowest
            vertex = word_at * 64 + BIT_POSITION[(lowest * DE_BRUIJN) >> np.uint64(58)]
            value = total[vertex]
            total[vertex] = 0.0
            if value != 0.0:
                vertices[used] = vertex
                values[used] = value
                used += 1
    return used


@kernel
def thin(vertices, values, count, floor):
    """Keep the entries of a frontier that reach the floor; return their number and the mass of the others."""
    kept = 0
    dropped = 0.0
    for at in range(count):
        if values[at] >= floor:
            vertices[kept] = vertices[at]
            values[kept] = values[at]
            kept += 1
        else:
            dropped += values[at]
    return kept, dropped


@kernel
def push(start, stop, sources, amounts, damping, indptr, indices, weights, total, touched):
    """One hop: add γ × amount × weight to whatever the entries start..stop of a sparse row have edges to."""
    for entry in range(start, stop):
        amount = damping * amounts[entry]
        source = sources[entry]
        # The inner loop stays in place: a call per source would cost as much as its ten edges.
        for at in range(indptr[source], indptr[source + 1]):
            vertex = np.uint32(indices[at])
            total[vertex] += amount * weights[at]
            touched[vertex >> np.uint32(6)] |= np.uint64(1) << np.uint64(vertex & np.uint32(63))


@kernel
def add(vertices, values, count, total, touched):
    """Add a frontier to the running result; return its mass."""
    mass = 0.0
    for at in range(count):
        vertex = np.uint32(vertices[at])
        total[vertex] += values[at]
        touched[vertex >> np.uint32(6)] |= np.uint64(1) << np.uint64(vertex & np.uint32(63))
        mass += values[at]
    return mass


@kernel
def propagate(
    x_indptr, x_indices, x_data, f_indptr, f_indices, f_data, w_indptr, w_indices, w_data,
    n, damping, hops, prune, series, future, tolerance, row, out_indptr, out_indices, out_data, lost,
):  # fmt: skip
    """Write Σ_{t=1..hops} γ^t x F W^(t-1) of the rows from `row` on until the output is full; return where.

    F is the first hop, W every later one. `prune` stops an entry below that share of the row's input mass
    from going further; `series[m]` bounds what a unit of mass could have become in m more hops, and `lost`
    sums it over all that was stopped. `future` is empty for a finite sum. Otherwise `future[j]` bounds all
    that a unit at j can still become, a row ends when no more than `tolerance` of its result can follow, and
    `lost` counts that rest too.
    """
    n_words = (n + 63) // 64
    endless = future.size > 0
    term, term_touched = np.zeros(n), np.zeros(n_words, dtype=np.uint64)
    total, total_touched = np.zeros(n), np.zeros(n_words, dtype=np.uint64)
    frontier, amounts = np.empty(n, dtype=np.int32), np.empty(n)
    used = out_indptr[row]
    while row < x_indptr.size - 1 and used + n <= out_data.size:
        start, stop = x_indptr[row], x_indptr[row + 1]
        if hops == 1:
            push(start, stop, x_indices, x_data, damping, f_indptr, f_indices, f_data, total, total_touched)
        else:
            push(start, stop, x_indices, x_data, damping, f_indptr, f_indices, f_data, term, term_touched)
            floor = prune * np.sum(x_data[start:stop])
            reached = 0.0
            for hop in range(1, hops):
                count = drain(term, term_touched, frontier, amounts, 0)
                reached += add(frontier, amounts, count, total, total_touched)
                if floor > 0.0:
                    count, dropped = thin(frontier, amounts, count, floor)
                    if dropped > 0.0:
                        lost[row] += dropped * series[hops - hop]
                if endless:
                    ahead = 0.0
                    for at in range(count):
                        ahead += amounts[at] * future[frontier[at]]
                    if ahead <= tolerance * reached or hop == hops - 1:
                        lost[row] += ahead
                        break
                if count == 0:
                    break
                # The last hop lands in the result itself: nothing is pushed on from there.
                into, marks = term, term_touched
                if hop == hops - 1:
                    into, marks = total, total_touched
                push(0, count, frontier, amounts, damping, w_indptr, w_indices, w_data, into, marks)
        used = drain(total, total_touched, out_indices, out_data, used)
        row += 1
        out_indptr[row] = used
    return row


@kernel
def sink(heap, value):
    """Replace the smallest value, at the root of a heap, by a larger one."""
    at = 0
    while 2 * at + 1 < heap.size:
        below = 2 * at + 1
        if below + 1 < heap.size and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= value:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = value


@kernel
def top_entries(indptr, values, m, kept):
    """Flag in each row the m largest values, the earlier one where two are equal."""
    for row in range(indptr.size - 1):
        start, stop = indptr[row], indptr[row + 1]
        if stop - start <= m:
            kept[start:stop] = True
            continue
        heap = np.full(m, -np.inf)
        for at in range(start, stop):
            if values[at] > heap[0]:
                sink(heap, values[at])
        cut, at_cut = heap[0], m
        for at in range(start, stop):
            if values[at] > cut:
                at_cut -= 1
        for at in range(start, stop):
            if values[at] > cut:
                kept[at] = True
            elif values[at] == cut and at_cut > 0:
                kept[at] = True
                at_cut -= 1
