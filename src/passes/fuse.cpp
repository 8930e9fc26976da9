#include "passes/fuse.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "passes/cluster_order.h"
#include "passes/dependencies.h"
#include "passes/domain.h"
#include "passes/rewrite.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

constexpr size_t kMostNodes = 64;
/// Operands and results of a fused function together.
constexpr size_t kMostOperands = 30;

/// How many fused functions of the module have each name.
using Names = std::unordered_map<std::string, int>;

/// The groups of one function.
class Fuser {
 public:
  Fuser(ir::Module& module, Function& function, const ModuleMemory& memory, Names& names)
      : module_(module), function_(function), names_(names), order_(successors_of(function, memory)) {
    for (const auto& node : function.nodes) {
      number_.emplace(node.get(), nodes_.size());
      nodes_.push_back(node.get());
      roles_.push_back(role_of(*node));
    }
    const Rewriter uses(function);
    const auto users_of = [&](const GraphValue& value) {
      std::vector<size_t> users;
      uses.for_each_user(value, [&](const Node& user) {
        const size_t step = number_.at(&user);
        if (users.empty() || users.back() != step) users.push_back(step);
      });
      return users;
    };
    for (const auto& param : function.params) param_users_.emplace_back(param.get(), users_of(*param));
    for (const Node* node : nodes_) {
      const auto returned = [&](const auto& result) { return uses.is_returned(*result); };
      leaves_.push_back(std::ranges::any_of(node->results, returned));
      std::vector<size_t>& users = users_.emplace_back();
      for (const auto& result : node->results) {
        const std::vector<size_t> more = users_of(*result);
        users.insert(users.end(), more.begin(), more.end());
      }
      if (node->results.size() > 1) std::ranges::sort(users);
    }
    groups_.resize(nodes_.size());
  }

