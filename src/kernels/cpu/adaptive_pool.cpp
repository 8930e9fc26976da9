#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

/// The part of `in` elements that output `at` of `out` looks at: parts cover everything and overlap by at
/// most one.
struct Span {
  int64_t begin;
  int64_t end;
  Span(int64_t at, int64_t out, int64_t in) : begin(at * in / out), end(((at + 1) * in + out - 1) / out) {}
};

struct Sizes {
  int64_t in[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
};

/// Calls `body(position, depth, rows, columns)` for each part.
template <class Body>
void for_each_part(const Sizes& s, const Body& body) {
  int64_t position = 0;
  for (int64_t oz = 0; oz < s.out[0]; ++oz) {
    for (int64_t oy = 0; oy < s.out[1]; ++oy) {
      for (int64_t ox = 0; ox < s.out[2]; ++ox) {
        body(position++, Span(oz, s.out[0], s.in[0]), Span(oy, s.out[1], s.in[1]),
             Span(ox, s.out[2], s.in[2]));
      }
    }
  }
}

/// Calls `body(place, count)` for each row of a part.
template <class Body>
void for_each_row(const Sizes& s, const Span& depth, const Span& rows, const Span& columns,
                  const Body& body) {
  for (int64_t z = depth.begin; z < depth.end; ++z) {
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      body((z * s.in[1] + y) * s.in[2] + columns.begin, columns.end - columns.begin);
    }
  }
}

template <class T>
void largest_of_parts(const Sizes& s, const T* in, T* out, int64_t* places) {
  for_each_part(s, [&](int64_t position, const Span& depth, const Span& rows, const Span& columns) {
    int64_t place = (depth.begin * s.in[1] + rows.begin) * s.in[2] + columns.begin;
    for_each_row(s, depth, rows, columns, [&](int64_t first, int64_t count) {
      for (int64_t at = first; at < first + count; ++at) {
        if (in[at] > in[place] || (in[at] != in[at] && in[place] == in[place])) place = at;
      }
    });
    out[position] = in[place];
    places[position] = place;
  });
}

double part_size(const Span& depth, const Span& rows, const Span& columns) {
  return static_cast<double>((depth.end - depth.begin) * (rows.end - rows.begin) *
                             (columns.end - columns.begin));
}

template <class T>
void mean_of_parts(const Sizes& s, const T* in, T* out) {
  for_each_part(s, [&](int64_t position, const Span& depth, const Span& rows, const Span& columns) {
    double total = 0;
    for_each_row(s, depth, rows, columns, [&](int64_t first, int64_t count) {
      for (int64_t i = 0; i < count; ++i) total += static_cast<double>(in[first + i]);
    });
    out[position] = static_cast<T>(total / part_size(depth, rows, columns));
  });
}

template <class T>
void spread_over_parts(const Sizes& s, const T* gradient, T* out) {
  std::fill(out, out + s.in[0] * s.in[1] * s.in[2], T(0));
  for_each_part(s, [&](int64_t position, const Span& depth, const Span& rows, const Span& columns) {
    const T share = static_cast<T>(static_cast<double>(gradient[position]) / part_size(depth, rows, columns));
    for_each_row(s, depth, rows, columns, [&](int64_t first, int64_t count) {
      for (int64_t i = 0; i < count; ++i) out[first + i] += share;
    });
  });
}

Sizes sizes_of(const Shape& in, const Shape& out, size_t spatial) {
  Sizes s;
  for (size_t i = 0; i < spatial; ++i) {
    s.in[3 - spatial + i] = sizes(in)[in.size() - spatial + i];
    s.out[3 - spatial + i] = sizes(out)[out.size() - spatial + i];
  }
  return s;
}

/// Runs `body(from, to, plane)` on every plane, in float32 or float64.
template <class Body>
void run_planes(const ValueImpl& given, ValueImpl& out, int64_t from_size, int64_t to_size,
                const Body& body) {
  const DType computed = compute_dtype(out.dtype);
  const Prepared in(given, computed);
  Scratch wide(computed, out.shape);
  const int64_t grain = 1 + (1 << 15) / std::max<int64_t>(1, std::max(from_size, to_size));
  parallel_for(out.size() / to_size, grain, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      if (computed == DType::kFloat32) {
        body(in->as<const float>() + plane * from_size, wide.as<float>() + plane * to_size, plane);
      } else {
        body(in->as<const double>() + plane * from_size, wide.as<double>() + plane * to_size, plane);
      }
    }
  });
  copy(wide, out);
}

void run_adaptive_max(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const Sizes s = sizes_of(call.in(0).shape, out.shape, call.dims(1).size());
  run_planes(call.in(0), out, s.in_size(), s.out_size(), [&](const auto* from, auto* to, int64_t plane) {
    largest_of_parts(s, from, to, call.out(1).as<int64_t>() + plane * s.out_size());
  });
}

void run_adaptive_average(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const Sizes s = sizes_of(call.in(0).shape, out.shape, call.dims(1).size());
  run_planes(call.in(0), out, s.in_size(), s.out_size(),
             [&](const auto* from, auto* to, int64_t) { mean_of_parts(s, from, to); });
}

void run_adaptive_average_gradient(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const Sizes s = sizes_of(out.shape, call.in(0).shape, call.dims(1).size());
  run_planes(call.in(0), out, s.out_size(), s.in_size(),
             [&](const auto* from, auto* to, int64_t) { spread_over_parts(s, from, to); });
}

DYAD_CPU_KERNEL(adaptive_average_pool, run_adaptive_average);
DYAD_CPU_KERNEL(adaptive_average_pool_gradient, run_adaptive_average_gradient);
DYAD_CPU_KERNEL(adaptive_max_pool, run_adaptive_max);

}  // namespace

}  // namespace dyad::kernels
