#pragma once

#include "types/shape.h"

namespace dyad {

/// Whether two shapes may be the same: unknown sizes are believed, for equal ones may be written differently
/// and sizes that depend on data get a new symbol each time they are inferred.
inline bool may_agree(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].known() && b[i].known() && !(a[i] == b[i])) return false;
  }
  return true;
}

}  // namespace dyad