  /// Whether anything was fused.
  bool run() {
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (roles_[i] != Role::kNone) add(i);
    }
    for (const auto& [param, users] : param_users_) join_readers(*param, users);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i]->results.size() != 1) continue;
      std::vector<size_t> touching = users_[i];
      touching.insert(touching.begin(), i);
      join_readers(*nodes_[i]->results[0], touching);
    }
    bool any = false;
    for (size_t cluster = 0; cluster < groups_.size(); ++cluster) {
      auto& group = groups_[cluster];
      if (group && !settle(*group, cluster)) group.reset();
      any = any || group;
    }
    if (any) write();
    return any;
  }

 private:
  struct Group {
    std::vector<size_t> nodes;  ///< in the order of the function
    Domain domain;
    std::vector<size_t>
        apart;  ///< of `nodes` before `settle`: those that run before the group, by themselves
  };

  /// Puts a node into the group of one of its users, the first that takes it, or begins another group.
  void add(size_t i) {
    std::vector<size_t> candidates;
    for (const size_t user : users_[i]) {
      const size_t cluster = order_.of(user);
      if (groups_[cluster] && std::ranges::find(candidates, cluster) == candidates.end())
        candidates.push_back(cluster);
    }
    std::ranges::sort(candidates, {}, [&](size_t cluster) { return order_.position(cluster); });
    if (roles_[i] == Role::kMovement && (candidates.size() != 1 || is_used_outside(i, {candidates[0]})))
      return;
    for (const size_t cluster : candidates) {
      if (join(i, cluster)) return;
    }
    if (roles_[i] == Role::kMovement) return;
    auto group = std::make_unique<Group>();
    group->nodes = {i};
    if (group->domain.add(*nodes_[i], roles_[i])) groups_[i] = std::move(group);
  }

  bool is_used_outside(size_t i, const std::vector<size_t>& clusters) const {
    return leaves_[i] || std::ranges::any_of(users_[i], [&](size_t user) {
             return std::ranges::find(clusters, order_.of(user)) == clusters.end();
           });
  }

  bool join(size_t i, size_t cluster) {
    Group& group = *groups_[cluster];
    std::vector<size_t> nodes = group.nodes;
    nodes.insert(std::ranges::lower_bound(nodes, i), i);
    Domain domain = group.domain;
    if (!domain.add(*nodes_[i], roles_[i]) || !is_allowed(nodes, domain, {cluster, order_.of(i)}) ||
        !order_.merge(i, cluster)) {
      return false;
    }
    group.nodes = std::move(nodes);
    group.domain = std::move(domain);
    return true;
  }

  bool is_allowed(const std::vector<size_t>& nodes, const Domain& domain,
                  const std::vector<size_t>& clusters) const {
    if (nodes.size() > kMostNodes) return false;
    std::vector<const GraphValue*> results;
    for (const size_t i : nodes) {
      if (is_used_outside(i, clusters)) results.push_back(nodes_[i]->results[0].get());
    }
    return operands_of(nodes).size() + results.size() <= kMostOperands && domain.allows(results);
  }

  /// The values that nodes of a group take from outside, in the order in which they are met.
  std::vector<Value> operands_of(const std::vector<size_t>& nodes) const {
    std::vector<Value> operands;
    std::unordered_set<const ValueImpl*> seen;
    for (const size_t i : nodes) seen.insert(nodes_[i]->results[0].get());
    for (const size_t i : nodes) {
      ir::for_each_operand(*nodes_[i], [&](const Value& value) {
        if (seen.insert(value.get()).second) operands.push_back(value);
      });
    }
    return operands;
  }

  /// Groups that have to do with the same value become one, if all of it is read once instead of several
  /// times.
  void join_readers(const GraphValue& value, const std::vector<size_t>& touching) {
    size_t into = nodes_.size();
    for (const size_t step : touching) {
      const size_t cluster = order_.of(step);
      if (!groups_[cluster] || cluster == into) continue;
      if (into < nodes_.size() && join_groups(cluster, into, value)) continue;
      into = cluster;
    }
  }

  bool join_groups(size_t from, size_t into, const ValueImpl& shared) {
    std::vector<size_t> nodes;
    std::ranges::merge(groups_[from]->nodes, groups_[into]->nodes, std::back_inserter(nodes));
    if (nodes.size() > kMostNodes) return false;
    Domain domain;
    for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
      if (!domain.add(*nodes_[*at], roles_[*at])) return false;
    }
    if (!domain.spans_all(shared) || !is_allowed(nodes, domain, {from, into}) || !order_.merge(from, into))
      return false;
    groups_[into]->nodes = std::move(nodes);
    groups_[into]->domain = std::move(domain);
    groups_[from].reset();
    return true;
  }

  /// Puts out of the group what is as well computed before it. Whether what remains gains.
  bool settle(Group& group, size_t cluster) const {
    const std::vector<size_t> nodes = group.nodes;
    take_apart(group, nodes, Views::kApart);
    // Views of one tensor may be all that ties the axes of several results together.
    if (!holds_together(group.nodes, cluster)) take_apart(group, nodes, Views::kInside);
    const auto computes = [&](size_t i) {
      return roles_[i] != Role::kMovement && !moves(*nodes_[i], Movement::kFill);
    };
    const auto leaves = [&](size_t i) { return is_used_outside(i, {cluster}); };
    const Dim size = group.domain.size();
    return std::ranges::count_if(group.nodes, computes) >= 2 && std::ranges::any_of(group.nodes, leaves) &&
           !(size.known() && size.value() < kFewElements) && holds_together(group.nodes, cluster);
  }

  enum class Views : uint8_t { kApart, kInside };
  /// Keeps of the nodes what has to be computed together, and says what runs before.
  void take_apart(Group& group, const std::vector<size_t>& nodes, Views views) const {
    std::unordered_set<const ValueImpl*> inside;  // what is computed in the group
    std::unordered_set<const ValueImpl*> folded;  // the same, by way of a reduction
    group.nodes.clear();
    group.apart.clear();
    for (const size_t i : nodes) {
      const Node& node = *nodes_[i];
      const ValueImpl& result = *node.results[0];
      bool from_inside = views == Views::kInside;
      bool from_folded = roles_[i] == Role::kReduction;
      ir::for_each_operand(node, [&](const Value& value) {
        from_inside = from_inside || inside.contains(value.get());
        from_folded = from_folded || folded.contains(value.get());
      });
      const bool stays =
          roles_[i] == Role::kMovement ? from_inside : from_folded || group.domain.spans_all(result);
      if (!stays) {
        group.apart.push_back(i);
        continue;
      }
      inside.insert(&result);
      if (from_folded) folded.insert(&result);
      group.nodes.push_back(i);
    }
  }

  /// Whether the nodes by themselves have one domain.
  bool holds_together(const std::vector<size_t>& nodes, size_t cluster) const {
    Domain domain;
    for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
      if (!domain.add(*nodes_[*at], roles_[*at])) return false;
    }
    return is_allowed(nodes, domain, {cluster});
  }

  /// Writes the function anew: groups as calls, everything else as it was, in the order of the clusters.
  void write() {
    std::unordered_map<const Node*, std::unique_ptr<Node>> owned;
    for (auto& node : function_.nodes) owned.emplace(node.get(), std::move(node));
    function_.nodes.clear();
    Substitution outside;
    for (const size_t cluster : order_.sequence()) {
      std::vector<size_t> alone = order_.members(cluster);
      std::ranges::sort(alone);
      if (groups_[cluster]) alone = groups_[cluster]->apart;
      for (const size_t i : alone) {
        outside.apply(*nodes_[i]);
        function_.nodes.push_back(std::move(owned.at(nodes_[i])));
      }
      if (groups_[cluster]) write_call(*groups_[cluster], cluster, owned, outside);
    }
    outside.apply_to_end(function_);
  }

  void write_call(const Group& group, size_t cluster,
                  std::unordered_map<const Node*, std::unique_ptr<Node>>& owned, Substitution& outside) {
    const std::vector<Value> operands = operands_of(group.nodes);
    Function& made = module_.add_function(name_of(group));
    made.fused = true;
    Substitution inner;
    Node& call = function_.add_node(NodeKind::kCall);
    call.functions = {&made};
    call.location = nodes_[group.nodes.back()]->location;
    for (const Value& operand : operands) {
      const GraphValue& value = ir::as_graph_value(operand);
      GraphValue& param = made.add_param(value.kind, value.dtype, value.shape, value.name);
      inner.replace(value, Value(&param));
      call.args.push_back(operand);
    }
    outside.apply(call);
    for (const size_t i : group.nodes) {
      Node& node = *nodes_[i];
      inner.apply(node);
      node.function = &made;
      const ir::GraphValueRef result = node.results[0];
      result->function = &made;
      made.nodes.push_back(std::move(owned.at(&node)));
      if (!is_used_outside(i, {cluster})) continue;
      made.results.push_back(result);
      GraphValue& given = call.add_result(result->kind, result->dtype, result->shape, result->name);
      outside.replace(*result, Value(&given));
    }
  }

  /// A name that tells people what is computed: the first and the last operator.
  std::string name_of(const Group& group) {
    std::string name = nodes_[group.nodes.front()]->op->name + "_" + nodes_[group.nodes.back()]->op->name;
    const int before = names_[name]++;
    return before ? cat(name, "_", before) : name;
  }

  ir::Module& module_;
  Function& function_;
  Names& names_;
  ClusterOrder order_;
  std::vector<Node*> nodes_;
  std::vector<Role> roles_;
  std::unordered_map<const Node*, size_t> number_;
  std::vector<std::vector<size_t>> users_;
  std::vector<std::pair<const GraphValue*, std::vector<size_t>>> param_users_;
  std::vector<bool> leaves_;                    ///< per node: its result leaves the function
  std::vector<std::unique_ptr<Group>> groups_;  ///< by cluster
};

}  // namespace

void fuse(ir::Module& module) {
  std::vector<Function*> functions;
  for (const auto& function : module.functions) {
    if (!function->fused) functions.push_back(function.get());
  }
  const ModuleMemory memory(module);
  Names names;
  for (Function* function : functions) Fuser(module, *function, memory, names).run();
}

}  // namespace dyad::passes
