"""Vector arithmetic with one fixed order of additions.

For solvers, `gather` adds up table rows (z = Σ x_j · table[j]) and `scatter` is its transpose (table[j] += x_j · z),
for one float64 model or for eight float32 models side by side. A table is features × lanes, handed over flat. The
compiler does not vectorise eight short accumulators by itself, so the eight-lane form is written as LLVM vector
instructions: one load, multiply and add per feature, with the sum kept in a register. For low-rank predictors,
`dot_rows` and `add_scaled_row` work on rows of tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic as _intrinsic
from numba.extending import overload

from classinet._kernels.jit import kernel

intrinsic: Any = _intrinsic  # typed by numba as if the compiler's own first argument were the caller's
LANES = 8
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_ROW_BYTES = 4 * LANES


class _Row:
    """IR for walking over the features start..stop of a row whose table has eight float32 lanes."""

    def __init__(self, context, builder, signature, args):
        self.builder = builder
        table, ids, values, z = (
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args, args, strict=True)
            if isinstance(kind, types.Array)
        )
        self.table = builder.bitcast(table, cgutils.voidptr_t)
        self.ids, self.values = ids, values
        self.z = builder.bitcast(z, _VECTOR.as_pointer())
        start, stop = args[3], args[4]
        self.range = cgutils.for_range_slice(builder, start, stop, ir.Constant(start.type, 1), start.type)

    def feature(self, at):
        """Return the pointer to the table row of the feature at this place, and its value in all lanes."""
        builder = self.builder
        number = builder.sext(builder.load(builder.gep(self.ids, [at])), ir.IntType(64))
        offset = builder.mul(number, ir.Constant(number.type, _ROW_BYTES))
        row = builder.bitcast(builder.gep(self.table, [offset]), _VECTOR.as_pointer())
        value = builder.load(builder.gep(self.values, [at]))
        return row, _in_all_lanes(builder, value)


def _in_all_lanes(builder, value):
    """A vector that holds one value eight times."""
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), zeros)


@intrinsic
def _gather_eight(typing_context, table, ids, values, start, stop, z):
    def codegen(context, builder, signature, args):
        row = _Row(context, builder, signature, args)
        total = cgutils.alloca_once_value(builder, builder.load(row.z, align=4))
        with row.range as (at, _):
            weights, value = row.feature(at)
            product = builder.fmul(value, builder.load(weights, align=4))
            builder.store(builder.fadd(builder.load(total), product), total)
        builder.store(builder.load(total), row.z, align=4)
        return context.get_dummy_value()

    return types.void(table, ids, values, types.int64, types.int64, z), codegen


@intrinsic
def _scatter_eight(typing_context, table, ids, values, start, stop, z):
    def codegen(context, builder, signature, args):
        row = _Row(context, builder, signature, args)
        addend = builder.load(row.z, align=4)
        with row.range as (at, _):
            weights, value = row.feature(at)
            total = builder.fadd(builder.load(weights, align=4), builder.fmul(value, addend))
            builder.store(total, weights, align=4)
        return context.get_dummy_value()

    return types.void(table, ids, values, types.int64, types.int64, z), codegen


def _gather(table, ids, values, start, stop, z): ...


def _scatter(table, ids, values, start, stop, z): ...


def _lane_count(table): ...


@overload(_gather)
def _choose_gather(table, ids, values, start, stop, z):
    if table.dtype == types.float32:
        return lambda table, ids, values, start, stop, z: _gather_eight(table, ids, values, start, stop, z)

    def one_lane(table, ids, values, start, stop, z):
        total = z[0]
        for at in range(start, stop):
            total += values[at] * table[np.uint64(ids[at])]  # unsigned: no check for counting from the end
        z[0] = total

    return one_lane


@overload(_scatter)
def _choose_scatter(table, ids, values, start, stop, z):
    if table.dtype == types.float32:
        return lambda table, ids, values, start, stop, z: _scatter_eight(table, ids, values, start, stop, z)

    def one_lane(table, ids, values, start, stop, z):
        addend = z[0]
        for at in range(start, stop):
            table[np.uint64(ids[at])] += values[at] * addend

    return one_lane


@overload(_lane_count)
def _choose_lane_count(table):
    return (lambda table: LANES) if table.dtype == types.float32 else (lambda table: 1)


def _vector_pointer(context, builder, kind, array, row):
    """Pointer to the first lane of a row of a C-contiguous float32 table."""
    table = context.make_array(kind)(context, builder, array)
    width = cgutils.unpack_tuple(builder, table.shape)[1]
    first = builder.gep(table.data, [builder.mul(row, width)])
    return builder.bitcast(first, _VECTOR.as_pointer()), builder.sdiv(width, ir.Constant(width.type, LANES))


@intrinsic
def dot_rows(typing_context, left, i, right, j):
    """left[i] · right[j] of float32 tables whose width is a multiple of eight, added in one fixed order."""

    def codegen(context, builder, signature, args):
        a, steps = _vector_pointer(context, builder, signature.args[0], args[0], args[1])
        b, _ = _vector_pointer(context, builder, signature.args[2], args[2], args[3])
        total = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES))
        with cgutils.for_range(builder, steps) as loop:
            x = builder.load(builder.gep(a, [loop.index]), align=4)
            y = builder.load(builder.gep(b, [loop.index]), align=4)
            builder.store(builder.fadd(builder.load(total), builder.fmul(x, y)), total)
        lanes = [builder.extract_element(builder.load(total), ir.Constant(ir.IntType(32), k)) for k in range(LANES)]
        while len(lanes) > 1:
            lanes = [builder.fadd(x, y) for x, y in zip(lanes[::2], lanes[1::2], strict=True)]
        return lanes[0]

    return types.float32(left, types.int64, right, types.int64), codegen


@intrinsic
def add_scaled_row(typing_context, target, i, source, j, scale):
    """target[i] += scale · source[j] of float32 tables whose width is a multiple of eight."""

    def codegen(context, builder, signature, args):
        a, steps = _vector_pointer(context, builder, signature.args[0], args[0], args[1])
        b, _ = _vector_pointer(context, builder, signature.args[2], args[2], args[3])
        scale_lanes = _in_all_lanes(builder, args[4])
        with cgutils.for_range(builder, steps) as loop:
            x = builder.gep(a, [loop.index])
            product = builder.fmul(scale_lanes, builder.load(builder.gep(b, [loop.index]), align=4))
            builder.store(builder.fadd(builder.load(x, align=4), product), x, align=4)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.float32), codegen


@kernel
def gather(table, ids, values, start, stop, z):
    """Z += Σ values[at] · table[ids[at]] over at in start..stop; all arrays flat and contiguous."""
    _gather(table, ids, values, start, stop, z)


@kernel
def scatter(table, ids, values, start, stop, z):
    """table[ids[at]] += values[at] · z for at in start..stop; all arrays flat and contiguous."""
    _scatter(table, ids, values, start, stop, z)


@kernel
def lane_count(table):
    """Eight lanes of float32 or one of float64: known to the compiler, which then unrolls loops over lanes."""
    return _lane_count(table)
