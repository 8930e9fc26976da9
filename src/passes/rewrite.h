#pragma once

#include "ir/match.h"
#include "ir/rewriter.h"
#include "ops/op.h"

// What every pass begins with: the IR's names, operators by theirs.

namespace dyad::passes {

using ir::Function;
using ir::GraphValue;
using ir::GraphValueRef;
using ir::is_op;
using ir::m_none;
using ir::m_number;
using ir::m_one_use;
using ir::m_op;
using ir::m_value;
using ir::match;
using ir::Node;
using ir::NodeKind;
using ir::Rewriter;

inline const Op& op_named(std::string_view name) { return OpTable::instance().get(name); }
/// The entry of the table for the node's operator; null where there is none.
inline const Op* table_op(const Node& node) {
  return node.kind == NodeKind::kOperator ? dynamic_cast<const Op*>(node.op) : nullptr;
}
/// Whether the node does nothing but move elements in this way.
inline bool moves(const Node& node, Movement how) {
  const Op* op = table_op(node);
  return op && op->movement == how;
}
inline bool is_view(const Node& node) {
  const Op* op = table_op(node);
  return op && op->view;
}
/// The value that is this argument of the node.
inline const Value& value_at(const Node& node, size_t i) { return *node.args[i].get<Value>(); }

/// Inserts an operator with one result, and gives that.
inline Value insert(Rewriter& rewriter, std::string_view name, std::vector<Arg> args) {
  return rewriter.insert(op_named(name), std::move(args)).results[0];
}

}  // namespace dyad::passes
