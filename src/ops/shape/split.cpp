#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(slice_view, select_view);

size_t split_axis(const Call& call, size_t at) {
  if (call.in(0).rank() == 0) value_error(call.op(), ": a 0-d tensor has no dimension to split");
  return static_cast<size_t>(normalize_axis(call.op(), call.integer(at), call.in(0).rank()));
}

/// Views of an axis between neighboring bounds.
ValueList between(const Value& input, size_t axis, const Dims& bounds) {
  ValueList parts;
  Dims starts(axis + 1, 0);
  Dims stops(input->shape.begin(), input->shape.begin() + axis + 1);
  const Dims steps(axis + 1, 1);
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    starts[axis] = bounds[i];
    stops[axis] = max(bounds[i], bounds[i + 1]);
    parts.push_back(slice_view(input, starts, stops, steps));
  }
  return parts;
}

/// Each part is a tensor of its own; more than this many are a mistake, and would take minutes and gigabytes
/// to make.
constexpr int64_t kMostParts = int64_t{1} << 24;

void require_parts(std::string_view op, int64_t parts) {
  if (parts > kMostParts)
    value_error(op, ": ", parts, " parts are asked for; at most ", kMostParts, " are accepted");
}

int64_t ceil_divide(int64_t size, int64_t by) { return size / by + (size % by != 0 ? 1 : 0); }

/// Bounds of parts of `step` each, the last one smaller if need be.
Dims equal_bounds(std::string_view op, int64_t size, int64_t step) {
  const int64_t parts = ceil_divide(size, step);
  require_parts(op, parts);
  Dims bounds{0};
  for (int64_t i = 1; i < parts; ++i) bounds.push_back(i * step);
  bounds.push_back(size);
  return bounds;
}

/// Parts of one size, of which the last may be smaller.
ValueList parts_of_size(const Call& call) {
  const size_t axis = split_axis(call, 2);
  const Dim size = call.in(0).shape[axis];
  const Dim part = call.dim(1);
  if (part == size) return between(call.value(0), axis, Dims{0, size});
  if (part.value() < 1) {
    value_error(call.op(), ": split_size_or_sections is ", part, "; it must be 1 or more");
  }
  return between(call.value(0), axis, equal_bounds(call.op(), size.value(), part.value()));
}

ValueList parts_of_sizes(const Call& call) {
  const size_t axis = split_axis(call, 2);
  const Dim size = call.in(0).shape[axis];
  const Dims& sizes = call.dims(1);
  Dims bounds{0};
  for (Dim part : sizes) {
    if (part.known() && part.value() < 0) value_error(call.op(), ": the sizes ", sizes, " must be 0 or more");
    bounds.push_back(bounds.back() + part);
  }
  const Dim total = bounds.back();
  if (total.known() && size.known() && total != size) {
    value_error(call.op(), ": the sizes ", sizes, " sum to ", total, "; dimension ", axis, " has size ",
                size);
  }
  return between(call.value(0), axis, bounds);
}

/// As many parts as asked for, the leading ones larger by one where the size does not divide.
ValueList even_parts(const Call& call, int64_t sections, size_t axis) {
  if (sections < 1) value_error(call.op(), ": ", sections, " parts are asked for; it must be 1 or more");
  require_parts(call.op(), sections);
  const int64_t size = call.in(0).shape[axis].value();
  Dims bounds{0};
  for (int64_t i = 0; i < sections; ++i) {
    bounds.push_back(bounds.back() + Dim(size / sections + (i < size % sections ? 1 : 0)));
  }
  return between(call.value(0), axis, bounds);
}

ValueList unstack_body(const Call& call, size_t axis) {
  ValueList parts;
  const int64_t size = call.in(0).shape[axis].value();
  require_parts(call.op(), size);
  for (int64_t i = 0; i < size; ++i)
    parts.push_back(select_view(call.value(0), static_cast<int64_t>(axis), i));
  return parts;
}

}  // namespace

