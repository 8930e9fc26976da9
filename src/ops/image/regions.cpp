#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

// Features of regions of an image, brought to one size, for detectors.

namespace dyad {

namespace {

DYAD_USE(abs, arange, cast, ceil, clamp, cumsum, expand_dims, floor, greater, greater_equal, index_gather,
         index_select, less, less_equal, logical_and, matmul, maximum, mean, minimum, mul, pad_constant,
         permute, reshape, select_view, stop_gradient, sum, where);

bool is_other(Dim size, int64_t wanted) { return size.known() && size.value() != wanted; }

Value whole(const Value& x) { return cast(x, DType::kInt64); }

/// To the nearest whole number, halves upwards.
Value nearest(const Value& x) { return floor(x + 0.5); }

/// Numbers 0 to `count` - 1 as a row that broadcasts with a column of boxes.
Value counted(const Value& like, int64_t count) { return arange(like->builder(), 0, count, 1, like->dtype); }

/// Start and end of a bin along one axis: whole numbers, a row for each box.
struct Bins {
  Value from;
  Value to;
};

Bins bins_along(const Value& low, const Value& high, int64_t count, int64_t size) {
  const Value extent = maximum(high - low, 0.1);
  const Value step = expand_dims(mul(extent, 1.0 / static_cast<double>(count)), 1);
  const Value place = counted(low, count);
  const Value start = expand_dims(low, 1);
  const Value from = floor(place * step) + start;
  const Value to = -floor(-((place + 1.0) * step)) + start;
  const double last = static_cast<double>(size);
  return {whole(clamp(from, 0.0, last)), whole(clamp(to, 0.0, last))};
}

Value pool_by_position(const Call& call) {
  const Value& x = call.value(0);
  const Value& rois = call.value(1);
  const int64_t group = call.integer(3);
  const int64_t depth = call.integer(4);
  infer::require_rank(call, 0, 4, "features");
  if (rois->rank() != 3 || is_other(rois->shape[1], 5))
    value_error(call.op(), ": rois has shape ", rois->shape, "; it must be (batches, 5, boxes)");
  if (group < 1) value_error(call.op(), ": group_size is ", group, "; it must be at least 1");
  if (depth < 1) value_error(call.op(), ": output_dim is ", depth, "; it must be at least 1");
  if (is_other(x->shape[1], group * group * depth)) {
    raise(ErrorKind::kRuntime, cat(call.op(), ": features has ", x->shape[1], " channels; need ", group,
                                   " * ", group, " * ", depth, " (group_size * group_size * output_dim)"));
  }
  const int64_t height = x->shape[2].value();
  const int64_t width = x->shape[3].value();
  // The sum over a box is four corners of the running sums, which lose nothing in float64.
  const Value sums =
      pad_constant(cumsum(cumsum(cast(x, DType::kFloat64), 2), 3), Dims{0, 0, 1, 1}, Dims{0, 0, 0, 0});

  const Value boxes =
      reshape(permute(cast(stop_gradient(rois), DType::kFloat32), Dims{0, 2, 1}), Dims{-1, 5});
  auto edge = [&](int64_t i) { return nearest(mul(select_view(boxes, 1, i), call.real(2))); };
  const Bins rows = bins_along(edge(2), edge(4), group, height);
  const Bins columns = bins_along(edge(1), edge(3), group, width);

  const Value picture = reshape(whole(select_view(boxes, 1, 0)), Dims{-1, 1, 1, 1});
  const Value channel = arange(call.builder(), 0, group * group * depth, 1, DType::kInt64);
  const Value plane = reshape(channel, Dims{1, depth, group, group});
  auto across = [&](const Value& v) { return reshape(v, Dims{-1, 1, group, 1}); };
  auto along = [&](const Value& v) { return reshape(v, Dims{-1, 1, 1, group}); };
  auto corner = [&](const Value& row, const Value& column) {
    return index_gather(sums, ValueList{picture, plane, across(row), along(column)});
  };
  const Value total = corner(rows.to, columns.to) - corner(rows.from, columns.to) -
                      corner(rows.to, columns.from) + corner(rows.from, columns.from);
  const Value area = across(maximum(rows.to - rows.from, 0)) * along(maximum(columns.to - columns.from, 0));
  const Value found = where(greater(area, 0), total / cast(maximum(area, 1), DType::kFloat64), 0.0);
  return cast(found, x->dtype);
}

/// Points at which features are read along one axis, a row for each box: the pixel before, the one after, the
/// weight of the latter, and whether the point is in the image.
struct Points {
  Value before;
  Value after;
  Value part;
  Value inside;
};

Points points_along(const Value& low, const Value& extent, int64_t bins, int64_t samples, int64_t size) {
  const double step = 1.0 / static_cast<double>(bins * samples);
  const Value place = mul(counted(low, bins * samples) + 0.5, step);
  const Value at = expand_dims(low, 1) + expand_dims(extent, 1) * place;
  const double last = static_cast<double>(size - 1);
  const Value inside = logical_and(greater_equal(at, -1.0), less_equal(at, static_cast<double>(size)));
  const Value kept = clamp(at, 0.0, last);
  const Value before = floor(kept);
  return {whole(before), whole(minimum(before + 1.0, last)), kept - before, inside};
}

/// The weight of each pixel along one axis in each bin, (boxes, bins, size), where a bin has a point for each
/// whole pixel of its length, at least one. Several are at least a pixel apart, so a fixed number covers the
/// image.
Value shares_along(const Value& low, const Value& extent, int64_t bins, int64_t size) {
  const Value bin = mul(extent, 1.0 / static_cast<double>(bins));
  const Value count = maximum(floor(bin), 1.0);
  const Value step = expand_dims(expand_dims(bin / count, 1), 2);
  const Value start = expand_dims(expand_dims(low, 1) + expand_dims(bin, 1) * counted(low, bins), 2);
  // A single point need not lie a pixel from the next one, and is number 0.
  const Value first = maximum(ceil((-1.0 - start) / maximum(step, 1.0) - 0.5), 0.0);
  const Value number = where(greater(step, 0.0), first, 0.0) + counted(low, size + 3);
  const Value at = start + (number + 0.5) * step;
  const double last = static_cast<double>(size - 1);
  const Value inside = logical_and(greater_equal(at, -1.0), less_equal(at, static_cast<double>(size)));
  const Value taken = logical_and(inside, less(number, expand_dims(expand_dims(count, 1), 2)));
  const Value distance = abs(expand_dims(clamp(at, 0.0, last), 3) - counted(low, size));
  const Value near = where(expand_dims(taken, 3), maximum(1.0 - distance, 0.0), 0.0);
  return sum(near, Dims{2}) / expand_dims(expand_dims(count, 1), 2);
}

Value align(const Call& call) {
  const Value& x = call.value(0);
  const Value& rois = call.value(1);
  infer::require_rank(call, 0, 4, "features");
  if (rois->rank() != 2 || (is_other(rois->shape[1], 5) && is_other(rois->shape[1], 4)))
    value_error(call.op(), ": rois has shape ", rois->shape, "; it must be (boxes, 5) or (boxes, 4)");
  const int64_t bins[] = {call.integer(2), call.integer(3)};
  const int64_t samples = call.integer(5);
  const int64_t end = call.integer(6);
  if (bins[0] < 1 || bins[1] < 1)
    value_error(call.op(), ": pooled_height and pooled_width are ", bins[0], " and ", bins[1],
                "; need at least 1");
  if (end != 0 && end != 1) value_error(call.op(), ": roi_end_mode is ", end, "; accepted are 0 and 1");

  const Value boxes = stop_gradient(rois);
  const int64_t first = rois->shape[1].value() - 4;
  auto low = [&](int64_t i) { return mul(select_view(boxes, 1, first + i), call.real(4)); };
  auto extent = [&](int64_t i) {
    const Value high = mul(select_view(boxes, 1, first + 2 + i) + static_cast<double>(end), call.real(4));
    return end == 0 ? maximum(high - low(i), 1.0) : high - low(i);
  };
  const Shape& shape = x->shape;
  Value picture = arange(call.builder(), 0, 1, 1, DType::kInt64);
  if (first == 1) picture = whole(nearest(select_view(boxes, 1, 0)));
  if (samples < 1) {
    const Value down = shares_along(low(1), extent(1), bins[0], shape[2].value());
    const Value across = shares_along(low(0), extent(0), bins[1], shape[3].value());
    const Value rows = matmul(expand_dims(down, 1), index_select(x, 0, picture));
    return matmul(rows, permute(expand_dims(across, 1), Dims{0, 1, 3, 2}));
  }
  const Points rows = points_along(low(1), extent(1), bins[0], samples, shape[2].value());
  const Points columns = points_along(low(0), extent(0), bins[1], samples, shape[3].value());

  const Value flat = reshape(permute(x, Dims{0, 2, 3, 1}), Dims{-1, shape[1]});
  auto pixels = [&](const Value& row, const Value& column) {
    const Value at =
        (reshape(picture, Dims{-1, 1, 1}) * shape[2].value() + expand_dims(row, 2)) * shape[3].value() +
        expand_dims(column, 1);
    return reshape(index_select(flat, 0, reshape(at, Dims{-1})),
                   Dims{at->shape[0], at->shape[1], at->shape[2], shape[1]});
  };
  const Value right = expand_dims(expand_dims(columns.part, 1), 3);
  auto between = [&](const Value& row) {
    const Value left = pixels(row, columns.before);
    return left + right * (pixels(row, columns.after) - left);
  };
  const Value upper = between(rows.before);
  const Value found = upper + expand_dims(expand_dims(rows.part, 2), 3) * (between(rows.after) - upper);
  const Value inside = logical_and(expand_dims(rows.inside, 2), expand_dims(columns.inside, 1));
  const Value kept = where(expand_dims(inside, 3), found, 0.0);
  const Value binned =
      mean(reshape(kept, Dims{kept->shape[0], bins[0], samples, bins[1], samples, shape[1]}), Dims{2, 4});
  return permute(binned, Dims{0, 3, 1, 2});
}

}  // namespace

DYAD_OP(
    "roi_align(features: Tensor, rois: Tensor, pooled_height: int, pooled_width: int, spatial_scale: float, "
    "sample_num: int=2, roi_end_mode: int=1) -> Tensor")
    .doc(
        "Region of interest alignment (RoIAlign): each box becomes (pooled_height, pooled_width) bins, a bin "
        "being the mean of points that are interpolated bilinearly. `rois` are constant for differentiation.")
    .formula("out[b, c, i, j] = mean over k, l < S of features[n, c] at (y, x)")
    .formula(
        "y = top + h · (i + (k + 0.5) / S) / pooled_height, x = left + w · (j + (l + 0.5) / S) / "
        "pooled_width")
    .formula(
        "(left, top) = spatial_scale · roi, w = spatial_scale · (right + roi_end_mode) − left, h likewise")
    .arg("features", "floats of shape (N, C, H, W).")
    .arg("rois", "(image, left, top, right, bottom), floats of shape (n, 5), or (n, 4) for the first image.")
    .arg("pooled_height", "bins per column.")
    .arg("pooled_width", "bins per row.")
    .arg("spatial_scale", "pixels of `features` per unit of `rois`.")
    .arg("sample_num", "S, points per direction of a bin; ≤ 0: one for each whole pixel.")
    .arg("roi_end_mode",
         "1: right and bottom pixels are part of the box; 0: a box has at least the size of a pixel.")
    .returns("Tensor of shape (n, C, pooled_height, pooled_width).")
    .see("ops.crop_and_resize")
    .reference("arXiv:1703.06870")
    .hidden()
    .primitive(
        "ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1)(features, rois)")
    .compose_wide([](const Call& call) { return align(call); })
    .numpy(
        "ref.roi_align(features, rois, pooled_height, pooled_width, spatial_scale, sample_num, roi_end_mode)")
    .samples("call(T(2, 3, 6, 5), V([[0, 1, 1, 4, 3.5], [1, -3, -3, 2, 9]], 'float32'), 2, 3, 0.5)",
             "call(T(1, 2, 6, 6), V([[1, 1, 4, 3.5], [-3, -3, 2, 9]], 'float32'), 2, 2, 1.0, 1, 0)",
             "call(T(1, 2, 6, 6), V([[0, 2, 2, 2, 2]], 'float32'), 1, 2, 1.0, 3, 0)",
             "call(T(2, 3, 6, 5), V([[0, 1, 1, 4, 3.5], [1, -3, -3, 2, 9], [1, -9, -30, 22, 40]], "
             "'float32'), 2, 3, 0.5, 0)",
             "call(T(1, 2, 6, 6), V([[1, 1, 4, 3.5], [-3, -3, 2, 9]], 'float32'), 2, 2, 1.0, -1, 0)")
    .rejects("ops.ROIAlign(2, 2, 0.5)(ones(2, 3, 4), ones(1, 5))", "ValueError",
             "features has shape (2, 3, 4); it must have 4 dimensions")
    .rejects("ops.ROIAlign(2, 2, 0.5)(ones(1, 2, 3, 4), ones(1, 3))", "ValueError", "rois has shape (1, 3)");

DYAD_OP(
    "ps_roi_pooling(features: Tensor, rois: Tensor, spatial_scale: float, group_size: int, output_dim: int) "
    "-> "
    "Tensor")
    .doc(
        "Position-sensitive region of interest pooling: means of group_size × group_size bins, each with "
        "channels of its own. A bin without a pixel is 0; `rois` are constant for differentiation.")
    .formula(
        "out[b, k, i, j] = mean of features[n, (k · group_size + i) · group_size + j] over the pixels of bin "
        "(i, j)")
    .arg("features", "floats of shape (N, output_dim · group_size², H, W).")
    .arg("rois", "(image, left, top, right, bottom), floats of shape (batches, 5, boxes); edges are rounded.")
    .arg("spatial_scale", "pixels of `features` per unit of `rois`.")
    .arg("group_size", "bins per direction.")
    .arg("output_dim", "channels of the result.")
    .returns("Tensor of shape (batches · boxes, output_dim, group_size, group_size).")
    .see("ops.crop_and_resize")
    .reference("arXiv:1605.06409")
    .hidden()
    .primitive("PSROIPooling(spatial_scale, group_size, output_dim)(features, rois)")
    .compose([](const Call& call) { return pool_by_position(call); })
    .numpy("ref.ps_roi_pooling(features, rois, spatial_scale, group_size, output_dim)")
    .samples(
        "call(T(2, 8, 5, 4), V([[[0, 1], [0.3, 1], [0.4, -2], [3, 4.6], [3.2, 9]]], 'float32'), 1.0, 2, 2)",
        "call(T(1, 9, 6, 7), V([[[0], [2], [1], [11], [12]]], 'float32'), 0.5, 3, 1)")
    .rejects("ops.PSROIPooling(1.0, 2, 2)(ones(1, 7, 4, 4), ones(1, 5, 1))", "RuntimeError",
             "features has 7 channels; need 2 * 2 * 2")
    .rejects("ops.PSROIPooling(1.0, 2, 2)(ones(1, 8, 4, 4), ones(1, 4, 1))", "ValueError",
             "rois has shape (1, 4, 1)");

}  // namespace dyad
