#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/index/index.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(index_gather, clamp, remainder, take, gather_elements, scatter_elements, arange, reshape, permute,
         zeros, broadcast_to, expand_dims, equal, where, stop_gradient, greater_equal, less, logical_and, sum,
         cast);

/// Gathers along `axis` where the leading `batch` dimensions of tensor and indices go together.
Value gather_batched(const Call& call, const Value& input, const Value& indices, size_t axis, size_t batch) {
  ValueList all(axis);
  for (size_t b = 0; b < batch; ++b) {
    Dims shape(indices->shape.size(), 1);
    shape[b] = input->shape[b];
    all[b] = reshape(arange(call.builder(), input->shape[b].value()), shape);
  }
  all.push_back(indices);
  Value chosen = index_gather(input, all);
  const size_t between = axis - batch;
  if (between == 0) return chosen;
  // Separated index tensors put their dimensions first; those between batch and axis belong before the
  // index's own.
  const size_t index_rank = indices->shape.size();
  Dims order;
  for (size_t d = 0; d < batch; ++d) order.push_back(static_cast<int64_t>(d));
  for (size_t d = 0; d < between; ++d) order.push_back(static_cast<int64_t>(index_rank + d));
  for (size_t d = batch; d < index_rank; ++d) order.push_back(static_cast<int64_t>(d));
  for (size_t d = index_rank + between; d < chosen->shape.size(); ++d)
    order.push_back(static_cast<int64_t>(d));
  return permute(chosen, order);
}

Value gather_body(const Call& call) {
  const Value& input = call.value(0);
  const Value& indices = call.value(1);
  const size_t axis = index_axis(call, input, call.integer(2));
  int64_t batch = call.integer(3);
  if (batch < 0) batch += indices->rank();
  if (batch < 0 || batch > std::min<int64_t>(indices->rank(), static_cast<int64_t>(axis))) {
    value_error(call.op(), ": batch_dims is ", call.integer(3), "; it must be at most the axis ", axis,
                " and the dimensions of the indices, ", indices->rank());
  }
  if (batch == 0) return index_gather(input, index_along(axis, indices));
  return gather_batched(call, input, indices, axis, static_cast<size_t>(batch));
}

void infer_gather_elements(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const ValueImpl& index = args.in(2);
  if (!is_int(index.dtype))
    type_error(args.op(), ": index has dtype ", index.dtype, "; accepted are integers");
  const auto axis = static_cast<size_t>(normalize_axis(args.op(), args.integer(1), input.rank(), "dim"));
  bool fits = index.rank() == input.rank();
  for (size_t d = 0; fits && d < input.shape.size(); ++d) {
    if (d != axis && index.shape[d].known() && input.shape[d].known())
      fits = index.shape[d].value() <= input.shape[d].value();
  }
  if (!fits) {
    value_error(args.op(), ": index has shape ", index.shape, " and input has shape ", input.shape,
                "; index may be larger only in dimension ", axis);
  }
  results.add(input.dtype, index.shape);
}

Value take_along(const Call& call) {
  Value input = call.value(0);
  Value index = call.value(1);
  if (!call.has(2)) {
    input = reshape(input, Dims{-1});
    index = reshape(index, Dims{-1});
    return gather_elements(input, 0, index);
  }
  const size_t axis = index_axis(call, input, call.integer(2));
  if (index->rank() != input->rank()) {
    value_error(call.op(), ": indices have shape ", index->shape, " and input has shape ", input->shape,
                "; they must have equally many dimensions");
  }
  Shape input_shape = input->shape;
  Shape index_shape = index->shape;
  input_shape[axis] = index_shape[axis] = 1;
  Shape shape = broadcast(call.op(), input_shape, index_shape);
  shape[axis] = input->shape[axis];
  input = broadcast_to(input, shape);
  shape[axis] = index->shape[axis];
  return gather_elements(input, static_cast<int64_t>(axis), broadcast_to(index, shape));
}

