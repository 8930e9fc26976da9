#include "kernels/cpu/norm_last_table.h"

#include <algorithm>

namespace dyad::kernels::DYAD_ISA {

/// Channels that are summed up at a time, and rows until their sums move to float64.
static constexpr int64_t kBlock = 256;
static constexpr int64_t kSumRows = 64;

/// totals += Σ first(i, c) and Σ second(i, c), where i is the element and c its channel.
template <class First, class Second>
static inline void sum_rows(const ChannelRows& shape, double* totals, const First& first,
                            const Second& second) {
  for (int64_t start = 0; start < shape.channels; start += kBlock) {
    const int64_t count = std::min(kBlock, shape.channels - start);
    for (int64_t row = 0; row < shape.rows; row += kSumRows) {
      float plain[kBlock] = {};
      float other[kBlock] = {};
      const int64_t end = std::min(shape.rows, row + kSumRows);
      int64_t r = row;
      for (; r + 4 <= end; r += 4) {
        const int64_t at = r * shape.channels + start;
        const int64_t step = shape.channels;
#pragma GCC ivdep
        for (int64_t c = 0; c < count; ++c) {
          const int64_t i = at + c;
          const int64_t k = start + c;
          plain[c] += (first(i, k) + first(i + step, k)) + (first(i + 2 * step, k) + first(i + 3 * step, k));
          other[c] +=
              (second(i, k) + second(i + step, k)) + (second(i + 2 * step, k) + second(i + 3 * step, k));
        }
      }
      for (; r < end; ++r) {
        const int64_t at = r * shape.channels + start;
#pragma GCC ivdep
        for (int64_t c = 0; c < count; ++c) {
          plain[c] += first(at + c, start + c);
          other[c] += second(at + c, start + c);
        }
      }
      for (int64_t c = 0; c < count; ++c) {
        totals[start + c] += static_cast<double>(plain[c]);
        totals[shape.channels + start + c] += static_cast<double>(other[c]);
      }
    }
  }
}

static void moments(const ChannelRows& shape, const float* x, const float* shift, double* totals) {
  sum_rows(
      shape, totals, [=](int64_t i, int64_t c) { return x[i] - shift[c]; },
      [=](int64_t i, int64_t c) { return (x[i] - shift[c]) * (x[i] - shift[c]); });
}

/// Calls `body(i, c)` for each element i of channel c.
template <class Body>
static inline void each(const ChannelRows& shape, const Body& body) {
  for (int64_t row = 0; row < shape.rows; ++row) {
    const int64_t at = row * shape.channels;
#pragma GCC ivdep
    for (int64_t c = 0; c < shape.channels; ++c) body(at + c, c);
  }
}

static void affine(const ChannelRows& shape, const float* x, const float* mean, const float* scale,
                   const float* bias, const float* added, bool rectified, float* out) {
  const auto normal = [=](int64_t i, int64_t c) { return (x[i] - mean[c]) * scale[c] + bias[c]; };
  const auto write = [&](const auto& value) {
    if (rectified) {
      each(shape, [=](int64_t i, int64_t c) {
        const float y = value(i, c);
        out[i] = y < 0.0f ? 0.0f : y;
      });
    } else {
      each(shape, [=](int64_t i, int64_t c) { out[i] = value(i, c); });
    }
  };
  if (added) {
    write([=](int64_t i, int64_t c) { return normal(i, c) + added[i]; });
  } else {
    write(normal);
  }
}

/// Calls `body` with a function that gives the gradient at i.
template <class Body>
static inline void with_gradient(const float* gradient, const float* output, const Body& body) {
  if (output) {
    body([=](int64_t i) {
      const float arrived = gradient[i];  // read in any case: a condition on a read is not vectorised
      return output[i] > 0.0f ? arrived : 0.0f;
    });
  } else {
    body([=](int64_t i) { return gradient[i]; });
  }
}

static void gradient_moments(const ChannelRows& shape, const float* gradient, const float* x,
                             const float* output, const float* mean, double* totals) {
  with_gradient(gradient, output, [&](const auto& g) {
    sum_rows(
        shape, totals, [=](int64_t i, int64_t) { return g(i); },
        [=](int64_t i, int64_t c) { return g(i) * (x[i] - mean[c]); });
  });
}

static void combine(const ChannelRows& shape, const float* gradient, const float* x, const float* output,
                    const float* mean, const float* a, const float* b, const float* c, float* out) {
  with_gradient(gradient, output, [&](const auto& g) {
    each(shape, [=](int64_t i, int64_t k) { out[i] = g(i) * a[k] + (x[i] - mean[k]) * b[k] + c[k]; });
  });
}

extern constinit const NormLastTable norm_last_table = {moments, affine, gradient_moments, combine};

}  // namespace dyad::kernels::DYAD_ISA
