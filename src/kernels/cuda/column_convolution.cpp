#include "kernels/cuda/column_convolution.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "base/error.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/im2col.h"
#include "kernels/cuda/products.h"
#include "kernels/cuda/storage_suffix.h"
#include "runtime/cuda/launch.h"

namespace dyad::cuda {

namespace {

using Direction = DnnConvolution::Direction;

/// The sizes of the products of a convolution: filters of a group are (filters, rows), columns of a group and
/// an image (rows, places).
struct Sizes {
  int64_t window;
  int64_t places;
  int64_t rows;     ///< of a group
  int64_t filters;  ///< of a group
  bool plain;       ///< whether the images are their columns

  explicit Sizes(const DnnConvolution& c)
      : window(c.kernel[0] * c.kernel[1] * c.kernel[2]),
        places(c.out[0] * c.out[1] * c.out[2]),
        rows(c.in_channels / c.groups * window),
        filters(c.out_channels / c.groups),
        plain(window == 1) {
    for (size_t d = 0; d < 3; ++d) plain = plain && c.stride[d] == 1 && c.padding[d] == 0;
  }
};

/// Elements of scratch for one image. The gradient of filters sums over images and places in one product, for
/// which both operands lie with their images inside.
int64_t scratch_elements(const DnnConvolution& c) {
  const Sizes s(c);
  const int64_t columns = c.groups * s.rows * s.places;
  const bool inside = c.direction == Direction::kWeightGradient && c.images > 1;
  return (s.plain && !inside ? 0 : columns) + (inside ? c.out_channels * s.places : 0);
}

class ColumnConvolution {
 public:
  ColumnConvolution(const DnnConvolution& c, const DnnOperands& on, bool accumulate)
      : c_(c),
        on_(on),
        accumulate_(accumulate),
        s_(c),
        device_{DeviceKind::kCuda, static_cast<int8_t>(c.device)} {}

  void run() const {
    switch (c_.direction) {
      case Direction::kForward:
        return run_forward();
      case Direction::kInputGradient:
        return run_input_gradient();
      case Direction::kWeightGradient:
        return run_weight_gradient();
    }
  }

 private:
  int64_t group_elements() const { return s_.rows * s_.places; }
  Shape columns_shape() const { return {c_.images, c_.groups * s_.rows, s_.places}; }

  /// Columns (groups, rows, places) of each image, or (groups, rows, images, places).
  Im2colParams column_params(bool images_inside) const {
    Im2colParams p{};
    p.images = c_.images;
    p.channels = c_.in_channels;
    std::copy_n(c_.in, 3, p.in);
    std::copy_n(c_.kernel, 3, p.kernel);
    std::copy_n(c_.out, 3, p.out);
    std::copy_n(c_.padding, 3, p.padding);
    std::copy_n(c_.stride, 3, p.stride);
    std::copy_n(c_.dilation, 3, p.dilation);
    p.row_stride = images_inside ? c_.images * s_.places : s_.places;
    p.image_stride = images_inside ? s_.places : c_.groups * group_elements();
    return p;
  }

  /// Whether numbers of elements need more than 32 bits, a whole stride of the grid included.
  bool far() const {
    constexpr int64_t kNear = std::numeric_limits<int32_t>::max() / 2;
    return std::max(c_.groups * group_elements(), c_.image_elements()) * c_.images > kNear;
  }

  void gather(void* columns, bool images_inside) const {
    Im2colParams p = column_params(images_inside);
    p.from = on_.image;
    p.to = columns;
    const std::string name = cat(far() ? "gather_columns_far_" : "gather_columns_", itemsize(c_.dtype));
    launch(c_.device, name, cover(c_.in_channels * c_.images * s_.places), p);
  }

  MatrixProducts products(int64_t m, int64_t n, int64_t k) const {
    MatrixProducts p{device_, c_.dtype, m, n, k, {}, {}, nullptr, n};
    p.accumulate = accumulate_;
    p.measured = true;
    return p;
  }

