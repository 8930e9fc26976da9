#include "passes/choose_layouts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ops/graph_builder.h"
#include "ops/layout.h"
#include "passes/memory.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

/// How far behind a convolution an operator that prefers the layout is looked for.
constexpr int kNear = 4;

/// The change of one function to channels innermost: which values are there in that layout, and what stands
/// for the nodes that give such values. A value that has both layouts is a *carried* one.
class LayoutChange {
 public:
  LayoutChange(Function& function, const ModuleMemory& memory);
  void run();

 private:
  class Rewrite;

  // These say whether they have put nodes of the new layout in the place of the node.
  bool change(Node& node);
  bool by_rule(Node& node, const Op& op);
  bool elementwise(Node& node);
  bool reduce(Node& node);

  /// Whether the value is there in the new layout already.
  bool is_carried(const Value& value) const { return value && last_.contains(value.get()); }
  /// The value in the new layout, made of a copy where there is none.
  Value last(const Value& value);
  /// The same for an operand of an elementwise operator on `rank` dimensions, without a copy.
  Value last_operand(const Value& value, size_t rank);
  /// What stands in the old layout for `value`, which is in the new one.
  Value carried(const Value& value);
  /// A user of the same tensor that gives what this node gives, and more.
  const Node* with_more_results(const Node& node, const Op& op) const;
  bool leads_to_preferring(const ValueImpl& value, int steps) const;
  /// Function calls, the host and the caller get what they got before: row-major memory.
  void restore_order(Node& node);
  Value restored(const Value& value);

  Rewriter rewriter_;
  std::unordered_set<const ValueImpl*> written_;          ///< values whose memory may be written
  std::unordered_map<const ValueImpl*, Value> last_;      ///< by the value in the old layout
  std::unordered_map<const ValueImpl*, Value> restored_;  ///< row-major copies of carried values
  std::unordered_map<const Node*, ValueList> given_;      ///< results of a node that were found before it
};

/// A rule's view of a node. The operators that the rule calls are added to the end of the function, from
/// where they are taken to the node.
class LayoutChange::Rewrite final : public LayoutCall {
 public:
  Rewrite(LayoutChange& change, const Node& node, Builder& builder)
      : LayoutCall(Arguments(node.op->name, node.args), builder),
        results(node.results.size()),
        change_(change),
        node_(node),
        end_(std::prev(change.rewriter_.function().nodes.end())) {}

  const ValueImpl& result(size_t i) const override { return *node_.results[i]; }
  bool has_channels_last(const Value& value) const override { return change_.is_carried(value); }
  Value channels_last(const Value& value) override {
    take_in();
    return change_.last(value);
  }
  bool leads_to_preferring() const override { return change_.leads_to_preferring(*node_.results[0], kNear); }
  void set_channels_last(size_t result, const Value& value) override {
    take_in();
    results[result] = change_.carried(value);
  }
  void set(size_t result, const Value& value) override {
    take_in();
    results[result] = value;
  }

  ValueList results;

 private:
  void take_in() { change_.rewriter_.take_in(std::next(end_)); }

  LayoutChange& change_;
  const Node& node_;
  Function::Nodes::iterator end_;
};

LayoutChange::LayoutChange(Function& function, const ModuleMemory& memory) : rewriter_(function) {
  std::vector<const ValueImpl*> waiting;
  // Values that may lie in the same memory. A kernel hands nothing on, whether there is a body as well or
  // not.
  std::unordered_map<const ValueImpl*, std::vector<const ValueImpl*>> beside;
  const auto link = [&](const ValueImpl* one, const ValueImpl* other) {
    beside[one].push_back(other);
    beside[other].push_back(one);
  };
  for (const auto& node : function.nodes) {
    if (node->kind == NodeKind::kConstant) continue;
    const Op* op = table_op(*node);
    const bool shares = !op || op->view || (op->body && !op->prefers_channels_last) || op->writes >= 0;
    bool linked = false;
    for (size_t i = 0; i < node->args.size(); ++i) {
      const bool writes = memory.consumes(*node, i);
      ir::for_each_value(node->args[i], [&](const Value& value) {
        if (writes) waiting.push_back(value.get());
        if (!shares || node->results.empty()) return;
        link(value.get(), node->results[0].get());
        linked = true;
      });
    }
    for (size_t i = 1; linked && i < node->results.size(); ++i)
      link(node->results[i].get(), node->results[0].get());
  }
  for (const auto& update : function.updates) waiting.push_back(update.value.get());
  while (!waiting.empty()) {
    const ValueImpl* value = waiting.back();
    waiting.pop_back();
    if (!written_.insert(value).second) continue;
    for (const ValueImpl* other : beside[value]) waiting.push_back(other);
  }
}

