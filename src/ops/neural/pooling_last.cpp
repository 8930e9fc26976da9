// Pooling of images whose channels lie innermost in memory: (images, sizes…, channels). Attributes and places
// are those of the operators on images whose channels come first, and so are the rules for them.

#include "base/error.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/placeholder.h"

namespace dyad {

namespace {

Shape channels_first(const Shape& shape) {
  Shape moved{shape[0], shape.back()};
  for (size_t i = 1; i + 1 < shape.size(); ++i) moved.push_back(shape[i]);
  return moved;
}

Shape channels_last(const Shape& shape) {
  Shape moved{shape[0]};
  for (size_t i = 2; i < shape.size(); ++i) moved.push_back(shape[i]);
  moved.push_back(shape[1]);
  return moved;
}

/// As the operator of this name infers for the same tensors with their channels first; the first `tensors`
/// arguments are images.
void infer_as(std::string_view name, size_t tensors, const Arguments& args, Results& results) {
  std::vector<Arg> moved;
  const Op& op = OpTable::instance().get(name);
  for (size_t i = 0; i < op.parameter_count(); ++i) moved.push_back(args[i]);
  for (size_t i = 0; i < tensors; ++i) {
    const ValueImpl& image = args.in(i);
    if (image.rank() < 3) {
      value_error(args.op(), ": input has shape ", image.shape, "; need images, sizes and channels");
    }
    moved[i] = Value(placeholder(image.dtype, channels_first(image.shape)));
  }
  Results inferred;
  op.infer(Arguments(args.op(), moved), inferred);
  for (size_t i = 0; i < inferred.size(); ++i) {
    results.add(inferred[i].dtype, channels_last(inferred[i].shape));
  }
}

}  // namespace

DYAD_OP(
    "max_pool_last(input: Tensor, kernel: ints, stride: ints, padding: ints, dilation: ints, ceil_mode: "
    "bool) -> Tensor")
    .doc("The largest element of each window of images whose channels are the last dimension.")
    .compiler_made()
    .infer([](const Arguments& args, Results& results) { infer_as("max_pool", 1, args, results); })
    .cost(cost::windows)
    .numpy("ref.max_pool_last(input, kernel, stride, padding, dilation, ceil_mode)[0]")
    .samples(
        "call(F(2, 5, 4, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), dilation=(1, 1), "
        "ceil_mode=False)",
        "call(F(2, 9, 20), kernel=(3,), stride=(2,), padding=(1, 1), dilation=(2,), ceil_mode=True)")
    .rejects("dyad._core.named_op('max_pool_last')(ones(1, 2, 3), 3, 1, (0, 0), 1, False)", "ValueError",
             "max_pool_last: a kernel of (3,) is larger than the padded input");

DYAD_OP(
    "max_pool_with_places_last(input: Tensor, kernel: ints, stride: ints, padding: ints, dilation: ints, "
    "ceil_mode: bool) -> (Tensor, Tensor)")
    .doc("The largest element of each window and its place, of images whose channels are the last dimension.")
    .compiler_made()
    .infer([](const Arguments& args, Results& results) {
      infer_as("max_pool_with_places", 1, args, results);
    })
    .cost(cost::windows)
    .numpy("ref.max_pool_last(input, kernel, stride, padding, dilation, ceil_mode)")
    .samples(
        "call(F(2, 7, 6, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), dilation=(1, 1), "
        "ceil_mode=False)",
        "call(F(2, 9, 20), kernel=(3,), stride=(2,), padding=(1, 1), dilation=(2,), ceil_mode=True)")
    .rejects("dyad._core.named_op('max_pool_with_places_last')(ones(1, 3), 3, 1, (0, 0), 1, False)",
             "ValueError", "max_pool_with_places_last: input has shape (1, 3)");

DYAD_OP(
    "average_pool_last(input: Tensor, kernel: ints, stride: ints, padding: ints, ceil_mode: bool, "
    "count_include_pad: bool, divisor: int) -> Tensor")
    .doc("The mean of each window of images whose channels are the last dimension.")
    .compiler_made()
    .infer([](const Arguments& args, Results& results) { infer_as("average_pool", 1, args, results); })
    .cost(cost::windows)
    .numpy("ref.average_pool_last(input, kernel, stride, padding, ceil_mode, count_include_pad, divisor)")
    .samples(
        "call(F(2, 5, 4, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), ceil_mode=False, "
        "count_include_pad=True, divisor=0)",
        "call(F(2, 8, 20), kernel=(3,), stride=(2,), padding=(1, 1), ceil_mode=True, "
        "count_include_pad=False, divisor=0)",
        "call(F(1, 4, 4, 2), kernel=(2, 2), stride=(2, 2), padding=(0, 0, 0, 0), ceil_mode=True, "
        "count_include_pad=True, divisor=5)")
    .rejects("dyad._core.named_op('average_pool_last')(ones(1, 2, 3), 3, 1, (0, 0), False, True, 0)",
             "ValueError", "average_pool_last: a kernel of (3,) is larger than the padded input");

DYAD_OP("unpool_last(input: Tensor, indices: Tensor, sizes: ints, accumulate: bool) -> Tensor")
    .doc("Images that hold each element at the place its index names; channels are the last dimension.")
    .compiler_made()
    .infer([](const Arguments& args, Results& results) { infer_as("unpool", 2, args, results); })
    .cost(1)
    .numpy("ref.unpool_last(input, indices, sizes, accumulate)")
    .samples(
        "call(F(2, 2, 2, 3), V([[[[0] * 3, [2] * 3], [[8] * 3, [2] * 3]]] * 2, 'int64'), sizes=(4, 4), "
        "accumulate=True)")
    .rejects("dyad._core.named_op('unpool_last')(ones(1, 2, 3), ints(1, 2, 2), (4,), True)", "ValueError",
             "unpool_last: input has shape");

DYAD_OP(
    "average_pool_gradient_last(gradient: Tensor, kernel: ints, stride: ints, padding: ints, ceil_mode: "
    "bool, count_include_pad: bool, divisor: int, sizes: ints) -> Tensor")
    .doc("Spreads each element evenly over its window; channels are the last dimension.")
    .compiler_made()
    .infer([](const Arguments& args, Results& results) {
      infer_as("average_pool_gradient", 1, args, results);
    })
    .cost(cost::spread_windows)
    .numpy(
        "ref.average_pool_gradient_last(gradient, kernel, stride, padding, ceil_mode, count_include_pad, "
        "divisor, sizes)")
    .samples(
        "call(F(2, 4, 4, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), ceil_mode=False, "
        "count_include_pad=True, divisor=0, sizes=(7, 7))")
    .rejects(
        "dyad._core.named_op('average_pool_gradient_last')(ones(1, 9, 1), 2, 1, (0, 0), False, True, 0, 4)",
        "ValueError", "average_pool_gradient_last: gradient has shape");

}  // namespace dyad
