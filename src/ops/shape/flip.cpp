#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(slice_view, copy, concat, reshape, flip, swapaxes, roll);

Value flip_body(const Call& call) {
  const Value& input = call.value(0);
  const size_t rank = input->shape.size();
  Dims starts(rank, 0);
  Dims stops = input->shape;
  Dims steps(rank, 1);
  if (call.dims(1).empty()) return copy(input);
  for (int64_t axis : infer::axes(call, 1, input->rank())) {
    const auto d = static_cast<size_t>(axis);
    starts[d] = input->shape[d] - Dim(1);
    stops[d] = -1;
    steps[d] = -1;
  }
  return copy(slice_view(input, starts, stops, steps));
}

Value rolled(const Value& input, size_t axis, int64_t shift) {
  const int64_t size = input->shape[axis].value();
  if (size == 0) return input;
  const int64_t cut = ((-shift % size) + size) % size;
  if (cut == 0) return input;
  Dims starts(axis + 1, 0);
  Dims stops(input->shape.begin(), input->shape.begin() + axis + 1);
  const Dims steps(axis + 1, 1);
  stops[axis] = cut;
  Value head = slice_view(input, starts, stops, steps);
  starts[axis] = cut;
  stops[axis] = size;
  Value tail = slice_view(input, starts, stops, steps);
  return concat(ValueList{tail, head}, static_cast<int64_t>(axis));
}

Value roll_body(const Call& call) {
  const Dims& shifts = call.dims(1);
  const Value& input = call.value(0);
  if (!call.has(2) || call.dims(2).empty()) {
    if (shifts.size() != 1)
      value_error(call.op(), ": shifts ", shifts, " need as many dims; without dims, one shift is accepted");
    const Value line = reshape(input, Dims{-1});
    const Value turned = rolled(line, 0, shifts[0].value());
    return turned == line ? copy(input) : reshape(turned, input->shape);
  }
  const Dims& axes = call.dims(2);
  if (shifts.size() != axes.size()) {
    value_error(call.op(), ": shifts ", shifts, " and dims ", axes,
                " differ in length; each shift needs its dimension");
  }
  if (input->rank() == 0) return copy(input);
  Value result = input;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(normalize_axis(call.op(), axes[i].value(), input->rank(), "dims"));
    result = rolled(result, axis, shifts[i].value());
  }
  return result == input ? copy(input) : result;
}

Value rot90_body(const Call& call) {
  const Value& input = call.value(0);
  const Dims& dims = call.dims(2);
  if (dims.size() != 2 || input->rank() < 2) {
    value_error(call.op(), ": dims are ", dims, " for a tensor of shape ", input->shape,
                "; two different dimensions are needed");
  }
  const int64_t first = normalize_axis(call.op(), dims[0].value(), input->rank(), "dims");
  const int64_t second = normalize_axis(call.op(), dims[1].value(), input->rank(), "dims");
  if (first == second) value_error(call.op(), ": dims ", dims, " name one dimension twice; two are needed");
  switch (((call.integer(1) % 4) + 4) % 4) {
    case 1:
      return flip(swapaxes(input, first, second), Dims{first});
    case 2:
      return flip(input, Dims{first, second});
    case 3:
      return flip(swapaxes(input, first, second), Dims{second});
    default:
      return copy(input);
  }
}

Value flip_one(const Call& call, int64_t axis) {
  if (call.in(0).rank() <= axis) {
    value_error(call.op(), ": a tensor of shape ", call.in(0).shape, " has no dimension ", axis);
  }
  return flip(call.value(0), Dims{axis});
}

}  // namespace

