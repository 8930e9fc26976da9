#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(resize, resize_back, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d);

int64_t spatial_rank(const Arguments& args) {
  const int64_t rank = args.in(0).rank();
  if (rank < 3 || rank > 5) {
    value_error(args.op(), ": input has shape ", args.in(0).shape,
                "; it must have 3, 4 or 5 dimensions (N, C, …)");
  }
  return rank - 2;
}

void infer_resize(const Arguments& args, Results& results) {
  const int64_t spatial = spatial_rank(args);
  infer::require_dtype(args, 0, is_float(args.in(0).dtype), "float dtypes");
  const Dims& size = args.dims(1);
  if (static_cast<int64_t>(size.size()) != spatial) {
    value_error(args.op(), ": size is ", size, "; an input of shape ", args.in(0).shape, " needs ", spatial,
                " sizes");
  }
  if (args.has(4) && args.floats(4).size() != size.size()) {
    value_error(args.op(), ": ", args.floats(4).size(), " scales are given for ", size.size(),
                " sizes; need as many");
  }
  Shape shape = args.in(0).shape;
  for (size_t i = 0; i < size.size(); ++i) {
    if (size[i].known() && size[i].value() <= 0)
      value_error(args.op(), ": size is ", size, "; sizes must be above 0");
    if (shape[i + 2] == Dim(0))
      value_error(args.op(), ": input has shape ", shape, "; there is nothing to resample");
    shape[i + 2] = size[i];
  }
  results.add(args.in(0).dtype, shape);
}

Dims spatial_sizes(const ValueImpl& value) { return Dims(value.shape.begin() + 2, value.shape.end()); }

struct Target {
  Dims size;
  Arg scales;  ///< the user's factors where they, not the sizes, decide the distance of samples
};

/// A size times a factor, rounded down. A symbol stays an expression where the factor is a simple fraction.
Dim scaled(Dim size, double factor) {
  constexpr int64_t kLargestDenominator = 64;
  constexpr double kLargest = 4e18;  // below 2^63
  if (size.known())
    return static_cast<int64_t>(std::min(static_cast<double>(size.value()) * factor, kLargest));
  for (int64_t denominator = 1; denominator <= kLargestDenominator; ++denominator) {
    const double numerator = factor * static_cast<double>(denominator);
    if (numerator == std::floor(numerator))
      return floor_div(size * static_cast<int64_t>(numerator), denominator);
  }
  return Dim::fresh("scaled");
}

/// The size asked for by `size` or by `scale_factor`, arguments 1 and 2.
Target target_of(const Call& call, bool from_sizes) {
  const size_t spatial = static_cast<size_t>(spatial_rank(call));
  if (call.has(1) == call.has(2)) {
    value_error(
        call.op(), ": ",
        call.has(1) ? "both size and scale_factor are given" : "neither size nor scale_factor is given",
        "; exactly one is needed");
  }
  if (call.has(1)) {
    Dims size = call.dims(1);
    if (size.size() == 1) size.resize(spatial, size[0]);
    return {size, {}};
  }
  Floats factors = call.floats(2);
  if (factors.size() == 1) factors.resize(spatial, factors[0]);
  if (factors.size() != spatial) {
    value_error(call.op(), ": ", factors.size(), " scale factors are given; an input of shape ",
                call.in(0).shape, " needs ", spatial);
  }
  Dims size;
  for (size_t i = 0; i < spatial; ++i) {
    if (!(factors[i] > 0)) value_error(call.op(), ": scale_factor is ", factors[i], "; it must be above 0");
    size.push_back(scaled(call.in(0).shape[i + 2], factors[i]));
  }
  return {size, from_sizes ? Arg() : Arg(factors)};
}

Value area(const Call& call, const Dims& size) {
  switch (size.size()) {
    case 1:
      return adaptive_avg_pool1d(call[0], size);
    case 2:
      return adaptive_avg_pool2d(call[0], size);
    default:
      return adaptive_avg_pool3d(call[0], size);
  }
}

