#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

/// The part of `in` elements that output `at` of `out` looks at: parts cover everything and overlap by at most one.
struct Span {
  int64_t begin;
  int64_t end;
  Span(int64_t at, int64_t out, int64_t in) : begin(at * in / out), end(((at + 1) * in + out - 1) / out) {}
};

struct Sizes {
  int64_t in[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
};

template <class T>
void largest_of_parts(const Sizes& s, const T* in, T* out, int64_t* places) {
  for (int64_t oz = 0; oz < s.out[0]; ++oz) {
    const Span depth(oz, s.out[0], s.in[0]);
    for (int64_t oy = 0; oy < s.out[1]; ++oy) {
      const Span rows(oy, s.out[1], s.in[1]);
      for (int64_t ox = 0; ox < s.out[2]; ++ox) {
        const Span columns(ox, s.out[2], s.in[2]);
        int64_t place = (depth.begin * s.in[1] + rows.begin) * s.in[2] + columns.begin;
        for (int64_t z = depth.begin; z < depth.end; ++z) {
          for (int64_t y = rows.begin; y < rows.end; ++y) {
            for (int64_t x = columns.begin; x < columns.end; ++x) {
              const int64_t at = (z * s.in[1] + y) * s.in[2] + x;
              if (in[at] > in[place] || (in[at] != in[at] && in[place] == in[place])) place = at;
            }
          }
        }
        *out++ = in[place];
        *places++ = place;
      }
    }
  }
}

void run_adaptive_max(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType computed = compute_dtype(out.dtype);
  const Prepared in(call.in(0), computed);
  Sizes s;
  const size_t spatial = call.dims(1).size();
  for (size_t i = 0; i < spatial; ++i) {
    s.in[3 - spatial + i] = sizes(in->shape)[in->shape.size() - spatial + i];
    s.out[3 - spatial + i] = sizes(out.shape)[out.shape.size() - spatial + i];
  }
  const int64_t in_size = s.in[0] * s.in[1] * s.in[2];
  const int64_t out_size = s.out[0] * s.out[1] * s.out[2];
  Scratch wide(computed, out.shape);
  parallel_for(out.size() / out_size, 1 + (1 << 15) / in_size, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      int64_t* places = call.out(1).as<int64_t>() + plane * out_size;
      if (computed == DType::kFloat32) {
        largest_of_parts(s, in->as<const float>() + plane * in_size, wide.as<float>() + plane * out_size, places);
      } else {
        largest_of_parts(s, in->as<const double>() + plane * in_size, wide.as<double>() + plane * out_size, places);
      }
    }
  });
  copy(wide, out);
}

DYAD_CPU_KERNEL(adaptive_max_pool, run_adaptive_max);

}  // namespace

}  // namespace dyad::kernels
