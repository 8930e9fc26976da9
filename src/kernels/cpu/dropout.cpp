// Dropout: one pass that draws, masks and scales.

#include <cmath>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/strided.h"
#include "runtime/context.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kBlocksPerRange = 8;

template <class T>
void drop(const T* in, T* out, bool* kept, int64_t first, int64_t count, const Generator::State& state,
          uint32_t limit, T scale) {
  for (int64_t i = 0; i < count; i += 4) {
    const Philox random(state.seed, state.position + static_cast<uint64_t>((first + i) / 4));
    for (int64_t j = i; j < std::min(count, i + 4); ++j) {
      const bool keep = (random.words[j - i] >> 1) >= limit;
      kept[j] = keep;
      out[j] = keep ? in[j] * scale : T(0);
    }
  }
}

template <class T>
void run_typed(const KernelCall& call, const ValueImpl& in) {
  ValueImpl& out = call.out(0);
  const double p = call.real(1);
  const double limit = std::ceil(p * 0x1p31);
  const int64_t count = out.size();
  const Generator::State state =
      Context::process().generator().reserve(static_cast<uint64_t>((count + 3) / 4));
  const T scale = p < 1 ? static_cast<T>(1 / (1 - p)) : T(0);
  const Convert widen = converter(in.dtype, compute_dtype(in.dtype));
  const Convert narrow = converter(compute_dtype(in.dtype), out.dtype);
  const bool direct = in.dtype == compute_dtype(in.dtype);
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  parallel_for(blocks, kBlocksPerRange, [&](int64_t begin, int64_t end) {
    T wide[kBlock];
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kBlock;
      const int64_t n = std::min(kBlock, count - first);
      bool* kept = call.out(1).as<bool>() + first;
      if (direct) {
        drop(in.as<T>() + first, out.as<T>() + first, kept, first, n, state, static_cast<uint32_t>(limit),
             scale);
        continue;
      }
      const int64_t bytes = itemsize(in.dtype);
      widen(n, in.as<char>() + first * bytes, wide);
      drop(wide, wide, kept, first, n, state, static_cast<uint32_t>(limit), scale);
      narrow(n, wide, out.as<char>() + first * bytes);
    }
  });
}

void run_dropout(const KernelCall& call) {
  if (call.out().size() == 0) return;
  // A strided operand is laid out in the result first and dropped in place.
  if (!call.in(0).contiguous()) copy(call.in(0), call.out(0));
  const ValueImpl& in = call.in(0).contiguous() ? call.in(0) : call.out(0);
  if (in.dtype == DType::kFloat64) return run_typed<double>(call, in);
  run_typed<float>(call, in);
}

DYAD_CPU_KERNEL(dropout_with_mask, run_dropout);

}  // namespace
}  // namespace dyad::kernels
