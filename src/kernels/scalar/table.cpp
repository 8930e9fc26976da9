#include "kernels/scalar/table.h"

#include <algorithm>
#include <vector>

#include "kernels/scalar/dtype_mask.h"
#include "types/promote.h"

// Definitions are only looked at here, never computed with: their entries say what there is.
#define DYAD_ISA listed
#define DYAD_LOOP_ENTRY(name, operands, kind, types, cost) \
  static const bool name##_listed =                        \
      list<name##_scalar>({#name, operands, LoopKind::kind, cost, 0, false}, static_cast<types*>(nullptr));

namespace dyad::kernels {

namespace {

std::vector<Definition>& all() {
  static std::vector<Definition> definitions;
  return definitions;
}

template <class F, class Types>
bool list(Definition definition, Types* types) {
  definition.dtypes = dtype_mask(types);
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
