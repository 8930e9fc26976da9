#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"
#include "passes/memory.h"

namespace dyad::plan {

/// Which arguments of functions a copy may stand for: nothing is written to them, no result lies in their
/// memory, and the host never sees them. An argument that lies in memory otherwise than planned is copied if
/// it is one of these.
class Copyable {
 public:
  explicit Copyable(const ir::Module& module);
  bool operator()(const ir::Function& function, size_t param) const { return !bound_.at(&function)[param]; }

 private:
  using Flags = std::unordered_map<const ir::Function*, std::vector<bool>>;
  /// Marks the parameters that the host sees, in the function or in those it runs; whether that is news.
  bool note_shown(const ir::Function& function, const passes::ModuleMemory& memory);

  Flags shown_;
  Flags bound_;
};

}  // namespace dyad::plan
