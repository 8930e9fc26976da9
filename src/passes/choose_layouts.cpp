#include "passes/choose_layouts.h"

#include "passes/layout_change.h"

namespace dyad::passes {

namespace {

using ir::GraphValueRef;
using ir::Node;
using ir::NodeKind;

/// How far behind a convolution the next layer is looked for.
constexpr int kNear = 4;

const Op* table_op(const Node& node) {
  return node.kind == NodeKind::kOperator ? dynamic_cast<const Op*>(node.op) : nullptr;
}

bool is_layer(const Op& op) {
  static const std::unordered_set<std::string_view> layers{"convolution",
                                                           "convolution_input_gradient",
                                                           "convolution_weight_gradient",
                                                           "batch_norm_train",
                                                           "batch_norm_train_grad",
                                                           "batch_norm_apply",
                                                           "max_pool",
                                                           "average_pool"};
  return layers.contains(op.name);
}

}  // namespace

Dims channels_to_end(size_t rank) {
  Dims axes{0};
  for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  axes.push_back(1);
  return axes;
}

Dims channels_to_front(size_t rank) {
  Dims axes{0, static_cast<int64_t>(rank) - 1};
  for (size_t i = 1; i + 1 < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  return axes;
}

LayoutChange::LayoutChange(ir::Function& function, const ModuleMemory& memory)
    : function_(function), at_(function.nodes.begin()) {
  std::vector<const ValueImpl*> waiting;
  // Values that may lie in the same memory. An operator of a layer hands nothing on, body or not.
  std::unordered_map<const ValueImpl*, std::vector<const ValueImpl*>> beside;
  for (const auto& node : function.nodes) {
    if (node->kind == NodeKind::kConstant) continue;
    const Op* op = table_op(*node);
    const bool shares = !op || op->view || (op->body && !is_layer(*op)) || op->writes >= 0;
    for (size_t i = 0; i < node->args.size(); ++i) {
      const bool writes = memory.consumes(*node, i);
      ir::for_each_value(node->args[i], [&](const Value& value) {
        users_[value.get()].push_back(node.get());
        if (writes) waiting.push_back(value.get());
        if (!shares) return;
        for (const auto& result : node->results) {
          beside[value.get()].push_back(result.get());
          beside[result.get()].push_back(value.get());
        }
      });
    }
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
  for (; at_ != function_.nodes.end();) {
    Node& node = **at_;
    if (node.kind != NodeKind::kConstant) substitution_.apply(node);
    if (table_op(node) && change(node)) {
      gone_.push_back(std::move(*at_));  // the substitution knows its results by their address
      at_ = function_.nodes.erase(at_);
      continue;
    }
    if (node.kind != NodeKind::kOperator && node.kind != NodeKind::kConstant) restore_order(node);
    ++at_;
  }
  substitution_.apply_to_end(function_);
  for (auto& result : function_.results) result = restored(result);
}

bool LayoutChange::change(const Node& node) {
  static const std::unordered_map<std::string_view, Rule> rules{
      {"convolution", &LayoutChange::convolve},
      {"convolution_input_gradient", &LayoutChange::convolve_gradient},
      {"convolution_weight_gradient", &LayoutChange::filter_gradient},
      {"batch_norm_train", &LayoutChange::norm_train},
      {"batch_norm_train_grad", &LayoutChange::norm_train_gradient},
      {"batch_norm_apply", &LayoutChange::norm_apply},
      {"max_pool", &LayoutChange::max_pool},
      {"max_pool_with_places", &LayoutChange::max_pool_with_places},
      {"average_pool", &LayoutChange::average_pool},
      {"average_pool_gradient", &LayoutChange::average_pool},
      {"unpool", &LayoutChange::unpool},
      {"adaptive_average_pool", &LayoutChange::adaptive_pool},
      {"concat", &LayoutChange::join},
  };
  const Op& op = *table_op(node);
  for (const auto& result : node.results) {
    // Memory that somebody writes to stays as it is: its versions are told apart by their place.
    if (!all_known(result->shape) || result->size() == 0 || written_.contains(result.get())) return false;
  }
  if (op.writes >= 0 || !op.updates.empty() || op.random) return false;
  if (const auto found = rules.find(op.name); found != rules.end()) return (this->*found->second)(node);
  if (op.elementwise) return elementwise(node);
  if (op.reduction != Reduction::kNone) return reduce(node);
  return false;
}

bool LayoutChange::is_carried(const Value& value) const { return value && last_.contains(value.get()); }

Value LayoutChange::last(const Value& value) {
  if (const auto found = last_.find(value.get()); found != last_.end()) return found->second;
  const Dims axes = channels_to_end(value->shape.size());
  // A program that permutes its images itself has them in the new order already.
  const Node* producer = ir::as_graph_value(value).producer;
  const Op* op = producer ? table_op(*producer) : nullptr;
  if (op && op->name == "permute" && *producer->args[1].get<Dims>() == channels_to_front(axes.size())) {
    return *producer->args[0].get<Value>();
  }
  const Value made = before()("copy", {before()("permute", {value, axes})});
  last_[value.get()] = made;
  return made;
}

Value LayoutChange::last_operand(const Value& value, size_t rank) {
  if (is_carried(value) || value->shape.empty()) return value->shape.empty() ? value : last(value);
  Value full = value;
  if (value->shape.size() < rank) {
    Dims shape(rank - value->shape.size(), Dim(1));
    for (Dim size : value->shape) shape.push_back(size);
    full = before()("reshape", {value, shape});
  }
  return before()("permute", {full, channels_to_end(rank)});
}

void LayoutChange::replace(const Node& node, size_t index, const Value& value) {
  substitution_.replace(*node.results[index], value);
  if (const auto found = users_.find(node.results[index].get()); found != users_.end()) {
    users_[value.get()] = found->second;
  }
}

void LayoutChange::carry(const Node& node, size_t index, const Value& value) {
  const Value plain = before()("permute", {value, channels_to_front(value->shape.size())});
  last_[plain.get()] = value;
  replace(node, index, plain);
}

bool LayoutChange::pays(const Node& node, const Value& image) const {
  return is_carried(image) || leads_to_layers(*node.results[0], kNear);
}

bool LayoutChange::leads_to_layers(const ValueImpl& value, int steps) const {
  const auto found = users_.find(&value);
  if (found == users_.end() || steps == 0) return false;
  for (const Node* user : found->second) {
    const Op* op = table_op(*user);
    if (!op) continue;
    if (is_layer(*op)) return true;
    if (op->elementwise && leads_to_layers(*user->results[0], steps - 1)) return true;
  }
  return false;
}

void LayoutChange::restore_order(Node& node) {
  for (Arg& arg : node.args) {
    if (auto* value = arg.get<Value>()) {
      arg = Value(restored(GraphValueRef(&ir::as_graph_value(*value))));
    } else if (auto* list = arg.get<ValueList>()) {
      ValueList members;
      for (const Value& member : *list)
        members.push_back(member ? Value(restored(GraphValueRef(&ir::as_graph_value(member)))) : member);
      arg = std::move(members);
    }
  }
}

GraphValueRef LayoutChange::restored(const GraphValueRef& value) {
  const bool changed =
      last_.contains(value.get()) && value->producer && table_op(*value->producer)->name == "permute";
  if (!changed) return value;
  Value& copy = restored_[value.get()];
  if (!copy) {
    const ir::Location nowhere;
    const Insertion here(function_, at_, at_ == function_.nodes.end() ? nowhere : (*at_)->location);
    copy = here("copy", {Value(value)});
  }
  return GraphValueRef(&ir::as_graph_value(copy));
}

void choose_layouts(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) {
    if (!function->fused) LayoutChange(*function, memory).run();
  }
}

}  // namespace dyad::passes
