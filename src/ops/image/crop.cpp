#include "base/error.h"
#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(arange, cast, clamp, expand_dims, floor, greater_equal, index_select, less_equal, logical_and,
         maximum, minimum, mul, reshape, select_view, trunc, where);

/// Positions along one axis of the image, one row per box, and whether they are inside.
struct Places {
  Value at;
  Value inside;
};

/// The pixels of the crop are evenly spaced from edge to edge of the box; a single one is in its middle.
Places places_along(const Value& low, const Value& high, int64_t count, Dim size) {
  const double last = static_cast<double>(size.value() - 1);
  Value at;
  if (count > 1) {
    const Value steps = arange(low->builder(), 0, count, 1, low->dtype);
    const Value step = mul(high - low, last / static_cast<double>(count - 1));
    at = expand_dims(mul(low, last), 1) + expand_dims(step, 1) * steps;
  } else {
    at = expand_dims(mul(low + high, last / 2), 1);
  }
  return {at, logical_and(greater_equal(at, 0), less_equal(at, last))};
}

/// The same on whole pixels, from the one with the lower edge to the one with the upper edge: centers of
/// equal parts, none beyond the first and last.
Value centers_along(const Value& low, const Value& high, int64_t count, Dim size) {
  const double pixels = static_cast<double>(size.value());
  const Value first = trunc(mul(low, pixels));
  const Value length = expand_dims(maximum(trunc(mul(high, pixels)) - first + 1.0, 1.0), 1);
  const Value parts =
      mul(arange(low->builder(), 0, count, 1, low->dtype) + 0.5, 1.0 / static_cast<double>(count));
  return expand_dims(first, 1) + minimum(maximum(length * parts - 0.5, 0.0), length - 1.0);
}

/// Pixels at whole numbers of rows and columns of the image of each box: (boxes, rows, columns, channels).
Value pixels(const Value& image, const Value& which, const Value& rows, const Value& columns) {
  const Shape& shape = image->shape;
  auto whole = [](const Value& places, Dim size) {
    return cast(clamp(places, 0, size.value() - 1), DType::kInt64);
  };
  const Value of_box = reshape(cast(which, DType::kInt64), Dims{-1, 1, 1});
  const Value row = expand_dims(whole(rows, shape[1]), 2);
  const Value column = expand_dims(whole(columns, shape[2]), 1);
  const Value flat = (of_box * shape[1].value() + row) * shape[2].value() + column;
  const Value found = index_select(reshape(image, Dims{-1, shape[3]}), 0, reshape(flat, Dims{-1}));
  return reshape(found, Dims{flat->shape[0], flat->shape[1], flat->shape[2], shape[3]});
}

Value crop(const Call& call) {
  const Value& image = call.value(0);
  const Value& boxes = call.value(1);
  if (image->rank() != 4)
    value_error(call.op(), ": image has shape ", image->shape,
                "; it must be (pictures, height, width, channels)");
  if (boxes->rank() != 2 || (boxes->shape[1].known() && boxes->shape[1].value() != 4))
    value_error(call.op(), ": boxes has shape ", boxes->shape, "; it must be (boxes, 4)");
  if (call.in(2).rank() != 1 || !(call.in(2).shape[0] == boxes->shape[0])) {
    value_error(call.op(), ": box_indices has shape ", call.in(2).shape,
                "; it must name a picture for each of ", boxes->shape[0], " boxes");
  }
  const Dims& size = call.dims(3);
  if (size.size() != 2 || size[0].value() < 1 || size[1].value() < 1)
    value_error(call.op(), ": crop_size is ", size, "; it must be (height, width), both at least 1");
  const std::string& method = call.text(4);
  const bool by_pixels = method == "bilinear_v2";
  if (method != "bilinear" && method != "nearest" && !by_pixels) {
    value_error(call.op(), ": method is '", method,
                "'; accepted are 'bilinear', 'nearest' and 'bilinear_v2'");
  }

  const Value x = cast(image, DType::kFloat32);
  const Value edges = cast(boxes, DType::kFloat32);
  auto edge = [&](int64_t i) { return select_view(edges, 1, i); };
  auto along = [&](int64_t axis) -> Places {
    const Dim pixels = x->shape[static_cast<size_t>(axis) + 1];
    const int64_t count = size[static_cast<size_t>(axis)].value();
    if (by_pixels) return {centers_along(edge(axis), edge(axis + 2), count, pixels), {}};
    return places_along(edge(axis), edge(axis + 2), count, pixels);
  };
  const Places rows = along(0);
  const Places columns = along(1);
  Value result;
  if (method == "nearest") {
    // A position halfway between two pixels reads the later one.
    result = pixels(x, call.value(2), floor(rows.at + 0.5), floor(columns.at + 0.5));
  } else {
    const Value top = floor(rows.at), left = floor(columns.at);
    const Value down = expand_dims(expand_dims(rows.at - top, 2), 3);
    const Value right = expand_dims(expand_dims(columns.at - left, 1), 3);
    auto between = [&](const Value& row) {
      const Value first = pixels(x, call.value(2), row, left);
      return first + right * (pixels(x, call.value(2), row, left + 1) - first);
    };
    const Value upper = between(top);
    result = upper + down * (between(top + 1) - upper);
  }
  if (by_pixels) return result;
  const Value inside = logical_and(expand_dims(rows.inside, 2), expand_dims(columns.inside, 1));
  return where(expand_dims(inside, 3), result, call[5]);
}

}  // namespace