DYAD_OP("split(input: Tensor, split_size: size, axis: int=0) -> Tensors")
    .doc("Split into parts of one size along an axis; the last one may be smaller. Shares the memory.")
    .formula("out[k][…, i, …] = input[…, k · split_size + i, …]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("split_size", "size of the parts.")
    .arg("axis", "dimension that is split.")
    .returns("Tuple of Tensors, views of `input`.")
    .see("ops.chunk, ops.concat, ops.tensor_split")
    .function("split(tensor:input, split_size_or_sections:split_size, axis=0)")
    .method("split(split_size_or_sections:split_size, axis=0)")
    .alias("tensor", "input")
    .alias("dim", "axis")
    .alias("split_size_or_sections", "split_size")
    .mint("split")
    .shares_memory()
    .compose([](const Call& call) { return parts_of_size(call); })
    .numpy("ref.split(input, split_size, axis)")
    .samples("call(T(7, 2), 3, dtypes='all')", "call(T(4), 4)", "call(strided(T(4, 6)), 4, 1)",
             "call(T(0, 2), 2)")
    .rejects("ops.split(ones(4), 0)", "ValueError", "split_size_or_sections is 0");

DYAD_OP("split_sizes(input: Tensor, sizes: ints, axis: int=0) -> Tensors")
    .doc("Split into parts of the given sizes along an axis. Shares the memory.")
    .formula("out[k][…, i, …] = input[…, sizes[0] + … + sizes[k − 1] + i, …]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("sizes", "sizes of the parts, whose sum is the size of the axis.")
    .arg("axis", "dimension that is split.")
    .returns("Tuple of Tensors, views of `input`.")
    .see("ops.split")
    .hidden()
    .further_function("split(tensor:input, split_size_or_sections:sizes, axis=0)")
    .further_method("split(split_size_or_sections:sizes, axis=0)")
    .alias("tensor", "input")
    .alias("dim", "axis")
    .alias("split_size_or_sections", "sizes")
    .alias("split_size", "sizes")
    .shares_memory()
    .compose([](const Call& call) { return parts_of_sizes(call); })
    .numpy("ref.split(input, sizes, axis)")
    .samples("call(T(2, 6), (1, 2, 3), -1)", "call(T(4), (4,))", "call(T(4), (2, 0, 2))",
             "call(T(5, 2), (2, 3), dtypes='all')")
    .rejects("ops.split(ones(4), (1, 2))", "ValueError", "the sizes (1, 2) sum to 3; dimension 0 has size 4")
    .rejects("ops.split(ones(4), [1])", "ValueError", "the sizes (1,) sum to 1; dimension 0 has size 4");

DYAD_OP("split_evenly(input: Tensor, axis: int=0, output_num: int=1) -> Tensors")
    .doc("Split into parts of equal size along an axis, which must be divisible. Shares the memory.")
    .formula("out[k][…, i, …] = input[…, k · n + i, …], n = size / output_num")
    .arg("input", "any dtype, at least one dimension.")
    .arg("axis", "dimension that is split.")
    .arg("output_num", "number of parts.")
    .returns("Tuple of Tensors, views of `input`.")
    .see("ops.split")
    .hidden()
    .primitive("Split(axis=0, output_num=1)(input_x:input)")
    .shares_memory()
    .compose([](const Call& call) {
      const size_t axis = split_axis(call, 1);
      const Dim size = call.in(0).shape[axis];
      const int64_t count = call.integer(2);
      if (count < 1 || size.value() % count != 0) {
        value_error(call.op(), ": dimension ", axis, " of size ", size, " does not split into ", count,
                    " equal parts");
      }
      return even_parts(call, count, axis);
    })
    .numpy("tuple(np.split(input, output_num, axis))")
    .samples("call(T(6, 2), 0, 3)", "call(T(2, 6), 1, 2)", "call(T(3))")
    .rejects("dyad._core.named_op('split_evenly')(ones(4), 0, 3)", "ValueError",
             "does not split into 3 equal parts");

DYAD_OP("chunk(input: Tensor, chunks: int, axis: int=0) -> Tensors")
    .doc(
        "Split into at most `chunks` parts along an axis, of one size except for the last one. Shares the "
        "memory.")
    .formula("out[k][…, i, …] = input[…, k · n + i, …], n = ⌈size / chunks⌉")
    .arg("input", "any dtype, at least one dimension.")
    .arg("chunks", "largest number of parts.")
    .arg("axis", "dimension that is split.")
    .returns("Tuple of Tensors, views of `input`.")
    .see("ops.split, ops.tensor_split")
    .method()
    .alias("dim", "axis")
    .mint("chunk")
    .shares_memory()
    .compose([](const Call& call) {
      const size_t axis = split_axis(call, 2);
      const int64_t chunks = call.integer(1);
      if (chunks < 1) value_error(call.op(), ": chunks is ", chunks, "; it must be 1 or more");
      const int64_t size = call.in(0).shape[axis].value();
      return between(call.value(0), axis,
                     equal_bounds(call.op(), size, std::max<int64_t>(1, ceil_divide(size, chunks))));
    })
    .numpy("ref.chunk(input, chunks, axis)")
    .samples("call(T(7, 2), 3)", "call(T(2, 6), 4, -1)", "call(T(2), 5)", "call(T(6), 1)",
             "call(T(2), 2**63 - 1)")
    .rejects("ops.chunk(ones(1).broadcast_to(2**40), 2**39)", "ValueError",
             "chunk: 549755813888 parts are asked for")
    .rejects("ops.chunk(ones(4), 0)", "ValueError", "chunks is 0");

DYAD_OP("tensor_split_sections(input: Tensor, sections: int, axis: int=0) -> Tensors")
    .doc(
        "Split into a number of parts along an axis; if they cannot be equal, the first ones are larger by "
        "one. Shares the memory.")
    .formula("out[k] has ⌊n / sections⌋ + [k < n mod sections] of the n elements along the axis")
    .arg("input", "any dtype, at least one dimension.")
    .arg("sections", "number of parts.")
    .arg("axis", "dimension that is split.")
    .returns("Tuple of Tensors, views of `input`.")
    .see("ops.split, ops.chunk")
    .hidden()
    .function("tensor_split(input, indices_or_sections:sections, axis=0)")
    .method("tensor_split(indices_or_sections:sections, axis=0)")
    .shares_memory()
    .compose([](const Call& call) { return even_parts(call, call.integer(1), split_axis(call, 2)); })
    .numpy("tuple(np.array_split(input, sections, axis))")
    .samples("call(T(7, 2), 3)", "call(T(2, 6), 4, -1)", "call(T(2), 5)")
    .rejects("dyad._core.named_op('tensor_split_sections')(ones(4), 0)", "ValueError",
             "0 parts are asked for")
    .rejects("ops.tensor_split(ones(4), 2**63 - 1)", "ValueError",
             "tensor_split: 9223372036854775807 parts are asked for");

DYAD_OP("tensor_split_at(input: Tensor, indices: ints, axis: int=0) -> Tensors")
    .doc("Split at indices along an axis. Shares the memory.")
    .formula("out[k] = input[…, indices[k − 1]:indices[k], …]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("indices", "where parts begin.")
    .arg("axis", "dimension that is split.")
    .returns("Tuple of Tensors, views of `input`.")
    .see("ops.split")
    .hidden()
    .further_function("tensor_split(input, indices_or_sections:indices, axis=0)")
    .further_method("tensor_split(indices_or_sections:indices, axis=0)")
    .shares_memory()
    .compose([](const Call& call) {
      const size_t axis = split_axis(call, 2);
      const int64_t size = call.in(0).shape[axis].value();
      Dims bounds{0};
      for (Dim at : call.dims(1)) {
        const int64_t place = at.value() < 0 ? at.value() + size : at.value();
        bounds.push_back(std::clamp<int64_t>(place, 0, size));
      }
      bounds.push_back(size);
      return between(call.value(0), axis, bounds);
    })
    .numpy("ref.tensor_split_at(input, indices, axis)")
    .samples("call(T(7, 2), (2, 5))", "call(T(2, 6), (1, 9), -1)", "call(T(5), (3, 1))", "call(T(5), (-2,))")
    .rejects("dyad._core.named_op('tensor_split_at')(Tensor(1.0), (1,))", "ValueError",
             "a 0-d tensor has no dimension to split");

DYAD_OP("unstack(input: Tensor, axis: int=0) -> Tensors")
    .doc("Unstack: one tensor for each index along an axis, which is removed. Shares the memory.")
    .formula("out[k][…] = input[…, k, …]")
    .arg("input", "any dtype, at least one dimension.")
    .arg("axis", "dimension that is removed.")
    .returns("Tuple of Tensors, views of `input`.")
    .see("ops.stack, ops.split")
    .function("unstack(input_x:input, axis=0)")
    .function("unbind(input, dim:axis=0)")
    .method("unbind(dim:axis=0)")
    .alias("dim", "axis")
    .alias("input_x", "input")
    .mint("unbind")
    .shares_memory()
    .compose([](const Call& call) { return unstack_body(call, split_axis(call, 1)); })
    .numpy("tuple(np.moveaxis(input, axis, 0))")
    .samples("call(T(3, 2), dtypes='all')", "call(T(2, 3, 4), -1)", "call(T(3))")
    .rejects("ops.unstack(Tensor(1.0))", "ValueError", "a 0-d tensor has no dimension to split");

DYAD_OP("split_in(input_x: Tensor, size_splits: ints, split_dim: int, num_split: int?=None) -> Tensors")
    .doc("Split into parts of the given sizes along an axis, of which one may be −1. Shares the memory.")
    .formula("out[k][…, i, …] = input_x[…, size_splits[0] + … + size_splits[k − 1] + i, …]")
    .arg("input_x", "any dtype, at least one dimension.")
    .arg("size_splits", "sizes of the parts; −1: the rest.")
    .arg("split_dim", "dimension that is split.")
    .arg("num_split", "number of parts, checked; None: not checked.")
    .returns("Tuple of Tensors, views of `input_x`.")
    .see("ops.split")
    .hidden()
    .primitive("SplitV(size_splits, split_dim, num_split=None)(input_x)")
    .shares_memory()
    .compose([](const Call& call) {
      static const OpName split{"split_sizes"};
      const size_t axis = split_axis(call, 2);
      Dims sizes = call.dims(1);
      if (call.has(3) && call.integer(3) != static_cast<int64_t>(sizes.size())) {
        value_error(call.op(), ": num_split is ", call.integer(3), " and size_splits ", sizes, " are ",
                    sizes.size(), " sizes; need as many");
      }
      int64_t rest = call.in(0).shape[axis].value();
      for (Dim size : sizes) rest -= size == Dim(-1) ? 0 : size.value();
      const auto open = std::find(sizes.begin(), sizes.end(), Dim(-1));
      if (open != sizes.end()) *open = rest;
      return split.all(call.value(0), sizes, static_cast<int64_t>(axis));
    })
    .numpy("ref.split_in(input_x, size_splits, split_dim)")
    .samples("call(T(2, 6), (1, 2, 3), -1, 3)", "call(T(7, 2), (3, -1), 0)")
    .rejects("ops.SplitV((1, 2), 0, 3)(ones(3))", "ValueError", "num_split is 3");

DYAD_OP("unstack_in(input_x: Tensor, axis: int=0, num: int?=None) -> Tensors")
    .doc("Unstack: one tensor for each index along an axis, which is removed. Shares the memory.")
    .formula("out[k][…] = input_x[…, k, …]")
    .arg("input_x", "any dtype, at least one dimension.")
    .arg("axis", "dimension that is removed.")
    .arg("num", "size of the dimension, checked; None: not checked.")
    .returns("Tuple of Tensors, views of `input_x`.")
    .see("ops.unstack")
    .hidden()
    .primitive("Unstack(axis=0, num=None)(input_x)")
    .primitive("Unpack(axis=0, num=None)(input_x)")
    .shares_memory()
    .compose([](const Call& call) {
      const size_t axis = split_axis(call, 1);
      const int64_t size = call.in(0).shape[axis].value();
      if (call.has(2) && call.integer(2) != size) {
        value_error(call.op(), ": num is ", call.integer(2), " and the dimension has ", size,
                    " places; need as many");
      }
      return unstack_body(call, axis);
    })
    .numpy("tuple(np.moveaxis(input_x, axis, 0))")
    .samples("call(T(3, 2), 0, 3)", "call(T(2, 3, 4), -1)")
    .rejects("ops.Unstack(0, 4)(ones(3))", "ValueError", "num is 4");

}  // namespace dyad
