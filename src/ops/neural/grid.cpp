#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, broadcast_to, cast, matmul, mul, ones, reshape, sample_grid, sample_grid_back, stack, sub,
         swapaxes, abs, add, clamp, expand_dims, floor, fmod, full_like, gather_elements, greater_equal,
         less_equal, logical_and, ones_like, rint, scatter_elements, select_view, sum, where, zeros_like);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

/// Shape of the samples of the images at argument `at`; grid, mode and padding mode follow them.
Shape sampled(const Arguments& args, size_t at) {
  const ValueImpl& image = args.in(at);
  const ValueImpl& grid = args.in(at + 1);
  const int64_t spatial = image.rank() - 2;
  if (spatial < 2 || spatial > 3 || grid.rank() != image.rank() || differ(grid.shape.back(), spatial) ||
      differ(grid.shape[0], image.shape[0])) {
    value_error(
        args.op(), ": input has shape ", image.shape, " and grid ", grid.shape,
        "; need (images, channels, sizes…) with 2 or 3 sizes and (images, positions…, as many coordinates)");
  }
  infer::require_dtype(args, at, is_float(image.dtype), "float16, bfloat16, float32 and float64");
  infer::require_dtype(args, at + 1, is_float(grid.dtype), "float16, bfloat16, float32 and float64");
  const std::string& mode = args.text(at + 2);
  const std::string& padding = args.text(at + 3);
  if (mode != "bilinear" && mode != "nearest") {
    value_error(args.op(), ": mode is '", mode, "'; accepted are 'bilinear' and 'nearest'");
  }
  if (padding != "zeros" && padding != "border" && padding != "reflection") {
    value_error(args.op(), ": padding_mode is '", padding,
                "'; accepted are 'zeros', 'border' and 'reflection'");
  }
  for (size_t s = 0; s < static_cast<size_t>(spatial); ++s) {
    if (image.shape[s + 2] == Dim(0))
      value_error(args.op(), ": input has shape ", image.shape, "; there is nothing to sample");
  }
  Shape shape{image.shape[0], image.shape[1]};
  for (size_t s = 0; s < static_cast<size_t>(spatial); ++s) shape.push_back(grid.shape[s + 1]);
  return shape;
}

void infer_sample(const Arguments& args, Results& results) {
  const Shape shape = sampled(args, 0);
  results.add(promote(args.op(), args.in(0).dtype, args.in(1).dtype), shape);
}

void infer_sample_back(const Arguments& args, Results& results) {
  const Shape expected = sampled(args, 1);
  const ValueImpl& gradient = args.in(0);
  bool fits = gradient.shape.size() == expected.size();
  for (size_t i = 0; fits && i < expected.size(); ++i) fits = !differ(gradient.shape[i], expected[i]);
  if (!fits) {
    value_error(args.op(), ": gradient has shape ", gradient.shape, "; the samples have shape ", expected);
  }
  results.add(args.in(1).dtype, args.in(1).shape);
  results.add(args.in(2).dtype, args.in(2).shape);
}

/// Numbers from -1 to 1 along `count` elements, at their centers or, with `corners`, from end to end.
Value base_coordinates(const Call& call, int64_t count, bool corners, DType dtype) {
  const double n = static_cast<double>(count);
  const Value steps = cast(arange(call.builder(), 0, count), dtype);
  if (corners) return count > 1 ? sub(mul(steps, 2 / (n - 1)), 1.0) : mul(steps, 0.0);
  return sub(mul(steps, 2 / n), 1 - 1 / n);
}

// The gradient of sampling at a grid in terms of differentiable operators, for derivatives of higher order.
// The kernel computes the first derivative.

/// Position of the points along one dimension of the image, and its derivative by the coordinate in the grid.
struct Coordinate {
  Value at;     ///< in elements, (images, points)
  Value slope;  ///< piecewise constant
  int64_t size;
};

Value inside(const Value& x, double low, double high) {
  return logical_and(greater_equal(x, low), less_equal(x, high));
}

/// Folds coordinates back and forth between the two ends.
Coordinate reflected(const Coordinate& c, double low, double high) {
  const double span = high - low;
  if (span <= 0) return {zeros_like(c.at), zeros_like(c.slope), c.size};
  const Value distance = c.at - low;
  const Value folded = fmod(abs(distance), 2 * span);
  const Value at = span - abs(span - folded) + low;
  const Value forth = where(greater_equal(distance, 0.0), c.slope, -c.slope);
  return {at, where(less_equal(folded, span), forth, -forth), c.size};
}

