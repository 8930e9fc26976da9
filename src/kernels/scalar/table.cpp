#include "kernels/scalar/table.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include "types/promote.h"

// Definitions are only looked at here, never computed with: their entries say what there is.
#define DYAD_ISA listed
#define DYAD_LOOP_ENTRY(name, operands, kind, types, cost) \
  static const bool name##_listed =                        \
      list<name##_scalar>({#name, operands, LoopKind::kind, cost, 0, false}, static_cast<types*>(nullptr));

namespace dyad::scalar {
template <class... Ts>
struct Types;
}

namespace dyad::kernels {

namespace {

std::vector<Definition>& all() {
  static std::vector<Definition> definitions;
  return definitions;
}

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return DType::kComplex64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return DType::kComplex128;
  constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<DType>(static_cast<int>(std::is_signed_v<T> ? DType::kInt8 : DType::kUInt8) + width);
}

template <class F, class... Ts>
bool list(Definition definition, scalar::Types<Ts...>*) {
  definition.dtypes = ((1u << static_cast<int>(dtype_of<Ts>())) | ...);
  definition.guarded = requires(float x) { F::rare(x); } || requires(float x) { F::rare(x, x); };
  all().push_back(definition);
  return true;
}

}  // namespace

}  // namespace dyad::kernels

#include "kernels/scalar/all.h"

namespace dyad::kernels {

const Definition* find_definition(std::string_view name) {
  static const std::vector<Definition> sorted = [] {
    std::vector<Definition> definitions = all();
    std::sort(definitions.begin(), definitions.end(),
              [](const Definition& a, const Definition& b) { return a.name < b.name; });
    return definitions;
  }();
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), name,
                                   [](const Definition& a, std::string_view b) { return a.name < b; });
  return at != sorted.end() && at->name == name ? &*at : nullptr;
}

DType computing_dtype(LoopKind kind, size_t operands, const Arguments& args, DType result) {
  switch (kind) {
    case LoopKind::kComparison:
      return compute_dtype(comparison_dtype(args, operands));
    case LoopKind::kLogical:
      return DType::kBool;
    case LoopKind::kRealPart:
      return args.is_value(0) && is_complex(args.in(0).dtype) ? args.in(0).dtype : compute_dtype(result);
    case LoopKind::kComplex:
      return real_dtype(result);
    default:
      return compute_dtype(result);
  }
}

DType computed_dtype(LoopKind kind, DType computing) {
  switch (kind) {
    case LoopKind::kComparison:
      return DType::kBool;
    case LoopKind::kRealPart:
      return real_dtype(computing);
    case LoopKind::kComplex:
      return computing == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
    default:
      return computing;
  }
}

}  // namespace dyad::kernels