Value take_body(const Call& call) {
  if (!call.has(2)) return index_gather(reshape(call.value(0), Dims{-1}), index_along(0, call.value(1)));
  const size_t axis = index_axis(call, call.value(0), call.integer(2));
  return index_gather(call.value(0), index_along(axis, call.value(1)));
}

Value embedding_body(const Call& call) {
  const Value& indices = call.value(0);
  const Value& weight = call.value(1);
  if (weight->rank() != 2) {
    value_error(call.op(), ": weight has shape ", weight->shape,
                "; it must be a matrix with one row per entry");
  }
  Value rows = index_gather(weight, index_along(0, indices));
  if (!call.has(2)) return rows;
  int64_t padding = call.integer(2);
  const Dim count = weight->shape[0];
  if (count.known() && (padding < -count.value() || padding >= count.value())) {
    value_error(call.op(), ": padding_idx ", padding, " is out of range for ", count, " rows");
  }
  if (padding < 0) padding += count.value();
  // Rows of the padding entry are returned, but have no gradient.
  return where(expand_dims(equal(indices, padding), Dims{-1}), stop_gradient(rows), rows);
}

/// True for positions that exist in the first dimension of `input`.
Value places_inside(const Call& call, const Value& input, const Value& places) {
  const Dim count = input->shape[0];
  const Value below = count.known()
                          ? less(places, count.value())
                          : less(places, sum(zeros(call.builder(), Dims{count}, DType::kInt64) + int64_t{1}));
  return logical_and(greater_equal(places, int64_t{0}), below);
}

Value embedding_lookup_body(const Call& call) {
  const Value& input = call.value(0);
  const Value& indices = call.value(1);
  const int64_t offset = call.integer(2);
  if (!is_int(indices->dtype)) {
    index_error(call.op(), ": the index of dimension 0 has dtype ", indices->dtype,
                "; accepted are integers");
  }
  const Value wide = cast(indices, DType::kInt64);
  const Value places = offset == 0 ? wide : wide - offset;
  Value inside = places_inside(call, input, places);
  const Value rows = index_gather(input, index_along(0, where(inside, places, int64_t{0})));
  for (int64_t d = 1; d < input->rank(); ++d) inside = expand_dims(inside, Dims{-1});
  return where(inside, rows, int64_t{0});
}

}  // namespace

DYAD_OP("gather(input: Tensor, indices: Tensor, axis: int, batch_dims: int=0) -> Tensor")
    .doc(
        "Gather: slices of `input` along an axis, one for each index. An index outside the axis is an error.")
    .formula("out[p…, i…, q…] = input[p…, indices[i…], q…], p before axis, q after it")
    .formula("out[b…, p…, i…, q…] = input[b…, p…, indices[b…, i…], q…]", "batch_dims > 0")
    .arg("input", "any dtype, at least one dimension.")
    .arg("indices", "integers, any shape; negative ones count from the end.")
    .arg("axis", "axis of the indices.")
    .arg("batch_dims", "number of leading dimensions that `input` and `indices` share.")
    .returns("Tensor of shape input.shape[:axis] + indices.shape[batch_dims:] + input.shape[axis + 1:].")
    .see("ops.gather_nd, ops.gather_elements, ops.index_select")
    .function("gather(input_params:input, input_indices:indices, axis, batch_dims=0)")
    .method("gather(input_indices:indices, axis, batch_dims=0)")
    .primitive("Gather(batch_dims=0)(input_params:input, input_indices:indices, axis)")
    .primitive("GatherV2(batch_dims=0)(input_params:input, input_indices:indices, axis)")
    .primitive("SparseGatherV2(batch_dims=0)(input_params:input, input_indices:indices, axis)")
    .alias("input_params", "input")
    .alias("input_indices", "indices")
    .compose([](const Call& call) { return gather_body(call); })
    .numpy("ref.gather(input, indices, axis, batch_dims)")
    .samples("call(T(4, 3), I(2, 2), 0, dtypes='all')", "call(T(2, 4, 3), I(5), 1)", "call(T(2, 4), I(), -1)",
             "call(T(3, 4), I(3, 2), 1, 1)", "call(T(2, 5, 4), I(2, 3), 2, 1)",
             "call(T(2, 3, 4, 2), I(2, 3, 5), 2, 2)", "call(strided(T(4, 6)), I(3), 1)",
             "call(T(4, 3), I(0), 0)")
    .rejects("ops.gather(ones(3), Tensor(np.array([0, 3])), 0)", "IndexError",
             "index 3 is out of range for dimension 0 of size 3")
    .rejects("ops.gather(ones(3), ints(2), 1)", "ValueError", "axis 1 is out of range")
    .rejects("ops.gather(ones(3), ones(2), 0)", "IndexError", "has dtype Float32");

