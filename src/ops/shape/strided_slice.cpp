#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(slice_view, reshape);

struct Bounds {
  Dim start;
  Dim stop;
};

/// A bound counted from the front, kept within [low, high].
Dim bounded(Dim at, Dim size, Dim low, Dim high) {
  const Dim place = at.value() < 0 ? size + at : at;
  return at.value() < 0 ? max(place, low) : min(place, high);
}

/// Bounds of a Python slice as slice_view takes them.
Bounds bounds_of(const Arguments& args, size_t i, Dim size, int64_t step, bool open_start, bool open_stop) {
  const Dim low = step > 0 ? 0 : -1;
  const Dim high = step > 0 ? size : size - Dim(1);
  Bounds bounds{open_start ? (step > 0 ? low : high) : bounded(args.dims(1)[i], size, low, high),
                open_stop ? (step > 0 ? high : low) : bounded(args.dims(2)[i], size, low, high)};
  // A stop on the wrong side of the start chooses nothing.
  const bool may_cross = !open_start && !open_stop && bounds.start != Dim(0);
  if (may_cross) bounds.stop = step > 0 ? max(bounds.start, bounds.stop) : min(bounds.start, bounds.stop);
  if (step < 0 && bounds.start == Dim(-1)) bounds = {0, 0};  // nothing is chosen; 0:0 says so
  return bounds;
}

bool bit(const Arguments& args, size_t mask, size_t i) { return (args.integer(mask) >> i) & 1; }

enum Mask : size_t { kBegin = 4, kEnd, kEllipsis, kNewAxis, kShrink };

struct Plan {
  Dims starts, stops, steps;
  Shape result;
};

void take_whole(const Shape& shape, size_t count, Plan& plan) {
  for (size_t i = 0; i < count; ++i) {
    const Dim size = shape[plan.starts.size()];
    plan.starts.push_back(0);
    plan.stops.push_back(size);
    plan.steps.push_back(1);
    plan.result.push_back(size);
  }
}

void take_part(const Arguments& args, const Shape& shape, size_t i, Plan& plan) {
  const size_t d = plan.starts.size();
  const Dim size = shape[d];
  int64_t step = args.dims(3)[i].value();
  if (step == 0) value_error(args.op(), ": the stride of dimension ", d, " is 0; it must not be");
  Bounds bounds;
  if (bit(args, kShrink, i)) {
    const int64_t given = args.dims(1)[i].value();
    if (size.known() && (given < -size.value() || given >= size.value())) {
      index_error(args.op(), ": position ", given, " is out of range for dimension ", d, " of size ", size);
    }
    bounds.start = given < 0 ? size + Dim(given) : Dim(given);
    bounds.stop = bounds.start + Dim(1);
    step = 1;
  } else {
    bounds = bounds_of(args, i, size, step, bit(args, kBegin, i), bit(args, kEnd, i));
    const Dim span = step > 0 ? bounds.stop - bounds.start : bounds.start - bounds.stop;
    const int64_t stride = step > 0 ? step : -step;
    const Dim length = floor_div(span + Dim(stride - 1), stride);
    plan.result.push_back(length.known() ? max(length, Dim(0)) : length);
  }
  plan.starts.push_back(bounds.start);
  plan.stops.push_back(bounds.stop);
  plan.steps.push_back(step);
}

Value strided_slice_body(const Call& call) {
  const Shape& shape = call.in(0).shape;
  const size_t entries = call.dims(1).size();
  if (call.dims(2).size() != entries || call.dims(3).size() != entries) {
    value_error(call.op(), ": begin ", call.dims(1), ", end ", call.dims(2), " and strides ", call.dims(3),
                " differ in length");
  }
  size_t named = 0;
  size_t ellipses = 0;
  for (size_t i = 0; i < entries; ++i) {
    if (bit(call, kEllipsis, i)) {
      ++ellipses;
    } else if (!bit(call, kNewAxis, i)) {
      ++named;
    }
  }
  if (named > shape.size() || ellipses > 1) {
    value_error(call.op(), ": begin ", call.dims(1), " names more dimensions than shape ", shape,
                " has, or two ellipses");
  }
  Plan plan;
  for (size_t i = 0; i < entries; ++i) {
    if (bit(call, kEllipsis, i)) {
      take_whole(shape, shape.size() - named, plan);
    } else if (bit(call, kNewAxis, i)) {
      plan.result.push_back(1);
    } else {
      take_part(call, shape, i, plan);
    }
  }
  take_whole(shape, shape.size() - plan.starts.size(), plan);
  return reshape(slice_view(call.value(0), plan.starts, plan.stops, plan.steps), plan.result);
}

}  // namespace

