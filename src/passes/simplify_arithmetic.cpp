#include <cmath>

#include "passes/simplify_rules.h"

namespace dyad::passes {

namespace {

bool is(const std::optional<Scalar>& number, double wanted) {
  return number && number->kind() != Scalar::Kind::kComplex && number->to_double() == wanted &&
         std::signbit(number->to_double()) == std::signbit(wanted);
}

bool is_complex_result(const Node& node) { return is_complex(node.results[0]->dtype); }

/// The operand, if the result has its dtype and shape: the other one only took part in the arithmetic.
Simpler operand(const Node& node, size_t i) {
  auto* value = node.args[i].get<Value>();
  if (!value || !same_type(**value, *node.results[0])) return Simpler::no();
  return Simpler::same(*value);
}

Simpler product(Node& node) {
  if (is_complex_result(node)) return Simpler::no();
  if (is(uniform(node.args[1]), 1)) return operand(node, 0);
  if (is(uniform(node.args[0]), 1)) return operand(node, 1);
  return Simpler::no();
}

/// What may be added to anything: integers have one zero, of floats only -0.0 leaves -0.0 as it is.
bool adds_nothing(const Arg& arg, DType dtype) { return is(uniform(arg), is_float(dtype) ? -0.0 : 0.0); }

Simpler sum(Node& node) {
  if (is_complex_result(node)) return Simpler::no();
  if (adds_nothing(node.args[1], node.results[0]->dtype)) return operand(node, 0);
  if (adds_nothing(node.args[0], node.results[0]->dtype)) return operand(node, 1);
  return Simpler::no();
}

Simpler difference(Node& node) {
  if (is_complex_result(node)) return Simpler::no();
  return is(uniform(node.args[1]), 0) ? operand(node, 0) : Simpler::no();
}

/// The largest exponent such that 2 to its negative is a normal number.
int largest_exponent(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 14;
    case DType::kBFloat16:
    case DType::kFloat32:
      return 126;
    case DType::kFloat64:
      return 1022;
    default:
      return -1;
  }
}

/// Division by a power of two is the multiplication with its inverse, which is exact.
Simpler quotient(Node& node) {
  static const Op& mul = op_named("mul");
  if (is(uniform(node.args[1]), 1)) return operand(node, 0);
  auto* value = node.args[0].get<Value>();
  auto* divisor = node.args[1].get<Scalar>();
  if (!value || !divisor || divisor->kind() == Scalar::Kind::kComplex) return Simpler::no();
  if ((*value)->dtype != node.results[0]->dtype) return Simpler::no();
  int exponent = 0;
  const double fraction = std::frexp(divisor->to_double(), &exponent);
  const bool power = std::abs(fraction) == 0.5;
  if (!power || std::abs(exponent - 1) > largest_exponent((*value)->dtype)) return Simpler::no();
  node.op = &mul;
  node.args[1] = Scalar(1 / divisor->to_double());
  return Simpler::changed();
}

Simpler negative(Node& node) {
  Value value;
  return match(node.args[0], m_op("neg", m_value(value))) ? Simpler::same(value) : Simpler::no();
}

Simpler magnitude(Node& node) {
  if (match(node.args[0], m_op("abs"))) return operand(node, 0);
  Value value;
  if (!match(node.args[0], m_op("neg", m_value(value)))) return Simpler::no();
  node.args[0] = value;
  return Simpler::changed();
}

Simpler rectified(Node& node) { return match(node.args[0], m_op("relu")) ? operand(node, 0) : Simpler::no(); }

Simpler inverse_truth(Node& node) {
  Value value;
  const bool inverse = match(node.args[0], m_op("logical_not", m_value(value)));
  return inverse && value->dtype == DType::kBool ? Simpler::same(value) : Simpler::no();
}

Simpler choice(Node& node) {
  const std::optional<Scalar> condition = uniform(node.args[0]);
  return condition ? operand(node, condition->to_bool() ? 1 : 2) : Simpler::no();
}

/// A sum over no axes.
Simpler total(Node& node) {
  const Value& value = *node.args[0].get<Value>();
  return same_type(*value, *node.results[0]) ? Simpler::shown(value) : Simpler::no();
}

constexpr ArithmeticRule kRules[] = {
    {"mul", product},  {"add", sum},       {"sub", difference}, {"div", quotient},
    {"neg", negative}, {"abs", magnitude}, {"relu", rectified}, {"logical_not", inverse_truth},
    {"where", choice}, {"sum_to", total},
};

}  // namespace

std::span<const ArithmeticRule> arithmetic_rules() { return kRules; }

}  // namespace dyad::passes
