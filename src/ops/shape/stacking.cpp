#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(concat, stack, identity, reshape, pad_constant);

/// The tensor with at least `rank` dimensions, as NumPy's atleast functions add them.
Value at_least(const Value& input, int64_t rank) {
  Shape shape = input->shape;
  if (input->rank() >= rank) return input;
  if (rank == 3 && shape.size() == 1) {
    shape = {1, shape[0], 1};
  } else if (rank == 3 && shape.size() == 2) {
    shape.push_back(1);
  } else {
    while (static_cast<int64_t>(shape.size()) < rank) shape.insert(0, 1);
  }
  return reshape(input, shape);
}

int64_t rank_of(const Call& call) {
  const int64_t rank = call.integer(1);
  if (rank < 1 || rank > 3) value_error(call.op(), ": rank is ", rank, "; accepted are 1, 2 and 3");
  return rank;
}

/// The result of a function that may have nothing to do: another tensor over the same memory then.
Value apart(const Value& given, const Value& result) { return result == given ? identity(result) : result; }

ValueList all_at_least(const Call& call, int64_t rank) {
  ValueList results;
  for (const Value& tensor : call.values(0)) {
    if (!tensor) type_error(call.op(), ": the list of tensors holds None; every entry must be a Tensor");
    results.push_back(at_least(tensor, rank));
  }
  if (results.empty()) value_error(call.op(), ": the list of tensors is empty; at least one is needed");
  return results;
}

Value block_diagonal(const Call& call) {
  ValueList blocks = all_at_least(call, 2);
  Dim columns = 0;
  for (const Value& block : blocks) {
    if (block->rank() != 2)
      value_error(call.op(), ": a tensor has shape ", block->shape, "; at most 2 dimensions are accepted");
    columns = columns + block->shape[1];
  }
  // Each block becomes a band as wide as the result; the bands lie under each other.
  ValueList bands;
  Dim left = 0;
  for (const Value& block : blocks) {
    const Dim right = columns - left - block->shape[1];
    bands.push_back(pad_constant(block, Dims{0, left}, Dims{0, right}));
    left = left + block->shape[1];
  }
  return concat(bands, 0);
}

}  // namespace

DYAD_OP("hstack(tensors: Tensors) -> Tensor")
    .doc(
        "Horizontal stack: concatenation along the second dimension, of tensors with one dimension along the "
        "first.")
    .formula("out = concat(tensors, axis=1)")
    .arg("tensors", "at least one, of equal sizes but along the axis.")
    .returns("Tensor with the sum of the sizes along the axis.")
    .see("ops.concat, ops.vstack")
    .mint("hstack")
    .compose([](const Call& call) {
      const ValueList all = all_at_least(call, 1);
      return concat(all, all.front()->rank() == 1 ? 0 : 1);
    })
    .numpy("np.hstack(tensors)")
    .samples("call([T(2, 3), T(2, 1)])", "call([T(2), T(3)])", "call([T(), T()])")
    .rejects("ops.hstack([])", "ValueError", "the list of tensors is empty");

DYAD_OP("vstack(tensors: Tensors) -> Tensor")
    .doc("Vertical stack: concatenation along the first dimension. A tensor with one dimension is a row.")
    .formula("out = concat(tensors, axis=0)")
    .arg("tensors", "at least one, of equal sizes but along the axis.")
    .returns("Tensor with the sum of the sizes along the axis.")
    .see("ops.concat, ops.hstack")
    .function("vstack(inputs:tensors)")
    .function("row_stack(tensors)")
    .compose([](const Call& call) { return concat(all_at_least(call, 2), 0); })
    .numpy("np.vstack(tensors)")
    .samples("call([T(2, 3), T(1, 3)])", "call([T(2), T(2)])")
    .rejects("ops.vstack([ones(2), ones(3)])", "ValueError", "they may differ only in dimension 0");

DYAD_OP("dstack(tensors: Tensors) -> Tensor")
    .doc(
        "Depth stack: concatenation along the third dimension. (n,) becomes (1, n, 1) and (m, n) becomes (m, "
        "n, 1) first.")
    .formula("out = concat(tensors, axis=2)")
    .arg("tensors", "at least one, of equal sizes but along the axis.")
    .returns("Tensor with the sum of the sizes along the axis.")
    .see("ops.concat, ops.hstack")
    .mint("dstack")
    .compose([](const Call& call) { return concat(all_at_least(call, 3), 2); })
    .numpy("np.dstack(tensors)")
    .samples("call([T(2, 3), T(2, 3)])", "call([T(2), T(2)])")
    .rejects("ops.dstack([ones(2), ones(3)])", "ValueError", "they may differ only in dimension 2");

