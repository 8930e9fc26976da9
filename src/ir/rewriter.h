#pragma once

#include "base/pointer_map.h"
#include "ir/clone.h"
#include "ir/graph.h"

namespace dyad::ir {

/// Whether the node applies this operator; a null node does not.
inline bool is_op(const Node* node, std::string_view name) {
  return node && node->kind == NodeKind::kOperator && node->op->name == name;
}
inline bool is_op(const Node& node, std::string_view name) { return is_op(&node, name); }
/// The node that makes a value or an argument; null for a parameter, an attribute, and a tensor with data.
Node* producer_of(const Value& value);
Node* producer_of(const Arg& arg);

/// Calls `visit(const Value&)` for every value of the graph that the node uses, once per use.
template <class Visit>
void for_each_operand(const Node& node, const Visit& visit) {
  if (node.kind == NodeKind::kConstant) return;  // what it holds is data
  for (const Arg& arg : node.args) for_each_value(arg, visit);
}

/// Edits the nodes of one function, and knows at all times who uses which value. The use lists are built
/// once, in linear time; as long as the rewriter lives, nodes are inserted and erased through it, and who
/// changes arguments by hand says so (`arguments_changed`). An erased node is put aside until the rewriter
/// goes: its values may still be looked at.
class Rewriter {
 public:
  explicit Rewriter(Function& function);
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  Function& function() const { return function_; }

  /// Visits the nodes from the first to the last. The visited node may be replaced or erased, and so may
  /// nodes before it; nodes are inserted before it and are not visited.
  template <class Visit>
  void walk(const Visit& visit) {
    for (next_ = function_.nodes.begin(); next_ != function_.nodes.end();) {
      point_ = next_++;
      Node& node = **point_;
      location_ = &node.location;
      visit(node);
    }
  }

  /// The same from the last to the first.
  template <class Visit>
  void walk_backward(const Visit& visit) {
    next_ = function_.nodes.end();
    for (auto at = function_.nodes.end(); at != function_.nodes.begin();) {
      point_ = std::prev(at);
      Node& node = **point_;
      location_ = &node.location;
      visit(node);
      if (at != function_.nodes.begin() && std::prev(at)->get() == &node) --at;
    }
  }

  /// Uses of the value by nodes, and by the function as one of its results or updates.
  size_t use_count(const ValueImpl& value) const;
  bool has_one_use(const ValueImpl& value) const { return use_count(value) == 1; }
  /// The node that makes a value of which there is no other use; else null.
  Node* only_producer(const Arg& arg) const;
  /// Whether the function gives it to its caller, as a result or an update.
  bool is_returned(const ValueImpl& value) const;
  /// Calls `visit(Node&)` once for each use of the value by a node.
  template <class Visit>
  void for_each_user(const ValueImpl& value, const Visit& visit) const {
    const List* list = lists_.find(&value);
    for (uint32_t use = list ? list->first : kNone; use != kNone; use = uses_[use].next) {
      if (uses_[use].user) visit(*uses_[use].user);
    }
  }
  /// Whether `a` runs before `b`.
  bool comes_before(const Node& a, const Node& b) const { return at(a).order < at(b).order; }

  /// Puts nodes that a builder has added to the function, from `first` to the end, at the insertion point.
  void take_in(Function::Nodes::iterator first);

  /// From now on nodes are inserted before this one, and have its location.
  void set_insertion_point(const Node& node);
  void set_insertion_point_after(const Node& node);
  void set_insertion_point_to_end();
  /// The location of the nodes that follow.
  void set_location(const Location& location) { location_ = &location; }

  /// A node of this operator, which infers its results.
  Node& insert(const Operator& op, std::vector<Arg> args);
  /// The node once more, with `map(value)` in the place of each value that it uses.
  template <class Map>
  Node& insert_copy(const Node& node, const Map& map) {
    std::vector<Arg> args = map_arguments(node, map);  // first: it may insert others
    copy_node(node, function_.insert_node(point_, node.kind), std::move(args));
    return adopt(std::prev(point_));
  }

  /// Lets every use of `old` be one of `by`.
  void replace_all_uses(const GraphValue& old, const Value& by);
  /// The same for the uses by `accepts(user, argument)`; the user is null for a result or update.
  template <class Accepts>
  void replace_uses_if(const GraphValue& old, const Value& by, const Accepts& accepts) {
    for (Node* user : users_of(old)) {
      if (!user) {
        if (accepts(user, size_t{0})) replace_returned(old, by);
        continue;
      }
      for (size_t i = 0; i < user->args.size(); ++i) {
        if (contains(user->args[i], old) && accepts(user, i)) replace_in(user->args[i], old, by);
      }
      arguments_changed(*user);
    }
  }
  /// Lets other values be used for the node's results, and erases it.
  void replace(Node& node, const Value& by);
  void replace(Node& node, const ValueList& by);
  /// Puts a node of this operator, with the same results, in the place of the node.
  Node& replace_with(Node& node, const Operator& op, std::vector<Arg> args);
  /// Takes a node out whose results have no users.
  void erase(Node& node);

  void set_argument(Node& node, size_t i, Arg arg);
  /// The node's arguments are others than they were.
  void arguments_changed(Node& node) { relink(&node, at(node)); }
  /// So are the function's results or updates.
  void results_changed() { relink(nullptr, end_); }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Use {
    const ValueImpl* value;
    Node* user;  ///< null for a result or an update
    uint32_t previous;
    uint32_t next;
  };
  struct List {
    uint32_t first = kNone;
    uint32_t last = kNone;
    uint32_t count = 0;
  };
  /// Where a node is, and its uses: `count` entries from `first` on.
  struct Entry {
    Function::Nodes::iterator place;
    double order = 0;
    uint32_t first = 0;
    uint32_t count = 0;
  };

  Entry& at(const Node& node);
  const Entry& at(const Node& node) const { return const_cast<Rewriter*>(this)->at(node); }
  template <class Visit>
  void for_each_use_of(const Node* user, const Visit& visit) const;
  void link(Node* user, Entry& entry);
  void unlink(const Entry& entry);
  void relink(Node* user, Entry& entry);
  void renumber();
  /// Takes a node that was put before the insertion point into the books.
  Node& adopt(Function::Nodes::iterator place);
  /// Each of them once; null for the function itself.
  std::vector<Node*> users_of(const ValueImpl& value) const;
  void replace_returned(const GraphValue& old, const Value& by);
  static bool contains(const Arg& arg, const ValueImpl& value);
  static void replace_in(Arg& arg, const ValueImpl& old, const Value& by);

  Function& function_;
  PointerMap<Entry> nodes_;
  PointerMap<List> lists_;
  std::vector<Use> uses_;
  Entry end_;  ///< the uses by results and updates
  std::vector<std::unique_ptr<Node>> erased_;
  Function::Nodes::iterator point_;
  Function::Nodes::iterator next_;  ///< of a walk
  const Location* location_;
};

}  // namespace dyad::ir
