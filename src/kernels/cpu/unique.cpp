// Distinct elements, counts of integers, histograms and binary search.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

/// Order in which NaN comes last and all NaN are alike.
template <class T>
bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return false;
    if (b != b) return true;
  }
  return a < b;
}

DType ordering_dtype(DType dtype) { return dtype == DType::kBool ? DType::kUInt8 : compute_dtype(dtype); }

/// (input, sorted, index_dtype) -> (distinct elements, index of each input element among them, counts)
void run_unique(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const int64_t count = input.size();
  const bool sorted = call.flag(1);
  const DType ordering = ordering_dtype(input.dtype);
  const Contiguous in(input, ordering);
  visit_dtype(ordering, [&]<class T>(Typed<T>) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const T* x = in.as<T>();
      std::vector<int64_t> order(static_cast<size_t>(count));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return precedes(x[a], x[b]); });
      // Groups of equal elements, each known by the position of its first member.
      std::vector<int64_t> firsts;
      std::vector<int64_t> group(static_cast<size_t>(count));
      for (int64_t at : order) {
        if (firsts.empty() || precedes(x[firsts.back()], x[at])) firsts.push_back(at);
        group[static_cast<size_t>(at)] = static_cast<int64_t>(firsts.size()) - 1;
      }
      std::vector<int64_t> rank(firsts.size());
      std::iota(rank.begin(), rank.end(), 0);
      if (!sorted) {
        std::sort(rank.begin(), rank.end(), [&](int64_t a, int64_t b) {
          return firsts[static_cast<size_t>(a)] < firsts[static_cast<size_t>(b)];
        });
      }
      std::vector<int64_t> place(firsts.size());
      for (size_t i = 0; i < rank.size(); ++i) place[static_cast<size_t>(rank[i])] = static_cast<int64_t>(i);

      const Shape distinct{static_cast<int64_t>(firsts.size())};
      call.allocate(0, distinct);
      call.allocate(1, input.shape);
      call.allocate(2, distinct);
      const Convert store_value = converter(ordering, input.dtype);
      ValueImpl& values = call.out(0);
      for (size_t i = 0; i < rank.size(); ++i) {
        store_value(1, x + firsts[static_cast<size_t>(rank[i])],
                    values.as<char>() + static_cast<int64_t>(i) * itemsize(values.dtype));
      }
      ValueImpl& index = call.out(1);
      const Convert store_index = converter(DType::kInt64, index.dtype);
      int64_t* counts = call.out(2).as<int64_t>();
      std::fill(counts, counts + firsts.size(), 0);
      for (int64_t i = 0; i < count; ++i) {
        const int64_t found = place[static_cast<size_t>(group[static_cast<size_t>(i)])];
        ++counts[found];
        store_index(1, &found, index.as<char>() + i * itemsize(index.dtype));
      }
    }
  });
}

/// -1, 0 or 1 as one row comes before, with or after another.
template <class T>
int compare_rows(const T* a, const T* b, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    if (precedes(a[c], b[c])) return -1;
    if (precedes(b[c], a[c])) return 1;
  }
  return 0;
}

/// (input, consecutive) -> (first row of each group, group of each row, counts)
void run_group_rows(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const int64_t rows = input.shape[0].value();
  const int64_t columns = input.shape[1].value();
  const DType ordering = ordering_dtype(input.dtype);
  const Contiguous in(input, ordering);
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::vector<int64_t> firsts;
  std::vector<int64_t> counts;
  call.allocate(1, Shape{rows});
  int64_t* group = call.out(1).as<int64_t>();
  visit_dtype(ordering, [&]<class T>(Typed<T>) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const auto compare = [&](int64_t a, int64_t b) {
        return compare_rows(in.as<T>() + a * columns, in.as<T>() + b * columns, columns);
      };
      if (!call.flag(1)) {
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
      }
      for (size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || compare(order[i - 1], order[i]) != 0) {
          firsts.push_back(order[i]);
          counts.push_back(0);
        }
        ++counts.back();
        group[order[i]] = static_cast<int64_t>(firsts.size()) - 1;
      }
    }
  });
  const Shape shape{static_cast<int64_t>(firsts.size())};
  call.allocate(0, shape);
  call.allocate(2, shape);
  std::copy(firsts.begin(), firsts.end(), call.out(0).as<int64_t>());
  std::copy(counts.begin(), counts.end(), call.out(2).as<int64_t>());
}

