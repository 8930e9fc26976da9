// Scans along one axis: running sums, products, extremes.

#include <cmath>
#include <complex>
#include <limits>

#include "base/parallel.h"
#include "kernels/cpu/axis_view.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/contiguous.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 1 << 14;

/// What a running total is kept in: float64 for floats, so that long scans stay accurate.
template <class T>
using Total =
    std::conditional_t<std::is_same_v<T, float>, double,
                       std::conditional_t<std::is_same_v<T, std::complex<float>>, std::complex<double>, T>>;

struct Add {
  template <class A>
  static A start() {
    return A(0);
  }
  template <class A>
  static A join(A a, A b) {
    return static_cast<A>(a + b);
  }
};
struct Multiply {
  template <class A>
  static A start() {
    return A(1);
  }
  template <class A>
  static A join(A a, A b) {
    return static_cast<A>(a * b);
  }
};
/// log(exp(a) + exp(b)) without overflow.
struct AddExponents {
  template <class A>
  static A start() {
    return -std::numeric_limits<A>::infinity();
  }
  template <class A>
  static A join(A a, A b) {
    const A high = a > b || a != a ? a : b;
    const A low = a > b || a != a ? b : a;
    if (std::isinf(high)) return high;
    return high + std::log1p(std::exp(low - high));
  }
};

DType scanning_dtype(DType dtype) { return dtype == DType::kBool ? DType::kUInt8 : compute_dtype(dtype); }

template <class Body>
void for_each_line(const AxisView& lines, const Body& body) {
  if (lines.total() == 0) return;
  parallel_for(lines.outer * lines.inner, std::max<int64_t>(kGrain / lines.count, 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t line = begin; line < end; ++line) body(lines.start(line));
               });
}

AxisView lines_of(const KernelCall& call, size_t axis) {
  const ValueImpl& in = call.in(0);
  return AxisView(in.shape, normalize_axis(call.op(), call.integer(axis), std::max<int64_t>(in.rank(), 1)));
}

/// (input, axis, exclusive, reverse, dtype)
template <class F>
void run_scan(const KernelCall& call) {
  const DType dtype = scanning_dtype(call.out().dtype);
  const AxisView lines = lines_of(call, 1);
  const bool exclusive = call.flag(2);
  const bool reverse = call.flag(3);
  const Contiguous in(call.in(0), dtype);
  Computed out(call.out(), dtype);
  visit_dtype(dtype, [&]<class T>(Typed<T>) {
    if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16>) {
      for_each_line(lines, [&](int64_t start) {
        const T* from = in.as<T>() + start;
        T* to = out.as<T>() + start;
        auto total = F::template start<Total<T>>();
        for (int64_t i = 0; i < lines.count; ++i) {
          const int64_t at = (reverse ? lines.count - 1 - i : i) * lines.inner;
          const Total<T> before = total;
          total = F::join(total, static_cast<Total<T>>(from[at]));
          to[at] = static_cast<T>(exclusive ? before : total);
        }
      });
    }
  });
  out.store();
}

/// (input, axis)
void run_logcumsumexp(const KernelCall& call) {
  const AxisView lines = lines_of(call, 1);
  const Contiguous in(call.in(0), DType::kFloat64);
  Computed out(call.out(), DType::kFloat64);
  for_each_line(lines, [&](int64_t start) {
    double total = AddExponents::start<double>();
    for (int64_t i = 0; i < lines.count; ++i) {
      const int64_t at = start + i * lines.inner;
      total = AddExponents::join(total, in.as<double>()[at]);
      out.as<double>()[at] = total;
    }
  });
  out.store();
}

/// Gradient of cumprod without a division, so that zeros among the factors do no harm: with P the product of
/// what comes before k and S[k] = g[k] + x[k + 1] S[k + 1] (one place later when exclusive), the gradient at
/// k is P S[k]. (gradient, input, axis, exclusive, reverse)
void run_cumprod_grad(const KernelCall& call) {
  const AxisView lines = lines_of(call, 2);
  const bool exclusive = call.flag(3);
  const bool reverse = call.flag(4);
  const DType dtype = is_complex(call.out().dtype) ? DType::kComplex128 : DType::kFloat64;
  const Contiguous gradient(call.in(0), dtype);
  const Contiguous input(call.in(1), dtype);
  Computed out(call.out(), dtype);
  visit_dtype(dtype, [&]<class T>(Typed<T>) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>) {
      for_each_line(lines, [&](int64_t start) {
        const auto at = [&](int64_t i) { return start + (reverse ? lines.count - 1 - i : i) * lines.inner; };
        T* to = out.as<T>();
        T later(0);
        for (int64_t i = lines.count; i-- > 0;) {
          const bool last = i + 1 == lines.count;
          const T ahead = last ? T(0) : input.as<T>()[at(i + 1)] * later;
          const T own = exclusive ? (last ? T(0) : gradient.as<T>()[at(i + 1)]) : gradient.as<T>()[at(i)];
          later = own + ahead;
          to[at(i)] = later;
        }
        T before(1);
        for (int64_t i = 0; i < lines.count; ++i) {
          to[at(i)] *= before;
          before *= input.as<T>()[at(i)];
        }
      });
    }
  });
  out.store();
}

/// (input, axis) -> (values, index): the last of equals is the one that counts.
template <bool greatest>
void run_running_extreme(const KernelCall& call) {
  ValueImpl& index = call.out(1);
  const DType dtype = scanning_dtype(call.out(0).dtype);
  const AxisView lines = lines_of(call, 1);
  const Contiguous in(call.in(0), dtype);
  Computed values(call.out(0), dtype);
  visit_dtype(dtype, [&]<class T>(Typed<T>) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      for_each_line(lines, [&](int64_t start) {
        const T* from = in.as<T>();
        T best = from[start];
        int64_t where = 0;
        for (int64_t i = 0; i < lines.count; ++i) {
          const int64_t at = start + i * lines.inner;
          const T x = from[at];
          const bool takes = x != x || (best == best && (greatest ? x >= best : x <= best));
          best = takes ? x : best;
          where = takes ? i : where;
          values.as<T>()[at] = best;
          index.as<int64_t>()[at] = where;
        }
      });
    }
  });
  values.store();
}

}  // namespace

DYAD_CPU_KERNEL(cumsum, run_scan<Add>);
DYAD_CPU_KERNEL(cumprod, run_scan<Multiply>);
DYAD_CPU_KERNEL(cumprod_grad, run_cumprod_grad);
DYAD_CPU_KERNEL(logcumsumexp, run_logcumsumexp);
DYAD_CPU_KERNEL(cummax, run_running_extreme<true>);
DYAD_CPU_KERNEL(cummin, run_running_extreme<false>);

}  // namespace dyad::kernels
