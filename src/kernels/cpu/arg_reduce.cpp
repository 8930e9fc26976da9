// argmax, argmin and extremes with their indices, along one axis.

#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/axis_view.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/reduce.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 1 << 14;
/// Columns whose best elements are tracked side by side.
constexpr int64_t kColumns = 256;

/// Whether `x` takes the place of `best`: the first of equals stays, and so does the first NaN.
template <bool greatest, class T>
bool better(T x, T best) {
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return best == best;
  }
  return greatest ? x > best : x < best;
}

/// Best elements of `columns` lines that lie side by side.
template <bool greatest, class T>
void best_of_columns(const T* in, int64_t count, int64_t stride, int64_t columns, T* best, int64_t* where) {
  for (int64_t j = 0; j < columns; ++j) {
    best[j] = in[j];
    where[j] = 0;
  }
  for (int64_t i = 1; i < count; ++i) {
    const T* row = in + i * stride;
    for (int64_t j = 0; j < columns; ++j) {
      if (better<greatest>(row[j], best[j])) {
        best[j] = row[j];
        where[j] = i;
      }
    }
  }
}

/// Best element of one contiguous line of floats: the vectorised maximum first, then a search for its first
/// place.
template <bool greatest>
void best_of_line(const float* in, int64_t count, float* best, int64_t* where) {
  const auto kind = static_cast<size_t>(greatest ? ReduceKind::kMax : ReduceKind::kMin);
  *best = in[0];
  reduce_loops().at[kind][static_cast<size_t>(ReduceType::kFloat32)].row(in, count, best);
  int64_t i = 0;
  if (*best != *best) {
    while (in[i] == in[i]) ++i;
  } else {
    while (in[i] != *best) ++i;
  }
  *where = i;
}

/// Elements are compared in this dtype.
DType comparing_dtype(DType dtype) {
  if (dtype == DType::kBool) return DType::kUInt8;
  return compute_dtype(dtype);
}

/// Calls `body(first line, lines, best, where)` for tiles of lines of outer × inner.
template <bool greatest, class T, class Body>
void for_each_tile(const T* in, const AxisView& lines, const Body& body) {
  const int64_t tiles = (lines.inner + kColumns - 1) / kColumns;
  const int64_t work = lines.count * std::min(lines.inner, kColumns);
  parallel_for(lines.outer * tiles, std::max<int64_t>(kGrain / std::max<int64_t>(work, 1), 1),
               [&](int64_t begin, int64_t end) {
                 T best[kColumns];
                 int64_t where[kColumns];
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t outer = i / tiles;
                   const int64_t column = i % tiles * kColumns;
                   const int64_t columns = std::min(kColumns, lines.inner - column);
                   if constexpr (std::is_same_v<T, float>) {
                     if (lines.inner == 1) {
                       best_of_line<greatest>(in + outer * lines.count, lines.count, best, where);
                       body(outer, 1, best, where);
                       continue;
                     }
                   }
                   best_of_columns<greatest>(in + outer * lines.count * lines.inner + column, lines.count,
                                             lines.inner, columns, best, where);
                   body(outer * lines.inner + column, columns, best, where);
                 }
               });
}

/// A missing axis means all elements as one line.
AxisView lines_of(const KernelCall& call, size_t at) {
  const ValueImpl& in = call.in(0);
  if (call.has(at))
    return AxisView(in.shape, normalize_axis(call.op(), call.integer(at), std::max<int64_t>(in.rank(), 1)));
  return AxisView(Shape{in.size()}, 0);
}

template <class Body>
void with_comparable(DType dtype, const Body& body) {
  visit_dtype(comparing_dtype(dtype), [&]<class T>(Typed<T> typed) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) body(typed);
  });
}

/// (input, axis, keepdims, dtype) -> index
template <bool greatest>
void run_arg(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const AxisView lines = lines_of(call, 1);
  const Contiguous in(call.in(0), comparing_dtype(call.in(0).dtype));
  const Convert convert = converter(DType::kInt64, out.dtype);
  with_comparable(call.in(0).dtype, [&]<class T>(Typed<T>) {
    for_each_tile<greatest>(in.as<T>(), lines,
                            [&](int64_t first, int64_t columns, const T*, const int64_t* where) {
                              convert(columns, where, out.as<char>() + first * itemsize(out.dtype));
                            });
  });
}

/// (input, axis, keepdims) -> (values, index)
template <bool greatest>
void run_extreme(const KernelCall& call) {
  ValueImpl& values = call.out(0);
  ValueImpl& index = call.out(1);
  if (values.size() == 0) return;
  const AxisView lines = lines_of(call, 1);
  const DType comparing = comparing_dtype(values.dtype);
  const Contiguous in(call.in(0), comparing);
  const Convert convert = converter(comparing, values.dtype);
  with_comparable(values.dtype, [&]<class T>(Typed<T>) {
    for_each_tile<greatest>(in.as<T>(), lines,
                            [&](int64_t first, int64_t columns, const T* best, const int64_t* where) {
                              convert(columns, best, values.as<char>() + first * itemsize(values.dtype));
                              std::copy(where, where + columns, index.as<int64_t>() + first);
                            });
  });
}

}  // namespace

DYAD_CPU_KERNEL(argmax, run_arg<true>);
DYAD_CPU_KERNEL(argmin, run_arg<false>);
DYAD_CPU_KERNEL(max_with_index, run_extreme<true>);
DYAD_CPU_KERNEL(min_with_index, run_extreme<false>);

}  // namespace dyad::kernels
