// Cross entropy in one pass over the scores forward and one backward.

#include <limits>

#include "kernels/cuda/device/storage.h"

#include "kernels/cuda/device/faults.h"
#include "kernels/cuda/device/line_workers.h"
#include "kernels/cuda/params/entropy.h"

namespace dyad::cuda::device {

template <class T>
DYAD_DEVICE_INLINE T lowest() {
  return -std::numeric_limits<T>::infinity();
}

/// The logarithm of the sum of exponentials of a line.
template <class S, class Worker>
DYAD_DEVICE_INLINE Computed<S> log_sum_of(const S* line, int64_t count, int64_t inner, const Worker& worker) {
  using T = Computed<S>;
  T largest = lowest<T>();
  worker.each(count, [&](int64_t i) { largest = greater_of(largest, static_cast<T>(line[i * inner])); });
  largest = worker.reduce(largest, Maximum());
  const T shift = largest == lowest<T>() || largest == -lowest<T>() ? T(0) : largest;
  T total = 0;
  worker.each(count, [&](int64_t i) { total += math::exp(static_cast<T>(line[i * inner]) - shift); });
  return math::log(worker.reduce(total, Sum())) + shift;
}

template <class S, class Worker>
DYAD_DEVICE_INLINE void class_loss(const ClassLossParams& p, const Worker& worker) {
  using T = Computed<S>;
  const T* weight = static_cast<const T*>(p.weight);
  for (int64_t line = worker.first(); line < p.outer * p.inner; line += worker.step()) {
    const int64_t at = line / p.inner * p.count * p.inner + line % p.inner;
    const S* scores = static_cast<const S*>(p.scores) + at;
    const int64_t label = p.target[line];
    const bool counts = label != p.ignored;
    const bool valid = label >= 0 && label < p.count;
    const T log_sum = p.normalize ? log_sum_of(scores, p.count, p.inner, worker) : T(0);
    const T smoothing = static_cast<T>(p.smoothing);
    T spread = 0;
    if (smoothing > 0) {
      worker.each(p.count, [&](int64_t i) {
        spread += (weight ? weight[i] : T(1)) * (log_sum - static_cast<T>(scores[i * p.inner]));
      });
      spread = worker.reduce(spread, Sum());
    }
    if (!worker.leads()) continue;
    if (counts && !valid) report(p.fault, p.ticket, FaultKind::kClassRange, label, p.count);
    const T own = counts && valid ? (weight ? weight[label] : T(1)) : T(0);
    const T score = counts && valid ? static_cast<T>(scores[label * p.inner]) : T(0);
    T loss = (T(1) - smoothing) * own * (log_sum - score) + smoothing / static_cast<T>(p.count) * spread;
    static_cast<T*>(p.log_sum)[line] = log_sum;
    static_cast<T*>(p.losses)[line] = counts ? loss : T(0);
    static_cast<T*>(p.counted)[line] = own;
  }
}

template <class S, class Worker>
DYAD_DEVICE_INLINE void class_loss_grad(const ClassLossParams& p, const Worker& worker) {
  using T = Computed<S>;
  const T* weight = static_cast<const T*>(p.weight);
  const T smoothing = static_cast<T>(p.smoothing);
  T weights = static_cast<T>(p.count);
  if (weight && smoothing > 0) {
    weights = 0;
    worker.each(p.count, [&](int64_t i) { weights += weight[i]; });
    weights = worker.reduce(weights, Sum());
  }
  const T share = smoothing / static_cast<T>(p.count);
  for (int64_t line = worker.first(); line < p.outer * p.inner; line += worker.step()) {
    const int64_t at = line / p.inner * p.count * p.inner + line % p.inner;
    const S* scores = static_cast<const S*>(p.scores) + at;
    S* out = static_cast<S*>(p.out) + at;
    const int64_t label = p.target[line];
    const bool counts = label != p.ignored && label >= 0 && label < p.count;
    T gradient = static_cast<const T*>(p.gradient)[p.each ? line : 0];
    if (p.total) gradient /= *static_cast<const T*>(p.total);
    if (!counts) gradient = 0;
    const T own = counts ? (T(1) - smoothing) * (weight ? weight[label] : T(1)) : T(0);
    const T scale = counts ? gradient * (own + share * weights) : T(0);
    const T log_sum = static_cast<const T*>(p.log_sum)[line];
    worker.each(p.count, [&](int64_t i) {
      T value = p.normalize ? scale * math::exp(static_cast<T>(scores[i * p.inner]) - log_sum) : T(0);
      if (smoothing > 0) value -= share * (weight ? weight[i] : T(1)) * gradient;
      if (i == label) value -= own * gradient;
      out[i * p.inner] = S(value);
    });
  }
}

template <class T>
DYAD_DEVICE_INLINE void loss_totals(const LossTotalParams& p) {
  DYAD_SHARED(double, places, kMostWarps);
  double sum = 0;
  double total = 0;
  for (int64_t i = thread_x(); i < p.lines; i += threads_x()) {
    sum += static_cast<double>(static_cast<const T*>(p.losses)[i]);
    total += static_cast<double>(static_cast<const T*>(p.counted)[i]);
  }
  sum = reduce_block(sum, Sum(), places);
  total = reduce_block(total, Sum(), places);
  if (thread_x() != 0) return;
  *static_cast<T*>(p.total) = static_cast<T>(total);
  if (p.loss) *static_cast<T*>(p.loss) = static_cast<T>(p.mean ? sum / total : sum);
}

template <class S, class Worker>
DYAD_DEVICE_INLINE void distribution_loss(const DistributionLossParams& p, const Worker& worker) {
  using T = Computed<S>;
  for (int64_t line = worker.first(); line < p.outer * p.inner; line += worker.step()) {
    const int64_t at = line / p.inner * p.count * p.inner + line % p.inner;
    const S* scores = static_cast<const S*>(p.scores) + at;
    const S* target = static_cast<const S*>(p.target) + at;
    const T log_sum = log_sum_of(scores, p.count, p.inner, worker);
    T loss = 0;
    worker.each(p.count, [&](int64_t i) {
      loss += static_cast<T>(target[i * p.inner]) * (log_sum - static_cast<T>(scores[i * p.inner]));
    });
    loss = worker.reduce(loss, Sum());
    if (!worker.leads()) continue;
    static_cast<T*>(p.log_sum)[line] = log_sum;
    static_cast<S*>(p.out)[line] = S(loss);
  }
}

template <class S, class Worker>
DYAD_DEVICE_INLINE void distribution_loss_grad(const DistributionLossParams& p, const Worker& worker) {
  using T = Computed<S>;
  for (int64_t line = worker.first(); line < p.outer * p.inner; line += worker.step()) {
    const int64_t at = line / p.inner * p.count * p.inner + line % p.inner;
    const S* scores = static_cast<const S*>(p.scores) + at;
    const S* target = static_cast<const S*>(p.target) + at;
    const T log_sum = static_cast<const T*>(p.log_sum)[line];
    const T gradient = static_cast<T>(static_cast<const S*>(p.gradient)[line]);
    T total = 0;
    worker.each(p.count, [&](int64_t i) { total += static_cast<T>(target[i * p.inner]); });
    total = worker.reduce(total, Sum());
    worker.each(p.count, [&](int64_t i) {
      const T probability = math::exp(static_cast<T>(scores[i * p.inner]) - log_sum);
      static_cast<S*>(p.out)[at + i * p.inner] =
          S(gradient * (probability * total - static_cast<T>(target[i * p.inner])));
    });
  }
}

DYAD_LINE_KERNELS(class_loss, ClassLossParams, class_loss)
DYAD_LINE_KERNELS(class_loss_grad, ClassLossParams, class_loss_grad)
DYAD_LINE_KERNELS(distribution_loss, DistributionLossParams, distribution_loss)
DYAD_LINE_KERNELS(distribution_loss_grad, DistributionLossParams, distribution_loss_grad)
DYAD_DEVICE_KERNEL(loss_totals_float32, LossTotalParams) { loss_totals<float>(p); }
DYAD_DEVICE_KERNEL(loss_totals_float64, LossTotalParams) { loss_totals<double>(p); }

}  // namespace dyad::cuda::device
