#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Lets operators be computed together: groups of nodes that may form a fused function (passes/region.h)
/// become a call of one, in every function of the module.
///
/// A group grows from consumers to producers. A node joins the group of a consumer if its values fit into the
/// domain of the group and nothing in between needs the one and is needed by the other: data, writes to
/// memory that is read, and the order of effects are all kept. A value that is also used elsewhere is a
/// result of its group; nothing is computed twice. Groups that read the same large value are then merged
/// where they can be. Views of operands stay outside, where they cost nothing. What would not gain stays as
/// it is: a single operator, whose kernel is as good, a value smaller than the domain that no reduction of
/// the group gives, a handful of elements. The call stands for the last of its nodes: it has that one's
/// location.
void fuse(ir::Module& module);

}  // namespace dyad::passes
