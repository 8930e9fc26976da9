#pragma once

#include "ir/graph.h"

namespace dyad::ir {

/// The same module once more, for a transform that must leave the first one as it is. Constants are shared.
std::shared_ptr<Module> clone(const Module& module);

}  // namespace dyad::ir
