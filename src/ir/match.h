#pragma once

#include "ir/rewriter.h"

namespace dyad::ir {

// Patterns are written as the expressions that they match:
//
//   Value x;
//   if (match(node.args[0], m_op("neg", m_value(x)))) …
//
// What was bound holds where all of the pattern matched.

template <class Pattern>
bool match(const Arg& arg, const Pattern& pattern) {
  return pattern(arg);
}

/// Any argument.
inline auto m_any() {
  return [](const Arg&) { return true; };
}
/// No argument.
inline auto m_none() {
  return [](const Arg& arg) { return arg.none(); };
}
/// A value, which is bound.
inline auto m_value(Value& bound) {
  return [&bound](const Arg& arg) {
    auto* value = arg.get<Value>();
    if (value) bound = *value;
    return value != nullptr;
  };
}
/// A number that is an attribute, which is bound.
inline auto m_number(Scalar& bound) {
  return [&bound](const Arg& arg) {
    auto* number = arg.get<Scalar>();
    if (number) bound = *number;
    return number != nullptr;
  };
}
/// A value made by this operator, whose first arguments match these patterns.
template <class... Patterns>
auto m_op(std::string_view name, const Patterns&... patterns) {
  return [=](const Arg& arg) {
    const Node* node = producer_of(arg);
    if (!is_op(node, name) || node->args.size() < sizeof...(Patterns)) return false;
    [[maybe_unused]] size_t i = 0;
    return (patterns(node->args[i++]) && ...);
  };
}
/// The same, and the node is bound.
template <class Pattern>
auto m_node(Node*& bound, const Pattern& pattern) {
  return [&bound, pattern](const Arg& arg) {
    if (!pattern(arg)) return false;
    bound = producer_of(arg);
    return true;
  };
}
/// A value with a single use that matches the pattern.
template <class Pattern>
auto m_one_use(const Rewriter& rewriter, const Pattern& pattern) {
  return [&rewriter, pattern](const Arg& arg) {
    return arg.get<Value>() && rewriter.has_one_use(**arg.get<Value>()) && pattern(arg);
  };
}

}  // namespace dyad::ir