DYAD_OP(
    "strided_slice(input: Tensor, begin: ints, end: ints, strides: ints, begin_mask: int=0, end_mask: int=0, "
    "ellipsis_mask: int=0, new_axis_mask: int=0, shrink_axis_mask: int=0) -> Tensor")
    .doc("Strided slice: a Python slice for each dimension, with TensorFlow's bit masks. Shares the memory.")
    .formula("out[i, j, …] = input[begin[0] + i · strides[0], begin[1] + j · strides[1], …]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("begin", "first index of each dimension.")
    .arg("end", "index after the last of each dimension.")
    .arg("strides", "distance of indices of each dimension, not 0.")
    .arg("begin_mask", "bit d: `begin[d]` is ignored.")
    .arg("end_mask", "bit d: `end[d]` is ignored.")
    .arg("ellipsis_mask", "bit d: entry d is an ellipsis.")
    .arg("new_axis_mask", "bit d: entry d is a new dimension of size 1.")
    .arg("shrink_axis_mask", "bit d: dimension d is removed, at `begin[d]`.")
    .returns("Tensor, a view of `input`.")
    .see("ops.slice")
    .function(
        "strided_slice(input_x:input, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, "
        "new_axis_mask=0, "
        "shrink_axis_mask=0)")
    .primitive(
        "StridedSlice(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, "
        "shrink_axis_mask=0)(input_x:input, begin, "
        "end, strides)")
    .alias("input_x", "input")
    .shares_memory()
    .compose([](const Call& call) { return strided_slice_body(call); })
    .numpy(
        "ref.strided_slice(input, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, "
        "shrink_axis_mask)")
    .samples("call(T(5, 4), (1, 0), (4, 4), (2, 1), dtypes='all')", "call(T(5, 4), (-1,), (-6,), (-2,))",
             "call(T(5, 4), (0, 1), (9, 2), (1, 1), 1, 2)",
             "call(T(3, 4, 5), (0, 0, 1), (0, 0, 3), (1, 1, 1), 0, 0, 2)",
             "call(T(3, 4), (0, 1), (0, 3), (1, 1), 0, 0, 0, 1)",
             "call(T(3, 4), (-1, 0), (0, 4), (1, 1), 0, 0, 0, 0, 1)", "call(T(3), (2,), (1,), (1,))")
    .rejects("ops.strided_slice(ones(3), (0,), (2,), (0,))", "ValueError", "the stride of dimension 0 is 0")
    .rejects("ops.strided_slice(ones(3), (0, 0), (2, 1), (1, 1))", "ValueError",
             "names more dimensions than shape (3,) has");

DYAD_OP("slice(input: Tensor, begin: ints, size: ints) -> Tensor")
    .doc("Slice: a block of the tensor. Shares the memory.")
    .formula("out[i, j, …] = input[begin[0] + i, begin[1] + j, …]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("begin", "first index of each dimension.")
    .arg("size", "size of each dimension in the result; −1: the rest.")
    .returns("Tensor, a view of `input`.")
    .see("ops.strided_slice, ops.narrow")
    .function("slice(input_x:input, begin, size)")
    .function("tensor_slice(input_x:input, begin, size)")
    .primitive("Slice()(input_x:input, begin, size)")
    .alias("input_x", "input")
    .shares_memory()
    .compose([](const Call& call) {
      const Shape& shape = call.in(0).shape;
      const Dims& begin = call.dims(1);
      const Dims& size = call.dims(2);
      if (shape.empty()) value_error(call.op(), ": input has no dimensions, and none to slice");
      if (begin.size() != shape.size() || size.size() != shape.size()) {
        value_error(call.op(), ": begin ", begin, " and size ", size,
                    " need one entry for each dimension of ", shape);
      }
      Dims stops;
      for (size_t d = 0; d < shape.size(); ++d) {
        const Dim stop = size[d] == Dim(-1) ? shape[d] : begin[d] + size[d];
        const bool known = stop.known() && begin[d].known() && shape[d].known();
        if (known &&
            (begin[d].value() < 0 || stop.value() < begin[d].value() || stop.value() > shape[d].value())) {
          value_error(call.op(), ": begin ", begin[d], " and size ", size[d], " leave dimension ", d,
                      " of size ", shape[d]);
        }
        stops.push_back(stop);
      }
      return slice_view(call.value(0), begin, stops, Dims(shape.size(), 1));
    })
    .numpy("ref.slice_block(input, begin, size)")
    .samples("call(T(5, 4), (1, 0), (2, 3))", "call(T(5, 4), (1, 2), (-1, -1))", "call(T(5), (2,), (0,))")
    .rejects("ops.slice(ones(3), (2,), (2,))", "ValueError", "begin 2 and size 2 leave dimension 0 of size 3")
    .rejects("ops.slice(Tensor(1.0), (), ())", "ValueError", "input has no dimensions");

}  // namespace dyad
