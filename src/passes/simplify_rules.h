#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "passes/rewrite.h"

namespace dyad::passes {

/// What a rule found out about a node.
struct Simpler {
  enum class Kind : uint8_t {
    kNo,       ///< it stays as it is
    kChanged,  ///< the rule changed operator or arguments of the node
    kSame,     ///< its result has the elements of `value`, in memory of its own
    kShown,    ///< its result is `value`, or a look at it
  };
  Kind kind = Kind::kNo;
  Value value;

  static Simpler no() { return {}; }
  static Simpler changed() { return {Kind::kChanged, {}}; }
  static Simpler same(Value value) { return {Kind::kSame, std::move(value)}; }
  static Simpler shown(Value value) { return {Kind::kShown, std::move(value)}; }
};

using SimplifyRule = Simpler (*)(Node& node);

/// Rules on numbers, for operators of these names.
struct ArithmeticRule {
  std::string_view op;
  SimplifyRule apply;
};
std::span<const ArithmeticRule> arithmetic_rules();
/// Rules on what only moves elements, whatever operator does it.
struct MovementRule {
  Movement movement;
  SimplifyRule apply;
};
std::span<const MovementRule> movement_rules();

/// The node that makes an argument, if it moves elements so; null otherwise.
const Node* made_by(const Arg& arg, Movement movement);
/// The number that all elements of an argument are, where that is known.
std::optional<Scalar> uniform(const Arg& arg);
inline bool same_type(const ValueImpl& a, const ValueImpl& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

}  // namespace dyad::passes
