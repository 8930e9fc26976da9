#pragma once

#include <vector>

#include "types/shape.h"

namespace dyad {

/// Appends the symbols with a name that a size is computed from.
void add_symbols(Dim dim, std::vector<Dim>& symbols);

}  // namespace dyad
