// Draws from the counter-based stream: element i depends on the stream and i alone, as on the CPU.

#include "kernels/cuda/device/storage.h"

#include <cmath>

#include "kernels/cpu/draws.h"
#include "kernels/cuda/device/block_reduce.h"
#include "kernels/cuda/device/faults.h"
#include "kernels/cuda/params/random.h"
#include "runtime/philox.h"

namespace dyad::cuda::device {

using kernels::unit_double;
using kernels::unit_float;

/// Elements from each position of the stream.
template <class T>
inline constexpr int kPerPosition = sizeof(T) == 8 ? 2 : 4;

/// Calls `draw(words, elements)` for each position and stores what it gives.
template <class S, class Draw>
DYAD_DEVICE_INLINE void fill(const RandomParams& p, Draw draw) {
  using T = Computed<S>;
  constexpr int per = kPerPosition<T>;
  DYAD_FOR_EACH(position, (p.count + per - 1) / per) {
    const Philox random(p.seed, p.position + static_cast<uint64_t>(position));
    T elements[per];
    draw(random.words, elements);
    for (int k = 0; k < per; ++k) {
      if (position * per + k < p.count) static_cast<S*>(p.out)[position * per + k] = S(elements[k]);
    }
  }
}

template <class S>
DYAD_DEVICE_INLINE void uniform(const RandomParams& p) {
  using T = Computed<S>;
  const T low = static_cast<T>(p.low);
  const T span = static_cast<T>(p.span);
  fill<S>(p, [&](const uint32_t* w, T* e) {
    if constexpr (std::is_same_v<T, double>) {
      e[0] = low + span * unit_double(w[0], w[1]);
      e[1] = low + span * unit_double(w[2], w[3]);
    } else {
      for (int k = 0; k < 4; ++k) e[k] = low + span * unit_float(w[k]);
    }
  });
}

template <class T>
DYAD_DEVICE_INLINE void normal_pair(T u1, T u2, T* e) {
  const T radius = __builtin_sqrt(T(-2) * math::log(T(1) - u1));
  const T angle = T(2) * static_cast<T>(3.14159265358979323846) * u2;
  e[0] = radius * std::cos(angle);
  e[1] = radius * std::sin(angle);
}

template <class S>
DYAD_DEVICE_INLINE void normal(const RandomParams& p) {
  using T = Computed<S>;
  fill<S>(p, [](const uint32_t* w, T* e) {
    if constexpr (std::is_same_v<T, double>) {
      normal_pair(unit_double(w[0], w[1]), unit_double(w[2], w[3]), e);
    } else {
      normal_pair(unit_float(w[0]), unit_float(w[1]), e);
      normal_pair(unit_float(w[2]), unit_float(w[3]), e + 2);
    }
  });
}

template <class S>
DYAD_DEVICE_INLINE void dropout(const DropoutParams& p) {
  using T = Computed<S>;
  const T scale = static_cast<T>(p.scale);
  DYAD_FOR_EACH(position, (p.count + 3) / 4) {
    const Philox random(p.seed, p.position + static_cast<uint64_t>(position));
    for (int k = 0; k < 4; ++k) {
      const int64_t i = position * 4 + k;
      if (i >= p.count) break;
      const bool keep = (random.words[k] >> 1) >= p.limit;
      p.kept[i] = keep;
      static_cast<S*>(p.out)[i] = keep ? S(static_cast<T>(static_cast<const S*>(p.in)[i]) * scale) : S(T(0));
    }
  }
}

/// The upper half of a 128-bit product scales a 64-bit number to the range.
DYAD_DEVICE_KERNEL(random_integers, RandomIntegerParams) {
  DYAD_FOR_EACH(position, (p.count + 1) / 2) {
    const Philox random(p.seed, p.position + static_cast<uint64_t>(position));
    for (int k = 0; k < 2; ++k) {
      const int64_t i = position * 2 + k;
      if (i >= p.count) break;
      const uint64_t bits = uint64_t{random.words[2 * k]} << 32 | random.words[2 * k + 1];
      const auto scaled = static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * p.span) >> 64);
      static_cast<int64_t*>(p.out)[i] = static_cast<int64_t>(static_cast<uint64_t>(p.low) + scaled);
    }
  }
}

DYAD_DEVICE_KERNEL(truncated_normal, TriesParams) {
  DYAD_FOR_EACH(i, p.count) {
    kernels::Tries tries(p.seed, p.position, i);
    p.out[i] = kernels::truncated_normal_of(p.low, p.high, tries);
  }
}

