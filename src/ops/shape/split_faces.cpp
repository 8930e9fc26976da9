// hsplit, vsplit and dsplit: tensor_split along a dimension that the name tells.

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(tensor_split_at, tensor_split_sections);

/// The dimension that a tensor is split along: 1 means 0 for a tensor that has one dimension only.
int64_t named_axis(const Call& call) {
  const int64_t axis = call.integer(2);
  if (axis < 0 || axis > 2) value_error(call.op(), ": axis is ", axis, "; accepted are 0, 1 and 2");
  const int64_t rank = call.in(0).rank();
  const int64_t least = axis == 1 ? 1 : axis + 1 + (axis == 0);
  if (rank < least) {
    value_error(call.op(), ": input has shape ", call.in(0).shape, "; it must have at least ", least,
                least == 1 ? " dimension" : " dimensions");
  }
  return rank == 1 ? 0 : axis;
}

}  // namespace

DYAD_OP("split_by_sections(input: Tensor, sections: int, axis: int) -> Tensors")
    .doc(
        "Split into a number of parts along axis 1 (hsplit), 0 (vsplit) or 2 (dsplit); if they cannot be "
        "equal, the first ones are larger by one. Shares the memory.")
    .formula("out[k] has ⌊n / sections⌋ + [k < n mod sections] of the n elements along the axis")
    .arg("input", "any dtype; hsplit splits a tensor with one dimension along axis 0.")
    .arg("sections", "number of parts.")
    .arg("axis", "dimension that is split.")
    .returns("Tuple of Tensors, views of `input`.")
    .see("ops.tensor_split")
    .hidden()
    .function("hsplit(input, indices_or_sections:sections, axis=1)")
    .function("vsplit(input, indices_or_sections:sections, axis=0)")
    .function("dsplit(input, indices_or_sections:sections, axis=2)")
    .method("hsplit(indices_or_sections:sections, axis=1)")
    .method("vsplit(indices_or_sections:sections, axis=0)")
    .method("dsplit(indices_or_sections:sections, axis=2)")
    .shares_memory()
    .compose([](const Call& call) {
      return tensor_split_sections.all(call.value(0), call[1], named_axis(call));
    })
    .numpy("tuple(np.array_split(input, sections, 0 if input.ndim == 1 else axis))")
    .samples("call(T(4, 2), 2, 0)", "call(T(4, 6), 3, 1)", "call(T(6), 3, 1)", "call(T(2, 3, 4), 2, 2)",
             "call(T(2, 7), 3, 1)")
    .rejects("ops.vsplit(ones(4), 2)", "ValueError",
             "vsplit: input has shape (4,); it must have at least 2 dimensions")
    .rejects("ops.dsplit(ones(4, 3), 0)", "ValueError", "it must have at least 3 dimensions")
    .rejects("ops.hsplit(ones(4), 2, axis=-5)", "ValueError", "axis is -5; accepted are 0, 1 and 2");

DYAD_OP("split_by_places(input: Tensor, indices: ints, axis: int) -> Tensors")
    .doc("Split at indices along axis 1 (hsplit), 0 (vsplit) or 2 (dsplit). Shares the memory.")
    .formula("out[k] = input[…, indices[k − 1]:indices[k], …]")
    .arg("input", "any dtype; hsplit splits a tensor with one dimension along axis 0.")
    .arg("indices", "where parts begin.")
    .arg("axis", "dimension that is split.")
    .returns("Tuple of Tensors, views of `input`.")
    .see("ops.tensor_split")
    .hidden()
    .further_function("hsplit(input, indices_or_sections:indices, axis=1)")
    .further_function("vsplit(input, indices_or_sections:indices, axis=0)")
    .further_function("dsplit(input, indices_or_sections:indices, axis=2)")
    .further_method("hsplit(indices_or_sections:indices, axis=1)")
    .further_method("vsplit(indices_or_sections:indices, axis=0)")
    .further_method("dsplit(indices_or_sections:indices, axis=2)")
    .shares_memory()
    .compose([](const Call& call) { return tensor_split_at.all(call.value(0), call[1], named_axis(call)); })
    .numpy("ref.tensor_split_at(input, indices, 0 if input.ndim == 1 else axis)")
    .samples("call(T(4, 2), (1, 3), 0)", "call(T(6), (2,), 1)", "call(T(2, 3, 4), (1, 2), 2)")
    .rejects("ops.vsplit(ones(4), (1, 2))", "ValueError", "it must have at least 2 dimensions");

}  // namespace dyad
