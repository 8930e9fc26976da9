// Normalisation over all elements of a channel. The input is (samples, channels, places); inputs without
// places are handled as one sample whose places are the samples, so that a channel is always made of
// contiguous runs.

#include <cmath>

#include "base/parallel.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/norm.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 1 << 14;

struct Channels {
  int64_t samples;
  int64_t channels;
  int64_t places = 1;
  bool flipped = false;  ///< (samples, channels) was turned into (1, channels, samples)

  explicit Channels(const Shape& shape) : samples(shape[0].value()), channels(shape[1].value()) {
    for (size_t i = 2; i < shape.size(); ++i) places *= shape[i].value();
    if (places == 1 && samples > 1) {
      places = samples;
      samples = 1;
      flipped = true;
    }
  }
  int64_t per_channel() const { return samples * places; }
  int64_t total() const { return samples * channels * places; }
  /// The elements of a channel, which begin at its number times `places`.
  Runs runs() const { return {samples, channels * places, places}; }
  /// Swaps (samples, channels) into (channels, samples), or back.
  void flip(DType dtype, const void* from, void* to, bool back) const {
    const Shape shape = back ? Shape{places, channels} : Shape{channels, places};
    copy_elements(dtype, shape, from, back ? Strides{1, places} : Strides{1, channels}, to,
                  contiguous_strides(shape));
  }
  template <class Body>
  void for_each_channel(const Body& body) const {
    parallel_for(channels, std::max<int64_t>(kGrain / std::max<int64_t>(per_channel(), 1), 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t c = begin; c < end; ++c) body(c);
                 });
  }
};

/// An input with each channel in contiguous runs.
class ChannelInput {
 public:
  ChannelInput(const Channels& shape, const ValueImpl& value, DType dtype)
      : held_(value, dtype), data_(held_.as()) {
    if (!shape.flipped) return;
    turned_.emplace(static_cast<size_t>(shape.total() * itemsize(dtype)));
    shape.flip(dtype, data_, turned_->as<char>(), false);
    data_ = turned_->as<char>();
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  Contiguous held_;
  std::optional<Workspace> turned_;
  const char* data_;
};

/// A result written with each channel in contiguous runs.
class ChannelOutput {
 public:
  ChannelOutput(const Channels& shape, ValueImpl& out, DType dtype)
      : shape_(shape), dtype_(dtype), computed_(out, dtype) {
    if (shape.flipped) turned_.emplace(static_cast<size_t>(shape.total() * itemsize(dtype)));
  }
  template <class T>
  T* as() {
    return turned_ ? turned_->as<T>() : computed_.as<T>();
  }
  void store() {
    if (turned_) shape_.flip(dtype_, turned_->as<char>(), computed_.as<char>(), true);
    computed_.store();
  }

