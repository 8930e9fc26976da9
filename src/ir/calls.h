#pragma once

#include <array>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph.h"

namespace dyad::ir {

/// A function that a node names, and how their values correspond. Code that follows values into functions and
/// out again asks here, and need not know the kinds of nodes.
struct Callee {
  enum class Role : uint8_t {
    kCall,       ///< of a call
    kArm,        ///< of an if: one of two that may run
    kCondition,  ///< of a loop: its result says whether the body runs
    kBody,       ///< of a loop: its results are the first arguments of the next round
    kGradient,   ///< of a call: not run by it; who differentiates the call runs it, with other arguments
  };
  Function* function = nullptr;
  Role role = Role::kCall;
  /// Parameter `p` receives argument `first_argument + p` of the node (of a body: in the first round).
  size_t first_argument = 0;

  /// Whether the node hands its arguments to it.
  bool runs() const { return role != Role::kGradient; }
  /// Whether its result `r` may be result `r` of the node.
  bool gives_results() const { return runs() && role != Role::kCondition; }
};

/// The functions of a node, as the node has them in order.
class Callees {
 public:
  explicit Callees(const Node& node);
  const Callee* begin() const { return callees_.data(); }
  const Callee* end() const { return callees_.data() + count_; }
  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

 private:
  std::array<Callee, 2> callees_;
  size_t count_ = 0;
};

/// The functions of the node.
inline Callees callees_of(const Node& node) { return Callees(node); }
/// Arguments from here on are handed to the functions; those before are the node's own.
size_t first_passed_argument(const Node& node);
/// Arguments that a loop gives another value in each round: the first ones, one per result; 0 for other
/// nodes.
size_t carried_count(const Node& node);
bool is_loop(const Node& node);
inline bool has_callees(const Node& node) { return !node.functions.empty(); }

/// How often the nodes of the module name each function.
std::unordered_map<const Function*, size_t> count_call_sites(const Module& module);
/// The functions that `from` may come to run or names otherwise, through others too; itself only where it
/// does so.
std::unordered_set<const Function*> reachable_from(const Function& from);

}  // namespace dyad::ir
