#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(reshape, broadcast_to, stack, swapaxes, tensor_of_ints, index_gather, zeros);

const ValueList& axes_of(const Call& call) {
  if (call.values(0).empty()) value_error(call.op(), ": there is no tensor; at least one is needed");
  for (const Value& axis : call.values(0)) {
    if (!axis || axis->rank() > 1) {
      value_error(call.op(), ": every tensor must have at most 1 dimension");
    }
  }
  return call.values(0);
}

ValueList grid(const ValueList& axes) {
  Shape whole;
  for (const Value& axis : axes) whole.push_back(size_of(axis->shape));
  ValueList planes;
  for (size_t i = 0; i < axes.size(); ++i) {
    Dims shape(axes.size(), 1);
    shape[i] = whole[i];
    planes.push_back(broadcast_to(reshape(axes[i], shape), whole));
  }
  return planes;
}

/// How many rows `choose` gives, or -1 if they hold more elements than memory could.
int64_t count_choices(int64_t size, int64_t count, bool repeats) {
  constexpr double kMost = 4e9;
  if (count == 0) return 1;
  if (size == 0 || (!repeats && count > size)) return 0;
  if (static_cast<double>(count) > kMost) return -1;
  const int64_t from = repeats ? size + count - 1 : size;
  const int64_t picked = std::min(count, from - count);
  double rows = 1;
  for (int64_t i = 1; i <= picked && rows < kMost; ++i) {
    rows = rows * static_cast<double>(from - picked + i) / static_cast<double>(i);
  }
  return rows * static_cast<double>(count) < kMost ? static_cast<int64_t>(rows + 0.5) : -1;
}

/// Rows of positions: all choices of `count` of `size`, in lexical order. There must be at least one.
Dims choose(int64_t size, int64_t count, bool repeats, int64_t rows) {
  Dims all;
  Ints row(static_cast<size_t>(count), 0);
  for (int64_t i = 0; i < count && !repeats; ++i) row[static_cast<size_t>(i)] = i;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t position : row) all.push_back(position);
    // The last entry that can grow does; those after it start anew behind it.
    int64_t i = count - 1;
    while (i > 0 && row[static_cast<size_t>(i)] == (repeats ? size - 1 : size - count + i)) --i;
    if (count == 0) break;
    ++row[static_cast<size_t>(i)];
    for (int64_t j = i + 1; j < count; ++j)
      row[static_cast<size_t>(j)] = row[static_cast<size_t>(j - 1)] + (repeats ? 0 : 1);
  }
  return all;
}

}  // namespace

DYAD_OP("meshgrid(tensors: Tensors, indexing: str='xy') -> Tensors")
    .doc("Coordinate grids of tensors with one dimension.")
    .formula("out[n][i₀, i₁, …] = tensors[n][iₙ]", "indexing='ij'")
    .formula("out[n][i₁, i₀, …] = tensors[n][iₙ]", "indexing='xy'")
    .arg("tensors", "any number, each of shape (n,) or ().")
    .arg("indexing", "'xy' (first two dimensions swapped) or 'ij'.")
    .returns("Tuple of Tensors, one for each given tensor.")
    .see("ops.cartesian_prod")
    .function("meshgrid(*inputs:tensors, indexing='xy')")
    .primitive("Meshgrid(indexing='xy')(inputs:tensors)")
    .shares_memory()
    .compose([](const Call& call) {
      ValueList planes = grid(axes_of(call));
      if (call.text(1) != "xy" && call.text(1) != "ij") {
        value_error(call.op(), ": indexing is '", call.text(1), "'; accepted are 'xy' and 'ij'");
      }
      if (call.text(1) == "ij" || planes.size() < 2) return planes;
      for (Value& plane : planes) plane = swapaxes(plane, 0, 1);
      return planes;
    })
    .numpy("tuple(np.meshgrid(*tensors, indexing=indexing))")
    .samples("call([T(2), T(3)])", "call([T(2), T(3), T(4)], 'ij')", "call([T(2)])",
             "call([T(2), T(3), T(4)])")
    .rejects("ops.meshgrid(ones(2), ones(3), indexing='yx')", "ValueError", "indexing is 'yx'")
    .rejects("ops.meshgrid(ones(2, 2), ones(3))", "ValueError", "every tensor must have at most 1 dimension");

DYAD_OP("cartesian_prod(tensors: Tensors) -> Tensor")
    .doc("Cartesian product of tensors with one dimension. The last one varies fastest.")
    .formula("out[k, n] = tensors[n][iₙ], (i₀, i₁, …) = k-th index in row-major order")
    .arg("tensors", "any number, each of shape (n,).")
    .returns("Tensor of shape (product of the sizes, number of tensors), or the tensor if there is one.")
    .see("ops.meshgrid, ops.combinations")
    .function("cartesian_prod(*inputs:tensors)")
    .compose([](const Call& call) {
      const ValueList& axes = axes_of(call);
      if (axes.size() == 1) return axes.front();
      ValueList columns;
      for (const Value& plane : grid(axes)) columns.push_back(reshape(plane, Dims{-1}));
      return stack(columns, 1);
    })
    .numpy("ref.cartesian_prod(tensors)")
    .samples("call([T(2), T(3)])", "call([T(2), T(1), T(3)])")
    .rejects("ops.cartesian_prod(ones(2, 2), ones(3))", "ValueError", "at most 1 dimension");

DYAD_OP("combinations(input: Tensor, r: int=2, with_replacement: bool=False) -> Tensor")
    .doc("Combinations of r elements, in the order of their indices.")
    .formula("out[k] = input[i₁], …, input[iᵣ], k-th i₁ < … < iᵣ", "with_replacement=False")
    .formula("out[k] = input[i₁], …, input[iᵣ], k-th i₁ ≤ … ≤ iᵣ", "with_replacement=True")
    .arg("input", "any dtype, shape (n,).")
    .arg("r", "number of elements, ≥ 0.")
    .arg("with_replacement", "whether an element may come more than once.")
    .returns("Tensor of shape (number of combinations, r).")
    .see("ops.cartesian_prod")
    .compose([](const Call& call) -> Value {
      infer::require_rank(call, 0, 1, "input");
      if (call.integer(1) < 0) value_error(call.op(), ": r is ", call.integer(1), "; it must be 0 or more");
      const int64_t r = call.integer(1);
      const int64_t size = call.in(0).shape[0].value();
      const int64_t rows = count_choices(size, r, call.flag(2));
      if (rows < 0) {
        value_error(call.op(), ": choosing r = ", r, " of ", size,
                    " elements gives more rows than fit in memory");
      }
      if (rows == 0) return zeros(call.builder(), Dims{0, r}, call.in(0).dtype);
      const Dims all = choose(size, r, call.flag(2), rows);
      Value places = reshape(tensor_of_ints(call.builder(), all), Dims{rows, r});
      return index_gather(call.value(0), ValueList{places});
    })
    .numpy("ref.combinations(input, r, with_replacement)")
    .samples("call(T(4))", "call(T(3), 2, True)", "call(T(4), 3)", "call(T(2), 3)", "call(T(5), 3, True)",
             "call(T(3), 0)", "call(T(0), 2)")
    .rejects("ops.combinations(ones(2, 2))", "ValueError", "it must have 1 dimensions")
    .rejects("ops.combinations(ones(3), 2 ** 45, True)", "ValueError", "gives more rows than fit in memory");

}  // namespace dyad
