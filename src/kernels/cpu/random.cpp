// Draws from the process's counter-based stream. Element i of a result depends only on the stream and i, so
// the numbers do not change with the number of threads.

#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/draws.h"
#include "runtime/context.h"
#include "runtime/kernel.h"
#include "runtime/random_stream.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 4096;
constexpr int64_t kWords = 4;  // 32-bit words at one position of the stream

/// Fills `out` with `count` elements, `per` of them from each position of the stream: `draw(words,
/// elements)`.
template <class T, class Draw>
void fill(T* out, int64_t count, int64_t per, const Arg& seed, const Draw& draw) {
  const Generator::State state = reserve_stream((count + per - 1) / per, seed);
  parallel_for((count + per - 1) / per, kGrain / per, [&](int64_t begin, int64_t end) {
    for (int64_t position = begin; position < end; ++position) {
      const Philox random(state.seed, state.position + static_cast<uint64_t>(position));
      T elements[kWords];
      draw(random.words, elements);
      const int64_t first = position * per;
      for (int64_t i = 0; i < std::min(per, count - first); ++i) out[first + i] = elements[i];
    }
  });
}

/// Draws in float32 or float64 and converts to a narrower result.
template <class Fill>
void fill_floating(ValueImpl& out, const Fill& fill_as) {
  const DType compute = compute_dtype(out.dtype);
  if (compute == out.dtype) {
    if (compute == DType::kFloat64) return fill_as(out.as<double>());
    return fill_as(out.as<float>());
  }
  std::vector<float> drawn(static_cast<size_t>(out.size()));
  fill_as(drawn.data());
  converter(DType::kFloat32, out.dtype)(out.size(), drawn.data(), out.data);
}

void run_uniform(const KernelCall& call) {
  ValueImpl& out = call.out();
  const double low = call.real(1);
  const double span = call.real(2) - low;
  fill_floating(out, [&]<class T>(T* data) {
    if constexpr (std::is_same_v<T, double>) {
      fill(data, out.size(), 2, call[4], [&](const uint32_t* w, double* e) {
        e[0] = low + span * unit_double(w[0], w[1]);
        e[1] = low + span * unit_double(w[2], w[3]);
      });
    } else {
      const auto low_f = static_cast<float>(low);
      const auto span_f = static_cast<float>(span);
      fill(data, out.size(), 4, call[4], [&](const uint32_t* w, float* e) {
        for (int i = 0; i < 4; ++i) e[i] = low_f + span_f * unit_float(w[i]);
      });
    }
  });
}

void run_normal(const KernelCall& call) {
  ValueImpl& out = call.out();
  fill_floating(out, [&]<class T>(T* data) {
    if constexpr (std::is_same_v<T, double>) {
      fill(data, out.size(), 2, call[2], [](const uint32_t* w, double* e) {
        normal_pair(unit_double(w[0], w[1]), unit_double(w[2], w[3]), e);
      });
    } else {
      fill(data, out.size(), 4, call[2], [](const uint32_t* w, float* e) {
        normal_pair(unit_float(w[0]), unit_float(w[1]), e);
        normal_pair(unit_float(w[2]), unit_float(w[3]), e + 2);
      });
    }
  });
}

void run_integers(const KernelCall& call) {
  ValueImpl& out = call.out();
  const int64_t low = call.integer(1);
  const uint64_t span = static_cast<uint64_t>(call.integer(2)) - static_cast<uint64_t>(low);
  std::vector<int64_t> drawn(static_cast<size_t>(out.size()));
  // The upper half of a 128-bit product scales a 64-bit number to the range with a bias below 2^-64 of a
  // step.
  fill(drawn.data(), out.size(), 2, call[4], [&](const uint32_t* w, int64_t* e) {
    for (int i = 0; i < 2; ++i) {
      const uint64_t bits = uint64_t{w[2 * i]} << 32 | w[2 * i + 1];
      const auto scaled = static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * span) >> 64);
      e[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + scaled);
    }
  });
  converter(DType::kInt64, out.dtype)(out.size(), drawn.data(), out.data);
}

template <class Draw>
void fill_by_tries(ValueImpl& out, const Arg& seed, const Draw& draw) {
  const int64_t count = out.size();
  const Generator::State state = reserve_stream(count * Tries::kPositions, seed);
  std::vector<double> drawn(static_cast<size_t>(count));
  parallel_for(count, 256, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Tries tries(state.seed, state.position, i);
      drawn[static_cast<size_t>(i)] = draw(tries, i);
    }
  });
  converter(DType::kFloat64, out.dtype)(count, drawn.data(), out.data);
}

void run_truncated_normal(const KernelCall& call) {
  const double low = call.real(1);
  const double high = call.real(2);
  fill_by_tries(call.out(), call[4],
                [&](Tries& tries, int64_t) { return truncated_normal_of(low, high, tries); });
}