Coordinate coordinate(const Value& numbers, int64_t size, const std::string& padding, bool corners) {
  const double n = static_cast<double>(size);
  const double scale = (corners ? n - 1 : n) / 2;
  Coordinate c{numbers * scale + (corners ? scale : scale - 0.5), full_like(numbers, scale), size};
  if (padding == "zeros") return c;
  if (padding == "reflection") c = corners ? reflected(c, 0, n - 1) : reflected(c, -0.5, n - 0.5);
  const Value within = inside(c.at, 0, n - 1);
  return {clamp(c.at, 0.0, n - 1), where(within, c.slope, 0.0), c.size};
}

/// One of the two elements next to each point along a dimension, with its weight and the sign of its change.
struct Neighbor {
  Value at;
  Value weight;
  double change;
};

Neighbor neighbor(const Coordinate& c, bool nearest, bool upper) {
  if (nearest) return {rint(c.at), ones_like(c.at), 0};
  const Value low = floor(c.at);
  const Value part = c.at - low;
  return upper ? Neighbor{low + 1.0, part, 1} : Neighbor{low, 1.0 - part, -1};
}

/// What one corner of the cells around the points contributes.
struct Corner {
  Value weight;       ///< (images, points); 0 outside the image
  ValueList changes;  ///< of the weight by each coordinate
  Value index;        ///< among the elements of an image
};

Corner corner(const std::vector<Coordinate>& coordinates, bool nearest, size_t which) {
  Corner found;
  Value valid;
  std::vector<Neighbor> sides;
  for (size_t d = 0; d < coordinates.size(); ++d) {
    const Coordinate& c = coordinates[d];
    sides.push_back(neighbor(c, nearest, which >> d & 1));
    const double last = static_cast<double>(c.size - 1);
    const Value within = inside(sides[d].at, 0, last);
    const Value place = cast(where(within, sides[d].at, 0.0), DType::kInt64);
    valid = valid ? logical_and(valid, within) : within;
    found.index = found.index ? found.index * c.size + place : place;
  }
  found.weight = cast(valid, sides[0].weight->dtype);
  const Value counted = found.weight;
  for (const Neighbor& side : sides) found.weight = found.weight * side.weight;
  for (size_t d = 0; d < sides.size(); ++d) {
    Value change = counted * sides[d].change;
    for (size_t other = 0; other < sides.size(); ++other) {
      if (other != d) change = change * sides[other].weight;
    }
    found.changes.push_back(change);
  }
  return found;
}

/// The gradients of sampling at a grid by the images and by the grid, as the body of `sample_grid_back`.
ValueList sampling_gradients(const Call& call) {
  // Positions and weights need more digits than narrow dtypes have.
  const bool wide = call.in(1).dtype == DType::kFloat64 || call.in(2).dtype == DType::kFloat64;
  const DType dtype = wide ? DType::kFloat64 : DType::kFloat32;
  const Value image = cast(call.value(1), dtype);
  const Value grid = cast(call.value(2), dtype);
  const bool nearest = call.text(3) == "nearest";
  const size_t spatial = image->shape.size() - 2;
  const Dim images = image->shape[0];
  const Dim channels = image->shape[1];
  const Shape points{images, size_of(Shape(grid->shape.begin() + 1, grid->shape.end() - 1))};
  const Value flat =
      reshape(image, Dims{images, channels, size_of(Shape(image->shape.begin() + 2, image->shape.end()))});
  const Value gradient = reshape(cast(call.value(0), dtype), Dims{images, channels, points[1]});

  std::vector<Coordinate> coordinates;
  for (size_t d = 0; d < spatial; ++d) {
    // The grid names the width first.
    const Value numbers = reshape(select_view(grid, -1, static_cast<int64_t>(spatial - 1 - d)), points);
    coordinates.push_back(coordinate(numbers, image->shape[d + 2].value(), call.text(4), call.flag(5)));
  }
  Value image_gradient = zeros_like(flat);
  ValueList along(spatial);
  for (size_t which = 0; which < (nearest ? 1 : size_t{1} << spatial); ++which) {
    const Corner c = corner(coordinates, nearest, which);
    const Value index = broadcast_to(expand_dims(c.index, 1), gradient->shape);
    image_gradient = scatter_elements(image_gradient, 2, index, gradient * expand_dims(c.weight, 1), "add");
    const Value touched = sum(gradient * gather_elements(flat, 2, index), Dims{1});
    for (size_t d = 0; d < spatial; ++d) {
      const Value part = touched * c.changes[d];
      along[d] = along[d] ? along[d] + part : part;
    }
  }
  ValueList columns;
  for (size_t d = spatial; d-- > 0;) columns.push_back(along[d] * coordinates[d].slope);
  return {cast(reshape(image_gradient, image->shape), call.in(1).dtype),
          cast(reshape(stack(columns, -1), grid->shape), call.in(2).dtype)};
}

}  // namespace

