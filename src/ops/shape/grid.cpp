#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(reshape)
DYAD_USE(broadcast_to)
DYAD_USE(stack)
DYAD_USE(swapaxes)
DYAD_USE(tensor_of_ints)
DYAD_USE(index_gather)

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

/// Rows of positions: all choices of `count` of `size`, in lexical order.
/// Refuses more rows than could be listed.
void require_listable(const Call& call, int64_t size, int64_t r) {
  constexpr int64_t kLongestRow = 4096;
  constexpr double kMostElements = 1 << 28;
  if (r > kLongestRow) value_error(call.op(), ": r is ", r, "; at most ", kLongestRow, " is accepted");
  double rows = 1;
  for (int64_t k = 0; k < r; ++k) {
    rows *= static_cast<double>(call.flag(2) ? size + k : size - k) / static_cast<double>(k + 1);
  }
  if (rows * static_cast<double>(r) > kMostElements) {
    raise(ErrorKind::kMemory, cat(call.op(), ": there are about ", rows, " rows of ", r, " out of ", size,
                                  " elements; they do not fit in memory"));
  }
}

void choose(int64_t size, size_t count, bool repeats, Dims& row, Dims& all) {
  if (row.size() == count) {
    for (Dim d : row) all.push_back(d);
    return;
  }
  const int64_t first = row.empty() ? 0 : row.back().value() + (repeats ? 0 : 1);
  for (int64_t i = first; i < size; ++i) {
    row.push_back(i);
    choose(size, count, repeats, row, all);
    row.pop_back();
  }
}

}  // namespace

DYAD_OP("meshgrid(tensors: Tensors, indexing: str='xy') -> Tensors")
    .doc("One-dimensional tensors broadcast to the grid they span; 'xy' swaps its first two dimensions.")
    .function("meshgrid(*inputs:tensors, indexing='xy')")
    .primitive("Meshgrid(indexing='xy')(inputs:tensors)")
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
    .samples("call([T(2), T(3)])", "call([T(2), T(3), T(4)], 'ij')", "call([T(2)])", "call([T(2), T(3), T(4)])")
    .rejects("ops.meshgrid(ones(2), ones(3), indexing='yx')", "ValueError", "indexing is 'yx'")
    .rejects("ops.meshgrid(ones(2, 2), ones(3))", "ValueError", "every tensor must have at most 1 dimension");

DYAD_OP("cartesian_prod(tensors: Tensors) -> Tensor")
    .doc("All rows that take one element of each one-dimensional tensor, the last one varying fastest.")
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
    .doc("All rows of r elements of a one-dimensional tensor, in the order of their positions.")
    .compose([](const Call& call) {
      infer::require_rank(call, 0, 1, "input");
      if (call.integer(1) < 0) value_error(call.op(), ": r is ", call.integer(1), "; it must be 0 or more");
      Dims row;
      Dims all;
      const int64_t r = call.integer(1);
      const int64_t size = call.in(0).shape[0].value();
      if (call.flag(2) ? size > 0 : r <= size) {
        require_listable(call, size, r);
        choose(size, static_cast<size_t>(r), call.flag(2), row, all);
      }
      const int64_t rows = r == 0 ? 1 : static_cast<int64_t>(all.size()) / r;
      Value places = reshape(tensor_of_ints(call.builder(), all), Dims{rows, r});
      return index_gather(call.value(0), ValueList{places});
    })
    .numpy("ref.combinations(input, r, with_replacement)")
    .samples("call(T(4))", "call(T(3), 2, True)", "call(T(4), 3)", "call(T(2), 3)")
    .rejects("ops.combinations(ones(2, 2))", "ValueError", "it must have 1 dimensions");

}  // namespace dyad