DYAD_OP("column_stack(tensors: Tensors) -> Tensor")
    .doc("Column stack: concatenation along the second dimension. A tensor with one dimension is a column.")
    .formula("out = concat(tensors, axis=1)")
    .arg("tensors", "at least one, of equal sizes but along the axis.")
    .returns("Tensor with the sum of the sizes along the axis.")
    .see("ops.concat, ops.hstack")
    .compose([](const Call& call) {
      ValueList columns;
      for (const Value& tensor : all_at_least(call, 1)) {
        columns.push_back(tensor->rank() > 1 ? tensor : reshape(tensor, Dims{-1, 1}));
      }
      return concat(columns, 1);
    })
    .numpy("np.column_stack(tensors)")
    .samples("call([T(2), T(2, 3)])", "call([T(2), T(2)])")
    .rejects("ops.column_stack([ones(2), ones(3)])", "ValueError", "they may differ only in dimension 1");

DYAD_OP("block_diag(tensors: Tensors) -> Tensor")
    .doc("Block diagonal matrix: the given matrices along the diagonal, zeros elsewhere.")
    .formula("out[rₖ + i, cₖ + j] = tensors[k][i, j], elsewhere 0, rₖ, cₖ = rows, columns of those before")
    .arg("tensors", "matrices; vectors are rows, numbers 1 × 1.")
    .returns("Tensor with 2 dimensions.")
    .see("ops.diag")
    .function("block_diag(*inputs:tensors)")
    .compose([](const Call& call) { return block_diagonal(call); })
    .numpy("ref.block_diag(tensors)")
    .samples("call([T(2, 3), T(1, 1)])", "call([T(2), T(), T(2, 2)])")
    .rejects("ops.block_diag(ones(1, 2, 3), ones(1))", "ValueError", "at most 2 dimensions are accepted");

DYAD_OP("at_least_dimensions(input: Tensor, rank: int) -> Tensor")
    .doc("Tensor with dimensions of size 1 added until it has `rank`.")
    .formula("flat(out)[k] = flat(input)[k]")
    .arg("input", "any dtype and shape.")
    .arg("rank", "smallest number of dimensions, 1 to 3.")
    .returns("Tensor with at least `rank` dimensions.")
    .see("ops.expand_dims")
    .hidden()
    .function("atleast_1d(inputs:input, rank=1)")
    .function("atleast_2d(inputs:input, rank=2)")
    .function("atleast_3d(inputs:input, rank=3)")
    .shares_memory()
    .compose([](const Call& call) { return apart(call.value(0), at_least(call.value(0), rank_of(call))); })
    .numpy("(np.atleast_1d, np.atleast_2d, np.atleast_3d)[rank - 1](input)")
    .samples("call(T(), 1)", "call(T(3), 2)", "call(T(3), 3)", "call(T(2, 3), 3)", "call(T(), 3)",
             "call(T(2, 3), 1)")
    .rejects("ops.atleast_1d('a')", "TypeError", "atleast_1d: input is 'a'");

DYAD_OP("each_at_least_dimensions(tensors: Tensors, rank: int) -> Tensors")
    .doc("Tensors with dimensions of size 1 added until they have `rank`.")
    .formula("flat(out[n])[k] = flat(tensors[n])[k]")
    .arg("tensors", "any dtypes and shapes.")
    .arg("rank", "smallest number of dimensions, 1 to 3.")
    .returns("Tuple of Tensors with at least `rank` dimensions.")
    .see("ops.expand_dims")
    .hidden()
    .further_function("atleast_1d(inputs:tensors, rank=1)")
    .further_function("atleast_2d(inputs:tensors, rank=2)")
    .further_function("atleast_3d(inputs:tensors, rank=3)")
    .shares_memory()
    .compose([](const Call& call) {
      ValueList results = all_at_least(call, rank_of(call));
      for (size_t i = 0; i < results.size(); ++i) results[i] = apart(call.values(0)[i], results[i]);
      return results;
    })
    .numpy("ref.each_at_least(tensors, rank)")
    .samples("call([T(), T(3)], 1)", "call([T(2, 3), T()], 3)")
    .rejects("ops.atleast_2d([ones(2), 'a'])", "TypeError", "atleast_2d: input is of type list")
    .rejects("ops.atleast_2d([ones(2), None])", "TypeError", "the list of tensors holds None");

}  // namespace dyad