 private:
  const Channels& shape_;
  DType dtype_;
  Computed computed_;
  std::optional<Workspace> turned_;
};

template <class T>
T parameter(const std::optional<Contiguous>& values, int64_t channel, T otherwise) {
  return values ? values->as<T>()[channel] : otherwise;
}

std::optional<Contiguous> optional_input(const KernelCall& call, size_t at, DType dtype) {
  if (!call.has(at)) return std::nullopt;
  return std::optional<Contiguous>(std::in_place, call.in(at), dtype);
}

/// (input, weight, bias, epsilon) -> (output, mean, biased variance)
void run_batch_norm_train(const KernelCall& call) {
  if (call.flag(4)) return channels_last::batch_norm_train(call);
  const ValueImpl& input = call.in(0);
  const DType dtype = compute_dtype(input.dtype);
  const Channels shape(input.shape);
  const double epsilon = call.real(3);
  const auto weight = optional_input(call, 1, dtype);
  const auto bias = optional_input(call, 2, dtype);
  const ChannelInput in(shape, input, dtype);
  ChannelOutput out(shape, call.out(0), dtype);
  Computed means(call.out(1), dtype);
  Computed variances(call.out(2), dtype);
  with_float(dtype, [&]<class T>(T) {
    const NormLoops<T>& loops = norm_loops<T>();
    const Runs runs = shape.runs();
    T* to = out.as<T>();
    T* mean_to = means.as<T>();
    T* variance_to = variances.as<T>();
    const double n = static_cast<double>(shape.per_channel());
    shape.for_each_channel([&](int64_t c) {
      const T* x = in.as<T>() + c * shape.places;
      const T mean = static_cast<T>(loops.sum(x, runs) / n);
      const double spread = loops.spread(x, runs, mean);
      const T scale = parameter<T>(weight, c, 1) * static_cast<T>(1 / std::sqrt(spread / n + epsilon));
      loops.affine(x, runs, mean, scale, parameter<T>(bias, c, 0), to + c * shape.places);
      mean_to[c] = mean;
      variance_to[c] = static_cast<T>(spread / n);
    });
  });
  out.store();
  means.store();
  variances.store();
}

/// (input, mean, variance, weight, bias, epsilon) -> output
void run_batch_norm_apply(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const DType dtype = compute_dtype(input.dtype);
  const Channels shape(input.shape);
  const double epsilon = call.real(5);
  const Contiguous mean(call.in(1), dtype);
  const Contiguous variance(call.in(2), dtype);
  const auto weight = optional_input(call, 3, dtype);
  const auto bias = optional_input(call, 4, dtype);
  const ChannelInput in(shape, input, dtype);
  ChannelOutput out(shape, call.out(), dtype);
  with_float(dtype, [&]<class T>(T) {
    const NormLoops<T>& loops = norm_loops<T>();
    const Runs runs = shape.runs();
    T* to = out.as<T>();
    shape.for_each_channel([&](int64_t c) {
      const double deviation = std::sqrt(static_cast<double>(variance.as<T>()[c]) + epsilon);
      const T scale = parameter<T>(weight, c, 1) * static_cast<T>(1 / deviation);
      loops.affine(in.as<T>() + c * shape.places, runs, mean.as<T>()[c], scale, parameter<T>(bias, c, 0),
                   to + c * shape.places);
    });
  });
  out.store();
}

/// (gradient, input, mean, variance, weight, epsilon) -> gradients of input, weight and bias
void run_batch_norm_grad(const KernelCall& call) {
  if (call.flag(6)) return channels_last::batch_norm_train_grad(call);
  const ValueImpl& input = call.in(1);
  const DType dtype = compute_dtype(input.dtype);
  const Channels shape(input.shape);
  const double epsilon = call.real(5);
  const ChannelInput gradient(shape, call.in(0), dtype);
  const ChannelInput in(shape, input, dtype);
  const Contiguous means(call.in(2), dtype);
  const Contiguous variances(call.in(3), dtype);
  const auto weight = optional_input(call, 4, dtype);
  ChannelOutput out(shape, call.out(0), dtype);
  Computed weight_out(call.out(1), dtype);
  Computed bias_out(call.out(2), dtype);
  with_float(dtype, [&]<class T>(T) {
    const NormLoops<T>& loops = norm_loops<T>();
    const Runs runs = shape.runs();
    T* to = out.as<T>();
    T* weight_to = weight_out.as<T>();
    T* bias_to = bias_out.as<T>();
    const double n = static_cast<double>(shape.per_channel());
    shape.for_each_channel([&](int64_t c) {
      const T mean = means.as<T>()[c];
      const int64_t at = c * shape.places;
      double plain;
      double scaled;
      loops.moments(gradient.as<T>() + at, in.as<T>() + at, runs, mean, nullptr, &plain, &scaled);
      const double scale = 1 / std::sqrt(static_cast<double>(variances.as<T>()[c]) + epsilon);
      const double weighted = static_cast<double>(parameter<T>(weight, c, 1)) * scale;
      loops.combine(gradient.as<T>() + at, in.as<T>() + at, runs, mean, nullptr, static_cast<T>(weighted),
                    static_cast<T>(-weighted * scale * scale * scaled / n),
                    static_cast<T>(-weighted * plain / n), to + at);
      weight_to[c] = static_cast<T>(scaled * scale);
      bias_to[c] = static_cast<T>(plain);
    });
  });
  out.store();
  weight_out.store();
  bias_out.store();
}

}  // namespace

DYAD_CPU_KERNEL(batch_norm_train, run_batch_norm_train);
DYAD_CPU_KERNEL(batch_norm_apply, run_batch_norm_apply);
DYAD_CPU_KERNEL(batch_norm_train_grad, run_batch_norm_grad);

}  // namespace dyad::kernels
