#include "kernels/cpu/onednn_convolution_last.h"

#include <cstring>

#include "kernels/cpu/convert.h"
#include "kernels/cpu/onednn_problem.h"
#include "kernels/cpu/onednn_routed.h"

namespace dyad::kernels::onednn {

namespace {

using Description = dnnl::memory::desc;
using Routed = std::shared_ptr<const RoutedPrimitive>;

/// What the library wants the filters to lie like may differ with the number of threads, which may change
/// between packing and use: the first answer stays.
Description wanted_format(const Problem& p, Direction direction) {
  static std::mutex guard;
  static std::unordered_map<std::string, Description> known;
  const Key key = p.key(direction == Direction::kForward ? "f" : "b");
  std::lock_guard lock(guard);
  const auto [at, is_new] = known.try_emplace(key.bytes());
  if (is_new) {
    const Description image = channels_last(p.image);
    const Description out = channels_last(p.out);
    at->second = direction == Direction::kForward ? p.forward(image, out, false).weights_desc()
                                                  : p.image_gradient(image, out).weights_desc();
  }
  return at->second;
}

bool has_room(const Description& format, int64_t room) {
  return format.get_size() <= static_cast<size_t>(room) * sizeof(float);
}

/// How filters lie that were given this room by `pack`, which wanted them so; -1 is the room of plain ones.
Description filters_in(const Problem& p, const Description& wanted, int64_t room) {
  return room >= 0 && has_room(wanted, room) ? wanted : plain(p.weight);
}

Routed make_forward(const Problem& p, bool has_bias, int64_t room) {
  const Description image = channels_last(p.image);
  const Description out = channels_last(p.out);
  const auto made = p.forward(image, out, has_bias);
  const Description wanted = wanted_format(p, Direction::kForward);
  std::vector<Route> routes{{DNNL_ARG_SRC, image, image},
                            {DNNL_ARG_WEIGHTS, filters_in(p, wanted, room), made.weights_desc()},
                            {DNNL_ARG_DST, out, out, true}};
  if (has_bias) routes.push_back({DNNL_ARG_BIAS, plain(p.bias), plain(p.bias)});
  return std::make_shared<RoutedPrimitive>(dnnl::convolution_forward(made), made.scratchpad_desc(), routes);
}

Routed make_image_gradient(const Problem& p, int64_t room) {
  const Description image = channels_last(p.image);
  const Description out = channels_last(p.out);
  const auto made = p.image_gradient(image, out);
  const Description wanted = wanted_format(p, Direction::kBackward);
  return std::make_shared<RoutedPrimitive>(
      dnnl::convolution_backward_data(made), made.scratchpad_desc(),
      std::vector<Route>{{DNNL_ARG_DIFF_DST, out, out},
                         {DNNL_ARG_WEIGHTS, filters_in(p, wanted, room), made.weights_desc()},
                         {DNNL_ARG_DIFF_SRC, image, image, true}});
}

Routed make_weight_gradient(const Problem& p) {
  const Description image = channels_last(p.image);
  const Description out = channels_last(p.out);
  const auto made = p.weight_gradient(image, out);
  return std::make_shared<RoutedPrimitive>(
      dnnl::convolution_backward_weights(made), made.scratchpad_desc(),
      std::vector<Route>{{DNNL_ARG_DIFF_DST, out, out},
                         {DNNL_ARG_SRC, image, image},
                         {DNNL_ARG_DIFF_WEIGHTS, plain(p.weight), made.diff_weights_desc(), true}});
}

PrimitiveCache<RoutedPrimitive>& cache() {
  static PrimitiveCache<RoutedPrimitive> primitives;
  return primitives;
}

/// From row-major order to a primitive's own.
struct Packing {
  Description from;
  Description to;
  Move move;
};
PrimitiveCache<Packing>& packings() {
  static PrimitiveCache<Packing> known;
  return known;
}

/// A 1x1 kernel over every position: one product of matrices, which for more than a few channels is faster.
bool is_product(const Problem& p) {
  constexpr int64_t kChannels = 128;
  return p.dot && !p.skips && !p.grouped && p.image[1] >= kChannels;
}

/// Collects the elements of the image at which a 1x1 kernel stands, one position after the other.
void collect_read(const ConvolutionGeometry& g, const float* image, Scratch& read) {
  Strides steps{0, 0, 0, 0, 1};
  int64_t step = read.shape.back().value();
  for (size_t d = 3; d-- > 0; step *= g.in[d]) steps[d + 1] = g.stride[d] * step;
  steps[0] = step;
  copy(Borrowed(const_cast<float*>(image), DType::kFloat32, read.shape, steps), read);
}

int64_t room_of(const LastConvolution& convolution) {
  return convolution.filters == Filters::kPacked ? convolution.room : -1;
}

}  // namespace

void pack(const ConvolutionGeometry& geometry, Direction direction, const float* weight, float* packed,
          int64_t room) {
  const Problem p(geometry);
  const auto packing = packings().get(p.key(direction == Direction::kForward ? "f" : "b"), [&] {
    const Description format = wanted_format(p, direction);
    return std::make_shared<Packing>(Packing{plain(p.weight), format, Move(plain(p.weight), format)});
  });
  if (!has_room(packing->to, room)) {
    std::memcpy(packed, weight, packing->from.get_size());
    return;
  }
  dnnl::stream stream(engine());
  packing->move.run(stream, memory_at(packing->from, weight), memory_at(packing->to, packed));
  stream.wait();
}

void convolve_last(const LastConvolution& convolution, const float* image, const float* weight,
                   const float* bias, float* out) {
  const Problem p(convolution.geometry);
  const int64_t room = room_of(convolution);
  const auto key = p.key(bias ? "b" : "f").add(room);
  const void* operands[] = {image, weight, out, bias};
  run_forward([&] { return cache().get(key, [&] { return make_forward(p, bias != nullptr, room); }); },
              {operands, bias ? size_t{4} : size_t{3}});
}

void convolve_gradient_last(const LastConvolution& convolution, const float* gradient, const float* weight,
                            float* image) {
  const Problem p(convolution.geometry);
  const int64_t room = room_of(convolution);
  const void* operands[] = {gradient, weight, image};
  cache().get(p.key("i").add(room), [&] { return make_image_gradient(p, room); })->run(operands);
}

void weight_gradient_last(const ConvolutionGeometry& geometry, const float* gradient, const float* image,
                          float* weight) {
  const Problem p(geometry);
  if (p.dot && p.skips) {
    // The library would collect these elements itself, in memory too small for channels that fill no vector.
    const int64_t (&sizes)[3] = geometry.window.out;
    Scratch read(DType::kFloat32, {geometry.images, sizes[0], sizes[1], sizes[2], p.image[1]});
    collect_read(geometry, image, read);
    return weight_gradient_last(geometry.over_read_elements(), gradient, read.as<const float>(), weight);
  }
  const SameForAnyThreads scope;  // images are shared out and their gradients added up
  if (is_product(p)) {
    const int64_t rows = geometry.images * geometry.position_count();
    const auto status = dnnl::sgemm('T', 'N', p.out[1], p.image[1], rows, 1.0f, gradient, p.out[1], image,
                                    p.image[1], 0.0f, weight, p.image[1]);
    if (status == dnnl::status::success) return;
  }
  const void* operands[] = {gradient, image, weight};
  cache().get(p.key(scope.active() ? "s" : "w"), [&] { return make_weight_gradient(p); })->run(operands);
}

}  // namespace dyad::kernels::onednn