Value interpolate_body(const Call& call) {
  constexpr std::pair<std::string_view, size_t> kLinear[] = {
      {"linear", 1}, {"bilinear", 2}, {"trilinear", 3}, {"bicubic", 2}};
  const std::string& mode = call.text(3);
  const auto [size, scales] = target_of(call, call.has(5) && call.flag(5));
  const bool corners = call.has(4) && call.flag(4);
  if (mode == "area") return area(call, size);
  if (mode == "nearest" || mode == "nearest-exact") {
    if (corners)
      value_error(call.op(), ": align_corners is True with mode '", mode,
                  "'; it is for the linear and cubic modes");
    return resize(call[0], size, mode.c_str(), "asymmetric", scales);
  }
  for (auto [name, spatial] : kLinear) {
    if (mode != name) continue;
    if (size.size() != spatial) {
      value_error(call.op(), ": mode '", mode, "' needs ", spatial + 2, " dimensions, input has shape ",
                  call.in(0).shape);
    }
    return resize(call[0], size, mode == "bicubic" ? "tabulated_cubic" : "linear",
                  corners ? "align_corners" : "half_pixel", corners ? Arg() : scales);
  }
  value_error(call.op(), ": mode is '", mode,
              "'; accepted are 'nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', "
              "'trilinear' and 'area'");
}

const char* coordinates(const Call& call, size_t corners, size_t half_pixel) {
  if (call.flag(corners) && call.flag(half_pixel)) {
    value_error(call.op(), ": align_corners and half_pixel_centers are both True; at most one may be");
  }
  return call.flag(corners) ? "align_corners" : call.flag(half_pixel) ? "half_pixel" : "asymmetric";
}

}  // namespace

DYAD_OP(
    "resize(input: Tensor, size: ints, mode: str='linear', coordinates: str='half_pixel', scales: "
    "floats?=None) -> Tensor")
    .hidden()
    .doc(
        "Resamples the dimensions after the second to the given sizes. Modes: 'nearest', 'nearest-exact', "
        "'linear', "
        "'cubic' (PyTorch's), 'tabulated_cubic' (TensorFlow's); coordinates: 'half_pixel', 'align_corners', "
        "'asymmetric'; `scales` replace the ratio of the sizes.")
    .infer(infer_resize)
    .linear()
    .grad([](GradCall& g) { g.set(0, resize_back(g.grad(), spatial_sizes(g.in(0)), g[2], g[3], g[4])); })
    .batch(batch::folded<0>)
    .cost_per_result(8)
    .numpy("ref.resize(input, size, mode, coordinates, scales)")
    .samples("call(T(1, 2, 5), (8,), dtypes='float')",
             "call(T(1, 2, 3, 4), (5, 2), 'linear', 'align_corners')", "call(T(1, 2, 3, 4), (5, 2), 'cubic')",
             "call(T(1, 2, 3, 4), (5, 3), 'tabulated_cubic')",
             "call(T(1, 2, 3, 4), (5, 3), 'tabulated_cubic', 'asymmetric')",
             "call(T(1, 2, 3, 4), (6, 8), 'nearest', 'asymmetric')",
             "call(T(1, 1, 2, 3, 4), (3, 3, 3), 'linear', 'asymmetric')",
             "call(strided(T(2, 2, 4, 4)), (2, 6))", "call(T(1, 1, 4), (6,), 'linear', 'half_pixel', (1.6,))")
    .rejects("dyad._core.named_op('resize')(ones(2, 3), (2,))", "ValueError",
             "it must have 3, 4 or 5 dimensions");