  void run_forward() const {
    std::optional<DeviceScratch> columns;
    if (!s_.plain) {
      columns.emplace(device_, c_.dtype, columns_shape());
      gather(columns->data, false);
    }
    MatrixProducts p = products(s_.filters, s_.places, s_.rows);
    p.a = {on_.filters, s_.rows, 1};
    p.b = {columns ? columns->data : on_.image, s_.places, 1};
    p.c = on_.positions;
    p.batch = {c_.images, c_.groups};
    p.a_batch = {0, s_.filters * s_.rows};
    p.b_batch = {c_.groups * group_elements(), group_elements()};
    p.c_batch = {c_.out_channels * s_.places, s_.filters * s_.places};
    multiply_matrices(p);
  }

  void run_input_gradient() const {
    std::optional<DeviceScratch> columns;
    if (!s_.plain) columns.emplace(device_, c_.dtype, columns_shape());
    MatrixProducts p = products(s_.rows, s_.places, s_.filters);
    p.a = {on_.filters, 1, s_.rows};
    p.b = {on_.positions, s_.places, 1};
    p.c = columns ? columns->data : on_.image;
    p.batch = {c_.images, c_.groups};
    p.a_batch = {0, s_.filters * s_.rows};
    p.b_batch = {c_.out_channels * s_.places, s_.filters * s_.places};
    p.c_batch = {c_.groups * group_elements(), group_elements()};
    multiply_matrices(p);
    if (!columns) return;
    Im2colParams back = column_params(false);
    back.from = columns->data;
    back.to = on_.image;
    launch(c_.device, cat(far() ? "add_columns_far" : "add_columns", storage_suffix(c_.dtype)),
           cover(c_.images * c_.image_elements()), back);
  }

  /// (images, channels, places) as (channels, images, places).
  void turn(const void* from, void* to, int64_t channels) const {
    const Shape shape{channels, c_.images, s_.places};
    move_elements(c_.device, c_.dtype, shape, from, {s_.places, channels * s_.places, 1}, to,
                  contiguous_strides(shape));
  }

  void run_weight_gradient() const {
    const bool inside = c_.images > 1;
    std::optional<DeviceScratch> columns;
    std::optional<DeviceScratch> positions;
    if (!s_.plain || inside) columns.emplace(device_, c_.dtype, columns_shape());
    if (inside) {
      positions.emplace(device_, c_.dtype, Shape{c_.out_channels, c_.images, s_.places});
      turn(on_.positions, positions->data, c_.out_channels);
    }
    if (!s_.plain) gather(columns->data, true);
    if (s_.plain && inside) turn(on_.image, columns->data, c_.in_channels);
    const int64_t depth = c_.images * s_.places;
    MatrixProducts p = products(s_.filters, s_.rows, depth);
    p.a = {positions ? positions->data : on_.positions, depth, 1};
    p.b = {columns ? columns->data : on_.image, 1, depth};
    p.c = on_.filters;
    p.batch = {c_.groups};
    p.a_batch = {s_.filters * depth};
    p.b_batch = {s_.rows * depth};
    p.c_batch = {s_.filters * s_.rows};
    multiply_matrices(p);
  }

  const DnnConvolution& c_;
  const DnnOperands& on_;
  bool accumulate_;
  Sizes s_;
  Device device_;
};

}  // namespace

int64_t product_scratch(const DnnConvolution& c) {
  return scratch_elements(c) * c.images * itemsize(c.dtype);
}

void run_by_products(const DnnConvolution& convolution, const DnnOperands& operands, bool accumulate,
                     int64_t most_scratch) {
  const int64_t bytes = itemsize(convolution.dtype);
  const int64_t each = scratch_elements(convolution) * bytes;
  const int64_t at_once = each == 0 ? convolution.images : std::max<int64_t>(most_scratch / each, 1);
  for (int64_t first = 0; first < convolution.images; first += at_once) {
    DnnConvolution part = convolution;
    part.images = std::min(at_once, convolution.images - first);
    DnnOperands on = operands;
    on.image += first * convolution.image_elements() * bytes;
    on.positions += first * convolution.position_elements() * bytes;
    const bool sums = convolution.direction == Direction::kWeightGradient && first > 0;
    ColumnConvolution(part, on, accumulate || sums).run();
  }
}

}  // namespace dyad::cuda
