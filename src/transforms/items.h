#pragma once

#include <variant>

#include "base/error.h"
#include "capture/tracing/function_scope.h"

namespace dyad::transforms {

// What a tracer gives and takes.
using tracing::CapturedVariable;
using tracing::DeclaredFunctionScope;
using tracing::FunctionScope;
using tracing::GraphTracer;
using tracing::Item;
using tracing::Number;
using tracing::ResumedFunctionScope;
using tracing::Scope;
using tracing::TypeSpec;

inline bool is_token(const ir::GraphValue& value) { return value.kind == ir::GraphValue::Kind::kToken; }

inline Tensor tensor_of(const Value& value) { return Tensor(&as_tensor(value)); }
inline const Tensor& tensor_in(const Item& item) {
  DYAD_ASSERT(std::holds_alternative<Tensor>(item));
  return std::get<Tensor>(item);
}
/// The same; empty for a number.
inline Tensor tensor_or_none(const Item& item) {
  auto* tensor = std::get_if<Tensor>(&item);
  return tensor ? *tensor : Tensor();
}

/// Arguments of an operator.
template <class... Values>
std::vector<Arg> args_of(Values&&... values) {
  std::vector<Arg> args;
  args.reserve(sizeof...(values));
  (args.emplace_back(std::forward<Values>(values)), ...);
  return args;
}

/// What a parameter or result of that type will be.
TypeSpec type_spec_of(const ir::GraphValue& value);
TypeSpec type_spec_of(const Tensor& tensor);
/// The same for each of them that is no token.
std::vector<TypeSpec> type_specs_of(std::span<const ir::GraphValueRef> values);

/// A gradient of this type that says nothing: zeros, or an empty residual stack.
Item zeros_of(GraphTracer& tracer, const TypeSpec& spec);
/// An operation on two numbers.
Item apply_number(GraphTracer& tracer, std::string_view op, Item a, Item b);

}  // namespace dyad::transforms