/// (sorted_sequence, values, right, dtype) -> positions
void run_search(const KernelCall& call) {
  const ValueImpl& sequence = call.in(0);
  const ValueImpl& values = call.in(1);
  ValueImpl& out = call.out();
  const bool right = call.flag(2);
  const int64_t length = sequence.shape.back().value();
  const int64_t per_row =
      sequence.rank() == 1 || values.rank() == 0 ? values.size() : values.shape.back().value();
  const Contiguous sorted(sequence, DType::kFloat64);
  const Contiguous wanted(values, DType::kFloat64);
  const Convert store = converter(DType::kInt64, out.dtype);
  parallel_for(values.size(), 1 << 12, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double* first = sorted.as<double>() + (sequence.rank() == 1 ? 0 : i / per_row * length);
      const double x = wanted.as<double>()[i];
      const int64_t found = (right ? std::upper_bound(first, first + length, x, precedes<double>)
                                   : std::lower_bound(first, first + length, x, precedes<double>)) -
                            first;
      store(1, &found, out.as<char>() + i * itemsize(out.dtype));
    }
  });
}

/// (input, weights, minlength, dtype) -> counts, or sums of weights
void run_bincount(const KernelCall& call) {
  const int64_t count = call.in(0).size();
  const Contiguous in(call.in(0), DType::kInt64);
  const int64_t* x = in.as<int64_t>();
  int64_t length = call.integer(2);
  for (int64_t i = 0; i < count; ++i) {
    if (x[i] < 0) value_error(call.op(), ": input holds ", x[i], "; it must hold no negative numbers");
    length = std::max(length, x[i] + 1);
  }
  call.allocate(0, Shape{length});
  ValueImpl& out = call.out();
  if (!call.has(1)) {
    std::vector<int64_t> counts(static_cast<size_t>(length), 0);
    for (int64_t i = 0; i < count; ++i) ++counts[static_cast<size_t>(x[i])];
    converter(DType::kInt64, out.dtype)(length, counts.data(), out.data);
    return;
  }
  const Contiguous weights(call.in(1), DType::kFloat64);
  std::vector<double> sums(static_cast<size_t>(length), 0.0);
  for (int64_t i = 0; i < count; ++i) sums[static_cast<size_t>(x[i])] += weights.as<double>()[i];
  converter(DType::kFloat64, out.dtype)(length, sums.data(), out.data);
}

/// (input, bins, min, max) -> counts of equal intervals
void run_histc(const KernelCall& call) {
  const int64_t count = call.in(0).size();
  const int64_t bins = call.integer(1);
  double low = call.real(2);
  double high = call.real(3);
  const Contiguous in(call.in(0), DType::kFloat64);
  const double* x = in.as<double>();
  if (low == high && count > 0) {
    low = *std::min_element(x, x + count);
    high = *std::max_element(x, x + count);
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  if (!std::isfinite(low) || !std::isfinite(high)) {
    value_error(call.op(), ": the range is ", low, " to ", high, "; it must be finite");
  }
  std::vector<double> counts(static_cast<size_t>(bins), 0.0);
  for (int64_t i = 0; i < count; ++i) {
    if (!(x[i] >= low && x[i] <= high)) continue;
    const auto bin = static_cast<int64_t>((x[i] - low) / (high - low) * static_cast<double>(bins));
    counts[static_cast<size_t>(std::min(bin, bins - 1))] += 1;
  }
  converter(DType::kFloat64, call.out().dtype)(bins, counts.data(), call.out().data);
}

}  // namespace

DYAD_CPU_KERNEL(distinct, run_unique);
DYAD_CPU_KERNEL(group_rows, run_group_rows);
DYAD_CPU_KERNEL(search_sorted_rows, run_search);
DYAD_CPU_KERNEL(bincount, run_bincount);
DYAD_CPU_KERNEL(histc, run_histc);

}  // namespace dyad::kernels
