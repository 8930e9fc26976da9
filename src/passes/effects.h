#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// Whether the node may be dropped where its results have no users: it writes nothing, draws no random
/// numbers, asks nothing of the host and cannot raise, whatever the data.
bool may_drop(const ir::Node& node);
/// Whether an operator checks its data when the graph runs, and raises what the program would raise there.
bool checks_data(const ir::Node& node);
/// Whether two such nodes with equal arguments give the same, so that one may stand for both. What is written
/// later must not be shared: see `eliminate_common_subexpressions`.
bool may_merge(const ir::Node& node);

}  // namespace dyad::passes