DYAD_OP("index_select(input: Tensor, axis: int, index: Tensor) -> Tensor")
    .doc("Selection of slices along an axis by an index of one dimension.")
    .formula("out[…, j, …] = input[…, index[j], …]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("axis", "axis of the index.")
    .arg("index", "integers of shape (n,) or ().")
    .returns("Tensor with the shape of `input` but size n along `axis`.")
    .see("ops.gather")
    .method()
    .alias("dim", "axis")
    .mint("index_select")
    .compose([](const Call& call) {
      const Value& index = call.value(2);
      if (index->rank() > 1) {
        value_error(call.op(), ": index has shape ", index->shape, "; it must have at most one dimension");
      }
      const size_t axis = index_axis(call, call.value(0), call.integer(1));
      return index_gather(call.value(0),
                          index_along(axis, index->rank() == 1 ? index : reshape(index, Dims{1})));
    })
    .numpy("np.take(input, np.atleast_1d(index), axis)")
    .samples("call(T(4, 3), 0, I(5), dtypes='all')", "call(T(3, 4), -1, I(2))", "call(T(4), 0, I())")
    .rejects("ops.index_select(ones(3), 0, ints(2, 2))", "ValueError", "it must have at most one dimension");

DYAD_OP("gather_nd(input: Tensor, indices: Tensor) -> Tensor")
    .doc(
        "Gather by coordinates: the last dimension of `indices` has one index for each leading dimension of "
        "`input`.")
    .formula("out[i…, q…] = input[indices[i…, 0], …, indices[i…, k − 1], q…]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("indices", "integers of shape (…, k), k ≤ number of dimensions of `input`.")
    .returns("Tensor of shape indices.shape[:-1] + input.shape[k:].")
    .see("ops.gather, ops.scatter_nd")
    .function("gather_nd(input_x:input, indices)")
    .method("gather_nd(indices)")
    .primitive("GatherNd()(input_x:input, indices)")
    .alias("input_x", "input")
    .compose([](const Call& call) {
      return index_gather(call.value(0), index_columns(call.op(), call.value(1), call.in(0).rank()));
    })
    .numpy("ref.gather_nd(input, indices)")
    .samples("call(T(4, 5), I(3, 2), dtypes='all')", "call(T(4, 3, 2), I(2, 2, 1))", "call(T(4, 4), I(2))")
    .rejects("ops.gather_nd(ones(3), ints(2, 2))", "ValueError",
             "hold 2 coordinates for a tensor of 1 dimensions");

DYAD_OP("gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor")
    .further_method("gather(dim, index)")
    .further_function("gather(input, dim, index)")
    .doc("Gather of elements along an axis (PyTorch's gather).")
    .formula("out[i, j, k] = input[index[i, j, k], j, k]", "dim=0")
    .formula("out[i, j, k] = input[i, index[i, j, k], k]", "dim=1")
    .arg("input", "any dtype, at least one dimension.")
    .arg("dim", "axis of the indices.")
    .arg("index", "integers with as many dimensions as `input`; negative ones count from the end.")
    .returns("Tensor with the shape of `index` and the dtype of `input`.")
    .see("ops.gather, ops.take_along_dim")
    .function("gather_d(x:input, dim, index)")
    .method()
    .primitive("GatherD()(x:input, dim, index)")
    .alias("axis", "dim")
    .alias("x", "input")
    .infer(infer_gather_elements)
    .linear()
    .grad([](GradCall& g) {
      g.set(0,
            scatter_elements(zeros(g.builder(), g.in(0).shape, g.in(0).dtype), g[1], g[2], g.grad(), "add"));
    })
    .batch(batch::along<1>)
    .moves(Movement::kOther)
    .numpy("ref.gather_elements(input, dim, index)")
    .samples("call(T(4, 3), 0, I(2, 3), dtypes='all')", "call(T(2, 4), 1, I(2, 6))",
             "call(T(2, 4), -1, I(1, 3))", "call(strided(T(4, 6)), 0, I(3, 6))", "call(T(4, 3), 0, I(0, 3))",
             "call(T(4), 0, I(3))")
    .rejects("ops.gather_elements(ones(3), 0, Tensor(np.array([3])))", "IndexError",
             "index 3 is out of range")
    .rejects("ops.gather_elements(ones(2, 3), 0, ints(2))", "ValueError",
             "index may be larger only in dimension 0");

DYAD_OP("take_along_dim(input: Tensor, indices: Tensor, axis: int?=None) -> Tensor")
    .doc(
        "Gather of elements along an axis, where the other dimensions broadcast. Without an axis both are "
        "flattened.")
    .formula("out[…, i, …] = input[…, indices[…, i, …], …]")
    .arg("input", "any dtype and shape.")
    .arg("indices", "integers with as many dimensions as `input`.")
    .arg("axis", "axis of the indices; None: both are flattened.")
    .returns("Tensor with the broadcast shape and the dtype of `input`.")
    .see("ops.gather_elements")
    .alias("dim", "axis")
    .compose([](const Call& call) { return take_along(call); })
    .numpy("np.take_along_axis(input, indices, axis)")
    .samples("call(T(4, 3), I(2, 1), 0)", "call(T(1, 4), I(3, 2), 1)")
    .rejects("ops.take_along_dim(ones(2, 3), ints(2), 0)", "ValueError", "must have equally many dimensions");

DYAD_OP("take(input: Tensor, index: Tensor, axis: int?=None) -> Tensor")
    .doc("Take: elements of the flattened tensor at indices; with an axis, slices along it.")
    .formula("out[i…] = flat(input)[index[i…]]", "axis=None")
    .formula("out[p…, i…, q…] = input[p…, index[i…], q…]", "axis given")
    .arg("input", "any dtype and shape.")
    .arg("index", "integers, any shape.")
    .arg("axis", "axis of the indices; None: `input` is flattened.")
    .returns("Tensor with the shape of `index` in place of the axis.")
    .see("ops.gather, ops.index_select")
    .function("take(input, index, axis=None)")
    .alias("dim", "axis")
    .mint("take")
    .compose([](const Call& call) { return take_body(call); })
    .numpy("np.take(input, index, axis)")
    .samples("call(T(4, 3), I(2, 2))", "call(T(4, 3), I(2), 0)")
    .rejects("ops.take(ones(3), Tensor(np.array([3])))", "IndexError", "index 3 is out of range");

DYAD_OP("take_within(input: Tensor, indices: Tensor, axis: int?=None, mode: str='clip') -> Tensor")
    .doc("Take of elements or slices, for indices that may be outside the axis of size n.")
    .formula("out[i…] = input[min(max(indices[i…], −n), n − 1)]", "mode='clip'")
    .formula("out[i…] = input[indices[i…] mod n]", "mode='wrap'")
    .formula("out[i…] = input[indices[i…]]", "mode='raise'")
    .arg("input", "any dtype and shape.")
    .arg("indices", "integers, any shape.")
    .arg("axis", "axis of the indices; None: `input` is flattened.")
    .arg("mode", "'clip' (nearest element), 'wrap' (modulo the size) or 'raise' (error).")
    .returns("Tensor with the shape of `indices` in place of the axis.")
    .see("ops.take")
    .hidden()
    .method("take(indices, axis=None, mode='clip')")
    .alias("index", "indices")
    .alias("dim", "axis")
    .compose([](const Call& call) -> Value {
      const std::string_view mode = call.text(3);
      if (mode != "clip" && mode != "wrap" && mode != "raise") {
        value_error(call.op(), ": mode is '", mode, "'; accepted are 'clip', 'wrap' and 'raise'");
      }
      if (mode == "raise") return take(call.value(0), call.value(1), call[2]);
      const Value input = !call.has(2) ? reshape(call.value(0), Dims{-1}) : call.value(0);
      const size_t axis = index_axis(call, input, call.integer(2, 0));
      const int64_t size = input->shape[axis].value();
      if (size == 0) {
        index_error(call.op(), ": the dimension that indices choose from has no elements");
      }
      const Value inside =
          mode == "clip" ? clamp(call.value(1), -size, size - 1) : remainder(call.value(1), size);
      return take(input, inside, static_cast<int64_t>(axis));
    })
    .numpy("ref.take_within(input, indices, axis, mode)")
    .samples("call(T(4, 3), V([[1, 9], [-2, 0]], 'int64'), 0)",
             "call(T(4, 3), V([5, -20], 'int64'), None, 'wrap')",
             "call(T(4, 3), I(2, lo=0, hi=3), 1, 'raise')")
    .rejects("ones(3).take(ints(2), 0, 'near')", "ValueError", "mode is 'near'");

DYAD_OP("embedding(input: Tensor, weight: Tensor, padding_idx: int?=None) -> Tensor")
    .hidden()
    .doc("Rows of weight chosen by integer ids; the row of padding_idx takes no gradient.")
    .compose([](const Call& call) { return embedding_body(call); })
    .numpy("weight[input]")
    .samples("call(I(2, 3), F(4, 5))", "call(I(), F(4, 5))", "call(I(3), F(4, 5), 0)")
    .rejects("ops.embedding(Tensor(np.array([4])), ones(4, 2))", "IndexError",
             "index 4 is out of range for dimension 0 of size 4");

DYAD_OP("embedding_lookup(input: Tensor, indices: Tensor, offset: int=0) -> Tensor")
    .doc("Embedding lookup: rows of `input` at indices minus an offset; zeros where there is no such row.")
    .formula("out[i…] = input[indices[i…] − offset]", "0 ≤ indices[i…] − offset < n")
    .formula("out[i…] = 0", "otherwise")
    .arg("input", "table with n rows, any dtype.")
    .arg("indices", "integers, any shape.")
    .arg("offset", "subtracted from the indices.")
    .returns("Tensor of shape indices.shape + input.shape[1:].")
    .see("ops.gather, nn.Embedding")
    .hidden()
    .primitive("EmbeddingLookup()(input_params:input, input_indices:indices, offset)")
    .compose([](const Call& call) { return embedding_lookup_body(call); })
    .numpy("ref.embedding_lookup(input, indices, offset)")
    .samples("call(F(4, 3), I(2, 2))", "call(F(4, 3), I(5, lo=2, hi=6), 2)",
             "call(F(4, 3), I(9, lo=-3, hi=7))", "call(F(4), I(2, 3, lo=0, hi=9), 1)")
    .rejects("dyad._core.named_op('embedding_lookup')(ones(3), ones(2))", "IndexError",
             "has dtype Float32; accepted are integers");

}  // namespace dyad