DYAD_OP(
    "resize_back(gradient: Tensor, size: ints, mode: str, coordinates: str, scales: floats?=None) -> Tensor")
    .hidden()
    .doc("The gradient of `resize` with respect to its input, which had the given spatial sizes.")
    .infer(infer_resize)
    .linear()
    .grad([](GradCall& g) { g.set(0, resize(g.grad(), spatial_sizes(g.in(0)), g[2], g[3], g[4])); })
    .batch(batch::folded<0>)
    .cost(8)
    .numpy("ref.resize_back(gradient, size, mode, coordinates, scales)")
    .samples("call(T(1, 2, 8), (5,), 'linear', 'half_pixel')",
             "call(T(1, 2, 5, 2), (3, 4), 'cubic', 'align_corners')",
             "call(T(1, 2, 5, 3), (3, 4), 'tabulated_cubic', 'half_pixel')")
    .rejects("dyad._core.named_op('resize_back')(ones(2, 3, 4), (2,))", "TypeError", "argument: 'mode'");

DYAD_OP(
    "interpolate(input: Tensor, size: ints?=None, scale_factor: floats?=None, mode: str='nearest', "
    "align_corners: bool?=None, recompute_scale_factor: bool?=None) -> Tensor")
    .doc(
        "Interpolation: resizes (N, C, …) tensors to a size or by a factor. A result index i has the source "
        "coordinate s.")
    .formula("out[n, c, i…] = input[n, c] at s(i)…, interpolated by `mode`")
    .formula("s(i) = (i + 0.5) / scale − 0.5", "linear, bilinear, bicubic, trilinear")
    .formula("s(i) = i · (size_in − 1) / (size_out − 1)", "the same, align_corners=True")
    .formula("s(i) = ⌊i / scale⌋", "nearest")
    .formula("s(i) = ⌊(i + 0.5) / scale⌋", "nearest-exact")
    .formula("out[n, c, i] = mean of input[n, c, ⌊i · size_in / size_out⌋:⌈(i + 1) · size_in / size_out⌉]",
             "area")
    .arg("input", "floats of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W).")
    .arg("size", "sizes of the result; None: `scale_factor`.")
    .arg("scale_factor", "factors of the sizes; None: `size`.")
    .arg("mode",
         "'nearest', 'nearest-exact', 'linear' (3D), 'bilinear' or 'bicubic' (4D; see ops.ResizeBicubic), "
         "'trilinear' (5D) or 'area'.")
    .arg("align_corners", "whether the centers of the outer pixels coincide; None: False.")
    .arg("recompute_scale_factor", "whether the factor is computed from the rounded sizes.")
    .returns("Tensor of shape (N, C, *size).")
    .see("ops.grid_sample, nn.Upsample")
    .function("interpolate")
    .function("upsample")
    .primitive("UpsampleNearest3D(mode='nearest')(x:input, output_size:size=None, scales:scale_factor=None)")
    .primitive(
        "UpsampleTrilinear3D(align_corners=False, mode='trilinear')(x:input, output_size:size=None, "
        "scales:scale_factor=None)")
    .alias("sizes", "size")
    .compose([](const Call& call) { return interpolate_body(call); })
    .numpy("ref.interpolate(input, size, scale_factor, mode, align_corners)")
    .samples("call(T(1, 2, 5), 8)", "call(T(1, 2, 3, 4), (6, 6), mode='bilinear')",
             "call(T(1, 2, 3, 4), None, 2.0, 'bicubic', True)", "call(T(1, 2, 3, 4), (5, 3), mode='bicubic')",
             "call(T(1, 2, 3, 4), None, (1.5, 2.0), 'nearest')", "call(T(1, 2, 5), 8, None, 'nearest-exact')",
             "call(T(1, 1, 2, 3, 4), (3, 3, 3), mode='trilinear')")
    .rejects("ops.interpolate(ones(1, 1, 4))", "ValueError", "neither size nor scale_factor is given")
    .rejects("ops.interpolate(ones(1, 1, 4), 2, mode='cube')", "ValueError", "mode is 'cube'; accepted are");

