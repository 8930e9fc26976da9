// The gradient of sampling at a grid in terms of differentiable operators, for derivatives of higher order.
// The kernel serves the first.

#include "ops/neural/grid_gradient.h"

#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(abs, add, broadcast_to, cast, clamp, expand_dims, floor, fmod, full_like, gather_elements,
         greater_equal, less_equal, logical_and, mul, ones_like, reshape, rint, scatter_elements, select_view,
         stack, sum, where, zeros_like);

/// Where the points lie along one dimension of the image, and how that changes with the grid's number.
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

/// One of the two elements beside each point along a dimension, with its weight and the sign of its change.
struct Neighbour {
  Value at;
  Value weight;
  double change;
};

Neighbour neighbour(const Coordinate& c, bool nearest, bool upper) {
  if (nearest) return {rint(c.at), ones_like(c.at), 0};
  const Value low = floor(c.at);
  const Value part = c.at - low;
  return upper ? Neighbour{low + 1.0, part, 1} : Neighbour{low, 1.0 - part, -1};
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
  std::vector<Neighbour> sides;
  for (size_t d = 0; d < coordinates.size(); ++d) {
    const Coordinate& c = coordinates[d];
    sides.push_back(neighbour(c, nearest, which >> d & 1));
    const double last = static_cast<double>(c.size - 1);
    const Value within = inside(sides[d].at, 0, last);
    const Value place = cast(where(within, sides[d].at, 0.0), DType::kInt64);
    valid = valid ? logical_and(valid, within) : within;
    found.index = found.index ? found.index * c.size + place : place;
  }
  found.weight = cast(valid, sides[0].weight->dtype);
  const Value counted = found.weight;
  for (const Neighbour& side : sides) found.weight = found.weight * side.weight;
  for (size_t d = 0; d < sides.size(); ++d) {
    Value change = counted * sides[d].change;
    for (size_t other = 0; other < sides.size(); ++other) {
      if (other != d) change = change * sides[other].weight;
    }
    found.changes.push_back(change);
  }
  return found;
}

}  // namespace

ValueList sampling_gradients(const Call& call) {
  // Places and weights need more digits than narrow dtypes have.
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

}  // namespace dyad
