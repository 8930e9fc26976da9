#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, cast, expand_dims, matmul, maximum, minimum, mul, permute, resize);

/// Overlap of each of `size` pixels with each of `count` equal intervals, as a fraction of the interval.
Value overlaps(const Call& call, int64_t size, int64_t count) {
  const bool corners = call.flag(2) && count > 1;
  const double step = corners ? static_cast<double>(size - 1) / static_cast<double>(count - 1)
                              : static_cast<double>(size) / static_cast<double>(count);
  const Value low = expand_dims(mul(arange(call.builder(), 0, count, 1, DType::kFloat32), step), 1);
  const Value pixel = arange(call.builder(), 0, size, 1, DType::kFloat32);
  const Value inside = maximum(minimum(low + step, pixel + 1.0) - maximum(low, pixel), 0.0);
  return mul(inside, 1 / step);
}

}  // namespace

DYAD_OP("resize_area(images: Tensor, size: ints, align_corners: bool=False) -> Tensor")
    .doc(
        "Area resizing of (N, H, W, C) images: a pixel is the mean of what it covers, where partly covered "
        "pixels count partly.")
    .formula(
        "out[n, i, j, c] = Σ over y, x of r[i, y] · q[j, x] · images[n, y, x, c], r, q = shares of the "
        "covered interval")
    .arg("images", "real numbers of shape (N, H, W, C).")
    .arg("size", "(H′, W′).")
    .arg("align_corners", "whether the centers of the outer pixels coincide.")
    .returns("Tensor of float32 and shape (N, H′, W′, C).")
    .see("ops.interpolate")
    .hidden()
    .primitive("ResizeArea(align_corners=False)(images, size)")
    .compose([](const Call& call) {
      infer::require_rank(call, 0, 4, "images");
      const Dims& size = call.dims(1);
      if (size.size() != 2 || size[0].value() < 1 || size[1].value() < 1)
        value_error(call.op(), ": size is ", size, "; need (height, width), both at least 1");
      const Shape& shape = call.in(0).shape;
      const Value planes = permute(cast(call.value(0), DType::kFloat32), Dims{0, 3, 1, 2});
      const Value rows = overlaps(call, shape[1].value(), size[0].value());
      const Value columns = overlaps(call, shape[2].value(), size[1].value());
      const Value narrow = matmul(planes, permute(columns, Dims{1, 0}));
      return permute(matmul(rows, narrow), Dims{0, 2, 3, 1});
    })
    .numpy("ref.resize_area(images, size, align_corners)")
    .samples("call(V(np.arange(24.0).reshape(1, 4, 3, 2), 'float32'), (2, 2))",
             "call(V(np.arange(24.0).reshape(1, 4, 3, 2), 'float32'), (3, 5))")
    .rejects("ops.ResizeArea()(ones(2, 3), (2, 2))", "ValueError", "it must have 4 dimensions");

DYAD_OP("resize_linear(x: Tensor, size: ints, coordinate_transformation_mode: str='align_corners') -> Tensor")
    .doc("Linear resizing of (N, C, W) signals. s is the source coordinate of index i.")
    .formula("out[n, c, i] = x[n, c] at s(i), interpolated linearly")
    .formula("s(i) = i · (W − 1) / (W′ − 1)", "'align_corners'")
    .formula("s(i) = (i + 0.5) · W / W′ − 0.5", "'half_pixel'")
    .formula("s(i) = i · W / W′", "'asymmetric'")
    .arg("x", "floats of shape (N, C, W).")
    .arg("size", "(W′,).")
    .arg("coordinate_transformation_mode", "'align_corners', 'half_pixel' or 'asymmetric'.")
    .returns("Tensor of shape (N, C, W′).")
    .see("ops.interpolate")
    .hidden()
    .primitive("ResizeLinear1D(coordinate_transformation_mode='align_corners')(x, size)")
    .compose([](const Call& call) {
      infer::require_rank(call, 0, 3, "x");
      return resize(call[0], call[1], "linear", call[2]);
    })
    .numpy("ref.resize(x, size, 'linear', coordinate_transformation_mode, None)")
    .samples("call(T(1, 2, 5), (8,))", "call(T(1, 2, 5), (3,), 'half_pixel')")
    .rejects("ops.ResizeLinear1D()(ones(2, 3), (2,))", "ValueError", "it must have 3 dimensions");

}  // namespace dyad
