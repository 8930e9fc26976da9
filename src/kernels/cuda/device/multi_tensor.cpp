// Steps over all gradients of a network at once.

#include "kernels/cuda/device/storage.h"

#include "kernels/cuda/device/block_reduce.h"
#include "kernels/cuda/params/multi_tensor.h"

namespace dyad::cuda::device {

/// Calls `visit(tensor, i)` for the elements of this thread.
template <class Visit>
DYAD_DEVICE_INLINE void each_of_many(const MultiTensorParams& p, Visit visit) {
  int tensor = 0;
  int high = p.tensors - 1;
  while (tensor < high) {
    const int middle = (tensor + high + 1) / 2;
    if (p.first_block[middle] <= block_x()) {
      tensor = middle;
    } else {
      high = middle - 1;
    }
  }
  const int64_t first = static_cast<int64_t>(block_x() - p.first_block[tensor]) * kManyElements;
  const int64_t last = first + kManyElements < p.count[tensor] ? first + kManyElements : p.count[tensor];
  for (int64_t i = first + thread_x(); i < last; i += threads_x()) visit(tensor, i);
}

template <class S>
DYAD_DEVICE_INLINE void square_sum(const MultiTensorParams& p) {
  using T = Computed<S>;
  DYAD_SHARED(double, places, kMostWarps);
  T sum = 0;
  each_of_many(p, [&](int tensor, int64_t i) {
    const T x = static_cast<T>(static_cast<const S*>(p.in[tensor])[i]);
    sum += x * x;
  });
  const double total = reduce_block(static_cast<double>(sum), Sum(), places);
  if (thread_x() == 0) p.sums[block_x()] = total;
}

template <class S>
DYAD_DEVICE_INLINE void scale(const MultiTensorParams& p) {
  using T = Computed<S>;
  const T factor = static_cast<T>(*p.factor);
  each_of_many(p, [&](int tensor, int64_t i) {
    static_cast<S*>(p.out[tensor])[i] = S(static_cast<T>(static_cast<const S*>(p.in[tensor])[i]) * factor);
  });
}

template <class S>
DYAD_DEVICE_INLINE void find_infinite(const MultiTensorParams& p) {
  using T = Computed<S>;
  bool finite = true;
  each_of_many(p, [&](int tensor, int64_t i) {
    const T x = static_cast<T>(static_cast<const S*>(p.in[tensor])[i]);
    finite = finite && x - x == T(0);
  });
  if (!finite) *p.finite = false;
}

DYAD_FLOAT_KERNELS(many_square_sum, MultiTensorParams, square_sum)
DYAD_FLOAT_KERNELS(many_scale, MultiTensorParams, scale)
DYAD_FLOAT_KERNELS(many_finite, MultiTensorParams, find_infinite)

DYAD_DEVICE_KERNEL(add_totals, TotalParams) {
  DYAD_SHARED(double, places, kMostWarps);
  double total = 0;
  for (int64_t i = thread_x(); i < p.count; i += threads_x()) total += p.sums[i];
  total = reduce_block(total, Sum(), places);
  if (thread_x() != 0) return;
  if (p.wide) {
    *static_cast<double*>(p.out) = total;
  } else {
    *static_cast<float*>(p.out) = static_cast<float>(total);
  }
}

}  // namespace dyad::cuda::device
