// Normalisation of rows: layer_norm and rms_norm.

#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/norm.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 1 << 14;
/// Rows whose parameter gradients are added up by one task; fixed by the number of rows alone.
constexpr int64_t kMostChunks = 16;

struct Rows {
  int64_t rows = 1;
  int64_t count = 1;
  Runs run() const { return {1, 0, count}; }
  Rows(const Shape& shape, int64_t first_axis) {
    for (size_t i = 0; i < shape.size(); ++i)
      (static_cast<int64_t>(i) < first_axis ? rows : count) *= shape[i].value();
  }
};

/// An optional parameter, contiguous and in the computing dtype.
template <class T>
class Parameter {
 public:
  Parameter(const KernelCall& call, size_t at, DType dtype) {
    if (call.has(at)) held_.emplace(call.in(at), dtype);
  }
  const T* data() const { return held_ ? held_->template as<T>() : nullptr; }

 private:
  std::optional<Contiguous> held_;
};

/// (input, begin_axis, weight, bias, epsilon) -> (output, mean, reciprocal of the standard deviation)
void run_layer_norm(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const DType dtype = compute_dtype(input.dtype);
  const Rows shape(input.shape, call.integer(1));
  const double epsilon = call.real(4);
  const Contiguous in(input, dtype);
  Computed out(call.out(0), dtype);
  Computed means(call.out(1), dtype);
  Computed scales(call.out(2), dtype);
  with_float(dtype, [&]<class T>(T) {
    const Parameter<T> weight(call, 2, dtype);
    const Parameter<T> bias(call, 3, dtype);
    const NormLoops<T>& loops = norm_loops<T>();
    T* to = out.as<T>();
    T* mean_to = means.as<T>();
    T* scale_to = scales.as<T>();
    const double n = static_cast<double>(shape.count);
    parallel_for(
        shape.rows, std::max<int64_t>(kGrain / std::max<int64_t>(shape.count, 1), 1),
        [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const T* x = in.as<T>() + row * shape.count;
            const T mean = static_cast<T>(loops.sum(x, shape.run()) / n);
            const T scale = static_cast<T>(1 / std::sqrt(loops.spread(x, shape.run(), mean) / n + epsilon));
            loops.normalize(x, shape.count, mean, scale, weight.data(), bias.data(), to + row * shape.count);
            mean_to[row] = mean;
            scale_to[row] = scale;
          }
        });
  });
  out.store();
  means.store();
  scales.store();
}

/// (gradient, input, mean, scale, weight, begin_axis) -> gradients of input, weight and bias
void run_layer_norm_grad(const KernelCall& call) {
  const ValueImpl& input = call.in(1);
  const DType dtype = compute_dtype(input.dtype);
  const Rows shape(input.shape, call.integer(5));
  const Contiguous gradient(call.in(0), dtype);
  const Contiguous in(input, dtype);
  const Contiguous mean(call.in(2), dtype);
  const Contiguous scale(call.in(3), dtype);
  Computed out(call.out(0), dtype);
  Computed weight_out(call.out(1), dtype);
  Computed bias_out(call.out(2), dtype);
  with_float(dtype, [&]<class T>(T) {
    const Parameter<T> weight(call, 4, dtype);
    const NormLoops<T>& loops = norm_loops<T>();
    const int64_t count = shape.count;
    const int64_t chunk = std::max<int64_t>((shape.rows + kMostChunks - 1) / kMostChunks, 1);
    const int64_t chunks = std::max<int64_t>((shape.rows + chunk - 1) / chunk, 1);
    Workspace partial(static_cast<size_t>(2 * chunks * count) * sizeof(T) + 1);
    std::memset(partial.as<char>(), 0, static_cast<size_t>(2 * chunks * count) * sizeof(T));
    T* to = out.as<T>();
    parallel_for(chunks, std::max<int64_t>(kGrain / std::max<int64_t>(chunk * count, 1), 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t row = begin * chunk; row < std::min(end * chunk, shape.rows); ++row) {
                     const T* g = gradient.as<T>() + row * count;
                     const T* x = in.as<T>() + row * count;
                     const T m = mean.as<T>()[row];
                     const T s = scale.as<T>()[row];
                     double plain = 0;
                     double scaled = 0;
                     loops.moments(g, x, shape.run(), m, weight.data(), &plain, &scaled);
                     const double n = static_cast<double>(count);
                     const double wide = static_cast<double>(s);
                     loops.combine(g, x, shape.run(), m, weight.data(), s,
                                   static_cast<T>(-wide * wide * wide * scaled / n),
                                   static_cast<T>(-wide * plain / n), to + row * count);
                     T* sums = partial.as<T>() + row / chunk * 2 * count;
                     loops.parameters(g, x, count, m, s, sums, sums + count);
                   }
                 });
    T* weight_to = weight_out.as<T>();
    T* bias_to = bias_out.as<T>();
    for (int64_t i = 0; i < count; ++i) {
      double weight_total = 0;
      double bias_total = 0;
      for (int64_t c = 0; c < chunks; ++c) {
        weight_total += static_cast<double>(partial.as<T>()[c * 2 * count + i]);
        bias_total += static_cast<double>(partial.as<T>()[(c * 2 + 1) * count + i]);
      }
      weight_to[i] = static_cast<T>(weight_total);
      bias_to[i] = static_cast<T>(bias_total);
    }
  });
  out.store();
  weight_out.store();
  bias_out.store();
}

/// (input, weight, epsilon) -> (output, reciprocal of the root mean square)
void run_rms_norm(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const DType dtype = compute_dtype(input.dtype);
  const Rows shape(input.shape, input.rank() - call.in(1).rank());
  const double epsilon = call.real(2);
  const Contiguous in(input, dtype);
  Computed out(call.out(0), dtype);
  Computed scales(call.out(1), dtype);
  with_float(dtype, [&]<class T>(T) {
    const Parameter<T> weight(call, 1, dtype);
    const NormLoops<T>& loops = norm_loops<T>();
    T* to = out.as<T>();
    T* scale_to = scales.as<T>();
    parallel_for(shape.rows, std::max<int64_t>(kGrain / std::max<int64_t>(shape.count, 1), 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t row = begin; row < end; ++row) {
                     const T* x = in.as<T>() + row * shape.count;
                     const double square =
                         loops.spread(x, shape.run(), T(0)) / static_cast<double>(shape.count);
                     scale_to[row] = static_cast<T>(1 / std::sqrt(square + epsilon));
                     loops.normalize(x, shape.count, T(0), scale_to[row], weight.data(), nullptr,
                                     to + row * shape.count);
                   }
                 });
  });
  out.store();
  scales.store();
}

}  // namespace

DYAD_CPU_KERNEL(normalize_rows, run_layer_norm);
DYAD_CPU_KERNEL(normalize_rows_grad, run_layer_norm_grad);
DYAD_CPU_KERNEL(normalize_rms, run_rms_norm);

}  // namespace dyad::kernels
