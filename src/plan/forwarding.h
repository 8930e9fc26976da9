#pragma once

#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace dyad::plan {

/// For each function, which parameter's memory each result keeps, or -1. Functions that one node may run in
/// each other's stead must agree.
class Forwarding {
 public:
  explicit Forwarding(const ir::Module& module);
  const std::vector<int>& of(const ir::Function& function) const { return kept_.at(&function); }

 private:
  bool agree(const ir::Node& node);
  std::unordered_map<const ir::Function*, std::vector<int>> kept_;
};

}  // namespace dyad::plan
