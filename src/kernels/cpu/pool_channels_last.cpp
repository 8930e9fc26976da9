// Pooling of float32 images whose channels lie innermost: a window's elements are rows of channels.

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/best_table.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/pool_divisor.h"
#include "kernels/cpu/pool_geometry.h"
#include "kernels/cpu/pool_last_task.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

const PoolLastTable& table() {
  static const PoolLastTable& best =
      best_table(baseline::pool_last_table, avx2::pool_last_table, avx512::pool_last_table);
  return best;
}

constexpr int64_t kParallelWork = 1 << 15;

/// (images, sizes…, channels) with the channels taken away: planes.
Shape without_channels(const Shape& shape) { return Shape(shape.begin(), shape.end() - 1); }

/// Calls `body(image, position, places)` for each position of the window over each image.
template <class Body>
void for_positions(const PoolWindow& w, int64_t images, int64_t channels, const Body& body) {
  const int64_t work = std::max<int64_t>(1, channels * w.kernel[0] * w.kernel[1] * w.kernel[2]);
  parallel_for(images * w.out_size(), 1 + kParallelWork / work, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> places;
    for (int64_t index = begin; index < end; ++index) {
      const int64_t position = index % w.out_size();
      places.clear();
      for_each_place(w, position, [&](int64_t place) { places.push_back(place); });
      body(index / w.out_size(), position, places);
    }
  });
}

struct Pooling {
  Prepared in;
  PoolWindow window;
  int64_t images;
  int64_t channels;

  Pooling(const KernelCall& call, bool dilated)
      : in(call.in(0), DType::kFloat32),
        window(
            pool_window(without_channels(in->shape), without_channels(call.out().shape), call, 1, dilated)),
        images(in->shape[0].value()),
        channels(in->shape.back().value()) {}

  PoolLastTask task(int64_t image, const std::vector<int64_t>& places) const {
    return {in->as<const float>() + image * window.in_size() * channels, channels, places.data(),
            static_cast<int64_t>(places.size())};
  }
  int64_t offset(int64_t image, int64_t position) const {
    return (image * window.out_size() + position) * channels;
  }
};

}  // namespace

void channels_last::max_pool(const KernelCall& call) {
  if (call.out().size() == 0) return;
  const Pooling pool(call, true);
  auto* out = call.out().as<float>();
  for_positions(pool.window, pool.images, pool.channels,
                [&](int64_t image, int64_t position, const std::vector<int64_t>& places) {
                  table().largest(pool.task(image, places), out + pool.offset(image, position));
                });
}

void channels_last::max_pool_with_places(const KernelCall& call) {
  if (call.out().size() == 0) return;
  const Pooling pool(call, true);
  auto* out = call.out().as<float>();
  auto* found = call.out(1).as<int64_t>();
  for_positions(pool.window, pool.images, pool.channels,
                [&](int64_t image, int64_t position, const std::vector<int64_t>& places) {
                  const int64_t at = pool.offset(image, position);
                  table().largest_with_places(pool.task(image, places), out + at, found + at);
                });
}

void channels_last::average_pool(const KernelCall& call) {
  if (call.out().size() == 0) return;
  const Pooling pool(call, false);
  const Divisor divisor{pool.window, call.flag(5), call.integer(6)};
  auto* out = call.out().as<float>();
  for_positions(pool.window, pool.images, pool.channels,
                [&](int64_t image, int64_t position, const std::vector<int64_t>& places) {
                  table().total(pool.task(image, places), static_cast<float>(divisor.at(position)),
                                out + pool.offset(image, position));
                });
}

/// (gradient, kernel, stride, padding, ceil_mode, count_include_pad, divisor, sizes)
void channels_last::average_pool_gradient(const KernelCall& call) {
  ValueImpl& out = call.out();
  const Prepared gradient(call.in(0), DType::kFloat32);
  const PoolWindow w =
      pool_window(without_channels(out.shape), without_channels(gradient->shape), call, 1, false);
  const Divisor divisor{w, call.flag(5), call.integer(6)};
  const int64_t channels = out.shape.back().value();
  const int64_t images = out.shape[0].value();
  std::memset(out.data, 0, static_cast<size_t>(out.size()) * sizeof(float));
  // Windows overlap: an image stays on one thread.
  const int64_t work = std::max<int64_t>(1, w.out_size() * channels);
  parallel_for(images, 1 + kParallelWork / work, [&](int64_t begin, int64_t end) {
    for (int64_t image = begin; image < end; ++image) {
      float* to = out.as<float>() + image * w.in_size() * channels;
      for (int64_t position = 0; position < w.out_size(); ++position) {
        const float* from = gradient->as<const float>() + (image * w.out_size() + position) * channels;
        const auto parts = static_cast<float>(divisor.at(position));
        for_each_place(w, position, [&](int64_t place) {
          for (int64_t c = 0; c < channels; ++c) to[place * channels + c] += from[c] / parts;
        });
      }
    }
  });
}

/// (input, indices, sizes, accumulate)
void channels_last::unpool(const KernelCall& call) {
  ValueImpl& out = call.out();
  const Prepared in(call.in(0), out.dtype);
  const Prepared indices(call.in(1), DType::kInt64);
  const int64_t channels = out.shape.back().value();
  const int64_t images = out.shape[0].value();
  std::memset(out.data, 0, static_cast<size_t>(out.size()) * sizeof(float));
  if (in->size() == 0) return;
  const int64_t count = in->size() / images / channels;
  const int64_t room = out.size() / images / channels;
  const bool accumulate = call.flag(3);
  parallel_for(images, 1 + kParallelWork / (count * channels), [&](int64_t begin, int64_t end) {
    for (int64_t image = begin; image < end; ++image) {
      float* to = out.as<float>() + image * room * channels;
      for (int64_t position = 0; position < count; ++position) {
        const int64_t row = (image * count + position) * channels;
        for (int64_t c = 0; c < channels; ++c) {
          const int64_t place = indices->as<const int64_t>()[row + c];
          if (place < 0 || place >= room)
            index_error(call.op(), ": an index is ", place, "; the plane has ", room, " places");
          const float x = in->as<const float>()[row + c];
          float& at = to[place * channels + c];
          at = accumulate ? at + x : x;
        }
      }
    }
  });
}

}  // namespace dyad::kernels