void LayoutChange::run() {
  rewriter_.walk([&](Node& node) {
    if (node.kind == NodeKind::kConstant || (table_op(node) && change(node))) return;
    if (node.kind != NodeKind::kOperator) restore_order(node);
  });
  rewriter_.set_insertion_point_to_end();
  for (auto& result : rewriter_.function().results) {
    result = GraphValueRef(&ir::as_graph_value(restored(Value(result))));
  }
  rewriter_.results_changed();
}

bool LayoutChange::change(Node& node) {
  const Op& op = *table_op(node);
  for (const auto& result : node.results) {
    // Memory that is written stays as it is: its versions are told apart by their place.
    if (!all_known(result->shape) || result->size() == 0 || written_.contains(result.get())) return false;
  }
  if (op.writes >= 0 || !op.updates.empty() || op.random) return false;
  if (op.layout) return by_rule(node, op);
  if (op.elementwise) return elementwise(node);
  if (op.reduction != Reduction::kNone) return reduce(node);
  return false;
}

bool LayoutChange::by_rule(Node& node, const Op& op) {
  GraphBuilder builder(rewriter_.function());
  builder.location = node.location;
  Rewrite call(*this, node, builder);
  if (op.channels_last >= 0 && call.flag(static_cast<size_t>(op.channels_last))) return false;
  const auto known = given_.find(&node);
  if (known == given_.end() && !op.layout(call)) return false;
  if (op.layout_inputs != 0) {
    ValueList found;
    if (known != given_.end()) {
      found = known->second;
    } else {
      std::vector<Arg> args = node.args;
      for (size_t i = 0; i < args.size(); ++i) {
        if (((op.layout_inputs >> i) & 1) && call.has(i)) args[i] = last(call.value(i));
      }
      args[static_cast<size_t>(op.channels_last)] = true;
      const Node* more = with_more_results(node, op);
      for (const auto& result : rewriter_.insert(more ? *more->op : op, std::move(args)).results) {
        found.emplace_back(result);
      }
      if (more) given_[more] = found;
    }
    for (size_t i = 0; i < node.results.size(); ++i) {
      call.results[i] = ((op.layout_results >> i) & 1) ? carried(found[i]) : found[i];
    }
  }
  rewriter_.replace(node, call.results);
  return true;
}

const Node* LayoutChange::with_more_results(const Node& node, const Op& op) const {
  const Node* found = nullptr;
  if (op.included_in.empty()) return found;
  rewriter_.for_each_user(*value_at(node, 0), [&](const Node& user) {
    if (found || !is_op(user, op.included_in)) return;
    for (size_t i = 1; i < node.args.size(); ++i) {  // attributes
      if (to_text(node.args[i]) != to_text(user.args[i])) return;
    }
    found = &user;
  });
  return found;
}

bool LayoutChange::elementwise(Node& node) {
  const Shape shape = node.results[0]->shape;
  if (node.results.size() != 1 || shape.size() < 3 || shape.size() > 5) return false;
  const auto is_tensor = [](const Value* value) {
    return value && ir::as_graph_value(*value).kind == GraphValue::Kind::kTensor;
  };
  bool has_carried = false;
  for (const Arg& arg : node.args) {
    auto* value = arg.get<Value>();
    if (arg.get<ValueList>() || (value && !*value)) return false;
    has_carried = has_carried || (is_tensor(value) && is_carried(*value) && (*value)->shape == shape);
  }
  if (!has_carried) return false;
  std::vector<Arg> args;
  for (const Arg& arg : node.args) {
    auto* value = arg.get<Value>();
    args.push_back(is_tensor(value) ? Arg(last_operand(*value, shape.size())) : arg);
  }
  rewriter_.replace(node, carried(Value(rewriter_.insert(*node.op, std::move(args)).results[0])));
  return true;
}

