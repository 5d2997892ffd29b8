"""Most probable paths: Dijkstra's algorithm with lengths -log w on a heap that knows where each vertex is.

The heap holds vertices ordered by (distance, index), so paths of equal probability are always told apart in
the same way. What one source reached is forgotten by a walk over its heap and its settled vertices, not by
clearing n entries.
"""

from __future__ import annotations

import numpy as np

from classinet._kernels.jit import kernel

# place[v]: where v is in the heap, or one of these two.
UNSEEN = -1
SETTLED = -2


@kernel
def rise(heap, keys, place, at, vertex, key):
    """Put a vertex where it belongs between a heap position and the root."""
    while at > 0:
        above = (at - 1) >> 1
        if key > keys[above] or (key == keys[above] and vertex > heap[above]):
            break
        heap[at], keys[at] = heap[above], keys[above]
        place[heap[at]] = at
        at = above
    heap[at], keys[at] = vertex, key
    place[vertex] = at


@kernel
def sink(heap, keys, place, size, vertex, key):
    """Put a vertex where it belongs below the free root of a heap that will have that size."""
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        other = below + 1
        if other < size and (keys[other] < keys[below] or (keys[other] == keys[below] and heap[other] < heap[below])):
            below = other
        if key < keys[below] or (key == keys[below] and vertex < heap[below]):
            break
        heap[at], keys[at] = heap[below], keys[below]
        place[heap[at]] = at
        at = below
    heap[at], keys[at] = vertex, key
    place[vertex] = at


@kernel
def settle(indptr, indices, lengths, weights, source, wanted, n_wanted, state):
    """Settle vertices in order of distance until all with wanted[v] == source are; return how many were.

    `state` holds heap, keys, place, parent, chance, settled and distance; chance[v] is the product of weights
    to v. `forget` must follow before the next source.
    """
    heap, keys, place, parent, chance, settled, distance = state
    heap[0], keys[0], place[source], parent[source], chance[source] = source, 0.0, 0, -1, 1.0
    distance[source] = 0.0
    size, n_settled = 1, 0
    while size > 0:
        vertex, reached = heap[0], keys[0]
        size -= 1
        if size > 0:
            sink(heap, keys, place, size, heap[size], keys[size])
        place[vertex] = SETTLED
        settled[n_settled] = vertex
        n_settled += 1
        if wanted[vertex] == source:
            n_wanted -= 1
            if n_wanted == 0:
                break
        for at in range(indptr[vertex], indptr[vertex + 1]):
            target = indices[at]
            through = reached + lengths[at]
            # One look suffices for the many edges that lead nowhere new: what is settled is no farther than this.
            if through >= distance[target]:
                continue
            where = place[target]
            if where == UNSEEN:
                where = size
                size += 1
            distance[target] = through
            parent[target] = vertex
            chance[target] = chance[vertex] * weights[at]
            rise(heap, keys, place, where, target, through)
    for at in range(size):
        place[heap[at]] = UNSEEN
        distance[heap[at]] = np.inf
    return n_settled


@kernel
def forget(n_settled, state):
    """Make what a search settled unseen again."""
    _, _, place, _, _, settled, distance = state
    for at in range(n_settled):
        place[settled[at]] = UNSEEN
        distance[settled[at]] = np.inf


@kernel
def fresh_state(n):
    """Heap, keys, place, parent, chance, settled and distance for a graph of n vertices."""
    heap, keys, place = np.empty(n, dtype=np.int32), np.empty(n), np.full(n, UNSEEN, dtype=np.int32)
    parent, chance, settled = np.empty(n, dtype=np.int32), np.empty(n), np.empty(n, dtype=np.int32)
    return heap, keys, place, parent, chance, settled, np.full(n, np.inf)