/// A parameter per element, repeated over the leading dimensions of the result.
class PerElement {
 public:
  explicit PerElement(const ValueImpl& parameter)
      : values_(parameter, DType::kFloat64), count_(static_cast<size_t>(parameter.size())) {}
  double operator()(int64_t element) const {
    return values_.as<double>()[static_cast<size_t>(element) % count_];
  }

 private:
  Contiguous values_;
  size_t count_;
};

void run_gamma(const KernelCall& call) {
  if (call.out().size() == 0) return;
  const PerElement alpha(call.in(1));
  for (int64_t i = 0; i < call.in(1).size(); ++i) {
    if (!(alpha(i) > 0)) value_error(call.op(), ": alpha holds ", alpha(i), "; every alpha must be above 0");
  }
  fill_by_tries(call.out(), call[3], [&](Tries& tries, int64_t i) { return gamma_of(alpha(i), tries); });
}

void run_poisson(const KernelCall& call) {
  if (call.out().size() == 0) return;
  const PerElement rate(call.in(1));
  for (int64_t i = 0; i < call.in(1).size(); ++i) {
    if (!(rate(i) >= 0)) value_error(call.op(), ": rate holds ", rate(i), "; every rate must be 0 or more");
  }
  fill_by_tries(call.out(), call[3], [&](Tries& tries, int64_t i) { return poisson_of(rate(i), tries); });
}

void run_permutation(const KernelCall& call) {
  ValueImpl& out = call.out();
  const int64_t count = out.size();
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  const Generator::State state = reserve_stream(count, call[2]);
  for (int64_t i = count - 1; i > 0; --i) {
    const Philox random(state.seed, state.position + static_cast<uint64_t>(i));
    const uint64_t bits = uint64_t{random.words[0]} << 32 | random.words[1];
    const auto other =
        static_cast<size_t>((static_cast<unsigned __int128>(bits) * static_cast<uint64_t>(i + 1)) >> 64);
    std::swap(order[static_cast<size_t>(i)], order[other]);
  }
  converter(DType::kInt64, out.dtype)(count, order.data(), out.data);
}

/// Draws columns of each row in proportion to its weights.
void run_multinomial(const KernelCall& call) {
  const ValueImpl& weights = call.in(0);
  const int64_t samples = call.integer(1);
  const bool replacement = call.flag(2);
  ValueImpl& out = call.out();
  const int64_t columns = weights.shape.back().value();
  const int64_t rows = weights.rank() == 2 ? weights.shape[0].value() : 1;
  const PerElement weight(weights);
  const Generator::State state = reserve_stream(rows * samples, call[3]);
  std::vector<int64_t> drawn(static_cast<size_t>(rows * samples));
  std::vector<double> row(static_cast<size_t>(columns));
  for (int64_t r = 0; r < rows; ++r) {
    double total = 0;
    int64_t positive = 0;
    for (int64_t c = 0; c < columns; ++c) {
      const double w = weight(r * columns + c);
      if (!(w >= 0) || std::isinf(w))
        value_error(call.op(), ": row ", r, " holds ", w, "; weights must be finite and 0 or more");
      row[static_cast<size_t>(c)] = w;
      total += w;
      positive += w > 0;
    }
    if (total <= 0)
      value_error(call.op(), ": the weights of row ", r, " sum to ", total, "; they must sum to more than 0");
    if (!replacement && positive < samples) {
      value_error(call.op(), ": ", samples, " samples without replacement are asked of row ", r,
                  ", which has ", positive, " positive weights");
    }
    for (int64_t s = 0; s < samples; ++s) {
      const Philox random(state.seed, state.position + static_cast<uint64_t>(r * samples + s));
      double left = unit_double(random.words[0], random.words[1]) * total;
      int64_t chosen = -1;
      for (int64_t c = 0; c < columns; ++c) {
        const double w = row[static_cast<size_t>(c)];
        if (w <= 0) continue;
        chosen = c;  // rounding may leave a rest after the last weight: that column takes it
        if (left < w) break;
        left -= w;
      }
      drawn[static_cast<size_t>(r * samples + s)] = chosen;
      if (!replacement) {
        total -= row[static_cast<size_t>(chosen)];
        row[static_cast<size_t>(chosen)] = 0;
      }
    }
  }
  converter(DType::kInt64, out.dtype)(out.size(), drawn.data(), out.data);
}

DYAD_CPU_KERNEL(random_uniform, run_uniform);
DYAD_CPU_KERNEL(random_normal, run_normal);
DYAD_CPU_KERNEL(random_integers, run_integers);
DYAD_CPU_KERNEL(random_truncated_normal, run_truncated_normal);
DYAD_CPU_KERNEL(standard_gamma, run_gamma);
DYAD_CPU_KERNEL(standard_poisson, run_poisson);
DYAD_CPU_KERNEL(randperm, run_permutation);
DYAD_CPU_KERNEL(multinomial, run_multinomial);

}  // namespace
}  // namespace dyad::kernels