DYAD_OP(
    "sample_grid(input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool) -> Tensor")
    .doc("Values of images at coordinates between -1 and 1.")
    .hidden()
    .infer(infer_sample)
    .grad([](GradCall& g) {
      const ValueList found = sample_grid_back.all(g.grad(), g[0], g[1], g[2], g[3], g[4]);
      g.set(0, found[0]);
      g.set(1, found[1]);
    })
    .batch(batch::folded<0, 1>)
    .cost_per_result(10)
    .autocast(Autocast::kWidest)
    .numpy("ref.grid_sample(input, grid, mode, padding_mode, align_corners)")
    .samples("call(T(1, 2, 3, 4), T(1, 2, 2, 2, lo=-0.9, hi=0.9), 'bilinear', 'zeros', False)",
             "call(T(2, 2, 3, 4), T(2, 2, 3, 2, lo=-1.6, hi=1.6), 'bilinear', 'border', True)",
             "call(T(2, 2, 3, 4), T(2, 2, 3, 2, lo=-1.6, hi=1.6), 'bilinear', 'reflection', False)",
             "call(T(1, 2, 2, 3, 4), T(1, 2, 3, 2, 3, lo=-1.2, hi=1.2), 'bilinear', 'zeros', False)")
    .rejects("ops.grid_sample(ones(1, 1, 2, 2), ones(1, 2, 2, 2), mode='cubic')", "ValueError",
             "mode is 'cubic'");

DYAD_OP(
    "sample_grid_back(gradient: Tensor, input: Tensor, grid: Tensor, mode: str, padding_mode: str, "
    "align_corners: bool) -> (Tensor, Tensor)")
    .doc("The gradients of sampling at a grid with respect to the images and the grid.")
    .hidden()
    .infer(infer_sample_back)
    .compose([](const Call& call) { return sampling_gradients(call); })
    .cost(20)
    .numpy("ref.grid_sample_back(gradient, input, grid, mode, padding_mode, align_corners)")
    .samples(
        "call(T(1, 2, 2, 2), T(1, 2, 3, 4), T(1, 2, 2, 2, lo=-0.9, hi=0.9), 'bilinear', 'zeros', False)",
        "call(T(2, 1, 2, 3), T(2, 1, 3, 4), T(2, 2, 3, 2, lo=-1.6, hi=1.6), 'bilinear', 'border', True)",
        "call(T(2, 1, 2, 3), T(2, 1, 3, 4), T(2, 2, 3, 2, lo=-3, hi=3), 'bilinear', 'reflection', False)",
        "call(T(2, 1, 2, 3), T(2, 1, 3, 4), T(2, 2, 3, 2, lo=-3, hi=3), 'bilinear', 'reflection', True)",
        "call(T(1, 1, 2, 2, 2), T(1, 1, 2, 3, 4), T(1, 2, 2, 2, 3, lo=-1.2, hi=1.2), 'bilinear', 'zeros', "
        "False)",
        "call(T(2, 1, 2, 3), T(2, 1, 3, 4), T(2, 2, 3, 2, lo=-1.6, hi=1.6), 'nearest', 'zeros', False)")
    .rejects("ops.grid_sample(ones(2, 2), ones(2, 2))", "ValueError", "input has shape (2, 2)")
    .rejects(
        "dyad._core.named_op('sample_grid_back')(ones(1, 2), ones(1, 1, 2, 2), ones(1, 2, 2, 2), 'nearest', "
        "'zeros', "
        "True)",
        "ValueError", "gradient has shape (1, 2); the samples have shape (1, 1, 2, 2)");

