#pragma once

#include <cstdint>

namespace dyad::kernels {

/// What brings two elements together.
enum class ReduceKind : uint8_t { kSum, kProd, kMax, kMin, kAny, kAll };
inline constexpr int kReduceKinds = 6;

/// Element types for which there are loops; other dtypes are converted to one of these on the way in.
enum class ReduceType : uint8_t { kFloat32, kFloat64, kInt64, kUInt64, kBool, kComplex64, kComplex128 };
inline constexpr int kReduceTypes = 7;

/// The loops of one reduction on one type. The accumulator of float32 sums and products is float64, that of
/// complex64 ones complex128; all others accumulate in their own type. Lanes and blocks have the same size
/// for every instruction set, so that results do not depend on the machine.
struct ReduceLoops {
  /// acc[0] = acc[0] ∘ in[0] ∘ … ∘ in[count - 1]
  void (*row)(const void* in, int64_t count, void* acc) = nullptr;
  /// acc[j] = acc[j] ∘ in[0][j] ∘ … ∘ in[rows - 1][j] for j < columns; rows are `stride` elements apart.
  void (*column)(const void* in, int64_t rows, int64_t stride, int64_t columns, void* acc) = nullptr;
};
/// The loops of one instruction set, by reduction and type. A pair without loops has null.
struct ReduceTable {
  ReduceLoops at[kReduceKinds][kReduceTypes];
};

namespace baseline {
extern const ReduceTable reduce_table;
}
namespace avx2 {
extern const ReduceTable reduce_table;
}
namespace avx512 {
extern const ReduceTable reduce_table;
}

}  // namespace dyad::kernels
