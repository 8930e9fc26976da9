#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(reshape, broadcast_to, index_gather, tensor_of_ints, copy, repeat_interleave);

Value tile_body(const Call& call) {
  Shape shape = call.in(0).shape;
  Dims repeats = call.dims(1);
  for (Dim r : repeats) {
    if (r.known() && r.value() < 0) value_error(call.op(), ": the repeats ", repeats, " must be 0 or more");
  }
  while (repeats.size() < shape.size()) repeats.insert(0, 1);
  while (shape.size() < repeats.size()) shape.insert(0, 1);
  // Each dimension becomes (repeats, size); repeating is then broadcasting, and merging a pair copies unless
  // one of the two is 1.
  bool copied = false;
  Shape apart;
  Shape wide;
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (repeats[d] != Dim(1)) {
      apart.push_back(1);
      wide.push_back(repeats[d]);
      copied = copied || (repeats[d].known() && shape[d].known() && shape[d].value() != 1);
    }
    apart.push_back(shape[d]);
    wide.push_back(shape[d]);
    result.push_back(repeats[d] * shape[d]);
  }
  if (wide.size() == shape.size()) return copy(reshape(call.value(0), shape));
  const Value merged = reshape(broadcast_to(reshape(call.value(0), apart), wide), result);
  return copied ? merged : copy(merged);
}

Value repeat_each(const Call& call, const Value& input, size_t axis, Dim repeats) {
  if (repeats.known() && repeats.value() < 0)
    value_error(call.op(), ": repeats is ", repeats, "; it must be 0 or more");
  Shape apart = input->shape;
  apart.insert(axis + 1, 1);
  Shape wide = apart;
  wide[axis + 1] = repeats;
  Shape result = input->shape;
  result[axis] = result[axis] * repeats;
  const Value merged = reshape(broadcast_to(reshape(input, apart), wide), result);
  const Dim size = input->shape[axis];
  const bool copied = repeats.known() && repeats.value() != 1 && size.known() && size.value() != 1;
  return copied ? merged : copy(merged);
}

void require_output_size(const Call& call, const Value& result) {
  const int64_t axis = call.has(2) ? normalize_axis(call.op(), call.integer(2), result->rank()) : 0;
  const Dim size = result->shape[static_cast<size_t>(axis)];
  if (size.known() && size.value() != call.integer(3)) {
    value_error(call.op(), ": output_size is ", call.integer(3), "; the repeats give ", size);
  }
}

Value repeat_interleave_body(const Call& call) {
  const bool flat = !call.has(2);
  Value input = flat ? reshape(call.value(0), Dims{-1}) : call.value(0);
  if (input->rank() == 0) input = reshape(input, Dims{1});
  const auto axis = static_cast<size_t>(flat ? 0 : normalize_axis(call.op(), call.integer(2), input->rank()));
  const Dims& repeats = call.dims(1);
  if (repeats.size() == 1) return repeat_each(call, input, axis, repeats[0]);
  const int64_t size = input->shape[axis].value();
  if (static_cast<int64_t>(repeats.size()) != size) {
    value_error(call.op(), ": ", repeats.size(), " repeats are given for dimension ", axis, " of size ", size,
                "; one for all or one for each is accepted");
  }
  Dim total = 0;
  for (Dim count : repeats) {
    if (count.value() < 0) value_error(call.op(), ": the repeats ", repeats, " must be 0 or more");
    total = total + count;
  }
  constexpr int64_t kMost = int64_t{1} << 31;  // each place is listed
  if (total.value() > kMost) {
    value_error(call.op(), ": the repeats ", repeats, " sum to ", total, "; at most ", kMost,
                " are accepted");
  }
  Dims places;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t count = repeats[static_cast<size_t>(i)].value();
    for (int64_t k = 0; k < count; ++k) places.push_back(i);
  }
  ValueList indices(axis);
  indices.push_back(tensor_of_ints(call.builder(), places));
  return index_gather(input, indices);
}

}  // namespace