DYAD_OP(
    "resize_bilinear(image: Tensor, size: ints, align_corners: bool=False, half_pixel_centers: bool=False) "
    "-> Tensor")
    .hidden()
    .doc("Bilinear resizing of (N, C, H, W) images.")
    .formula("out[n, c, i, j] = image[n, c] at (s(i), s(j)), linear in both directions")
    .formula("s(i) = i · size_in / size_out", "default")
    .formula("s(i) = i · (size_in − 1) / (size_out − 1)", "align_corners=True")
    .formula("s(i) = (i + 0.5) · size_in / size_out − 0.5", "half_pixel_centers=True")
    .arg("image", "floats of shape (N, C, H, W).")
    .arg("size", "(H′, W′).")
    .arg("align_corners", "whether the centers of the outer pixels coincide.")
    .arg("half_pixel_centers", "whether pixels have their centers at 0.5.")
    .returns("Tensor of shape (N, C, H′, W′).")
    .see("ops.interpolate")
    .primitive("ResizeBilinearV2(align_corners=False, half_pixel_centers=False)(image, size)")
    .primitive("ResizeBilinear(size, align_corners=False, half_pixel_centers=False)(x:image)")
    .compose([](const Call& call) {
      infer::require_rank(call, 0, 4, "image");
      return resize(call[0], call[1], "linear", coordinates(call, 2, 3));
    })
    .numpy("ref.resize(image, size, 'linear', ref.coordinates(align_corners, half_pixel_centers), None)")
    .samples("call(T(1, 2, 3, 4), (6, 5))", "call(T(1, 2, 3, 4), (6, 5), True)",
             "call(T(1, 2, 3, 4), (6, 5), False, True)")
    .rejects("ops.ResizeBilinearV2()(ones(2, 3), (2, 2))", "ValueError",
             "image has shape (2, 3); it must have 4 dimensions");

DYAD_OP(
    "resize_nearest(image: Tensor, size: ints, align_corners: bool=False, half_pixel_centers: bool=False) -> "
    "Tensor")
    .hidden()
    .doc("Nearest-neighbor resizing of (N, C, H, W) images.")
    .formula("out[n, c, i, j] = image[n, c, s(i), s(j)]")
    .formula("s(i) = ⌊i · size_in / size_out⌋", "default")
    .formula("s(i) = i · (size_in − 1) / (size_out − 1), rounded", "align_corners=True")
    .formula("s(i) = ⌊(i + 0.5) · size_in / size_out⌋", "half_pixel_centers=True")
    .arg("image", "numbers of shape (N, C, H, W).")
    .arg("size", "(H′, W′).")
    .arg("align_corners", "whether the centers of the outer pixels coincide.")
    .arg("half_pixel_centers", "whether pixels have their centers at 0.5.")
    .returns("Tensor of shape (N, C, H′, W′).")
    .see("ops.interpolate")
    .primitive("ResizeNearestNeighbor(size, align_corners=False, half_pixel_centers=False)(input_x:image)")
    .primitive("ResizeNearestNeighborV2(align_corners=False, half_pixel_centers=False)(image, size)")
    .compose([](const Call& call) {
      infer::require_rank(call, 0, 4, "image");
      return resize(call[0], call[1], "nearest", coordinates(call, 2, 3));
    })
    .numpy("ref.resize(image, size, 'nearest', ref.coordinates(align_corners, half_pixel_centers), None)")
    .samples("call(T(1, 2, 3, 4), (6, 5))", "call(T(1, 2, 3, 4), (2, 7), True)",
             "call(T(1, 2, 3, 4), (6, 5), False, True)")
    .rejects("ops.ResizeNearestNeighbor((2, 0))(ones(1, 1, 3, 3))", "ValueError", "sizes must be above 0");

