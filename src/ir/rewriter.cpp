#include "ir/rewriter.h"

#include <algorithm>

#include "base/error.h"

namespace dyad::ir {

namespace {

// Between the orders of two nodes; where less is left, all are numbered anew.
constexpr double kLeastRoom = 1e-6;
const Location kNowhere;

}  // namespace

Node* producer_of(const Value& value) {
  return value->is_tensor() ? nullptr : as_graph_value(value).producer;
}

Node* producer_of(const Arg& arg) {
  auto* value = arg.get<Value>();
  return value ? producer_of(*value) : nullptr;
}

Rewriter::Rewriter(Function& function)
    : function_(function),
      nodes_(function.nodes.size()),
      lists_(function.nodes.size() + function.params.size()),
      point_(function.nodes.end()),
      next_(function.nodes.end()),
      location_(&kNowhere) {
  uses_.reserve(2 * function.nodes.size());
  for (auto place = function.nodes.begin(); place != function.nodes.end(); ++place) {
    Entry& entry = nodes_[place->get()];
    entry.place = place;
    entry.order = static_cast<double>(nodes_.size());
    link(place->get(), entry);
  }
  link(nullptr, end_);
}

Rewriter::Entry& Rewriter::at(const Node& node) {
  Entry* entry = nodes_.find(&node);
  DYAD_ASSERT(entry);
  return *entry;
}

template <class Visit>
void Rewriter::for_each_use_of(const Node* user, const Visit& visit) const {
  if (user) return for_each_operand(*user, visit);
  for (const GraphValueRef& result : function_.results) visit(result);
  for (const Function::Update& update : function_.updates) visit(update.value);
}

void Rewriter::link(Node* user, Entry& entry) {
  uint32_t count = 0;
  for_each_use_of(user, [&](const auto&) { ++count; });
  if (count > entry.count) {
    entry.first = static_cast<uint32_t>(uses_.size());
    uses_.resize(uses_.size() + count);
  }
  entry.count = count;
  uint32_t next = entry.first;
  for_each_use_of(user, [&](const auto& value) {
    List& list = lists_[value.get()];
    uses_[next] = {value.get(), user, list.last, kNone};
    (list.last == kNone ? list.first : uses_[list.last].next) = next;
    list.last = next++;
    ++list.count;
  });
}

void Rewriter::unlink(const Entry& entry) {
  for (uint32_t i = entry.first; i < entry.first + entry.count; ++i) {
    const Use& use = uses_[i];
    List& list = *lists_.find(use.value);
    (use.previous == kNone ? list.first : uses_[use.previous].next) = use.next;
    (use.next == kNone ? list.last : uses_[use.next].previous) = use.previous;
    --list.count;
  }
}

void Rewriter::relink(Node* user, Entry& entry) {
  unlink(entry);
  link(user, entry);
}

size_t Rewriter::use_count(const ValueImpl& value) const {
  const List* list = lists_.find(&value);
  return list ? list->count : 0;
}

Node* Rewriter::only_producer(const Arg& arg) const {
  Node* producer = producer_of(arg);
  return producer && has_one_use(**arg.get<Value>()) ? producer : nullptr;
}

bool Rewriter::is_returned(const ValueImpl& value) const {
  const List* list = lists_.find(&value);
  for (uint32_t use = list ? list->first : kNone; use != kNone; use = uses_[use].next) {
    if (!uses_[use].user) return true;
  }
  return false;
}

std::vector<Node*> Rewriter::users_of(const ValueImpl& value) const {
  std::vector<Node*> users;
  const List* list = lists_.find(&value);
  for (uint32_t use = list ? list->first : kNone; use != kNone; use = uses_[use].next) {
    // The uses of one user follow each other.
    if (users.empty() || users.back() != uses_[use].user) users.push_back(uses_[use].user);
  }
  return users;
}

void Rewriter::set_insertion_point(const Node& node) {
  point_ = at(node).place;
  location_ = &node.location;
}

void Rewriter::set_insertion_point_after(const Node& node) {
  set_insertion_point(node);
  ++point_;
}

void Rewriter::set_insertion_point_to_end() {
  point_ = function_.nodes.end();
  location_ = &kNowhere;
}

Node& Rewriter::adopt(Function::Nodes::iterator place) {
  Node& node = **place;
  const bool first = place == function_.nodes.begin();
  const bool last = std::next(place) == function_.nodes.end();
  const double before = first ? 0 : at(**std::prev(place)).order;
  const double after = last ? before + 2 : at(**std::next(place)).order;
  Entry& entry = nodes_[&node];
  entry.place = place;
  entry.order = (before + after) / 2;
  link(&node, entry);
  if (after - before < kLeastRoom) renumber();
  return node;
}

void Rewriter::take_in(Function::Nodes::iterator first) {
  while (first != function_.nodes.end()) {
    const auto place = first++;
    function_.nodes.splice(point_, function_.nodes, place);
    adopt(place);
  }
}

void Rewriter::renumber() {
  double order = 0;
  for (const auto& node : function_.nodes) at(*node).order = ++order;
}

Node& Rewriter::insert(const Operator& op, std::vector<Arg> args) {
  const std::vector<ResultSpec> inferred = op.infer_results(args);
  Node& node = function_.insert_node(point_, NodeKind::kOperator);
  node.op = &op;
  node.args = std::move(args);
  node.location = *location_;
  for (size_t i = 0; i < inferred.size(); ++i) {
    node.add_result(result_kind(op, i), inferred[i].dtype, inferred[i].shape);
  }
  return adopt(std::prev(point_));
}

bool Rewriter::contains(const Arg& arg, const ValueImpl& value) {
  bool found = false;
  for_each_value(arg, [&](const Value& member) { found = found || member.get() == &value; });
  return found;
}

void Rewriter::replace_in(Arg& arg, const ValueImpl& old, const Value& by) {
  arg = map_values(arg, [&](const Value& value) { return value.get() == &old ? by : value; });
}

void Rewriter::replace_returned(const GraphValue& old, const Value& by) {
  const GraphValueRef value(&as_graph_value(by));
  for (GraphValueRef& result : function_.results) {
    if (result.get() == &old) result = value;
  }
  for (Function::Update& update : function_.updates) {
    if (update.value.get() == &old) update.value = value;
  }
  results_changed();
}

void Rewriter::replace_all_uses(const GraphValue& old, const Value& by) {
  replace_uses_if(old, by, [](const Node*, size_t) { return true; });
}

void Rewriter::replace(Node& node, const Value& by) { replace(node, ValueList{by}); }

void Rewriter::replace(Node& node, const ValueList& by) {
  DYAD_ASSERT(by.size() == node.results.size());
  for (size_t i = 0; i < by.size(); ++i) replace_all_uses(*node.results[i], by[i]);
  erase(node);
}

Node& Rewriter::replace_with(Node& node, const Operator& op, std::vector<Arg> args) {
  const auto place = at(node).place;
  Node& made = function_.insert_node(place, NodeKind::kOperator);
  made.op = &op;
  made.args = std::move(args);
  made.location = node.location;
  ValueList results;
  for (const GraphValueRef& result : node.results) {
    results.emplace_back(&made.add_result(result->kind, result->dtype, result->shape, result->name));
  }
  adopt(std::prev(place));
  replace(node, results);
  return made;
}

void Rewriter::erase(Node& node) {
  for (const GraphValueRef& result : node.results) DYAD_ASSERT(use_count(*result) == 0);
  Entry& entry = at(node);
  unlink(entry);
  entry.count = 0;
  const auto place = entry.place;
  if (point_ == place) ++point_;
  if (next_ == place) ++next_;
  erased_.push_back(std::move(*place));
  function_.nodes.erase(place);
}

void Rewriter::set_argument(Node& node, size_t i, Arg arg) {
  node.args[i] = std::move(arg);
  arguments_changed(node);
}

}  // namespace dyad::ir