/// Draws of a parameter per element; one that `accepted` refuses is reported.
template <class Accepted, class Draw>
DYAD_DEVICE_INLINE void draw_each(const TriesParams& p, FaultKind fault, Accepted accepted, Draw draw) {
  DYAD_FOR_EACH(i, p.count) {
    const double parameter = p.parameters[i % p.parameter_count];
    if (!accepted(parameter)) {
      report(p.fault, p.ticket, fault, std::bit_cast<int64_t>(parameter), 0);
      p.out[i] = 0;
      continue;
    }
    kernels::Tries tries(p.seed, p.position, i);
    p.out[i] = draw(parameter, tries);
  }
}

DYAD_DEVICE_KERNEL(standard_gamma, TriesParams) {
  draw_each(p, FaultKind::kAlpha, [](double alpha) { return alpha > 0; }, kernels::gamma_of);
}
DYAD_DEVICE_KERNEL(standard_poisson, TriesParams) {
  draw_each(p, FaultKind::kRate, [](double rate) { return rate >= 0; }, kernels::poisson_of);
}

/// A row of weights, of which thread t of the block has added up the t-th stretch.
struct WeightRow {
  const double* weights;
  int64_t columns;
  int64_t stretch;
  const double* sums;
  int64_t stretches;

  /// The column that `left`, a share of the total, falls on; rounding may leave a rest, which the last
  /// positive weight takes.
  DYAD_DEVICE_INLINE int64_t find(double left) const {
    int64_t in = 0;
    for (int64_t k = 0; k < stretches; ++k) {
      if (sums[k] <= 0) continue;
      in = k;
      if (left < sums[k]) break;
      left -= sums[k];
    }
    int64_t chosen = 0;
    for (int64_t c = in * stretch; c < end(in); ++c) {
      if (weights[c] <= 0) continue;
      chosen = c;
      if (left < weights[c]) break;
      left -= weights[c];
    }
    return chosen;
  }
  DYAD_DEVICE_INLINE int64_t end(int64_t k) const {
    return (k + 1) * stretch < columns ? (k + 1) * stretch : columns;
  }
};

/// A block draws the columns of a row: with replacement all threads at once, without one after another.
DYAD_DEVICE_KERNEL(multinomial, MultinomialParams) {
  DYAD_SHARED(double, sums, kMultinomialThreads);
  DYAD_SHARED(double, places, kMostWarps);
  DYAD_SHARED(int64_t, counts, kMostWarps);
  const int64_t stretch = (p.columns + kMultinomialThreads - 1) / kMultinomialThreads;
  for (int64_t r = block_x(); r < p.rows; r += blocks_x()) {
    const double* given = p.weights + r * p.columns;
    double* left_over = p.left_over ? p.left_over + r * p.columns : nullptr;
    const WeightRow row{left_over ? left_over : given, p.columns, stretch, sums, kMultinomialThreads};
    double sum = 0;
    int64_t positive = 0;
    for (int64_t c = thread_x() * stretch; c < row.end(thread_x()); ++c) {
      const double w = given[c];
      if (!(w >= 0) || w == __builtin_inf())
        report(p.fault, p.ticket, FaultKind::kWeight, std::bit_cast<int64_t>(w), r);
      if (left_over) left_over[c] = w;
      sum += w;
      positive += w > 0;
    }
    sums[thread_x()] = sum;
    double total = reduce_block(sum, Sum{}, places);
    positive = reduce_block(positive, Sum{}, counts);
    sync_threads();
    if (thread_x() == 0 && total <= 0) report(p.fault, p.ticket, FaultKind::kNoWeight, r, 0);
    if (thread_x() == 0 && total > 0 && left_over && positive < p.samples)
      report(p.fault, p.ticket, FaultKind::kFewWeights, r, positive);
    const int64_t first = left_over ? 0 : thread_x();
    const int64_t step = left_over ? 1 : kMultinomialThreads;
    for (int64_t s = first; s < p.samples && (!left_over || thread_x() == 0); s += step) {
      const Philox random(p.seed, p.position + static_cast<uint64_t>(r * p.samples + s));
      const int64_t chosen = row.find(unit_double(random.words[0], random.words[1]) * total);
      p.out[r * p.samples + s] = chosen;
      if (!left_over) continue;
      total -= left_over[chosen];
      left_over[chosen] = 0;
      double rest = 0;
      for (int64_t c = chosen / stretch * stretch; c < row.end(chosen / stretch); ++c) rest += left_over[c];
      sums[chosen / stretch] = rest;
    }
    sync_threads();
  }
}

DYAD_FLOAT_KERNELS(random_uniform, RandomParams, uniform)
DYAD_FLOAT_KERNELS(random_normal, RandomParams, normal)
DYAD_FLOAT_KERNELS(dropout, DropoutParams, dropout)

}  // namespace dyad::cuda::device
