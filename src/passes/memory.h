#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/pointer_map.h"
#include "ir/graph.h"

namespace dyad::passes {

/// What a function does to the memory of its arguments.
struct MemoryUse {
  struct Result {
    std::vector<uint32_t> params;  ///< the numbers of the parameters in whose memory it may lie
    bool constant = false;         ///< it may lie in the memory of a constant
    int version_of = -1;           ///< the parameter whose last version it is, or -1
    bool operator==(const Result&) const = default;
  };
  std::vector<bool> consumes;  ///< per parameter: it is written
  std::vector<Result> results;
  bool operator==(const MemoryUse&) const = default;
};

/// Memory use of every function of a module; a function is looked at again when that of one it calls has
/// changed.
class ModuleMemory {
 public:
  explicit ModuleMemory(const ir::Module& module);
  const MemoryUse& of(const ir::Function& function) const { return uses_.at(&function); }
  /// Whether the node writes to the memory of this argument.
  bool consumes(const ir::Node& node, size_t argument) const;
  /// Whether the node writes to the memory of some argument, or hands it to the host, which may.
  bool may_write(const ir::Node& node) const;

 private:
  std::unordered_map<const ir::Function*, MemoryUse> uses_;
};

/// Which values of one function may lie in the same memory.
class FunctionMemory {
 public:
  FunctionMemory(const ir::Function& function, const ModuleMemory& module);

  /// Whether the value was there when the function was looked at.
  bool knows(const ValueImpl& value) const { return index_.find(&value) != nullptr; }
  bool may_share(const ValueImpl& a, const ValueImpl& b) const { return group(a) == group(b); }
  /// The group of values that may share memory with this one.
  size_t group(const ValueImpl& value) const { return find(number_of(value)); }
  /// Whether that group has a constant in it, or a parameter.
  bool has_constant(const ValueImpl& value) const { return constants_[group(value)]; }
  bool has_param(const ValueImpl& value) const { return params_[group(value)]; }
  /// The value that this one is a later version of, itself if it is the first; null for a view, which has no
  /// memory of its own.
  const ir::GraphValue* origin(const ValueImpl& value) const { return origins_[number_of(value)]; }
  /// The groups that a node of the function writes to; in the second case also those that host code sees.
  std::unordered_set<size_t> groups_written() const;
  std::unordered_set<size_t> groups_written_or_shown() const;
  /// What the function does with its own parameters.
  MemoryUse summary() const;

 private:
  void add(const ir::GraphValue& value, const ir::GraphValue* origin);
  size_t number_of(const ValueImpl& value) const;
  void set_origin(const ValueImpl& value, const ir::GraphValue* origin) {
    origins_[number_of(value)] = origin;
  }
  void join(const ValueImpl& a, const ValueImpl& b);
  size_t find(size_t i) const;
  void add_node(const ir::Node& node);
  void add_operator(const ir::Node& node);
  void add_host(const ir::Node& node);
  void add_residual_stack(const ir::Node& node);
  void add_call(const ir::Node& node);

  const ir::Function& function_;
  const ModuleMemory& module_;
  PointerMap<uint32_t> index_;
  mutable std::vector<size_t> parents_;
  std::vector<const ir::GraphValue*> origins_;
  std::vector<bool> constants_;
  std::vector<bool> params_;
};

}  // namespace dyad::passes
