#include "base/error.h"
#include "capture/tracing/graph_tracer.h"
#include "ops/number_operator.h"
#include "tensor/truth.h"

namespace dyad::tracing {

using ir::GraphValueRef;

namespace {

/// A size, or an int that is known now.
std::optional<Dim> as_size(const Item& item) {
  if (auto* number = std::get_if<Number>(&item); number && number->is_size()) return number->size;
  auto* known = std::get_if<Scalar>(&item);
  if (known && known->kind() == Scalar::Kind::kInt) return Dim(known->to_int());
  return std::nullopt;
}

/// The result on sizes as another size, where sizes can express it.
std::optional<Dim> apply_to_sizes(std::string_view op, std::span<const Item> operands) {
  if (operands.size() != 2) return std::nullopt;
  const std::optional<Dim> a = as_size(operands[0]);
  const std::optional<Dim> b = as_size(operands[1]);
  if (!a || !b) return std::nullopt;
  if (op == "add") return *a + *b;
  if (op == "sub") return *a - *b;
  if (op == "mul") return *a * *b;
  if (op == "floordiv" && b->known() && b->value() > 0) return floor_div(*a, *b);
  if (op == "max") return max(*a, *b);
  if (op == "min") return min(*a, *b);
  return std::nullopt;
}

}  // namespace

Item GraphTracer::apply(std::string_view op, std::span<const Item> operands) {
  if (const std::optional<Dim> size = apply_to_sizes(op, operands)) {
    if (size->known()) return Scalar(size->value());
    return size_number(*size);
  }
  const NumberOperator* known = find_number_operator(cat("number_", op));
  if (!known) value_error("number_op: there is no operation '", op, "' on numbers");
  if (operands.size() > known->parameter_count() || operands.empty()) {
    type_error("number_op: ", op, " takes ", known->parameter_count(), " operands and ", operands.size(),
               " were given");
  }
  Scope& here = scope();
  std::vector<Arg> args;
  for (const Item& item : operands) {
    if (auto* number = std::get_if<Scalar>(&item)) {
      args.emplace_back(*number);
    } else if (auto* value = std::get_if<Number>(&item)) {
      args.emplace_back(Value(value_of(here, *value)));
    } else {
      type_error("number_op: ", op, " takes numbers, and a Tensor was given; use number(tensor) first");
    }
  }
  while (args.size() < known->parameter_count()) args.emplace_back();
  const GraphValueRef result = add_operator(here, *known, std::move(args)).results[0];
  return Number{number_kind(result->dtype), result, {}};
}

Number GraphTracer::number_of(const Tensor& tensor) {
  if (is_complex(tensor->dtype)) {
    capture_error("number: ", with_article(tensor->dtype),
                  " Tensor has no number in a graph; only bool, int and float do");
  }
  if (all_known(tensor->shape) && numel(tensor->shape) != 1) {
    refuse_truth(tensor->shape);
  }
  Scope& here = scope();
  std::vector<Arg> args;
  args.emplace_back(Value(value_of(here, *tensor)));
  const GraphValueRef result = add_operator(here, *find_intrinsic("number_of"), std::move(args)).results[0];
  return {number_kind(result->dtype), result, {}};
}

Tensor GraphTracer::tensor_of(const Item& number, DType dtype) {
  Scope& here = scope();
  std::vector<Arg> args;
  args.emplace_back(Value(value_of(here, number)));
  args.emplace_back(dtype);
  return tensor_result(here, *add_operator(here, *find_intrinsic("tensor_of"), std::move(args)).results[0]);
}

Dim GraphTracer::size_of(const Number& number) {
  if (number.is_size()) return number.size;
  if (number.kind != Scalar::Kind::kInt) {
    type_error("size: a ", number.kind == Scalar::Kind::kBool ? "bool" : "float",
               " cannot be a size; it must be an int");
  }
  for (Scope* known = &scope(); known; known = known->parent) {
    auto found = known->symbols.find(number.value.get());
    if (found != known->symbols.end()) return found->second;
  }
  Scope& here = scope();
  const Dim symbol = Dim::fresh("number");
  std::vector<Arg> args;
  args.emplace_back(Value(value_of(here, number)));
  args.emplace_back(to_text(symbol));
  add_operator(here, *find_intrinsic("define_symbol"), std::move(args));
  here.symbols[number.value.get()] = symbol;
  return symbol;
}

}  // namespace dyad::tracing
