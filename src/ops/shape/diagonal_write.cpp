#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(arange, diagonal, embed_diagonal, index_update, ones_like, reshape, where);

/// The main diagonal of a tensor as steps through its elements in row-major order.
struct Walk {
  int64_t end;
  int64_t step;
};

Walk main_diagonal(const Call& call, bool wrap) {
  const Shape& shape = call.in(0).shape;
  if (shape.size() < 2) {
    value_error(call.op(), ": input has shape ", shape, "; it must have at least 2 dimensions");
  }
  if (shape.size() > 2 && !std::all_of(shape.begin(), shape.end(), [&](Dim d) { return d == shape[0]; })) {
    value_error(call.op(), ": input has shape ", shape, "; with more than 2 dimensions all must be equal");
  }
  Walk walk{numel(shape), 0};
  for (int64_t stride : contiguous_strides(shape)) walk.step += stride;
  const int64_t columns = shape[1].value();
  if (shape.size() == 2 && !wrap) walk.end = std::min(walk.end, columns * columns);
  return walk;
}

}  // namespace

DYAD_OP("diagonal_scatter(input: Tensor, src: Tensor, offset: int=0, dim1: int=0, dim2: int=1) -> Tensor")
    .doc("Copy of `input` with `src` on a diagonal of two dimensions.")
    .formula("diagonal(out, offset, dim1, dim2) = src, elsewhere input")
    .arg("input", "any dtype, at least 2 dimensions.")
    .arg("src", "of the shape of the diagonal.")
    .arg("offset", "0 main diagonal, > 0 above, < 0 below.")
    .arg("dim1", "dimension of the rows.")
    .arg("dim2", "dimension of the columns.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.diagonal")
    .method()
    .compose([](const Call& call) -> Value {
      const Shape& shape = call.in(0).shape;
      const Value replaced = diagonal(call.value(0), call[2], call[3], call[4]);
      if (all_known(replaced->shape) && all_known(call.in(1).shape) &&
          !same_shape(replaced->shape, call.in(1).shape)) {
        value_error(call.op(), ": src has shape ", call.in(1).shape, "; the diagonal has shape ",
                    replaced->shape);
      }
      const Value written = embed_diagonal(call.value(1), shape, call[2], call[3], call[4]);
      const Value places =
          embed_diagonal(ones_like(call.value(1), DType::kBool), shape, call[2], call[3], call[4]);
      return where(places, written, call[0]);
    })
    .numpy("ref.diagonal_scatter(input, src, offset, dim1, dim2)")
    .samples("call(T(3, 4), T(3))", "call(T(2, 3, 4), T(3, 2), 0, 0, 2)", "call(T(3, 4), T(3), 1)")
    .rejects("ops.diagonal_scatter(ones(3, 3), ones(2))", "ValueError",
             "src has shape (2,); the diagonal has shape (3,)");

DYAD_OP("fill_diagonal(input: Tensor, fill_value: Number, wrap: bool=False) -> Tensor")
    .doc("Copy of `input` with a number on the main diagonal.")
    .formula("out[i, i, …, i] = fill_value, elsewhere input")
    .arg("input", "at least 2 dimensions, of equal size if there are more.")
    .arg("fill_value", "number on the diagonal.")
    .arg("wrap", "whether the diagonal of a tall matrix starts again below its end, after one row.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.diagonal_scatter")
    .hidden()
    .method("fill_diagonal(fill_value, wrap=False)")
    .primitive("FillDiagonal(fill_value, wrap=False)(input_x:input)")
    .compose([](const Call& call) -> Value {
      const Shape& shape = call.in(0).shape;
      const Walk walk = main_diagonal(call, call.flag(2));
      if (walk.end == 0) return call.value(0);
      const Value places =
          arange(call.builder(), 0, walk.end, std::max<int64_t>(walk.step, 1), DType::kInt64);
      return reshape(
          index_update(reshape(call.value(0), Dims{numel(shape)}), ValueList{places}, call[1], "none"),
          shape);
    })
    .numpy("ref.fill_diagonal(input, fill_value, wrap)")
    .samples("call(T(3, 4), 2)", "call(T(7, 3), 2, True)", "call(T(7, 3), 2)", "call(T(3, 3, 3), 1.5)",
             "call(T(0, 3), 1)")
    .rejects("ones(3).fill_diagonal(1)", "ValueError", "it must have at least 2 dimensions")
    .rejects("ones(3, 3, 2).fill_diagonal(1)", "ValueError", "with more than 2 dimensions all must be equal");

}  // namespace dyad
