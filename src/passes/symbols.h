#pragma once

#include <unordered_set>

#include "ir/graph.h"

namespace dyad::passes {

/// Named symbols, told apart by the code of their dimension.
using Symbols = std::unordered_set<int64_t>;

/// Whether the size is a symbol by itself, not an expression of some.
bool is_named(Dim dim);
/// Adds the named symbols that occur in the sizes.
void add_symbols(const Dims& dims, Symbols& symbols);
/// Adds those among the attributes of a node and in the shapes of its results: what must be known where it
/// runs, and what it makes known.
void add_symbols(const ir::Node& node, Symbols& symbols);

}  // namespace dyad::passes
