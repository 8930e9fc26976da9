// Batch normalisation of float32 tensors whose channels lie innermost: a matrix with a column per channel.

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/best_table.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/norm_last_table.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

const NormLastTable& table() {
  static const NormLastTable& best =
      best_table(baseline::norm_last_table, avx2::norm_last_table, avx512::norm_last_table);
  return best;
}

// Sums are taken over parts that do not depend on the number of threads, so that the result does not either.
constexpr int64_t kParts = 16;
constexpr int64_t kGrain = 1 << 15;
/// Rows whose mean is taken off before squares are added up, so that they do not cancel.
constexpr int64_t kFirstRows = 32;

ChannelRows rows_of(const ValueImpl& x) {
  const int64_t channels = x.shape.back().value();
  return {channels == 0 ? 0 : x.size() / channels, channels};
}

template <class Body>
void for_parts(const ChannelRows& shape, const Body& body) {
  const int64_t parts = std::clamp<int64_t>(shape.rows * shape.channels / kGrain, 1, kParts);
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t first = part * shape.rows / parts;
      body(part, first, (part + 1) * shape.rows / parts - first);
    }
  });
}

/// The two totals of every channel: `add(offset, rows, totals)` adds those of some rows.
template <class Add>
std::vector<double> totals_of(const ChannelRows& shape, const Add& add) {
  const auto size = static_cast<size_t>(2 * shape.channels);
  std::vector<double> parts(size * kParts, 0.0);
  for_parts(shape, [&](int64_t part, int64_t first, int64_t rows) {
    add(first * shape.channels, ChannelRows{rows, shape.channels},
        parts.data() + static_cast<size_t>(part) * size);
  });
  std::vector<double> totals(size, 0.0);
  for (size_t part = 0; part < kParts; ++part) {
    for (size_t i = 0; i < size; ++i) totals[i] += parts[part * size + i];
  }
  return totals;
}

/// A number for each channel: given, or the same for all.
class PerChannel {
 public:
  PerChannel(const KernelCall& call, size_t at, int64_t channels, float otherwise) {
    if (call.has(at)) {
      given_.emplace(call.in(at), DType::kFloat32);
    } else {
      same_.assign(static_cast<size_t>(channels), otherwise);
    }
  }
  const float* data() const { return given_ ? (*given_)->as<const float>() : same_.data(); }

 private:
  std::optional<Prepared> given_;
  std::vector<float> same_;
};

void find_statistics(const ChannelRows& shape, const float* x, float* mean, float* variance) {
  const auto channels = static_cast<size_t>(shape.channels);
  std::vector<float> shift(channels, 0.0f);
  std::vector<double> first(2 * channels, 0.0);
  const ChannelRows start{std::min(shape.rows, kFirstRows), shape.channels};
  table().moments(start, x, shift.data(), first.data());
  for (size_t c = 0; c < channels; ++c) shift[c] = static_cast<float>(first[c] / double(start.rows));
  const std::vector<double> totals =
      totals_of(shape, [&](int64_t offset, const ChannelRows& part, double* into) {
        table().moments(part, x + offset, shift.data(), into);
      });
  const auto count = static_cast<double>(shape.rows);
  for (size_t c = 0; c < channels; ++c) {
    const double off = totals[c] / count;
    mean[c] = static_cast<float>(static_cast<double>(shift[c]) + off);
    const double spread = totals[channels + c] / count - off * off;
    variance[c] = static_cast<float>(spread < 0 ? 0 : spread);  // not max: a NaN stays one
  }
}

}  // namespace

/// (input, weight, bias, epsilon, channels_last, added, rectified) -> (output, mean, biased variance)
void channels_last::batch_norm_train(const KernelCall& call) {
  const Prepared input(call.in(0), DType::kFloat32);
  const ChannelRows shape = rows_of(*input);
  if (input->size() == 0) {
    for (size_t i = 1; i < 3; ++i) std::fill_n(call.out(i).as<float>(), shape.channels, std::nanf(""));
    return;
  }
  const auto* x = input->as<const float>();
  auto* mean = call.out(1).as<float>();
  auto* variance = call.out(2).as<float>();
  find_statistics(shape, x, mean, variance);
  const PerChannel weight(call, 1, shape.channels, 1);
  const PerChannel bias(call, 2, shape.channels, 0);
  std::vector<float> scale(static_cast<size_t>(shape.channels));
  for (size_t c = 0; c < scale.size(); ++c) {
    const double deviation = std::sqrt(static_cast<double>(variance[c]) + call.real(3));
    scale[c] = weight.data()[c] * static_cast<float>(1 / deviation);
  }
  std::optional<Prepared> added;
  if (call.has(5)) added.emplace(call.in(5), DType::kFloat32);
  const float* more = added ? (*added)->as<const float>() : nullptr;
  auto* out = call.out(0).as<float>();
  const bool rectified = call.flag(6);
  for_parts(shape, [&](int64_t, int64_t first, int64_t rows) {
    const int64_t at = first * shape.channels;
    table().affine({rows, shape.channels}, x + at, mean, scale.data(), bias.data(),
                   more ? more + at : nullptr, rectified, out + at);
  });
}

/// (gradient, input, mean, variance, weight, epsilon, channels_last, output) -> gradients of input, weight,
/// bias
void channels_last::batch_norm_train_grad(const KernelCall& call) {
  const Prepared gradient(call.in(0), DType::kFloat32);
  const Prepared input(call.in(1), DType::kFloat32);
  const Prepared means(call.in(2), DType::kFloat32);
  const Prepared variances(call.in(3), DType::kFloat32);
  const ChannelRows shape = rows_of(*input);
  const auto channels = static_cast<size_t>(shape.channels);
  const PerChannel weight(call, 4, shape.channels, 1);
  std::optional<Prepared> output;
  if (call.has(7)) output.emplace(call.in(7), DType::kFloat32);
  const float* decides = output ? (*output)->as<const float>() : nullptr;
  const auto* mean = means->as<const float>();
  const auto* g = gradient->as<const float>();
  const auto* x = input->as<const float>();
  const std::vector<double> totals = totals_of(shape, [&](int64_t at, const ChannelRows& part, double* into) {
    table().gradient_moments(part, g + at, x + at, decides ? decides + at : nullptr, mean, into);
  });
  std::vector<float> a(channels);
  std::vector<float> b(channels);
  std::vector<float> c(channels);
  const auto count = static_cast<double>(shape.rows);
  for (size_t k = 0; k < channels; ++k) {
    const double scale = 1 / std::sqrt(static_cast<double>(variances->as<const float>()[k]) + call.real(5));
    const double weighted = static_cast<double>(weight.data()[k]) * scale;
    a[k] = static_cast<float>(weighted);
    b[k] = static_cast<float>(-weighted * scale * scale * totals[channels + k] / count);
    c[k] = static_cast<float>(-weighted * totals[k] / count);
    call.out(1).as<float>()[k] = static_cast<float>(totals[channels + k] * scale);
    call.out(2).as<float>()[k] = static_cast<float>(totals[k]);
  }
  auto* out = call.out(0).as<float>();
  for_parts(shape, [&](int64_t, int64_t first, int64_t rows) {
    const int64_t at = first * shape.channels;
    table().combine({rows, shape.channels}, g + at, x + at, decides ? decides + at : nullptr, mean, a.data(),
                    b.data(), c.data(), out + at);
  });
}

}  // namespace dyad::kernels