@kernel
def best_path(indptr, indices, lengths, weights, source, target):
    """Return the vertices of the most probable path and its probability; no vertices if there is no path."""
    n = indptr.size - 1
    state = fresh_state(n)
    wanted = np.full(n, -1, dtype=np.int64)
    wanted[target] = source
    settle(indptr, indices, lengths, weights, source, wanted, 1, state)
    _, _, place, parent, chance, _, _ = state
    if place[target] != SETTLED:
        return np.empty(0, dtype=np.int64), 0.0
    length, vertex = 0, target
    while vertex >= 0:
        length += 1
        vertex = np.int64(parent[vertex])
    path = np.empty(length, dtype=np.int64)
    vertex = target
    for at in range(length - 1, -1, -1):
        path[at] = vertex
        vertex = np.int64(parent[vertex])
    return path, chance[target]


@kernel
def longer(array, used):
    """Return an array of twice the room with the same beginning."""
    wider = np.empty(2 * array.size, dtype=array.dtype)
    wider[:used] = array[:used]
    return wider


@kernel
def interiors(indptr, indices, lengths, weights, s_indptr, s_rows, p_indptr, p_indices, first, enough):
    """Return (rows, vertices, chances, next): what lies inside the best paths from present to predicted vertices.

    `s` lists for each source vertex the rows that hold it, `p` for each row the vertices predicted in it. A
    vertex that is predicted itself is not listed; one that lies on the paths of several sources is listed
    for each. Sources are taken from `first` on until `enough` is listed; `next` is where to go on, n at the end.
    """
    n = indptr.size - 1
    state = fresh_state(n)
    _, _, place, parent, chance, _, _ = state
    wanted = np.full(n, -1, dtype=np.int64)
    mark = np.full(n, -1, dtype=np.int64)
    rows, vertices, chances = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32), np.empty(1024)
    used = 0
    token = 0
    source = first
    while source < n and used < enough:
        n_wanted = 0
        for at in range(s_indptr[source], s_indptr[source + 1]):
            for q in range(p_indptr[s_rows[at]], p_indptr[s_rows[at] + 1]):
                if wanted[p_indices[q]] != source:
                    wanted[p_indices[q]] = source
                    n_wanted += 1
        n_settled = 0
        if n_wanted > 0:
            n_settled = settle(indptr, indices, lengths, weights, source, wanted, n_wanted, state)
        for at in range(s_indptr[source], s_indptr[source + 1]):
            row = s_rows[at]
            token += 1
            # A walk back to the source stops at any marked vertex: from there it was, or will be, walked
            # already.
            mark[source] = token
            for q in range(p_indptr[row], p_indptr[row + 1]):
                mark[p_indices[q]] = token
            for q in range(p_indptr[row], p_indptr[row + 1]):
                if place[p_indices[q]] != SETTLED or p_indices[q] == source:
                    continue
                vertex = parent[p_indices[q]]
                while mark[vertex] != token:
                    mark[vertex] = token
                    if used == rows.size:
                        rows, vertices, chances = (
                            longer(rows, used),
                            longer(vertices, used),
                            longer(chances, used),
                        )
                    rows[used], vertices[used], chances[used] = row, vertex, chance[vertex]
                    used += 1
                    vertex = parent[vertex]
        forget(n_settled, state)
        source += 1
    return rows[:used], vertices[:used], chances[:used], source


@kernel
def strongest(rows, vertices, chances, n_rows, n):
    """Return CSR parts (indptr, indices, data): the largest positive chance of each (row, vertex) in a list of them."""
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    for at in range(rows.size):
        starts[rows[at] + 1] += 1
    starts = np.cumsum(starts)
    order = np.empty(rows.size, dtype=np.int64)
    place = starts[:-1].copy()
    for at in range(rows.size):
        order[place[rows[at]]] = at
        place[rows[at]] += 1
    best = np.zeros(n)
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    indices, data = np.empty(rows.size, dtype=np.int32), np.empty(rows.size)
    used = 0
    for row in range(n_rows):
        begin = used
        for at in range(starts[row], starts[row + 1]):
            vertex, chance = vertices[order[at]], chances[order[at]]
            if best[vertex] == 0.0 and chance > 0.0:
                indices[used] = vertex
                used += 1
            best[vertex] = max(best[vertex], chance)
        indices[begin:used].sort()
        for at in range(begin, used):
            data[at] = best[indices[at]]
            best[indices[at]] = 0.0
        indptr[row + 1] = used
    return indptr, indices[:used], data[:used]