bool LayoutChange::reduce(Node& node) {
  const Value& input = value_at(node, 0);
  auto* given = node.args[1].get<Dims>();
  auto* keeps = node.args[2].get<Scalar>();
  if (!is_carried(input) || !given || given->empty() || !keeps || node.results.size() != 1) return false;
  const auto rank = static_cast<int64_t>(input->shape.size());
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (Dim axis : *given) reduced[static_cast<size_t>((axis.value() + rank) % rank)] = true;
  const Dims order = layout::channels_to_end(static_cast<size_t>(rank));
  Dims axes;
  for (int64_t i = 0; i < rank; ++i) {
    if (reduced[static_cast<size_t>(order[static_cast<size_t>(i)].value())]) axes.push_back(i);
  }
  const bool any_size_kept = std::find(reduced.begin() + 2, reduced.end(), false) != reduced.end();
  const bool keep = keeps->to_bool();
  if (!keep && !reduced[1] && any_size_kept) return false;  // what is left would have another order
  std::vector<Arg> args = node.args;
  args[0] = last(input);
  args[1] = axes;
  const Value made(rewriter_.insert(*node.op, std::move(args)).results[0]);
  rewriter_.replace(node, keep ? carried(made) : made);
  return true;
}

Value LayoutChange::last(const Value& value) {
  if (const auto found = last_.find(value.get()); found != last_.end()) return found->second;
  const Dims axes = layout::channels_to_end(value->shape.size());
  // A program that permutes its images itself has them in the new layout already.
  const Node* producer = ir::producer_of(value);
  if (producer && moves(*producer, Movement::kPermute) &&
      *producer->args[1].get<Dims>() == layout::channels_to_front(axes.size())) {
    return value_at(*producer, 0);
  }
  const Value made = insert(rewriter_, "copy", {insert(rewriter_, "permute", {value, axes})});
  last_[value.get()] = made;
  return made;
}

Value LayoutChange::last_operand(const Value& value, size_t rank) {
  if (value->shape.empty()) return value;
  if (is_carried(value)) return last(value);
  Value full = value;
  if (value->shape.size() < rank) {
    Dims shape(rank - value->shape.size(), Dim(1));
    for (Dim size : value->shape) shape.push_back(size);
    full = insert(rewriter_, "reshape", {value, shape});
  }
  return insert(rewriter_, "permute", {full, layout::channels_to_end(rank)});
}

Value LayoutChange::carried(const Value& value) {
  const Value plain = insert(rewriter_, "permute", {value, layout::channels_to_front(value->shape.size())});
  last_[plain.get()] = value;
  return plain;
}

bool LayoutChange::leads_to_preferring(const ValueImpl& value, int steps) const {
  if (steps == 0) return false;
  bool found = false;
  rewriter_.for_each_user(value, [&](const Node& user) {
    const Op* op = table_op(user);
    if (found || !op) return;
    found =
        op->prefers_channels_last || (op->elementwise && leads_to_preferring(*user.results[0], steps - 1));
  });
  return found;
}

void LayoutChange::restore_order(Node& node) {
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (auto* value = node.args[i].get<Value>()) {
      rewriter_.set_argument(node, i, restored(*value));
    } else if (auto* list = node.args[i].get<ValueList>()) {
      ValueList members;
      for (const Value& member : *list) members.push_back(member ? restored(member) : member);
      rewriter_.set_argument(node, i, std::move(members));
    }
  }
}

Value LayoutChange::restored(const Value& value) {
  const Node* producer = ir::producer_of(value);
  if (!is_carried(value) || !producer || !moves(*producer, Movement::kPermute)) return value;
  Value& copy = restored_[value.get()];
  if (!copy) copy = insert(rewriter_, "copy", {value});
  return copy;
}

}  // namespace

void choose_layouts(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) {
    if (!function->fused && !function->nodes.empty()) LayoutChange(*function, memory).run();
  }
}

}  // namespace dyad::passes
