// Convolutions of images whose channels lie innermost in memory: (images, sizes…, channels). The compiler
// writes them where a network stays in this layout from one convolution to the next.

#include "base/error.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/neural/window_arguments.h"
#include "types/agreement.h"

namespace dyad {

namespace {

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

void require_float32(const Arguments& args, size_t at) {
  infer::require_dtype(args, at, args.in(at).dtype == DType::kFloat32, "float32");
}

void require_rank(const Arguments& args, size_t at, std::string_view name, size_t rank) {
  if (rank >= 3 && rank <= 5 && args.in(at).shape.size() == rank) return;
  value_error(args.op(), ": ", name, " has shape ", args.in(at).shape, "; need 1 to 3 sizes between images ",
              "and channels, as many as filters have");
}

/// Filters are given as they are or packed, in one dimension.
void require_filters(const Arguments& args, size_t at, const Dims& filters) {
  const Shape& given = args.in(at).shape;
  require_float32(args, at);
  if (given.size() == 1 || may_agree(given, Shape(filters.begin(), filters.end()))) return;
  value_error(args.op(), ": weight has shape ", given, "; need filters of shape ", filters,
              " or the same packed");
}

void require_windows(const Arguments& args, size_t first, size_t spatial) {
  const bool sized = args.dims(first).size() == spatial && args.dims(first + 1).size() == 2 * spatial &&
                     args.dims(first + 2).size() == spatial;
  if (!sized) {
    value_error(args.op(), ": stride ", args.dims(first), ", padding ", args.dims(first + 1),
                " and dilation ", args.dims(first + 2), " do not fit ", spatial, " sizes");
  }
  require_at_least(args, "stride", args.dims(first), 1);
  require_at_least(args, "padding", args.dims(first + 1), 0);
  require_at_least(args, "dilation", args.dims(first + 2), 1);
  if (args.integer(first + 3) < 1)
    value_error(args.op(), ": groups is ", args.integer(first + 3), "; it must be at least 1");
}

void infer_convolution(const Arguments& args, Results& results) {
  const Shape& image = args.in(0).shape;
  const Dims& filters = args.dims(3);
  require_float32(args, 0);
  require_rank(args, 0, "input", filters.size());
  require_filters(args, 1, filters);
  const size_t spatial = filters.size() - 2;
  require_windows(args, 4, spatial);
  if (differ(image.back(), filters[1] * args.integer(7))) {
    value_error(args.op(), ": input has ", image.back(), " channels, but filters of shape ", filters, " in ",
                args.integer(7), " groups take ", filters[1] * args.integer(7));
  }
  Shape shape{image[0]};
  for (size_t s = 0; s < spatial; ++s) {
    const Dim padding = args.dims(5)[2 * s] + args.dims(5)[2 * s + 1];
    shape.push_back(window_count(image[s + 1], padding, filters[s + 2], args.dims(4)[s], args.dims(6)[s]));
    if (shape.back().known() && shape.back().value() < 1) {
      value_error(args.op(), ": filters of shape ", filters, " are larger than the padded input of shape ",
                  image);
    }
  }
  shape.push_back(filters[0]);
  results.add(DType::kFloat32, shape);
}

void infer_input_gradient(const Arguments& args, Results& results) {
  const Dims& filters = args.dims(2);
  const Dims& sizes = args.dims(3);
  require_float32(args, 0);
  require_rank(args, 0, "gradient", filters.size());
  require_filters(args, 1, filters);
  require_windows(args, 4, sizes.size());
  if (sizes.size() + 2 != filters.size() || differ(args.in(0).shape.back(), filters[0])) {
    value_error(args.op(), ": gradient has shape ", args.in(0).shape, " and the image ", sizes,
                "; filters of shape ", filters, " give ", filters[0], " channels");
  }
  for (size_t s = 0; s < sizes.size(); ++s) {
    const Dim padding = args.dims(5)[2 * s] + args.dims(5)[2 * s + 1];
    const Dim count = window_count(sizes[s], padding, filters[s + 2], args.dims(4)[s], args.dims(6)[s]);
    if (!differ(count, args.in(0).shape[s + 1])) continue;
    value_error(args.op(), ": an image of ", sizes, " has ", count, " windows along dimension ", s + 1,
                ", but the gradient has shape ", args.in(0).shape);
  }
  Shape shape{args.in(0).shape[0]};
  for (Dim size : sizes) shape.push_back(size);
  shape.push_back(filters[1] * args.integer(7));
  results.add(DType::kFloat32, shape);
}

void infer_weight_gradient(const Arguments& args, Results& results) {
  const Dims& kernel = args.dims(2);
  require_float32(args, 0);
  require_float32(args, 1);
  require_rank(args, 0, "gradient", kernel.size() + 2);
  require_rank(args, 1, "input", kernel.size() + 2);
  require_windows(args, 3, kernel.size());
  const Shape& gradient = args.in(0).shape;
  const Shape& image = args.in(1).shape;
  const auto divides = [&](Dim channels) {
    return !channels.known() || channels.value() % args.integer(6) == 0;
  };
  bool fits = !differ(gradient[0], image[0]) && divides(gradient.back()) && divides(image.back());
  for (size_t s = 0; s < kernel.size(); ++s) {
    const Dim padding = args.dims(4)[2 * s] + args.dims(4)[2 * s + 1];
    const Dim count = window_count(image[s + 1], padding, kernel[s], args.dims(3)[s], args.dims(5)[s]);
    fits = fits && !differ(count, gradient[s + 1]);
  }
  if (!fits) {
    value_error(args.op(), ": gradient of shape ", gradient, " does not belong to input ", image,
                ", a kernel of ", kernel, " and ", args.integer(6), " groups");
  }
  Shape shape{args.in(0).shape.back(), floor_div(args.in(1).shape.back(), args.integer(6))};
  for (Dim size : kernel) shape.push_back(size);
  results.add(DType::kFloat32, shape);
}

void infer_pack(const Arguments& args, Results& results) {
  const Shape& weight = args.in(0).shape;
  require_float32(args, 0);
  if (weight.size() < 3 || args.dims(2).size() != weight.size() || args.dims(3).size() != weight.size()) {
    value_error(args.op(), ": weight has shape ", weight, ", images ", args.dims(2), " and positions ",
                args.dims(3), "; need as many sizes in each, and at least 3");
  }
  require_windows(args, 4, weight.size() - 2);
  for (size_t s = 0; s + 2 < weight.size(); ++s) {
    const Dim padding = args.dims(5)[2 * s] + args.dims(5)[2 * s + 1];
    const Dim count =
        window_count(args.dims(2)[s + 1], padding, weight[s + 2], args.dims(4)[s], args.dims(6)[s]);
    if (!differ(count, args.dims(3)[s + 1])) continue;
    value_error(args.op(), ": positions are ", args.dims(3), "; images ", args.dims(2), " have ", count,
                " along dimension ", s + 1);
  }
  const Dim plain = size_of(weight);
  if (plain.known() && args.integer(1) < plain.value()) {
    value_error(args.op(), ": room is ", args.integer(1), "; filters of shape ", weight, " have ", plain,
                " elements");
  }
  results.add(DType::kFloat32, {args.integer(1)});
}

/// Multiply-adds for one element of the result, from the shape of the filters, which may be packed.
double filter_flops(const Dims& filters) {
  double size = 2;
  for (size_t i = 1; i < filters.size(); ++i) size *= static_cast<double>(filters[i].value());
  return size;
}

}  // namespace

DYAD_OP(
    "convolution_last(input: Tensor, weight: Tensor, bias: Tensor?, filters: ints, stride: ints, padding: "
    "ints, dilation: ints, groups: int) -> Tensor")
    .doc(
        "Convolution of images whose channels are the last dimension, with filters of shape `filters` that "
        "may be packed.")
    .compiler_made()
    .infer(infer_convolution)
    .cost([](const Arguments& args, cost::Values results) {
      return cost::elements(*results[0]) * filter_flops(args.dims(3));
    })
    .numpy("ref.convolution_last(input, weight, bias, stride, padding, dilation, groups)")
    .samples(
        "call(F(2, 7, 6, 4), F(6, 2, 3, 2), F(6), filters=(6, 2, 3, 2), stride=(2, 1), padding=(1, 0, 2, 1), "
        "dilation=(1, 2), groups=2)",
        "call(F(2, 9, 17), F(33, 17, 3), None, filters=(33, 17, 3), stride=(1,), padding=(1, 1), "
        "dilation=(1,), groups=1)",
        "call(strided(F(1, 9, 9, 5)), F(5, 1, 3, 3), F(5), filters=(5, 1, 3, 3), stride=(2, 2), padding=(1, "
        "1, 1, 1), dilation=(1, 1), groups=5)",
        "call(F(1, 3, 4, 5, 2), F(2, 2, 2, 2, 2), F(2), filters=(2, 2, 2, 2, 2), stride=(1, 2, 1), "
        "padding=(0, 0, 1, 1, 0, 0), dilation=(1, 1, 1), groups=1)",
        "call(F(0, 5, 3), F(4, 3, 3), None, filters=(4, 3, 3), stride=(1,), padding=(0, 0), dilation=(1,), "
        "groups=1)")
    .rejects(
        "dyad._core.named_op('convolution_last')(ones(1, 5, 3), ones(4, 2, 3), None, (4, 2, 3), 1, (0, 0), "
        "1, 1)",
        "ValueError", "convolution_last: input has 3 channels");

DYAD_OP(
    "convolution_input_gradient_last(gradient: Tensor, weight: Tensor, filters: ints, sizes: ints, stride: "
    "ints, padding: ints, dilation: ints, groups: int) -> Tensor")
    .doc("Gradient of the image of a convolution whose channels are the last dimension.")
    .compiler_made()
    .infer(infer_input_gradient)
    .cost([](const Arguments& args, cost::Values) {
      return cost::elements(args.in(0)) * filter_flops(args.dims(2));
    })
    .numpy("ref.convolution_input_gradient_last(gradient, weight, sizes, stride, padding, dilation, groups)")
    .samples(
        "call(F(2, 3, 3, 4), F(4, 2, 3, 3), filters=(4, 2, 3, 3), sizes=(6, 5), stride=(2, 2), padding=(1, "
        "1, 1, 1), dilation=(1, 1), groups=2)",
        "call(F(1, 4, 2), F(2, 3, 2), filters=(2, 3, 2), sizes=(5,), stride=(1,), padding=(0, 0), "
        "dilation=(1,), groups=1)")
    .rejects(
        "dyad._core.named_op('convolution_input_gradient_last')(ones(1, 5, 3), ones(4, 2, 3), (4, 2, 3), 7, "
        "1, (0, 0), 1, 1)",
        "ValueError", "filters of shape (4, 2, 3) give 4 channels");

DYAD_OP(
    "convolution_weight_gradient_last(gradient: Tensor, input: Tensor, kernel: ints, stride: ints, padding: "
    "ints, dilation: ints, groups: int) -> Tensor")
    .doc("Gradient of the filters, in their own order, of a convolution whose channels are last.")
    .compiler_made()
    .infer(infer_weight_gradient)
    .cost([](const Arguments& args, cost::Values results) {
      return cost::elements(args.in(0)) * filter_flops(results[0]->shape);
    })
    .numpy("ref.convolution_weight_gradient_last(gradient, input, kernel, stride, padding, dilation, groups)")
    .samples(
        "call(F(2, 3, 3, 4), F(2, 6, 5, 4), kernel=(3, 3), stride=(2, 2), padding=(1, 1, 1, 1), dilation=(1, "
        "1), groups=2)",
        "call(F(0, 4, 2), F(0, 5, 3), kernel=(2,), stride=(1,), padding=(0, 0), dilation=(1,), groups=1)")
    .rejects(
        "dyad._core.named_op('convolution_weight_gradient_last')(ones(1, 3), ones(1, 5, 3), 3, 1, (0, 0), 1, "
        "1)",
        "ValueError", "gradient has shape (1, 3)");

DYAD_OP(
    "pack_filters(weight: Tensor, room: int, images: ints, positions: ints, stride: ints, padding: ints, "
    "dilation: "
    "ints, "
    "groups: int, backward: bool) -> Tensor")
    .doc(
        "Filters in the order in which the convolution of such images, or its gradient, reads them fastest, "
        "in memory of `room` elements; only these operators understand it.")
    .compiler_made()
    .infer(infer_pack)
    .moves(Movement::kOther)
    .numpy("ref.any_values((room,))")
    .samples(
        "call(F(6, 2, 3, 2), room=3072, images=(2, 7, 6, 4), positions=(2, 3, 7, 6), stride=(2, 1), "
        "padding=(1, 0, 2, "
        "1), dilation=(1, 2), groups=2, backward=False)")
    .rejects("dyad._core.named_op('pack_filters')(ones(6, 2), 12, (1, 2), (1, 2), 1, (0, 0), 1, 1, False)",
             "ValueError", "pack_filters: weight has shape (6, 2)");

}  // namespace dyad