DYAD_OP(
    "grid_sample(input: Tensor, grid: Tensor, mode: str='bilinear', padding_mode: str='zeros', "
    "align_corners: bool?=None) -> Tensor")
    .doc("Grid sampling: values of images at the coordinates of a grid, where −1 and 1 are the edges.")
    .formula("out[n, c, p…] = input[n, c] at grid[n, p…], interpolated")
    .formula("pixel = ((x + 1) · size − 1) / 2", "align_corners=False")
    .formula("pixel = (x + 1) / 2 · (size − 1)", "align_corners=True")
    .arg("input", "floats of shape (N, C, H, W) or (N, C, D, H, W).")
    .arg("grid",
         "of shape (N, H′, W′, 2) or (N, D′, H′, W′, 3), with coordinates x, y (, z) in the last axis.")
    .arg("mode", "'bilinear' or 'nearest'.")
    .arg("padding_mode", "outside: 'zeros', 'border' or 'reflection'.")
    .arg("align_corners", "whether −1 and 1 are the centers of the outer pixels; None: False.")
    .returns("Tensor of shape (N, C, *grid.shape[1:-1]).")
    .see("ops.affine_grid, ops.interpolate")
    .primitive(
        "GridSampler2D(interpolation_mode:mode='bilinear', padding_mode='zeros', align_corners=False)"
        "(input_x:input, grid)")
    .primitive(
        "GridSampler3D(interpolation_mode:mode='bilinear', padding_mode='zeros', align_corners=False)"
        "(input_x:input, grid)")
    .compose([](const Call& call) {
      return sample_grid(call[0], call[1], call[2], call[3], call.has(4) && call.flag(4));
    })
    .autocast(Autocast::kWidest)
    .numpy("ref.grid_sample(input, grid, mode, padding_mode, bool(align_corners))")
    .samples("call(T(2, 2, 3, 4), T(2, 2, 3, 2, lo=-1.2, hi=1.2))",
             "call(T(2, 2, 3, 4), T(2, 2, 3, 2), 'nearest')")
    .rejects("ops.grid_sample(ones(1, 1, 2, 2), ones(1, 2, 2, 2), padding_mode='wrap')", "ValueError",
             "padding_mode is 'wrap'");

DYAD_OP("affine_grid(theta: Tensor, size: ints, align_corners: bool=False) -> Tensor")
    .doc("Affine grid: coordinates for `grid_sample` that carry out an affine map.")
    .formula("out[n, y, x] = theta[n] @ (x′, y′, 1)ᵀ, x′, y′ = coordinates of the pixel in [−1, 1]")
    .arg("theta", "floats of shape (N, 2, 3) or (N, 3, 4).")
    .arg("size", "shape of the images, (N, C, H, W) or (N, C, D, H, W).")
    .arg("align_corners", "whether −1 and 1 are the centers of the outer pixels instead of the edges.")
    .returns("Tensor of shape (N, H, W, 2) or (N, D, H, W, 3).")
    .see("ops.grid_sample")
    .primitive("AffineGrid(align_corners=False)(theta, output_size:size)")
    .compose_wide([](const Call& call) {
      const Value& theta = call.value(0);
      const Dims& size = call.dims(1);
      const size_t spatial = size.size() - 2;
      if ((size.size() != 4 && size.size() != 5) || theta->rank() != 3 ||
          differ(theta->shape[1], static_cast<int64_t>(spatial)) ||
          differ(theta->shape[2], static_cast<int64_t>(spatial) + 1)) {
        value_error(call.op(), ": theta has shape ", theta->shape, " and size is ", size,
                    "; need (images, 2, 3) with 4 sizes or (images, 3, 4) with 5");
      }
      const Dims sizes(size.begin() + 2, size.end());
      ValueList columns;
      for (size_t s = spatial; s-- > 0;) {
        Shape shape(spatial, 1);
        shape[s] = sizes[s];
        columns.push_back(broadcast_to(
            reshape(base_coordinates(call, sizes[s].value(), call.flag(2), theta->dtype), shape), sizes));
      }
      columns.push_back(ones(call.builder(), sizes, theta->dtype));
      const Value points =
          reshape(stack(columns, -1), Dims{size_of(sizes), static_cast<int64_t>(spatial) + 1});
      Shape shape{theta->shape[0]};
      for (Dim d : sizes) shape.push_back(d);
      shape.push_back(static_cast<int64_t>(spatial));
      return reshape(matmul(points, swapaxes(theta, -1, -2)), shape);
    })
    .numpy("ref.affine_grid(theta, size, align_corners)")
    .samples("call(T(2, 2, 3), (2, 1, 3, 4))", "call(T(1, 3, 4), (1, 1, 2, 3, 2), True)")
    .rejects("ops.affine_grid(ones(2, 3), (1, 1, 2, 2))", "ValueError",
             "affine_grid: theta has shape (2, 3)");

}  // namespace dyad