DYAD_OP("flip(input: Tensor, dims: ints) -> Tensor")
    .doc("Reversal of the order of elements along dimensions.")
    .formula("out[…, i, …] = input[…, n − 1 − i, …]")
    .arg("input", "any dtype and shape.")
    .arg("dims", "dimensions that are reversed.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.fliplr, ops.flipud, ops.roll")
    .function("reverse(x:input, axis:dims)")
    .method("flip(*dims)")
    .method("reverse(axis:dims)")
    .primitive("ReverseV2(axis:dims)(input)")
    .alias("axis", "dims")
    .mint("flip")
    .compose([](const Call& call) { return flip_body(call); })
    .numpy("np.flip(input, dims)")
    .samples("call(T(2, 3), (0,), dtypes='all')", "call(T(2, 3, 4), (0, -1))", "call(T(2, 3), ())",
             "call(T(0, 3), (0,))", "call(strided(T(4, 6)), (1,))")
    .rejects("ops.flip(ones(2), (1,))", "ValueError", "axis 1 is out of range")
    .rejects("ops.flip(ones(2), (0, 0))", "ValueError", "axis 0 is given twice");

DYAD_OP("fliplr(input: Tensor) -> Tensor")
    .doc("Left–right flip: reversal along the second dimension.")
    .formula("out[i, j, …] = input[i, n − 1 − j, …]")
    .arg("input", "any dtype, at least 2 dimensions.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.flip, ops.flipud")
    .method()
    .compose([](const Call& call) { return flip_one(call, 1); })
    .numpy("np.fliplr(input)")
    .samples("call(T(2, 3))")
    .rejects("ops.fliplr(ones(2))", "ValueError", "has no dimension 1");

DYAD_OP("flipud(input: Tensor) -> Tensor")
    .doc("Up–down flip: reversal along the first dimension.")
    .formula("out[i, …] = input[n − 1 − i, …]")
    .arg("input", "any dtype, at least one dimension.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.flip, ops.fliplr")
    .method()
    .compose([](const Call& call) { return flip_one(call, 0); })
    .numpy("np.flipud(input)")
    .samples("call(T(2, 3))", "call(T(3))")
    .rejects("ops.flipud(Tensor(1.0))", "ValueError", "has no dimension 0");

DYAD_OP("roll(input: Tensor, shifts: ints, dims: ints?=None) -> Tensor")
    .doc("Circular shift along dimensions: elements that leave at one end enter at the other.")
    .formula("out[…, (i + shift) mod n, …] = input[…, i, …]")
    .arg("input", "any dtype and shape.")
    .arg("shifts", "one shift for each dimension of `dims`.")
    .arg("dims", "dimensions that are shifted; None: `input` is flattened and gets its shape back.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.flip")
    .method("roll(shifts, dims=None)")
    .primitive("Roll(shifts, dims=None)(input)")
    .alias("axis", "dims")
    .alias("shift", "shifts")
    .mint("roll")
    .compose([](const Call& call) { return roll_body(call); })
    .numpy("np.roll(input, shifts if len(np.atleast_1d(shifts)) > 1 else np.atleast_1d(shifts)[0], dims)")
    .samples("call(T(5), 2, dtypes='all')", "call(T(3, 4), -5)", "call(T(3, 4), (1, -2), (0, 1))",
             "call(T(3, 4), (1,), (-1,))", "call(T(0, 4), (1,), (0,))")
    .rejects("ops.roll(ones(3), (1, 2), (0,))", "ValueError", "differ in length");

DYAD_OP("rot90(input: Tensor, k: int=1, dims: ints=(0, 1)) -> Tensor")
    .doc("Rotation by k · 90° in the plane of two dimensions, from the first towards the second.")
    .formula("out[i, j] = input[j, n − 1 − i]", "k=1, dims=(0, 1)")
    .arg("input", "any dtype, at least 2 dimensions.")
    .arg("k", "number of quarter turns.")
    .arg("dims", "the two dimensions of the plane.")
    .returns("Tensor with the dtype of `input`; odd `k` swaps the two sizes.")
    .see("ops.flip")
    .function("rot90(input, k, dims)")
    .method("rot90(k, dims)")
    .compose([](const Call& call) { return rot90_body(call); })
    .numpy("np.rot90(input, k, dims)")
    .samples("call(T(2, 3), 1, (0, 1))", "call(T(2, 3, 4), 2, (1, 2))", "call(T(2, 3), -1, (1, 0))",
             "call(T(2, 3), 4)")
    .rejects("ops.rot90(ones(2, 3), 1, (0, 0))", "ValueError", "name one dimension twice");

}  // namespace dyad
