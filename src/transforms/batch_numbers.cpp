#include <unordered_map>

#include "base/error.h"
#include "ops/call.h"
#include "ops/number_operator.h"
#include "transforms/batching.h"

namespace dyad::transforms {

using ir::Node;

namespace {

DYAD_USE(cast, reshape);

constexpr std::string_view kPrefix = "number_";

/// The operator on tensors that does what the one on numbers does.
const Op& tensor_operator(std::string_view name) {
  static const std::unordered_map<std::string_view, std::string_view> names = {
      {"add", "add"},       {"sub", "sub"},
      {"mul", "mul"},       {"truediv", "div"},
      {"mod", "remainder"}, {"floordiv", "floor_divide"},
      {"pow", "pow"},       {"lshift", "bitwise_left_shift"},
      {"lt", "less"},       {"rshift", "bitwise_right_shift"},
      {"gt", "greater"},    {"and", "bitwise_and"},
      {"or", "bitwise_or"}, {"xor", "bitwise_xor"},
      {"eq", "equal"},      {"le", "less_equal"},
      {"ne", "not_equal"},  {"ge", "greater_equal"},
      {"min", "minimum"},   {"max", "maximum"},
      {"neg", "neg"},       {"invert", "bitwise_not"},
      {"abs", "abs"},       {"not", "logical_not"},
      {"round", "round"},
  };
  auto found = names.find(name);
  if (found == names.end())
    raise(ErrorKind::kInternal, cat("internal error: no tensor operator for number_", name));
  return OpTable::instance().get(found->second);
}

bool is_comparison(std::string_view name) {
  return name == "lt" || name == "le" || name == "gt" || name == "ge" || name == "eq" || name == "ne" ||
         name == "not";
}

}  // namespace

/// A number or a tensor of one element as a tensor without dimensions.
Value Batching::as_tensor_slot(const Slot& slot, DType dtype) {
  if (auto* item = std::get_if<Item>(&slot)) return builder_.common(tracer_.tensor_of(*item, dtype));
  Value value = std::get<Value>(slot);
  if (value->rank() > 0) value = reshape(value, Dims());
  return value->dtype == dtype ? value : cast(value, dtype);
}

void Batching::visit_number(const Node& node) {
  const std::string_view name = std::string_view(node.op->name).substr(kPrefix.size());
  const DType dtype = node.results[0]->dtype;
  std::vector<Slot> slots;
  std::vector<Item> items;
  bool mapped = false;
  for (const Arg& arg : node.args) {
    if (arg.none()) break;
    slots.push_back(slot_of(arg));
    mapped = mapped || differs(slots.back());
    if (auto* item = std::get_if<Item>(&slots.back())) items.push_back(*item);
  }
  if (!mapped) return define(*node.results[0], tracer_.apply(name, items));
  if (name == "pos" || name == "bool" || name == "int" || name == "float") {
    return define(*node.results[0], as_tensor_slot(slots[0], dtype));
  }
  if (name == "round" && slots.size() > 1) {
    runtime_error(
        "vmap: round with digits is applied to a number that differs between slices; round the Tensor",
        place_text(node.location));
  }
  std::vector<Arg> args;
  for (const Slot& slot : slots) {
    const DType compute_dtype = is_comparison(name) ? DType::kFloat64 : dtype;
    args.emplace_back(as_tensor_slot(slot, compute_dtype));
  }
  define(*node.results[0], as_tensor_slot(apply_one(builder_, tensor_operator(name), args), dtype));
}

}  // namespace dyad::transforms
