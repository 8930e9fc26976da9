#pragma once

#include "ir/graph.h"

namespace dyad::ir {

/// Whether a version that was consumed may still be used: before copies are made of it, or nowhere.
enum class OldVersions : uint8_t { kUsed, kUnused };

/// Checks that a module is what graph.h says: every value is made before it is used and in the same function,
/// operators get as many arguments as they have and give what they infer, functions are called with values of
/// the types of their parameters and give values of the types that the call expects, a token is used once,
/// what an operator consumes is not used afterwards, an update has the type of its state. The first fault is
/// an internal error that shows the node.
void verify(const Module& module, OldVersions old_versions = OldVersions::kUnused);

}  // namespace dyad::ir