DYAD_OP("tile(input: Tensor, repeats: ints) -> Tensor")
    .doc(
        "Tile: the tensor repeated as a whole along each dimension. The shorter of shape and `repeats` gets "
        "leading ones.")
    .formula("out[i₀, i₁, …] = input[i₀ mod n₀, i₁ mod n₁, …]")
    .arg("input", "any dtype and shape.")
    .arg("repeats", "how often along each dimension.")
    .returns("Tensor of shape input.shape · repeats.")
    .see("ops.repeat_interleave, ops.broadcast_to")
    .function("tile(input, repeats)")
    .method("tile(*repeats)")
    .method("repeat(*repeats)")
    .primitive("Tile()(input, repeats)")
    .alias("multiples", "repeats")
    .alias("reps", "repeats")
    .alias("dims", "repeats")
    .alias("x", "input")
    .alias("input_x", "input")
    .compose([](const Call& call) { return tile_body(call); })
    .numpy("np.tile(input, repeats)")
    .samples("call(T(2, 3), (2, 3), dtypes='all')", "call(T(2, 3), 2)", "call(T(3), (2, 1, 2))",
             "call(T(), (2,))", "call(T(2, 3), (1, 1))", "call(T(2, 3), (0, 2))",
             "call(strided(T(4, 6)), (2, 1))")
    .rejects("ops.tile(ones(2), (-1,))", "ValueError", "the repeats (-1,) must be 0 or more");

DYAD_OP("repeat_interleave(input: Tensor, repeats: ints, axis: int?=None, output_size: int?=None) -> Tensor")
    .doc("Repetition of each slice along an axis, next to itself. Without an axis the tensor is flattened.")
    .formula("out[…, k · r + j, …] = input[…, k, …], 0 ≤ j < r = repeats")
    .arg("input", "any dtype and shape.")
    .arg("repeats", "how often, one number for all or one for each slice.")
    .arg("axis", "dimension that is repeated; None: `input` is flattened.")
    .arg("output_size", "size of the axis in the result, checked; None: not checked.")
    .returns("Tensor with the larger size along the axis.")
    .see("ops.tile")
    .function("repeat_interleave(input, repeats, axis=None, *, output_size=None)")
    .method("repeat_interleave(repeats, axis=None, *, output_size=None)")
    .alias("dim", "axis")
    .mint("repeat_interleave")
    .compose([](const Call& call) {
      const Value result = repeat_interleave_body(call);
      if (call.has(3)) require_output_size(call, result);
      return result;
    })
    .numpy("np.repeat(input, repeats, axis)")
    .samples("call(T(2, 3), 2, dtypes='all')", "call(T(2, 3), 3, 1)", "call(T(3, 2), (1, 0, 2), 0)",
             "call(T(3), (2, 1, 1))", "call(T(), 2)")
    .rejects("ops.repeat_interleave(ones(2), (1, 2**45))", "ValueError", "sum to 35184372088833")
    .rejects("ops.repeat_interleave(ones(3), 2, output_size=5)", "ValueError",
             "output_size is 5; the repeats give 6")
    .rejects("ops.repeat_interleave(ones(3), (1, 2))", "ValueError",
             "2 repeats are given for dimension 0 of size 3");

DYAD_OP("repeat_elements(input: Tensor, rep: size, axis: int=0) -> Tensor")
    .doc("Repetition of each slice along an axis, next to itself.")
    .formula("out[…, k · rep + j, …] = input[…, k, …], 0 ≤ j < rep")
    .arg("input", "any dtype, at least one dimension.")
    .arg("rep", "how often.")
    .arg("axis", "dimension that is repeated.")
    .returns("Tensor with `rep` times the size along the axis.")
    .see("ops.repeat_interleave")
    .function("repeat_elements(x:input, rep, axis=0)")
    .compose([](const Call& call) {
      return repeat_interleave(call.value(0), Dims{call.dim(1)}, call.integer(2));
    })
    .numpy("np.repeat(input, rep, axis)")
    .samples("call(T(2, 3), 2)", "call(T(2, 3), 3, 1)")
    .rejects("ops.repeat_elements(ones(3), -1)", "ValueError", "repeats is -1");

}  // namespace dyad
