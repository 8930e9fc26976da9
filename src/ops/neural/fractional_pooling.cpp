#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, argmax, cast, concat, expand_dims, floor, full, gather_elements, mul, permute, reshape,
         select_view);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

/// Starts of windows of `kernel` elements such that `count` of them reach over `size` elements in steps that
/// vary: a row for each number of `drawn`. The last one ends with the last element.
Value starts(const Value& drawn, int64_t size, int64_t kernel, int64_t count) {
  const Value column = expand_dims(drawn, 1);
  const Value last = mul(column, 0.0) + static_cast<double>(size - kernel);
  if (count == 1) return cast(last, DType::kInt64);
  const double step = static_cast<double>(size - kernel) / static_cast<double>(count - 1);
  const Value place = arange(drawn->builder(), 0, count - 1, 1, drawn->dtype);
  const Value first = floor(mul(column + place, step)) - floor(mul(column, step));
  return cast(concat(ValueList{first, last}, 1), DType::kInt64);
}

ValueList pool(const Call& call) {
  const Value& samples = call.value(3);
  const Dims& kernel = call.dims(1);
  const Dims& count = call.dims(2);
  const size_t spatial = kernel.size();
  const Shape& shape = call.in(0).shape;
  if (spatial < 2 || spatial > 3 || count.size() != spatial)
    value_error(call.op(), ": kernel is ", kernel, " and output size is ", count, "; need 2 or 3 sizes each");
  if (shape.size() != spatial + 1 && shape.size() != spatial + 2)
    value_error(call.op(), ": input has shape ", shape, "; need ", spatial + 1, " or ", spatial + 2,
                " dimensions");
  if (samples->rank() != 3 || differ(samples->shape[2], Dim(static_cast<int64_t>(spatial))))
    value_error(call.op(), ": random samples have shape ", samples->shape, "; need (images, channels, ",
                spatial, ")");
  const size_t first = shape.size() - spatial;
  Dims sizes(shape.begin() + static_cast<int64_t>(first), shape.end());
  Dim planes = 1;
  for (size_t d = 0; d < first; ++d) planes = planes * shape[d];
  if (differ(samples->shape[0] * samples->shape[1], planes))
    value_error(call.op(), ": random samples have shape ", samples->shape, " and input has shape ", shape,
                "; need a sample for each plane");
  const Value drawn = reshape(cast(samples, DType::kFloat32), Dims{planes, static_cast<int64_t>(spatial)});

  // Axes of `place`: planes, then windows along each dimension, then their elements along each.
  Value place = full(call.builder(), Dims(1 + 2 * spatial, 1), 0, DType::kInt64);
  Dim room = 1;
  Dim elements = 1;
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t size = sizes[d].value();
    const int64_t windows = count[d].value();
    const int64_t width = kernel[d].value();
    if (windows < 1 || width < 1 || windows + width - 1 > size)
      value_error(call.op(), ": ", windows, " windows of ", width, " elements do not fit into ", size);
    // Of two dimensions the first number is for the last one.
    const auto own = static_cast<int64_t>(spatial == 2 ? 1 - d : d);
    Dims across(1 + 2 * spatial, 1);
    across[0] = planes;
    across[1 + d] = windows;
    Dims inside(1 + 2 * spatial, 1);
    inside[1 + spatial + d] = width;
    const Value begin = reshape(starts(select_view(drawn, 1, own), size, width, windows), across);
    const Value step = reshape(arange(call.builder(), 0, width, 1, DType::kInt64), inside);
    place = mul(place, size) + begin + step;
    room = room * sizes[d];
    elements = elements * kernel[d];
  }
  const Value flat = reshape(call.value(0), Dims{planes, room});
  const Value by_window = reshape(place, Dims{planes, -1, elements});
  const Value windows = reshape(gather_elements(flat, 1, reshape(place, Dims{planes, -1})), by_window->shape);
  const Value best = argmax(windows, -1, true);
  const Value found = reshape(gather_elements(by_window, 2, best), Dims{planes, -1});
  Dims result(shape.begin(), shape.begin() + static_cast<int64_t>(first));
  for (const Dim& size : count) result.push_back(size);
  return {reshape(gather_elements(flat, 1, found), result), reshape(found, result)};
}

}  // namespace

DYAD_OP(
    "fractional_max_pool(input: Tensor, kernel_size: ints, output_size: ints, random_samples: Tensor, "
    "data_format: str='NCHW') -> (Tensor, Tensor)")
    .doc("Fractional max pooling: maxima of windows that begin at pseudorandom positions.")
    .formula("out[n, c, i, j] = max input[n, c, aᵢ + k, bⱼ + l] over 0 ≤ k < Kh, 0 ≤ l < Kw")
    .arg("input", "floats of shape (N, C, [D,] H, W).")
    .arg("kernel_size", "size of the windows.")
    .arg("output_size", "number of windows per dimension.")
    .arg("random_samples", "numbers in [0, 1) of shape (N, C, 2 or 3), which decide where windows begin.")
    .arg("data_format", "'NCHW' or 'NCDHW'.")
    .returns("Tuple of the maxima and their indices in the flattened plane.")
    .see("ops.max_pool2d")
    .reference("arXiv:1412.6071")
    .hidden()
    .primitive(
        "FractionalMaxPoolWithFixedKsize(ksize:kernel_size, output_shape:output_size, data_format='NCHW')"
        "(input_x:input, random_samples)")
    .primitive(
        "FractionalMaxPool3DWithFixedKsize(ksize:kernel_size, output_shape:output_size, data_format='NCDHW')"
        "(x:input, random_samples)")
    .compose([](const Call& call) { return pool(call); })
    .numpy("ref.fractional_max_pool(input, kernel_size, output_size, random_samples)")
    .samples("call(T(2, 3, 7, 6), (2, 2), (3, 4), F(2, 3, 2, lo=0, hi=1))",
             "call(T(1, 2, 4, 5, 6), (2, 1, 3), (2, 3, 2), F(1, 2, 3, lo=0, hi=1))",
             "call(T(3, 5, 5), (3, 2), (1, 2), F(1, 3, 2, lo=0, hi=1))")
    .rejects("ops.FractionalMaxPoolWithFixedKsize((2, 2), (5, 5))(ones(1, 1, 4, 4), ones(1, 1, 2))",
             "ValueError", "5 windows of 2 elements do not fit into 4")
    .rejects("ops.FractionalMaxPoolWithFixedKsize((2, 2), (2, 2))(ones(1, 1, 4, 4), ones(1, 1, 3))",
             "ValueError", "random samples have shape (1, 1, 3)");

}  // namespace dyad