DYAD_OP(
    "crop_and_resize(image: Tensor, boxes: Tensor, box_indices: Tensor, crop_size: ints, method: "
    "str='bilinear', "
    "extrapolation_value: float=0.0) -> Tensor")
    .doc(
        "Crop and resize: cuts boxes out of images and resizes them to one size. Edges are fractions of "
        "height and width: 0 is the first pixel, 1 the last one.")
    .formula("out[n, i, j, c] = image[box_indices[n]] at (y, x), interpolated by `method`")
    .formula("y = (top + i · (bottom − top) / (h′ − 1)) · (H − 1), x likewise", "bilinear, nearest; h′ > 1")
    .formula("y = (top + bottom) / 2 · (H − 1), x likewise", "bilinear, nearest; h′ = 1")
    .arg("image", "real numbers of shape (N, H, W, C).")
    .arg("boxes", "(top, left, bottom, right), floats of shape (n, 4).")
    .arg("box_indices", "the image of each box, integers of shape (n,).")
    .arg("crop_size", "(h′, w′).")
    .arg("method", "'bilinear', 'nearest' or 'bilinear_v2' (from the pixels that the edges touch).")
    .arg("extrapolation_value", "value outside the image.")
    .returns("Tensor of shape (n, h′, w′, C).")
    .see("ops.grid_sample")
    .primitive(
        "CropAndResize(method='bilinear', extrapolation_value=0.0)(x:image, boxes, box_index:box_indices, "
        "crop_size)")
    .compose([](const Call& call) { return crop(call); })
    .numpy("ref.crop_and_resize(image, boxes, box_indices, crop_size, method, extrapolation_value)")
    .samples(
        "call(T(1, 4, 4, 2), V([[0.1, 0.2, 0.8, 1.1]], 'float32'), V([0], 'int32'), (3, 3))",
        "call(T(2, 5, 4, 1), V([[0, 0, 1, 1], [0.9, 0.8, 0.1, 0.2]], 'float32'), V([1, 0], 'int32'), (1, 4), "
        "'nearest', 0.5)",
        "call(T(1, 4, 5, 2), V([[0.1, 0.1, 0.8, 0.9], [0.0, 0.2, 1.2, 0.5], [0.9, 0.8, 0.1, 0.2]], "
        "'float32'), "
        "V([0, 0, 0], 'int32'), (3, 2), 'bilinear_v2')")
    .rejects("ops.crop_and_resize(ones(4, 4, 2), ones(1, 4), ints(1), (2, 2))", "ValueError",
             "crop_and_resize: image has shape (4, 4, 2)")
    .rejects("ops.crop_and_resize(ones(1, 4, 4, 2), ones(1, 4), ints(1), (2, 2), 'cubic')", "ValueError",
             "method is 'cubic'");

}  // namespace dyad
