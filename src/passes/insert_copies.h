#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Copies what a write would destroy although it is still needed, so that writes may then happen in place:
/// - an old version of a tensor, or a view of it, that is used after the write;
/// - a constant, before it is written or given to the caller, who may write to it;
/// - a view that is written without its base being meant (`write_view` says that it is).
/// Returns the number of copies.
size_t insert_copies(ir::Module& module);

}  // namespace dyad::passes