DYAD_OP(
    "resize_bicubic(image: Tensor, size: ints, align_corners: bool=False, half_pixel_centers: bool=False) -> "
    "Tensor")
    .hidden()
    .doc(
        "Bicubic resizing of (N, C, H, W) images, as in TensorFlow: Keys' kernel with a = −0.75; with "
        "`half_pixel_centers` Catmull–Rom's (a = −0.5), without pixels outside.")
    .formula("out[n, c, i, j] = Σ over k, l of w(s(i) − k) · w(s(j) − l) · image[n, c, k, l]")
    .formula("w(x) = (a + 2)|x|³ − (a + 3)|x|² + 1", "|x| ≤ 1")
    .formula("w(x) = a|x|³ − 5a|x|² + 8a|x| − 4a", "1 < |x| < 2")
    .arg("image", "floats of shape (N, C, H, W).")
    .arg("size", "(H′, W′).")
    .arg("align_corners", "whether the centers of the outer pixels coincide.")
    .arg("half_pixel_centers", "whether pixels have their centers at 0.5.")
    .returns("Tensor of shape (N, C, H′, W′).")
    .see("ops.interpolate")
    .primitive("ResizeBicubic(align_corners=False, half_pixel_centers=False)(image, size)")
    .compose([](const Call& call) {
      infer::require_rank(call, 0, 4, "image");
      return resize(call[0], call[1], "tabulated_cubic", coordinates(call, 2, 3));
    })
    .numpy(
        "ref.resize(image, size, 'tabulated_cubic', ref.coordinates(align_corners, half_pixel_centers), "
        "None)")
    .samples("call(T(1, 2, 3, 4), (6, 5), True)", "call(T(1, 2, 3, 4), (2, 5), False, True)")
    .rejects("ops.ResizeBicubic()(ones(2, 3), (2, 2))", "ValueError", "it must have 4 dimensions");

DYAD_OP(
    "upsample_bicubic2d(input: Tensor, size: ints?=None, scale_factor: floats?=None, align_corners: "
    "bool=False) -> Tensor")
    .hidden()
    .doc(
        "Bicubic resizing of (N, C, H, W) images, as in PyTorch: Keys' kernel with a = −0.75, edges "
        "repeated.")
    .formula("out[n, c, i, j] = Σ over k, l of w(s(i) − k) · w(s(j) − l) · input[n, c, k, l]")
    .formula("w(x) = (a + 2)|x|³ − (a + 3)|x|² + 1", "|x| ≤ 1")
    .formula("w(x) = a|x|³ − 5a|x|² + 8a|x| − 4a", "1 < |x| < 2")
    .arg("input", "floats of shape (N, C, H, W).")
    .arg("size", "(H′, W′); None: `scale_factor`.")
    .arg("scale_factor", "factors of the sizes; None: `size`.")
    .arg("align_corners", "whether the centers of the outer pixels coincide.")
    .returns("Tensor of shape (N, C, H′, W′).")
    .see("ops.interpolate")
    .primitive(
        "UpsampleBicubic2D(align_corners=False)(x:input, output_size:size=None, scales:scale_factor=None)")
    .compose([](const Call& call) {
      infer::require_rank(call, 0, 4, "input");
      const auto [size, scales] = target_of(call, false);
      const bool corners = call.flag(3);
      return resize(call[0], size, "cubic", corners ? "align_corners" : "half_pixel",
                    corners ? Arg() : scales);
    })
    .numpy(
        "ref.resize(input, size, 'cubic', ref.coordinates(align_corners, True), None) if size else "
        "ref.resize(input, [int(n * s) for n, s in zip(input.shape[2:], scale_factor)], 'cubic', "
        "ref.coordinates(align_corners, True), scale_factor)")
    .samples("call(T(1, 2, 3, 4), (6, 5))", "call(T(1, 2, 3, 4), (2, 5), None, True)",
             "call(T(1, 2, 3, 4), None, (1.5, 2.0))")
    .rejects("ops.auto_generate.UpsampleBicubic2D()(ones(1, 2, 3, 3))", "ValueError",
             "neither size nor scale_factor is given");

}  // namespace dyad
