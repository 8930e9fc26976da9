#pragma once

#include "kernels/cuda/device/storage.h"

#include "kernels/cuda/params/optimizer.h"
#include "types/dtype.h"

namespace dyad::cuda::device {

DYAD_DEVICE_INLINE double read(const DeviceNumber& number) {
  if (!number.at) return 0;
  switch (static_cast<DType>(number.dtype)) {
    case DType::kFloat32:
      return *static_cast<const float*>(number.at);
    case DType::kFloat64:
      return *static_cast<const double*>(number.at);
    case DType::kFloat16:
      return static_cast<float>(*static_cast<const Half*>(number.at));
    case DType::kBFloat16:
      return static_cast<float>(*static_cast<const BFloat16*>(number.at));
    case DType::kInt32:
      return *static_cast<const int32_t*>(number.at);
    default:
      return static_cast<double>(*static_cast<const int64_t*>(number.at));
  }
}

/// The parameter that this block works on.
DYAD_DEVICE_INLINE int tensor_of_block(const StepParams& p) {
  int low = 0;
  int high = p.count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (p.first_block[middle] <= block_x()) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// Calls `visit(i)` for the elements that this thread takes of a parameter.
template <class Visit>
DYAD_DEVICE_INLINE void for_each_element(const StepParams& p, int number, Visit visit) {
  const int64_t count = p.tensors[number].count;
  const int64_t first = static_cast<int64_t>(block_x() - p.first_block[number]) * kStepElements;
  const int64_t last = first + kStepElements < count ? first + kStepElements : count;
  for (int64_t i = first + thread_x(); i < last; i += threads_x()) visit(i);
}

/// Takes an optimiser's step with one parameter, settings worked out by the first thread.
template <class Optimizer, class S>
DYAD_DEVICE_INLINE void take_step(const StepParams& p) {
  using T = Computed<S>;
  using Settings = typename Optimizer::Step::Settings;
  DYAD_SHARED(Settings, shared, 1);
  const int number = tensor_of_block(p);
  const StepTensor& t = p.tensors[number];
  if (thread_x() == 0) shared[0] = Optimizer::settings(p, t);
  sync_threads();
  const Settings settings = shared[0];
  for_each_element(p, number, [&](int64_t i) {
    T x[Optimizer::kStreams];
#pragma unroll
    for (int k = 0; k < Optimizer::kStreams; ++k) x[k] = static_cast<T>(static_cast<const S*>(t.at[k])[i]);
    if constexpr (Optimizer::kStreams == 3) {
      Optimizer::Step::apply(settings, x[0], x[1], x[2]);
    } else if constexpr (Optimizer::kStreams == 4) {
      Optimizer::Step::apply(settings, x[0], x[1], x[2], x[3]);
    } else {
      Optimizer::Step::apply(settings, x[0], x[1], x[2], x[3], x[4]);
    }
#pragma unroll
    for (int k = 0; k < Optimizer::kStreams; ++k) {
      if (k != 1) static_cast<S*>(t.at[k])[i] = S(x[k]);
    }
  });
}

}  // namespace dyad::cuda::device
