#pragma once

#include "ir/graph.h"

namespace dyad::ir {

/// The same module once more, for a transform that must leave the first one as it is. Constants are shared.
std::shared_ptr<Module> clone(const Module& module);

/// The argument with `map(value)` in the place of each value in it.
template <class Map>
Arg map_values(const Arg& arg, const Map& map) {
  if (auto* value = arg.get<Value>()) return Value(map(*value));
  auto* list = arg.get<ValueList>();
  if (!list) return arg;
  ValueList members;
  members.reserve(list->size());
  for (const Value& value : *list) members.push_back(value ? Value(map(value)) : Value());
  return members;
}
/// The node's arguments with `map(value)` in the place of each value that it uses.
template <class Map>
std::vector<Arg> map_arguments(const Node& node, const Map& map) {
  if (node.kind == NodeKind::kConstant) return node.args;  // what it holds is data
  std::vector<Arg> args;
  args.reserve(node.args.size());
  for (const Arg& arg : node.args) args.push_back(map_values(arg, map));
  return args;
}
/// Makes `to`, a new node of the same kind, what `from` is, but on these arguments. The functions are the
/// same.
void copy_node(const Node& from, Node& to, std::vector<Arg> args);

}  // namespace dyad::ir
