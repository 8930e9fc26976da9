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

/// Whether two shapes are the same, for rules that do not run again when the graph does: where that depends
/// on a size which is known only then, they are refused.
inline bool same_shape(const Shape& a, const Shape& b) {
  if (a == b) return true;
  if (!may_agree(a, b)) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i])) (a[i].known() ? b[i] : a[i]).value();
  }
  return true;
}

}  // namespace dyad
